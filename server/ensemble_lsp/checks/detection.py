"""Which sandbox works on this machine: tried once a process, by code that tries to break out."""

import asyncio
import shutil
import socket
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ensemble_lsp.checks import bubblewrap, seatbelt
from ensemble_lsp.checks.confine import landlock
from ensemble_lsp.checks.environment import allowed_environment, own_interpreter_paths
from ensemble_lsp.checks.sandbox import Limits, Sandbox, Shown

_ESCAPES = """
import os, sys
outside, port = sys.argv[1], int(sys.argv[2])
try:
    with open("inside", "w") as file:
        file.write("x")
except OSError as error:
    sys.exit(f"cannot write its own folder: {error}")
try:
    with open(outside, "w") as file:
        file.write("x")
    sys.exit("files outside its folder can be written")
except OSError:
    pass
try:
    import _socket
    _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM).connect(("127.0.0.1", port))
    sys.exit("the network can be reached")
except OSError:
    pass
print("confined")
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of trying one method; `problem` is empty where it works."""

    method: str
    problem: str


@dataclass(frozen=True, slots=True)
class SandboxDescription:
    """What `ensemble-lsp doctor` says of the sandbox."""

    label: str
    enforced: bool
    detail: tuple[str, ...]
    """Lines for a person: what confines, what it covers, and why better ones are not used."""


class _Cache:
    """The one result of this process; filled by the first who asks."""

    found: tuple[Sandbox, tuple[Attempt, ...]] | None = None


async def detect() -> Sandbox:
    """Return the strongest sandbox that holds here, or `Sandbox("none")`; tried once and remembered."""
    return (await _tried())[0]


async def describe_sandbox() -> SandboxDescription:
    """Say in words what confines the code that checks run."""
    sandbox, attempts = await _tried()
    lines = [_COVERS[sandbox.method]]
    if sys.platform == "linux":
        version = landlock.abi()
        lines.append(f"Landlock: {f'version {version}' if version else 'not offered by the kernel'}")
    lines += [f"{attempt.method}: {attempt.problem}" for attempt in attempts if attempt.problem]
    return SandboxDescription(sandbox.label if sandbox.enforced else "none", sandbox.enforced, tuple(lines))


_COVERS = {
    "bubblewrap": "bubblewrap: own file system view, processes and network; reads only what is shown",
    "namespaces": "namespaces and Landlock: own file system view, processes and network; reads only what is shown",
    "landlock": (
        "Landlock and a filter on system calls: no sockets at all (tests that serve on loopback fail), "
        "reads and writes only what is shown, changes of file modes and times are ignored"
    ),
    "seatbelt": "sandbox-exec: no network, writes only what is shown, home folders hidden",
    "none": "nothing confines checks here: code that a model wrote runs only after consent",
}


async def _tried() -> tuple[Sandbox, tuple[Attempt, ...]]:
    if _Cache.found is None:
        attempts: list[Attempt] = []
        chosen = Sandbox("none")
        for candidate in _candidates(attempts):
            problem = await try_out(candidate)
            attempts.append(Attempt(candidate.method, problem))
            if not problem:
                chosen = candidate
                break
        _Cache.found = (chosen, tuple(attempts))
    return _Cache.found


def _candidates(attempts: list[Attempt]) -> Iterator[Sandbox]:
    if sys.platform == "linux":
        program = bubblewrap.find()
        if program:
            yield Sandbox("bubblewrap", program)
        else:
            attempts.append(Attempt("bubblewrap", "not installed"))
        yield Sandbox("namespaces")
        yield Sandbox("landlock")
    elif sys.platform == "darwin":
        program = seatbelt.find()
        if program:
            yield Sandbox("seatbelt", program)


async def try_out(sandbox: Sandbox) -> str:
    """Return why `sandbox` does not hold here, or the empty string when it does."""
    folder = await asyncio.to_thread(_new_folder)
    try:
        with _listener() as port:
            return await _escape_problem(sandbox, folder, port)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def _new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="ensemble-probe-")).resolve()


async def _escape_problem(sandbox: Sandbox, folder: Path, port: int) -> str:
    inside, staging, outside = folder / "inside", folder / "root", folder / "outside"
    inside.mkdir()
    staging.mkdir()
    outside.write_text("", encoding="utf-8")
    completed = await sandbox.run(
        [sys.executable, "-I", "-S", "-c", _ESCAPES, str(outside), str(port)],
        directory=inside,
        environment=allowed_environment(home=str(inside), temporary=str(inside)),
        shown=[Shown.in_place(inside, writable=True), *map(Shown.in_place, own_interpreter_paths())],
        staging=staging,
        limits=replace(Limits(), seconds=20.0),
    )
    if completed.failed:
        return completed.failed
    if completed.stdout.strip() != b"confined" or outside.stat().st_size:
        last = completed.output.strip().splitlines()[-1:] or [f"exit code {completed.code}"]
        return last[0][:200]
    return ""


@contextmanager
def _listener() -> Generator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield int(server.getsockname()[1])
