"""What members are asked who explain code."""

from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import assignment

_ANGLES = (
    "Begin with what it is for, then follow the data through it.",
    "Think of the person who must change this code tomorrow: what would surprise them?",
    "Follow one typical input from start to end, then one that is unusual.",
    "Begin with what callers may rely on: results, exceptions, side effects.",
)
"""One per style: different wordings bring up different things, also with the same model."""


def explain_task(task: Task, dossier: Dossier, quoting: Quoting, style: int, at_most: int) -> str:
    """Ask for an explanation as a list of claims, blind."""
    opening = "Task: explain this code to a programmer who has not seen it."
    form = (
        f"Answer in JSON with at most {at_most} claims, each one sentence that stands by itself. Of each: kind = "
        "purpose (what it is for), flow (what it does, in order), behaviour (what a given input gives: results, "
        "exceptions, side effects) or caveat (limits, risks, surprises); text; line = the number of the line it is "
        "about, 0 if none; symbol = the one name in the code it is about, empty if none. At least one claim of "
        "kind purpose. Claim nothing that the code in front of you does not show."
    )
    parts = (opening, assignment(task, dossier, quoting), _ANGLES[style % len(_ANGLES)], form)
    return "\n\n".join(part for part in parts if part)
