"""Processes of the product, looked up in /proc: who started whom, who is still there."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.support.fake_editor import PATIENCE, FakeEditor


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def engine_of(editor: FakeEditor) -> int:
    """Return the server's engine; fails unless there is exactly one."""
    (engine,) = children(editor.process.pid)
    return engine


def is_alive(pid: int) -> bool:
    """Whether a process is there; a zombie that waits for its parent is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def running(mark: str) -> list[int]:
    """Return the processes that have a word on their command line."""
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in line and is_alive(int(folder.name)):
                found.append(int(folder.name))
    return found


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a state of other processes, of which nothing would tell us."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def gone(pid: int) -> None:
    """Wait until a process is no more."""
    await until(lambda: not is_alive(pid))
