"""Which figures stand in the table of all benchmarks, and beside what."""

from collections.abc import Mapping
from dataclasses import dataclass

MASSGEN_FIX = "fix, one of three members wrong"
MASSGEN_LONG = "fix in a file of 270 lines, one wrong"
MASSGEN_REVIEW = "review"


@dataclass(frozen=True, slots=True)
class Ratio:
    """A figure of ours and what it is compared with: names of figures, or a fixed limit."""

    what: str
    ours: str
    beside: str | float
    unit: str = ""
    beside_what: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table, as text."""

    benchmark: str
    what: str
    ours: str = ""
    beside: str = ""
    ratio: str = ""


def line_of(benchmark: str, ratio: Ratio, figures: Mapping[str, object]) -> Line:
    """Return the table's line; a figure that is not there shows as a question mark."""
    ours = figures.get(ratio.ours)
    beside = figures.get(ratio.beside) if isinstance(ratio.beside, str) else ratio.beside
    unit = f" {ratio.unit}" if ratio.unit else ""
    named = f" ({ratio.beside_what})" if ratio.beside_what else ""
    shown = [f"{_number(value)}{unit}" if _is_number(value) else "?" for value in (ours, beside)]
    quotient = ""
    if isinstance(ours, int | float) and isinstance(beside, int | float) and beside:
        quotient = f"{ours / beside:.2f}"
    return Line(benchmark, ratio.what, shown[0], shown[1] + named, quotient)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _number(value: object) -> str:
    return f"{value:,.3g}" if isinstance(value, float) and abs(value) < 100 else f"{value:,.0f}"


def _massgen(question: str, mode: str) -> tuple[Ratio, ...]:
    named = f"{question}, {mode}"
    return tuple(
        Ratio(
            f"{named}: {what}",
            f"{question}.{mode}.{what}",
            f"{question}.MassGen.{what}",
            beside_what="MassGen",
        )
        for what in (
            "calls",
            "tokens sent",
            "tokens received",
            "waits",
            "cpu s",
            "wall s",
            "from first call s",
        )
    )


_EDITS = ("right", "wrong place", "right place, wrong text", "bytes changed elsewhere", "not placed")

RATIOS: Mapping[str, tuple[Ratio, ...]] = {
    "placing": (
        Ratio(
            "one block in 3,000 lines",
            "one block, 3,000 lines.ms",
            "baseline: difflib.SequenceMatcher.ratio over all windows, 3,000 lines.ms",
            "ms",
            "difflib",
        ),
        Ratio("40 files of 300 lines", "40 files of 300 lines.ms", 200.0, "ms", "limit"),
    ),
    "shadow": (
        Ratio("first copy of 5,000 files", "seconds.first copy", "seconds.cp -r", "s", "cp -r"),
        Ratio("the next job's copy", "seconds.incremental", "seconds.cp -r", "s", "cp -r"),
        Ratio("a test as a check", "seconds.check", "seconds.bare pytest", "s", "bare pytest"),
    ),
    "orchestration": (
        Ratio(
            "wall time over the critical path, 6 calls",
            "overhead ratio, median",
            1.0,
            beside_what="calls alone",
        ),
    ),
    "front_start": (
        Ratio("start to `initialize`", "initialize.front", "initialize.bare", "s", "bare pygls"),
        Ratio("start to the first code action", "code_action.front", "code_action.bare", "s", "bare pygls"),
        Ratio("resident memory", "memory.front", "memory.bare", "MB", "bare pygls"),
    ),
    "front_work": (),
    "front_load": (
        Ratio(
            "code action, 15 members stream: p99",
            "code action, streaming: p99 ms",
            "code action, idle: p99 ms",
            "ms",
            "idle",
        ),
    ),
    "neovim": (),
    "aider": (
        *(Ratio(f"edits {name}", f"product.{name}", f"aider.{name}", beside_what="aider") for name in _EDITS),
        *(
            Ratio(f"placing a reply, {size}", f"product.ms, {size}", f"aider.ms, {size}", "ms", "aider")
            for size in ("110 lines", "3,000 lines")
        ),
    ),
    "massgen": (
        Ratio(
            f"{MASSGEN_FIX}, editor: command to proposal",
            f"{MASSGEN_FIX}.editor.wall s",
            f"{MASSGEN_FIX}.MassGen.wall s",
            "s",
            beside_what="MassGen, whole process",
        ),
        Ratio(
            f"{MASSGEN_FIX}, editor: command to proposal",
            f"{MASSGEN_FIX}.editor.wall s",
            f"{MASSGEN_FIX}.MassGen.from first call s",
            "s",
            beside_what="MassGen, from its first call",
        ),
        *(ratio for mode in ("quick", "panel", "debate") for ratio in _massgen(MASSGEN_FIX, mode)),
        *_massgen(MASSGEN_LONG, "panel"),
        *_massgen(MASSGEN_REVIEW, "panel"),
    ),
    "learning": (
        Ratio(
            "calibration error after 300 outcomes",
            "plain.ece after 300",
            "plain.ece unlearned",
            beside_what="unlearned",
        ),
    ),
    "review_whole": (
        Ratio(
            "200 files, a processor second of our own: files",
            "200.files a processor second of our own",
            20,
            beside_what="at least",
        ),
        Ratio(
            "the same review again, from what is kept",
            "200.seconds again",
            "200.seconds",
            unit="s",
            beside_what="the first time",
        ),
    ),
}
"""By benchmark. Those without a ratio have limits of their own; their figures are in the JSON file."""
