"""`ensemble-lsp bench` without a set: mutants of the tested functions of the project you are in."""

import json

import pytest

from tests.bench.stage import GOOD, Stage, schema_of
from tests.checks.workspaces import git, repository, tree
from tests.support.fake_model_server import Answer, Recorded

pytestmark = pytest.mark.timeout(400)  # some twenty runs of pytest: seconds, but minutes on a crowded machine

AGREED = ("--yes", "--trust")

FUNCTION = '''\
def cheaper(prices, limit):
    """Return the prices below a limit."""
    kept = []
    for price in prices:
        if price < limit:
            kept.append(price)
    return kept
'''

PROJECT = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "shop.py": f'"""A shop."""\n\n\n{FUNCTION}',
    "test_shop.py": (
        "from shop import cheaper\n\n\n"
        "def test_below():\n    assert cheaper([1, 2, 3], 3) == [1, 2]\n\n\n"
        "def test_none():\n    assert cheaper([], 3) == []\n"
    ),
}


def _mends(request: Recorded) -> Answer:
    """Answer as the member's name says: one knows the function, the other returns nothing."""
    if '"findings"' in schema_of(request):
        return Answer(text=json.dumps({"findings": []}))
    function = FUNCTION if request.model == GOOD else FUNCTION.replace("return kept", "return None")
    return Answer(text=f"```python\n{function}```\n")


@pytest.fixture
def project(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The stage, from inside a project whose function is tested."""
    root = repository(stage.home / "shop", PROJECT)
    git(root, "commit", "-q", "-m", "The shop")
    monkeypatch.chdir(root)
    stage.says(_mends)
    return stage


def test_who_knows_the_function_repairs_its_mutants_and_the_project_stays(project: Stage):
    before = tree(project.home / "shop")
    out = project.home / "out"
    ran = project.run_without_set("fix", "--cases", "2", "--ways", "single", "--out", str(out), *AGREED)

    assert ran.code == 0, ran.err
    outcomes = project.record(out)
    assert {(str(each["way"]).partition(":")[2], each["solved"]) for each in outcomes} == {
        (GOOD, True),
        ("bad", False),
    }
    assert len(outcomes) == 4
    assert all(str(each["case"]).startswith("shop.py") for each in outcomes), outcomes
    assert tree(project.home / "shop") == before


def test_a_review_gets_as_many_clean_controls_as_bugs(project: Stage):
    out = project.home / "out"
    ran = project.run_without_set("review", "--cases", "2", "--ways", "single", "--out", str(out), *AGREED)

    assert ran.code == 0, ran.err
    clean = [bool(each["clean"]) for each in project.record(out) if str(each["way"]).endswith(GOOD)]
    assert sorted(clean) == [False, False, True, True]


def test_mutants_are_looked_for_only_where_it_is_said(project: Stage):
    ran = project.run_without_set("fix", "--mutants", "--only", "nowhere", "--ways", "single", *AGREED)

    assert ran.code == 2
    assert "nowhere" in ran.err
    assert not project.asked
