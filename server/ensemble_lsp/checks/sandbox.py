"""Running a command that cannot reach the network, write outside its copy, read secrets, or outlive its job.

What confines it is tried, not assumed (`detect`): bubblewrap; else namespaces of our own together with
Landlock; else Landlock with a filter on system calls; on macOS sandbox-exec. Where none of these works,
`Sandbox("none")` keeps the limits and the ending of the process tree, but confines nothing: the caller must
have consent.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ensemble_lsp.checks import bubblewrap, seatbelt
from ensemble_lsp.checks.confine.specification import Specification, Status
from ensemble_lsp.checks.environment import own_interpreter_paths, package_root

if TYPE_CHECKING:
    from ensemble_lsp.checks.confine.specification import Method

LABELS: "Mapping[Method, str]" = {
    "bubblewrap": "bubblewrap",
    "namespaces": "landlock",
    "landlock": "landlock",
    "seatbelt": "sandbox-exec",
    "none": "none (consented)",
}
_END_WITHIN = 8.0
"""Seconds in which a run that is no longer wanted has ended; the launcher itself takes five at most."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run. `processes` and `memory_bytes` are for all its processes together."""

    seconds: float = 60.0
    output_bytes: int = 4_000_000
    processes: int = 256
    memory_bytes: int = 4 << 30
    file_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Shown:
    """One folder or file that the command can read, and at which path it sees it.

    Only bubblewrap and namespaces can show it elsewhere than where it is (`Sandbox.moves_paths`).
    """

    source: Path
    target: Path
    writable: bool = False

    @classmethod
    def in_place(cls, path: Path, *, writable: bool = False) -> "Shown":
        """Show a path where it is."""
        return cls(path, path, writable)


