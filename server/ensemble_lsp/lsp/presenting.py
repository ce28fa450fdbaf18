"""How results reach a client: in its own diff view, as an annotated edit, or as a question with a `.diff`."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.directories import state_directory
from ensemble_lsp.lsp.proposals import KeptProposal, LiveFile, workspace_edit

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

PREVIEW, APPLY, DISCARD = "Preview", "Apply", "Discard"

MAX_QUESTIONS = 5
"""How often the three-way question comes back after "Preview", before the proposal just stays available."""


def headline(proposal: Proposal) -> str:
    """Return what stands behind a proposal: "3 families, tests pass"."""
    families = len(proposal.chosen.families)
    voices = f"{families} families" if families != 1 else "one family"
    if proposal.standing is Standing.VERIFIED:
        passed = "tests pass" if not proposal.weak else "tests pass, but they would miss most changes here"
        return f"{voices}, {passed}"
    if proposal.standing is Standing.AGREED:
        return f"{voices} agree, nothing was executed"
    return f"{voices}, unverified"


class Presenter:
    """Shows proposals and documents in the way that the client can."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server

    def proposal(self, kept: KeptProposal) -> None:
        """Show a new proposal, preview first; nothing is changed without a person's word."""
        view = self._server.view
        if view.proposals:
            self.send(kept)
        elif view.annotations and view.document_changes:
            self._server.in_background(self._annotated(kept))
        else:
            self._server.in_background(self._question(kept))

    def send(self, kept: KeptProposal) -> None:
        """Send `ensemble/proposal` with the live state; again with a higher revision when the text moved."""
        proposal = kept.proposal
        payload: dict[str, object] = {
            "proposal": proposal.id,
            "revision": kept.revision,
            "job": proposal.job,
            "title": proposal.title,
            "status": proposal.standing.value,
            "weak": proposal.weak,
            "files": [_file_payload(file) for file in self._server.proposals.live_files(kept)],
            "candidates": [
                {
                    "id": candidate.id,
                    "families": list(candidate.families),
                    "checks": [
                        {"witness": item.witness, "outcome": item.outcome.value, "summary": item.summary}
                        for item in candidate.evidence
                    ],
                    "cost": candidate.spend.usd,
                    "chosen": candidate.id == proposal.chosen.id,
                }
                for candidate in (proposal.chosen, *proposal.alternatives)
            ],
            "dissent": [item.to_wire() for item in proposal.dissent],
            "spend": proposal.spend.to_wire(),
        }
        if proposal.finding:
            payload["finding"] = proposal.finding
        kept.revision += 1
        self._server.protocol.notify("ensemble/proposal", payload)

    def document(self, title: str, markdown: str) -> None:
        """Show a Markdown document: a read-only file in the state directory, opened where the client can."""
        self._server.in_background(self._show(self._write(title, markdown, ".md")))

    async def _annotated(self, kept: KeptProposal) -> None:
        label = f"{kept.proposal.title}: {headline(kept.proposal)}"
        annotation = "ensemble"
        book = self._server.proposals
        edit = workspace_edit(
            book.live_files(kept),
            lambda file: book.text_after(kept, file),
            self._server.view.encoding,
            hunks=None,
            annotation=annotation,
        )
        edit.change_annotations = {
            annotation: types.ChangeAnnotation(label=label, needs_confirmation=True, description="Ensemble")
        }
        await self._server.apply_edit(kept, edit, label=label)

    async def _question(self, kept: KeptProposal) -> None:
        text = f"Ensemble: {kept.proposal.title} ({headline(kept.proposal)})"
        actions = [types.MessageActionItem(title=title) for title in (PREVIEW, APPLY, DISCARD)]
        for _ in range(MAX_QUESTIONS):
            answer = await self._server.ask(text, actions)
            if answer == APPLY:
                applied = await self._server.apply_proposal(kept, hunks=None, candidate=None)
                if not applied.applied:
                    raise UsageError(f"not applied: {applied.failure_reason}", field="proposal")
                return
            if answer == DISCARD:
                await self._server.reject(kept, None)
                return
            if answer != PREVIEW:
                return
            await self._show(self._write(kept.proposal.title, self._server.proposals.diff(kept), ".diff"))

    def _write(self, title: str, text: str, suffix: str) -> Path:
        directory = state_directory() / "documents"
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        data = text.encode("utf-8", "surrogateescape")
        name = "".join(character if character.isalnum() else "-" for character in title.lower())[:40].strip(
            "-"
        )
        path = directory / f"{name or 'document'}-{hashlib.sha256(data).hexdigest()[:10]}{suffix}"
        if not path.exists():
            path.write_bytes(data)
            path.chmod(0o400)
        return path

    async def _show(self, path: Path) -> None:
        uri = from_fs_path(str(path)) or ""
        if self._server.view.show_document:
            shown = await self._server.window_show_document_async(
                types.ShowDocumentParams(uri=uri, take_focus=True)
            )
            if shown and shown.success:
                return
        self._server.say(types.MessageType.Info, f"Ensemble: see {path}")


def _file_payload(file: LiveFile) -> dict[str, object]:
    return {
        "uri": file.uri,
        "version": file.version,
        "kind": file.kind,
        "conflict": file.conflict,
        "hunks": [
            {
                "id": each.id,
                "oldStart": each.old_start,
                "oldLines": list(each.old_lines),
                "newLines": list(each.new_lines),
                "conflict": each.conflict,
                "evidence": [],
            }
            for each in file.hunks
        ],
    }
