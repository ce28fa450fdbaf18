"""The embedded model: a small real model on this CPU, started when first asked and shared by members."""

import asyncio
import importlib.util
import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ensemble_lsp.core.errors import ModelUnavailable, WeightsUnavailable
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.models.embedded_process import SERVER, EmbeddedProcess, start_process
from ensemble_lsp.models.gguf import GgufHeader, read_header
from ensemble_lsp.models.http_library import httpx
from ensemble_lsp.models.known_weights import KNOWN_WEIGHTS
from ensemble_lsp.models.weights import Consent, Progress, Say, ensure_weights, own_weights, weights_present
from ensemble_lsp.settings import EmbeddedTable

_SLOTS: Final = 4
_CONTEXTS: Final = (8192, 4096)
"""Tokens per slot, the first that fits; a prompt of 8,192 tokens takes a small model minutes on a CPU."""
_LEAST_SLOTS: Final = 1
_ROOM_FOR_OTHERS: Final = 512 << 20
"""Memory left to the editor and the rest, beyond the model and its context."""
_COMPUTE_BUFFERS: Final = 400 << 20
"""What llama.cpp takes besides weights and context; 0.2–0.4 GB seen with the known models."""
_MOST_THREADS: Final = 8
"""Small models stop gaining about here, and an editor is running beside."""
_MOST_STARTS: Final = 3
_STARTS_WINDOW_SECONDS: Final = 60.0
_SPEED_PROMPT: Final = "def area(width: float, height: float) -> float:\n    return width * height\n" * 4
_SPEED_TOKENS: Final = 16


class ServerPlan(Frozen):
    """How a model is run here: slots answer at once, each with `context` tokens."""

    slots: int
    context: int
    threads: int


class Speed(Frozen):
    """Measured tokens per second of one answer with nothing else running."""

    prompt: float
    generated: float


def available_memory() -> int:
    """Return the bytes a new process may take without pushing others out; half of all where unknown."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2


def usable_threads() -> int:
    """Return how many threads the model gets: all of few cores, at most eight of many."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, _MOST_THREADS))


def plan_server(header: GgufHeader, file_size: int, memory: int, *, threads: int) -> ServerPlan:
    """Choose slots and context that fit `memory` bytes; raises `WeightsUnavailable` when nothing does."""
    room = memory - file_size - _COMPUTE_BUFFERS - _ROOM_FOR_OTHERS
    slots = _SLOTS
    while slots >= _LEAST_SLOTS:
        for wanted in _CONTEXTS:
            context = min(wanted, header.context_tokens or wanted)
            if slots * context * header.cache_bytes_per_token <= room:
                return ServerPlan(slots=slots, context=context, threads=threads)
        slots //= 2
    raise WeightsUnavailable(
        f"the embedded model {header.name or header.architecture} needs about "
        f"{(memory - room) / 1e9:.1f} GB of memory and {memory / 1e9:.1f} GB are available",
        hint='Set `embedded.model = "qwen2.5-coder-0.5b"`, end other programs, or set a provider\'s key.',
    )


