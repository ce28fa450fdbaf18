"""An explanation, from blind claims to one document."""

import pytest

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.core.errors import ModelUnavailable, UsageError
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.ensemble.actions.explain import run
from tests.ensemble.reading_panel import (
    Script,
    Table,
    ToldChecks,
    by_purpose,
    member,
    table,
    verdict,
    verdicts,
)

Claim = dict[str, object]


def claim(text: str, kind: str = "behaviour", line: int = 0, symbol: str = "") -> Claim:
    return {"kind": kind, "text": text, "line": line, "symbol": symbol}


def claims(*items: Claim) -> dict[str, object]:
    return {"claims": list(items)}


def explaining(scripts: dict[str, Script], mode: Mode = Mode.PANEL, **fields: object) -> Table:
    return table(scripts, action=Action.EXPLAIN, mode=mode, **fields)  # pyright: ignore[reportArgumentType]


MEAN = claim("Computes the arithmetic mean of a list of values.", "purpose", 4, "mean")
MEAN_TOO = claim("It computes the arithmetic mean of values.", "purpose", 4, "mean")
EMPTY_RAISES = claim("Raises ZeroDivisionError when values is an empty list.", line=8, symbol="values")
EMPTY_ZERO = claim("Returns 0 when values is an empty list.", line=8)
LEAKS = claim("The file handle stays open after reading.", "caveat", 12, "handle")
SHOWS_RAISE = """\
import pytest
from pay import mean

def test_it():
    with pytest.raises(ZeroDivisionError):
        mean([])
"""
STANDS = verdicts(*(verdict(number, "stands") for number in range(1, 5)))


async def test_what_two_say_is_stated_without_a_critique() -> None:
    at = explaining({"a": by_purpose(draft=claims(MEAN)), "b": by_purpose(draft=claims(MEAN_TOO))})
    result = await run(at.deliberation)
    assert result.status is Status.DONE
    assert result.spend.calls == 2
    assert "arithmetic mean" in result.document
    assert "contested" not in result.document


async def test_a_single_claim_goes_to_one_critique_by_another_family() -> None:
    at = explaining(
        {"a": by_purpose(draft=claims(MEAN, LEAKS)), "b": by_purpose(draft=claims(MEAN_TOO), critique=STANDS)}
    )
    result = await run(at.deliberation)
    assert at.members.purposes()[2:] == [("b", "critique")]
    assert "an attempt to refute it failed" in result.document


async def test_contradicting_claims_stay_contested_and_both_versions_are_shown() -> None:
    at = explaining(
        {
            "a": by_purpose(draft=claims(MEAN, EMPTY_RAISES), critique=STANDS),
            "b": by_purpose(draft=claims(MEAN_TOO, EMPTY_ZERO), critique=STANDS),
        }
    )
    document = (await run(at.deliberation)).document
    contested = document.split("## What stays contested")[1]
    assert "**Version A** " in contested
    assert "Raises ZeroDivisionError" in contested
    assert "Returns 0 when" in contested


async def test_a_probe_settles_a_contradiction_about_behaviour() -> None:
    shows = verdicts(verdict(1, "stands", test=SHOWS_RAISE))
    at = explaining(
        {
            "a": by_purpose(draft=claims(MEAN, EMPTY_RAISES), critique=verdicts()),
            "b": by_purpose(draft=claims(MEAN_TOO, EMPTY_ZERO), critique=shows),
        },
        checks=ToldChecks(passing=[SHOWS_RAISE]),
    )
    result = await run(at.deliberation)
    assert (
        "ZeroDivisionError when values is an empty list (`values`, line 8). *Shown by a test that was run.*"
        in result.document
    )
    assert "What stays contested" not in result.document
    assert any("Returns 0" in item.text for item in result.dissent)


async def test_a_claim_refuted_by_a_cited_line_is_not_in_the_document() -> None:
    refuted = verdicts(verdict(1, "refuted", line=13, quote="return handle.read()"))
    at = explaining(
        {
            "a": by_purpose(draft=claims(MEAN, LEAKS)),
            "b": by_purpose(draft=claims(MEAN_TOO), critique=refuted),
        }
    )
    result = await run(at.deliberation)
    assert "handle stays open" not in result.document
    assert any("handle stays open" in item.text for item in result.dissent)


async def test_an_objection_without_evidence_leaves_a_single_claim_contested() -> None:
    refuted = verdicts(verdict(1, "refuted", reason="Not so."))
    at = explaining(
        {
            "a": by_purpose(draft=claims(MEAN, LEAKS)),
            "b": by_purpose(draft=claims(MEAN_TOO), critique=refuted),
        }
    )
    document = (await run(at.deliberation)).document
    assert "Against it: Not so. (no evidence)" in document


