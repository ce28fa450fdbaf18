"""What a job waits for before it goes to the engine: the settings of its folder, and the editor's context."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from ensemble_lsp.engine.messages import JobStart

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer


class JobPreparation:
    """Completes a job's start. Both waits are bounded, and run side by side."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server

    async def completed(self, start: JobStart) -> JobStart:
        """Return the start with settings and what the editor's other servers told.

        Its documents stay those of the moment when the person asked.
        """
        _, told = await asyncio.gather(
            self._server.configuration.settled(), self._server.context_requests.ask(start)
        )
        settings = self._server.configuration.settings_for(Path(start.workspace))
        return start.model_copy(update={"settings": settings, "editor": told})
