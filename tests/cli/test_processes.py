"""The command as a process of its own: closed pipes, full disks, poor locales, read-only folders."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, environment, panel
from tests.support.shop import BUGGY

pytestmark = pytest.mark.usefixtures("models")


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "ensemble_lsp", *arguments]


@pytest.fixture
def job(ensemble: CommandLine, shop: Path) -> str:
    """A job that ended, kept in this test's state directory."""
    ensemble("fix", "cart.py", "-m", "naïve → sum", *panel("good"))
    (line,) = json.loads(ensemble("jobs", "--json").out)
    return line["job"]


@pytest.mark.parametrize("arguments", [("--answers",), ("--json",)])
def test_a_reader_that_goes_away_is_no_failure(job: str, arguments: tuple[str, ...]):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            command("show", job, *arguments), stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(writer)

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


@pytest.mark.parametrize("arguments", [("--answers",), ("--json",)])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_output_that_is_full_says_so_and_where_the_result_is(job: str, arguments: tuple[str, ...]):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("show", job, *arguments), stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )

    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"ensemble-lsp show JOB" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_locale_without_letters_replaces_them(job: str):
    poor = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")

    done = subprocess.run(
        command("show", job, "--answers"), env=poor, capture_output=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert b"result += price" in done.stdout
    assert (done.stdout + done.stderr).isascii()


@pytest.mark.parametrize("arguments", [("--version",), ("fix", "--help"), ("jobs", "--help")])
def test_a_command_imports_no_models_and_no_benchmark(arguments: tuple[str, ...]):
    done = imported_by(*arguments)

    assert not {"litellm", "openai", "pygls", "httpx", "ensemble_lsp.bench"} & done.modules
    assert "ensemble-lsp" in done.out


def test_a_command_does_not_import_the_other_commands():
    done = imported_by("fix", "--help")

    of_commands = {name for name in done.modules if name.startswith("ensemble_lsp.cli.commands.")}
    assert of_commands == {"ensemble_lsp.cli.commands.fix"}


def test_garbage_is_collected_once_the_command_is_imported():
    assert imported_by("jobs", "--limit", "1").collects


def test_a_misspelt_command_gets_the_nearest_names_without_an_import():
    done = imported_by("bnech")

    assert "Did you mean 'bench'" in done.err
    assert not any(name.startswith("ensemble_lsp.cli.commands.") for name in done.modules)


def test_a_database_that_cannot_grow_is_said_and_the_job_still_gives_its_result(
    ensemble: CommandLine, shop: Path
):
    with files_no_larger_than(4096):
        ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.code == 0
    assert "+        result += price" in ran.out
    assert "nothing can be kept in" in ran.err


@pytest.mark.system
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_a_full_disk_is_said_and_the_job_still_gives_its_result(
    ensemble: CommandLine, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    tiny = tmp_path / "tiny"
    tiny.mkdir()
    monkeypatch.setenv("ENSEMBLE_STATE_DIR", str(tiny / "state"))
    with mounted(tiny, "100k"):
        ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.code == 0
    assert "+        result += price" in ran.out
    assert "nothing can be kept in" in ran.err


def test_a_state_directory_that_cannot_be_made_is_said(
    ensemble: CommandLine, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENSEMBLE_STATE_DIR", str(tmp_path / "file" / "state"))

    ran = ensemble("fix", "cart.py", *panel("good"))

    assert ran.code == 0
    assert "nothing can be kept in" in ran.err


@pytest.mark.system
@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_a_read_only_workspace_can_be_worked_on_and_apply_loses_nothing(
    ensemble: CommandLine, tmp_path: Path, own_directories: Path
):
    root = tmp_path / "readonly"
    root.mkdir()
    with mounted(root):
        (root / "cart.py").write_text(BUGGY)
        subprocess.run(["mount", "-o", "remount,ro", str(root)], check=True)
        looked = ensemble("fix", str(root / "cart.py"), *panel("good"))
        refused = ensemble("fix", str(root / "cart.py"), "--apply", "--yes", *panel("good"))
        left = {path.name: path.read_text() for path in root.iterdir()}

    assert looked.code == 0
    assert refused.code == 1
    assert refused.out == looked.out
    assert "cart.py cannot be written: Read-only file system; no file was changed" in refused.err
    assert left == {"cart.py": BUGGY}


@dataclass(frozen=True)
class Imported:
    """What a command printed, the modules that it had imported at its end, and whether garbage was collected."""

    out: str
    err: str
    modules: set[str]
    collects: bool


def imported_by(*arguments: str) -> Imported:
    """Run a command line in a process of its own."""
    code = (
        "import atexit, gc, sys\n"
        "atexit.register(lambda: print('MODULES', gc.isenabled(), *sys.modules, file=sys.stderr))\n"
        f"sys.argv = ['ensemble-lsp', *{arguments!r}]\n"
        "from ensemble_lsp.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    err, _, told = done.stderr.rpartition("MODULES")
    collects, *modules = told.split()
    return Imported(done.stdout, err, set(modules), collects == "True")


@contextmanager
def mounted(folder: Path, size: str = "1m") -> Generator[None]:
    """Mount a small file system in memory on `folder`."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("this system lets nobody mount")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def files_no_larger_than(size: int) -> Generator[None]:
    """Let no file of this process grow beyond `size` bytes, as a disk without room would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
