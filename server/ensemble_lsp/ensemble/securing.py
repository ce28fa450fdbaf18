"""The rules of a security patch: the witness falls silent for a reason, exploits fail, tests stay green."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ensemble_lsp.core.evidence import CheckReport, Outcome, Strength
from ensemble_lsp.core.proposals import FileChange, Standing
from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.checking import Assessment, Target, TargetState
from ensemble_lsp.ensemble.clusters import Contender
from ensemble_lsp.ensemble.deciding import Decision, decide, rejection
from ensemble_lsp.ensemble.ports import CheckPort
from ensemble_lsp.ensemble.preserving import tests_passed
from ensemble_lsp.ensemble.prompts.securing import SECURING
from ensemble_lsp.ensemble.undertaking import Undertaking, refuse_changed_judges

EXPLOIT = "exploit"
"""The id of the test that plays the attacker."""

PANEL = "panel"
"""The source of a diagnostic that stands for a finding of members: no tool says it."""

_SILENCING = re.compile(
    r"(?:#|//)\s*(nosec|nosemgrep|noqa|type:\s*ignore|pragma|NOSONAR|codeql\[|eslint-disable)\b"
)

_STEERS_SCANNERS = re.compile(
    r"(?:.*/)?(?:\.?semgrep\.ya?ml|\.semgrepignore|\.bandit|bandit\.ya?ml)$|\.semgrep/"
)
"""Rules and exclusions of the tools that are to fall silent."""

_STANDINGS = {
    (Standing.VERIFIED, False): "what showed the hole is silent, tests pass",
    (Standing.VERIFIED, True): "what showed the hole is silent, tests are weak",
    (Standing.AGREED, False): "agreed, not executed",
    (Standing.UNVERIFIED, False): "not verified",
}


def reported_holes(report: CheckReport, task: Task) -> tuple[Target, ...]:
    """Return the messages of tools that are to fall silent: those on the lines of the task's diagnostics.

    The same message elsewhere in the file is counted, so that it does not keep the target red.
    """
    # Not by its text, from which secrets were taken out on the way here.
    wanted = {
        (item.path, item.source, item.code, item.line) for item in task.diagnostics if item.source != PANEL
    }
    said = Counter((item.path, item.source, item.code, item.message) for item in report.diagnostics)
    chosen = [item for item in report.diagnostics if (item.path, item.source, item.code, item.line) in wanted]
    mine = Counter((item.path, item.source, item.code, item.message) for item in chosen)
    return tuple(
        Target(item.source, item.path, diagnostic=item, elsewhere=said[key] - mine[key])
        for item in chosen
        for key in ((item.path, item.source, item.code, item.message),)
    )


def refuse_silencing(
    changes: Sequence[FileChange], targets: Sequence[Target], task: Task, checks: CheckPort
) -> str:
    """Refuse a change of the tests, and a comment that silences a tool instead of closing the hole."""
    for change in changes:
        before = len(_SILENCING.findall(change.before.text)) if change.before is not None else 0
        after = len(_SILENCING.findall(change.after.text)) if change.after is not None else 0
        if after > before:
            return f"silences a tool by a comment in {change.path}"
        if _STEERS_SCANNERS.match(change.path):
            return f"changes {change.path}, which says what tools report"
    return refuse_changed_judges(changes, targets, task, checks)


def reject_unsilenced(assessment: Assessment, targets: Sequence[Target]) -> str:
    """Reject as over a fix, and what only moves a hole: its message is then new in another file."""
    if not assessment.regressed and assessment.target is TargetState.RED:
        named = ", ".join(dict.fromkeys(str(target) for target in assessment.red[:3]))
        return f"does not silence what showed the hole: {named} still reported"
    told = {(item.source, item.code) for target in targets if (item := target.diagnostic) is not None}
    moved = next((item for item in assessment.added if (item.source, item.code) in told), None)
    if moved is not None and not assessment.regressed:
        where = f"{moved.path}:{moved.line + 1}"
        return f"only moves the hole: {moved.source} {moved.code} is reported in {where} now"
    return rejection(assessment, targets)


def decide_secured(
    contenders: Sequence[Contender],
    separating: Sequence[str],
    targets: Sequence[Target],
    strength: Strength | None,
) -> Decision:
    """Decide as over a fix, and count an exploit that fails now, and tests that pass as before, for a patch."""
    decision = decide(contenders, separating, targets, strength)
    chosen = next(
        (item for item in contenders if decision.chosen and item.candidate.id == decision.chosen.id), None
    )
    if chosen is None or decision.chosen is None or chosen.candidate.rejected:
        return decision
    closed = chosen.probes.get(EXPLOIT) is Outcome.PASSED
    passed = tests_passed(chosen.candidate)
    if decision.standing is not Standing.VERIFIED and not closed:
        return decision
    said = ["the attack that worked before fails now"] if closed else []
    if targets:
        named = ", ".join(dict.fromkeys(str(target) for target in targets[:3]))
        said.append(f"{named} no longer reported")
    said.append(f"{passed} tests pass" if passed else "no test ran the code")
    weak = not passed or strength is None or strength.weak
    if weak and passed:
        said[-1] += ", but they would miss most changes here"
    settle = "a test of what this code does for honest input" if weak else ""
    return replace(
        decision, standing=Standing.VERIFIED, weak=weak, reason="; ".join(said), would_settle=settle
    )


SECURE = Undertaking(
    verb="Secure",
    wording=SECURING,
    standing_words=_STANDINGS,
    targets=reported_holes,
    refuse=refuse_silencing,
    reject=reject_unsilenced,
    decide=decide_secured,
)
