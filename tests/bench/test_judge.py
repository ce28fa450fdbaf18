"""The judge: fixes are run against tests they had no hand in, findings are judged by where they point."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.judge import Judge, about_the_bug, judged_findings
from ensemble_lsp.bench.workspace import laid_out
from ensemble_lsp.context.gather import gather
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Band, Finding
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.settings import ContextTable
from tests.checks.workspaces import git, repository
from tests.support.shop import BUGGY, FIXED, TEST

VISIBLE = "from cart import total\n\n\ndef test_none():\n    assert total([]) == 0\n"
SET_CASE = BenchCase(
    id="shop",
    group="shop",
    source="set.jsonl",
    files={"cart.py": BUGGY, "test_cart.py": VISIBLE},
    path="cart.py",
    original=FIXED,
    lines=(7, 7),
    judged_by={"test_cart.py": TEST},
)


def judge_all(
    case: BenchCase, programs: Mapping[str, str], beside: Mapping[str, str] | None = None
) -> dict[str, bool]:
    async def judged() -> dict[str, bool]:
        async with Judge.open() as judge:
            told = await asyncio.gather(*(judge.passes(case, text, beside) for text in programs.values()))
            return dict(zip(programs, told, strict=True))

    return asyncio.run(judged())


def test_a_fix_of_a_set_is_judged_by_all_tests_also_those_the_panel_did_not_see() -> None:
    programs = {
        "right": FIXED,
        "as it was": BUGGY,
        "fits the visible test": "def total(prices):\n    return 0\n",
        "ends the tests": "import os\nos._exit(0)\n",
    }
    assert judge_all(SET_CASE, programs) == {name: name == "right" for name in programs}


def test_a_fix_cannot_pass_by_changing_the_tests() -> None:
    beside = {
        "test_cart.py": "def test_nothing():\n    pass\n",
        "conftest.py": "collect_ignore = ['test_cart.py']\n",
    }
    assert judge_all(SET_CASE, {"as it was": BUGGY}, beside) == {"as it was": False}


def test_a_fix_may_bring_another_file() -> None:
    program = "from adding import total\n"
    beside = {"adding.py": FIXED}
    assert judge_all(SET_CASE, {"in two files": program}, beside) == {"in two files": True}


def based_case(base: Path) -> BenchCase:
    (base / "cart.py").write_text(FIXED, encoding="utf-8")
    (base / "test_cart.py").write_text(TEST, encoding="utf-8")
    tests = ("test_cart.py::test_several", "test_cart.py::test_none")
    return BenchCase(
        id="cart.py::total: x",
        group="cart.py::total",
        source="mutants",
        base=str(base),
        files={"cart.py": BUGGY},
        path="cart.py",
        original=FIXED,
        targets=tests[:1],
        covering=tests,
    )


def test_a_fix_of_a_mutant_is_judged_by_the_tests_that_cover_the_function(tmp_path: Path) -> None:
    case = based_case(tmp_path)
    programs = {
        "right": FIXED,
        "as it was": BUGGY,
        "breaks another": FIXED.replace("result = 0", "result = 0 if prices else 1"),
        "fails only what is not asked": FIXED.replace(
            "return result", "return result if len(prices) - 1 else 4"
        ),
        "renames the function": FIXED.replace("total", "sum_up"),
    }
    expected = {name: name in {"right", "fails only what is not asked"} for name in programs}
    assert judge_all(case, programs) == expected


def test_judging_leaves_the_repository_as_it_is(tmp_path: Path) -> None:
    case = based_case(tmp_path)
    judge_all(case, {"writes a file": FIXED + "\nopen('left.txt', 'w').write('x')\n"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cart.py", "test_cart.py"]
    assert (tmp_path / "cart.py").read_text(encoding="utf-8") == FIXED


def test_a_case_of_a_set_is_a_folder_with_its_files_and_nothing_else() -> None:
    with laid_out(SET_CASE) as place:
        found = {path.name: path.read_text(encoding="utf-8") for path in place.workspace.rglob("*")}
        assert found == dict(SET_CASE.files)
        assert place.documents == {}
    assert not place.workspace.exists()


def test_a_case_of_a_repository_is_opened_in_it_with_the_changed_file_unsaved(tmp_path: Path) -> None:
    with laid_out(based_case(tmp_path)) as place:
        assert place.workspace == tmp_path.resolve()
        assert place.documents == {"cart.py": BUGGY}
        assert (tmp_path / "cart.py").read_text(encoding="utf-8") == FIXED


def finding(
    line: int, end_line: int | None = None, *, path: str = "cart.py", category: str = "bug", mark: str = ""
) -> Finding:
    return Finding(
        id=f"{line}-{category}",
        path=path,
        line=line,
        end_line=line if end_line is None else end_line,
        quote="",
        severity=Severity.WARNING,
        category=category,
        title="",
        detail="",
        confidence=0.5,
        band=Band.MEDIUM,
        members=("a",),
        families=("a",),
        fingerprint=mark,
    )


@pytest.mark.parametrize(
    ("given", "near", "exact"),
    [
        (finding(7), True, True),
        (finding(5, 9), True, True),
        (finding(5), True, False),
        (finding(9), True, False),
        (finding(4), False, False),
        (finding(10), False, False),
        (finding(0, 4), False, False),
        (finding(7, path="other.py"), False, False),
        (finding(7, 30), True, True),
        (finding(0, 30), False, False),
    ],
)
def test_a_finding_is_about_the_bug_when_it_points_within_two_lines_of_it(
    given: Finding, near: bool, exact: bool
) -> None:
    assert about_the_bug(SET_CASE, given) is near
    assert about_the_bug(SET_CASE, given, exact=True) is exact


def test_in_a_clean_control_there_is_nothing_to_find() -> None:
    assert not about_the_bug(SET_CASE.model_copy(update={"clean": True}), finding(7))


def test_the_bug_is_found_once_and_the_same_false_alarm_counts_once() -> None:
    told = [
        finding(7),
        finding(8, category="style"),
        finding(1, mark="one"),
        finding(2, mark="one"),
        finding(1, category="style"),
        finding(1, category="Style"),
    ]
    judged = judged_findings(SET_CASE, told)
    assert judged.about == tuple(told[:2])
    assert judged.exact
    assert judged.false_alarms == (told[2], told[4])


@pytest.mark.parametrize("action", [Action.FIX, Action.REVIEW])
async def test_nothing_that_is_put_before_the_panel_holds_the_right_text(
    tmp_path: Path, action: Action
) -> None:
    case = based_case(tmp_path)
    uses = "from cart import total\n\n\ndef bill(prices):\n    return total(prices)\n"
    repository(tmp_path, {"bill.py": uses, "AGENTS.md": "Amounts are in cents.\n"})
    git(tmp_path, "commit", "-qm", "right")
    with laid_out(case) as place:
        dossier = await gather(
            Task(action=action, path=case.path),
            place.workspace,
            overlays={path: SourceText(text) for path, text in place.documents.items()},
            settings=ContextTable(),
            trusted=True,
            count_tokens=len,
        )
        shown = [item.text for item in (dossier.focus, *dossier.related) if item is not None]
        shown += [source.text for source in dossier.files.values()]
        shown += [
            source.text for path in ("cart.py", "bill.py") if (source := dossier.read(path)) is not None
        ]
    assert any("result = price" in text for text in shown)
    assert not [text for text in shown if "result += price" in text]
