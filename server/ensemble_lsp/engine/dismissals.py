"""What is not to be shown again: kept on this machine, or in the workspace for everybody who works there."""

import asyncio
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from ensemble_lsp.core.dismissals import Dismissal, Dismissals
from ensemble_lsp.core.errors import ConfigurationError, EnsembleError, UnknownItem, UsageError
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import visible
from ensemble_lsp.engine.messages import DismissalList, ListedDismissal
from ensemble_lsp.store.dismissals import DismissalStore
from ensemble_lsp.store.dismissals_file import PLACE, add_to_file, read_file, remove_from_file

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KnownDismissals:
    """What a review leaves out, what a person should know about it, and what is to be put right."""

    dismissals: Dismissals
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class DismissalBook:
    """The dismissals of every workspace.

    A committed file can hide findings from whoever opens the folder, so it counts in trusted folders only.
    """

    def __init__(self, store: DismissalStore) -> None:
        self._store = store

    async def known(self, workspace: Path, *, trusted: bool, rules: Path | None = None) -> KnownDismissals:
        """Return what counts in a workspace; a file that cannot be used hides nothing and is warned of.

        `rules` stands for the workspace where the shared file is read; its word counts.
        """
        private = await self._private(workspace)
        shared, warnings = await self._shared(rules or workspace)
        notes: tuple[str, ...] = ()
        if shared and not trusted and rules is None:
            count = "1 dismissal" if len(shared) == 1 else f"{len(shared)} dismissals"
            notes = (f"{count} in {PLACE} left out nothing: the folder is not trusted",)
            shared = ()

        def exists(path: str) -> bool:
            # An entry that names anything but a file of the workspace stands for itself only.
            below = PurePosixPath(path)
            return below.is_absolute() or ".." in below.parts or (workspace / below).exists()

        return KnownDismissals(Dismissals((*private, *shared), exists=exists), notes, warnings)

    async def add(self, workspace: Path, finding: Finding, reason: str, *, shared: bool) -> Dismissal:
        """Remember that a finding is not to be shown again.

        Raises `ConfigurationError` when the shared file cannot be used, `UsageError` for a finding of an older
        version, which nothing could know again.
        """
        if not finding.fingerprint:
            raise UsageError(
                "this finding cannot be known again", field="finding", hint="review the file once more first"
            )
        dismissal = Dismissal(
            fingerprint=finding.fingerprint,
            path=finding.path,
            title=_shown(finding.title, 300),
            category=_shown(finding.category, 80),
            reason=_shown(reason, 300),
            date=datetime.now(UTC).astimezone().date().isoformat(),
        )
        if shared:
            await asyncio.to_thread(add_to_file, workspace, dismissal)
        else:
            await self._store.add(str(workspace), dismissal)
        return dismissal

    async def listed(self, workspace: Path, *, trusted: bool) -> DismissalList:
        """Return everything that was dismissed in a workspace, and where each is kept."""
        shared, warnings = await self._shared(workspace)
        private = await self._private(workspace)
        entries = [ListedDismissal(**item.model_dump(), id=item.key, kept="private") for item in private]
        entries += [
            ListedDismissal(**item.model_dump(), id=item.key, kept="shared", counts=trusted)
            for item in shared
        ]
        ordered = sorted(entries, key=lambda item: (item.path, item.title, item.kept))
        return DismissalList(dismissals=tuple(ordered), warnings=warnings)

    async def restore(self, workspace: Path, ident: str, *, trusted: bool) -> DismissalList:
        """Take back what an id (or its beginning) names, wherever it is kept; returns what that was.

        Raises `UnknownItem` when it names nothing or several findings, `ConfigurationError` when the shared file
        cannot be used.
        """
        known = (await self.listed(workspace, trusted=trusted)).dismissals
        found = [item for item in known if item.id.startswith(ident)]
        if len({item.id for item in found}) != 1:
            which = "several dismissed findings begin with" if found else "no dismissed finding"
            raise UnknownItem(f"{which} {ident!r}", field="id")
        for item in found:
            entry = Dismissal.model_validate(item.model_dump(exclude={"id", "kept", "counts"}))
            if item.kept == "shared":
                await asyncio.to_thread(remove_from_file, workspace, entry)
            else:
                await self._store.remove(str(workspace), entry)
        return DismissalList(dismissals=tuple(found))

    async def _private(self, workspace: Path) -> tuple[Dismissal, ...]:
        try:
            return await self._store.of(str(workspace))
        except EnsembleError as problem:
            # A review goes on without its memory; that is said where the store's own trouble is said.
            _log.warning("dismissals could not be read: %s", problem)
            return ()

    @staticmethod
    async def _shared(workspace: Path) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
        try:
            return await asyncio.to_thread(read_file, workspace), ()
        except ConfigurationError as problem:
            return (), (f"{problem.message}; {problem.hint}" if problem.hint else problem.message,)


def _shown(text: str, length: int) -> str:
    return " ".join(visible(text).split())[:length]
