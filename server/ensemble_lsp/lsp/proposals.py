"""Proposals against the live text: rebased whenever asked, so that typing is never overwritten."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from lsprotocol import types
from pygls.uris import from_fs_path

from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal
from ensemble_lsp.core.rebase import RebasedHunk, rebase
from ensemble_lsp.core.text import LineIndex, PositionEncoding, SourceText
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.lsp.convert import text_edit
from ensemble_lsp.lsp.documents import Documents

MAX_FILE_BYTES = 8 * 1024 * 1024
"""A file larger than this is not read back for an edit: no proposal is made for one either."""


@dataclass(frozen=True, slots=True)
class LiveFile:
    """One file of a proposal as it stands against the live text."""

    path: str
    uri: str
    version: int | None
    """The open document's version; None for a file that is not open."""
    kind: Literal["change", "create", "delete"]
    live: SourceText | None
    """None when the file is not there."""
    hunks: tuple[RebasedHunk, ...]
    conflict: str = ""
    """Why the whole file cannot be touched any more; empty when it can."""


@dataclass(slots=True)
class KeptProposal:
    """A proposal with where it belongs and what was already accepted of it."""

    proposal: Proposal
    root: Path
    revision: int = 0
    accepted: set[str] = field(default_factory=set[str])
    rejected: set[str] = field(default_factory=set[str])

    def candidate(self, candidate: str | None) -> Candidate:
        """Return the named candidate or the chosen one; raises `UnknownItem`."""
        for each in (self.proposal.chosen, *self.proposal.alternatives):
            if candidate is None or each.id == candidate:
                return each
        raise UnknownItem(f"no candidate {candidate!r} in this proposal", field="candidate")

    @property
    def uris(self) -> frozenset[str]:
        """The documents that the chosen candidate touches."""
        return frozenset(uri_of(self.root, change.path) for change in self.proposal.chosen.changes)


def uri_of(root: Path, path: str) -> str:
    """Return the URI of a path in the workspace."""
    return from_fs_path(str(root / path)) or ""


class ProposalBook:
    """All proposals of this session that were neither applied whole nor discarded."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._kept: dict[str, KeptProposal] = {}

    def keep(self, proposal: Proposal, root: Path) -> KeptProposal:
        """Take a new proposal."""
        kept = KeptProposal(proposal, root)
        self._kept[proposal.id] = kept
        return kept

    def find(self, proposal: str) -> KeptProposal:
        """Return a proposal by its id; raises `UnknownItem`."""
        kept = self._kept.get(proposal)
        if kept is None:
            raise UnknownItem(
                f"no proposal {proposal!r}", field="proposal", hint="it was applied or discarded"
            )
        return kept

    def drop(self, proposal: str) -> None:
        """Forget a proposal that is done with."""
        self._kept.pop(proposal, None)

    def touching(self, uri: str) -> Sequence[KeptProposal]:
        """Return the proposals that would change a document."""
        return tuple(kept for kept in self._kept.values() if uri in kept.uris)

    def live_files(self, kept: KeptProposal, candidate: str | None = None) -> tuple[LiveFile, ...]:
        """Return every file of a candidate against its live text."""
        return tuple(self._live(kept, change) for change in kept.candidate(candidate).changes)

    def diff(self, kept: KeptProposal, candidate: str | None = None) -> str:
        """Return the unified diff of what applying everything would do now."""
        changes: list[FileChange] = []
        for file in self.live_files(kept, candidate):
            after = None if file.kind == "delete" else self.text_after(kept, file, candidate)
            changes.append(FileChange(path=file.path, before=file.live, after=after))
        return unified_diff(changes)

    def text_after(
        self,
        kept: KeptProposal,
        file: LiveFile,
        candidate: str | None = None,
        hunks: Iterable[str] | None = None,
    ) -> SourceText | None:
        """Return the whole file as it would be with `hunks` (all without conflict when None)."""
        change = next(each for each in kept.candidate(candidate).changes if each.path == file.path)
        if change.before is None or change.after is None or file.live is None:
            return change.after
        return rebase(change, file.live).text(None if hunks is None else set(hunks))

    def _live(self, kept: KeptProposal, change: FileChange) -> LiveFile:
        uri = uri_of(kept.root, change.path)
        document = self._documents.get(uri)
        version = None if document is None else document.version
        live = SourceText(document.text) if document is not None else _read(kept.root / change.path)
        kind = "create" if change.before is None else "delete" if change.after is None else "change"
        conflict = ""
        hunks: tuple[RebasedHunk, ...] = ()
        if kind == "create":
            conflict = "the file exists by now" if live is not None else ""
        elif live is None:
            conflict = "the file is gone"
        elif kind == "delete":
            same = change.before is not None and live.text == change.before.text
            conflict = "" if same else "the file changed since"
        else:
            hunks = rebase(change, live).hunks
        return LiveFile(change.path, uri, version, kind, live, hunks, conflict)


def workspace_edit(
    files: Sequence[LiveFile],
    new_text: Callable[[LiveFile], SourceText | None],
    encoding: PositionEncoding,
    *,
    hunks: frozenset[str] | None,
    annotation: str | None = None,
) -> types.WorkspaceEdit:
    """Return one edit over all files: versioned, minimal ranges, each file's hunks together.

    `hunks` None takes all that do not conflict. Raises `UsageError` when nothing can be applied, and for text
    that holds bytes which no editor could give back unchanged.
    """
    operations: list[types.TextDocumentEdit | types.CreateFile | types.DeleteFile | types.RenameFile] = []
    for file in files:
        if file.conflict:
            continue
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=file.version)
        if file.kind == "delete":
            operations.append(types.DeleteFile(uri=file.uri, annotation_id=annotation))
            continue
        if file.kind == "create":
            text = new_text(file)
            operations.append(types.CreateFile(uri=file.uri, annotation_id=annotation))
            origin = types.Range(types.Position(0, 0), types.Position(0, 0))
            edits = [types.TextEdit(origin, text.text if text else "")]
        else:
            chosen = [
                each for each in file.hunks if not each.conflict and (hunks is None or each.id in hunks)
            ]
            if not chosen or file.live is None:
                continue
            index = LineIndex(file.live.text)
            edits = [text_edit(hunk, index, encoding) for hunk in chosen]
        for edit in edits:
            _refuse_undecodable(edit.new_text, file.path)
        annotated = [
            edit if annotation is None else types.AnnotatedTextEdit(annotation, edit.range, edit.new_text)
            for edit in edits
        ]
        operations.append(types.TextDocumentEdit(text_document=identifier, edits=annotated))
    if not operations:
        reasons = "; ".join(f"{file.path}: {file.conflict or 'the lines changed since'}" for file in files)
        raise UsageError(f"nothing can be applied: {reasons}", field="proposal")
    return types.WorkspaceEdit(document_changes=operations)


def _refuse_undecodable(text: str, path: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(
            f"{path} holds bytes that are no text in its encoding; an editor would not keep them",
            field="proposal",
            hint="apply it with `ensemble-lsp fix --apply`, which writes the bytes as they are",
        )


def _read(path: Path) -> SourceText | None:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        return SourceText.from_bytes(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
