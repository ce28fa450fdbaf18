"""The URIs of virtual documents: `ensemble:/transcript/<job>.md`, `ensemble:/explanation/<job>/cart.md`."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import Action

SCHEME = "ensemble"

_TRANSCRIPT = "transcript"
_NOUNS = {Action.EXPLAIN: "explanation"}
"""What an action writes, where it is not called by the action's own name."""

_JOB = re.compile(r"[0-9A-Za-z_-]{1,64}")
_NAME_LENGTH = 40
"""Characters of a name in a URI: editors show it as the title of a tab."""


@dataclass(frozen=True, slots=True)
class DocumentUri:
    """A virtual document. `str` gives the URI; what is read back from it is `kind` and `job`."""

    kind: str
    job: str
    name: str = ""

    @classmethod
    def of_transcript(cls, job: str) -> "DocumentUri":
        """Name the transcript of a job."""
        return cls(_TRANSCRIPT, job)

    @classmethod
    def of_document(cls, job: str, action: Action, about: str) -> "DocumentUri":
        """Name what a job wrote; `about` is the path or the question that it was about."""
        last = about.rsplit("/", maxsplit=1)[-1]
        stem = last.rsplit(".", maxsplit=1)[0] if re.search(r"\.\w{1,8}$", last) else last
        words = re.sub(r"[^\w-]+", "-", stem).strip("-")[:_NAME_LENGTH].strip("-")
        return cls(_NOUNS.get(action, action.value), job, words or "document")

    @property
    def is_transcript(self) -> bool:
        """Whether it is a whole transcript, not only what the job wrote."""
        return self.kind == _TRANSCRIPT

    @property
    def title(self) -> str:
        """What it is called as a file: "explanation cart"."""
        return f"{self.kind} {self.name or self.job}"

    def __str__(self) -> str:
        if self.is_transcript:
            return f"{SCHEME}:/{_TRANSCRIPT}/{self.job}.md"
        return f"{SCHEME}:/{self.kind}/{self.job}/{quote(self.name)}.md"


def read_uri(uri: str) -> DocumentUri:
    """Read a URI as a client sends it back; raises `UnknownItem` for one that no job can have."""
    try:
        parts = urlsplit(uri)
        scheme, path = parts.scheme, unquote(parts.path)
    except ValueError:
        scheme = path = ""
    names = path.strip("/").split("/")
    job = names[1].removesuffix(".md") if len(names) == 2 and names[0] == _TRANSCRIPT else ""
    if len(names) == 3 and names[0] in {_NOUNS.get(action, action.value) for action in Action}:
        job = names[1]
    if scheme != SCHEME or not _JOB.fullmatch(job):
        raise UnknownItem(f"no document {uri!r}", field="uri")
    return DocumentUri(names[0], job, names[2].removesuffix(".md") if len(names) == 3 else "")
