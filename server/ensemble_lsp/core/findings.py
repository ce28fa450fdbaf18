"""Findings of a review: what was claimed, where, by whom, and what stands behind it."""

from enum import StrEnum

from pydantic import Field

from ensemble_lsp.core.evidence import Evidence, Severity
from ensemble_lsp.core.frozen import Frozen


class FindingDraft(Frozen):
    """One claim as a member states it. Lines are 1-based and inclusive: models count that way.

    `maxLength` on every string bounds a reply, so that it is not cut off inside the JSON.
    """

    path: str = Field(max_length=300)
    line: int = Field(ge=1)
    end_line: int = Field(ge=1)
    quote: str = Field(max_length=300)
    """The source line it speaks of, verbatim: what grounds the claim in the file."""
    severity: Severity
    category: str = Field(max_length=40)
    title: str = Field(max_length=120)
    detail: str = Field(max_length=800)
    confidence: float = Field(ge=0, le=1)


class FindingDrafts(Frozen):
    """What a reviewer returns."""

    findings: list[FindingDraft] = Field(max_length=20)


class Band(StrEnum):
    """Confidence in words."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Dissent(Frozen):
    """What was argued and not adopted, kept word for word."""

    member: str
    family: str
    about: str
    """The id of the candidate, finding or claim."""
    text: str


class Finding(Frozen):
    """One admitted (or dissenting) finding. Lines are 0-based, `end_line` inclusive."""

    id: str
    path: str
    line: int
    end_line: int
    quote: str
    severity: Severity
    category: str
    title: str
    detail: str
    confidence: float
    band: Band
    members: tuple[str, ...]
    families: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    changed_lines: bool = True
    """False when it speaks of lines that the reviewed change did not touch."""
    admitted: bool = True
    reason: str = ""
    """Why it was kept or not: "2 families", "ruff agrees", "anchor, not refuted", "refuted by …"."""
