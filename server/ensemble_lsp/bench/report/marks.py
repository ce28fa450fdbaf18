"""What became of each case in each way, as one word, for the table of cases."""

from enum import StrEnum

from ensemble_lsp.bench.figures.tally import Tally
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.record import RunHead
from ensemble_lsp.core.frozen import Frozen


class Mark(StrEnum):
    """One case in one way."""

    SOLVED = "solved"
    """Fixed; or found, without a false alarm."""
    NOISY = "noisy"
    """Found, with false alarms beside it."""
    UNSOLVED = "unsolved"
    """Nothing was offered, or nothing was found."""
    WEAK = "weak"
    """A wrong fix, offered with a warning."""
    WRONG = "wrong"
    """A wrong fix, offered as right; or false alarms and nothing else."""
    QUIET = "quiet"
    """A clean control without an alarm."""
    FAILED = "failed"
    """No outcome."""
    MISSING = "missing"
    """Not run yet."""


class CaseMarks(Frozen):
    """A row of the table of cases."""

    case: str
    group: str
    clean: bool
    marks: dict[str, Mark]
    """Way → mark."""
    notes: dict[str, str]
    """Way → one line, where there is one."""


def marks(head: RunHead, known: Tally) -> tuple[CaseMarks, ...]:
    """Return a row for each case that any way has an outcome for, in the order in which cases are run."""
    failed = {way: {outcome.case: outcome for outcome in some} for way, some in known.failed.items()}
    places = {case: place for place, case in enumerate(head.inputs.cases)}
    rows: list[CaseMarks] = []
    for case in sorted(known.cases(), key=lambda name: places.get(name, len(places))):
        some = {
            way: outcome
            for way in known.done
            if (outcome := known.done[way].get(case) or failed[way].get(case)) is not None
        }
        first = next(iter(some.values()))
        rows.append(
            CaseMarks(
                case=case,
                group=first.group,
                clean=first.clean,
                marks={
                    way: mark(some[way], head.inputs.subject) if way in some else Mark.MISSING
                    for way in known.done
                },
                notes={
                    way: note for way, outcome in some.items() if (note := outcome.failed or outcome.note)
                },
            )
        )
    return tuple(rows)


def mark(outcome: Outcome, subject: Subject) -> Mark:
    """Return the word for an outcome."""
    if outcome.failed:
        return Mark.FAILED
    if subject is Subject.REVIEW:
        return _reviewed(outcome)
    if outcome.solved:
        return Mark.SOLVED
    if outcome.accepted:
        return Mark.WEAK if outcome.weak else Mark.WRONG
    return Mark.UNSOLVED


def _reviewed(outcome: Outcome) -> Mark:
    if outcome.solved:
        return Mark.NOISY if outcome.false_alarms else Mark.SOLVED
    if outcome.false_alarms:
        return Mark.WRONG
    return Mark.QUIET if outcome.clean else Mark.UNSOLVED
