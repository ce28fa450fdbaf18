"""Which runs of pytest are made as forks of one that has started, and the servers that a job keeps for them.

A fork does what a new process does, without its start: it reads conftests and tests anew, and has a session, a home and
outputs of its own. It is made where the server has processes of its own around it (so that nothing of a run outlives
it) and nothing stands otherwise than when pytest started: the same command, no file made or deleted, no settings
changed, none of the files that pytest itself had imported. Everything else runs in a process of its own.
"""

import asyncio
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.checks.bytecode import compile_pytest
from ensemble_lsp.checks.copying import remove
from ensemble_lsp.checks.fork_server import ForkServer, Surroundings
from ensemble_lsp.checks.sandbox import Completed, Limits, Sandbox
from ensemble_lsp.checks.shadow_pool import SERVERS, Lease, ShadowPool
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.proposals import FileChange

_PYTHON = re.compile(r"^(python|pypy)[\d.]*$")
_SETTINGS = frozenset(
    {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}
)
OF_VERSIONS = frozenset({Action.FIX, Action.REFACTOR, Action.SECURE})
"""Actions that run the tests on several versions of the code at once."""
_MOST_STARTS = 3
"""Servers that are started in a copy: one that a run takes down each time is none."""


def runs_pytest(argv: Sequence[str]) -> bool:
    """Whether a command line is pytest and nothing else: not a shell, nor a tool that does more."""
    if not argv:
        return False
    program = Path(argv[0]).name
    return program in {"pytest", "py.test"} or bool(
        _PYTHON.match(program) and tuple(argv[1:3]) == ("-m", "pytest")
    )


@dataclass(slots=True)
class _Kept:
    """What is kept for one copy."""

    around: Surroundings
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    server: ForkServer | None = None
    starts: int = 0


class ForkedRuns:
    """The servers of one job's copies. `close` ends them; it comes before the copies are given up."""

    def __init__(self, pool: ShadowPool, sandbox: Sandbox, *, several: bool) -> None:
        """With `several`, a second server starts after the first run: different versions will be run at once."""
        self._pool = pool
        self._sandbox = sandbox
        self._several = several
        # Whose files share their copies have servers of their own there: the tests of each file are others.
        self._name = f"{SERVERS}/{secrets.token_hex(4)}"
        self._possible = sandbox.moves_paths and sys.platform == "linux"
        self._kept: dict[Path, _Kept] = {}
        self._preparing: asyncio.Task[None] | None = None
        self._compiling: asyncio.Task[None] | None = None

    async def run(
        self,
        lease: Lease,
        surroundings: Callable[[Lease, Path], Surroundings],
        arguments: Sequence[str],
        limits: Limits,
    ) -> tuple[Completed, str, Path] | None:
        """Run pytest in a fork: how it ended, the text of its results file, and the folder of its home.

        `surroundings` tells where a server would run for a copy, given a folder for its `home`, `tmp` and `root`.
        None: no fork can be made, or it did not end by itself; it is to be run in a process of its own.
        """
        place = lease.folder / self._name
        around = surroundings(lease, place)
        if not self._possible or not runs_pytest(around.argv) or not _only_edits(lease.changes):
            return None
        if self._compiling is None and around.argv[0] == sys.executable:
            self._compiling = asyncio.ensure_future(compile_pytest())
        kept = self._kept.setdefault(place, _Kept(around))
        if kept.around != around or kept.lock.locked():
            return None
        async with kept.lock:
            server = await self._server(kept)
            if server is None or any(change.path in server.loaded for change in lease.changes):
                return None
            told = await server.run(arguments, limits)
        if told is None:
            return None
        if self._several and self._preparing is None:
            self._preparing = asyncio.ensure_future(self._prepare(surroundings))
        return *told, place

    async def _server(self, kept: _Kept) -> ForkServer | None:
        if kept.server is not None and kept.server.ended:
            await kept.server.close()
            kept.server = None
        if kept.server is None and kept.starts < _MOST_STARTS:
            kept.starts += 1
            await asyncio.to_thread(_make, kept.around.place)
            kept.server = await ForkServer.start(self._sandbox, kept.around)
            if kept.server is None:
                kept.starts = _MOST_STARTS
        return kept.server

    async def _prepare(self, surroundings: Callable[[Lease, Path], Surroundings]) -> None:
        """Start a server in a copy that has none, so that it stands ready when two versions are to be run."""
        async with self._pool.borrow(rather_not=[place.parent.parent for place in self._kept]) as lease:
            place = lease.folder / self._name
            if place not in self._kept:
                kept = self._kept[place] = _Kept(surroundings(lease, place))
                async with kept.lock:
                    await self._server(kept)

    async def close(self) -> None:
        """End all servers and what they started."""
        if self._compiling is not None:
            await asyncio.wait({self._compiling})
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.wait({self._preparing})
        kept, self._kept, self._possible = self._kept, {}, False
        for each in kept.values():
            if each.server is not None:
                await each.server.close()
            await asyncio.to_thread(remove, str(each.around.place))


def _only_edits(changes: Sequence[FileChange]) -> bool:
    return all(
        change.before is not None
        and change.after is not None
        and change.path.rpartition("/")[2] not in _SETTINGS
        for change in changes
    )


def _make(place: Path) -> None:
    remove(str(place))
    for name in ("home", "tmp", "root"):
        (place / name).mkdir(parents=True, mode=0o700)
