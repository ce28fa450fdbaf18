"""Credentials in a patched version: gone, still there, moved to another name or another file."""

from pathlib import Path

import pytest

from ensemble_lsp.checks.runner import Checks
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.results import Task
from tests.checks.workspaces import change, repository

SECRET = "s3cr3t-Tr0ub4dor"
SHORT = "admin"
HELD = f'import os\n\nPASSWORD = "{SECRET}"\n'
FROM_ENVIRONMENT = 'import os\n\nPASSWORD = os.environ["PASSWORD"]\n'
OTHER = "COLOUR = 'red'\n"


async def said(workspace: Path, *changes: FileChange) -> Evidence:
    """Return what the witness says of a.py, with the changes in place if there are any."""
    task = Task(action=Action.SECURE, path="a.py")
    checks = await Checks.open(workspace, task, overlays={}, trusted=False, secrets=Redactor())
    try:
        report = await checks.check(changes) if changes else await checks.baseline()
    finally:
        await checks.close()
    return next(item for item in report.evidence if item.witness == "secrets")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return repository(tmp_path / "work", {"a.py": HELD, "b.py": OTHER})


async def test_a_credential_is_reported_without_its_value(workspace: Path):
    told = await said(workspace)

    assert told.outcome is Outcome.FAILED
    assert [(item.path, item.line, item.message) for item in told.diagnostics] == [
        ("a.py", 2, "A hard-coded credential: assigned secret (CWE-798)")
    ]
    assert SECRET not in told.model_dump_json()


async def test_one_that_is_read_from_the_environment_is_gone(workspace: Path):
    told = await said(workspace, change("a.py", HELD, FROM_ENVIRONMENT))

    assert (told.outcome, told.diagnostics) == (Outcome.PASSED, ())


async def test_one_that_is_moved_under_another_name_is_still_there(workspace: Path):
    told = await said(workspace, change("a.py", HELD, f'COLOUR = "{SECRET}"\nPASSWORD = COLOUR\n'))

    assert [(item.path, item.line) for item in told.diagnostics] == [("a.py", 0)]


async def test_one_that_is_moved_to_another_file_is_still_there(workspace: Path):
    told = await said(
        workspace,
        change("a.py", HELD, "from b import SHADE\n\nPASSWORD = SHADE\n"),
        change("b.py", OTHER, f"{OTHER}SHADE = '{SECRET}'\n"),
    )

    assert [(item.path, item.line, item.code) for item in told.diagnostics] == [
        ("b.py", 1, "assigned-secret")
    ]


async def test_one_that_is_moved_to_a_new_file_is_still_there(workspace: Path):
    told = await said(
        workspace,
        change("a.py", HELD, "from shades import SHADE\n\nPASSWORD = SHADE\n"),
        change("shades.py", None, f"SHADE = '{SECRET}'\n"),
    )

    assert [(item.path, item.line) for item in told.diagnostics] == [("shades.py", 0)]


ROLES = f"ROLES = ['{SHORT}', 'guest']\n"


async def test_a_word_that_was_also_a_password_may_stay_where_it_is_none(tmp_path: Path):
    held = f'{ROLES}PASSWORD = "{SHORT}"\n'
    workspace = repository(tmp_path / "work", {"a.py": held})

    told = await said(
        workspace, change("a.py", held, f"import os\n\n{ROLES}PASSWORD = os.environ['PASSWORD']\n")
    )

    assert told.outcome is Outcome.PASSED


async def test_a_short_one_that_is_only_moved_is_still_there(tmp_path: Path):
    held = f'{ROLES}PASSWORD = "{SHORT}"\n'
    workspace = repository(tmp_path / "work", {"a.py": held})

    told = await said(workspace, change("a.py", held, f"{ROLES}COLOUR = '{SHORT}'\nPASSWORD = COLOUR\n"))

    assert len(told.diagnostics) == 1


async def test_what_other_tools_print_of_it_is_taken_out(workspace: Path):
    checks = await Checks.open(
        workspace,
        Task(action=Action.SECURE, path="a.py", check=f"cat a.py && echo {SECRET} && false"),
        overlays={},
        trusted=True,
        secrets=(redactor := Redactor()),
    )
    redactor.redact("a.py", HELD)
    try:
        report = await checks.baseline()
    finally:
        await checks.close()

    (told,) = (item for item in report.evidence if item.witness == "command")
    assert told.outcome is Outcome.FAILED
    assert "PASSWORD = " in told.log
    assert SECRET not in told.summary + told.log
    bandit = next(item for item in report.evidence if item.witness == "bandit")
    assert [item.code for item in bandit.diagnostics] == ["B105"]
    assert SECRET not in bandit.model_dump_json()
