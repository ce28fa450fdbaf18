"""Runs of tests as forks of one pytest: they say what a process of its own would say, and nothing of one is left."""

import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ensemble_lsp.checks.check_parts import CheckParts
from ensemble_lsp.checks.detection import detect
from ensemble_lsp.checks.forked_runs import runs_pytest
from ensemble_lsp.checks.many_files import ManyFilesChecks
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.sandbox import Completed, Limits, Sandbox
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.settings import Settings
from tests.checks.workspaces import change, repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux alone")

CODE = "def limit():\n    return 3\n"
TESTS = "from shop import limit\n\n\ndef test_limit():\n    assert limit() > 2\n"
FILES = {"shop.py": CODE, "test_shop.py": TESTS}
CHECK = f"{sys.executable} -m pytest -q test_shop.py"


@dataclass(frozen=True)
class Counted(Sandbox):
    """The sandbox of this machine, which writes down every command that it starts."""

    started: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    async def run(self, argv: Sequence[str], *, limits: Limits, **others: object) -> Completed:
        self.started.append(argv)
        return await Sandbox.run(self, argv, limits=limits, **others)  # pyright: ignore[reportArgumentType]

    @property
    def pytests(self) -> int:
        """How many times pytest was started, in whichever way."""
        return sum("pytest" in " ".join(argv) for argv in self.started)


@asynccontextmanager
async def opened(
    folder: Path,
    files: Mapping[str, str] = FILES,
    *,
    check: str | None = CHECK,
    action: Action = Action.REVIEW,
    sandbox: Sandbox | None = None,
) -> AsyncGenerator[tuple[Checks, Counted]]:
    """Open the checks of a job in which nothing but the tests is run; a review prepares no second server."""
    confined = sandbox or await detect()
    counted = Counted(confined.method, confined.program)
    workspace = repository(folder / "workspace", files)
    checks = await Checks.open(
        workspace,
        Task(action=action, path="shop.py", check=check),
        overlays={},
        trusted=True,
        check_given=True,
        unconfined=True,
        scratch=folder / "scratch",
        sandbox=counted,
    )
    try:
        yield checks, counted
    finally:
        await checks.close()


async def told(checks: Checks, changes: Sequence[FileChange] = ()) -> Evidence:
    """Return what the tests say of a version."""
    report = await (checks.check(changes) if changes else checks.baseline())
    return next(item for item in report.evidence if item.witness in {"command", "pytest"})


def never_forked(_argv: Sequence[str]) -> bool:
    return False


def with_tests(text: str) -> FileChange:
    return change("test_shop.py", TESTS, text)


# -- the same as in a process of its own --------------------------------------------------------------------

