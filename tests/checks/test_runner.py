"""The checks of a job, on real workspaces with real tools."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ensemble_lsp.checks.detection import detect, try_out
from ensemble_lsp.checks.probe_module import as_test_module
from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.checks.sandbox import Sandbox
from ensemble_lsp.core.errors import CheckError, UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import CheckReport, Evidence, Outcome, Rank
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.settings import CheckTable, Settings
from tests.checks.workspaces import change, repository, tree

BUG = "def total(items):\n    result = 0\n    for item in items:\n        result -= item\n    return result\n"
FIXED = BUG.replace("-=", "+=")
TESTS = """from shop import total


def test_total():
    assert total([1, 2]) == 3


def test_empty():
    assert total([]) == 0
"""
FILES = {"shop.py": BUG, "tests/test_shop.py": TESTS, "conftest.py": ""}
FIX = change("shop.py", BUG, FIXED)
TOTAL, EMPTY = "tests/test_shop.py::test_total", "tests/test_shop.py::test_empty"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A function with a bug, and a test that fails for it."""
    return repository(tmp_path / "workspace", FILES)


@asynccontextmanager
async def opened(
    workspace: Path,
    *,
    action: Action = Action.FIX,
    check: str | None = None,
    trusted: bool = True,
    overlays: Mapping[str, str] | None = None,
    path: str = "shop.py",
    unconfined: bool = False,
    check_given: bool = False,
    sandbox: Sandbox | None = None,
    settings: Settings | None = None,
) -> AsyncGenerator[Checks]:
    """Open the checks of a job and close them again."""
    checks = await Checks.open(
        workspace,
        Task(action=action, path=path, range=LineRange(start=0, end=5), check=check),
        overlays={name: SourceText(text) for name, text in (overlays or {}).items()},
        trusted=trusted,
        unconfined=unconfined,
        check_given=check_given,
        sandbox=sandbox,
        settings=settings,
    )
    try:
        yield checks
    finally:
        await checks.close()


def _said(report: CheckReport, witness: str) -> Evidence:
    return next(item for item in report.evidence if item.witness == witness)


async def test_a_fix_turns_the_failing_test_green_and_the_workspace_stays_as_it_was(workspace: Path) -> None:
    before = tree(workspace)
    seen: list[str] = []
    async with opened(workspace) as checks:
        was = await checks.baseline()
        now = await checks.check([FIX], on_evidence=lambda item: seen.append(item.witness))
    assert was.tests == {TOTAL: Outcome.FAILED, EMPTY: Outcome.PASSED}
    assert now.tests == {TOTAL: Outcome.PASSED, EMPTY: Outcome.PASSED}
    assert [item.target for item in was.executed] == [item.target for item in now.executed]
    assert sorted(seen) == ["pytest", "ruff", "syntax"]
    assert tree(workspace) == before


async def test_the_log_speaks_of_the_workspace_and_is_bounded(workspace: Path) -> None:
    noisy = change("shop.py", BUG, BUG.replace("    return", "    print('x\\n' * 30000)\n    return"))
    async with opened(workspace) as checks:
        said = _said(await checks.check([noisy]), "pytest")
    assert said.rank is Rank.EXECUTED
    assert len(said.log) <= 8_000
    assert "shadows" not in said.log
    assert "characters left out" in said.log
    assert "\ntests/test_shop.py:5: in test_total" in said.log


async def test_unsaved_buffers_are_what_is_checked(workspace: Path) -> None:
    async with opened(workspace, overlays={"shop.py": FIXED}) as checks:
        assert (await checks.baseline()).tests[TOTAL] is Outcome.PASSED


async def test_candidates_are_checked_side_by_side_without_touching_each_other(workspace: Path) -> None:
    wrong = change("shop.py", BUG, BUG.replace("-=", "*="))
    async with opened(workspace) as checks:
        reports = await asyncio.gather(*(checks.check([item]) for item in (FIX, wrong, FIX)))
    totals = [report.tests[TOTAL] for report in reports]
    assert totals == [Outcome.PASSED, Outcome.FAILED, Outcome.PASSED]


