"""Reports for the tests of formats: a file with a bug, findings about it, a patch that was checked."""

from pathlib import Path

from ensemble_lsp.cli.formats.report import Report
from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Band, Dissent, Finding
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import JobResult, LineRange
from ensemble_lsp.core.text import SourceText
from tests.support.shop import BUGGY, FIXED

PRINT = "0123456789abcdef0123456789abcdef"

PASSED = Evidence(
    witness="pytest", rank=Rank.EXECUTED, target="tests", outcome=Outcome.PASSED, summary="3 passed"
)
RUFF = Evidence(
    witness="ruff",
    rank=Rank.STATIC,
    target="cart.py",
    outcome=Outcome.FAILED,
    summary="PLW2901 on line 8",
    diagnostics=(
        Diagnostic(
            path="cart.py",
            line=7,
            end_line=7,
            severity=Severity.WARNING,
            source="ruff",
            code="PLW2901",
            message="result is overwritten",
        ),
    ),
)
OBJECTION = Dissent(member="b", family="glm", about="f1", text="The caller may want the last price.")


def finding(**changes: object) -> Finding:
    """Return the finding about line 8 of the shop's cart, with fields changed."""
    fields: dict[str, object] = {
        "id": "f1",
        "path": "cart.py",
        "line": 7,
        "end_line": 7,
        "quote": "result = price",
        "severity": Severity.CRITICAL,
        "category": "bug",
        "title": "The sum is overwritten in each turn",
        "detail": "Only the last price is returned.",
        "confidence": 0.71,
        "band": Band.HIGH,
        "members": ("a",),
        "families": ("qwen", "glm"),
        "reason": "2 families",
        "fingerprint": PRINT,
        **changes,
    }
    return Finding.model_validate(fields)


def proposal(before: str = BUGGY, after: str = FIXED, **changes: object) -> Proposal:
    """Return a verified patch of the cart."""
    change = FileChange(path="cart.py", before=SourceText(before), after=SourceText(after))
    fields: dict[str, object] = {
        "id": "p1",
        "job": "j2",
        "title": "Fix: the sum",
        "standing": Standing.VERIFIED,
        "chosen": Candidate(
            id="c1", changes=(change,), members=("a",), families=("qwen",), evidence=(PASSED,)
        ),
        "finding": "f1",
        **changes,
    }
    return Proposal.model_validate(fields)


def report(workspace: Path, *findings: Finding, **changes: object) -> Report:
    """Return the report of a review of the cart, which lies in `workspace`, with these findings."""
    result = JobResult(
        status=Status.DONE if findings else Status.NOTHING,
        reason=f"{len(findings)} findings",
        findings=findings,
        reviewed=("cart.py",),
        changed_lines={"cart.py": (LineRange(start=5, end=9),)},
    )
    given = {key: changes.pop(key) for key in list(changes) if key in JobResult.model_fields}
    fields: dict[str, object] = {
        "job": "j1",
        "action": Action.REVIEW,
        "result": result.model_copy(update=given),
        "code": 0,
        "workspace": workspace,
        **changes,
    }
    return Report(**fields)  # pyright: ignore[reportArgumentType]
