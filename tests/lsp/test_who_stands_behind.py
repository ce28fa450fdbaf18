"""The few words of a diagnostic that say who stands behind a finding."""

import pytest

from ensemble_lsp.core.evidence import COVERAGE, SEARCH, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Band, Dissent, Finding
from ensemble_lsp.lsp.convert import support_of
from ensemble_lsp.lsp.findings import Review, TrackedFinding


def _said(witness: str, rank: Rank = Rank.EXECUTED) -> Evidence:
    return Evidence(witness=witness, rank=rank, target="pay.py", outcome=Outcome.FAILED, summary="")


PYTEST, LINES, CHANGE = _said("pytest"), _said(COVERAGE), _said(SEARCH)


@pytest.mark.parametrize(
    ("families", "evidence", "words"),
    [
        (("a", "b"), (), "2 of 3 families"),
        (("a",), (_said("ruff", Rank.STATIC),), "1 of 3 families; ruff agrees"),
        (("a",), (_said("probe"),), "1 of 3 families; probe confirms"),
        (("a", "b"), (PYTEST, LINES), "2 of 3 families; pytest confirms"),
        ((), (_said("ruff", Rank.STATIC), _said("bandit", Rank.STATIC)), "bandit, ruff report it"),
        # What coverage and the search say is part of the tests' failing, not two more that confirm it.
        ((), (PYTEST, LINES, CHANGE), "pytest shows it"),
        ((), (PYTEST, LINES), "pytest shows it"),
        # In `locate` no test need have been run beside it.
        (("a",), (LINES,), "1 of 3 families; coverage confirms"),
    ],
)
def test_who_stands_behind_a_finding(
    families: tuple[str, ...], evidence: tuple[Evidence, ...], words: str
) -> None:
    finding = Finding(
        id="f",
        path="pay.py",
        line=3,
        end_line=3,
        quote="x",
        severity=Severity.CRITICAL,
        category="bug",
        title="It is wrong",
        detail="",
        confidence=0.8,
        band=Band.HIGH,
        members=families,
        families=families,
        evidence=evidence,
        dissent=(Dissent(member="c", family="c", about="f", text="no"),) if "probe" in words else (),
    )
    tracked = TrackedFinding(finding, Review("job", families=3), "file:///pay.py", 3, 3)
    assert support_of(tracked) == words + ("; 1 objection" if "probe" in words else "")
