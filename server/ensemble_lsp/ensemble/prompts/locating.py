"""What members are asked who look for the place of a fault."""

from collections.abc import Sequence

from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.fixing import COMPACT_LOG_CHARACTERS, LOG_CHARACTERS
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
    brief: bool = False,
) -> str:
    """Ask for ranked places, blind; what the coverage says is not told, so that it stays a second opinion.

    `brief` is for small local members: less of the log, and fewer things to say of each place.
    """
    most = COMPACT_LOG_CHARACTERS if brief else LOG_CHARACTERS
    opening = "Task: find the place in the code that is wrong. The test is right; the fault is in the code."
    parts = [opening, assignment(task, dossier, quoting)]
    if traceback:
        parts.append(quoting.block("the traceback", tail(traceback, most)))
    parts += [quoting.block(f"{item.witness}: {item.target}", tail(item.log, most)) for item in failing[:2]]
    parts += [
        _ANGLES[style % len(_ANGLES)],
        _brief_form(at_most) if brief else _form(at_most),
    ]
    return "\n\n".join(part for part in parts if part)


def _form(at_most: int) -> str:
    return (
        f"Report at most {at_most} places, the most likely one first. Of each: path; line and end line; quote = "
        "the one source line that is wrong, copied exactly, without its number, never a line of a test; severity = "
        "warning; category = fault; title = what is wrong there in at most twelve words; detail = with which value "
        "it goes wrong, and what the line should do; confidence = 0 to 1. Answer in JSON."
    )


def _brief_form(at_most: int) -> str:
    return (
        f"Choose at most {at_most} lines of the code that are wrong, the most likely one first, each another line. Of "
        "each: path; quote = that line with its number, as it stands above; instead = the same line as it has to be so "
        "that the test passes. Answer in JSON."
    )
