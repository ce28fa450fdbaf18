"""Findings that a person does not want to see again, and which findings those are."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import AfterValidator, Field

from ensemble_lsp.core.frozen import Frozen


def _at_most(length: int) -> AfterValidator:
    """Bound what a file in a workspace can make us show; pydantic's own bound refuses lone surrogates in paths."""

    def check(text: str) -> str:
        if len(text) > length:
            raise ValueError(f"longer than {length} characters")
        return text

    return AfterValidator(check)


class Dismissal(Frozen):
    """One finding that was dismissed. Nothing says by whom."""

    fingerprint: str = Field(pattern="^[0-9a-f]{32}$")
    path: Annotated[str, _at_most(1_000)]
    """The file it was in, relative to the workspace, with forward slashes."""
    title: Annotated[str, _at_most(300)]
    """For people who read the list; it plays no part in what is left out."""
    category: Annotated[str, _at_most(80)]
    reason: Annotated[str, _at_most(300)] = ""
    """"wrong", "wontfix", "style", or the person's own words; may be empty."""
    date: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}$")

    @property
    def key(self) -> str:
        """What a person names it by: the same code may be dismissed in several files. 12 hexadecimal digits."""
        text = f"{self.path}\0{self.fingerprint}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Dismissals:
    """All that was dismissed in one workspace."""

    def __init__(
        self, entries: Iterable[Dismissal] = (), *, exists: Callable[[str], bool] = lambda _: True
    ) -> None:
        """`exists` says whether the workspace still has a file of that path."""
        self._by_fingerprint: dict[str, list[Dismissal]] = {}
        self._exists = exists
        for entry in entries:
            self._by_fingerprint.setdefault(entry.fingerprint, []).append(entry)

    def reason_for(self, path: str, fingerprint: str) -> str | None:
        """Return why a finding was dismissed, "" without a reason; None when it was not.

        What was dismissed in a file that is no longer there counts in a file with the same ending: it was renamed.
        """
        entries = self._by_fingerprint.get(fingerprint, [])
        for entry in entries:
            if entry.path == path:
                return entry.reason
        for entry in entries:
            if _ending(entry.path) == _ending(path) and not self._exists(entry.path):
                return entry.reason
        return None


def _ending(path: str) -> str:
    """Return what says which language a file is in: ".py"; empty for a name without one."""
    _, dot, ending = path.rsplit("/", maxsplit=1)[-1].rpartition(".")
    return dot + ending if dot else ""
