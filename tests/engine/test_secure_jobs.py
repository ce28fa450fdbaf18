"""A security review with its patch: real bandit, a real exploit in the sandbox, real tests."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ensemble_lsp.core.events import Action, JobEvent, Mode, Status
from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import after, asked, block, job, written
from tests.support.fake_model_server import Recorded
from tests.support.semgrep import CLEAN, DEBUGGER, FOUND, LIST, RULES, SHELL, recorded_semgrep

HOLE = "    return db.execute(\"select id from users where name = '%s'\" % name).fetchall()\n"
SAFE = '    return db.execute("select id from users where name = ?", (name,)).fetchall()\n'
SILENCED = HOLE.replace("\n", "  # nosec\n")
BROKEN = '    return db.execute("select id from users where name = ?", ("ann",)).fetchall()\n'
CODE = f'def find(db, name):\n    """Return the ids of all users of that name."""\n{HOLE}'
TEST = """\
import sqlite3

from users import find


def base():
    db = sqlite3.connect(":memory:")
    db.execute("create table users (id integer, name text)")
    db.executemany("insert into users values (?, ?)", [(1, "ann"), (2, "bob")])
    return db


def test_one():
    assert find(base(), "bob") == [(2,)]


def test_nobody():
    assert find(base(), "eve") == []
