"""How results reach a client: in its own diff view, as an annotated edit, or as a question with a `.diff`."""

import asyncio
import time
from typing import TYPE_CHECKING

from lsprotocol import types

from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.lsp.proposal_params import proposal_params
from ensemble_lsp.lsp.proposals import KeptProposal

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

PREVIEW, APPLY, DISCARD = "Preview", "Apply", "Discard"

MAX_QUESTIONS = 5
"""How often the question comes back after "Preview", before the proposal just stays among the code actions."""

SENT_AFTER = 0.05
"""Seconds between a change of the text and the proposal against it, so that fast typing is one message."""

PAUSE_PER_COST = 20
"""A proposal that takes long to send is sent less often: a twentieth of the time, at most, goes into it."""

LONGEST_PAUSE = 1.0
"""Seconds after which also the largest proposal is brought up to date."""


def headline(proposal: Proposal) -> str:
    """Return what stands behind a proposal: "3 families, tests pass"."""
    families = len(proposal.chosen.families)
    voices = f"{families} families" if families > 1 else "one family" if families else proposal.chosen.authors
    if proposal.standing is Standing.VERIFIED:
        weak = ", but they would miss most changes here" if proposal.weak else ""
        return f"{voices}, tests pass{weak}"
    if proposal.standing is Standing.AGREED:
        agree = "agree" if families != 1 else "alone"
        return f"{voices} {agree}, nothing was executed"
    return f"{voices}, unverified"


class Presenter:
    """Shows proposals and documents in the way that the client can."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._waiting: dict[str, asyncio.TimerHandle] = {}

    def proposal(self, kept: KeptProposal) -> None:
        """Show a new proposal, preview first; nothing is changed without a person's word."""
        view = self._server.view
        if view.proposals:
            self.send(kept)
        elif view.annotations and view.document_changes:
            self._server.in_background(self._confirm(kept))
        else:
            self._server.in_background(self._question(kept))

    def moved(self, uri: str) -> None:
        """Send the proposals that touch a document again, soon: its text moved."""
        if self._server.view.proposals:
            for kept in self._server.proposals.naming(uri):
                self.again(kept)

    def again(self, kept: KeptProposal) -> None:
        """Send a proposal again, soon, to clients that show their own diff; fast typing is one message."""
        if self._server.view.proposals and kept.proposal.id not in self._waiting:
            pause = min(LONGEST_PAUSE, max(SENT_AFTER, kept.cost * PAUSE_PER_COST))
            self._waiting[kept.proposal.id] = asyncio.get_running_loop().call_later(
                pause, self._send_again, kept
            )

    def _send_again(self, kept: KeptProposal) -> None:
        del self._waiting[kept.proposal.id]
        was_done = kept.done
        if kept.open and not kept.applying and self._server.proposals.is_back(kept):
            if was_done:
                self._server.applier.undone(kept)
            self.send(kept)

    def send(self, kept: KeptProposal) -> None:
        """Send `ensemble/proposal` with the live state, each time with a higher revision."""
        began = time.perf_counter()
        kept.revision += 1
        params = proposal_params(kept, self._server.proposals)
        self._server.protocol.notify("ensemble/proposal", params.to_wire())
        kept.cost = time.perf_counter() - began

    async def _confirm(self, kept: KeptProposal) -> None:
        applied = await self._server.applier.confirm(kept, kept.proposal.title)
        if not applied.applied:
            self._stays(kept, f"not applied ({applied.failure_reason})")
        else:
            self._left_out(kept)

    async def _question(self, kept: KeptProposal) -> None:
        title = kept.proposal.title
        actions = [PREVIEW, APPLY, DISCARD]
        previewed = False
        for _ in range(MAX_QUESTIONS):
            answer = await self._server.ask(f"Ensemble: {title}", actions)
            if not kept.open or kept.done:
                return  # applied or discarded by another way while the question stood
            if answer == APPLY:
                applied = await self._server.applier.apply(kept, None, None)
                if previewed:
                    await self._back_to_the_file(kept)
                if not applied.applied:
                    self._stays(kept, f"not applied ({applied.failure_reason})")
                else:
                    self._left_out(kept)
                return
            if answer == DISCARD:
                self._server.applier.reject(kept, None)
                if previewed:
                    await self._back_to_the_file(kept)
                return
            if answer != PREVIEW:
                break
            previewed = await self._server.shown.show_file(title, self._server.proposals.diff(kept), ".diff")
            actions = [APPLY, DISCARD]
        self._stays(kept, "waits")

    def _stays(self, kept: KeptProposal, what: str) -> None:
        self._server.say(
            types.MessageType.Info,
            f"Ensemble: {kept.proposal.title}: {what}; it stays among the code actions of the file",
        )

    def _left_out(self, kept: KeptProposal) -> None:
        conflicts = sum(
            1 for file in self._server.proposals.live_files(kept) for each in file.hunks if each.conflict
        )
        if conflicts:
            changes = "1 change was" if conflicts == 1 else f"{conflicts} changes were"
            self._server.say(
                types.MessageType.Warning,
                f"Ensemble: {kept.proposal.title}: {changes} left out, because you edited the same lines",
            )

    async def _back_to_the_file(self, kept: KeptProposal) -> None:
        """Leave the preview: the person came from the first of the files."""
        await self._server.shown.open(
            self._server.proposals.uri_in(kept, kept.proposal.chosen.changes[0].path)
        )