async def test_a_test_that_hangs_does_not_hide_the_others(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ensemble_lsp.checks.site.TEST_SECONDS", 0.5)
    hanging = change("shop.py", BUG, BUG.replace("result -= item", "while True: pass"))
    async with opened(workspace) as checks:
        report = await checks.check([hanging])
    assert report.tests == {TOTAL: Outcome.TIMED_OUT, EMPTY: Outcome.PASSED}
    assert _said(report, "pytest").summary == "1 passed, 1 timed out"


async def test_cancelling_a_check_ends_it_and_the_copy_can_be_used_again(workspace: Path) -> None:
    waits = f"import time\ntime.sleep(60)\n{BUG}"
    static = asyncio.Event()
    async with opened(workspace) as checks:
        task = asyncio.create_task(
            checks.check([change("shop.py", BUG, waits)], on_evidence=lambda _: static.set())
        )
        await static.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await checks.check([FIX])).tests[TOTAL] is Outcome.PASSED


async def test_a_change_that_does_not_parse_is_said_by_syntax(workspace: Path) -> None:
    async with opened(workspace) as checks:
        report = await checks.check([change("shop.py", BUG, "def total(:\n")])
    assert _said(report, "syntax").outcome is Outcome.FAILED
    assert _said(report, "syntax").diagnostics[0].line == 0
    assert _said(report, "pytest").outcome is Outcome.FAILED


async def test_messages_that_only_moved_are_the_same_messages(tmp_path: Path) -> None:
    code = "import os\n\n\ndef f():\n    return 1\n"
    workspace = repository(tmp_path / "w", {"a.py": code})
    async with opened(workspace, path="a.py", action=Action.REVIEW) as checks:
        was = (await checks.baseline()).diagnostics
        now = (await checks.check([change("a.py", code, f"\n\n{code}")])).diagnostics
    assert [item.code for item in was] == ["F401"]
    assert [item.fingerprint() for item in was] == [item.fingerprint() for item in now]
    assert [item.line for item in now] == [2]


async def test_what_was_wrong_in_another_file_before_is_not_the_changes_doing(workspace: Path) -> None:
    other = "import os\n"
    (workspace / "other.py").write_text(other)
    async with opened(workspace) as checks:
        await checks.baseline()
        same = await checks.check([FIX, change("other.py", other, f"{other}\nx = 1\n")])
        worse = await checks.check([FIX, change("other.py", other, f"{other}import sys\n")])
    assert same.diagnostics == ()
    assert [item.message for item in worse.diagnostics] == ["`sys` imported but unused"]


async def test_a_security_scan_is_part_of_a_review(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "w", {"a.py": "import subprocess\nsubprocess.call('ls', shell=True)\n"})
    async with opened(workspace, path="a.py", action=Action.REVIEW) as checks:
        said = _said(await checks.baseline(), "bandit")
    shell = next(item for item in said.diagnostics if item.code == "B602")
    assert (shell.path, shell.line) == ("a.py", 1)
    assert shell.message.endswith("(CWE-78)")
    assert said.outcome is Outcome.FAILED


# -- trust and consent --------------------------------------------------------------------------------------


async def test_of_a_folder_that_is_not_trusted_nothing_is_run_or_obeyed(workspace: Path) -> None:
    (workspace / "ruff.toml").write_text('lint.select = ["ALL"]\n')
    (workspace / "conftest.py").write_text("raise SystemExit('ran')\n")
    async with opened(workspace, trusted=False) as checks:
        report = await checks.baseline()
        probe = await checks.probe([], "def test_a(): pass\n")
    assert _said(report, "pytest").outcome is Outcome.NOT_RUN
    assert "not trusted" in _said(report, "pytest").summary
    assert _said(report, "ruff").diagnostics == ()
    assert probe.outcome is Outcome.NOT_RUN
    assert await checks.strength() is None


async def test_a_command_that_the_person_typed_runs_whatever_the_trust(workspace: Path) -> None:
    async with opened(workspace, trusted=False, check="true", check_given=True) as checks:
        assert _said(await checks.baseline(), "command").outcome is Outcome.PASSED


