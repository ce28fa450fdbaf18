"""What members are asked who look for the place of a fault."""

from collections.abc import Sequence

from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.fixing import LOG_CHARACTERS
from ensemble_lsp.ensemble.prompts.quoting import Quoting, tail
from ensemble_lsp.ensemble.prompts.shared import assignment

_ANGLES = (
    "Follow the failing input through the code by hand until a value goes wrong for the first time.",
    "Begin at the symptom and go backwards: which statement could have produced it?",
    "Ask of every place the failing test runs and passing ones do not: with this input, is it right?",
    "Compare what each function promises with what it does for this input.",
)
"""One per style."""


def locate_task(
    task: Task,
    dossier: Dossier,
    quoting: Quoting,
    style: int,
    *,
    failing: Sequence[Evidence],
    traceback: str,
    at_most: int,
) -> str:
    """Ask for ranked places, blind; what the coverage says is not told, so that it stays a second opinion."""
    opening = "Task: find the place in the code that is wrong. The test is right; the fault is in the code."
    parts = [opening, assignment(task, dossier, quoting)]
    if traceback:
        parts.append(quoting.block("the traceback", tail(traceback, LOG_CHARACTERS)))
    parts += [
        quoting.block(f"{item.witness}: {item.target}", tail(item.log, LOG_CHARACTERS))
        for item in failing[:2]
    ]
    parts += [
        _ANGLES[style % len(_ANGLES)],
        (
            f"Report at most {at_most} places, the most likely one first. Of each: path; line and end line; quote = "
            "the one source line that is wrong, copied exactly, without its number, never a line of a test; severity = "
            "warning; category = fault; title = what is wrong there in at most twelve words; detail = with which value "
            "it goes wrong, and what the line should do; confidence = 0 to 1. Answer in JSON."
        ),
    ]
    return "\n\n".join(part for part in parts if part)
