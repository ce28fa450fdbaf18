"""Who may call a local server now: few at once, and those whose model is loaded first.

A server such as Ollama holds one or two models; calls that alternate between models make it load one for
each call. So calls for the loaded model go first, until others have waited long enough.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

OLLAMA_AT_ONCE = 2
"""Ollama serves few requests of a model in parallel and queues the rest itself."""
SERVER_AT_ONCE = 16
"""Servers of OpenAI's API queue by themselves, and vLLM or a proxy on loopback serves a whole debate at once."""
OVERTAKES = 4
"""How many calls for the loaded model may go before one that waits for another model."""


@dataclass(slots=True)
class _Waiting:
    model: str
    turn: asyncio.Future[None]
    overtaken: int = 0


@dataclass(slots=True)
class _Server:
    at_once: int
    one_model: bool
    loaded: str = ""
    running: int = 0
    waiting: deque[_Waiting] = field(default_factory=deque[_Waiting])

    def admit(self) -> None:
        """Start whoever may start now."""
        while self.waiting and (chosen := self._next()) is not None:
            self.waiting.remove(chosen)
            if chosen.turn.done():
                continue
            self.running += 1
            self.loaded = chosen.model
            chosen.turn.set_result(None)

    def _next(self) -> _Waiting | None:
        if self.running >= self.at_once:
            return None
        first = self.waiting[0]
        if not self.one_model or (self.running == 0 and first.overtaken >= OVERTAKES):
            return first
        same = next((other for other in self.waiting if other.model == self.loaded), None)
        if same is None:
            return first if self.running == 0 else None
        if same is not first:
            if first.overtaken >= OVERTAKES:
                return None  # let the loaded model's calls end, then it is the first one's turn
            first.overtaken += 1
        return same


class LocalQueue:
    """The queues of all local servers, by API base. One event loop owns it."""

    def __init__(self) -> None:
        self._servers: dict[str, _Server] = {}

    @asynccontextmanager
    async def turn(self, base: str, model: str, *, one_model: bool) -> AsyncGenerator[None]:
        """Hold a place at the server while the context is open; waits until there is one."""
        server = self._servers.setdefault(
            base, _Server(OLLAMA_AT_ONCE if one_model else SERVER_AT_ONCE, one_model)
        )
        waiting = _Waiting(model, asyncio.get_running_loop().create_future())
        server.waiting.append(waiting)
        server.admit()
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting in server.waiting:
                server.waiting.remove(waiting)
            elif not waiting.turn.cancelled():
                server.running -= 1
            server.admit()
            raise
        try:
            yield
        finally:
            server.running -= 1
            server.admit()