async def test_citations_that_do_not_exist_are_dropped_and_counted() -> None:
    wrong = claim("Computes the arithmetic mean of values, see line 400.", "purpose", 99, "average_of")
    at = explaining({"a": by_purpose(draft=claims(wrong)), "b": by_purpose(draft=claims(MEAN_TOO))})
    result = await run(at.deliberation)
    assert "3 citations of lines or names that do not exist were dropped" in result.notes
    assert "average_of" not in result.document
    assert "line 99" not in result.document


async def test_quick_asks_no_critique_unless_the_two_disagree() -> None:
    agree = explaining(
        {"a": by_purpose(draft=claims(MEAN, LEAKS)), "b": by_purpose(draft=claims(MEAN_TOO))}, Mode.QUICK
    )
    assert (await run(agree.deliberation)).spend.calls == 2
    differ = explaining(
        {
            "a": by_purpose(draft=claims(EMPTY_RAISES), critique=STANDS),
            "b": by_purpose(draft=claims(EMPTY_ZERO), critique=STANDS),
        },
        Mode.QUICK,
    )
    assert (await run(differ.deliberation)).spend.calls == 4


async def test_one_member_works_and_says_so() -> None:
    at = explaining({"a": by_purpose(draft=claims(MEAN, LEAKS), critique=STANDS)})
    result = await run(at.deliberation)
    assert "arithmetic mean" in result.document
    assert "one member only: where two answers agree, it agrees with itself" in result.document


async def test_one_family_works_and_says_so() -> None:
    at = explaining(
        {"a": by_purpose(draft=claims(MEAN)), "b": by_purpose(draft=claims(MEAN))},
        families={"a": "qwen", "b": "qwen"},
    )
    assert "one family only" in (await run(at.deliberation)).document


async def test_the_footer_names_the_panel_and_the_cost() -> None:
    at = explaining({"a": by_purpose(draft=claims(MEAN)), "b": by_purpose(draft=claims(MEAN))})
    assert "Panel: `a` (a), `b` (b) · 2 calls · 220 tokens · $0.0200" in (await run(at.deliberation)).document


async def test_what_members_write_cannot_smuggle_markup_into_the_document() -> None:
    evil = claim(
        "Computes <img src=x onerror=y> [the mean](command:evil) ![x](https://e.example/p.png)", "purpose"
    )
    at = explaining({"a": by_purpose(draft=claims(evil)), "b": by_purpose(draft=claims(evil))})
    document = (await run(at.deliberation)).document
    assert "<img" not in document
    assert "[the mean](command:" not in document.replace("\\[", "")
    assert "![x](" not in document


async def test_debate_lets_every_member_attack_what_others_claim() -> None:
    attack = by_purpose(
        draft=claims(LEAKS), critique=verdicts(verdict(1, "stands", line=13, quote="return handle.read()"))
    )
    at = explaining(
        {"a": attack, "b": by_purpose(draft=claims(MEAN), critique=verdicts(verdict(1, "stands")))},
        Mode.DEBATE,
        rounds=2,
    )
    result = await run(at.deliberation)
    assert result.spend.calls <= 2 * 3 + 1
    assert at.members.purposes().count(("a", "critique")) >= 1


async def test_a_budget_that_ends_after_the_drafts_still_gives_the_document() -> None:
    at = explaining(
        {"a": by_purpose(draft=claims(MEAN, LEAKS)), "b": by_purpose(draft=claims(MEAN_TOO))},
        limits=Limits(calls=2),
    )
    result = await run(at.deliberation)
    assert result.status is Status.OVER_BUDGET
    assert "arithmetic mean" in result.document
    assert "handle stays open" in result.document.split("not checked by another")[1]


async def test_a_budget_of_nothing_is_over_budget() -> None:
    at = explaining({"a": by_purpose(), "b": by_purpose()}, limits=Limits(calls=0))
    result = await run(at.deliberation)
    assert (result.status, result.document) == (Status.OVER_BUDGET, "")


async def test_nobody_answering_is_a_failure() -> None:
    down = by_purpose(draft=ModelUnavailable("connection refused"))
    result = await run(explaining({"a": down, "b": down}).deliberation)
    assert (result.status, result.reason) == (Status.FAILED, "connection refused")


async def test_small_local_members_are_asked_for_less() -> None:
    at = explaining(
        {"a": by_purpose(draft=claims(MEAN)), "b": by_purpose(draft=claims(MEAN))},
        members=[member("a", local=True), member("b")],
    )
    await run(at.deliberation)
    asked = {request.member.id: request for request in at.members.requests}
    assert asked["a"].max_tokens < asked["b"].max_tokens
    assert "at most 6 claims" in asked["a"].messages[-1].content


async def test_without_a_file_there_is_nothing_to_explain() -> None:
    with pytest.raises(UsageError):
        await run(explaining({"a": by_purpose()}, code=None).deliberation)
