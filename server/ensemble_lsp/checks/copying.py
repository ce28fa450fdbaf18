"""Copying files fast and never by hard link: shared blocks where the file system can, else in the kernel."""

import errno
import fcntl
import os
import shutil
import stat
import sys
from pathlib import Path

_FICLONE = 0x40049409
_SMALL = 256 << 10
"""Below this one read and one write are cheaper than asking the kernel to copy."""


class Copier:
    """Copies files of one workspace into one scratch folder, remembering what the file system refused."""

    def __init__(self) -> None:
        self._clones = sys.platform == "linux"

    def copy(self, source: str, target: str) -> os.stat_result | None:
        """Copy a regular file or a link, with its time, and return what was made; the target must not exist.

        None when the source vanished, cannot be read, or is neither.
        """
        try:
            handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK}:
                return self._copy_link(source, target)
            if error.errno in {errno.ENOENT, errno.EACCES, errno.ENXIO}:
                return None
            raise
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                return None
            mode = stat.S_IMODE(found.st_mode) & 0o777 | 0o600
            into = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            try:
                self._fill(handle, into, found.st_size)
                os.utime(into, ns=(found.st_atime_ns, found.st_mtime_ns))
                return os.fstat(into)
            finally:
                os.close(into)
        finally:
            os.close(handle)

    @staticmethod
    def _copy_link(source: str, target: str) -> os.stat_result | None:
        try:
            Path(target).symlink_to(Path(source).readlink())
        except FileNotFoundError:
            return None
        return os.lstat(target)

    def _fill(self, source: int, target: int, size: int) -> None:
        if self._clones and size:
            try:
                fcntl.ioctl(target, _FICLONE, source)
            except OSError:
                self._clones = False  # another file system, or one that cannot share blocks
            else:
                return
        if size > _SMALL and hasattr(os, "copy_file_range") and self._in_kernel(source, target):
            return
        left = size
        while left > 0 and (data := os.read(source, min(left, 1 << 20))):
            _write_all(target, data)
            left -= len(data)

    @staticmethod
    def _in_kernel(source: int, target: int) -> bool:
        copied = 0
        try:
            while part := os.copy_file_range(source, target, 1 << 30):
                copied += part
        except OSError:
            if copied:
                raise
            return False
        return copied > 0


def _write_all(target: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def remove(path: str) -> None:
    """Remove a file, a link or a whole folder, also one that was made unreadable; nothing there is fine."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        Path(path).unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except PermissionError:
        Path(path).chmod(0o700)
        for folder, _, _ in os.walk(path):  # parents first: each is opened before it is looked into
            _open_up(folder)
        shutil.rmtree(path, ignore_errors=True)
    except FileNotFoundError:
        shutil.rmtree(path, ignore_errors=True)


def _open_up(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                Path(entry.path).chmod(0o700)
