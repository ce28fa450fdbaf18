"""Applying: one versioned edit, counted as accepted only when the resulting text has been seen."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.engine.messages import OutcomeNote
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.messages import Applied
from ensemble_lsp.lsp.proposals import KeptProposal
from ensemble_lsp.lsp.workspace_edits import workspace_edit

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

SEEN_WITHIN = 3.0
"""Seconds that a client gets to send the changed text back after it answered "applied"."""


@dataclass(slots=True)
class _Watch:
    """Waits for a text to be seen. Every text that a document ever has is looked at, also one typed over at once."""

    accept: Callable[[Document], None]
    is_done: Callable[[], bool]
    done: asyncio.Future[None]

    def look(self, document: Document) -> None:
        self.accept(document)
        if self.is_done() and not self.done.done():
            self.done.set_result(None)


class Applier:
    """Sends edits and watches the documents for their result.

    Neovim 0.11.4 skips a stale first file, edits a stale second one and answers "applied": so the answer
    alone proves nothing.
    """

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._watches: list[_Watch] = []

    def seen(self, document: Document) -> None:
        """A document has a new text: whoever waits for one looks at it."""
        for watch in self._watches:
            watch.look(document)

    async def apply(self, kept: KeptProposal, hunks: frozenset[str] | None, candidate: str | None) -> Applied:
        """Apply the chosen hunks of every file as one edit; open documents must then have exactly that text.

        Raises `MovedOn` or `UsageError` when no edit can be made.
        """
        book = self._server.proposals
        files = book.live_files(kept, candidate)
        edit = workspace_edit(
            files,
            lambda file: book.text_after(kept, file, candidate, hunks),
            self._server.view,
            hunks=hunks,
        )
        awaited = {
            file.uri: text.text
            for file in files
            if file.version is not None
            and file.applicable(hunks)
            and (text := book.text_after(kept, file, candidate, hunks)) is not None
        }

        def accept(document: Document) -> None:
            if awaited.get(document.uri) == document.text:
                del awaited[document.uri]

        return await self._send(kept, edit, accept, lambda: not awaited, candidate)

    async def confirm(self, kept: KeptProposal, label: str) -> Applied:
        """Send everything as an edit that the person confirms in the editor's own preview.

        What the person takes of it is up to them: it counts as accepted when a first hunk has been seen.
        """
        book = self._server.proposals
        files = book.live_files(kept)
        edit = workspace_edit(files, lambda file: book.text_after(kept, file), self._server.view, label=label)
        before = {file.uri: len(file.hunks) for file in files if file.version is not None}
        fewer: set[str] = set()

        def accept(document: Document) -> None:
            if document.uri in before:
                now = {file.uri: len(file.hunks) for file in book.live_files(kept)}
                if now.get(document.uri, 0) < before[document.uri]:
                    fewer.add(document.uri)

        return await self._send(kept, edit, accept, lambda: bool(fewer) or not before, None)

    async def _send(
        self,
        kept: KeptProposal,
        edit: types.WorkspaceEdit,
        accept: Callable[[Document], None],
        is_done: Callable[[], bool],
        candidate: str | None,
    ) -> Applied:
        watch = _Watch(accept, is_done, asyncio.get_running_loop().create_future())
        # Before the edit goes out: some clients send the changed text first and the answer after it.
        self._watches.append(watch)
        try:
            answer = await self._server.protocol.ask_client(
                types.WORKSPACE_APPLY_EDIT,
                types.ApplyWorkspaceEditParams(edit=edit, label=kept.proposal.title),
            )
            if answer is None or answer.get("applied") is not True:
                reason = str((answer or {}).get("failureReason") or "the editor refused the edit")
                return Applied(applied=False, failure_reason=reason)
            if not is_done():
                async with asyncio.timeout(SEEN_WITHIN):
                    await watch.done
        except TimeoutError:
            return Applied(
                applied=False, failure_reason='the editor answered "applied", but the text is not as proposed'
            )
        finally:
            self._watches.remove(watch)
        if not any(file.hunks for file in self._server.proposals.live_files(kept, candidate)):
            self._server.proposals.drop(kept)
        self._record(kept, "accepted", candidate)
        return Applied(applied=True)

    def reject(self, kept: KeptProposal, hunks: frozenset[str] | None) -> None:
        """Discard the proposal, or take single hunks out of it; with its last hunk it goes."""
        if hunks is not None:
            kept.rejected |= hunks
            if any(file.hunks for file in self._server.proposals.live_files(kept)):
                return
        self._server.proposals.drop(kept)
        self._record(kept, "rejected", None)

    def _record(self, kept: KeptProposal, outcome: str, candidate: str | None) -> None:
        note = OutcomeNote.model_validate(
            {
                "job": kept.proposal.job,
                "outcome": outcome,
                "candidate": candidate or kept.proposal.chosen.id,
                "finding": kept.proposal.finding,
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
