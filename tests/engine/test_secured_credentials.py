"""A credential in the code: found, kept out of everything that is sent, and gone from the patch that is proposed."""

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, JobEvent, Mode, Status
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import after, block, job, written
from tests.support.fake_model_server import Recorded

SECRET = "s3cr3t-Tr0ub4dor"
PLACEHOLDER = "ENSEMBLE_REDACTED_1"
HELD = f'DB_PASSWORD = "{PLACEHOLDER}"\n'
CODE = f'''\
import os

DB_PASSWORD = "{SECRET}"


def address(host):
    """Return where the database is."""
    return f"postgres://app@{{host}}/{{os.environ.get('DB', 'shop')}}"
'''
TEST = """\
from database import address


def test_address():
    assert address("h") == "postgres://app@h/shop"
"""
FROM_ENVIRONMENT = 'DB_PASSWORD = os.environ["DB_PASSWORD"]\n'


def member(*edits: tuple[str, str]) -> Callable[[Recorded], str]:
    """Return a member that finds nothing itself and patches as told."""

    def say(request: Recorded) -> str:
        if "review this code for security holes" in request.prompt:
            return json.dumps({"findings": []})
        if "show whether this hole can be used" in request.prompt:
            return "There is no test for this."
        if "Try to break each candidate" in request.prompt:
            return "NO FAULT: A"
        return "".join(block("database.py", old, new) for old, new in edits)

    return say


async def secured(root: Path, *edits: tuple[str, str], mode: Mode = Mode.QUICK, **more: object) -> JobResult:
    workspace = written(root, {"database.py": CODE, "test_database.py": TEST})
    said = {name: member(*edits) for name in "ab"}
    return await job(workspace, Action.SECURE, said, path="database.py", mode=mode, **more)  # pyright: ignore[reportArgumentType]


async def test_a_credential_read_from_the_environment_is_no_longer_reported(tmp_path: Path):
    environment = "import os\n\nos.environ['DB_PASSWORD'] = 'x'\n"
    workspace = written(tmp_path, {"conftest.py": environment})
    result = await secured(workspace, (HELD, FROM_ENVIRONMENT))

    (finding,) = (item for item in result.findings if item.admitted)
    assert finding.category == "CWE-798"
    assert [item.witness for item in finding.evidence] == ["secrets", "bandit"]
    assert finding.reason == "secrets and bandit report it"
    assert result.status is Status.DONE
    assert after(result)["database.py"] == CODE.replace(f'"{SECRET}"', 'os.environ["DB_PASSWORD"]')
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert "secrets assigned-secret" in result.reason
    assert "no longer reported" in result.reason


LEFT_BEHIND = {
    "as a default": 'DB_PASSWORD = os.environ.get("DB_PASSWORD", "ENSEMBLE_REDACTED_1")\n',
    "under a name that says nothing": 'COLOUR = "ENSEMBLE_REDACTED_1"\nDB_PASSWORD = COLOUR\n',
}


@pytest.mark.parametrize("where", LEFT_BEHIND)
async def test_a_patch_that_leaves_the_credential_in_the_file_is_refused(tmp_path: Path, where: str):
    result = await secured(tmp_path, (HELD, LEFT_BEHIND[where]))

    assert result.proposal is None
    assert [item.category for item in result.findings if item.admitted] == ["CWE-798"]
    assert any(
        "does not silence what showed the hole: secrets assigned-secret" in item.text
        for item in result.dissent
    )


PRINTED = """\


def test_told():
    import database

    print(database.DB_PASSWORD)
    assert len(database.DB_PASSWORD) == 16
"""


async def test_the_value_of_a_credential_is_in_no_prompt_event_log_finding_or_store(
    tmp_path: Path, own_directories: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG")
    prompts: list[str] = []
    events: list[JobEvent] = []
    # One patch fails a test that prints the value, so that a log with it is quoted to its author.
    workspace = written(tmp_path, {"test_told.py": f"import database{PRINTED}"})
    result = await secured(
        workspace,
        (HELD, f'DB_PASSWORD = "{PLACEHOLDER}" + " x"\n'),
        mode=Mode.PANEL,
        prompts=prompts,
        events=events,
        store={"replies": True},
    )
    told = {
        "prompts": "\n".join(prompts),
        "events": "\n".join(json.dumps(event.flat()) for event in events),
        "log": caplog.text,
        "findings": json.dumps([item.to_wire() for item in result.findings]),
        "dissent": json.dumps([item.to_wire() for item in result.dissent]),
        "store": everything_kept(own_directories / "state"),
    }
    assert [name for name, text in told.items() if SECRET in text] == []
    assert HELD in told["prompts"]
    assert f"{PLACEHOLDER} x" in told["prompts"], "the log of the test"
    assert "CWE-798" in told["store"]


async def test_a_member_was_shown_a_placeholder_of_a_placeholder_so_that_its_edits_found_no_place(
    tmp_path: Path,
):
    workspace = written(tmp_path, {"database.py": CODE, "test_database.py": TEST})
    said = block("database.py", HELD, f'DB_PASSWORD: str = "{PLACEHOLDER}"\n')
    prompts: list[str] = []
    result = await job(
        workspace, Action.FIX, {"a": said}, path="database.py", instruction="Say its type.", prompts=prompts
    )

    assert HELD in prompts[0]
    assert after(result)["database.py"] == CODE.replace("DB_PASSWORD =", "DB_PASSWORD: str =")


async def test_a_kept_patch_shows_that_a_credential_went_and_not_which(tmp_path: Path, own_directories: Path):
    workspace = written(tmp_path, {"conftest.py": "import os\n\nos.environ['DB_PASSWORD'] = 'x'\n"})
    result = await secured(workspace, (HELD, FROM_ENVIRONMENT))

    assert result.proposal is not None
    before = result.proposal.chosen.changes[0].before
    assert before is not None
    assert SECRET in before.text, "what is proposed is the file's own text"
    kept = everything_kept(own_directories / "state")
    assert SECRET not in kept
    assert json.dumps(FROM_ENVIRONMENT)[1:-1] in kept


def everything_kept(state: Path) -> str:
    """Return all that is in the files below a state directory, packed columns unpacked."""
    parts: list[str] = []
    for path in sorted(path for path in state.rglob("*") if path.is_file()):
        data = path.read_bytes()
        parts.append(data.decode("utf-8", "replace"))
        if not data.startswith(b"SQLite format 3"):
            continue
        with closing(sqlite3.connect(path)) as connection:
            tables = [
                name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            values = [
                value
                for table in tables
                for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608
                for value in row
            ]
        parts += [unpacked(value) if isinstance(value, bytes) else str(value) for value in values]
    return "\n".join(parts)


def unpacked(value: bytes) -> str:
    try:
        return zlib.decompress(value).decode("utf-8", "replace")
    except zlib.error:
        return value.decode("utf-8", "replace")
