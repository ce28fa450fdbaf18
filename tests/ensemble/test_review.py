"""A review, from what the members say to what the person reads. Each admission rule is a test by name."""

import pytest

from ensemble_lsp.core.errors import CheckError, ModelUnavailable, UsageError
from ensemble_lsp.core.events import CritiqueMade, DissentKept, FindingMade, Mode, Status
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.ensemble.actions.review import run
from tests.ensemble.reading_panel import (
    ToldChecks,
    by_purpose,
    diagnostic,
    draft,
    findings,
    leak,
    member,
    table,
    verdict,
    verdicts,
)

SILENT = findings()
STANDS = verdicts(verdict(1, "stands"), verdict(2, "stands"), verdict(3, "stands"))
GUARDED = "from pay import mean\n\ndef test_empty():\n    assert mean([]) == 0\n"


def says(*drafts: dict[str, object]) -> dict[str, object]:
    return findings(*drafts)


async def test_two_families_that_say_the_same_need_no_further_call() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=says(draft(title="ZeroDivisionError for an empty list of values"))),
        }
    )
    result = await run(at.deliberation)
    (finding,) = result.findings
    assert finding.families == ("a", "b")
    assert (finding.line, finding.quote) == (7, "return total / len(values)")
    assert finding.reason == "2 families"
    assert result.status is Status.DONE
    assert result.spend.calls == 2
    assert [event.finding for event in at.of_kind(FindingMade)] == [finding]


async def test_a_singleton_goes_to_a_challenger_of_another_family_and_is_kept_when_it_survives() -> None:
    at = table({"a": by_purpose(draft=SILENT, refute=STANDS), "b": by_purpose(draft=says(draft()))})
    (finding,) = (await run(at.deliberation)).findings
    assert at.members.purposes()[-1] == ("a", "refute")
    assert finding.admitted
    assert finding.reason == "one family; an attempt to refute it failed"


async def test_a_refutation_with_a_cited_line_turns_a_singleton_into_dissent() -> None:
    refuted = verdicts(verdict(line=4, quote="def mean(values):", reason="Callers never pass []."))
    at = table({"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=SILENT, refute=refuted)})
    result = await run(at.deliberation)
    (finding,) = result.findings
    assert not finding.admitted
    assert finding.reason == "refuted by a cited line"
    assert finding.dissent[0].text == "Callers never pass []. [line 4: def mean(values):]"
    assert result.status is Status.NOTHING
    assert len(at.of_kind(DissentKept)) == 2


async def test_a_refutation_without_evidence_does_not_count_as_refuted() -> None:
    refuted = verdicts(verdict(reason="I disagree."))
    at = table({"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=SILENT, refute=refuted)})
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted
    assert finding.reason == "anchor, not refuted; the objection brought no evidence"
    assert finding.dissent[0].text == "I disagree. [no evidence]"


async def test_a_cited_line_that_does_not_exist_is_no_evidence() -> None:
    refuted = verdicts(verdict(line=5, quote="if not values: return 0"))
    at = table({"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=SILENT, refute=refuted)})
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted
    assert not at.of_kind(CritiqueMade)[0].broke


async def test_a_probe_that_passes_on_the_current_code_refutes() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=SILENT, refute=verdicts(verdict(test=GUARDED))),
        },
        checks=ToldChecks(passing=[GUARDED]),
    )
    (finding,) = (await run(at.deliberation)).findings
    assert finding.reason == "refuted by a test that was run"
    assert at.checks.probed == [(GUARDED, False), (GUARDED, True)]


async def test_a_probe_that_fails_is_no_refutation() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=SILENT, refute=verdicts(verdict(test=GUARDED))),
        }
    )
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted


async def test_a_probe_that_passes_whatever_the_code_does_is_no_refutation() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=SILENT, refute=verdicts(verdict(test=GUARDED))),
        },
        checks=ToldChecks(vacuous=[GUARDED]),
    )
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted


async def test_another_members_singleton_is_dropped_when_nobody_answered_the_challenge() -> None:
    at = table({"a": by_purpose(draft=SILENT, refute=verdicts()), "b": by_purpose(draft=says(draft()))})
    (finding,) = (await run(at.deliberation)).findings
    assert not finding.admitted
    assert finding.reason == "one family only, and nobody was asked to refute it"


async def test_a_witness_that_agrees_keeps_a_singleton_without_a_call() -> None:
    checks = ToldChecks(
        diagnostics=[diagnostic(17, "S605", "Starting a process with a shell: injection possible")]
    )
    shell = draft(
        17,
        '    os.system("rm " + path)',
        title="Shell injection through path",
        detail="A process is started.",
        category="security",
    )
    at = table({"a": by_purpose(draft=SILENT), "b": by_purpose(draft=says(shell))}, checks=checks)
    (finding,) = (await run(at.deliberation)).findings
    assert finding.reason == "ruff agrees"
    assert at.deliberation.budget.spent.calls == 2


