"""The live view: lanes for any width, steps in one line, nothing raw from a model, plain without a terminal."""

import io
import re
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console

from ensemble_lsp.cli.lanes import Lane, lane_lines, last_cells
from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.terminal import one_line, printable
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import (
    Action,
    CheckFinished,
    CritiqueMade,
    DissentKept,
    Estimate,
    EventBody,
    Finished,
    JobEvent,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    Mode,
    Phase,
    PhaseEntered,
    PositionTaken,
    RevisionMade,
    Seat,
    SpendReported,
    Started,
    Status,
)
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent
from tests.cli.conftest import ESCAPES

RAW = ("\x1b", "\x07", "\x9b", "\u202e")


def started(*members: str, note: str = "") -> Started:
    return Started(
        action=Action.FIX,
        uri="file:///shop/cart.py",
        panel=tuple(
            Seat(member=member, family=f"fam-{member}", model=f"openai/{member}") for member in members
        ),
        estimate=Estimate(calls_expected=2, calls_bound=8, usd_expected=0.01, usd_bound=0.2),
        mode=Mode.PANEL,
        notes=(note,) if note else (),
    )


def answering(member: str, text: str) -> list[EventBody]:
    return [
        MemberStarted(member=member, family=f"fam-{member}", purpose="draft"),
        MemberDelta(member=member, text=text),
    ]


def finished(member: str, **fields: object) -> MemberFinished:
    spend = Spend(calls=1, tokens_in=100, tokens_out=60, usd=0.0123)
    return MemberFinished.model_validate(
        {"member": member, "purpose": "draft", "spend": spend, "seconds": 2.0, **fields}
    )


