"""What happens to merged findings before they are ruled on: refutation, escalation, debate rounds."""

from collections.abc import Sequence
from dataclasses import replace

from ensemble_lsp.core.events import Mode, Phase, PhaseEntered, RevisionMade
from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.ensemble.admission import Case, needs_challenge, needs_strong
from ensemble_lsp.ensemble.challenging import ROUND_BATCH, Assignment, Challenge, assign, batch_of, challenge
from ensemble_lsp.ensemble.issues import Issue
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.reviewing import refute_task, second_look_task
from ensemble_lsp.ensemble.sitting import Sitting

CHALLENGERS_AT_MOST = 2
"""One where a family has not spoken; two where two families refute each other."""


def cases_of(sitting: Sitting, issues: Sequence[Issue], focus_path: str) -> dict[str, Case]:
    """Return what is known of every issue now, by id."""
    task, anchor = sitting.deliberation.task, sitting.deliberation.panel.anchor
    cases: dict[str, Case] = {}
    for issue in issues:
        changed: Sequence[LineRange] | None = (
            task.changed_lines.get(issue.first.path, ()) if task.changed_lines else None
        )
        case = issue.case(anchor, changed, task.range)
        # Files that were shown beside the one under review are context; they get reviews of their own.
        cases[issue.id] = case if issue.first.path == focus_path else replace(case, in_scope=False)
    return cases


async def refute_once(sitting: Sitting, prober: Prober, issues: Sequence[Issue], focus_path: str) -> None:
    """Put singletons and criticals to a challenger of another family: one call, two where no family is free.

    A call is kept back for the strong member while a critical is among them.
    """
    cases = cases_of(sitting, issues, focus_path)
    open_issues = [issue for issue in issues if needs_challenge(cases[issue.id])]
    deliberation = sitting.deliberation
    if not open_issues or not sitting.may_ask:
        return
    kept_back = int(
        deliberation.task.mode is Mode.PANEL
        and deliberation.panel.strong is not None
        and any(cases[issue.id].critical for issue in open_issues)
    )
    calls = max(1, min(CHALLENGERS_AT_MOST, sitting.purse.left - kept_back))
    points = [issue.point() for issue in open_issues]
    assignments = assign(points, deliberation.panel.members, calls)
    deliberation.emit(PhaseEntered(phase=Phase.CRITIQUE, round=1, note=f"{len(points)} claims to refute"))
    made = await challenge(
        sitting,
        prober,
        assignments,
        lambda item: refute_task([point.text for point in item.points], sitting.quoting, focus_path),
        purpose="refute",
    )
    _record(issues, made)


async def escalate(sitting: Sitting, prober: Prober, issues: Sequence[Issue], focus_path: str) -> None:
    """Put criticals that are still contested to the strong member, all in one call."""
    deliberation = sitting.deliberation
    strong = deliberation.panel.strong
    cases = cases_of(sitting, issues, focus_path)
    contested = [issue for issue in issues if needs_strong(cases[issue.id])]
    if strong is None or deliberation.task.mode is Mode.QUICK or not contested or not sitting.may_ask:
        return
    contested = contested[: batch_of(strong)]
    deliberation.emit(PhaseEntered(phase=Phase.ESCALATE, note=f"{len(contested)} contested criticals"))
    texts = [_with_objections(issue) for issue in contested]
    made = await challenge(
        sitting,
        prober,
        [Assignment(strong, tuple(issue.point() for issue in contested))],
        lambda _: refute_task(texts, sitting.quoting, focus_path, strong=True),
        purpose="escalate",
    )
    by_id = {issue.id: issue for issue in contested}
    for item in made:
        by_id[item.point].upheld = not item.refutes
        if item.refutes:
            by_id[item.point].challenges.append(item)


