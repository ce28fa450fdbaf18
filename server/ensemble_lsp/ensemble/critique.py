"""Reading what a critic wrote, and judging what running its tests showed.

A critic can be wrong, and a weak one mostly is. So what it writes counts by what happened when it ran, and a
test that only its own author's candidate passes can send a candidate back to its author, but cannot reject it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.ensemble.checking import TargetState

MOST_ATTACKS = 4
"""Attacks read of one answer: one for each candidate that a critic is shown."""

_LONGEST_TEST = 6_000
"""Characters of one test; a longer one is not run."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One claim against one candidate, by its label, with a test or a cited line as its evidence."""

    label: str
    claim: str
    test: str = ""
    cited: str = ""


class Verdict(StrEnum):
    """What an executed test says about the candidate it was aimed at."""

    NO_EVIDENCE = "no evidence"
    """It did not run, is broken itself, passes, or fails whatever the code does."""
    UNSUPPORTED = "unsupported"
    """It fails on all candidates, so that nothing supports its expectation: it counts against none of them."""
    CONTESTED = "contested"
    """It tells candidates apart, but only its own author's answer meets its expectation."""
    BREAKS = "breaks"
    """It tells candidates apart, and somebody else's answer meets its expectation."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How one candidate did under a test. `families` and `voices` are those that stand behind it."""

    candidate: str
    outcome: Outcome
    target: TargetState
    families: frozenset[str]
    voices: frozenset[str]
    broken_test: bool = False
    """The log shows that the test itself is at fault: a name or a module that does not exist."""


