"""Reading regular files only: no pipe that would never end, no device, and never more than asked for."""

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path | str, limit: int, *, follow_links: bool = True) -> bytes | None:
    """Return the bytes of a file, or None when it has more than `limit`.

    Raises `OSError`, also for what is not a regular file.
    """
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow_links else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        if status.st_size > limit:
            return None
        # A file may grow while it is read, and those of /proc say that they are empty.
        blocks: list[bytes] = []
        left = limit + 1
        while left > 0 and (block := os.read(descriptor, left)):
            blocks.append(block)
            left -= len(block)
    finally:
        os.close(descriptor)
    return b"".join(blocks) if left > 0 else None