async def test_without_a_sandbox_nothing_runs_until_somebody_agrees(workspace: Path) -> None:
    async with opened(workspace, sandbox=Sandbox("none")) as checks:
        refused = _said(await checks.baseline(), "pytest")
        probe = await checks.probe([FIX], "def test_a(): pass\n")
    async with opened(workspace, sandbox=Sandbox("none"), unconfined=True) as checks:
        agreed = _said(await checks.check([FIX]), "pytest")
    assert (refused.outcome, probe.outcome) == (Outcome.NOT_RUN, Outcome.NOT_RUN)
    assert "nobody agreed" in refused.summary
    assert (agreed.outcome, agreed.sandbox) == (Outcome.PASSED, "none (consented)")


async def test_tests_do_not_reach_the_workspace_itself(workspace: Path) -> None:
    if not (await detect()).enforced:
        pytest.skip("no sandbox can be enforced here")
    vandal = f"import pathlib, shutil\nfor path in pathlib.Path({str(workspace)!r}).iterdir():\n"
    vandal += "    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()\n"
    before = tree(workspace)
    async with opened(workspace) as checks:
        await checks.check([change("shop.py", BUG, vandal)])
        assert tree(workspace) == before
        assert (await checks.check([FIX])).tests[TOTAL] is Outcome.PASSED


