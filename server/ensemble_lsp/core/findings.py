"""Findings of a review: what was claimed, where, by whom, and what stands behind it."""

import hashlib
from enum import StrEnum

from pydantic import Field

from ensemble_lsp.core.evidence import Evidence, Rank, Severity
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


class Refutation(StrEnum):
    """How the attempt to refute a point ended."""

    NOT_ATTEMPTED = "notAttempted"
    SURVIVED = "survived"
    SURVIVED_SAME_FAMILY = "survivedSameFamily"
    OBJECTED = "objected"
    """Contradicted, but without evidence that could be verified: does not count as refuted."""
    REFUTED_BY_CITATION = "refutedByCitation"
    REFUTED_BY_EXECUTION = "refutedByExecution"

    @property
    def refuted(self) -> bool:
        """Whether the refutation brought evidence."""
        return self in {Refutation.REFUTED_BY_CITATION, Refutation.REFUTED_BY_EXECUTION}


class Grounds(Frozen):
    """What the confidence in a finding rests on, beside who raised it."""

    families: int = Field(ge=0)
    """Families that stand behind it; 0 for what a tool alone reports."""
    witness: Rank | None = None
    """The strongest witness behind it: `STATIC`, `EXECUTED`, or None."""
    refutation: Refutation = Refutation.NOT_ATTEMPTED


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
    """The estimated probability, 0 to 1, that it is right; of places that `locate` ranks, a rank."""
    band: Band
    """The same in words: from two in three `high`, below one in three `low`."""
    members: tuple[str, ...]
    families: tuple[str, ...]
    evidence: tuple[Evidence, ...] = ()
    """What speaks for it."""
    against: tuple[Evidence, ...] = ()
    """What those who objected brought: it did not outweigh the finding, where it is admitted."""
    dissent: tuple[Dissent, ...] = ()
    changed_lines: bool = True
    """False when it speaks of lines that the reviewed change did not touch."""
    admitted: bool = True
    reason: str = ""
    """Why it was kept or not: "2 families", "ruff agrees", "anchor, not refuted", "refuted by …"."""
    fingerprint: str = ""
    """What a dismissal knows it by, in whatever words and on whatever line it is found again."""
    dismissed: str | None = None
    """Why the person does not want to see it, "" without a reason; None when it was not dismissed."""
    grounds: Grounds | None = None
    """What its confidence was computed from; None where that is a rank and no probability."""


def fingerprint_of(category: str, quote: str, symbol: str, occurrence: str = "") -> str:
    """Identify what a finding speaks of: 32 hexadecimal digits, the same after moves and other wordings.

    Built of the category, the quoted line without its layout, and the name of the symbol around it ("" at the
    top of a file). `occurrence` tells equal lines of one symbol apart ("2 of 3"), so that who dismisses one of
    them does not dismiss the others. The path is no part of it: files are renamed.
    """
    text = "\0".join((category.casefold(), " ".join(quote.split()), symbol, occurrence))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
