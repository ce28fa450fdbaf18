"""One pytest that has started inside the sandbox and waits; every run of its tests is a fork of it.

A run is believed only when the server answers that the fork ended by itself. Whatever else happens ends the server.
When time is up the run has ended so; with too much output, too many processes, or a server that is gone, it counts
as not made.
"""

import asyncio
import contextlib
import json
import os
import secrets
import socket
import time
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

from ensemble_lsp.checks.copying import remove
from ensemble_lsp.checks.results_file import read_results_file
from ensemble_lsp.checks.sandbox import Completed, Limits, Sandbox, Shown

T = TypeVar("T")

PLUGIN = "ensemble_fork_server"
_START_WITHIN = 30.0
"""Seconds in which pytest has started; ordinary runs are not waited for longer than their limit either."""
_LIVES = 24 * 3600.0
"""Seconds after which a server ends, should its owner forget it."""
_MOST_SAID = 1 << 20
_MOST_PRINTED_BEFORE = 1 << 16


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where and how a server runs: the arguments of `Sandbox.run`. `place` holds its `home`, `tmp` and `root`."""

    argv: Sequence[str]
    directory: Path
    environment: Mapping[str, str]
    shown: Sequence[Shown]
    place: Path


class ForkServer:
    """One server; not for two runs at once. `start` makes it, `close` ends it and all that it started."""

    def __init__(
        self, orders: socket.socket, running: "asyncio.Task[Completed]", around: Surroundings
    ) -> None:
        self._orders = orders
        self._running = running
        self._around = around
        self._before = b""
        self.loaded: frozenset[str] = frozenset()
        """Files of the copy that every run has as they were when the server started."""

    @classmethod
    async def start(
        cls, sandbox: Sandbox, around: Surroundings, limits: Limits | None = None
    ) -> "ForkServer | None":
        """Start pytest and wait until it can fork; None where it ends, is not alone, or takes too long.

        `limits` hold for the server and its runs together, but for the time, which each run has its own of.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        mark = f"\n{secrets.token_hex(16)}\n"
        printed = _Printed(mark.encode())
        environment = {
            **around.environment,
            "ENSEMBLE_ORDERS": f"{theirs.fileno()}:{mark}",
            "PYTEST_PLUGINS": f"{PLUGIN},{around.environment['PYTEST_PLUGINS']}",
        }
        running = asyncio.ensure_future(
            sandbox.run(
                around.argv,
                directory=around.directory,
                environment=environment,
                shown=around.shown,
                staging=around.place / "root",
                limits=replace(limits or Limits(), seconds=_LIVES),
                merge_output=True,
                inherited=(theirs,),
                on_output=printed.take,
            )
        )
        server = cls(ours, running, around)
        try:
            async with asyncio.timeout(_START_WITHIN):
                said = await server._said()
                loaded = said.get("loaded")
                if isinstance(loaded, list):
                    await server._unless_ended(printed.whole())
                    server.loaded = frozenset(str(path) for path in cast("list[object]", loaded))
                    server._before = printed.text
                    return server
        except (TimeoutError, _EndedError):
            pass
        except BaseException:
            await server.close()
            raise
        await server.close()
        return None

    @property
    def ended(self) -> bool:
        """Whether there will be no further run."""
        return self._running.done()

    async def run(self, arguments: Sequence[str], limits: Limits) -> tuple[Completed, str] | None:
        """Run the tests with `arguments` before the others; return how it ended and the text of its results file.

        None: the run counts as not made, and the server has ended, as it has when time was up. `limits.seconds` and
        `limits.output_bytes` hold for the run. When the awaiting task is cancelled, everything is gone before
        `CancelledError` goes on.
        """
        started = time.monotonic()
        code: int | None = None
        output = bytearray(self._before)
        limit = asyncio.timeout(limits.seconds)
        try:
            async with limit:
                code = await self._forked(arguments, limits.output_bytes, output)
        except (TimeoutError, _EndedError, OSError):
            await self.close()
            # Time is up in a fork as it would be in a process of its own: waiting once more would tell nothing else.
            if not limit.expired():
                return None
        except BaseException:
            await self.close()
            raise
        seconds = time.monotonic() - started
        results = await asyncio.to_thread(self._taken)
        return Completed(code, bytes(output), b"", seconds, "" if code is not None else "time"), results

    async def _forked(self, arguments: Sequence[str], most: int, output: bytearray) -> int:
        reading, writing = os.pipe()
        try:
            socket.send_fds(self._orders, [json.dumps({"arguments": list(arguments)}).encode()], [writing])
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", buffering=0)
        )
        try:
            await self._unless_ended(_all_of(reader, most, output))
            said = await self._said()
        finally:
            transport.close()
        code = said.get("code")
        if not isinstance(code, int):
            raise _EndedError
        return code

    async def _said(self) -> dict[str, object]:
        loop = asyncio.get_running_loop()
        data = await self._unless_ended(loop.sock_recv(self._orders, _MOST_SAID))
        try:
            said = cast("object", json.loads(data))
        except ValueError:
            raise _EndedError from None
        return cast("dict[str, object]", said) if isinstance(said, dict) else {}

    async def _unless_ended(self, waiting: Awaitable[T]) -> T:
        """Wait, at most as long as the server is there; raises `_EndedError`."""
        task = asyncio.ensure_future(waiting)
        try:
            await asyncio.wait({task, self._running}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise _EndedError
            return task.result()
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({task})

    def _taken(self) -> str:
        """Read the results file, and leave the run's folders as empty as the first run found them."""
        results = read_results_file(self._around.place / "home" / ".results")
        shown = {(item.source, item.target) for item in self._around.shown}
        for folder in ("home", "tmp"):
            place = self._around.place / folder
            seen = next((target for source, target in shown if source == place), place)
            _clear(place, {place / target.relative_to(seen) for _, target in shown if seen in target.parents})
        return results

    async def close(self) -> None:
        """End the server and everything that it started."""
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self._orders.close()


class _EndedError(Exception):
    """The server is gone, or has said what no server says."""


class _Printed:
    """What pytest prints before it can fork, up to a mark."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._there = asyncio.Event()
        self.text = b""

    def take(self, part: bytes) -> None:
        """Take a part in."""
        if self._there.is_set() or len(self.text) > _MOST_PRINTED_BEFORE:
            return
        self.text += part
        if self._mark in self.text:
            self.text = self.text.partition(self._mark)[0]
            self._there.set()

    async def whole(self) -> None:
        """Wait for the mark."""
        await self._there.wait()


def _clear(folder: Path, kept: Collection[Path]) -> None:
    """Remove what is in a folder, but for the places at which something is shown, and the folders above these."""
    for entry in list(folder.iterdir()):
        above = any(entry in place.parents for place in kept)
        if above and not entry.is_symlink() and entry.is_dir():
            _clear(entry, kept)
        elif entry not in kept:
            remove(str(entry))


async def _all_of(reader: asyncio.StreamReader, most: int, output: bytearray) -> None:
    length = 0
    while part := await reader.read(65536):
        output += part
        length += len(part)
        if length > most:
            raise _EndedError
