"""The prompts of the actions that change something: draft, repair, revision, escalation."""

import re
from collections.abc import Sequence

from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.attacking import Exhibit, shown
from ensemble_lsp.ensemble.prompts.quoting import Quoting, tail
from ensemble_lsp.ensemble.prompts.shared import assignment
from ensemble_lsp.ensemble.prompts.wording import Wording

LOG_CHARACTERS = 4_000
"""How much of a check's log a member sees."""

COMPACT_LOG_CHARACTERS = 900
COMPACT_LOG_LINES = 8
"""… and a small one, for which 300 tokens are 6 seconds: the lines that say what failed."""

OWN_CHANGE_CHARACTERS = 8_000
"""How much of its own earlier change a member sees again."""


def draft_task(
    wording: Wording,
    task: Task,
    dossier: Dossier,
    quoting: Quoting,
    *,
    failing: Sequence[Evidence],
    form: str,
    compact: bool,
) -> str:
    """Ask for a change, from the assignment and the log of what fails on the code as it is."""
    parts = [assignment(task, dossier, quoting)]
    if compact and failing:
        parts.append(wording.failing)
    parts.append(failing_logs(failing, quoting, compact=compact))
    if not any(parts):
        parts.append(wording.unassigned)
    elif not compact:
        parts.insert(0, wording.opening)
    parts.append(form)
    return "\n\n".join(part for part in parts if part)


def repair_task(previous: str, problem: str, quoting: Quoting, form: str) -> str:
    """Ask again for a change that could not be applied, with the matcher's message."""
    return "\n\n".join(
        (
            "You wrote this change:",
            quoting.block("your change", previous[-OWN_CHANGE_CHARACTERS:]),
            "It could not be applied:",
            quoting.block("why", problem),
            "Write the same change again so that it can be applied.",
            form,
        )
    )


def revision_task(
    wording: Wording,
    assigned: str,
    change: str,
    failing: Sequence[Evidence],
    critiques: Sequence[str],
    *,
    quoting: Quoting,
    form: str,
    compact: bool,
) -> str:
    """Give an author what was found against its change; it may revise, keep or withdraw it.

    `critiques` are other members' words with what running their tests said: quoted as data.
    """
    parts = [
        assigned,
        "You changed the code like this:",
        quoting.code(change[:OWN_CHANGE_CHARACTERS], "diff"),
    ]
    if failing:
        parts += [
            "With your change in place the check still fails:",
            failing_logs(failing, quoting, compact=compact),
        ]
    parts += [quoting.block("found against your change", critique) for critique in critiques]
    if compact:
        parts.append(wording.try_again)
    else:
        parts.append(
            "Judge this evidence yourself; a test that another model wrote can be wrong. If your change is right, "
            "answer with one line `KEEP: ` and the reason. If it is wrong and you know no better one, answer "
            "`WITHDRAW: ` and the reason. Otherwise write the complete change anew, against the original file."
        )
    parts.append(form)
    return "\n\n".join(part for part in parts if part)


def escalation_task(
    wording: Wording, assigned: str, exhibits: Sequence[Exhibit], quoting: Quoting, form: str
) -> str:
    """Give the strong member the open question, with the anonymous candidates and their logs."""
    parts = [assigned]
    if exhibits:
        parts += ["Others proposed these changes, and could not settle on one:", *shown(exhibits, quoting)]
        parts.append(
            "If one of them is right, answer with one line `CHOOSE: ` and its letter, then the reason. "
            "Otherwise write the right change yourself, against the original file."
        )
    else:
        parts.append(wording.nobody)
    parts.append(form)
    return "\n\n".join(part for part in parts if part)


def failing_logs(failing: Sequence[Evidence], quoting: Quoting, *, compact: bool) -> str:
    """Return the logs of the checks that did not pass, quoted, at most three of them."""
    limit = COMPACT_LOG_CHARACTERS if compact else LOG_CHARACTERS
    blocks: list[str] = []
    for item in failing[:3]:
        text = essence(item.log, limit) if compact else tail(item.log, limit)
        if item.outcome is Outcome.TIMED_OUT:
            text = f"{text}\nIt did not end within its time: look for a loop that never stops."
        title = f"{item.witness}: {item.target}" if not compact else "the failing check"
        blocks.append(quoting.block(title, text.strip("\n") or item.summary))
    return "\n\n".join(blocks)


_TELLING = re.compile(r"^(E |>|FAILED|\s*assert\b)|\w*(Error|Exception)\b|^\s*(def test|Expected|Got)\b")


def essence(log: str, characters: int) -> str:
    """Return the lines of a log that say what failed: assertions, errors, expected and actual values."""
    if len(log) <= characters and log.count("\n") < COMPACT_LOG_LINES:
        return log
    kept: list[str] = []
    used = 0
    for line in log.splitlines():
        if _TELLING.search(line):
            used += len(line) + 1
            if used > characters or len(kept) == COMPACT_LOG_LINES:
                break
            kept.append(line)
    return "\n".join(kept) if kept else tail(log, characters)
