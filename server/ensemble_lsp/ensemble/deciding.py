"""What to propose, with what standing, or why to abstain. Pure functions (docs/deliberation.md, "Fix")."""

from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.core.evidence import Strength
from ensemble_lsp.core.proposals import Candidate, Standing
from ensemble_lsp.ensemble.checking import Assessment, Target, TargetState
from ensemble_lsp.ensemble.clusters import Cluster, Contender, cluster


@dataclass(frozen=True, slots=True)
class Decision:
    """`chosen` None means to abstain; `reason` says in one sentence why it came out like this."""

    chosen: Candidate | None
    standing: Standing
    reason: str
    weak: bool = False
    alternatives: tuple[Candidate, ...] = ()
    would_settle: str = ""


def rejection(assessment: Assessment, targets: Sequence[Target]) -> str:
    """Say why a checked candidate does not survive; "" when it does."""
    if assessment.regressed:
        named = ", ".join(assessment.regressed[:3])
        return f"breaks what passed before: {named}"
    if assessment.target is TargetState.RED:
        named = ", ".join(str(target) for target in targets[:3])
        return f"does not fix it: {named} still {_verb(targets, 'fails', 'fail')}"
    if assessment.added:
        first = assessment.added[0]
        return f"adds {first.source} {first.code}: {first.message}"
    return ""


def only_adds_messages(contender: Contender) -> bool:
    """Whether all that speaks against a candidate is that tools have something new to say about it."""
    assessment = contender.assessment
    return bool(
        assessment.added
        and not assessment.regressed
        and assessment.target is not TargetState.RED
        and contender.candidate.rejected.startswith("adds ")
    )


def is_settled(
    contenders: Sequence[Contender],
    separating: Sequence[str],
    targets: Sequence[Target],
    strength: Strength | None,
) -> bool:
    """Whether executed evidence that is not weak already decides: exactly one behaviour is left.

    Without anything red before, that takes agreement of families and passing tests as well.
    """
    alive = [item for item in contenders if not item.candidate.rejected]
    if strength is None or strength.weak:
        return False
    if any(target.executed for target in targets):
        green = [item for item in alive if item.assessment.target is TargetState.GREEN]
        return len(cluster(green, separating)) == 1
    clusters = cluster(alive, separating)
    return (
        len(clusters) == 1
        and len(clusters[0].families) > 1
        and all(item.assessment.executed for item in clusters[0].contenders)
    )


def decide(
    contenders: Sequence[Contender],
    separating: Sequence[str],
    targets: Sequence[Target],
    strength: Strength | None,
) -> Decision:
    """Decide over all candidates: verified, then agreed, then unverified, else abstain."""
    alive = [item for item in contenders if not item.candidate.rejected]
    green = cluster([item for item in alive if item.assessment.target is TargetState.GREEN], separating)
    if green:
        return _verified(green, alive, targets, strength)
    if not alive:
        return nothing_survives(contenders, targets)
    return _unexecuted(cluster(alive, separating), targets)


def _verified(
    green: Sequence[Cluster], alive: Sequence[Contender], targets: Sequence[Target], strength: Strength | None
) -> Decision:
    best = green[0]
    chosen = best.representative.candidate
    named = ", ".join(str(target) for target in targets[:3])
    executed = any(target.executed for target in targets)
    weak = not executed or strength is None or strength.weak
    now = f"{named} failed before and {_verb(targets, 'passes', 'pass')} now"
    reason = now if executed else f"{named} {_verb(targets, 'is', 'are')} no longer reported"
    would_settle = ""
    if not executed:
        would_settle = "a test that fails on the code as it is: no check ran the code"
        reason += "; nothing ran the code"
    elif weak:
        would_settle = "a test that would notice other changes to this code"
        share = strength.share if strength is not None else None
        seen = (
            f"{share:.0%} of the changes tried here" if share is not None else "an unknown share of changes"
        )
        reason += f"; tests pass, but they would miss most changes here (they notice {seen})"
        if share is None:
            reason = f"{now}; how much the check would notice is not known"
    if len(green) > 1:
        reason += f"; {len(green)} different changes pass it"
        would_settle = would_settle or "a test on which these changes differ"
    others = [item.candidate for item in alive if item.candidate.id != chosen.id]
    return Decision(chosen, Standing.VERIFIED, reason, weak, _ranked(others, green), would_settle)


def _unexecuted(clusters: Sequence[Cluster], targets: Sequence[Target]) -> Decision:
    best = clusters[0]
    chosen = best.representative.candidate
    others = tuple(
        item.candidate for group in clusters for item in group.contenders if item.candidate.id != chosen.id
    )
    settle = f"running {targets[0]} to its end" if targets else "a test that fails on the code as it is"
    if len(best.families) > 1:
        reason = f"{len(best.families)} families agree; no check that failed before decides it"
        return Decision(chosen, Standing.AGREED, reason, alternatives=others, would_settle=settle)
    if len(clusters) > 1 and _tie(clusters[0], clusters[1]):
        return Decision(
            None,
            Standing.UNVERIFIED,
            f"{len(clusters)} different changes stand against each other and nothing executed decides",
            alternatives=(chosen, *others),
            would_settle=settle,
        )
    reason = "nothing executed speaks for it, and nothing against it"
    if not best.representative.assessment.checked:
        reason = "it was not checked to the end"
    return Decision(chosen, Standing.UNVERIFIED, reason, alternatives=others, would_settle=settle)


def nothing_survives(contenders: Sequence[Contender], targets: Sequence[Target]) -> Decision:
    """Decide where every candidate was rejected: what only adds messages is shown as unverified, else abstain."""
    noisy = sorted(
        (item for item in contenders if only_adds_messages(item)),
        key=lambda item: (
            item.assessment.target is not TargetState.GREEN,
            len(item.assessment.added),
            -len(item.candidate.families),
            item.candidate.changed_lines,
        ),
    )
    if noisy:
        chosen = noisy[0].candidate
        passes = noisy[0].assessment.target is TargetState.GREEN
        reason = f"it {chosen.rejected}" + ("; the check that failed before passes now" if passes else "")
        others = tuple(item.candidate for item in noisy[1:])
        return Decision(
            chosen,
            Standing.UNVERIFIED,
            reason,
            alternatives=others,
            would_settle="a change without that message",
        )
    if not contenders:
        return Decision(None, Standing.UNVERIFIED, "no member wrote a change that could be applied")
    named = ", ".join(str(target) for target in targets[:3])
    count = len(contenders)
    reason = (
        f"none of {count} changes survived its checks" if count > 1 else "the one change failed its checks"
    )
    settle = (
        f"a change after which {named} {_verb(targets, 'passes', 'pass')}"
        if named
        else "a change that breaks nothing"
    )
    return Decision(None, Standing.UNVERIFIED, reason, would_settle=settle)


def _verb(targets: Sequence[Target], one: str, several: str) -> str:
    """Return the form of a verb that fits how many things the targets name."""
    return one if len(targets) == 1 and len(targets[0].tests) <= 1 else several


def _tie(first: Cluster, second: Cluster) -> bool:
    return (len(first.families), first.contested, first.supporters) == (
        len(second.families),
        second.contested,
        second.supporters,
    )


def _ranked(candidates: Sequence[Candidate], green: Sequence[Cluster]) -> tuple[Candidate, ...]:
    order = {item.candidate.id: rank for rank, group in enumerate(green) for item in group.contenders}
    return tuple(sorted(candidates, key=lambda item: (order.get(item.id, len(order)), item.changed_lines)))
