"""What those are asked who try to refute claims about the code, of a review or of an explanation."""

from collections.abc import Sequence

from ensemble_lsp.ensemble.prompts.numbered import module_of
from ensemble_lsp.ensemble.prompts.quoting import Quoting


def refute_task(claims: Sequence[str], quoting: Quoting, path: str, *, strong: bool = False) -> str:
    """Ask for an attack on numbered claims; the first has number 1."""
    listed = "\n\n".join(quoting.block(f"claim {number}", claim) for number, claim in enumerate(claims, 1))
    opening = (
        "Task: decide. The claims below about this code were attacked and defended; the evidence is with them."
        if strong
        else "Task: try to refute the claims below, which another programmer made about this code."
    )
    return "\n\n".join((opening, listed, _evidence_rules(path)))


def second_look_task(
    claims: Sequence[str], hit: Sequence[str], quoting: Quoting, path: str, round_number: int
) -> str:
    """Ask in a debate round: attack others' claims; and keep or withdraw one's own that evidence has hit."""
    first = len(claims) + 1
    listed = [quoting.block(f"claim {number}", claim) for number, claim in enumerate(claims, 1)]
    own = [quoting.block(f"claim {number}, your own", claim) for number, claim in enumerate(hit, first)]
    parts = [f"Task, round {round_number}: try to refute the claims below, which other programmers made."]
    if not claims:
        parts = [f"Task, round {round_number}: look again at what you claimed."]
    parts += listed
    if own:
        parts.append(
            "The claims that follow are your own; evidence was brought against them. Answer 'refuted' to "
            "withdraw one, 'stands' to keep it, with your reason."
        )
        parts += own
    parts.append(_evidence_rules(path))
    return "\n\n".join(parts)


def _evidence_rules(path: str) -> str:
    return (
        "Answer in JSON, one verdict per claim: number; verdict = refuted or stands; reason in at most two "
        "sentences; then evidence. A verdict counts only with evidence, of one of two kinds: line and quote = a "
        "source line, copied exactly, that shows you are right; or test = a short pytest module, placed at the "
        f"top of the repository, that imports the code (`{module_of(path)}`), calls it, passes on the code as it "
        "is, and would fail if you were wrong. It will be run. Leave quote and test empty rather than invent "
        "them: then answer stands."
    )