VERSIONS = {
    "prints and fails": "def test_limit():\n    print('seen')\n    assert [1, 2] == [1, 3]\n",
    "does not load": "import nothing_of_the_kind\n",
    "has no tests": "X = 1\n",
    "leaves with success": "import os\n\n\ndef test_limit():\n    os._exit(0)\n",
    "leaves": "import os\n\n\ndef test_limit():\n    os._exit(3)\n",
    "ends its group": "import os\n\n\ndef test_limit():\n    os.killpg(0, 9)\n",
    "ends its parent": "import os\n\n\ndef test_limit():\n    os.kill(os.getppid(), 9)\n    assert 0\n",
    "ends everything": "import os\n\n\ndef test_limit():\n    os.kill(-1, 9)\n    assert 0\n",
    "leaves a thread": (
        "import threading, time\n\n\ndef test_limit():\n"
        "    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    ),
    "leaves a process": (
        "import subprocess\n\n\ndef test_limit():\n    subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
    ),
}


@pytest.mark.parametrize("name", VERSIONS)
async def test_a_fork_says_what_a_process_of_its_own_says(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = with_tests(VERSIONS[name])
    async with opened(tmp_path / "forked") as (checks, sandbox):
        await told(checks)
        forked = await told(checks, [version])
        starts = sandbox.pytests
    monkeypatch.setattr("ensemble_lsp.checks.forked_runs.runs_pytest", never_forked)
    async with opened(tmp_path / "alone") as (checks, _):
        alone = await told(checks, [version])

    assert forked.model_copy(update={"seconds": 0.0}) == alone.model_copy(update={"seconds": 0.0})
    # What takes the server down is run once more by itself.
    assert starts == (2 if name in {"ends its parent", "ends everything"} else 1)


async def test_lines_are_recorded_in_a_fork_of_the_same_pytest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path / "forked") as (checks, sandbox):
        await told(checks)
        forked = await checks.coverage()
        starts = sandbox.pytests
    monkeypatch.setattr("ensemble_lsp.checks.forked_runs.runs_pytest", never_forked)
    async with opened(tmp_path / "alone") as (checks, _):
        alone = await checks.coverage()

    assert starts == 1
    assert forked is not None
    assert alone is not None
    assert forked.lines == alone.lines == {"test_shop.py::test_limit": {"shop.py": {1}, "test_shop.py": {4}}}
    assert forked.outcomes == alone.outcomes == {"test_shop.py::test_limit": Outcome.PASSED}


async def test_the_files_of_one_review_do_not_take_each_others_servers_away(tmp_path: Path) -> None:
    other = {"till.py": "def open_till():\n    return 1\n"}
    other["test_till.py"] = "from till import open_till\n\n\ndef test_till():\n    assert open_till() == 2\n"
    workspace = repository(tmp_path / "workspace", {**FILES, **other})
    changed = {path: (LineRange(start=0, end=2),) for path in ("shop.py", "till.py")}
    task = Task(action=Action.REVIEW, paths=tuple(changed), changed_lines=changed)
    settings = Settings()
    confined = await detect()
    sandbox = Counted(confined.method, confined.program)
    parts = await CheckParts.of(
        workspace,
        {},
        trusted=True,
        check_given=False,
        unconfined=True,
        settings=settings,
        scratch=tmp_path / "scratch",
        sandbox=sandbox,
    )
    shared = ManyFilesChecks(parts, task, settings)
    both = [shared.of_file(task.model_copy(update={"path": path, "paths": ()})) for path in changed]
    try:
        for each in both:
            await each.baseline()
        recorded = [await each.coverage() for each in both]
    finally:
        for each in both:
            await each.close()
        await shared.close()
    assert sandbox.pytests == 2
    lines = [each.lines for each in recorded if each is not None]
    assert lines == [
        {"test_shop.py::test_limit": {"shop.py": {1}, "test_shop.py": {4}}},
        {"test_till.py::test_till": {"till.py": {1}, "test_till.py": {4}}},
    ]
    assert not list((tmp_path / "scratch").glob("*/servers/*"))


async def test_many_versions_need_one_start(tmp_path: Path) -> None:
    async with opened(tmp_path) as (checks, sandbox):
        assert (await told(checks)).outcome is Outcome.PASSED
        for now, outcome in (("1", "failed"), ("4", "passed"), ("2", "failed"), ("3", "passed")):
            version = change("shop.py", CODE, CODE.replace("3", now))
            assert (await told(checks, [version])).outcome.value == outcome
    assert sandbox.pytests == 1


async def test_the_projects_own_selection_of_tests_is_forked_too(tmp_path: Path) -> None:
    async with opened(tmp_path, check=None, action=Action.FIX) as (checks, sandbox):
        assert (await told(checks)).witness == "pytest"
        assert (
            await told(checks, [change("shop.py", CODE, CODE.replace("3", "1"))])
        ).outcome is Outcome.FAILED
    assert sandbox.pytests <= 2  # one is made ready for a second version


async def test_a_conftest_and_what_it_imports_are_read_anew(tmp_path: Path) -> None:
    files = {
        **FILES,
        "conftest.py": "import shop\n\n\ndef pytest_configure():\n    assert shop.limit() > 2\n",
    }
    async with opened(tmp_path, files) as (checks, sandbox):
        assert (await told(checks)).outcome is Outcome.PASSED
        assert (
            await told(checks, [change("shop.py", CODE, CODE.replace("3", "1"))])
        ).outcome is not Outcome.PASSED
    assert sandbox.pytests == 1


# -- one run does not reach another -------------------------------------------------------------------------


async def test_files_that_a_run_leaves_are_not_there_for_the_next(tmp_path: Path) -> None:
    text = (
        "import pathlib, tempfile\n\n\ndef test_limit():\n"
        "    for folder in (pathlib.Path.home(), tempfile.gettempdir(), '/dev/shm', '.'):\n"
        "        trace = pathlib.Path(folder) / 'trace'\n"
        "        assert not trace.exists()\n        trace.mkdir()\n        (trace / 'file').touch()\n"
    )
    async with opened(tmp_path) as (checks, sandbox):
        await told(checks)
        outcomes = [(await told(checks, [with_tests(text)])).outcome for _ in range(2)]
    assert outcomes == [Outcome.PASSED, Outcome.PASSED]
    assert sandbox.pytests == 1


async def test_processes_that_a_run_leaves_are_not_there_for_the_next(tmp_path: Path) -> None:
    text = (
        "import pathlib, subprocess\n\n\ndef test_limit():\n"
        "    lines = [place.read_bytes() for place in pathlib.Path('/proc').glob('[0-9]*/cmdline')]\n"
        "    assert not any(b'sleep' in line for line in lines)\n"
        "    subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
    )
    async with opened(tmp_path) as (checks, sandbox):
        await told(checks)
        outcomes = [(await told(checks, [with_tests(text)])).outcome for _ in range(2)]
    assert outcomes == [Outcome.PASSED, Outcome.PASSED]
    assert sandbox.pytests == 1


async def test_memory_that_a_run_leaves_to_others_ends_its_server(tmp_path: Path) -> None:
    text = (
        "import ctypes\n\n\ndef test_limit():\n    key, create, only_new = 4242, 0o1000, 0o2000\n"
        "    assert ctypes.CDLL(None).shmget(key, 4096, create | only_new | 0o600) >= 0\n"
    )
    async with opened(tmp_path) as (checks, _):
        await told(checks)
        outcomes = [(await told(checks, [with_tests(text)])).outcome for _ in range(2)]
    assert outcomes == [Outcome.PASSED, Outcome.PASSED]


async def test_a_run_cannot_look_into_the_server(tmp_path: Path) -> None:
    text = (
        "import ctypes, os\nimport pytest\n\n\ndef test_limit():\n"
        "    server = os.getppid()\n"
        "    with pytest.raises(PermissionError):\n        open(f'/proc/{server}/mem', 'r+b')\n"
        "    attach = 16\n"
        "    assert ctypes.CDLL(None).ptrace(attach, server, 0, 0) == -1\n"
        "    assert open('/proc/self/mem', 'rb')\n"
    )
    async with opened(tmp_path) as (checks, sandbox):
        await told(checks)
        assert (await told(checks, [with_tests(text)])).outcome is Outcome.PASSED
    assert sandbox.pytests == 1


async def test_a_run_finds_neither_the_servers_socket_nor_its_name(tmp_path: Path) -> None:
    text = (
        "import os, stat\n\n\ndef test_limit():\n"
        "    assert not [name for name in os.environ if 'ORDERS' in name]\n"
        "    assert 'fork' not in os.environ['PYTEST_PLUGINS']\n"
        "    for name in os.listdir('/proc/self/fd'):\n"
        "        try:\n            kind = os.stat(f'/proc/self/fd/{name}').st_mode\n"
        "        except OSError:\n            continue\n"
        "        assert not stat.S_ISSOCK(kind)\n"
    )
    async with opened(tmp_path) as (checks, sandbox):
        await told(checks)
        assert (await told(checks, [with_tests(text)])).outcome is Outcome.PASSED
    assert sandbox.pytests == 1


async def test_a_run_that_moves_the_folder_above_the_project_spoils_no_other(tmp_path: Path) -> None:
    """Where the project lies below the temporary folder, that folder belongs to the run."""
    text = (
        "import os, pathlib, tempfile\n\n\ndef test_limit():\n"
        "    root = pathlib.Path.cwd()\n    temporary = pathlib.Path(tempfile.gettempdir())\n"
        "    if temporary in root.parents:\n"
        "        top = temporary / root.relative_to(temporary).parts[0]\n"
        "        top.rename(temporary / 'elsewhere')\n"
        "    assert 0\n"
    )
    async with opened(tmp_path) as (checks, _):
        await told(checks)
        await told(checks, [with_tests(text)])
        assert (
            await told(checks, [change("shop.py", CODE, CODE.replace("3", "4"))])
        ).outcome is Outcome.PASSED


# -- where no fork is made ----------------------------------------------------------------------------------

PLUGIN = {"own_plugin.py": "import shop\n", "pytest.ini": "[pytest]\naddopts = -p own_plugin\n"}
THREADED = "import threading, time\n\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"


@pytest.mark.parametrize(
    ("changes", "files"),
    [
        ([change("more.py", None, "X = 1\n")], {}),
        ([change("more.py", "X = 1\n", None)], {"more.py": "X = 1\n"}),
        ([change("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -ra\n")], {"pytest.ini": "[pytest]\n"}),
        ([change("shop.py", CODE, CODE.replace("3", "4"))], PLUGIN),
    ],
    ids=["a new file", "a file that goes", "other settings", "a file that pytest itself has imported"],
)
async def test_what_a_fork_would_not_see_is_run_by_itself(
    tmp_path: Path, changes: Sequence[FileChange], files: Mapping[str, str]
) -> None:
    async with opened(tmp_path, {**FILES, **files}) as (checks, sandbox):
        await told(checks)
        assert (await told(checks, changes)).outcome is Outcome.PASSED
    assert sandbox.pytests == 2


async def test_a_pytest_that_has_threads_is_not_forked(tmp_path: Path) -> None:
    files = {**FILES, **PLUGIN, "own_plugin.py": THREADED}
    async with opened(tmp_path, files) as (checks, sandbox):
        assert (await told(checks)).outcome is Outcome.PASSED
        assert (
            await told(checks, [change("shop.py", CODE, CODE.replace("3", "1"))])
        ).outcome is Outcome.FAILED
    assert sandbox.pytests == 3  # the one that could not serve, and one for each version


async def test_without_processes_of_its_own_no_fork_is_made(tmp_path: Path) -> None:
    """What a run leaves could not be told from anybody else's processes."""
    async with opened(tmp_path, sandbox=Sandbox("none")) as (checks, sandbox):
        assert (await told(checks)).outcome is Outcome.PASSED
        assert (
            await told(checks, [change("shop.py", CODE, CODE.replace("3", "1"))])
        ).outcome is Outcome.FAILED
    assert sandbox.pytests == 2


async def test_a_project_without_pytest_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, check=f"{sys.executable} -m pytest --no-such-option") as (checks, _):
        evidence = await told(checks)
    assert evidence.outcome is not Outcome.PASSED
    assert "--no-such-option" in evidence.log


