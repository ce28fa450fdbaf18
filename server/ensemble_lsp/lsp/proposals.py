"""Proposals against the live text: rebased whenever asked, so that typing is never overwritten."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pygls.uris import from_fs_path

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal
from ensemble_lsp.core.rebase import rebase
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.lsp.documents import Documents
from ensemble_lsp.lsp.file_moves import FileMoves
from ensemble_lsp.lsp.hunk_support import HunkSupport, support_of
from ensemble_lsp.lsp.live_files import LiveFile, TextState, hunk_ids, live_file, state_of


@dataclass(slots=True)
class KeptProposal:
    """A proposal with where it belongs and which of its hunks were turned down."""

    proposal: Proposal
    root: Path
    task: Task
    """What the job was asked: the diagnostics and the finding that hunks answer."""
    since: int = 0
    """How many renames had been told when the job started: later ones move its files."""
    cost: float = 0.0
    """Seconds that sending it took the last time."""
    revision: int = -1
    """The last one that was sent; -1 before the first."""
    rejected: set[str] = field(default_factory=set[str])
    current: str | None = None
    """The candidate that the person took something of; None: the chosen one."""
    done: bool = False
    """Whether it was applied and nothing was left: it then waits for an undo."""
    applying: int = 0
    """Edits of it that are on their way: what the client is told of it waits until they have arrived."""
    open: bool = True
    """Whether anybody still waits for it; False once it was discarded."""
    computed: dict[tuple[str, str], tuple[TextState, frozenset[str], LiveFile]] = field(
        default_factory=dict[tuple[str, str], "tuple[TextState, frozenset[str], LiveFile]"]
    )
    """(candidate, path) → the file as it was computed last, from which text, without which hunks."""
    _places: dict[str, Path] = field(default_factory=dict[str, Path])
    _support: dict[tuple[str, str], dict[str, HunkSupport]] = field(
        default_factory=dict[tuple[str, str], dict[str, HunkSupport]]
    )

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates, the chosen one first."""
        return (self.proposal.chosen, *self.proposal.alternatives)

    def candidate(self, candidate: str | None) -> Candidate:
        """Return the named candidate, else the current one; raises `UnknownItem`."""
        wanted = candidate or self.current
        for each in self.candidates:
            if wanted is None or each.id == wanted:
                return each
        raise UnknownItem(f"no candidate {candidate!r} in this proposal", field="candidate")

    def place(self, path: str) -> Path:
        """Return where one of its files was when the job started."""
        known = self._places.get(path)
        if known is None:
            known = self._places[path] = self.root / path
        return known

    def support_of(self, candidate: Candidate, path: str) -> dict[str, HunkSupport]:
        """Return what stands behind the hunks of one file, by their ids; computed once, it does not move."""
        known = self._support.get((candidate.id, path))
        if known is None:
            change = next(each for each in candidate.changes if each.path == path)
            known = self._support[candidate.id, path] = support_of(
                self.proposal, candidate, change, self.task
            )
        return known


MOST_DONE = 20
"""Proposals that were applied whole and are kept for an undo; the oldest go."""


class ProposalBook:
    """The proposals of this session that were not discarded.

    One that was applied whole stays for a while: what is undone is on offer again.
    """

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

    def taken(self, kept: KeptProposal, candidate: str | None) -> None:
        """Something of a proposal was applied: it goes on with that candidate; of those that are done few stay."""
        kept.current = candidate or kept.current
        kept.done = not any(file.hunks for file in self.live_files(kept))
        done = [each for each in self._kept.values() if each.done]
        for oldest in done[:-MOST_DONE]:
            self.drop(oldest)

    def taken_share(self, kept: KeptProposal, candidate: str | None, *, settled: bool) -> float | None:
        """Return the share of a candidate's hunks that the text has now, of those that were decided on.

        `settled`: what is left counts as turned down. None when nothing was decided on.
        """
        shown = kept.candidate(candidate)
        hunks = {each for change in shown.changes for each in hunk_ids(change)}
        left = {each.id for file in self.live_files(kept, shown.id) for each in file.hunks}
        taken = hunks - left - kept.rejected
        decided = hunks if settled else taken | (hunks & kept.rejected)
        return len(taken) / len(decided) if decided else None

    def is_back(self, kept: KeptProposal) -> bool:
        """Whether a proposal that was done has something to do again: the person undid it."""
        if kept.done and any(file.applicable() for file in self.live_files(kept)):
            kept.done = False
        return not kept.done

    def uri_of(self, root: Path, path: str, since: int) -> str:
        """Return the URI of what was at a path in the workspace, in the client's own spelling where it is open."""
        place = self._moves.follow(root / path, since)
        document = self._documents.at(place)
        return document.uri if document is not None else from_fs_path(str(place)) or ""

    def uri_in(self, kept: KeptProposal, path: str) -> str:
        """Return the URI of one of a proposal's files, wherever it is by now."""
        return self.uri_of(kept.root, path, kept.since)

    def uris(self) -> frozenset[str]:
        """Return the URIs of all files that a candidate would change."""
        return frozenset(
            self.uri_in(kept, change.path)
            for kept in self._kept.values()
            for candidate in kept.candidates
            for change in candidate.changes
        )

    def touching(self, uri: str) -> Sequence[tuple[KeptProposal, LiveFile]]:
        """Return the proposals that would still change a document, each with that one file of it."""
        is_named = self._names(uri)
        found: list[tuple[KeptProposal, LiveFile]] = []
        for kept in self._kept.values():
            candidate = kept.candidate(None)
            files = (
                self._live(kept, candidate, change)
                for change in candidate.changes
                if is_named(kept, change.path)
            )
            found.extend((kept, file) for file in files if file.hunks)
        return found

    def naming(self, uri: str) -> Sequence[KeptProposal]:
        """Return the proposals that speak of a document, whether or not they would still change it; no text is read."""
        is_named = self._names(uri)
        return tuple(
            kept
            for kept in self._kept.values()
            if any(
                is_named(kept, change.path) for candidate in kept.candidates for change in candidate.changes
            )
        )

    def _names(self, uri: str) -> Callable[[KeptProposal, str], bool]:
        """Return the question whether a proposal's path means the document: by places, since URIs are slow to make."""
        place = self._documents.place_of(uri)
        if place is None:
            return lambda kept, path: self.uri_in(kept, path) == uri
        return lambda kept, path: self._moves.follow(kept.place(path), kept.since) == place

    def live_files(self, kept: KeptProposal, candidate: str | None = None) -> tuple[LiveFile, ...]:
        """Return every file of a candidate against its live text."""
        shown = kept.candidate(candidate)
        return tuple(self._live(kept, shown, change) for change in shown.changes)

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

    def _live(self, kept: KeptProposal, candidate: Candidate, change: FileChange) -> LiveFile:
        path = self._moves.follow(kept.place(change.path), kept.since)
        # Editors keep the text of a deleted file open: an edit of it would bring the file back with the next save.
        document = None if self._moves.is_deleted(path) else self._documents.at(path)
        rejected = frozenset(kept.rejected)
        state = state_of(self.uri_in(kept, change.path), document, path)
        known = kept.computed.get((candidate.id, change.path))
        if known is not None and known[:2] == (state, rejected):
            return known[2]
        file = live_file(change, state, path, rejected)
        kept.computed[candidate.id, change.path] = state, rejected, file
        return file
