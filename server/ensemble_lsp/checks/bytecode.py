"""Bytecode of our own pytest: a confined run may not write it, and some installers leave none."""

import asyncio
import os
import sys
import tempfile
from importlib.util import cache_from_source, find_spec
from pathlib import Path

ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": os.defpath}
_MOST_SECONDS = 60.0


def lacks_bytecode() -> bool:
    """Whether every start of this environment's pytest compiles it, and this process may and would write bytecode."""
    found = find_spec("_pytest")
    if sys.dont_write_bytecode or found is None or found.origin is None:
        return False
    kept = Path(cache_from_source(found.origin))
    # An installer that compiles does so for all; who ran pytest once has what it imports.
    return not kept.exists() and os.access(
        kept.parent if kept.parent.exists() else kept.parent.parent, os.W_OK
    )


async def compile_pytest() -> None:
    """Start it once outside the sandbox, where there is nothing of a workspace, so that Python writes what it compiles.

    Half a second, once for an installation: later starts take half as long.
    """
    if not await asyncio.to_thread(lacks_bytecode):
        return
    with tempfile.TemporaryDirectory() as empty:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-s", "-m", "pytest", "--help"),
            # The environment may lie in a workspace, whose settings and conftests are code.
            *("-c", os.devnull, "--rootdir", empty, "--noconftest"),
            cwd=empty,
            env=ENVIRONMENT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(_MOST_SECONDS):
                await process.wait()
        except TimeoutError:
            return
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