_FAILED = frozenset({Outcome.FAILED, Outcome.TIMED_OUT})
_BROKEN_TEST = re.compile(
    r"\b(NameError|ImportError|ModuleNotFoundError|SyntaxError)\b|fixture '\w+' not found"
)
_ATTACK_LINE = re.compile(
    r"^[\W_]*TARGET[\W_]*:?[\W_]*(?:candidate\s+)?([A-Z])\b.*$", re.IGNORECASE | re.MULTILINE
)
_CLAIM_LINE = re.compile(r"^[\W_]*CLAIM[\W_]*:[*_ ]*(.+)$", re.IGNORECASE | re.MULTILINE)
_CITE_LINE = re.compile(r"^[\W_]*CITE[\W_]*:[*_ ]*(.+)$", re.IGNORECASE | re.MULTILINE)
_BEST_LINE = re.compile(r"^[\W_]*BEST[\W_]*:?[\W_]*(?:candidate\s+)?([A-Z])\b", re.IGNORECASE | re.MULTILINE)
_NAME_IS_GONE = re.compile(
    r"\b(NameError|ImportError|ModuleNotFoundError)\b|AttributeError: (module|type object|'\w+' object) "
)
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]*\2[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


def read_attacks(reply: str, labels: Sequence[str]) -> tuple[Attack, ...]:
    """Return the attacks in a critic's answer, at most four; what names no shown candidate is left out.

    When one candidate was shown, a test without a target is taken to be aimed at it.
    """
    text = _THINKING.sub("", reply)
    marks = list(_ATTACK_LINE.finditer(text))
    attacks: list[Attack] = []
    for number, mark in enumerate(marks):
        end = marks[number + 1].start() if number + 1 < len(marks) else len(text)
        label = mark.group(1).upper()
        attack = _attack(label, text[mark.end() : end])
        if label in labels and attack is not None:
            attacks.append(attack)
    if not marks and len(labels) == 1:
        attack = _attack(labels[0], text)
        if attack is not None and attack.test:
            attacks.append(attack)
    return tuple(attacks[:MOST_ATTACKS])


def judge(
    aimed_at: str, trials: Sequence[Trial], critic_family: str, critic_voices: frozenset[str]
) -> Verdict:
    """Say what the test shows about the candidate `aimed_at`.

    - It must have failed there: an error of the test itself is not counted, a pass means that the attack
      failed, and a test that hangs counts only when it ends with another candidate in place.
    - When it fails on everything, nothing supports its expectation: it is no evidence against anybody. At
      most, its author may be asked.
    - It tells candidates apart when another one passes. A candidate that turned the real check green is not
      hit by a test that only candidates pass which did not.
    - It breaks the candidate when the support is independent: the passing candidate stands on somebody who
      is not the critic (another family where the panel has several), and no fewer families are on its side.
    """
    hit = next((trial for trial in trials if trial.candidate == aimed_at), None)
    if hit is None or hit.outcome not in _FAILED:
        return Verdict.NO_EVIDENCE
    passing = [trial for trial in trials if trial.outcome is Outcome.PASSED]
    failing = [trial for trial in trials if trial.outcome in _FAILED]
    if hit.target is TargetState.GREEN:
        passing = [trial for trial in passing if trial.target is TargetState.GREEN]
    if not passing:
        proves_nothing = hit.outcome is Outcome.TIMED_OUT or hit.broken_test
        return Verdict.NO_EVIDENCE if proves_nothing else Verdict.UNSUPPORTED
    several_families = len({family for trial in trials for family in trial.families} | {critic_family}) > 1
    independent = [
        trial
        for trial in passing
        if (trial.families - {critic_family} if several_families else trial.voices - critic_voices)
    ]
    for_it = {family for trial in passing for family in trial.families}
    against_it = {family for trial in failing for family in trial.families}
    if independent and len(for_it) >= len(against_it):
        return Verdict.BREAKS
    return Verdict.CONTESTED


def judge_kept(original: Evidence | None, changed: Evidence | None) -> Verdict:
    """Say what a test shows about a change that has to keep behaviour.

    It counts when it passes on the code as it is and fails with the change. One that fails there because a name
    is gone may only show what was asked for: it is put to the author and breaks nothing.
    """
    if original is None or changed is None or original.outcome is not Outcome.PASSED:
        return Verdict.NO_EVIDENCE
    if changed.outcome not in _FAILED:
        # An import that fails is an error of the test, except that it worked before.
        return Verdict.CONTESTED if changed.outcome is Outcome.ERROR else Verdict.NO_EVIDENCE
    return Verdict.CONTESTED if _NAME_IS_GONE.search(changed.log) else Verdict.BREAKS


def read_vote(reply: str, labels: Sequence[str]) -> str | None:
    """Return the label that a critic prefers ("BEST: B"), the last one if it names several."""
    found = [match.group(1).upper() for match in _BEST_LINE.finditer(_THINKING.sub("", reply))]
    named = [label for label in found if label in labels]
    return named[-1] if named else None


def tells_apart(outcomes: Mapping[str, Evidence]) -> bool:
    """Whether a test passed with some candidates in place and failed with others."""
    seen = {item.outcome for item in outcomes.values()}
    return Outcome.PASSED in seen and bool(seen & _FAILED)


def is_broken_test(evidence: Evidence) -> bool:
    """Whether a failing run's log looks as if the test could not pass with any code."""
    return bool(_BROKEN_TEST.search(evidence.log))


def is_grounded(cited: str, texts: Sequence[str]) -> bool:
    """Whether the line that is cited ("path:12: code") stands in one of the texts."""
    quote = re.sub(r"^[^\s:]+:\d+(?:-\d+)?:?", "", cited).strip().strip("`").strip()
    wanted = re.sub(r"\s+", " ", quote)
    return len(wanted) >= 4 and any(wanted in re.sub(r"\s+", " ", text) for text in texts)


def _attack(label: str, text: str) -> Attack | None:
    claim = _CLAIM_LINE.search(text)
    cite = _CITE_LINE.search(text)
    test = next((_dedented(match) for match in _FENCE.finditer(text) if "def test" in match.group(3)), "")
    if len(test) > _LONGEST_TEST:
        test = ""
    words = claim.group(1).strip() if claim else _first_line(_FENCE.sub("", text))
    if not test and cite is None and not claim:
        return None
    return Attack(label, words[:600], test, cite.group(1).strip()[:300] if cite else "")


def _dedented(match: re.Match[str]) -> str:
    indent = match.group(1)
    lines = match.group(3).splitlines(keepends=True)
    return "".join(line.removeprefix(indent) for line in lines)


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
