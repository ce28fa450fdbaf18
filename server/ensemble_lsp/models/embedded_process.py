"""Starting, watching and ending one embedded model's process from the engine's side."""

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ensemble_lsp.core.errors import ModelUnavailable, WeightsUnavailable
from ensemble_lsp.models.embedded_protocol import KEY_VARIABLE, LOAD_FAILED, NOT_INSTALLED

SERVER: Final = (sys.executable, "-P", "-m", "ensemble_lsp.models.embedded_server")
"""The command that holds a model; the model's file and the plan are appended."""
_LOAD_SECONDS: Final = 180.0
"""A gigabyte from a slow disk; 2 s from a warm one."""
_STOP_SECONDS: Final = 5.0
_LINES_KEPT: Final = 40

_PASSED_ON: Final = (
    *("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT"),
    *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
"""The process needs no provider's key, so it gets none."""

_SPIN_COUNT: Final = "10000"
"""For GOMP_SPINCOUNT: without a limit the threads spin while they wait, and a small model gets ten times
slower when another process is busy; OMP_WAIT_POLICY=PASSIVE costs up to 60% when nothing is (measured)."""


@dataclass(slots=True)
class EmbeddedProcess:
    """A running model; `address` is `http://127.0.0.1:PORT`."""

    address: str
    load_seconds: float
    _child: asyncio.subprocess.Process
    _listener: asyncio.Task[None]
    _lines: deque[str]

    @property
    def alive(self) -> bool:
        """Whether the process has not ended yet."""
        return self._child.returncode is None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._child.pid

    async def stop(self) -> str:
        """End the process, by force if it does not go; return the last line it wrote."""
        await _end(self._child)
        await asyncio.gather(self._listener, return_exceptions=True)
        return self._lines[-1] if self._lines else "it said nothing"


async def start_process(
    model: Path, *, key: str, slots: int, context: int, threads: int, server: Sequence[str] = SERVER
) -> EmbeddedProcess:
    """Start the process and return when it can answer.

    Raises `WeightsUnavailable` when the file does not load, `ModelUnavailable` when the process does not
    come up. Cancelling ends the process.
    """
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment |= {KEY_VARIABLE: key, "GOMP_SPINCOUNT": _SPIN_COUNT, "PYTHONUNBUFFERED": "1"}
    child = await asyncio.create_subprocess_exec(
        *(*server, "--model", str(model)),
        *("--slots", str(slots), "--context", str(context), "--threads", str(threads)),
        cwd=model.parent,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C in the terminal is for us; we close the child's input
    )
    lines: deque[str] = deque(maxlen=_LINES_KEPT)
    listener = asyncio.create_task(_listen(child, lines))
    try:
        assert child.stdout is not None  # noqa: S101  (asked for above)
        async with asyncio.timeout(_LOAD_SECONDS):
            announcement = await child.stdout.readline()
    except TimeoutError as problem:
        await _end(child)
        raise ModelUnavailable(
            f"the embedded model {model.name} was not loaded within {_LOAD_SECONDS:.0f} s",
            hint="A smaller model loads faster: `embedded.model` = qwen2.5-coder-0.5b.",
        ) from problem
    except BaseException:  # cancelled while loading, too: the process must not stay behind
        await _end(child)
        raise
    if not announcement:
        await child.wait()
        await listener
        raise _did_not_start(child.returncode, model, lines)
    ready = json.loads(announcement)
    return EmbeddedProcess(str(ready["address"]), float(ready["loadSeconds"]), child, listener, lines)


def _did_not_start(code: int | None, model: Path, lines: deque[str]) -> ModelUnavailable | WeightsUnavailable:
    words = lines[-1] if lines else "it said nothing"
    if code == NOT_INSTALLED:
        return WeightsUnavailable(
            "the embedded model's engine is not installed",
            hint='Install it: pip install "ensemble-lsp[embedded]".',
        )
    if code == LOAD_FAILED:
        return WeightsUnavailable(
            f"the model file {model} did not load: {words}",
            hint="Set `embedded.path` to a GGUF file that llama.cpp can run.",
        )
    return ModelUnavailable(f"the embedded model's process ended at once (exit {code}): {words}")


async def _listen(child: asyncio.subprocess.Process, lines: deque[str]) -> None:
    assert child.stderr is not None  # noqa: S101  (asked for above)
    while chunk := await child.stderr.read(4096):  # ends with the process; never blocks it on a full pipe
        lines.extend(line for line in chunk.decode("utf-8", "replace").splitlines() if line.strip())


async def _end(child: asyncio.subprocess.Process) -> None:
    if child.stdin is not None:
        child.stdin.close()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await child.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
