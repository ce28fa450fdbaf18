"""What members are asked who debate a question: a position, then objections and moves, round by round."""

from collections.abc import Sequence

from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.numbered import module_of
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import assignment

_ANGLES = (
    "Decide for the answer that you would defend in a design review.",
    "Think first of what could go wrong with the obvious answer.",
    "Weigh the cost of each answer in a year's time.",
    "Start from what the code in front of you needs, not from custom.",
)
"""One per style: different wordings start from different places, also with the same model."""

_NO_QUESTION = "The question: what, if anything, should change in this code?"


def position_task(task: Task, dossier: Dossier, quoting: Quoting, style: int) -> str:
    """Ask for a position, blind."""
    opening = "Task: take a position on the question."
    form = (
        "Answer in JSON: stance = your answer in at most fifteen words; argument = the strongest reason for it, in "
        "at most four sentences; line and quote = one source line, copied exactly, that supports you; leave them 0 "
        "and empty if no line does."
    )
    parts = (opening, question(task, dossier, quoting), _ANGLES[style % len(_ANGLES)], form)
    return "\n\n".join(parts)


def question(task: Task, dossier: Dossier, quoting: Quoting) -> str:
    """Return the question, in the person's words where there are any."""
    asked = assignment(task, dossier, quoting)
    return asked if task.instruction.strip() else "\n".join(part for part in (asked, _NO_QUESTION) if part)


def turn_task(
    asked: str,
    quoting: Quoting,
    *,
    own: str,
    against_own: Sequence[str],
    others: Sequence[str],
    path: str | None,
    round_number: int,
    may_move: bool,
) -> str:
    """Ask for the strongest objection, and for keeping or moving one's position.

    `others` are the positions of others, nameless and numbered from 1; none: everybody holds `own`.
    """
    parts = [f"Task, round {round_number} of a debate.", asked, quoting.block("your position", own)]
    parts += [quoting.block("evidence brought against your position", item) for item in against_own]
    parts += [quoting.block(f"position {number}", item) for number, item in enumerate(others, 1)]
    target = (
        "target = the number of the position that you object to"
        if others
        else "everybody holds your position: attack it; target = 0"
    )
    test = ""
    if path is not None:
        test = (
            " or test = a short pytest module, placed at the top of the repository, that imports the code "
            f"(`{module_of(path)}`), passes on the code as it is and shows that you are right; it will be run"
        )
    parts.append(
        f"Answer in JSON. First the strongest objection: {target}; objection in at most three sentences; and its "
        f"evidence: line and quote = a source line, copied exactly{test}. Leave them empty rather than invent them."
    )
    if may_move:
        parts.append(
            "Then your decision: keep, or move if evidence (a cited line, a test that was run) speaks against your "
            "position; not because others hold another one. When you move: adopt = the number of the position you "
            "take over, or 0 and your new stance and argument; because = the evidence that moved you."
        )
    else:
        parts.append("decision = keep; adopt = 0; stance, argument and because stay empty.")
    return "\n\n".join(part for part in parts if part)


def synthesis_task(asked: str, report: str, quoting: Quoting) -> str:
    """Ask for a short summary of a debate that is over; it cannot change the recommendation."""
    opening = "Task: sum up a debate for the person who asked. The recommendation is fixed; do not change it."
    form = (
        "Answer in JSON: summary = at most five sentences on what was settled, by which evidence, and what was "
        "not; would settle = the one experiment or fact that would settle the rest, empty if nothing is open."
    )
    return "\n\n".join((opening, asked, quoting.block("the debate", report), form))
