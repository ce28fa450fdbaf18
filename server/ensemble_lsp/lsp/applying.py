"""Applying: one versioned edit, counted as accepted only when the resulting text has been seen."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from lsprotocol import types

from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.engine.messages import OutcomeNote
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.proposals import KeptProposal, LiveFile, workspace_edit

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

SEEN_WITHIN = 3.0
"""Seconds that a client gets to send the changed text back after it answered "applied"."""


class Applied(Frozen):
    """The answer of `ensemble.apply`."""

    applied: bool
    failure_reason: str | None = None


class Applier:
    """Sends edits and watches the documents for their result.

    Neovim 0.11.4 skips a stale first file, edits a stale second one and answers "applied": so the answer
    alone proves nothing.
    """

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._changed = asyncio.Condition()
        self._wakeups: set[asyncio.Task[None]] = set()

    def seen(self, document: Document) -> None:
        """A document has a new text: whoever waits for one looks again."""
        del document
        task = asyncio.ensure_future(self._wake())
        self._wakeups.add(task)
        task.add_done_callback(self._wakeups.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def apply(self, kept: KeptProposal, hunks: frozenset[str] | None, candidate: str | None) -> Applied:
        """Apply the chosen hunks of every file as one edit."""
        book, encoding = self._server.proposals, self._server.view.encoding
        files = book.live_files(kept, candidate)
        edit = workspace_edit(
            files, lambda file: book.text_after(kept, file, candidate, hunks), encoding, hunks=hunks
        )
        expected = {
            file.uri: text.text
            for file in files
            if file.version is not None
            and file.kind == "change"
            and (text := book.text_after(kept, file, candidate, hunks)) is not None
        }
        if not self._server.view.document_changes:
            edit = _without_versions(edit, files)
        return await self.send(kept, edit, label=kept.proposal.title, expected=expected, candidate=candidate)

    async def send(
        self,
        kept: KeptProposal,
        edit: types.WorkspaceEdit,
        *,
        label: str,
        expected: Mapping[str, str],
        candidate: str | None = None,
    ) -> Applied:
        """Send an edit; `expected` is the text that each open document must have afterwards."""
        answer = await self._server.workspace_apply_edit_async(
            types.ApplyWorkspaceEditParams(edit=edit, label=label)
        )
        if not _applied(answer):
            return Applied(applied=False, failure_reason=_reason(answer))
        try:
            async with asyncio.timeout(SEEN_WITHIN), self._changed:
                await self._changed.wait_for(lambda: self._all_there(expected))
        except TimeoutError:
            return Applied(
                applied=False, failure_reason='the editor answered "applied", but the text is not as proposed'
            )
        self._server.proposals.drop(kept.proposal.id)
        await self._record(kept, "accepted", candidate)
        return Applied(applied=True)

    async def reject(self, kept: KeptProposal, hunks: frozenset[str] | None) -> None:
        """Discard the proposal, or take single hunks out of it."""
        if hunks is not None:
            kept.rejected |= hunks
            everything = {each.id for file in self._server.proposals.live_files(kept) for each in file.hunks}
            if not everything <= kept.rejected:
                return
        self._server.proposals.drop(kept.proposal.id)
        await self._record(kept, "rejected", None)

    async def _record(self, kept: KeptProposal, outcome: str, candidate: str | None) -> None:
        note = OutcomeNote.model_validate(
            {
                "job": kept.proposal.job,
                "outcome": outcome,
                "candidate": candidate or kept.proposal.chosen.id,
                "finding": kept.proposal.finding,
            }
        )
        await self._server.engine.record(note)

    def _all_there(self, expected: Mapping[str, str]) -> bool:
        for uri, text in expected.items():
            document = self._server.documents.get(uri)
            if document is None or document.text != text:
                return False
        return True


def _applied(answer: object) -> bool:
    if isinstance(answer, Mapping):
        return bool(cast("Mapping[str, object]", answer).get("applied"))
    return bool(getattr(answer, "applied", False))


def _reason(answer: object) -> str:
    if isinstance(answer, Mapping):
        reason = cast("Mapping[str, object]", answer).get("failureReason")
    else:
        reason = getattr(answer, "failure_reason", None)
    return str(reason) if reason else "the editor refused the edit"


def _without_versions(edit: types.WorkspaceEdit, files: tuple[LiveFile, ...]) -> types.WorkspaceEdit:
    """Return the edit in the old form, for clients without `documentChanges`: text changes only."""
    del files
    changes: dict[str, list[types.TextEdit]] = {}
    for operation in edit.document_changes or ():
        if isinstance(operation, types.TextDocumentEdit):
            changes[operation.text_document.uri] = [
                each for each in operation.edits if isinstance(each, types.TextEdit)
            ]
    return types.WorkspaceEdit(changes=changes)
