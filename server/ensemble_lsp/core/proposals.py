"""Candidates and the proposal that comes out of them."""

from enum import StrEnum

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.evidence import SEARCH, Evidence, Strength
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.text import SourceText


class FileChange(Frozen):
    """One file before and after, lossless. `before` None creates it, `after` None deletes it.

    `path` is relative to the workspace, with forward slashes.
    """

    path: str
    before: SourceText | None = None
    after: SourceText | None = None


class Standing(StrEnum):
    """What stands behind a proposal (deliberation.md, "Fix: the decision")."""

    VERIFIED = "verified"
    AGREED = "agreed"
    UNVERIFIED = "unverified"


class Candidate(Frozen):
    """One patch, with who wrote it and what the checks said of it."""

    id: str
    changes: tuple[FileChange, ...]
    members: tuple[str, ...]
    families: tuple[str, ...]
    rationale: str = ""
    """What its author wrote before the first change."""
    reasons: dict[str, str] = {}
    """Hunk id (`core.diff`) → what its author wrote about that change alone, where it did."""
    evidence: tuple[Evidence, ...] = ()
    regressed: tuple[str, ...] = ()
    """Test ids that passed before and fail now."""
    new_diagnostics: int = 0
    changed_lines: int = 0
    spend: Spend = Spend()
    revised_from: str | None = None
    """The candidate it is a revision of."""
    rejected: str = ""
    """Why it did not survive, in words; empty for a survivor."""

    @property
    def authors(self) -> str:
        """Who is behind it, in words: the families, or that no model is."""
        found = any(item.witness == SEARCH for item in self.evidence)
        return ", ".join(self.families) or ("no model, found by search" if found else "nobody any more")


class Proposal(Frozen):
    """The chosen candidate, its alternatives, the evidence and the dissent.

    What was decided is what is proposed, byte for byte: `chosen.changes` is the artefact that was checked.
    """

    id: str
    job: str
    title: str
    standing: Standing
    weak: bool = False
    """The pass behind "verified" would miss most changes here; then it is not marked preferred."""
    strength: Strength | None = None
    chosen: Candidate
    alternatives: tuple[Candidate, ...] = ()
    dissent: tuple[Dissent, ...] = ()
    single_family: bool = False
    would_settle: str = ""
    """For anything but "verified": what would settle it."""
    spend: Spend = Spend()
    finding: str | None = None
