"""Nothing of the sandbox relies on being root: tried as `nobody`, with the system's own Python."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ensemble_lsp.checks.environment import package_root

_PYTHON = "/usr/bin/python3"
_SCRIPT = """
import asyncio, sys
sys.path.insert(0, {root!r})
if sys.version_info < (3, 11):
    sys.exit("too old")
from ensemble_lsp.checks.detection import describe_sandbox, try_out
from ensemble_lsp.checks.sandbox import Sandbox

async def main():
    problem = await try_out(Sandbox({method!r}))
    print(problem or "holds")

asyncio.run(main())
"""


@pytest.fixture
def public_copy() -> Iterator[Path]:
    """A copy of the package that everybody may read."""
    folder = Path(tempfile.mkdtemp(prefix="ensemble-public-"))
    folder.chmod(0o755)
    for name in ("__init__.py", "core", "checks"):
        source = package_root() / "ensemble_lsp" / name
        target = folder / "ensemble_lsp" / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.parent.mkdir()
            shutil.copy(source, target)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(
    sys.platform != "linux" or os.getuid() != 0, reason="another person can only be tried by root"
)
@pytest.mark.parametrize("method", ["namespaces", "landlock"])
def test_the_sandbox_holds_for_nobody(public_copy: Path, method: str) -> None:
    script = _SCRIPT.format(root=str(public_copy), method=method)
    done = subprocess.run(
        [_PYTHON, "-c", script],
        user="nobody",
        group="nogroup",
        extra_groups=[],
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "TMPDIR": tempfile.gettempdir()},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.stderr.strip() == "too old":
        pytest.skip(f"{_PYTHON} is too old")
    assert done.stdout.strip() == "holds", done.stderr
