"""`secure` from the first finding to the patch, as a person at a terminal and as a program sees it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.cli.conftest import CommandLine, panel
from tests.engine.test_secure_jobs import CODE, EXPLOIT, FINDING, HOLE, SAFE, TEST
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded

SECRET = "s3cr3t-Tr0ub4dor"
HELD = 'DB_PASSWORD = "ENSEMBLE_REDACTED_1"\n'
FROM_ENVIRONMENT = 'DB_PASSWORD = os.environ["DB_PASSWORD"]\n'
PATCH = "".join(
    f"users.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n"
    for old, new in ((HELD, FROM_ENVIRONMENT), (HOLE, SAFE))
)


def says(request: Recorded) -> Answer:
    if "review this code for security holes" in request.prompt:
        return Answer(text=json.dumps({"findings": [{**FINDING, "line": 8, "end_line": 8}]}))
    if "show whether this hole can be used" in request.prompt:
        return Answer(text=EXPLOIT)
    if "try to refute the claims" in request.prompt:
        return Answer(text=json.dumps({"verdicts": []}))
    if "Try to break each candidate" in request.prompt:
        return Answer(text="NO FAULT: A")
    return Answer(text=PATCH)


@pytest.fixture
def secure(
    ensemble: CommandLine, shop: Path, models: FakeModelServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Return the command on a file with an injection and a password in it; members find the one, a tool the other."""
    monkeypatch.setattr(models, "_script", says)
    (shop / "users.py").write_text(f'import os\n\nDB_PASSWORD = "{SECRET}"\n\n\n{CODE}')
    (shop / "test_users.py").write_text(TEST)
    (shop / "conftest.py").write_text("import os\n\nos.environ['DB_PASSWORD'] = 'x'\n")
    return lambda *options: ensemble("secure", "users.py", "--trust", *options, *panel("one", "two"))


def test_findings_with_their_witnesses_an_exploit_and_a_verified_patch(
    secure: Callable[..., Any], shop: Path
):
    ran = secure()

    assert ran.code == 0, ran.err
    told = ran.err.splitlines()
    assert any(line.endswith("probe an exploit works: 1 failed") for line in told)
    assert any("critical [CWE-89] SQL is built from a name that a caller controls" in line for line in told)
    assert any("2 families; bandit agrees; an exploit that was run works" in line for line in told)
    assert any("warning [CWE-798] A hard-coded credential: assigned secret" in line for line in told)
    assert any("secrets and bandit report it" in line for line in told)
    assert any(
        "the attack that worked before fails now; bandit B105, bandit B608, secrets assigned-secret no longer "
        "reported; 2 tests pass" in line
        for line in told
    )
    assert SECRET not in ran.err
    subprocess.run(["git", "apply", "--check", "-"], input=ran.out.encode(), cwd=shop, check=True)
    assert "+" + FROM_ENVIRONMENT in ran.out
    assert "+" + SAFE in ran.out


def test_sarif_holds_weaknesses_fixes_and_no_secret(secure: Callable[..., Any]):
    ran = secure("--format", "sarif")

    assert ran.code == 0, ran.err
    (run,) = cast("list[dict[str, Any]]", ran.document["runs"])
    assert [item["ruleId"] for item in run["results"]] == ["CWE-89", "CWE-798"]
    assert [item["id"] for item in run["taxonomies"][0]["taxa"]] == ["798", "89"]
    inserted = [
        replacement["insertedContent"]["text"]
        for item in run["results"]
        for fix in item["fixes"]
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    assert set(inserted) == {FROM_ENVIRONMENT, SAFE}
    assert SECRET not in ran.out + ran.err


def test_json_has_every_witness_of_a_finding_and_says_of_the_patch_what_was_checked(
    secure: Callable[..., Any],
):
    document = cast("dict[str, Any]", secure("--json").document)

    witnesses = {
        item["category"]: [each["witness"] for each in item["evidence"]] for item in document["findings"]
    }
    assert witnesses == {"CWE-89": ["bandit", "probe"], "CWE-798": ["secrets", "bandit"]}
    assert document["proposal"]["standing"] == "verified"
    checked = {item["witness"]: item["outcome"] for item in document["proposal"]["chosen"]["evidence"]}
    assert checked["secrets"] == checked["bandit"] == checked["pytest"] == checked["probe"] == "passed"
    assert SECRET not in json.dumps(document["findings"])
