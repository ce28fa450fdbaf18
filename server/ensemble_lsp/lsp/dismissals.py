"""Dismissing a finding from the editor, and taking that back."""

from pathlib import Path
from typing import TYPE_CHECKING

from ensemble_lsp.core.errors import EnsembleError, UnknownItem
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
        """Return what was dismissed in all folders; raises `UsageError` where none is open."""
        lists = [await self._listed_in(root) for root in self._roots()]
        return DismissalList(
            dismissals=tuple(item for each in lists for item in each.dismissals),
            warnings=tuple(warning for each in lists for warning in each.warnings),
        )

    async def restore(self, ident: str) -> DismissalList:
        """Take a dismissal back, of whatever folder; one of this session is shown again at once.

        Raises `UnknownItem` for what names none, or several.
        """
        found = {
            (root, item.id)
            for root in self._roots()
            for item in (await self._listed_in(root)).dismissals
            if item.id.startswith(ident)
        }
        if len(found) != 1:
            which = "several dismissed findings begin with" if found else "no dismissed finding"
            raise UnknownItem(f"{which} {ident!r}", field="id")
        ((root, whole),) = found
        restored = await self._server.engine.restore(
            DismissalRef(workspace=str(root), trusted=self._server.is_trusted(root), id=whole)
        )
        for item in restored.dismissals:
            self._show_again(self._dismissed.pop((item.path, item.fingerprint), ()))
        return restored

    async def _listed_in(self, root: Path) -> DismissalList:
        trusted = self._server.is_trusted(root)
        return await self._server.engine.dismissals(DismissalQuery(workspace=str(root), trusted=trusted))

    def _roots(self) -> tuple[Path, ...]:
        """Return the workspace folders, and the folders of lone files in which something was dismissed."""
        lone = [items[0].review.root for items in self._dismissed.values()]
        roots = dict.fromkeys((*self._server.folders.roots().values(), *(each for each in lone if each)))
        return tuple(roots) or (self._server.folders.first(),)

    def _show_again(self, removed: tuple[TrackedFinding, ...]) -> None:
        for tracked in removed:
            document = self._server.diagnostics.document(tracked.uri)
            if self._server.findings.put_back(tracked, document):
                self._server.diagnostics.publish(tracked.uri)
