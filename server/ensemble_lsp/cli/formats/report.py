"""What a command found, with what every format needs beside it: where paths start, texts, and checked fixes."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ensemble_lsp.context.git import git_root
from ensemble_lsp.context.reading import FILE_BYTES
from ensemble_lsp.context.regular_files import read_regular
from ensemble_lsp.core.diff import Hunk, hunks_of
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.core.text import SourceText, content_of, is_binary, split_lines


@dataclass(frozen=True, slots=True)
class Report:
    """One job's result as formats see it. `code` is the exit status of the command."""

    job: str
    action: Action
    result: JobResult
    code: int
    workspace: Path
    prefix: str = ""
    """What leads from the root of the repository to the workspace: "" or "app/". Formats for others start there."""
    with_dismissed: bool = False
    """Whether what was dismissed is shown like the rest."""
    fixes: Mapping[str, Proposal] = field(default_factory=dict[str, Proposal])
    """Id of a finding → the patch that was made for it."""

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that are reported, the worst first."""
        return tuple(
            finding
            for finding in self.result.findings
            if finding.admitted or (self.with_dismissed and finding.dismissed is not None)
        )

    @property
    def suppressed(self) -> tuple[Finding, ...]:
        """The findings that are left out because somebody dismissed them."""
        if self.with_dismissed:
            return ()
        return tuple(finding for finding in self.result.findings if finding.dismissed is not None)

    def path(self, path: str) -> str:
        """Return a path of the workspace as one from the root of the repository."""
        return self.prefix + path

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a file as they were reviewed, with their endings; None when it cannot be read."""
        kept = self.result.texts.get(path)
        if kept is not None:
            return split_lines(kept)
        try:
            data = read_regular(self.workspace / path, FILE_BYTES)
        except (OSError, ValueError):
            return None
        return None if data is None or is_binary(data) else split_lines(SourceText.from_bytes(data).text)

    def checked_fix(self, finding: Finding) -> Proposal | None:
        """Return the fix of a finding that was executed and held, else None: what nobody ran is no fix to take over."""
        found = self.fixes.get(finding.id)
        return found if found is not None and found.standing is Standing.VERIFIED else None


def prefix_of(workspace: Path) -> str:
    """Return what leads from the root of the repository to the workspace: "", or a path with a slash at its end."""
    root = git_root(workspace)
    if root is None or root.resolve() == workspace.resolve():
        return ""
    return f"{workspace.resolve().relative_to(root.resolve()).as_posix()}/"


def fixes_in(result: JobResult) -> dict[str, Proposal]:
    """Return finding → proposal for a job that found and patched at once: of each finding whose lines are changed."""
    proposal = result.proposal
    if proposal is None:
        return {}
    hunks = [hunk for change in proposal.chosen.changes for hunk in hunks_of(change)]
    return {
        finding.id: proposal
        for finding in result.findings
        if finding.id == proposal.finding or any(_meet(finding, hunk) for hunk in hunks)
    }


def utf16_length(text: str) -> int:
    """Return how many UTF-16 code units a text has: what columns count here."""
    return sum(2 if ord(character) > 0xFFFF else 1 for character in text)


def columns_of(lines: list[str], first: int, last: int) -> tuple[int, int] | None:
    """Return where the code on lines begins and ends, in UTF-16 code units from 1, the end exclusive.

    `first` and `last` are 0-based; None when the file has no such lines, and for a blank one.
    """
    if not 0 <= first <= last < len(lines):
        return None
    begin = content_of(lines[first])
    indent = len(begin) - len(begin.lstrip())
    start, end = utf16_length(begin[:indent]) + 1, utf16_length(content_of(lines[last]).rstrip()) + 1
    return (start, end) if first < last or start < end else None


def is_plain(text: str) -> bool:
    """Whether code can be handed on as it is: nothing invisible in it that a person could not see before taking it."""
    return all(
        character in "\n\r\t\f" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"}
        for character in text
    )


def _meet(finding: Finding, hunk: Hunk) -> bool:
    return (
        hunk.path == finding.path
        and hunk.old_start <= finding.end_line + 1
        and finding.line <= max(hunk.old_end, hunk.old_start + 1)
    )