@dataclass(frozen=True, slots=True)
class Completed:
    """How a run ended, and what it printed, whole up to the limit."""

    code: int | None
    """Exit code, negative for a signal, None when it was ended or never ran."""
    stdout: bytes
    stderr: bytes
    seconds: float
    ended: Literal["", "time", "output", "processes", "memory"] = ""
    """The limit that ended it."""
    failed: str = ""
    """Why it never ran: "not found: NAME", or what could not be confined."""

    @property
    def output(self) -> str:
        """Both streams as text, standard output first."""
        return (self.stdout + self.stderr).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A way of confining commands; see `detection.detect` for the one that works here."""

    method: "Method"
    program: str = ""
    """bubblewrap's or sandbox-exec's path."""

    @property
    def enforced(self) -> bool:
        """Whether the system holds a command to its bounds."""
        return self.method != "none"

    @property
    def label(self) -> str:
        """How evidence names it."""
        return LABELS[self.method]

    @property
    def moves_paths(self) -> bool:
        """Whether a folder can be shown at another path than its own."""
        return self.method in {"bubblewrap", "namespaces"}

    async def run(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        environment: Mapping[str, str],
        shown: Sequence[Shown],
        staging: Path,
        limits: Limits,
        merge_output: bool = False,
        inherited: Sequence[socket.socket] = (),
        on_output: Callable[[bytes], None] | None = None,
    ) -> Completed:
        """Run `argv` and return how it ended; never raises for what the command does.

        `directory` is a path as the command sees it; `staging` an empty folder of this run alone. The command
        holds `inherited` under the same numbers; they are closed here. `on_output` hears what is printed as it
        comes. When the awaiting task is cancelled the whole process tree is gone before `CancelledError` goes on.
        """
        status_in, status_out = os.pipe()
        specification = Specification(
            method=self.method,
            argv=list(argv),
            environment=dict(environment),
            directory=str(directory),
            shown=[(str(item.source), str(item.target), item.writable) for item in _parents_first(shown)],
            staging=str(staging),
            status=status_out,
            parent=os.getpid(),
            processes=limits.processes,
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.file_bytes,
        )
        started = time.monotonic()
        try:
            process = await asyncio.create_subprocess_exec(
                *self._wrapped(specification),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if merge_output else asyncio.subprocess.PIPE,
                pass_fds=(status_out, *(item.fileno() for item in inherited)),
                start_new_session=True,
                env=_launcher_environment(),
                cwd="/",
            )
        except BaseException:
            os.close(status_in)
            raise
        finally:
            os.close(status_out)
            for item in inherited:
                item.close()
        run = _Run(process, status_in, limits, gentle=not self.moves_paths, on_output=on_output)
        return await run.finish(specification.encode(), started)

    def _wrapped(self, specification: Specification) -> list[str]:
        root = bubblewrap.PACKAGE_ROOT if self.method == "bubblewrap" else str(package_root())
        bootstrap = (
            f"import sys; sys.path.insert(0, {root!r}); "
            "from ensemble_lsp.checks.confine.launcher import main; main()"
        )
        launcher = [sys.executable, "-I", "-S", "-c", bootstrap]
        own = [str(path) for path in own_interpreter_paths()]
        package = str(package_root() / "ensemble_lsp")
        if self.method == "bubblewrap":
            return [self.program, *bubblewrap.arguments(specification, own, package), "--", *launcher]
        if self.method == "seatbelt":
            return [self.program, "-p", seatbelt.profile(specification, [*own, package]), *launcher]
        return launcher


def _parents_first(shown: Sequence[Shown]) -> list[Shown]:
    """Order by depth of the target; of two with the same target the later one counts."""
    by_target = {item.target: item for item in shown if item.source.exists()}
    return sorted(by_target.values(), key=lambda item: len(item.target.parts))


def _launcher_environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return kept | {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


class _Run:
    """One launcher process from its start to the end of everything below it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        status: int,
        limits: Limits,
        *,
        gentle: bool,
        on_output: Callable[[bytes], None] | None,
    ) -> None:
        self._process = process
        self._status = status
        self._limits = limits
        self._gentle = gentle
        self._on_output = on_output
        self._printed = 0
        self._too_much = asyncio.Event()

    async def finish(self, specification: bytes, started: float) -> Completed:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(self._status, "rb", buffering=0)
        )
        out = loop.create_task(self._drain(self._process.stdout))
        err = loop.create_task(self._drain(self._process.stderr))
        status = loop.create_task(reader.read())
        ended: Literal["", "time", "output"] = ""
        try:
            await self._tell(specification)
            overflow = loop.create_task(self._too_much.wait())
            try:
                await asyncio.wait(
                    {status, overflow},
                    timeout=max(0.0, self._limits.seconds),
                    return_when=asyncio.FIRST_COMPLETED,
                )
                if not status.done():
                    ended = "output" if overflow.done() else "time"
            finally:
                overflow.cancel()
            if ended:
                await self._end(status, out, err)
            said = Status.decode(await status)
            stdout, stderr = await asyncio.gather(out, err)
            await self._process.wait()
        except BaseException:
            await self._end(status, out, err)
            raise
        finally:
            for task in (out, err, status):
                task.cancel()
            transport.close()
        seconds = time.monotonic() - started
        if ended:
            return Completed(None, stdout, stderr, seconds, ended)
        stopped = said.stopped
        if stopped == "processes" or stopped == "memory":  # noqa: PLR1714 - a set would not narrow the type
            return Completed(None, stdout, stderr, seconds, stopped)
        return Completed(said.code, stdout, stderr, seconds, failed=said.failed)

    async def _tell(self, specification: bytes) -> None:
        stdin = self._process.stdin
        if stdin is None:
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it died: the status says how
            stdin.write(specification)
            await stdin.drain()
        stdin.close()

    async def _drain(self, stream: asyncio.StreamReader | None) -> bytes:
        parts: list[bytes] = []
        while stream is not None and (part := await stream.read(65536)):
            room = self._limits.output_bytes - self._printed
            self._printed += len(part)
            if room > 0:
                parts.append(part[:room])
            if self._on_output is not None:
                self._on_output(part)
            if self._printed > self._limits.output_bytes:
                self._too_much.set()
        return b"".join(parts)

    async def _end(self, status: asyncio.Task[bytes], *streams: asyncio.Task[bytes]) -> None:
        """End the whole tree; the status pipe closes when its last process is gone, and so do the streams."""
        self._signal(signal.SIGTERM if self._gentle else signal.SIGKILL)
        done, _ = await asyncio.wait({status}, timeout=_END_WITHIN)
        if not done or self._process.returncode is None:
            self._signal(signal.SIGKILL)
        await self._process.wait()
        await asyncio.wait(streams, timeout=_END_WITHIN)

    def _signal(self, number: int) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                if number == signal.SIGKILL:
                    os.killpg(self._process.pid, number)
                else:
                    self._process.send_signal(number)
