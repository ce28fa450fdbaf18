"""Applying: one versioned edit, counted as accepted only when the resulting text has been seen."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.core.errors import EnsembleError, UnknownItem
from ensemble_lsp.engine.messages import OutcomeNote
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.edit_watches import EditWatch, ExpectedTexts, FirstOfConfirmed
from ensemble_lsp.lsp.live_files import LiveFile, hunk_ids
from ensemble_lsp.lsp.messages import Applied
from ensemble_lsp.lsp.proposals import KeptProposal
from ensemble_lsp.lsp.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

SEEN_WITHIN = 3.0
"""Seconds that a client gets to send the changed text back after it answered "applied"."""

ANSWERED_WITHIN = 60.0
"""Seconds that a client gets to answer an edit that it need not put to the person."""


class Applier:
    """Sends edits and watches the documents for their result.

    Neovim 0.11.4 skips a stale first file, edits a stale second one and answers "applied": so the answer
    alone proves nothing.
    """

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._watches: list[EditWatch] = []
        self._turn = asyncio.Lock()

    def seen(self, document: Document) -> None:
        """A document has a new text: whoever waits for one looks at it."""
        for watch in tuple(self._watches):
            watch.look(document)

    async def apply(self, kept: KeptProposal, hunks: frozenset[str] | None, candidate: str | None) -> Applied:
        """Apply the chosen hunks of every file as one edit; they must then be seen in every file.

        One edit after the other: the next is made against the text that the one before left. Raises `MovedOn`,
        `UnknownItem` or `UsageError` when no edit can be made.
        """
        async with self._turn:
            return await self._apply(kept, hunks, candidate)

    async def _apply(
        self, kept: KeptProposal, hunks: frozenset[str] | None, candidate: str | None
    ) -> Applied:
        book = self._server.proposals
        shown = kept.candidate(candidate)
        _require_known(hunks, (identifier for change in shown.changes for identifier in hunk_ids(change)))
        files = book.live_files(kept, shown.id)

        def text_after(file: LiveFile) -> str | None:
            after = book.text_after(kept, file, shown.id, hunks)
            return None if after is None else after.text

        edit = workspace_edit(
            files,
            lambda file: book.text_after(kept, file, shown.id, hunks),
            self._server.view,
            hunks=hunks,
        )
        texts = {file.uri: text_after(file) for file in files if file.applicable(hunks)}
        watch = ExpectedTexts(book, kept, shown.id, texts, hunks)
        applied = await self._send(kept, edit, watch, shown.id, answered_within=ANSWERED_WITHIN)
        if not applied.applied and watch.waiting and len(watch.waiting) < len(texts):
            return Applied(applied=False, failure_reason=_told_apart(files, texts, watch.waiting))
        return applied

    async def confirm(self, kept: KeptProposal, label: str) -> Applied:
        """Send everything as an edit that the person confirms in the editor's own preview."""
        book = self._server.proposals
        files = book.live_files(kept)
        edit = workspace_edit(files, lambda file: book.text_after(kept, file), self._server.view, label=label)
        return await self._send(kept, edit, FirstOfConfirmed(book, kept), None, answered_within=None)

    async def _send(
        self,
        kept: KeptProposal,
        edit: types.WorkspaceEdit,
        watch: EditWatch,
        candidate: str | None,
        *,
        answered_within: float | None,
    ) -> Applied:
        # Before the edit goes out: some clients send the changed text first and the answer after it.
        self._watches.append(watch)
        kept.applying += 1
        try:
            failure = await self._failure_of(kept, edit, watch, answered_within)
        finally:
            kept.applying -= 1
            self._watches.remove(watch)
        if failure is not None:
            self._server.presenter.again(kept)
            return Applied(applied=False, failure_reason=failure)
        self._server.proposals.taken(kept, candidate)
        self._server.presenter.again(kept)
        self._record(
            kept, "accepted", candidate, self._server.proposals.taken_share(kept, candidate, settled=False)
        )
        return Applied(applied=True)

    async def _failure_of(
        self,
        kept: KeptProposal,
        edit: types.WorkspaceEdit,
        watch: EditWatch,
        answered_within: float | None,
    ) -> str | None:
        """Send the edit and return why it does not count as applied, or None when it does."""
        try:
            async with asyncio.timeout(answered_within):
                answer = await self._server.protocol.ask_client(
                    types.WORKSPACE_APPLY_EDIT,
                    types.ApplyWorkspaceEditParams(edit=edit, label=kept.proposal.title),
                )
        except TimeoutError:
            return "the editor did not answer"
        if answer is None or answer.get("applied") is not True:
            return str((answer or {}).get("failureReason") or "the editor refused the edit")
        try:
            async with asyncio.timeout(SEEN_WITHIN):
                await watch.until_seen()
        except TimeoutError:
            return 'the editor answered "applied", but the text is not as proposed'
        return None

    def reject(self, kept: KeptProposal, hunks: frozenset[str] | None) -> None:
        """Discard the proposal, or take single hunks out of it; with its last hunk it goes.

        Raises `UnknownItem` for a hunk that it never had.
        """
        if hunks is not None:
            changes = (change for candidate in kept.candidates for change in candidate.changes)
            _require_known(hunks, (identifier for change in changes for identifier in hunk_ids(change)))
            kept.rejected |= hunks
            if any(file.hunks for file in self._server.proposals.live_files(kept)):
                return
        taken = self._server.proposals.taken_share(kept, None, settled=True)
        self._server.proposals.drop(kept)
        if not kept.done:
            self._record(kept, "rejected", None, taken)

    def undone(self, kept: KeptProposal) -> None:
        """Learn that the person took back what they had accepted."""
        self._record(kept, "undone", None, None)

    def _record(self, kept: KeptProposal, outcome: str, candidate: str | None, taken: float | None) -> None:
        note = OutcomeNote.model_validate(
            {
                "job": kept.proposal.job,
                "outcome": outcome,
                "candidate": candidate or kept.candidate(None).id,
                "finding": kept.proposal.finding,
                "taken": taken,
            }
        )
        self.learn(note)

    def learn(self, note: OutcomeNote) -> None:
        """Tell the engine what the person did; nobody waits for that, and nothing fails with it."""
        self._server.in_background(self._learn(note))

    async def _learn(self, note: OutcomeNote) -> None:
        try:
            await self._server.engine.record(note)
        except (EnsembleError, OSError) as problem:
            _log.warning("an outcome was not recorded: %s", problem)


def _require_known(hunks: frozenset[str] | None, known: Iterable[str]) -> None:
    unknown = sorted((hunks or frozenset()) - set(known))
    if unknown:
        raise UnknownItem(f"no hunk {unknown[0]!r} in this proposal", field="hunks")


def _told_apart(files: Sequence[LiveFile], sent: Mapping[str, str | None], waiting: set[str]) -> str:
    """Say which files an editor changed and which it did not, of an edit that it called applied."""
    left = [file.path for file in files if file.uri in waiting]
    done = [file.path for file in files if file.uri in sent and file.uri not in waiting]
    return (
        f"the editor changed {', '.join(done)} and not {', '.join(left)}; what is left can be applied again"
    )
