"""Several shadows of one workspace, so that candidates are checked side by side, and who owns which on disk.

On disk: `SCRATCH/<hash of the workspace>-<number>/` with `tree/`, `manifest.json`, `runs/`, `servers/` and `lock`. The
lock is held by the process that uses the folder and falls with it, however it dies.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Collection, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ensemble_lsp.checks.copying import remove
from ensemble_lsp.checks.listing import Listing, list_workspace
from ensemble_lsp.checks.shadow import Shadow
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText

T = TypeVar("T")

KEEP_SECONDS = 2 * 24 * 3600
"""How long an unused shadow is kept for the next job of the same workspace."""
SERVERS = "servers"
"""The folder beside a shadow for what outlives a single run; it falls with the job."""
_RUNS = "runs"
_MAX_SLOTS = 64
"""Shadows of one workspace at once, over all processes of this machine."""


class ShadowPool:
    """At most `size` shadows, made when first needed and restored after each use."""

    def __init__(
        self,
        workspace: Path,
        overlays: Mapping[str, SourceText],
        scratch: Path,
        *,
        size: int,
        link_dependencies: bool = False,
    ) -> None:
        self._workspace = workspace.resolve()
        self._overlays = overlays
        self._scratch = scratch
        self._link_dependencies = link_dependencies
        self._free: list[_Slot] = []
        self._all: list[_Slot] = []
        self._places = asyncio.Semaphore(size)
        self._opening = asyncio.Lock()
        self._listing_lock = asyncio.Lock()
        self._listing: Listing | None = None

    @contextlib.asynccontextmanager
    async def borrow(
        self, changes: Sequence[FileChange] = (), *, rather_not: Collection[Path] = ()
    ) -> AsyncGenerator["Lease"]:
        """Lend a shadow with `changes` in place; it is restored when given back.

        Of several that are free, one whose folder is not among `rather_not`. Raises `CheckError` when no copy can
        be made or a change lies outside the workspace.
        """
        async with self._places:
            while not self._free:
                await self._open()
            slot = next((slot for slot in self._free if slot.folder not in rather_not), self._free[-1])
            self._free.remove(slot)
            lease = Lease(slot.shadow, slot.folder, changes)
            try:
                await asyncio.to_thread(slot.shadow.apply, changes)
                yield lease
            finally:
                # Also when cancelled: the next borrower must not find what this one left.
                await _finished(asyncio.to_thread(lease.give_back))
                self._free.append(slot)

    async def listing(self) -> Listing:
        """Return what the shadows consist of; the workspace is listed once."""
        async with self._listing_lock:
            if self._listing is None:
                self._listing = await asyncio.to_thread(list_workspace, self._workspace)
            return self._listing

    async def _open(self) -> None:
        async with self._opening:
            if self._free:
                return
            await _finished(asyncio.to_thread(self._add_slot, await self.listing()))

    def _add_slot(self, listing: Listing) -> None:
        folder, lock = claim(self._scratch, self._workspace)
        try:
            for left in (_RUNS, SERVERS):
                remove(str(folder / left))
            shadow = Shadow.create(
                self._workspace,
                self._overlays,
                folder,
                listing=listing,
                reference=self._all[0].shadow if self._all else None,
                link_dependencies=self._link_dependencies,
            )
        except BaseException:
            os.close(lock)
            raise
        slot = _Slot(shadow, folder, lock)
        self._all.append(slot)
        self._free.append(slot)

    async def close(self) -> None:
        """Give all shadows up; their folders stay for the next job of this workspace."""
        slots, self._all, self._free = self._all, [], []
        await _finished(asyncio.to_thread(_close_all, slots))


class _Slot:
    def __init__(self, shadow: Shadow, folder: Path, lock: int) -> None:
        self.shadow = shadow
        self.folder = folder
        self.lock = lock


class Lease:
    """A shadow for the time of one check, with folders that a run may use for itself."""

    def __init__(self, shadow: Shadow, folder: Path, changes: Sequence[FileChange]) -> None:
        self.shadow = shadow
        self.folder = folder
        """The same for all who borrow this shadow; what is not in `runs` stays."""
        self.changes = changes
        """What is in place of the workspace's own."""
        self._runs = folder / _RUNS

    def new_run_folder(self) -> Path:
        """Make a folder for one run: `home`, `tmp`, and the empty `root`."""
        self._runs.mkdir(mode=0o700, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=self._runs))
        for name in ("home", "tmp", "root"):
            (folder / name).mkdir()
        return folder

    def give_back(self) -> None:
        """Remove what runs left and restore the shadow."""
        remove(str(self._runs))
        self.shadow.restore()


async def _finished(work: Coroutine[Any, Any, T]) -> T:
    """Await work in a thread to its end even when cancelled meanwhile; the cancellation then goes on."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _close_all(slots: Sequence[_Slot]) -> None:
    for slot in slots:
        try:
            slot.shadow.close()
        except OSError:
            remove(str(slot.folder / "manifest.json"))  # it counts as none then
        finally:
            os.close(slot.lock)


def claim(scratch: Path, workspace: Path) -> tuple[Path, int]:
    """Return a folder for a shadow of `workspace` that no living process uses, and its lock's descriptor.

    Shadows that nobody uses and that are old or half made are removed on the way. Raises `CheckError`.
    """
    try:
        scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise CheckError(f"cannot make the folder for shadow copies, {scratch}: {error.strerror}") from error
    sweep(scratch)
    key = hashlib.sha256(os.fsencode(workspace)).hexdigest()[:16]
    for number in range(_MAX_SLOTS):
        folder = scratch / f"{key}-{number}"
        lock = _try_lock(folder)
        if lock is not None:
            return folder, lock
    raise CheckError(f"{_MAX_SLOTS} checks of {workspace} run already")


def sweep(scratch: Path, *, now: float | None = None) -> None:
    """Remove the shadows of processes that are gone, when they are old or were never finished."""
    now = time.time() if now is None else now
    for folder in scratch.iterdir():
        manifest = folder / "manifest.json"
        if manifest.exists() and now - manifest.stat().st_mtime < KEEP_SECONDS:
            continue
        lock = _try_lock(folder)
        if lock is not None:
            remove(str(folder))
            os.close(lock)


def _try_lock(folder: Path) -> int | None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except (FileNotFoundError, FileExistsError, NotADirectoryError):
        return None  # another process is removing it right now
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        same = (folder / "lock").stat().st_ino == os.fstat(lock).st_ino
    except (BlockingIOError, FileNotFoundError):
        same = False
    if not same:
        os.close(lock)
        return None
    return lock