async def test_a_witness_next_to_a_finding_that_says_something_else_does_not_back_it() -> None:
    checks = ToldChecks(diagnostics=[diagnostic(8, "F999", "Star import shadows builtins")])
    at = table(
        {"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=SILENT, refute=STANDS)}, checks=checks
    )
    result = await run(at.deliberation)
    assert [finding.reason for finding in result.findings if finding.members] == [
        "anchor, an attempt to refute it failed"
    ]


async def test_two_families_refute_each_other() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft()), refute=STANDS),
            "b": by_purpose(draft=says(leak()), refute=STANDS),
        }
    )
    result = await run(at.deliberation)
    assert sorted(at.members.purposes()[2:]) == [("a", "refute"), ("b", "refute")]
    for request in at.members.requests[2:]:
        own = "Division by zero" if request.member.id == "a" else "never closed"
        assert own not in request.messages[-1].content
    assert all(finding.admitted for finding in result.findings)


async def test_a_family_that_has_not_spoken_challenges_all_in_one_call() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=says(leak())),
            "c": by_purpose(draft=SILENT, refute=STANDS),
        }
    )
    await run(at.deliberation)
    assert at.members.purposes()[3:] == [("c", "refute")]


async def test_a_contested_critical_goes_to_the_strong_member() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft(severity="critical"))),
            "b": by_purpose(draft=SILENT, refute=verdicts(verdict(line=4, quote="def mean(values):"))),
            "s": by_purpose(escalate=verdicts(verdict(1, "stands"))),
        },
        strong=member("s"),
    )
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted
    assert finding.reason == "contested, upheld by the strong member"
    assert "line 4: def mean(values):" in at.members.tasks("escalate")[0]


async def test_a_critical_that_two_families_raised_is_challenged_all_the_same() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft(severity="critical"))),
            "b": by_purpose(draft=says(draft(severity="critical"))),
            "c": by_purpose(draft=SILENT, refute=verdicts(verdict(line=4, quote="def mean(values):"))),
            "s": by_purpose(escalate=verdicts(verdict(1, "refuted"))),
        },
        strong=member("s"),
    )
    (finding,) = (await run(at.deliberation)).findings
    assert not finding.admitted
    assert finding.reason == "contested, refuted by the strong member"


async def test_quick_asks_two_and_never_the_strong_member() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft(severity="critical"))),
            "b": by_purpose(draft=SILENT, refute=verdicts(verdict(line=4, quote="def mean(values):"))),
            "s": by_purpose(),
        },
        strong=member("s"),
        mode=Mode.QUICK,
    )
    result = await run(at.deliberation)
    assert result.spend.calls == 3


async def test_lines_that_the_change_did_not_touch_are_labelled_and_off() -> None:
    at = table(
        {"a": by_purpose(draft=says(draft(), leak())), "b": by_purpose(draft=says(draft(), leak()))},
        changed_lines={"pay.py": (LineRange(start=11, end=13),)},
    )
    result = await run(at.deliberation)
    admitted, other = result.findings
    assert (admitted.title, admitted.changed_lines) == ("File handle is never closed", True)
    assert (other.admitted, other.changed_lines) == (False, False)
    assert other.reason == "on lines that the change did not touch (else kept: 2 families)"


async def test_what_lies_outside_the_selection_is_not_admitted() -> None:
    at = table(
        {"a": by_purpose(draft=says(leak())), "b": by_purpose(draft=says(leak()))},
        selection=LineRange(start=3, end=7),
    )
    (finding,) = (await run(at.deliberation)).findings
    assert finding.reason == "outside the selection"


async def test_an_ungrounded_finding_is_kept_as_dissent_with_the_reason() -> None:
    at = table(
        {"a": by_purpose(draft=says(draft(quote="return total // count"))), "b": by_purpose(draft=SILENT)}
    )
    result = await run(at.deliberation)
    assert result.findings == ()
    assert "dropped: the quoted line is not in pay.py" in result.dissent[0].text


async def test_unsure_pairs_are_put_to_the_cheapest_member_in_one_call() -> None:
    other = draft(title="Empty input is not handled", detail="With no values the quotient is undefined.")
    at = table(
        {
            "a": by_purpose(draft=says(draft()), refute=STANDS),
            "b": by_purpose(draft=says(other), compare={"same": [1]}, refute=STANDS),
        },
        members=[member("a"), member("b", price_in=0.1, price_out=0.1)],
    )
    result = await run(at.deliberation)
    assert ("b", "compare") in at.members.purposes()
    assert [finding.families for finding in result.findings] == [("a", "b")]