@pytest.mark.parametrize(
    ("argv", "forked"),
    [
        (["pytest", "-q"], True),
        (["/venv/bin/python3.12", "-m", "pytest", "tests"], True),
        (["python", "-m", "unittest"], False),
        (["python", "-I", "-m", "pytest"], False),
        (["/bin/sh", "-c", "pytest && ruff check"], False),
        (["make", "pytest"], False),
        (["tox"], False),
        ([], False),
    ],
)
def test_only_a_command_that_is_pytest_and_nothing_else_is_forked(argv: list[str], forked: bool) -> None:
    assert runs_pytest(argv) is forked


# -- the strength of a check --------------------------------------------------------------------------------

JUDGES = {
    "strong": TESTS.replace("> 2", "== 3"),
    "weak": TESTS.replace("> 2", "is not Ellipsis"),
    "weak, and ends its parent": (
        "import os\nfrom shop import limit\n\n\ndef test_limit():\n    limit()\n    os.kill(os.getppid(), 9)\n"
    ),
}


@pytest.mark.parametrize("name", JUDGES)
async def test_a_check_is_as_strong_in_forks_as_it_is_alone(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix = change("shop.py", CODE, CODE.replace("3", "1 + 2"))

    async def weak(folder: str) -> bool | None:
        monkeypatch.setenv("ENSEMBLE_CACHE_DIR", str(tmp_path / folder))  # no strength of an earlier run
        files = {**FILES, "test_shop.py": JUDGES[name]}
        async with opened(tmp_path / folder / "checks", files) as (checks, _):
            await told(checks)
            checks.fixed_by([fix])
            strength = await checks.strength()
            return None if strength is None else strength.weak

    forked = await weak("forked")
    monkeypatch.setattr("ensemble_lsp.checks.forked_runs.runs_pytest", never_forked)
    assert forked is await weak("alone")
    assert (forked is False) is (name == "strong")
