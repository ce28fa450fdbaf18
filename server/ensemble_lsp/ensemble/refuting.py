"""What happens to merged findings before they are ruled on: refutation and escalation."""

from collections.abc import Sequence
from dataclasses import replace

from ensemble_lsp.core.events import Mode, Phase, PhaseEntered
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.ensemble.admission import Case, needs_challenge, needs_strong
from ensemble_lsp.ensemble.challenging import Assignment, assign, batch_of, challenge
from ensemble_lsp.ensemble.issues import Issue
from ensemble_lsp.ensemble.probing import Prober
from ensemble_lsp.ensemble.prompts.challenging import refute_task
from ensemble_lsp.ensemble.rounds import record, with_objections
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
        case = replace(
            issue.case(anchor, changed, task.range),
            only_small=_is_only_small(sitting.deliberation.panel, issue),
        )
        # Files that were shown beside the one under review are context; they get reviews of their own.
        cases[issue.id] = case if issue.first.path == focus_path else replace(case, in_scope=False)
    return cases


def _is_only_small(panel: Panel, issue: Issue) -> bool:
    standing = {raised.voice.id for raised in issue.raised if raised.voice.member.id not in issue.withdrawn}
    small = all(raised.voice.member.is_small for raised in issue.raised)
    families = panel.families | ({panel.strong.family} if panel.strong is not None else frozenset[str]())
    return small and len(standing) < 2 and len(families) == 1 and not issue.seconded


async def refute_once(sitting: Sitting, prober: Prober, issues: Sequence[Issue], focus_path: str) -> None:
    """Put singletons and criticals to a challenger of another family: one call, two where no family is free.

    A call is kept back for the strong member while a critical is among them.
    """
    if Phase.CRITIQUE in sitting.deliberation.leaves_out:
        return
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
    record(issues, made)


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
    texts = [with_objections(issue) for issue in contested]
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
