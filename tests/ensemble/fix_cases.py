"""A small bug, and what is needed to put a panel of scripted members on it."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.events import Action, EventBody, Mode
from ensemble_lsp.core.evidence import Strength
from ensemble_lsp.core.panel import EditFormat, Member, Panel
from ensemble_lsp.core.results import DraftRecord, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.ports import Deliberation, Dossier, Excerpt, ModelRequest
from tests.support.scripted_checks import STRONG, ScriptedChecks
from tests.support.scripted_members import JobPurse, Line, ScriptedMembers

PATH = "clamp.py"
BUGGY = "def clamp(value, low, high):\n    return min(low, max(value, high))\n"
RIGHT = "def clamp(value, low, high):\n    return max(low, min(value, high))\n"
ALSO_RIGHT = "def clamp(value, low, high):\n    return min(high, max(value, low))\n"
NO_UPPER = "def clamp(value, low, high):\n    return max(low, value)\n"
NO_LOWER = "def clamp(value, low, high):\n    return min(value, high)\n"
ELEVEN = "def clamp(value, low, high):\n    return 11 if value > high else max(low, value)\n"
TEST = "from clamp import clamp\n\ndef test_inside():\n    assert clamp(5, 0, 10) == 5\n"
UPPER_TEST = "from clamp import clamp\n\ndef test_upper():\n    assert clamp(15, 0, 10) == 10\n"
BOTH_TESTS = UPPER_TEST + "\ndef test_lower():\n    assert clamp(-5, 0, 10) == 0\n"
WRONG_TEST = "from clamp import clamp\n\ndef test_upper():\n    assert clamp(15, 0, 10) == 11\n"


def whole(code: str, words: str = "The arguments are mixed up.") -> str:
    """Return an answer that gives the whole file."""
    return f"{words}\n\n```python\n{code}```\n"


def attack(test: str, target: str = "A", claim: str = "It ignores the upper bound.") -> str:
    """Return a critic's answer with one test."""
    return f"TARGET: {target}\nCLAIM: {claim}\nTEST:\n```python\n{test}```\n"


def member(name: str, family: str | None = None, **more: object) -> Member:
    """Return a member that writes whole files."""
    fields: dict[str, object] = {
        "id": name,
        "model": f"scripted/{name}",
        "family": family or f"family-{name}",
        "edit_format": EditFormat.WHOLE,
        "price_in": 1.0,
        "price_out": 1.0,
    }
    return Member.model_validate(fields | more)


@dataclass(slots=True)
class Room:
    """A deliberation about the bug, with what a test looks at afterwards."""

    deliberation: Deliberation
    members: ScriptedMembers
    checks: ScriptedChecks
    events: list[EventBody]
    saved: list[DraftRecord]

    @property
    def calls(self) -> int:
        return len(self.members.requests)

    def of(self, kind: str) -> list[EventBody]:
        return [event for event in self.events if event.kind == kind]


@dataclass(slots=True)
class Setting:
    """How `room` is laid out, with the usual values."""

    test: str | None = TEST
    strength: Strength | None = STRONG
    mode: Mode = Mode.PANEL
    rounds: int = 1
    limits: Limits = field(default_factory=lambda: Limits(usd=None, seconds=None))
    strong: Member | None = None
    prior: tuple[DraftRecord, ...] = ()
    related: tuple[Excerpt, ...] = ()
    instructions: str = ""
    code: str = BUGGY
    usd: float = 0.01
    probes: bool = True


def room(
    lines: Mapping[str, Sequence[Line]], panel: Sequence[Member], setting: Setting | None = None
) -> Room:
    """Seat `panel`, whose members say `lines`, before the bug."""
    chosen = setting or Setting()
    files = {PATH: SourceText(chosen.code)}
    members = ScriptedMembers(lines, usd=chosen.usd)
    checks = ScriptedChecks(files, PATH, chosen.test, strength=chosen.strength, probes=chosen.probes)
    budget = Budget(chosen.limits)
    events: list[EventBody] = []
    saved: list[DraftRecord] = []

    async def save(record: DraftRecord) -> None:
        saved.append(record)

    deliberation = Deliberation(
        task=Task(action=Action.FIX, path=PATH, mode=chosen.mode, rounds=chosen.rounds, limits=chosen.limits),
        panel=Panel(members=tuple(panel), anchor=panel[0].id, strong=chosen.strong),
        models=members,
        checks=checks,
        dossier=Dossier(
            files=files,
            focus=Excerpt(path=PATH, start_line=0, text=chosen.code, why="selection"),
            related=chosen.related,
            instructions=chosen.instructions,
            language="python",
        ),
        purse=JobPurse(budget),
        budget=budget,
        emit=events.append,
        job="job",
        prior_drafts=chosen.prior,
        randomness=random.Random(1),  # noqa: S311 - labels, not secrets
        save_draft=save,
    )
    return Room(deliberation, members, checks, events, saved)


def label_of(request: ModelRequest, code: str) -> str:
    """Return the letter under which a change that adds `code` was shown."""
    said = request.messages[-1].content
    for part in said.split('what="candidate ')[1:]:
        if f"+    {code}" in part.split("</data-", maxsplit=1)[0]:
            return part[0]
    raise AssertionError(f"{code!r} was not shown")