def shown(
    bodies: Sequence[EventBody], *, terminal: bool = False, width: int = 100, quiet: bool = False
) -> str:
    """Return what stands on standard error after these events, a second apart."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=width, height=24, highlight=False)
    view = LiveView(console, quiet=quiet, clock=lambda: 1000.0 + len(bodies))
    for number, body in enumerate(bodies):
        view.event(JobEvent(job="j1", seq=number, time=1000.0 + number, body=body))
    if terminal:
        console.print(view.rendered())
    return file.getvalue()


def test_without_a_terminal_there_is_one_plain_line_a_step():
    said = shown(
        [
            started("a", "b", note="one family only"),
            PhaseEntered(phase=Phase.GATHER),
            PhaseEntered(phase=Phase.GATHER),
            CheckFinished(witness="pytest", target="t", outcome=Outcome.FAILED, summary="1 failed"),
            PhaseEntered(phase=Phase.DRAFT),
            *answering("a", "text\nof a\n"),
            finished("a"),
            finished("b", error="b: no credit left"),
            CheckFinished(
                witness="pytest", target="t", outcome=Outcome.PASSED, summary="3 passed", about="c1"
            ),
            PhaseEntered(phase=Phase.CRITIQUE, round=1),
            CritiqueMade.model_validate(
                {"from": "b", "about": "c1", "claim": "Breaks\non None.", "evidence": "", "broke": False}
            ),
            RevisionMade(member="a", about="c1", outcome="kept", conformity=True),
            PositionTaken(member="a", stance="Yes.", round=1, moved=True, because="the log"),
        ]
    )

    assert said == (
        "fix (panel): 2 members, about 2 calls and $0.010, never more than 8 calls and $0.20\n"
        "one family only\n"
        "gather\n"
        "  ✗ as it is: pytest 1 failed\n"
        "draft\n"
        "  a: draft answered after 2.0 s, $0.0123\n"
        "  b: draft failed after 2.0 s, $0.0123: no credit left\n"
        "  ✓ c1: pytest 3 passed\n"
        "critique 1\n"
        "  b attacks c1 (did not break it): Breaks on None.\n"
        "  a kept c1 without new evidence\n"
        "  a: Yes. (moved by the log)\n"
    )


def test_quiet_says_nothing():
    assert shown([started("a"), PhaseEntered(phase=Phase.DRAFT), finished("a")], quiet=True) == ""


def test_the_dissent_of_a_whole_draft_is_one_line():
    code = "[breaks what passed before: test_one]\n```python\n" + "x = 1\n" * 200 + "```"
    dissent = Dissent(member="a", family="f", about="c1", text=code)

    said = shown([DissentKept(dissent=dissent), Finished(status=Status.DONE, reason="", spend=Spend())])

    assert said == (
        "  dissent of a: [breaks what passed before: test_one] …\n"
        "  dissent in full: ensemble-lsp show j1 --answers\n"
    )


def test_why_a_check_does_not_run_is_said_once():
    skipped = {"witness": "pytest", "target": "t", "outcome": Outcome.NOT_RUN, "summary": "not trusted"}

    said = shown([CheckFinished.model_validate({**skipped, "about": about}) for about in ("", "c1", "c2")])

    assert said.count("not trusted") == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(width: int):
    bodies = [
        started("a-member-with-a-long-name", "b", "日本語モデル"),
        PhaseEntered(phase=Phase.DRAFT),
        *answering("a-member-with-a-long-name", "total = sum(prices)\n" * 40),
        *answering("日本語モデル", "合計を返す。" * 60),
        finished("b", error="nothing answers at http://127.0.0.1:9/v1 " * 5),
        SpendReported(spend=Spend(calls=1, tokens_in=3000, tokens_out=1100, usd=0.003)),
    ]

    for line in printable_lines(shown(bodies, terminal=True, width=width)):
        assert cell_len(line) <= width


def test_a_wide_lane_has_name_family_phase_speed_cost_and_tail():
    lane = Lane("gpt-5-mini", "openai")
    lane.begin("draft")
    lane.hear("x" * 400, 10.0)
    lane.end(Spend(calls=1, tokens_out=100, usd=0.0042), 3.0, 12.0, error="", cancelled=False)
    lane.begin("critique")
    lane.hear("return total", 20.0)

    (line,) = lane_lines([lane], 120, 10, 21.0)

    assert line.plain.split() == [
        "gpt-5-mini",
        "openai",
        "critique",
        "3",
        "tok/s",
        "$0.0042",
        "return",
        "total",
    ]


def test_a_narrow_lane_has_its_text_on_a_second_line():
    lane = Lane("gpt-5-mini", "openai")
    lane.begin("draft")
    lane.hear("total = " * 30 + "the end", 10.0)

    head, tail = lane_lines([lane], 60, 10, 11.0)

    assert head.plain.startswith("gpt-5-mini")
    assert tail.plain.endswith("the end")
    assert tail.cell_len <= 60


def test_fifteen_lanes_on_a_low_terminal_show_those_that_work():
    lanes = [Lane(f"m{number}", "f") for number in range(15)]
    lanes[14].begin("draft")

    lines = [line.plain for line in lane_lines(lanes, 60, 6, 0.0)]

    assert len(lines) == 6
    assert lines[0].startswith("m14")
    assert lines[-1] == "… and 10 more"


def test_the_tail_is_measured_in_cells():
    assert last_cells("日本語", 4) == "本語"
    assert last_cells("abc", 10) == "abc"
    assert last_cells("abc", 0) == ""


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_that_a_member_or_a_repository_says_reaches_the_terminal_raw(terminal: bool):
    said = shown(
        [
            started(f"a{ESCAPES}", note=ESCAPES),
            PhaseEntered(phase=Phase.GATHER, note=ESCAPES),
            *answering(f"a{ESCAPES}", ESCAPES),
            CheckFinished(
                witness="pytest", target="t", outcome=Outcome.FAILED, summary=ESCAPES, about=ESCAPES
            ),
            finished("b", error=ESCAPES),
            CritiqueMade.model_validate(
                {"from": ESCAPES, "about": ESCAPES, "claim": ESCAPES, "evidence": ESCAPES, "broke": True}
            ),
            RevisionMade(member=ESCAPES, about=ESCAPES, outcome="revised"),
            PositionTaken(member=ESCAPES, stance=ESCAPES, round=1, moved=True, because=ESCAPES),
            DissentKept(dissent=Dissent(member=ESCAPES, family="f", about="c", text=ESCAPES)),
        ],
        terminal=terminal,
    )

    # Our own colours are the only sequences: a colour is "ESC [ numbers m".
    bare = re.sub(r"\x1b\[[0-9;]*m", "", said) if terminal else said
    assert "owned" in bare
    for character in RAW:
        assert character not in bare
    assert "\x1b[31mred" not in said


def test_printable_keeps_text_and_replaces_what_drives_a_terminal():
    assert printable("a\tb\nc\u00a0é日\U0001f600") == "a\tb\nc é日\U0001f600"
    assert printable("\x1b[0m\x00\r\x7f\x85\u200b\ud800") == "�[0m" + "�" * 6
    assert one_line(" a\n\n  b\t", 2) == "a…"


def printable_lines(said: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", said).splitlines()
