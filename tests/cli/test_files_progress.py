"""What a person sees of a review of several files: how far it is, findings as they come, and no mixed-up steps."""

import io
from collections.abc import Sequence

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.steps import minutes
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import (
    Action,
    CheckFinished,
    Estimate,
    EventBody,
    FindingMade,
    JobEvent,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    Mode,
    Phase,
    PhaseEntered,
    Seat,
    SpendReported,
    Started,
)
from ensemble_lsp.core.evidence import Outcome, Severity
from ensemble_lsp.core.findings import Band, Finding

START = Started(
    action=Action.REVIEW,
    uri="file:///shop",
    panel=(
        Seat(member="a", family="fam-a", model="openai/a"),
        Seat(member="b", family="fam-b", model="openai/b"),
    ),
    estimate=Estimate(
        calls_expected=9,
        calls_bound=20,
        usd_expected=0.1,
        usd_bound=3.0,
        tokens_expected=12_000,
        seconds_expected=300.0,
        usd_cap=0.5,
    ),
    mode=Mode.PANEL,
)


def begins(file: int, path: str) -> PhaseEntered:
    return PhaseEntered(phase=Phase.GATHER, note=path, file=file, files=3, done=file - 1)


def answers(member: str, **fields: object) -> list[EventBody]:
    spend = Spend(calls=1, tokens_in=100, tokens_out=60, usd=0.01)
    ended = {"member": member, "purpose": "draft", "spend": spend, "seconds": 2.0, **fields}
    return [
        MemberStarted(member=member, family=f"fam-{member}", purpose="draft"),
        MemberDelta(member=member, text='{"findings": ['),
        MemberFinished.model_validate(ended),
    ]


def found(title: str, *, admitted: bool = True) -> FindingMade:
    return FindingMade(
        finding=Finding(
            id=title,
            path="pay.py",
            line=3,
            end_line=3,
            quote="x",
            severity=Severity.WARNING,
            category="bug",
            title=title,
            detail="",
            confidence=0.5,
            band=Band.MEDIUM,
            members=("a",),
            families=("fam-a",),
            admitted=admitted,
            reason="",
        )
    )


def check(outcome: Outcome, summary: str) -> CheckFinished:
    return CheckFinished(witness="ruff", target="pay.py", outcome=outcome, summary=summary)


TWO_FILES: list[EventBody] = [
    START,
    begins(1, "cart.py"),
    begins(2, "pay.py"),
    PhaseEntered(phase=Phase.DRAFT),
    *answers("a"),
    check(Outcome.FAILED, "pay.py:1: I001 unsorted"),
    check(Outcome.NOT_RUN, "ruff is not installed"),
    check(Outcome.NOT_RUN, "ruff is not installed"),
    *answers("b", error="b: no credit left"),
    *answers("b", error="b: no credit left"),
    found("It rounds twice"),
    found("It may be slow", admitted=False),
    SpendReported(spend=Spend(calls=3, tokens_in=900, tokens_out=180, usd=0.02)),
]


def shown(bodies: Sequence[EventBody], *, width: int | None = None) -> list[str]:
    """Return the lines after these events, a second apart; with `width` those of a terminal's live part."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=width is not None, width=width or 200, height=24)
    view = LiveView(console, clock=lambda: 1000.0 + len(bodies))
    for number, body in enumerate(bodies):
        view.event(JobEvent(job="j1", seq=number, time=1000.0 + number, body=body))
    if width is None:
        return file.getvalue().splitlines()
    with console.capture() as live:
        console.print(view.rendered(), no_wrap=True)
    return [Text.from_ansi(line).plain for line in live.get().splitlines()]


def test_without_a_terminal_each_file_has_a_line_and_steps_of_files_do_not_mix():
    assert shown(TWO_FILES) == [
        "review (panel): 2 members, about 9 calls, 12k tokens and $0.100 in 5 min, never more than 20 calls and $0.50",
        "cart.py (0/3 files · 0 findings · $0.00 of $0.50 · about 5 min left)",
        "pay.py (1/3 files · 0 findings · $0.00 of $0.50 · about 2 s left)",
        "  – as it is: ruff ruff is not installed",
        "  b: draft failed after 2.0 s, $0.0100: no credit left",
        "  pay.py:4: warning: It rounds twice",
    ]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_how_to_stop_and_how_far_it_is_fit_any_terminal(width: int):
    lines = shown(TWO_FILES, width=width)

    money = "$0.02" if width < 80 else "$0.02 of $0.50"
    assert lines[-2] == f"1/3 files · 1 finding · {money} · about 36 s left"
    assert lines[-1] == "pay.py · 19 s · Ctrl-C keeps what was answered"
    assert all(cell_len(line) < width for line in lines)


def test_of_a_long_path_the_beginning_goes_and_what_is_echoed_has_room():
    long = begins(3, "packages/billing/src/billing/domain/discounts.py")
    *_, last = shown([*TWO_FILES, long], width=60)

    assert last == "…ain/discounts.py · 20 s · Ctrl-C keeps what was answered"
    assert cell_len(f"{last}^C") < 60


def test_lanes_count_answers_since_texts_of_several_files_would_mix():
    first, second, *_ = shown(TWO_FILES, width=120)

    assert first.split() == ["a", "fam-a", "1", "answer", "$0.0100"]
    assert second.split() == ["b", "fam-b", "0", "answers,", "2", "failed", "$0.0200"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (59.4, "59 s"), (59.6, "1 min"), (61, "1 min"), (5_399, "90 min"), (5_400, "1.5 h")],
)
def test_a_time_is_said_as_a_person_does(seconds: float, said: str):
    assert minutes(seconds) == said
