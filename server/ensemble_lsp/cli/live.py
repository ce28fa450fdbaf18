"""What a person sees while a job runs: lanes on a terminal, one line per step elsewhere. Standard error only."""

from collections import deque
from dataclasses import dataclass, field
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.events import (
    CheckFinished,
    CritiqueMade,
    DissentKept,
    EventBody,
    Finished,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    PhaseEntered,
    PositionTaken,
    RevisionMade,
    SpendReported,
    Started,
)
from ensemble_lsp.core.evidence import Outcome

TAIL_CHARACTERS = 200
"""How much of a member's text is kept for the tail of its lane."""

MARKS = {
    Outcome.PASSED: ("✓", "green"),
    Outcome.FAILED: ("✗", "red"),
    Outcome.TIMED_OUT: ("⧖", "red"),
    Outcome.ERROR: ("!", "yellow"),
    Outcome.NOT_RUN: ("–", "dim"),
}


@dataclass(slots=True)
class Lane:
    """One member's lane."""

    member: str
    family: str
    doing: str = "waiting"
    tail: str = ""
    characters: int = 0
    started: float = 0.0
    seconds: float = 0.0
    spend: Spend = field(default_factory=Spend)
    error: str = ""


class LiveView:
    """Follows the events of one job. A context manager; `event` is called for each."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._lanes: dict[str, Lane] = {}
        self._phase = "gather"
        self._spend = Spend()
        self._lines: deque[Text] = deque(maxlen=8)
        self._now = 0.0
        self._live: Live | None = None

    def __enter__(self) -> "LiveView":
        if not self._quiet and self._console.is_terminal:
            self._live = Live(
                console=self._console, get_renderable=self._render, refresh_per_second=8, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def pause(self) -> None:
        """Give the terminal to a question."""
        if self._live is not None:
            self._live.stop()

    def resume(self) -> None:
        """Take the terminal back."""
        if self._live is not None:
            self._live.start()

    def event(self, body: EventBody, time: float) -> None:
        """Take one event; `time` in seconds since the epoch."""
        self._now = time
        match body:
            case Started():
                for seat in body.panel:
                    self._lanes[seat.member] = Lane(seat.member, seat.family)
                estimate = body.estimate
                self._say(
                    Text(
                        f"{body.action.value} ({body.mode.value}): {len(body.panel)} members, "
                        f"about {estimate.calls_expected} calls and ${estimate.usd_expected:.3f}, "
                        f"never more than {estimate.calls_bound} and ${estimate.usd_bound:.2f}"
                    )
                )
                for note in body.notes:
                    self._say(Text(note, style="yellow"))
            case PhaseEntered():
                self._phase = body.phase.value
                round_ = f" {body.round}" if body.round else ""
                self._say(
                    Text(f"{body.phase.value}{round_}{': ' if body.note else ''}{body.note}", style="bold")
                )
            case MemberStarted():
                lane = self._lane(body.member, body.family)
                lane.doing, lane.tail, lane.characters, lane.started = body.purpose, "", 0, time
                lane.error = ""
            case MemberDelta():
                lane = self._lane(body.member)
                lane.tail = (lane.tail + body.text)[-TAIL_CHARACTERS:]
                lane.characters += len(body.text)
            case MemberFinished():
                self._finished(body)
            case _:
                self._step(body)

    def _finished(self, body: MemberFinished) -> None:
        lane = self._lane(body.member)
        lane.spend = lane.spend + body.spend
        lane.seconds = body.seconds
        lane.doing = "cancelled" if body.cancelled else "failed" if body.error else "answered"
        lane.error = body.error or ""
        cost = f", ${body.spend.usd:.4f}" if body.spend.usd else ""
        kept = " (kept answer)" if body.cached else ""
        text = Text(f"  {body.member}: {body.purpose} {lane.doing} in {body.seconds:.1f} s{cost}{kept}")
        if body.error:
            text.append(f": {body.error}", style="red")
        self._say(text)

    def _step(self, body: EventBody) -> None:
        match body:
            case CheckFinished():
                mark, style = MARKS[body.outcome]
                about = f"{body.about}: " if body.about else "as it is: "
                self._say(Text.assemble("  ", (mark, style), f" {about}{body.witness} {body.summary}"))
            case CritiqueMade():
                verdict = "broke it" if body.broke else "did not break it"
                self._say(Text(f"  {body.from_member} attacks {body.about}: {body.claim} ({verdict})"))
            case RevisionMade():
                bent = " without new evidence" if body.conformity else ""
                self._say(Text(f"  {body.member} {body.outcome} {body.about}{bent}"))
            case PositionTaken():
                moved = f", moved by {body.because or 'nothing new'}" if body.moved else ""
                self._say(Text(f"  {body.member}: {body.stance}{moved}"))
            case DissentKept():
                self._say(Text(f"  dissent of {body.dissent.member}: {body.dissent.text}", style="dim"))
            case SpendReported():
                self._spend = body.spend
            case Finished():
                self._spend = body.spend
            case _:
                pass

    def _lane(self, member: str, family: str = "") -> Lane:
        return self._lanes.setdefault(member, Lane(member, family))

    def _say(self, line: Text) -> None:
        self._lines.append(line)
        if self._live is None and not self._quiet:
            self._console.print(line, soft_wrap=True)

    def _render(self) -> RenderableType:
        table = Table(box=None, pad_edge=False, expand=True, show_header=False)
        table.add_column(no_wrap=True, style="bold")
        table.add_column(no_wrap=True, style="dim")
        table.add_column(no_wrap=True)
        table.add_column(no_wrap=True, justify="right", style="dim")
        table.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
        for lane in self._lanes.values():
            seconds = max(self._now - lane.started, 0.001) if lane.started else 0.001
            # Four characters a token: the usual rule of thumb, good enough for a speed.
            speed = f"{lane.characters / 4 / seconds:.0f} tok/s" if lane.characters else ""
            cost = f"${lane.spend.usd:.4f}" if lane.spend.usd else ""
            tail = lane.error or " ".join(lane.tail.split())
            table.add_row(
                lane.member, lane.family, lane.doing, f"{speed} {cost}", Text(tail[-80:], style="dim")
            )
        total = Text(
            f"{self._phase} · {self._spend.calls} calls · "
            f"{(self._spend.tokens_in + self._spend.tokens_out) / 1000:.1f}k tokens · ${self._spend.usd:.4f}"
            " · Ctrl-C keeps what was answered",
            style="dim",
        )
        return Group(*self._lines, table, total)