@pytest.mark.parametrize("method", ["namespaces", "landlock"])
async def test_a_package_installed_in_place_is_the_copys(workspace: Path, method: str) -> None:
    """An editable install points at the workspace's path: the change, not the workspace, must be imported."""
    sandbox = Sandbox(method)  # pyright: ignore[reportArgumentType]
    if sys.platform != "linux" or await try_out(sandbox):
        pytest.skip("no such sandbox here")
    environment = workspace / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin/python").symlink_to(sys.executable)
    library = Path(next(path for path in sys.path if path.endswith("site-packages")))
    packages = environment / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    packages.mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n")
    for name in ("pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        (packages / name).symlink_to(library / name)
    (packages / "editable.pth").write_text(f"{workspace}\n")
    (workspace / ".gitignore").write_text(".venv/\n")
    async with opened(workspace, sandbox=sandbox) as checks:
        described = await checks.describe()
        report = await checks.check([FIX])
    assert described.interpreter == f"{environment}/bin/python (the workspace's .venv)"
    assert report.tests == {TOTAL: Outcome.PASSED, EMPTY: Outcome.PASSED}


# -- commands -----------------------------------------------------------------------------------------------


async def test_a_command_that_names_an_environments_python_by_its_path_is_run(
    workspace: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The path is a link in a folder that is shown: mounted once more by itself, it ended every run as an error."""
    environment = tmp_path_factory.mktemp("environment")
    library = Path(next(path for path in sys.path if path.endswith("site-packages")))
    (environment / "lib" / f"python3.{sys.version_info.minor}").mkdir(parents=True)
    (environment / "lib" / f"python3.{sys.version_info.minor}" / "site-packages").symlink_to(library)
    (environment / "bin").mkdir()
    python = environment / "bin/python"
    python.symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    (environment / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix) / 'bin'}\n")
    async with opened(workspace, check=f"{python} -m pytest -q tests") as checks:
        was = _said(await checks.baseline(), "command")
        now = _said(await checks.check([FIX]), "command")
    assert (was.outcome, now.outcome, now.tests[TOTAL]) == (Outcome.FAILED, Outcome.PASSED, Outcome.PASSED)


async def test_a_command_with_pytest_in_it_names_the_tests(workspace: Path) -> None:
    async with opened(workspace, check="python -m pytest -q tests") as checks:
        was = _said(await checks.baseline(), "command")
        now = _said(await checks.check([FIX]), "command")
    assert (was.outcome, was.tests[TOTAL]) == (Outcome.FAILED, Outcome.FAILED)
    assert (now.outcome, now.tests[TOTAL], now.target) == (
        Outcome.PASSED,
        Outcome.PASSED,
        "python -m pytest -q tests",
    )


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("true", Outcome.PASSED),
        ("false", Outcome.FAILED),
        ("no-such-program --x", Outcome.ERROR),
        ("test -f shop.py && ! grep -q nothing shop.py", Outcome.PASSED),
        ("python -c 'import shop; assert shop.total([]) == 0'", Outcome.PASSED),
    ],
)
async def test_any_command_decides_by_its_exit_code(workspace: Path, command: str, outcome: Outcome) -> None:
    async with opened(workspace, check=command) as checks:
        report = await checks.baseline()
    assert _said(report, "command").outcome is outcome
    assert "pytest" not in {item.witness for item in report.evidence}


async def test_a_check_of_the_settings_is_called_by_its_name(workspace: Path) -> None:
    settings = Settings(checks=(CheckTable(id="quick", command="sleep 60", timeout=0.3),))
    async with opened(workspace, check="quick", settings=settings) as checks:
        said = _said(await checks.baseline(), "command")
    assert (said.target, said.outcome) == ("sleep 60", Outcome.TIMED_OUT)


@pytest.mark.parametrize("command", ["", "   ", "echo 'open"])
async def test_a_command_that_cannot_be_read_is_refused(workspace: Path, command: str) -> None:
    with pytest.raises(UsageError, match="check"):
        async with opened(workspace, check=command or " "):
            pass


# -- probes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "outcome"),
    [
        ("from shop import total\n\ndef test_one():\n    assert total([5]) == 5\n", Outcome.PASSED),
        ("from shop import total\n\ndef test_one():\n    assert total([5]) == 6\n", Outcome.FAILED),
        ("from shop import total\nassert total([5]) == 5\n", Outcome.PASSED),
        ("from shop import total\nassert total([5]) == 6\n", Outcome.FAILED),
        ("from nowhere import total\n\ndef test_one():\n    pass\n", Outcome.ERROR),
        ("def test_one(no_such_fixture):\n    pass\n", Outcome.ERROR),
        ("def test_one(:\n", Outcome.ERROR),
        ("import pytest\npytest.skip(allow_module_level=True)\n", Outcome.NOT_RUN),
        ("import os\n\ndef test_one():\n    os._exit(0)\n", Outcome.FAILED),
    ],
)
async def test_a_test_that_a_model_wrote(workspace: Path, test: str, outcome: Outcome) -> None:
    async with opened(workspace) as checks:
        said = await checks.probe([FIX], test)
    assert (said.witness, said.outcome) == ("probe", outcome)


def test_statements_become_a_test_function_below_their_imports() -> None:
    assert as_test_module("import a\n\nassert a.b\n") == "import a\n\ndef test_probe():\n    assert a.b\n"


# -- strength -----------------------------------------------------------------------------------------------


async def test_a_thorough_test_is_strong_and_a_lazy_one_is_weak(tmp_path: Path) -> None:
    code = "def sign(x):\n    if x < 0:\n        return -1\n    return 1\n"
    thorough = "from m import sign\nassert [sign(x) for x in (-2, -1, 0, 1)] == [-1, -1, 1, 1]\n"
    lazy = "from m import sign\nsign(2)\n"
    found: list[bool] = []
    for name, test in (("thorough", thorough), ("lazy", lazy)):
        workspace = repository(tmp_path / name, {"m.py": code, "try_m.py": test})
        async with opened(workspace, path="m.py", check="python try_m.py") as checks:
            strength = await checks.strength()
        assert strength is not None
        found.append(strength.weak)
    assert found == [False, True]


async def test_strength_is_measured_on_the_version_that_passes(workspace: Path) -> None:
    async with opened(workspace) as checks:
        assert await checks.strength() is None
        checks.fixed_by([FIX])
        strength = await checks.strength()
    assert strength is not None
    assert not strength.weak


# -- bad workspaces -----------------------------------------------------------------------------------------


async def test_a_workspace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="nowhere"):
        async with opened(tmp_path / "nowhere"):
            pass


async def test_a_workspace_without_git_works(tmp_path: Path) -> None:
    for path, text in FILES.items():
        (tmp_path / "w" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "w" / path).write_text(text)
    async with opened(tmp_path / "w") as checks:
        assert (await checks.check([FIX])).tests[TOTAL] is Outcome.PASSED


async def test_a_change_outside_the_workspace_is_refused(workspace: Path) -> None:
    async with opened(workspace) as checks:
        with pytest.raises(CheckError, match="inside the workspace"):
            await checks.check([change("../evil.py", None, "x")])
