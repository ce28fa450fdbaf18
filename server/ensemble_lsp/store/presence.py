"""Which processes are alive, by locks that the system drops when a process ends.

Process ids are not enough: they are used again, and two containers that share a home count their own.
"""

import secrets
import time
from pathlib import Path

from filelock import FileLock, Timeout

_SWEEP_AFTER = 24 * 3600.0
"""Seconds after which a lock file that nobody asked about is looked at."""

_SWEEP_LIMIT = 100
"""Lock files looked at in one sweep."""


class Presence:
    """Holds a lock under a token of its own for as long as the process lives.

    With `directory` None (the store works in memory) only the own token counts as alive.
    """

    def __init__(self, directory: Path | None) -> None:
        self.token = secrets.token_hex(8)
        self._directory = directory or Path()
        self._alone = directory is None
        self._lock: FileLock | None = None
        if directory is not None:
            directory.mkdir(mode=0o700, exist_ok=True)
            # Locked before the token stands in any row, so that nobody ever sees it unlocked.
            self._lock = self._lock_of(self.token)
            self._lock.acquire(timeout=5)

    def is_alive(self, token: str) -> bool:
        """Return whether the process that wrote `token` still runs."""
        if token == self.token:
            return True
        if self._alone or not self._path_of(token).exists():
            return False
        lock = self._lock_of(token)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        except OSError:
            return False
        lock.release()
        self._path_of(token).unlink(missing_ok=True)
        return False

    def sweep(self) -> None:
        """Remove the lock files of processes that ended long ago without saying so."""
        if self._alone:
            return
        before = time.time() - _SWEEP_AFTER
        for number, path in enumerate(self._directory.glob("*.lock")):
            if number >= _SWEEP_LIMIT:
                return
            try:
                old = path.stat().st_mtime < before
            except OSError:
                continue
            if old:
                self.is_alive(path.stem)

    def close(self) -> None:
        """Say that the process is gone."""
        if self._lock is not None:
            self._lock.release()
            self._path_of(self.token).unlink(missing_ok=True)
            self._lock = None

    def _path_of(self, token: str) -> Path:
        return self._directory / f"{token}.lock"

    def _lock_of(self, token: str) -> FileLock:
        return FileLock(self._path_of(token), mode=0o600, thread_local=False)
