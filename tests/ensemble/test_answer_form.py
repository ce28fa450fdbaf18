"""Forms are read forgivingly where nothing can be misunderstood, and strictly where something could."""

import pytest
from pydantic import ValidationError

from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.ensemble.challenging import Verdict, Verdicts
from ensemble_lsp.ensemble.finding import FINDINGS_AT_MOST, Draft, Drafts
from ensemble_lsp.ensemble.positions import Turn
from tests.ensemble.reading_panel import draft, verdict


def test_what_is_too_long_is_cut() -> None:
    read = Draft.model_validate(draft(title="x" * 500))
    assert read.title == "x" * 120
    assert len(Drafts.model_validate({"findings": [draft()] * 40}).findings) == FINDINGS_AT_MOST


def test_numbers_out_of_bounds_are_moved_to_the_bound() -> None:
    read = Draft.model_validate(draft(line=0, confidence=85))
    assert (read.line, read.confidence) == (1, 1.0)
    assert Verdict.model_validate(verdict(line=-1)).line == 0


def test_unknown_fields_are_dropped_and_missing_texts_are_empty() -> None:
    read = Verdict.model_validate({"number": 1, "verdict": "stands", "reason": None, "thoughts": "hm"})
    assert (read.reason, read.quote, read.test, read.line) == ("", "", "", 0)


def test_names_are_read_in_both_spellings() -> None:
    told = draft()
    told["end_line"] = told.pop("endLine")
    assert Draft.model_validate(told).end_line == 8


@pytest.mark.parametrize(
    ("said", "read"), [("HIGH", Severity.CRITICAL), ("medium", Severity.WARNING), (" low ", Severity.INFO)]
)
def test_severities_of_other_scales_are_understood(said: str, read: Severity) -> None:
    assert Draft.model_validate(draft(severity=said)).severity is read


def test_what_carries_meaning_is_never_made_up() -> None:
    for form, told in (
        (Verdict, {"number": 1, "verdict": "perhaps"}),
        (Verdict, {"number": 1}),
        (Verdicts, {}),
        (Turn, {"target": 1, "decision": "maybe"}),
        (Draft, draft(severity="purple")),
    ):
        with pytest.raises(ValidationError):
            form.model_validate(told)


def test_the_schema_that_members_are_held_to_is_flat_and_bounded() -> None:
    schema = Drafts.model_json_schema(by_alias=False)
    finding = schema["$defs"]["Draft"]
    assert finding["properties"]["quote"]["maxLength"] == 300
    assert set(finding["required"]) == set(finding["properties"])
    assert schema["properties"]["findings"]["maxItems"] == FINDINGS_AT_MOST
