"""What a commit of ours says of itself: what stands behind it, what was argued against it, and which job made it.

Words of models and repositories are quoted in it as plain text: no line of theirs can become a trailer, mention
anybody, refer to an issue or tell a CI service to stand still.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ensemble_lsp import __version__
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.proposals import Proposal, Standing

SUBJECT_AT_MOST = 72
_WIDTH = 72
_CHECKS_AT_MOST = 12
_DISSENT_AT_MOST = 5
_DISSENT_CHARACTERS = 240
_FILES_AT_MOST = 5
_OUTCOMES = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "failed",
    Outcome.TIMED_OUT: "took too long",
    Outcome.ERROR: "could not run",
    Outcome.NOT_RUN: "not run",
}
STANDINGS = {
    (Standing.VERIFIED, False): "Verified",
    (Standing.VERIFIED, True): "Verified, but by a check that would miss most mistakes here",
    (Standing.AGREED, False): "Agreed between families, nothing was executed",
    (Standing.AGREED, True): "Agreed between families, nothing was executed",
    (Standing.UNVERIFIED, False): "Not verified",
    (Standing.UNVERIFIED, True): "Not verified",
}
_MENTION = re.compile(r"@(?=[A-Za-z0-9])")
_REFERENCE = re.compile(r"(#|\bGH-)(?=\d)", re.IGNORECASE)
_SKIP = re.compile(r"\[(\s*(?:skip|no|ci)[ -](?:ci|skip|actions)\s*|\s*actions skip\s*)\]", re.IGNORECASE)
_HEADER = re.compile(r"^\[[^\]]*\]\s*")


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of a patch, for its commit and its pull request."""

    job: str
    action: str
    reason: str
    """Why it was decided so, as the job's end says it."""
    proposal: Proposal
    spend: Spend
    dissent: tuple[Dissent, ...]
    not_committed: tuple[str, ...] = ()
    """Other files that the checks saw with changes that are in no commit."""

    @property
    def standing(self) -> str:
        """What stands behind the patch, in a few words."""
        return STANDINGS[self.proposal.standing, self.proposal.weak]


def subject_of(proposal: Proposal) -> str:
    """Return the first line of the message, `SUBJECT_AT_MOST` characters at most, cut between words."""
    title = plain(proposal.title.split(" — ")[0]) or "Change"
    if len(title) <= SUBJECT_AT_MOST:
        return title
    return textwrap.shorten(title, SUBJECT_AT_MOST, placeholder=" …") or title[:SUBJECT_AT_MOST]


def commit_message(account: Account) -> str:
    """Return subject, wrapped body and trailers."""
    proposal, spend = account.proposal, account.spend
    blocks = [
        [subject_of(proposal)],
        _wrapped(f"{account.standing}: {plain(account.reason)}."),
    ]
    checks = [_check(item) for item in checks_of(account)]
    if checks:
        blocks.append(["Checks on the code with this change:", *_bullets(checks)])
    if account.not_committed:
        blocks.append(_wrapped(seen_beside(account.not_committed)))
    calls = counted(spend.calls, "call")
    blocks.append(_wrapped(f"{author_line(proposal)} {calls}, ${spend.usd:.4f}."))
    if account.dissent:
        said = [f"{who}: {what}" for who, what in dissent_lines(account.dissent)]
        left = len(account.dissent) - len(said)
        blocks.append(["Argued otherwise:", *_bullets(said), *([f"- and {left} more"] if left else [])])
    blocks.append(
        [
            f"Ensemble-Job: {re.sub(r'[^A-Za-z0-9_-]', '', account.job)}",
            f"Ensemble-Standing: {proposal.standing.value}{' (weak)' if proposal.weak else ''}",
            f"Ensemble-Version: {__version__}",
        ]
    )
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def checks_of(account: Account) -> list[tuple[str, str, str]]:
    """Return (check, how it ended, what it said) of everything that looked at the patch."""
    return [
        (plain(item.witness), _OUTCOMES[item.outcome], plain(item.summary))
        for item in account.proposal.chosen.evidence[:_CHECKS_AT_MOST]
    ]


def author_line(proposal: Proposal) -> str:
    """Say which families wrote the patch."""
    families = [plain(family) for family in proposal.chosen.families]
    if not families:
        return "Found by search, written by no model."
    who = "one family" if len(families) == 1 else f"{len(families)} families"
    return f"Written by {who} of models: {', '.join(families)}."


def dissent_lines(dissent: Sequence[Dissent]) -> list[tuple[str, str]]:
    """Return (who, the beginning of what was argued) of the first objections."""
    return [
        (
            f"{plain(item.member)} ({plain(item.family)})",
            plain(_HEADER.sub("", item.text), _DISSENT_CHARACTERS),
        )
        for item in dissent[:_DISSENT_AT_MOST]
    ]


def seen_beside(paths: Sequence[str]) -> str:
    """Say that the checks saw more than the commit has."""
    shown = ", ".join(plain(path) for path in paths[:_FILES_AT_MOST])
    more = f" and {len(paths) - _FILES_AT_MOST} more" if len(paths) > _FILES_AT_MOST else ""
    return (
        f"The checks ran in a folder with changes that are not committed and not part of this: {shown}{more}. "
        "Run them again without those."
    )


def plain(text: str, longest: int = 400) -> str:
    """Return foreign text as one line of plain text that commands nothing on a forge."""
    line = " ".join(one_line(text).split())
    line = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return _REFERENCE.sub(r"\1 ", _MENTION.sub("@ ", skipping_nothing(line)))


def skipping_nothing(text: str) -> str:
    """Return text without the words that make CI services skip a commit; a squashed pull request's body is one."""
    return _SKIP.sub(r"(\1)", text)


def _check(item: tuple[str, str, str]) -> str:
    name, outcome, said = item
    return f"{name} {outcome}: {said}" if said else f"{name} {outcome}"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _bullets(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        # A word that begins a wrapped line stands behind two blanks, where nothing reads a trailer.
        found += textwrap.wrap(
            line,
            _WIDTH,
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return found
