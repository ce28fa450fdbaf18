"""What reviewers are asked, and what decides whether two of their findings are one."""

from collections.abc import Sequence

from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import assignment

CATEGORIES = ("bug", "security", "data-loss", "error-handling", "concurrency", "performance", "api", "test")

_ANGLES = (
    "Go through it statement by statement and ask of each: with which input is this wrong?",
    "Take two or three concrete inputs (empty, one, boundary, malformed) and trace what the code does.",
    "Look at the edges first: error paths, resources, types, off-by-one, what callers rely on.",
    "Ask what an attacker, an interrupted run or a second thread could do.",
)
"""One per style: different wordings find different defects, also with the same model."""


def find_task(task: Task, dossier: Dossier, quoting: Quoting, style: int, at_most: int) -> str:
    """Ask for findings, blind."""
    opening = (
        "Task: review this code for defects that matter: wrong results, crashes, security holes, lost data, "
        "leaks, races. No style, no praise, no wishes."
    )
    form = (
        f"Report at most {at_most} findings, the worst first; an empty list if there are none. Of each: path; line "
        "and end line; quote = the one source line it is about, copied exactly, without its number; severity = "
        "critical (wrong results, crash, security, data loss), warning, info or hint; category = one of "
        f"{', '.join(CATEGORIES)}; title = the defect in at most twelve words; detail = with which input or in "
        "which situation it goes wrong, and what happens then; confidence = 0 to 1. Answer in JSON."
    )
    angle = _ANGLES[style % len(_ANGLES)]
    parts = (opening, assignment(task, dossier, quoting), _changed(task), angle, form)
    return "\n\n".join(part for part in parts if part)


def same_issue_task(pairs: Sequence[tuple[str, str]], quoting: Quoting) -> str:
    """Ask which numbered pairs speak of the same underlying issue."""
    listed = "\n\n".join(
        quoting.block(f"pair {number}", f"A: {first}\nB: {second}")
        for number, (first, second) in enumerate(pairs, 1)
    )
    return (
        "Task: each pair below holds two findings about nearly the same lines. Which pairs speak of the same "
        "underlying issue, so that one repair would settle both?\n\n"
        f"{listed}\n\n"
        "Answer in JSON with the numbers of those pairs; an empty list if none."
    )


def _changed(task: Task) -> str:
    ranges = task.changed_lines.get(task.path or "", ())
    if not task.changed_lines or not ranges:
        return ""
    lines = ", ".join(
        f"{lines.start + 1}-{lines.end}" if lines.end - lines.start > 1 else str(lines.start + 1)
        for lines in ranges[:40]
    )
    return f"The change under review touched these lines: {lines}. Report defects on them only."
