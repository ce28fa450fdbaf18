"""A credential in the code: found, kept out of everything that is sent, and gone from the patch that is proposed."""

import json
from collections.abc import Callable
from pathlib import Path

from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import after, block, job, written
from tests.support.fake_model_server import Recorded

SECRET = "s3cr3t-Tr0ub4dor"
HELD = 'DB_PASSWORD = "ENSEMBLE_REDACTED_1"\n'
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


async def secured(root: Path, *edits: tuple[str, str], code: str = CODE, **more: object) -> JobResult:
    workspace = written(root, {"database.py": code, "test_database.py": TEST})
    said = {name: member(*edits) for name in "ab"}
    return await job(workspace, Action.SECURE, said, path="database.py", mode=Mode.QUICK, **more)  # pyright: ignore[reportArgumentType]


async def test_a_credential_read_from_the_environment_is_no_longer_reported(tmp_path: Path):
    environment = "import os\n\nos.environ['DB_PASSWORD'] = 'x'\n"
    workspace = written(tmp_path, {"conftest.py": environment})
    result = await secured(workspace, (HELD, FROM_ENVIRONMENT))

    (finding,) = (item for item in result.findings if item.admitted)
    assert finding.category == "CWE-798"
    assert "secrets" in {item.witness for item in finding.evidence}
    assert result.status is Status.DONE
    assert after(result)["database.py"] == CODE.replace(f'"{SECRET}"', 'os.environ["DB_PASSWORD"]')
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert "secrets assigned-secret" in result.reason
    assert "no longer reported" in result.reason