"""
EXPLOIT = """\
```python
import sqlite3

from users import find


def test_attack():
    db = sqlite3.connect(":memory:")
    db.execute("create table users (id integer, name text)")
    db.executemany("insert into users values (?, ?)", [(1, "ann"), (2, "bob")])
    assert find(db, "x' or '1'='1") == []
```
"""
FINDING = {
    "path": "users.py",
    "line": 3,
    "end_line": 3,
    "quote": HOLE.strip(),
    "severity": "critical",
    "category": "CWE-89",
    "title": "SQL is built from a name that a caller controls",
    "detail": "find(db, \"x' or '1'='1\") returns every user.",
    "confidence": 0.9,
}


def member(
    patch: str, *, findings: tuple[object, ...] = (FINDING,), exploit: str = EXPLOIT
) -> Callable[[Recorded], str]:
    """Return a member that finds, attacks, and writes one patch."""

    def say(request: Recorded) -> str:
        if "review this code for security holes" in request.prompt:
            return json.dumps({"findings": findings})
        if "show whether this hole can be used" in request.prompt:
            return exploit
        if "try to refute the claims" in request.prompt:
            return json.dumps({"verdicts": []})
        if "Try to break each candidate" in request.prompt:
            return "NO FAULT: A"
        return block("users.py", HOLE, patch)

    return say


def shop(root: Path) -> Path:
    return written(root, {"users.py": CODE, "test_users.py": TEST})


async def secured(root: Path, *patches: str, **more: object) -> JobResult:
    said = {name: member(patch) for name, patch in zip("abc", patches, strict=False)}
    return await job(root, Action.SECURE, said, path="users.py", **more)  # pyright: ignore[reportArgumentType]


async def test_a_hole_is_found_shown_by_an_exploit_and_closed(tmp_path: Path):
    events: list[JobEvent] = []
    result = await secured(shop(tmp_path), SAFE, SAFE, events=events)

    assert result.status is Status.DONE
    (finding,) = (item for item in result.findings if item.admitted)
    assert finding.category == "CWE-89"
    assert {item.witness for item in finding.evidence} == {"bandit", "probe"}
    assert any(item.rank is Rank.EXECUTED for item in finding.evidence)
    assert after(result)["users.py"] == CODE.replace(HOLE, SAFE)
    assert result.proposal is not None
    assert result.proposal.standing is Standing.VERIFIED
    assert "the attack that worked before fails now" in result.reason
    assert "bandit B608 no longer reported" in result.reason
    assert "2 tests pass" in result.reason
    assert [verdict.passed for verdict in result.verdicts] == [True]


async def test_a_comment_that_silences_the_tool_closes_nothing(tmp_path: Path):
    result = await secured(shop(tmp_path), SILENCED, SILENCED)

    assert result.proposal is None
    assert any("silences a tool" in item.text for item in result.dissent)
    assert [item.category for item in result.findings if item.admitted] == ["CWE-89"]


async def test_a_patch_that_breaks_honest_input_is_not_proposed(tmp_path: Path):
    result = await secured(shop(tmp_path), BROKEN, SAFE)

    assert after(result)["users.py"] == CODE.replace(HOLE, SAFE)
    assert any("breaks what passed before" in item.text for item in result.dissent)


async def test_what_only_the_tool_reports_is_patched_as_well(tmp_path: Path):
    said = {name: member(SAFE, findings=()) for name in "ab"}
    result = await job(shop(tmp_path), Action.SECURE, said, path="users.py", mode=Mode.QUICK)

    (finding,) = result.findings
    assert (finding.category, finding.members) == ("CWE-89", ())
    assert after(result)["users.py"] == CODE.replace(HOLE, SAFE)


async def test_an_exploit_that_does_not_work_counts_for_nothing(tmp_path: Path):
    harmless = EXPLOIT.replace("x' or '1'='1", "bob").replace("== []", "== [(2,)]")
    said = {name: member(SAFE, exploit=harmless) for name in "ab"}
    result = await job(shop(tmp_path), Action.SECURE, said, path="users.py")

    assert {item.witness for item in result.findings[0].evidence} == {"bandit"}
    assert "attack" not in result.reason
    assert any("proves nothing" in note for note in result.notes)


async def test_code_without_a_hole_costs_no_patch(tmp_path: Path):
    root = written(tmp_path, {"users.py": CODE.replace(HOLE, SAFE), "test_users.py": TEST})
    prompts: list[str] = []
    said = {name: member(SAFE, findings=()) for name in "ab"}
    result = await job(root, Action.SECURE, said, path="users.py", prompts=prompts)

    assert result.status is Status.NOTHING
    assert not asked(prompts, "Close the security holes")


def app_member(patched: str) -> Callable[[Recorded], str]:
    """Return a member that finds nothing itself and writes the whole body of `listing` anew."""

    def say(request: Recorded) -> str:
        if "review this code for security holes" in request.prompt:
            return json.dumps({"findings": []})
        if "show whether this hole can be used" in request.prompt:
            return "There is none."
        if "Try to break each candidate" in request.prompt:
            return "NO FAULT: A"
        return block("app.py", DEBUGGER + SHELL, patched)

    return say


async def secured_app(root: Path, patched: str, monkeypatch: pytest.MonkeyPatch) -> JobResult:
    programs = recorded_semgrep(root / "programs")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    workspace = written(root / "work", {"app.py": FOUND, ".semgrep.yml": RULES})
    said = {name: app_member(patched) for name in "ab"}
    return await job(workspace, Action.SECURE, said, path="app.py", mode=Mode.QUICK)


async def test_two_tools_that_name_one_weakness_are_one_finding_and_both_fall_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    result = await secured_app(tmp_path, LIST, monkeypatch)

    told = {item.category: item for item in result.findings if item.admitted}
    assert set(told) == {"CWE-78", "security"}
    assert [item.witness for item in told["CWE-78"].evidence] == ["bandit", "semgrep"]
    assert told["CWE-78"].reason == "bandit and semgrep report it"
    assert [item.witness for item in told["security"].evidence] == ["semgrep"]
    assert after(result)["app.py"] == CLEAN
    assert "bandit B602, semgrep debug-left, semgrep no-shell-true no longer reported" in result.reason


async def test_a_patch_after_which_a_rule_of_the_project_still_matches_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    result = await secured_app(tmp_path, DEBUGGER + LIST, monkeypatch)

    assert result.proposal is None
    words = "does not silence what showed the hole: semgrep debug-left still reported"
    assert any(words in item.text for item in result.dissent)
