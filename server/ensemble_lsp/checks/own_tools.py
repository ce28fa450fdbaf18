"""Running the analysers that come with this package: they read code, and run none of it."""

import asyncio
import os
import shutil
import sys
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

from ensemble_lsp.checks.sandbox import Completed, Limits


async def run_own_tool(argv: Sequence[str], folder: Path, limits: Limits) -> Completed:
    """Run one of our own programs in `folder`; ended with all it started on time-out and on cancel."""
    started = time.monotonic()
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": os.defpath, "HOME": str(folder), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
            start_new_session=True,
        )
    except OSError as error:
        return Completed(None, b"", b"", 0.0, failed=f"cannot run {argv[0]}: {error.strerror}")
    try:
        async with asyncio.timeout(limits.seconds):
            stdout, stderr = await process.communicate()
    except TimeoutError:
        return Completed(None, b"", b"", time.monotonic() - started, "time")
    finally:
        if process.returncode is None:
            os.killpg(process.pid, 9)
            await process.wait()
    if len(stdout) + len(stderr) > limits.output_bytes:
        return Completed(None, b"", b"", time.monotonic() - started, "output")
    return Completed(process.returncode, stdout, stderr, time.monotonic() - started)


def own_program(name: str) -> str:
    """Return the path of a program that was installed together with this package, or its bare name."""
    folders = [
        str(Path(sys.executable).parent),
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", "posix_user"),
    ]
    return shutil.which(name, path=os.pathsep.join(folders)) or name