async def test_one_family_only_works_says_so_and_is_less_sure() -> None:
    alone = table(
        {
            "a": by_purpose(draft=says(draft()), refute=STANDS),
            "b": by_purpose(draft=says(draft()), refute=STANDS),
        },
        families={"a": "qwen", "b": "qwen"},
    )
    both = table({"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=says(draft()))})
    result, of_two = await run(alone.deliberation), await run(both.deliberation)
    assert any("one family only" in note for note in result.notes)
    assert result.findings[0].confidence < of_two.findings[0].confidence


async def test_a_panel_of_one_member_speaks_twice_in_two_wordings() -> None:
    at = table({"a": by_purpose(draft=says(draft()), refute=STANDS)})
    result = await run(at.deliberation)
    first, second = at.members.tasks("draft")
    assert first != second
    assert result.findings[0].admitted
    assert result.spend.calls <= 4


async def test_a_secret_in_a_quote_is_matched_but_never_reported() -> None:
    code = 'TOKEN = "hunter2-hunter2"\n'
    at = table(
        {
            "a": by_purpose(draft=says(draft(1, 'TOKEN = "[REDACTED-1]"', title="Token in source"))),
            "b": by_purpose(draft=says(draft(1, 'TOKEN = "[REDACTED-1]"', title="Token in source"))),
        },
        code=code,
        secret=("hunter2-hunter2", "[REDACTED-1]"),
    )
    result = await run(at.deliberation)
    assert result.findings[0].quote == 'TOKEN = "[REDACTED-1]"'
    assert "hunter2" not in repr((result, at.events, at.members.requests))


async def test_a_tool_alone_is_reported_when_it_speaks_of_behaviour_and_not_of_style() -> None:
    checks = ToldChecks(
        diagnostics=[
            diagnostic(17, "S605", "Starting a process with a shell", severity="critical"),
            diagnostic(1, "I001", "Import block is un-sorted"),
            diagnostic(1, "F401", "`os` imported but unused"),
        ]
    )
    at = table({"a": by_purpose(draft=SILENT), "b": by_purpose(draft=SILENT)}, checks=checks)
    (finding,) = (await run(at.deliberation)).findings
    assert (finding.members, finding.category, finding.line) == ((), "security", 16)
    assert finding.reason == "ruff reports it"


async def test_no_findings_is_nothing() -> None:
    at = table({"a": by_purpose(draft=SILENT), "b": by_purpose(draft=SILENT)})
    result = await run(at.deliberation)
    assert (result.status, result.reason) == (Status.NOTHING, "no findings")


async def test_tools_that_cannot_run_are_a_note_and_no_end() -> None:
    at = table(
        {"a": by_purpose(draft=says(draft())), "b": by_purpose(draft=says(draft()))},
        checks=ToldChecks(error=CheckError("ruff is not installed")),
    )
    result = await run(at.deliberation)
    assert result.status is Status.DONE
    assert "the tools could not be run: ruff is not installed" in result.notes


async def test_one_silent_member_does_not_end_the_review() -> None:
    at = table(
        {
            "a": by_purpose(draft=says(draft())),
            "b": by_purpose(draft=ModelUnavailable("connection refused", member="b"), refute=STANDS),
        }
    )
    result = await run(at.deliberation)
    assert result.findings[0].admitted
    assert "b did not answer: connection refused" in result.notes


async def test_all_members_silent_is_a_failure_with_the_first_reason() -> None:
    down = by_purpose(draft=ModelUnavailable("connection refused"))
    result = await run(table({"a": down, "b": down}).deliberation)
    assert (result.status, result.reason) == (Status.FAILED, "connection refused")


async def test_without_a_file_there_is_nothing_to_review() -> None:
    at = table({"a": by_purpose()}, code=None)
    with pytest.raises(UsageError):
        await run(at.deliberation)


def _small(ident: str, family: str, *, local: bool = True) -> Member:
    return member(ident, family, local=local, edit_format="whole")


@pytest.mark.parametrize(
    ("seats", "kept"),
    [
        ((_small("a", "one"), _small("b", "one")), False),
        ((_small("a", "one"), _small("b", "two")), True),
        ((_small("a", "one", local=False), _small("b", "one", local=False)), True),
    ],
    ids=["one-family", "two-families", "not-small"],
)
async def test_one_small_models_word_alone_is_kept_back_where_no_other_family_sits(
    seats: tuple[Member, Member], kept: bool
) -> None:
    scripts = {
        "a": by_purpose(draft=says(draft()), refute=STANDS),
        "b": by_purpose(draft=SILENT, refute=STANDS),
    }
    at = table(scripts, members=seats)
    result = await run(at.deliberation)
    (finding,) = result.findings
    assert finding.admitted is kept
    # What will not be shown costs no call.
    assert ("refute" in {purpose for _member, purpose in at.members.purposes()}) is kept
    if not kept:
        assert finding.reason == "one small model alone says so, and no other family sits here"
        assert any("Division by zero" in item.text for item in result.dissent)


async def test_two_small_members_of_one_family_that_say_the_same_are_heard() -> None:
    both = by_purpose(draft=says(draft()), refute=STANDS)
    at = table({"a": both, "b": both}, members=(_small("a", "one"), _small("b", "one")))
    (finding,) = (await run(at.deliberation)).findings
    assert finding.admitted
