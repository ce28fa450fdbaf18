"""Which findings a review keeps (docs/deliberation.md, "Review: admission of findings"). Pure decisions.

In short: a finding needs a witness, or two families, or the anchor without a refutation, or to have survived
an attempt to refute it. One small model's word counts only where another member says the same, or another family
is there to contradict it. A refutation counts only with evidence, and evidence is ranked:
executed > static tool > agreement of families > one member's citation.
"""

from dataclasses import dataclass

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Refutation


@dataclass(frozen=True, slots=True)
class Case:
    """What is known of one merged finding when it is ruled on."""

    families: int
    by_anchor: bool
    critical: bool
    witness: Rank | None = None
    """The strongest witness that backs it."""
    witness_name: str = ""
    """Of all that weigh as much, joined by "and"."""
    refutation: Refutation = Refutation.NOT_ATTEMPTED
    upheld: bool | None = None
    """The strong member's word on a contested critical; None when it was not asked or did not say."""
    withdrawn: bool = False
    """Every author took it back, on evidence."""
    changed_lines: bool = True
    """Diff reviews: whether the reviewed change touched its lines."""
    only_small: bool = False
    """One small model alone says so, on a panel of its family alone: nobody who could tell was or can be asked."""
    in_scope: bool = True
    """Whether it speaks of the lines the person selected."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """Whether a finding is kept, and why in words. `contested`: kept with an objection on record."""

    admitted: bool
    reason: str
    contested: bool = False


def needs_challenge(case: Case) -> bool:
    """Whether it goes to a challenger: singletons without a witness, and every critical.

    What will not be shown anyway (other lines, outside the selection) costs no call.
    """
    if not case.changed_lines or not case.in_scope or (case.only_small and case.witness is None):
        return False
    return case.critical or (case.families < 2 and case.witness is None)


def needs_strong(case: Case) -> bool:
    """Whether it goes to the strong member: a critical that a challenger contradicted."""
    return case.critical and (case.refutation.refuted or case.refutation is Refutation.OBJECTED)


def rule(case: Case) -> Ruling:
    """Decide one finding."""
    if not case.in_scope:
        return Ruling(admitted=False, reason="outside the selection")
    ruling = _on_merit(case)
    if ruling.admitted and not case.changed_lines:
        return Ruling(
            admitted=False, reason=f"on lines that the change did not touch (else kept: {ruling.reason})"
        )
    return ruling


def _on_merit(case: Case) -> Ruling:
    if case.withdrawn:
        return Ruling(admitted=False, reason="withdrawn by its author")
    if case.upheld is not None:
        word = "upheld" if case.upheld else "refuted"
        return Ruling(admitted=case.upheld, reason=f"contested, {word} by the strong member", contested=True)
    if case.only_small and case.witness is None:
        return Ruling(admitted=False, reason="one small model alone says so, and no other family sits here")
    support = _support(case)
    if case.refutation.refuted:
        if not _outranks(case):
            how = "a test that was run" if _executed(case.refutation) else "a cited line"
            return Ruling(admitted=False, reason=f"refuted by {how}")
        return Ruling(admitted=True, reason=f"{support}; contested", contested=True)
    if case.refutation is Refutation.OBJECTED:
        reason = f"{support or 'one family'}; the objection brought no evidence"
        return Ruling(admitted=True, reason=reason, contested=True)
    if support:
        return Ruling(admitted=True, reason=support)
    if case.refutation is Refutation.NOT_ATTEMPTED:
        return Ruling(admitted=False, reason="one family only, and nobody was asked to refute it")
    return Ruling(admitted=True, reason="one family; an attempt to refute it failed")


def _support(case: Case) -> str:
    """Say what keeps it by rule 2, or nothing."""
    parts: list[str] = []
    if case.families > 1:
        parts.append(f"{case.families} families")
    if case.witness is not None:
        one, several = ("confirms", "confirm") if case.witness is Rank.EXECUTED else ("agrees", "agree")
        verb = several if " and " in case.witness_name else one
        parts.append(f"{case.witness_name or 'a witness'} {verb}")
    if not parts and case.by_anchor:
        survived = case.refutation in {Refutation.SURVIVED, Refutation.SURVIVED_SAME_FAMILY}
        return "anchor, an attempt to refute it failed" if survived else "anchor, not refuted"
    return "; ".join(parts)


def _outranks(case: Case) -> bool:
    """Whether what supports the finding weighs at least as much as the evidence against it."""
    if _executed(case.refutation):
        return case.witness is Rank.EXECUTED
    return case.witness is not None or case.families > 1


def _executed(refutation: Refutation) -> bool:
    return refutation is Refutation.REFUTED_BY_EXECUTION
