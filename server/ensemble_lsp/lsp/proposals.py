"""Proposals against the live text: rebased whenever asked, so that typing is never overwritten."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pygls.uris import from_fs_path

from ensemble_lsp.core.diff import hunks_of
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal
from ensemble_lsp.core.rebase import RebasedHunk, rebase
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.lsp.documents import Documents
from ensemble_lsp.lsp.file_moves import FileMoves
from ensemble_lsp.lsp.hunk_support import HunkSupport, support_of

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
    """What is still to be done: neither there already nor rejected. Creating and deleting are one hunk."""
    conflict: str = ""
    """Why the whole file cannot be touched any more; empty when it can."""

    def applicable(self, hunks: frozenset[str] | None = None) -> tuple[RebasedHunk, ...]:
        """Return the hunks without conflict, of the named ones where some are named."""
        return tuple(each for each in self.hunks if not each.conflict and (hunks is None or each.id in hunks))


@dataclass(slots=True)
class KeptProposal:
    """A proposal with where it belongs and which of its hunks were turned down."""

    proposal: Proposal
    root: Path
    task: Task
    """What the job was asked: the diagnostics and the finding that hunks answer."""
    since: int = 0
    """How many renames had been told when the job started: later ones move its files."""
    revision: int = -1
    """The last one that was sent; -1 before the first."""
    rejected: set[str] = field(default_factory=set[str])
    open: bool = True
    """Whether anybody still waits for it; False once it was applied whole or discarded."""
    _support: dict[tuple[str, str], dict[str, HunkSupport]] = field(
        default_factory=dict[tuple[str, str], dict[str, HunkSupport]]
    )

    def candidate(self, candidate: str | None) -> Candidate:
        """Return the named candidate or the chosen one; raises `UnknownItem`."""
        for each in (self.proposal.chosen, *self.proposal.alternatives):
            if candidate is None or each.id == candidate:
                return each
        raise UnknownItem(f"no candidate {candidate!r} in this proposal", field="candidate")

    def support_of(self, candidate: Candidate, path: str) -> dict[str, HunkSupport]:
        """Return what stands behind the hunks of one file, by their ids; computed once, it does not move."""
        known = self._support.get((candidate.id, path))
        if known is None:
            change = next(each for each in candidate.changes if each.path == path)
            known = self._support[candidate.id, path] = support_of(
                self.proposal, candidate, change, self.task
            )
        return known


class ProposalBook:
    """All proposals of this session that were neither applied whole nor discarded."""

    def __init__(self, documents: Documents, moves: FileMoves | None = None) -> None:
        self._documents = documents
        self._moves = moves or FileMoves()
        self._kept: dict[str, KeptProposal] = {}

    def keep(self, proposal: Proposal, root: Path, task: Task, since: int = 0) -> KeptProposal:
        """Take a new proposal of a job that started when `since` renames had been told."""
        kept = KeptProposal(proposal, root, task, since)
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

    def drop(self, kept: KeptProposal) -> None:
        """Forget a proposal that is done with."""
        kept.open = False
        self._kept.pop(kept.proposal.id, None)

    def uri_of(self, root: Path, path: str, since: int) -> str:
        """Return the URI of what was at a path in the workspace, in the client's own spelling where it is open."""
        place = self._moves.follow(root / path, since)
        document = self._documents.at(place)
        return document.uri if document is not None else from_fs_path(str(place)) or ""

    def uri_in(self, kept: KeptProposal, path: str) -> str:
        """Return the URI of one of a proposal's files, wherever it is by now."""
        return self.uri_of(kept.root, path, kept.since)

    def uris(self) -> frozenset[str]:
        """Return the URIs of all files that a chosen candidate would change."""
        return frozenset(
            self.uri_in(kept, change.path)
            for kept in self._kept.values()
            for change in kept.proposal.chosen.changes
        )

    def touching(self, uri: str) -> Sequence[tuple[KeptProposal, LiveFile]]:
        """Return the proposals that would still change a document, each with that one file of it."""
        found: list[tuple[KeptProposal, LiveFile]] = []
        for kept in self._kept.values():
            for change in kept.proposal.chosen.changes:
                if self.uri_in(kept, change.path) == uri:
                    file = self._live(kept, change)
                    if file.hunks:
                        found.append((kept, file))
        return found

    def naming(self, uri: str) -> Sequence[KeptProposal]:
        """Return the proposals that speak of a document, whether or not they would still change it; no text is read."""
        return tuple(
            kept
            for kept in self._kept.values()
            if any(self.uri_in(kept, change.path) == uri for change in kept.proposal.chosen.changes)
        )

    def live_files(self, kept: KeptProposal, candidate: str | None = None) -> tuple[LiveFile, ...]:
        """Return every file of a candidate against its live text."""
        return tuple(self._live(kept, change) for change in kept.candidate(candidate).changes)

    def diff(self, kept: KeptProposal, candidate: str | None = None) -> str:
        """Return the unified diff of what applying everything would do now."""
        changes: list[FileChange] = []
        for file in self.live_files(kept, candidate):
            if file.applicable():
                after = self.text_after(kept, file, candidate)
                changes.append(FileChange(path=file.path, before=file.live, after=after))
        return unified_diff(changes)

    def text_after(
        self,
        kept: KeptProposal,
        file: LiveFile,
        candidate: str | None = None,
        hunks: Iterable[str] | None = None,
    ) -> SourceText | None:
        """Return the whole file as it would be with `hunks` (all without conflict when None).

        None for a file that would be deleted. Hunks of other files are passed over.
        """
        change = next(each for each in kept.candidate(candidate).changes if each.path == file.path)
        chosen = {each.id for each in file.applicable(None if hunks is None else frozenset(hunks))}
        if change.before is None or change.after is None or file.live is None:
            return change.after if chosen else file.live
        return rebase(change, file.live).text(chosen)

    def _live(self, kept: KeptProposal, change: FileChange) -> LiveFile:
        path = self._moves.follow(kept.root / change.path, kept.since)
        # Editors keep the text of a deleted file open: an edit of it would bring the file back with the next save.
        document = None if self._moves.is_deleted(path) else self._documents.at(path)
        version = None if document is None else document.version
        uri = self.uri_in(kept, change.path)
        live = SourceText(document.text) if document is not None else _read(path)
        kind = "create" if change.before is None else "delete" if change.after is None else "change"
        conflict = ""
        hunks: tuple[RebasedHunk, ...] = ()
        if kind == "change":
            if live is None:
                conflict = "the file is gone"
            else:
                hunks = rebase(change, live).hunks
        elif _text(live) != _text(change.after):
            if _text(live) != _text(change.before):
                conflict = "the file exists by now" if kind == "create" else "the file changed since"
            hunks = _whole(change, conflict=bool(conflict))
        remaining = tuple(each for each in hunks if each.id not in kept.rejected)
        return LiveFile(change.path, uri, version, kind, live, remaining, conflict)


def _whole(change: FileChange, *, conflict: bool) -> tuple[RebasedHunk, ...]:
    """Return a file's creation or deletion as one hunk, also that of an empty file."""
    found = hunks_of(change)
    return (
        RebasedHunk(
            id=found[0].id if found else f"whole:{change.path}",
            path=change.path,
            old_start=0,
            old_lines=found[0].old_lines if found else (),
            new_lines=found[0].new_lines if found else (),
            conflict=conflict,
        ),
    )


def _text(source: SourceText | None) -> str | None:
    return None if source is None else source.text


def _read(path: Path) -> SourceText | None:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        return SourceText.from_bytes(path.read_bytes())
    except OSError:
        return None
