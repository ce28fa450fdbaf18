"""The lanes of a live view: one member each, laid out for the width and height of the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.text import Text

from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.counting import counted

TAIL_CHARACTERS = 400
"""How much of a member's text is kept for the tail of its lane."""

ONE_LINE_WIDTH = 100
"""Columns from which a lane and its tail share a line."""

_CHARACTERS_A_TOKEN = 4
"""The usual rule of thumb; good enough for a speed."""

_STREAMED = 0.5
"""Seconds of writing from which a speed means something; an answer in one piece has none of its own."""

_WIDEST = {"member": (14, 24), "family": (10, 14), "doing": (9, 10), "speed": (9, 9), "cost": (8, 8)}
"""Columns of each part at most: on a narrow terminal, on a wide one."""

_WIDEST_COUNTS = (20, 24)
"""Of "123 answers, 4 failed"."""

_STYLES = {"member": "bold", "family": "dim", "doing": "", "speed": "dim", "cost": "dim"}

_ENDED = frozenset({"answered", "failed", "cancelled"})
_DOING_STYLES = {"answered": "green", "failed": "red", "cancelled": "yellow", "waiting": "dim"}


@dataclass(slots=True)
class Lane:
    """One member's lane. Times are in seconds since the epoch."""

    member: str
    family: str
    doing: str = "waiting"
    tail: str = ""
    characters: int = 0
    first_text: float | None = None
    speed: float | None = None
    """Tokens per second as measured at the end of an answer; None while it runs."""
    spend: Spend = field(default_factory=Spend)
    error: str = ""
    answers: int = 0
    failures: int = 0

    def begin(self, purpose: str) -> None:
        """The member was asked something."""
        self.doing, self.tail, self.characters, self.first_text = purpose, "", 0, None
        self.speed, self.error = None, ""

    def hear(self, text: str, time: float) -> None:
        """The member wrote a piece of text."""
        if self.first_text is None:
            self.first_text = time
        self.tail = (self.tail + text)[-TAIL_CHARACTERS:]
        self.characters += len(text)

    def end(self, spend: Spend, seconds: float, time: float, *, error: str, cancelled: bool) -> None:
        """The member's call is over, after `seconds` in all."""
        self.doing = "cancelled" if cancelled else "failed" if error else "answered"
        self.spend = self.spend + spend
        self.answers += not cancelled and not error
        self.failures += not cancelled and bool(error)
        self.error = error.removeprefix(f"{self.member}: ")
        streamed = time - self.first_text if self.first_text is not None else 0.0
        writing = streamed if streamed >= _STREAMED else seconds
        self.speed = spend.tokens_out / writing if spend.tokens_out and writing > 0 else None

    def parts(self, now: float) -> dict[str, str]:
        """Return what stands in the columns."""
        speed = self.speed
        if speed is None and self.doing not in _ENDED and self.first_text is not None:
            speed = self.characters / _CHARACTERS_A_TOKEN / max(now - self.first_text, _STREAMED)
        return {
            "member": one_line(self.member),
            "family": one_line(self.family),
            "doing": one_line(self.doing),
            "speed": "" if speed is None else f"{speed:.0f} tok/s",
            "cost": f"${self.spend.usd:.4f}" if self.spend.usd else "",
        }

    def counts(self) -> dict[str, str]:
        """Return what stands in the columns where a member works on several files side by side."""
        answers = counted(self.answers, "answer")
        return {
            **self.parts(0.0),
            "doing": answers + (f", {self.failures} failed" if self.failures else ""),
            "speed": "",
        }

    @property
    def says(self) -> str:
        """The error, or the end of what the member wrote, as one line."""
        return one_line(self.error or self.tail)


def lane_lines(
    lanes: Sequence[Lane], width: int, height: int, now: float, *, several: bool = False
) -> list[Text]:
    """Return the lanes as lines of at most `width` cells, at most `height` of them.

    With `several`, members answer about several files at once: they are counted, since their texts would mix.

    One line a lane where it is wide enough, else a second one for its text; where they do not fit, first the
    texts are left out, then the lanes that have nothing to do, with a line that says so.
    """
    wide = width >= ONE_LINE_WIDTH
    shown = list(lanes)
    if len(shown) > height:
        busy_first = sorted(shown, key=lambda lane: lane.doing in {*_ENDED, "waiting"})
        shown = busy_first[: max(height - 1, 0)]
    with_text = (wide or 2 * len(shown) <= height) and not several
    rows = [lane.counts() if several else lane.parts(now) for lane in shown]
    widest = {**_WIDEST, "doing": _WIDEST_COUNTS} if several else _WIDEST
    columns = {
        name: min(max((cell_len(row[name]) for row in rows), default=0), limits[wide])
        for name, limits in widest.items()
    }
    lines: list[Text] = []
    for lane, row in zip(shown, rows, strict=True):
        head = _head(row, columns)
        style = "red" if lane.error else "dim"
        if wide and with_text:
            room = width - head.cell_len - 1
            head.append(" ").append(_fitted(lane, room), style=style)
            lines.append(head)
        else:
            lines.append(head)
            if with_text:
                lines.append(Text("  ").append(_fitted(lane, width - 2), style=style))
    if len(shown) < len(lanes):
        lines.append(Text(f"… and {len(lanes) - len(shown)} more", style="dim"))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines[: max(height, 0)]


def last_cells(text: str, width: int) -> str:
    """Return the end of a line that fills at most `width` cells of a terminal."""
    taken = 0
    for index in range(len(text) - 1, -1, -1):
        taken += cell_len(text[index])
        if taken > width:
            return text[index + 1 :]
    return text if width > 0 else ""


def _head(row: dict[str, str], columns: dict[str, int]) -> Text:
    head = Text()
    for name, room in columns.items():
        if not room:
            continue
        style = _DOING_STYLES.get(row[name], "") if name == "doing" else _STYLES[name]
        part = Text(row[name], style=style)
        part.truncate(room, overflow="ellipsis")
        if name in {"speed", "cost"}:
            part.pad_left(room - part.cell_len)
        else:
            part.pad_right(room - part.cell_len)
        head.append_text(part).append(" ")
    head.rstrip()
    return head


def _fitted(lane: Lane, width: int) -> str:
    """Return the beginning of an error, the end of an answer."""
    says = lane.says
    return says if lane.error else last_cells(says, width)
