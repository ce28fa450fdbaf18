"""Every case of tests/cases/edits gives the bytes, or the problem, that it says."""

import pytest

from tests.core.edit_cases import EditCase, load_cases

CASES = load_cases()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.title) for case in CASES])
def test_case(case: EditCase) -> None:
    outcome = case.run()

    assert [problem.kind.value for problem in outcome.problems] == case.problems
    assert {
        change.path: change.after.to_bytes() if change.after else None for change in outcome.changes
    } == case.after


def test_a_refused_case_expects_no_files() -> None:
    assert not [case.title for case in CASES if bool(case.problems) == bool(case.after)]
