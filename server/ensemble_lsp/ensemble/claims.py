"""Explanations as lists of claims: what is cited is looked up, what two say is found, what they contradict too."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from pydantic import Field

from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.challenging import Challenge, Point
from ensemble_lsp.ensemble.grounding import symbol_lines
from ensemble_lsp.ensemble.merging import NEAR_LINES, Statement, group
from ensemble_lsp.ensemble.similarity import cosine, vectors_of

V = TypeVar("V")

CLAIMS_AT_MOST = 14
BRIEF_CLAIMS_AT_MOST = 6


class ClaimKind(StrEnum):
    """What a claim is about; the document is ordered by it."""

    PURPOSE = "purpose"
    FLOW = "flow"
    BEHAVIOUR = "behaviour"
    CAVEAT = "caveat"


class Claim(AnswerForm):
    """One sentence about the code. `line` is 1-based, 0 for none; `symbol` is empty for none."""

    kind: ClaimKind
    text: str = Field(max_length=300)
    line: int = Field(ge=0)
    symbol: str = Field(max_length=80)


class Claims(AnswerForm):
    """What a member returns who explains."""

    claims: list[Claim] = Field(max_length=CLAIMS_AT_MOST)


class BriefClaim(Claim):
    """A claim as a small local member states it: short enough to be finished in time."""

    text: str = Field(max_length=180)
    symbol: str = Field(max_length=40)


class BriefClaims(AnswerForm):
    """What a small local member returns."""

    claims: list[BriefClaim] = Field(max_length=BRIEF_CLAIMS_AT_MOST)


@dataclass(frozen=True, slots=True)
class Made:
    """One claim with its citations looked up; what is not there is None. `line` is 0-based."""

    id: str
    voice: Voice
    kind: ClaimKind
    text: str
    line: int | None
    symbol: str | None
    dropped: int
    """Citations of lines and symbols that do not exist."""


@dataclass(slots=True)
class Version:
    """What one or several members claim in the same words, nearly."""

    id: str
    made: tuple[Made, ...]
    path: str
    challenges: list[Challenge] = field(default_factory=list[Challenge])
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    withdrawn: set[str] = field(default_factory=set[str])
    seconded: set[str] = field(default_factory=set[str])
    urgent: bool = False
    """Another version contradicts it."""

    @property
    def first(self) -> Made:
        """The wording that is shown: the one with most citations, then the shortest."""
        return self.made[0]

    @property
    def members(self) -> tuple[str, ...]:
        """Who claims it still."""
        return tuple(sorted({made.voice.member.id for made in self.made} - self.withdrawn))

    @property
    def voices(self) -> int:
        """How many blind answers claim it, and families that stood behind it later, with evidence."""
        standing = {made.voice.id for made in self.made if made.voice.member.id not in self.withdrawn}
        return len(standing) + len(self.seconded)

    def point(self) -> Point:
        """Return it as it is put in front of a challenger: nameless."""
        line = self.first.line or 0
        cited = [f"line {line + 1}"] if self.first.line is not None else []
        cited += [self.first.symbol] if self.first.symbol else []
        where = f" ({', '.join(cited)})" if cited else ""
        return Point(
            id=self.id,
            text=f"{self.first.text}{where}",
            path=self.path,
            line=line,
            end_line=line,
            members=frozenset(made.voice.member.id for made in self.made),
            families=frozenset(made.voice.member.family for made in self.made) | self.seconded,
            urgent=self.urgent,
        )


@dataclass(frozen=True, slots=True)
class Topic:
    """Claims about the same thing: one version, or several that contradict each other."""

    kind: ClaimKind
    versions: tuple[Version, ...]

    @property
    def contested(self) -> bool:
        """Whether members contradict each other."""
        return len(self.versions) > 1


_LINE_MENTION = re.compile(r"\blines?\s+(\d{1,6})(?:\s*(?:-|–|to|and)\s*(\d{1,6}))?", re.IGNORECASE)


def looked_up(claim: Claim, voice: Voice, number: int, lines: Sequence[str], shown: Sequence[str]) -> Made:
    """Return a claim with only those citations that exist.

    `lines` are the file's, `shown` all lines that members saw. A line is dropped when the file has no such
    line, or when it also cites a symbol that does not occur near it. Mentions of lines in the text that the
    file does not have are struck out.
    """
    dropped = 0
    symbol: str | None = claim.symbol.strip() or None
    if symbol is not None and not symbol_lines(shown, symbol):
        symbol, dropped = None, dropped + 1
    line: int | None = claim.line - 1 if claim.line > 0 else None
    if line is not None:
        there = line < len(lines) and bool(lines[line].strip())
        if there and symbol is not None:
            at = symbol_lines(lines, symbol)
            there = not at or any(abs(place - line) <= NEAR_LINES for place in at)
        if not there:
            line, dropped = None, dropped + 1
    text = " ".join(claim.text.split())

    def struck(mention: re.Match[str]) -> str:
        nonlocal dropped
        if all(number is None or 1 <= int(number) <= len(lines) for number in mention.groups()):
            return mention.group()
        dropped += 1
        return f"~~{mention.group()}~~"

    return Made(
        f"{voice.id}#{number:02}", voice, claim.kind, _LINE_MENTION.sub(struck, text), line, symbol, dropped
    )


def topics_of(made: Sequence[Made], path: str) -> list[Topic]:
    """Group claims by what they are about, and split a group where its claims contradict each other."""
    by_id = {item.id: item for item in made}
    groups = group([Statement(item.id, f"{item.text} {item.symbol or ''}") for item in made]).groups
    topics: list[Topic] = []
    for ids in groups:
        items = sorted((by_id[ident] for ident in ids), key=_wording)
        camps = camps_of(items, lambda item: item.text)
        versions = tuple(Version(_id_of(camp), tuple(camp), path, urgent=len(camps) > 1) for camp in camps)
        topics.append(Topic(items[0].kind, versions))
    order = list(ClaimKind)

    def place(topic: Topic) -> tuple[int, bool, int, str]:
        first = topic.versions[0].first
        return (order.index(topic.kind), first.line is None, first.line or 0, first.id)

    return sorted(topics, key=place)


def camps_of(items: Sequence[V], text_of: Callable[[V], str]) -> list[list[V]]:
    """Split items about the same thing into camps that do not contradict themselves, first come, first served."""
    camps: list[list[V]] = []
    for item in items:
        text = text_of(item)
        home = next(
            (camp for camp in camps if not any(contradicts(text, text_of(one)) for one in camp)), None
        )
        if home is None:
            camps.append([item])
        else:
            home.append(item)
    return camps


_LITERAL = re.compile(
    r"""["'`]([^"'`]{1,40})["'`]|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w])|\b(None|True|False|null|nil|NaN)\b"""
    r"|\b(\w*(?:Error|Exception|Warning))\b"
)
_NEGATION = re.compile(r"\b(?:not|never|no|nothing|without|cannot|neither|nor)\b|n't\b", re.IGNORECASE)
_ALIKE_BUT_FOR_NEGATION = 0.5


def contradicts(first: str, second: str) -> bool:
    """Whether two claims about the same thing say different things, as far as words can show it.

    They do when each names a result that the other does not (numbers, None, exceptions, quoted strings), or
    when they are alike but one of them denies. This only decides what is *looked into*: a false alarm costs a
    question, and what the question settles counts.
    """
    ours, theirs = _literals(first), _literals(second)
    if ours - theirs and theirs - ours:
        return True
    if bool(_NEGATION.search(first)) == bool(_NEGATION.search(second)):
        return False
    vectors = vectors_of([first, second])
    return cosine(vectors[0], vectors[1]) >= _ALIKE_BUT_FOR_NEGATION


def _literals(text: str) -> set[str]:
    without_places = _LINE_MENTION.sub("", text)
    found = {
        next(part for part in groups if part) for groups in _LITERAL.findall(without_places) if any(groups)
    }
    # A quoted name is a mention, not a result.
    return {item for item in found if not re.fullmatch(r"[a-z_][\w.]*(?:\(.*\))?", item)}


def _wording(made: Made) -> tuple[int, int, str]:
    return (-sum(part is not None for part in (made.line, made.symbol)), len(made.text), made.id)


def _id_of(camp: Sequence[Made]) -> str:
    text = "\0".join(sorted(item.text for item in camp))
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]
