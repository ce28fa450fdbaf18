"""One pytest that waits and forks: a run that does not end by itself counts as not made, and nothing outlives it."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ensemble_lsp.checks.detection import detect
from ensemble_lsp.checks.environment import allowed_environment, own_interpreter_paths
from ensemble_lsp.checks.fork_server import ForkServer, Surroundings
from ensemble_lsp.checks.sandbox import Limits, Shown
from ensemble_lsp.checks.site import PLUGIN_FOLDER
from tests.support.processes import running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux alone")


def mark_of(folder: Path) -> str:
    return f"no:{os.getpid()}-{folder.name}"


@asynccontextmanager
async def server(folder: Path, tests: str, limits: Limits | None = None) -> AsyncGenerator[ForkServer]:
    """Start a server on one file of tests; it stands in folders that it sees where they are."""
    work, place = folder / "work", folder / "place"
    for made in (work, place / "home", place / "tmp", place / "root"):
        made.mkdir(parents=True)
    (work / "test_it.py").write_text(tests, encoding="utf-8")
    home, temporary = place / "home", place / "tmp"
    environment = allowed_environment(home=str(home), temporary=str(temporary)) | {
        "PYTHONPATH": str(PLUGIN_FOLDER),
        "PYTEST_PLUGINS": "ensemble_results",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "ENSEMBLE_RESULTS": str(home / ".results"),
    }
    shown = [
        *map(Shown.in_place, (*own_interpreter_paths(), PLUGIN_FOLDER)),
        *(Shown.in_place(path, writable=True) for path in (work, home, temporary)),
    ]
    # A plugin that is not there is left out: a word on the command line by which the process is found.
    argv = [sys.executable, "-m", "pytest", "-q", "test_it.py", "-p", mark_of(folder)]
    around = Surroundings(argv, work, environment, shown, place)
    started = await ForkServer.start(await detect(), around, limits)
    assert started is not None
    try:
        yield started
    finally:
        await started.close()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until the condition holds; the kernel may take a moment to end a namespace's last process."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - another process tells nobody
            await asyncio.sleep(0.01)


FILL = "def test_it():\n    held = [bytearray(b'x' * (1 << 20)) for _ in range(600)]\n    assert not held\n"
MANY = "import os, time\n\n\ndef test_it():\n    while True:\n        os.fork()\n"
PRINT = (
    "import os\n\n\ndef test_it(capfd):\n    with capfd.disabled():\n"
    "        while True:\n            os.write(1, b'x' * 65536)\n"
)
STOP = "import os, signal\n\n\ndef test_it():\n    os.kill(os.getppid(), signal.SIGSTOP)\n"
HANG = "import time\n\n\ndef test_it():\n    time.sleep(600)\n"


@pytest.mark.parametrize(
    ("tests", "limits"),
    [
        (FILL, Limits(memory_bytes=300 << 20)),
        (MANY, Limits(processes=20)),
        (PRINT, Limits()),
    ],
    ids=["fills memory", "starts processes without end", "prints without end"],
)
async def test_a_run_that_does_not_end_by_itself_counts_as_not_made(
    tmp_path: Path, tests: str, limits: Limits
) -> None:
    async with server(tmp_path, tests, limits) as started:
        assert await started.run([], Limits(seconds=60.0)) is None
        assert started.ended


@pytest.mark.parametrize("tests", [STOP, HANG], ids=["stops its parent", "hangs"])
async def test_a_run_whose_time_is_up_is_not_waited_for_once_more(tmp_path: Path, tests: str) -> None:
    async with server(tmp_path, tests) as started:
        told = await started.run([], Limits(seconds=3.0))
        assert started.ended
    assert told is not None
    assert (told[0].code, told[0].ended) == (None, "time")


async def test_options_stand_before_those_of_the_command(tmp_path: Path) -> None:
    async with server(tmp_path, "def test_a():\n    assert 0\n\n\ndef test_b():\n    assert 0\n") as started:
        both = await started.run([], Limits())
        first = await started.run(["-x"], Limits())
    assert both is not None
    assert first is not None
    assert (b"2 failed" in both[0].stdout, b"1 failed" in first[0].stdout) == (True, True)
    assert (both[1].count('"outcome": "failed"'), first[1].count('"outcome": "failed"')) == (2, 1)


async def test_cancelling_a_run_ends_all_that_it_started(tmp_path: Path) -> None:
    mark = f"60{os.getpid()}"
    tests = (
        "import pathlib, subprocess\n\n\ndef test_it():\n"
        f"    started = subprocess.Popen(['sleep', '{mark}'], start_new_session=True)\n"
        "    pathlib.Path('started').touch()\n    started.wait()\n"
    )
    async with server(tmp_path, tests) as started:
        task = asyncio.ensure_future(started.run([], Limits()))
        await until((tmp_path / "work" / "started").exists)
        assert running(mark)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert started.ended
        await until(lambda: not running(mark))


async def test_closing_ends_the_server(tmp_path: Path) -> None:
    async with server(tmp_path, "def test_it():\n    pass\n") as started:
        assert running(mark_of(tmp_path))
        await started.close()
        await until(lambda: not running(mark_of(tmp_path)))
