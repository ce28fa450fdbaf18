"""Bytecode of our own pytest: a confined run may not write it, and some installers leave none."""

import asyncio
import sys
from collections.abc import Sequence
from importlib.util import cache_from_source, find_spec
from pathlib import Path

_PACKAGES = ("_pytest", "pluggy", "iniconfig")
_MOST_SECONDS = 60.0


def folders_without_bytecode(packages: Sequence[str] = _PACKAGES) -> list[Path]:
    """Return the folders of pytest's packages in which a module has none: every start compiles it anew.

    Empty where this process writes no bytecode by its owner's wish.
    """
    if sys.dont_write_bytecode:
        return []
    places = [Path(place) for name in packages for place in _places_of(name)]
    return [
        place
        for place in places
        if not all(Path(cache_from_source(str(file))).exists() for file in place.rglob("*.py"))
    ]


def _places_of(package: str) -> list[str]:
    found = find_spec(package)
    return list(found.submodule_search_locations or ()) if found is not None else []


async def compile_pytest(packages: Sequence[str] = _PACKAGES) -> None:
    """Compile what is not compiled, in a process beside the checks; nothing of it is executed.

    A second, once for an installation: later starts of pytest take half as long. Where nothing can be written, they
    do not.
    """
    folders = await asyncio.to_thread(folders_without_bytecode, packages)
    if not folders:
        return
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "compileall", "-q", *map(str, folders)),
        cwd=sys.prefix,
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
