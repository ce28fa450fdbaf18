"""Sentences of the report, the same in Markdown and on the page: plain text, escaped by neither yet."""

import shlex

from ensemble_lsp.bench.figures.comparisons import Comparison
from ensemble_lsp.bench.figures.summaries import Roof
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.record import HeadMember
from ensemble_lsp.bench.report import words
from ensemble_lsp.bench.report.contents import Report

FEW_GROUPS = 20
"""Below so many groups an interval is wide and rests on assumptions; the report says so."""

SCATTER_CAPTION = (
    "Further up is better, further left is cheaper; the scale of tokens is logarithmic. Bars are 95% intervals. "
    "Squares are single members, dots several together. Ways of about the same cost are set side by side."
)
FOREST_CAPTION = (
    "First minus second, 95% intervals. A filled square: a difference is shown. A hollow dot: none is shown, which "
    "is not the same as none being there."
)
CALIBRATION = (
    "What was said with 80% should be so in 80%: across is what was said, up is what was so, in per cent. ECE is the "
    "mean distance of the dots from the diagonal, in bins of equal numbers of claims; a perfectly calibrated speaker "
    "has the error beside it by chance. Brier is the mean squared error of what was said: lower is better, one half "
    "for everything has 0.25."
)


def cautions(report: Report) -> tuple[str, ...]:
    """Return what a reader has to know before believing the figures, one sentence each."""
    head = report.head
    notes: list[str] = []
    if head.interrupted:
        notes.append(f"The run was interrupted: {head.interrupted}")
    if report.missing:
        notes.append(
            f"{report.missing:,} of {report.planned:,} outcomes are missing; ways are compared on the cases that "
            "both finished."
        )
    if report.failed:
        lost = ", ".join(
            f"{summary.way} {summary.failed}" for summary in (*report.fix, *report.review) if summary.failed
        )
        notes.append(
            f"Outcomes that failed: {report.failed:,} ({lost}). They are left out, and so is what the other way made "
            "of the same case."
        )
    groups = min((comparison.groups for comparison in report.comparisons), default=FEW_GROUPS)
    if groups < FEW_GROUPS:
        notes.append(
            f"The cases of the smallest comparison come from {groups} functions or problems: too few to rely on."
        )
    if len(head.families) == 1 and len(head.inputs.members) > 1:
        notes.append(
            f"All members are of one family ({head.families[0]}): nothing here says what different families add."
        )
    notes += [
        f"{comparison.about}: not at equal cost ({words.ratios(comparison.ratios)})."
        for comparison in report.comparisons
        if comparison.leading and comparison.ratios.unequal
    ]
    notes += [
        f"{comparison.about}: {name} is no candidate for the best, it finished too few of the cases."
        for comparison in report.comparisons
        for name in comparison.dropped
    ]
    return (*notes, *head.notes)


def evidence(comparison: Comparison, report: Report) -> str:
    """Return what a verdict rests on, in a few sentences."""
    subject = report.head.inputs.subject
    fix = subject is Subject.FIX
    shown = words.difference(comparison, subject)
    what = "solved share, points" if fix else "F1"
    tests = (
        f"{comparison.only_first} cases only {comparison.first} solved, {comparison.only_second} only "
        f"{comparison.second}; p = {words.probability(comparison.p)}"
    )
    return (
        f"{comparison.first} {words.value(comparison.first_value, subject)}, {comparison.second} "
        f"{words.value(comparison.second_value, subject)}; difference ({what}) {shown}, on {comparison.cases} cases. "
        f"{tests}. Cost of the first over the second: {words.ratios(comparison.ratios)}.{luck(comparison, subject)}"
    )


def luck(comparison: Comparison, subject: Subject) -> str:
    """Return, as one more sentence, what the best of several may owe to having been chosen; empty where nothing was."""
    if comparison.luck is None or comparison.luck <= 0:
        return ""
    amount = f"{100 * comparison.luck:.0f} points" if subject is Subject.FIX else f"{comparison.luck:.2f}"
    return f" Of the second's figure, about {amount} may be the luck of the best of {len(comparison.among)}."


def roof(found: Roof) -> str:
    """Return how far a selection could get."""
    return (
        f"Missed by every member's first answer (β): {words.share(found.missed)}. No selection among first answers "
        f"can solve more than {words.share(found.solvable)}."
    )


def how_compared(report: Report) -> str:
    """Return how the differences were made, for the note under their table."""
    test = (
        "the larger of McNemar's exact test and of a test that swaps whole groups"
        if report.head.inputs.subject is Subject.FIX
        else "of a test that swaps the two ways' outcomes in whole groups"
    )
    return (
        f"Intervals: cluster bootstrap, {report.resamples:,} resamples of groups, expanded percentile. p: {test}. "
        "The best of several is chosen again in each resample. A way is called better only if the interval is clear "
        f"of zero and p is below 0.05; Holm's p is corrected for all {len(report.comparisons)} comparisons."
    )


def run(report: Report) -> tuple[tuple[str, str, bool], ...]:
    """Return how the run was made: what, in words, and whether it is to be shown exactly as it is."""
    head, inputs = report.head, report.head.inputs
    lines = [("command", shlex.join(head.command), True)]
    lines += [
        (f"member {member.id}", f"{member.model}, family {member.family}{_price(member)}", False)
        for member in (*inputs.members, *([inputs.strong] if inputs.strong else []))
    ]
    lines += [(f"way {way.name}", way.definition, False) for way in head.ways]
    lines += [(f"left out: {left.way}", left.why, False) for left in head.left_out]
    lines += [
        (
            "cases",
            f"{len(inputs.cases)} of {inputs.set}, checked with {inputs.check}, SHA-256 {inputs.digest}",
            False,
        ),
        ("k, rounds, seed", f"{inputs.k}, {inputs.rounds}, {inputs.seed}", False),
        ("version", " ".join(filter(None, (head.version, head.commit))), False),
        ("begun", head.started, False),
        ("machine", ", ".join(filter(None, (head.python, head.platform))), False),
    ]
    return tuple(line for line in lines if line[1])


def _price(member: HeadMember) -> str:
    if member.local:
        return ", local"
    if member.price_in is None or member.price_out is None:
        return ", price unknown"
    return f", ${member.price_in:g} in and ${member.price_out:g} out per million tokens"


def below_title(report: Report) -> str:
    """Return what was run, in one line."""
    head = report.head
    members = ", ".join(member.id for member in head.inputs.members)
    return (
        f"{len(head.inputs.cases):,} cases, {len(head.ways)} ways; members {members}; k = {head.inputs.k}; "
        f"ensemble-lsp {head.version}, begun {head.started}"
    )


def how_measured(report: Report) -> str:
    """Return what the columns of the table of ways mean."""
    if report.head.inputs.subject is Subject.FIX:
        return (
            "Solved: offered, and all tests pass. False accept: offered as right without a warning, and wrong. Right "
            "among: a right answer was seen on the way, so a perfect selection would have solved it. Intervals are 95%."
        )
    return (
        "Recall: known bugs that were reported. Precision: reported findings that are about the known bug. Clean "
        "controls have no bug: everything reported there is a false alarm. Intervals are 95%."
    )