async def debate_rounds(sitting: Sitting, prober: Prober, issues: Sequence[Issue], focus_path: str) -> None:
    """Let every member attack others' findings and answer for its own, until a round adds no evidence.

    One call per member and round. A member of another family that brings evidence *for* a finding stands
    behind it from then on; agreement without evidence changes nothing.
    """
    deliberation = sitting.deliberation
    fresh: dict[str, list[Challenge]] = {}
    # At most five rounds (docs/deliberation.md), whatever was asked for.
    for number in range(1, min(5, max(1, deliberation.task.rounds)) + 1):
        cases = cases_of(sitting, issues, focus_path)
        open_issues = [issue for issue in issues if cases[issue.id].in_scope and issue.members]
        assignments = [
            item
            for member in deliberation.panel.members
            if (item := _share(sitting, member, open_issues, fresh)).points or item.own
        ]
        if not assignments or not sitting.may_ask:
            return
        deliberation.emit(PhaseEntered(phase=Phase.CRITIQUE, round=number))
        by_id = {issue.id: issue for issue in issues}
        hits = {ident: [_text_of(item) for item in made] for ident, made in fresh.items()}

        def task(
            item: Assignment,
            number: int = number,
            by_id: dict[str, Issue] = by_id,
            hits: dict[str, list[str]] = hits,
        ) -> str:
            return second_look_task(
                [_with_objections(by_id[point.id]) for point in item.points],
                ["\n".join((point.text, *hits.get(point.id, ()))) for point in item.own],
                sitting.quoting,
                focus_path,
                number,
            )

        made = await challenge(sitting, prober, assignments, task, purpose="critique")
        _record(issues, made)
        _answer_for_own(sitting, by_id, made)
        fresh = {}
        for item in made:
            if item.outcome.refuted and not item.own:
                fresh.setdefault(item.point, []).append(item)
        if not any(item.evidence is not None and not item.own for item in made):
            return


def _share(
    sitting: Sitting, member: Member, issues: Sequence[Issue], fresh: dict[str, list[Challenge]]
) -> Assignment:
    """Return what one member looks at in this round: up to four of others', criticals and unchallenged first."""
    own = [issue for issue in issues if member.id in issue.members and issue.id in fresh]
    others = [
        issue
        for issue in issues
        if member.id not in issue.point().members
        and all(made.by.id != member.id for made in issue.challenges)
    ]
    sitting.deliberation.randomness.shuffle(others)
    others.sort(key=lambda issue: (not issue.point().urgent, len(issue.challenges)))
    limit = min(ROUND_BATCH, batch_of(member))
    points = tuple(issue.point() for issue in others[:limit])
    room = max(0, batch_of(member) - len(points))
    return Assignment(member, points, own=tuple(issue.point() for issue in own[:room]))


def _record(issues: Sequence[Issue], made: Sequence[Challenge]) -> None:
    """Keep every challenge with its issue; an executed test in favour becomes evidence for it."""
    by_id = {issue.id: issue for issue in issues}
    for item in made:
        issue = by_id[item.point]
        issue.challenges.append(item)
        if not item.refutes and item.evidence is not None and item.evidence.rank is Rank.EXECUTED:
            issue.evidence.append(item.evidence)


def _answer_for_own(sitting: Sitting, by_id: dict[str, Issue], made: Sequence[Challenge]) -> None:
    """Apply withdrawals, and support that came with evidence."""
    for item in made:
        issue = by_id[item.point]
        if item.own:
            if item.refutes:
                issue.withdrawn.add(item.by.id)
            sitting.deliberation.emit(
                RevisionMade(
                    member=item.by.id,
                    about=issue.id,
                    outcome="withdrawn" if item.refutes else "kept",
                    note=item.reason,
                )
            )
        elif not item.refutes and item.evidence is not None and not item.same_family:
            issue.seconded.add(item.by.family)


def _with_objections(issue: Issue) -> str:
    objections = [_text_of(item) for item in issue.challenges if item.refutes and not item.own]
    for_it = [f"evidence for it: {item.witness}: {item.summary}" for item in issue.evidence]
    return "\n".join((issue.point().text, *for_it, *objections))


def _text_of(item: Challenge) -> str:
    backed = f"evidence: {item.evidence.witness}: {item.evidence.summary}" if item.evidence else "no evidence"
    return f"objection: {item.reason} ({backed})"