@dataclass(slots=True)
class _Seat:
    """One model's process and what is known of it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    process: EmbeddedProcess | None = None
    plan: ServerPlan | None = None
    speed: Speed | None = None
    starts: list[float] = field(default_factory=list)
    last_used: float = 0.0


class EmbeddedModels:
    """Starts, shares and ends the processes that hold embedded models. One an engine; use in one event loop.

    NAME in "embedded/NAME" is a name of `KNOWN_WEIGHTS`; with `embedded.path` set, that file answers for
    `embedded.model` and for every name that is not known. A process is started on the first request,
    started anew when it has died, and ended after `idle_seconds` without a request.
    """

    def __init__(
        self,
        settings: EmbeddedTable,
        *,
        consent: Consent | None = None,
        progress: Progress | None = None,
        say: Say | None = None,
        idle_seconds: float = 900.0,
        server: Sequence[str] = SERVER,
    ) -> None:
        self._settings = settings
        self._consent = consent
        self._progress = progress
        self._say = say
        self._idle_seconds = idle_seconds
        self._server = server
        self._seats: dict[str, _Seat] = {}
        self._sweeper: asyncio.Task[None] | None = None

    @staticmethod
    def available() -> bool:
        """Say whether the extra that runs models is installed; imports nothing."""
        return importlib.util.find_spec("xllamacpp") is not None

    def ready(self, model: str) -> bool:
        """Say whether the model could answer without a download."""
        if not self.available():
            return False
        return self._own_path(model) is not None or weights_present(model)

    async def base_url(self, model: str) -> str:
        """Return the model's OpenAI-compatible base URL, starting its process when none runs.

        Raises `WeightsUnavailable` (extra or file absent, too little memory) or `ModelUnavailable` (it dies
        again and again). Requests must carry `api_key(model)` as their bearer token.
        """
        seat = self._seat(model)
        async with seat.lock:
            seat.last_used = time.monotonic()
            if seat.process is None or not seat.process.alive:
                await self._start(model, seat)
            assert seat.process is not None  # noqa: S101  (started above)
            return f"{seat.process.address}/v1"

    def api_key(self, model: str) -> str:
        """Return the key that the model's server asks for: random, new for each engine, never stored."""
        return self._seat(model).key

    def process_id(self, model: str) -> int | None:
        """Return the id of the model's process while it runs."""
        process = self._seat(model).process
        return process.pid if process is not None and process.alive else None

    async def plan(self, model: str) -> ServerPlan:
        """Return how the model is or would be run here; fetches the file as `base_url` does."""
        seat = self._seat(model)
        if seat.plan is None:
            async with seat.lock:
                seat.plan = await asyncio.to_thread(_plan_for, await self._file(model))
        return seat.plan

    async def speed(self, model: str) -> Speed:
        """Return the measured speed of the model here, for deadlines; measured once, which takes seconds."""
        seat = self._seat(model)
        base = await self.base_url(model)
        async with seat.lock:
            if seat.speed is None:
                seat.speed = await _measure(base, seat.key)
            return seat.speed

    async def stop(self) -> None:
        """End every process. The next request starts one again."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            await asyncio.gather(self._sweeper, return_exceptions=True)
            self._sweeper = None
        for seat in self._seats.values():
            async with seat.lock:
                await _end(seat)

    def _seat(self, model: str) -> _Seat:
        return self._seats.setdefault(model, _Seat())

    def _own_path(self, model: str) -> Path | None:
        own = self._settings.path
        return own if own and (model == self._settings.model or model not in KNOWN_WEIGHTS) else None

    async def _file(self, model: str) -> Path:
        if not self.available():
            raise WeightsUnavailable(
                "the embedded model needs an extra that is not installed",
                hint='Install it: pip install "ensemble-lsp[embedded]"; or set a provider\'s key, '
                "for instance OPENAI_API_KEY.",
            )
        own = self._own_path(model)
        if own is not None:
            return await asyncio.to_thread(own_weights, own)
        return await ensure_weights(
            model,
            mirror=self._settings.mirror,
            consent=self._consent,
            progress=self._progress,
            say=self._say,
        )

    async def _start(self, model: str, seat: _Seat) -> None:
        last_words = await _end(seat)
        now = time.monotonic()
        seat.starts = [start for start in seat.starts if now - start < _STARTS_WINDOW_SECONDS]
        if len(seat.starts) >= _MOST_STARTS:
            raise ModelUnavailable(
                f"the embedded model {model} died {_MOST_STARTS} times within a minute ({last_words})",
                hint="A machine short of memory does this: try `embedded.model` = qwen2.5-coder-0.5b.",
            )
        file = await self._file(model)
        seat.plan = await asyncio.to_thread(_plan_for, file)
        seat.starts.append(now)
        seat.process = await start_process(
            file,
            key=seat.key,
            slots=seat.plan.slots,
            context=seat.plan.context,
            threads=seat.plan.threads,
            server=self._server,
        )
        seat.last_used = time.monotonic()
        if self._sweeper is None or self._sweeper.done():
            self._sweeper = asyncio.create_task(self._end_idle_ones())

    async def _end_idle_ones(self) -> None:
        while any(seat.process is not None for seat in self._seats.values()):  # ends with the last process
            used = [seat.last_used for seat in self._seats.values() if seat.process is not None]
            await asyncio.sleep(max(0.05, min(used) + self._idle_seconds - time.monotonic()))
            for seat in self._seats.values():
                async with seat.lock:
                    if seat.process and time.monotonic() - seat.last_used >= self._idle_seconds:
                        await _end(seat)


def _plan_for(file: Path) -> ServerPlan:
    size = file.stat().st_size
    return plan_server(read_header(file), size, available_memory(), threads=usable_threads())


async def _end(seat: _Seat) -> str:
    """End the seat's process if it has one; return the last thing the process said."""
    process, seat.process = seat.process, None
    return await process.stop() if process is not None else ""


async def _measure(base: str, key: str) -> Speed:
    async with httpx.AsyncClient(timeout=120.0, trust_env=False) as client:
        try:
            answer = await client.post(
                f"{base}/chat/completions",
                headers={"Authorization": f"Bearer {key}"},
                json={
                    "messages": [{"role": "user", "content": _SPEED_PROMPT}],
                    "max_tokens": _SPEED_TOKENS,
                    "temperature": 0,
                    "ignore_eos": True,
                    "cache_prompt": False,
                },
            )
            answer.raise_for_status()
            timings = answer.json()["timings"]
            return Speed(
                prompt=float(timings["prompt_per_second"]), generated=float(timings["predicted_per_second"])
            )
        except (httpx.HTTPError, KeyError, ValueError) as problem:
            raise ModelUnavailable(f"the embedded model failed on a trial prompt: {problem}") from problem
