"""What a report holds, and how it is made from a run's head and outcomes."""

import json
from collections.abc import Sequence

from pydantic import model_validator

from ensemble_lsp.bench.figures.calibration import Calibration, calibration
from ensemble_lsp.bench.figures.comparisons import Comparison, compare
from ensemble_lsp.bench.figures.questions import questions
from ensemble_lsp.bench.figures.resampling import Draws
from ensemble_lsp.bench.figures.summaries import (
    FixSummary,
    ReviewSummary,
    Roof,
    fix_summaries,
    review_summaries,
    roof,
)
from ensemble_lsp.bench.figures.tally import Tally, tally
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.record import RunHead
from ensemble_lsp.bench.report.marks import CaseMarks, marks
from ensemble_lsp.bench.ways.catalogue import Kind
from ensemble_lsp.core.frozen import Frozen

VERSION = 1
"""Of the JSON's shape; a change that a reader would stumble over raises it."""
RESAMPLES = 4_000


class Report(Frozen):
    """Everything that is shown of a run; the JSON form is this value."""

    version: int = VERSION
    head: RunHead
    resamples: int
    planned: int
    """Outcomes that a whole run has."""
    finished: int
    failed: int
    fix: tuple[FixSummary, ...] = ()
    review: tuple[ReviewSummary, ...] = ()
    roof: Roof | None = None
    comparisons: tuple[Comparison, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    cases: tuple[CaseMarks, ...] = ()

    @model_validator(mode="after")
    def _version_is_known(self) -> "Report":
        if self.version != VERSION:
            raise ValueError(f"a report of version {self.version}; this is version {VERSION}")
        return self

    @property
    def missing(self) -> int:
        """Outcomes that a whole run has and this one does not."""
        return max(0, self.planned - self.finished - self.failed)

    def to_json(self) -> str:
        """Return the report as JSON, indented, with no number that JSON has no word for."""
        return json.dumps(self.to_wire(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Read what `to_json` wrote; raises pydantic's `ValidationError` for anything else."""
        return cls.model_validate(json.loads(text))


def report(head: RunHead, outcomes: Sequence[Outcome], *, resamples: int = RESAMPLES) -> Report:
    """Compute the report of a run, whole or interrupted; the same head and outcomes give the same report."""
    known = _ordered(head, tally(outcomes))
    draws = Draws(resamples, head.inputs.seed)
    subject = head.inputs.subject
    single = [way.name for way in head.ways if way.kind is Kind.SINGLE]
    claims = (calibration(way, tuple(mine.values()), draws) for way, mine in known.done.items())
    return Report(
        head=head,
        resamples=resamples,
        planned=len(head.inputs.cases) * len(head.ways),
        finished=sum(map(len, known.done.values())),
        failed=sum(map(len, known.failed.values())),
        fix=fix_summaries(known) if subject is Subject.FIX else (),
        review=review_summaries(known, draws) if subject is Subject.REVIEW else (),
        roof=roof(known, single),
        comparisons=compare(known, questions(head.ways), subject, draws),
        calibrations=tuple(found for found in claims if found is not None),
        cases=marks(head, known),
    )


def _ordered(head: RunHead, known: Tally) -> Tally:
    """Ways in the head's order, cases in the order in which they are run; what the head does not name, last."""
    names = [way.name for way in head.ways if way.name in known.done]
    names += [name for name in known.done if name not in names]
    places = {case: place for place, case in enumerate(head.inputs.cases)}
    done = {
        name: dict(sorted(known.done[name].items(), key=lambda item: places.get(item[0], len(places))))
        for name in names
    }
    return Tally(done, {name: known.failed[name] for name in names})
