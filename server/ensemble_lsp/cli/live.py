"""What a person sees while a job runs: lanes on a terminal, one line per step elsewhere. Standard error only."""

import asyncio
import time
from collections.abc import Callable, Sequence
from types import TracebackType

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from ensemble_lsp.cli.files_progress import FilesProgress
from ensemble_lsp.cli.lanes import ONE_LINE_WIDTH, Lane, lane_lines, last_cells
from ensemble_lsp.cli.steps import step_line
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.events import (
    CheckFinished,
    DissentKept,
    EventBody,
    Finished,
    JobEvent,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    PhaseEntered,
    SpendReported,
    Started,
)
from ensemble_lsp.core.evidence import Outcome

REFRESH_SECONDS = 0.125
"""Between two drawings of the lanes: often enough to look live, seldom enough not to flicker."""

_LINES_AROUND = 4
"""Lines of the terminal that the lanes leave free: the total, and some of what stands above."""


_ECHOED = len("^C") + 1
"""Columns that the last line leaves free: what is echoed there must not wrap, or the lanes could not be taken away."""


_ROOM_FOR_CAP = 80
"""Columns from which the line about several files says of how much the money is."""


class LiveView:
    """Follows the events of one job. An asynchronous context manager; `event` is called for each.

    Steps are printed for good and scroll away; on a terminal the lanes stay below them until the end. All
    drawing happens on the event loop, so that no other thread sees lanes while they change.
    """

    def __init__(
        self,
        console: Console,
        *,
        quiet: bool = False,
        hint: str = "Ctrl-C keeps what was answered",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._console = console
        self._quiet = quiet
        self._clock = clock
        self._lanes: dict[str, Lane] = {}
        self._entered: PhaseEntered | None = None
        self._phase = ""
        self._spend = Spend()
        self._began: float | None = None
        self._not_run: set[tuple[str, str]] = set()
        self._dissents = 0
        self._hint = hint
        self._files = FilesProgress()
        self._live: Live | None = None
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "LiveView":
        if not self._quiet and self._console.is_terminal:
            self._live = Live(
                console=self._console,
                get_renderable=self.rendered,
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                vertical_overflow="crop",
            )
            self._live.start()
            self._ticker = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
            await asyncio.gather(self._ticker, return_exceptions=True)
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

    def stopping(self) -> None:
        """The person wants to stop: say that it was heard."""
        self._hint = "stopping; Ctrl-C again ends at once"
        if self._live is None:
            self._say(Text(f"{self._hint}; what was answered is kept", style="yellow"))

    def event(self, event: JobEvent) -> None:
        """Take one event of the job."""
        if self._began is None:
            self._began = event.time
        self._follow(event.body, event.time)
        self._files.follow(event.body, event.time)
        if not self._is_repeated(event.body):
            self._show(event.body, event.job, event.time)

    def _follow(self, body: EventBody, time: float) -> None:
        match body:
            case Started():
                for seat in body.panel:
                    self._lanes[seat.member] = Lane(seat.member, seat.family)
            case PhaseEntered():
                self._phase = body.phase.value
            case MemberStarted():
                self._lane(body.member, body.family).begin(body.purpose)
            case MemberDelta():
                self._lane(body.member).hear(body.text, time)
            case MemberFinished():
                self._lane(body.member).end(
                    body.spend, body.seconds, time, error=body.error or "", cancelled=body.cancelled
                )
            case SpendReported() | Finished():
                self._spend = body.spend
            case DissentKept():
                self._dissents += 1
            case _:
                pass

    def _is_repeated(self, body: EventBody) -> bool:
        """Whether it says what was just said, or why a check cannot run once more for another candidate."""
        if isinstance(body, PhaseEntered):
            # The engine and the deliberation both say that they gather.
            before, self._entered = self._entered, body
            return body == before
        if isinstance(body, CheckFinished) and body.outcome is Outcome.NOT_RUN:
            told = (body.witness, body.summary)
            known = told in self._not_run
            self._not_run.add(told)
            return known
        return False

    def _show(self, body: EventBody, job: str, time: float) -> None:
        if self._files.several:
            line = self._files.step(body, time, logs_files=not self._console.is_terminal)
        else:
            line = step_line(body)
        if line is not None:
            self._say(line, whole=isinstance(body, Started) or _is_failure(body))
        if isinstance(body, Started):
            for note in body.notes:
                self._say(Text(one_line(note), style="yellow"), whole=True)
        if isinstance(body, Finished) and self._dissents:
            self._say(
                Text(f"  dissent in full: ensemble-lsp show {one_line(job)} --answers", style="dim"),
                whole=True,
            )

    def _lane(self, member: str, family: str = "") -> Lane:
        return self._lanes.setdefault(member, Lane(member, family))

    def _say(self, line: Text, *, whole: bool = False) -> None:
        """Print one step; on a terminal cut to its width, unless the `whole` of it matters."""
        if self._quiet:
            return
        if not self._console.is_terminal:
            self._console.print(line, soft_wrap=True)
        elif whole:
            self._console.print(line)
        else:
            self._console.print(line, no_wrap=True, overflow="ellipsis", crop=True)

    async def _tick(self) -> None:
        # Ends with the view.
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            if self._live is not None:
                self._live.refresh()

    def rendered(self) -> RenderableType:
        """Return the lanes and the total as they stand now."""
        width, height = self._console.width, self._console.height
        now = self._clock()
        lines = lane_lines(
            list(self._lanes.values()),
            width,
            max(1, height - _LINES_AROUND),
            now,
            several=self._files.several,
        )
        return Group(*lines, *self._total(width, now))

    def _total(self, width: int, now: float) -> list[Text]:
        """Return the last lines; how to stop is never cut off, and has a line of its own where it is narrow."""
        spend = self._spend
        calls = counted(spend.calls, "call")
        tokens = f"{(spend.tokens_in + spend.tokens_out) / 1000:.1f}k tokens"
        seconds = f"{max(0.0, now - self._began):.0f} s" if self._began is not None else ""
        if self._files.several:
            files = self._files.line(now, cap=width >= _ROOM_FOR_CAP)
            lines = [[files], [self._files.file, seconds, self._hint]]
        elif width < ONE_LINE_WIDTH:
            lines = [[self._phase or "starting", calls, tokens, f"${spend.usd:.4f}", seconds], [self._hint]]
        else:
            first = self._phase or "starting"
            lines = [[first, calls, tokens, f"${spend.usd:.4f}", seconds, self._hint]]
        return [_fitted(parts, width) for parts in lines]


def _fitted(parts: Sequence[str], width: int) -> Text:
    """Return the parts as one line; of what is too long the beginning of the first part goes."""
    said = [part for part in parts if part]
    text = " · ".join(said)
    room = width - _ECHOED
    excess = cell_len(text) - room
    if excess > 0 and len(said) > 1 and cell_len(said[0]) > excess + 1:
        said[0] = f"…{last_cells(said[0], cell_len(said[0]) - excess - 1)}"
        text = " · ".join(said)
    line = Text(text, style="dim")
    line.truncate(room, overflow="ellipsis")
    return line


def _is_failure(body: EventBody) -> bool:
    return isinstance(body, MemberFinished) and body.error is not None
