"""What one action that changes something asks for, and the rules that decide over what comes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.edits import EditOutcome, apply_reply
from ensemble_lsp.core.evidence import CheckReport, Strength
from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.proposals import FileChange, Standing
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.checking import Assessment, Target, targets_of, touches_judge
from ensemble_lsp.ensemble.clusters import Contender
from ensemble_lsp.ensemble.deciding import Decision, decide, is_settled, rejection
from ensemble_lsp.ensemble.ports import CheckPort, Dossier
from ensemble_lsp.ensemble.prompts.fixing_words import FIXING as FIXING_WORDS
from ensemble_lsp.ensemble.prompts.forms import change_form
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.wording import Wording
from ensemble_lsp.ensemble.region import Region


@dataclass(frozen=True, slots=True)
class Written:
    """What a member wrote, and what it is to be read against."""

    text: str
    """Secrets put back."""
    cut_off: bool
    region: Region
    sentinel: str
    dossier: Dossier
    checks: CheckPort


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form of an answer is made from."""

    wording: Wording
    edit_format: EditFormat
    style: int
    sentinel: str
    region: Region
    source: SourceText
    """The file of the region."""
    quoting: Quoting


def ask_blocks(asked: Asked) -> str:
    """Ask for search/replace blocks, or a small model for the whole of the region."""
    return change_form(
        asked.wording,
        asked.edit_format,
        style=asked.style,
        sentinel=asked.sentinel,
        region=asked.region,
        path=asked.region.path,
    )


def read_blocks(written: Written) -> EditOutcome:
    """Read search/replace blocks, diffs or whole definitions, as `core.edits` does."""
    checks, dossier = written.checks, written.dossier
    return apply_reply(
        written.text,
        dossier.files,
        default_path=written.region.path,
        sentinel=written.sentinel,
        cut_off=written.cut_off,
        target=written.region.target,
        parse_errors=checks.parse_errors,
        enclosing=checks.enclosing,
        judge_path=dossier.judge_path,
    )


def refuse_changed_judges(
    changes: Sequence[FileChange], targets: Sequence[Target], task: Task, checks: CheckPort
) -> str:
    """Refuse a change of the tests that decide over it."""
    del checks
    judge = touches_judge(changes, targets, task)
    return f"changes {judge}, which is to judge it" if judge else ""


def code_form(checks: CheckPort, path: str, text: str) -> str:
    """Return what is equal for changes that mean the same: the syntax tree."""
    return checks.normal_form(path, text)


FIX_STANDINGS = {
    (Standing.VERIFIED, False): "the check passes",
    (Standing.VERIFIED, True): "the check passes, but it is weak",
    (Standing.AGREED, False): "agreed, not executed",
    (Standing.UNVERIFIED, False): "not verified",
}


@dataclass(frozen=True, slots=True)
class Undertaking:
    """One action's words and rules. All functions are pure."""

    verb: str
    """In titles: "Fix total"."""
    wording: Wording
    standing_words: Mapping[tuple[Standing, bool], str]
    """(standing, weak) → what a title says of it."""
    ask: Callable[[Asked], str] = ask_blocks
    """Say how the answer is to be written."""
    read: Callable[[Written], EditOutcome] = read_blocks
    form: Callable[[CheckPort, str, str], str] = code_form
    """(checks, path, text) → what is equal for two texts that count as the same answer."""
    targets: Callable[[CheckReport, Task], tuple[Target, ...]] = targets_of
    """What is red on the code as it is and has to become green."""
    refuse: Callable[[Sequence[FileChange], Sequence[Target], Task, CheckPort], str] = refuse_changed_judges
    """Say before anything is run why a change may not be proposed; "" when it may."""
    reject: Callable[[Assessment, Sequence[Target]], str] = rejection
    settled: Callable[[Sequence[Contender], Sequence[str], Sequence[Target], Strength | None], bool] = (
        is_settled
    )
    decide: Callable[[Sequence[Contender], Sequence[str], Sequence[Target], Strength | None], Decision] = (
        decide
    )
    keeps_behaviour: bool = False
    """A test of a critic that passes on the code as it is must pass with the change as well."""
    about_prose: bool = False
    """Comments are what it is about: judges see them, and may cite the text as it was."""
    takes_votes: bool = False
    """Critics also say which candidate does best what was asked."""
    searches: bool = False
    """Where no change stands, small ones are tried until a failing test passes (`searching.py`)."""


FIX = Undertaking(verb="Fix", wording=FIXING_WORDS, standing_words=FIX_STANDINGS, searches=True)
