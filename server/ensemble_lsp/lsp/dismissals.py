"""Dismissing a finding from the editor, and taking that back."""

from typing import TYPE_CHECKING

from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.engine.messages import DismissalList, DismissalNote, DismissalQuery, DismissalRef
from ensemble_lsp.lsp.findings import TrackedFinding

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

REMEMBERED_AT_MOST = 200
"""Dismissed findings of this session that are shown again at once when they are taken back."""


class FrontDismissals:
    """The front's part: what is shown. What is remembered is the engine's."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._dismissed: dict[tuple[str, str], tuple[TrackedFinding, ...]] = {}
        """Path and fingerprint → what was taken away with it."""

    async def dismiss(self, finding: str, reason: str) -> None:
        """Stop showing a finding, at once and in later reviews; raises `UnknownItem`.

        When it cannot be remembered it is shown again, and the error says why.
        """
        server = self._server
        removed = server.findings.remove(finding)
        tracked = removed[0]
        server.diagnostics.publish(tracked.uri)
        root = tracked.review.root or server.folders.root_of(tracked.uri)
        note = DismissalNote(
            job=tracked.job,
            workspace=str(root),
            finding=tracked.finding,
            reason=reason,
            trusted=server.is_trusted(root),
            settings=server.configuration.settings_for(root),
        )
        try:
            await server.engine.dismiss(note)
        except (EnsembleError, OSError):
            self._show_again(removed)
            raise
        self._dismissed[tracked.finding.path, tracked.finding.fingerprint] = removed
        for old in tuple(self._dismissed)[:-REMEMBERED_AT_MOST]:
            del self._dismissed[old]

    async def listed(self) -> DismissalList:
        """Return what was dismissed in the first workspace folder; raises `UsageError` without one."""
        root = self._server.folders.first()
        return await self._server.engine.dismissals(
            DismissalQuery(workspace=str(root), trusted=self._server.is_trusted(root))
        )

    async def restore(self, ident: str) -> DismissalList:
        """Take a dismissal back; one of this session is shown again at once. Raises `UnknownItem`."""
        root = self._server.folders.first()
        restored = await self._server.engine.restore(
            DismissalRef(workspace=str(root), trusted=self._server.is_trusted(root), id=ident)
        )
        for item in restored.dismissals:
            self._show_again(self._dismissed.pop((item.path, item.fingerprint), ()))
        return restored

    def _show_again(self, removed: tuple[TrackedFinding, ...]) -> None:
        for tracked in removed:
            document = self._server.diagnostics.document(tracked.uri)
            if self._server.findings.put_back(tracked, document):
                self._server.diagnostics.publish(tracked.uri)
