"""When a test that a member wrote is evidence."""

import ast

from ensemble_lsp.core.errors import SandboxUnavailable
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.ensemble.probing import PROBES_AT_MOST, Prober, hollowed
from ensemble_lsp.ensemble.sitting import Sitting
from tests.ensemble.reading_panel import CODE, Table, ToldChecks, by_purpose, table

TEST = "from pay import mean\n\ndef test_it():\n    assert mean([2]) == 2\n"


def prober(checks: ToldChecks) -> tuple[Prober, Table]:
    at = table({"a": by_purpose()}, checks=checks)
    return Prober(Sitting.open(at.deliberation, 4)), at


async def test_a_test_that_passes_and_depends_on_the_code_is_executed_evidence() -> None:
    probing, at = prober(ToldChecks(passing=[TEST]))
    evidence = await probing.prove("x", "pay.py", 7, TEST)
    assert evidence is not None
    assert evidence.rank is Rank.EXECUTED
    assert [changed for _, changed in at.checks.probed] == [False, True]


async def test_a_test_that_passes_without_the_function_proves_nothing() -> None:
    probing, _ = prober(ToldChecks(vacuous=[TEST]))
    assert await probing.prove("x", "pay.py", 7, TEST) is None


async def test_a_test_that_asserts_nothing_or_does_not_name_the_code_is_not_run() -> None:
    probing, at = prober(
        ToldChecks(passing=["def test_it():\n    assert True\n", "import pay\npay.mean([1])\n"])
    )
    assert await probing.prove("x", "pay.py", 7, "def test_it():\n    assert True\n") is None
    assert await probing.prove("x", "pay.py", 7, "import pay\npay.mean([1])\n") is None
    assert at.checks.probed == []


async def test_only_so_many_probes_are_run_in_a_job() -> None:
    probing, at = prober(ToldChecks())
    for _ in range(PROBES_AT_MOST + 5):
        await probing.prove("x", "pay.py", 7, TEST)
    assert len(at.checks.probed) == PROBES_AT_MOST


async def test_without_a_sandbox_a_probe_is_no_evidence_and_the_person_is_told() -> None:
    class Unconfined(ToldChecks):
        async def probe(self, changes: object, test_code: str) -> Evidence:
            raise SandboxUnavailable("nothing can confine it here")

    probing, _ = prober(Unconfined())
    assert await probing.prove("x", "pay.py", 7, TEST) is None
    assert probing.sitting.notes == ["a probe could not be run: nothing can confine it here"]


async def test_a_probe_that_was_not_run_is_no_evidence() -> None:
    class NotRun(ToldChecks):
        async def probe(self, changes: "object | list[FileChange]", test_code: str) -> Evidence:
            return Evidence(
                witness="probe", rank=Rank.EXECUTED, target="t", outcome=Outcome.NOT_RUN, summary="no consent"
            )

    probing, _ = prober(NotRun())
    assert await probing.prove("x", "pay.py", 7, TEST) is None


def test_hollowing_leaves_everything_but_the_body_of_the_innermost_function() -> None:
    hollow = hollowed(CODE, 7)
    assert hollow is not None
    assert "def mean(values):\n    raise RuntimeError('hollowed out')\n\n\ndef read(name):" in hollow
    assert "return handle.read()" in hollow
    ast.parse(hollow)


def test_hollowing_reaches_into_methods_with_long_signatures_and_docstrings() -> None:
    code = """\
class A:
    def f(
        self,
        x,
    ):
        '''Doc.'''
        return x

    y = 1
"""
    body = code[code.index("        '''Doc") : code.index("\n    y = 1")]
    assert hollowed(code, 6) == code.replace(body, "        raise RuntimeError('hollowed out')\n")


def test_where_no_function_is_around_the_line_those_are_hollowed_that_the_test_names() -> None:
    hollow = hollowed(CODE, 0, TEST)
    assert hollow is not None
    assert hollow == hollowed(CODE, 7)


def test_what_has_no_function_cannot_be_hollowed() -> None:
    assert hollowed("x = 1\n", 0) is None
    assert hollowed("def f(:\n", 0) is None
    assert hollowed("def f(): return 1\n", 0) is None
