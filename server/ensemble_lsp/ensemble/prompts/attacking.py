"""The prompts of the critique, and of a debate's round, which asks for critique and revision in one answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.wording import Wording

MOST_SHOWN = 4
"""Candidates in front of one critic (docs/deliberation.md)."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One anonymous candidate: its label ("A"), its change without comments, and what the checks said."""

    label: str
    change: str
    log: str = ""


_POSITION = """\
Then say where you stand, with one of these lines and the reason after it:

POSITION: KEEP (your change is right)
POSITION: ADOPT and a letter (that candidate is right and yours is not)
POSITION: REVISE (then write your complete new change)
POSITION: WITHDRAW (yours is wrong and you know no better one)

Move only for evidence: a log, a test that was run, a line of code. That others think differently is none."""


def critique_task(
    wording: Wording,
    assigned: str,
    exhibits: Sequence[Exhibit],
    *,
    quoting: Quoting,
    path: str | None,
    compact: bool = False,
) -> str:
    """Ask for an attack on at most four anonymous candidates."""
    parts = [assigned, "These changes were proposed:", *shown(exhibits, quoting)]
    parts.append(_attack(wording, path, compact=compact))
    return "\n\n".join(part for part in parts if part)


def debate_task(
    wording: Wording,
    assigned: str,
    own: str,
    hits: Sequence[str],
    exhibits: Sequence[Exhibit],
    *,
    quoting: Quoting,
    path: str | None,
    form: str,
    compact: bool = False,
) -> str:
    """Ask for one round: attack the others, then keep, adopt, revise or withdraw one's own.

    `own` is the member's own change (empty when it has none), `hits` what was found against it and what
    running it said.
    """
    parts = [assigned]
    parts.append(quoting.block("your change", own) if own else "You have no change on the table.")
    parts += [quoting.block("found against your change", hit) for hit in hits]
    if exhibits:
        parts += ["Others propose:", *shown(exhibits, quoting)]
        parts.append(_attack(wording, path, compact=compact))
    parts += [_POSITION, "For REVISE:", form]
    return "\n\n".join(part for part in parts if part)


def _attack(wording: Wording, path: str | None, *, compact: bool) -> str:
    # Not `format`: the rest of the text may hold braces.
    words = wording.short_attack if compact else wording.attack
    return words.replace("{importing}", importing(path))


def importing(path: str | None) -> str:
    """Say how a test reaches the code: by the module's name, as a Python path below the root has it."""
    if path is None or not path.endswith(".py"):
        return ""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts and parts[0] in {"src", "lib"}:
        parts = parts[1:]
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    return f"The module is imported as `{'.'.join(parts)}`, unless the existing tests do it differently."


def shown(exhibits: Sequence[Exhibit], quoting: Quoting) -> list[str]:
    """Return the exhibits, quoted."""
    blocks: list[str] = []
    for exhibit in exhibits[:MOST_SHOWN]:
        blocks.append(quoting.block(f"candidate {exhibit.label}", exhibit.change))
        if exhibit.log:
            blocks.append(quoting.block(f"what the checks said of candidate {exhibit.label}", exhibit.log))
    return blocks
