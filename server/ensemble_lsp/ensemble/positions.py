"""Positions in a debate: who holds which, what was brought against them, who moved and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import Field

from ensemble_lsp.core.evidence import Evidence, Rank
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.answer_form import AnswerForm
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.claims import camps_of
from ensemble_lsp.ensemble.merging import Statement, group

SAME_STANCE = 0.60
"""Stances this alike are one position. Far above the threshold for findings: in a few words on one question
everything is alike, and the word that differs is the answer. Members can still adopt each other's position."""


class PositionDraft(AnswerForm):
    """A position as a member states it. `line` is 1-based, 0 for none."""

    stance: str = Field(max_length=140)
    argument: str = Field(max_length=700)
    line: int = Field(ge=0)
    quote: str = Field(max_length=240)


class BriefPositionDraft(PositionDraft):
    """A position as a small local member states it."""

    argument: str = Field(max_length=300)
    quote: str = Field(max_length=160)


class Decision(StrEnum):
    """What a member does with its own position in one round."""

    KEEP = "keep"
    MOVE = "move"


class Turn(AnswerForm):
    """One member's call in one round: an objection with its evidence, and a decision."""

    target: int = Field(ge=0, le=30)
    objection: str = Field(max_length=400)
    line: int = Field(ge=0)
    quote: str = Field(max_length=240)
    test: str = Field(max_length=1_200)
    decision: Decision
    adopt: int = Field(ge=0, le=30)
    stance: str = Field(max_length=140)
    argument: str = Field(max_length=500)
    because: str = Field(max_length=300)


class BriefTurn(Turn):
    """A turn of a small local member: short enough to be finished in time."""

    objection: str = Field(max_length=200)
    quote: str = Field(max_length=120)
    test: str = Field(max_length=400)
    argument: str = Field(max_length=160)
    because: str = Field(max_length=120)


class Synthesis(AnswerForm):
    """A debate in a few sentences, and what would settle the rest."""

    summary: str = Field(max_length=800)
    would_settle: str = Field(max_length=300)


@dataclass(frozen=True, slots=True)
class Objection:
    """What was said against a position. `evidence` None: none was brought, or it did not hold."""

    by: Member
    text: str
    evidence: Evidence | None
    round: int

    @property
    def weight(self) -> tuple[int, int]:
        """Orders objections: executed, then cited, then bare; later ones first among equals."""
        if self.evidence is None:
            return (0, self.round)
        return (2 if self.evidence.rank is Rank.EXECUTED else 1, self.round)


@dataclass(slots=True)
class Position:
    """One answer to the question. `id` is a letter, "A" for the first."""

    id: str
    stance: str
    argument: str
    support: list[Evidence] = field(default_factory=list[Evidence])
    """Lines cited for it that exist."""
    objections: list[Objection] = field(default_factory=list[Objection])

    @property
    def strongest_objection(self) -> Objection | None:
        """The objection that weighs most."""
        return max(self.objections, key=lambda item: item.weight, default=None)

    @property
    def broken(self) -> bool:
        """Whether a test that was run speaks against it."""
        return any(item.weight[0] == 2 for item in self.objections)

    @property
    def cited_against(self) -> bool:
        """Whether a cited line speaks against it."""
        return any(item.weight[0] == 1 for item in self.objections)


@dataclass(slots=True)
class Seat:
    """One voice in the debate and the position it holds now."""

    voice: Voice
    position: Position
    conformed: bool = False
    """It came to this position without new evidence: its family does not count as support."""
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Evidence that was in front of it already: (target, summary)."""


@dataclass(frozen=True, slots=True)
class Move:
    """One change of position. `because` empty: conformity."""

    voice: Voice
    round: int
    source: str
    target: str
    because: str
    said: str
    """The member's own reason, which is not evidence."""


@dataclass(slots=True)
class Floor:
    """The whole debate."""

    seats: list[Seat]
    positions: list[Position]
    moves: list[Move] = field(default_factory=list[Move])

    def holders(self, position: Position) -> list[Seat]:
        """Return the seats that hold a position now."""
        return [seat for seat in self.seats if seat.position is position]

    def held(self) -> list[Position]:
        """Return the positions that somebody holds now."""
        return [position for position in self.positions if self.holders(position)]

    def families(self, position: Position) -> tuple[str, ...]:
        """Return the families that count as support: not those that only conformed."""
        counted = {seat.voice.member.family for seat in self.holders(position) if not seat.conformed}
        return tuple(sorted(counted))

    def new_position(self, stance: str, argument: str) -> Position:
        """Add a position of somebody's own."""
        position = Position(letter(len(self.positions)), stance, argument)
        self.positions.append(position)
        return position


def opened(drafts: Sequence[tuple[Voice, PositionDraft]]) -> Floor:
    """Return the floor after the blind positions: alike stances that do not contradict each other are one."""
    by_id = {f"{number:03}": (voice, draft) for number, (voice, draft) in enumerate(drafts)}
    statements = [Statement(ident, draft.stance) for ident, (_, draft) in by_id.items()]
    floor = Floor([], [])
    seats: dict[str, Seat] = {}
    for ids in group(statements, same_from=SAME_STANCE).groups:
        for camp in camps_of(ids, lambda ident: by_id[ident][1].stance):
            first = by_id[camp[0]][1]
            position = floor.new_position(first.stance, first.argument)
            for ident in camp:
                seats[ident] = Seat(by_id[ident][0], position)
    floor.seats = [seats[ident] for ident in sorted(seats)]
    return floor


def same_stance(first: str, second: str) -> bool:
    """Whether two stances are one position in other words."""
    statements = [Statement("a", first), Statement("b", second)]
    groups = group(statements, same_from=SAME_STANCE).groups
    return len(groups) == 1 and len(camps_of([first, second], str)) == 1


def letter(number: int) -> str:
    """Return "A", "B", … "Z", "A2", "B2", …"""
    name = chr(ord("A") + number % 26)
    return name if number < 26 else f"{name}{number // 26 + 1}"
