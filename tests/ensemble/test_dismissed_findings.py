"""A review leaves out what was dismissed, and knows it again by the code, not by a model's words."""

from collections.abc import Callable

import pytest

from ensemble_lsp.checks.witnesses import syntax
from ensemble_lsp.core.events import FindingMade, Status
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.actions.review import run
from ensemble_lsp.ensemble.merged_results import merge_results
from tests.ensemble.reading_panel import (
    CODE,
    Table,
    ToldChecks,
    by_purpose,
    diagnostic,
    draft,
    findings,
    leak,
    table,
    verdicts,
)

DIVISION = "    return total / len(values)"

Dismissal = Callable[[str, str], str | None]


class ParsingChecks(ToldChecks):
    """Checks that know the symbols of a file, as the real ones do."""

    def enclosing(self, path: str, text: str, line: int) -> tuple[str, int, int] | None:
        return syntax.enclosing(path, text, line)


async def _reviewed(
    *drafts: dict[str, object],
    code: str = CODE,
    dismissed: Dismissal = lambda _path, _fingerprint: None,
    checks: ToldChecks | None = None,
) -> tuple[Table, JobResult]:
    """Review `code`, of which both members say the same."""
    answer = by_purpose(draft=findings(*drafts), refute=verdicts())
    at = table({"a": answer, "b": answer}, code=code, checks=checks or ParsingChecks())
    at.deliberation.dismissal = dismissed
    return at, await run(at.deliberation)


async def _found(code: str = CODE, line: int = 8, **said: object) -> Finding:
    """Return what is found when both speak of one line (1-based) of the code."""
    _, result = await _reviewed(draft(line, code.splitlines()[line - 1], **said), code=code)
    (finding,) = result.findings
    return finding


def _only(fingerprint: str, reason: str = "wontfix") -> Dismissal:
    return lambda _path, other: reason if other == fingerprint else None


async def test_a_dismissed_finding_is_not_shown_and_not_lost() -> None:
    known = await _found()
    at, result = await _reviewed(draft(), dismissed=_only(known.fingerprint))
    (finding,) = result.findings
    assert not finding.admitted
    assert finding.dismissed == "wontfix"
    assert finding.reason == "dismissed: wontfix"
    assert result.status is Status.NOTHING
    assert result.reason == "no findings, 1 left out because you dismissed it"
    assert not at.of_kind(FindingMade)


async def test_others_of_the_same_review_are_shown() -> None:
    known = await _found()
    _, result = await _reviewed(draft(), leak(), dismissed=_only(known.fingerprint))
    assert [item.title for item in result.findings if item.admitted] == ["File handle is never closed"]
    assert result.status is Status.DONE
    assert result.reason == "1 finding, 1 left out because you dismissed it"


async def test_what_was_dismissed_is_put_to_no_challenger() -> None:
    scripts = {
        "a": by_purpose(draft=findings(draft())),
        "b": by_purpose(draft=findings(), refute=verdicts()),
    }
    asked = table(scripts, checks=ParsingChecks())
    (known,) = (await run(asked.deliberation)).findings
    assert ("b", "refute") in asked.members.purposes()
    at = table(scripts, checks=ParsingChecks())
    at.deliberation.dismissal = _only(known.fingerprint)
    await run(at.deliberation)
    assert {purpose for _, purpose in at.members.purposes()} == {"draft"}


async def test_a_message_of_a_tool_is_known_by_its_rule() -> None:
    checks = ParsingChecks(
        diagnostics=[
            diagnostic(17, "S605", "Starting a process with a shell"),
            diagnostic(17, "S607", "Starting a process with a partial path"),
            diagnostic(17, "B009", "Do not call getattr with a constant"),
        ]
    )
    _, first = await _reviewed(checks=checks)
    prints = {item.evidence[0].summary.split(":")[0]: item.fingerprint for item in first.findings}
    assert len(set(prints.values())) == len(prints) == 2
    _, again = await _reviewed(checks=checks, dismissed=_only(prints["S605"]))
    assert [item.evidence[0].summary.split(":")[0] for item in again.findings if item.admitted] == ["B009"]


@pytest.mark.parametrize(
    ("what", "code", "line"),
    [
        ("lines above", f"# one\n# two\n{CODE}", 10),
        ("other code around", CODE.replace("    total = 0\n", "    total = 0.0\n    count = 1\n"), 9),
        ("more indentation", CODE.replace(DIVISION, f"    if True:\n    {DIVISION}"), 9),
        ("blanks", CODE.replace("total / len", "total  /  len"), 8),
        ("line endings", CODE.replace("\n", "\r\n"), 8),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value and "\n" not in value else "",
)
async def test_it_is_the_same_after(what: str, code: str, line: int) -> None:
    del what
    assert (await _found(code, line)).fingerprint == (await _found()).fingerprint


async def test_it_is_the_same_in_another_models_words() -> None:
    reworded = await _found(
        title="An empty sequence crashes it", detail="No guard against zero length.", severity="critical"
    )
    assert reworded.id != (await _found()).id
    assert reworded.fingerprint == (await _found()).fingerprint


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (CODE.replace("total / len(values)", "total / max(1, len(values))"), 8),
        (CODE.replace("def mean", "def average"), 8),
    ],
    ids=["the line itself changed", "the function has another name"],
)
async def test_it_is_another_one_when(code: str, line: int) -> None:
    assert (await _found(code, line)).fingerprint != (await _found()).fingerprint


async def test_another_category_on_the_same_line_is_another_one() -> None:
    assert (await _found(category="security")).fingerprint != (await _found()).fingerprint


async def test_the_same_line_in_another_function_is_another_one() -> None:
    twice = f"{CODE}\n\n{CODE.replace('def mean', 'def median')}"
    at = twice.splitlines().index(DIVISION, 8) + 1
    first, second = await _found(twice, 8), await _found(twice, at)
    assert (first.line, second.line) == (7, at - 1)
    assert first.fingerprint == (await _found()).fingerprint
    assert second.fingerprint != first.fingerprint


async def test_of_equal_lines_in_one_function_only_the_one_meant_is_known() -> None:
    code = "def swap(a):\n    a.pop()\n    a.sort()\n    a.pop()\n"
    first, second = await _found(code, 2), await _found(code, 4)
    assert first.fingerprint != second.fingerprint
    third = await _found(code + "    a.pop()\n", 2)
    assert third.fingerprint not in {first.fingerprint, second.fingerprint}


async def test_a_secret_in_the_line_is_no_part_of_it() -> None:
    prints: set[str] = set()
    for number, secret in enumerate(("hunter2hunter2", "correct-horse")):
        code = f"def connect():\n    return login('{secret}')\n"
        answer = by_purpose(
            draft=findings(draft(2, f"    return login('PLACE_{number}')")), refute=verdicts()
        )
        at = table(
            {"a": answer, "b": answer},
            code=code,
            checks=ParsingChecks(),
            secret=(secret, f"PLACE_{number}"),
        )
        found = (await run(at.deliberation)).findings
        # Beside the members' finding there is one of the credential itself.
        prints |= {finding.fingerprint for finding in found}
        assert len(found) == 2
    assert len(prints) == 2


async def test_a_review_of_several_files_says_how_many_it_left_out() -> None:
    known = await _found()
    _, result = await _reviewed(draft(), leak(), dismissed=_only(known.fingerprint))
    merged = merge_results([result, result.model_copy(update={"findings": ()})])
    assert merged.reason == "1 finding in 2 files, 1 left out because you dismissed it"
