"""How much a check would have caught: mutants of a version that it passes, run like any check."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from ensemble_lsp.checks.mutants import Mutant
from ensemble_lsp.core.evidence import Strength

MAX_SURVIVORS_NAMED = 3
_FORMAT = 1


class Tally:
    """Counts mutants until it is decided whether at least half of them are killed."""

    def __init__(self, mutants: Sequence[Mutant]) -> None:
        self._all = len(mutants)
        self.killed = 0
        self.survivors: list[Mutant] = []

    def count(self, mutant: Mutant, *, killed: bool) -> None:
        """Take one result in."""
        if killed:
            self.killed += 1
        else:
            self.survivors.append(mutant)

    @property
    def decided(self) -> bool:
        """Whether the mutants that are left cannot change the answer."""
        return 2 * self.killed >= self._all or 2 * len(self.survivors) > self._all

    @property
    def strength(self) -> Strength:
        """Return the count of those that ran: at least one half exactly if it is for all."""
        named = tuple(str(mutant) for mutant in self.survivors[:MAX_SURVIVORS_NAMED])
        return Strength(killed=self.killed, total=self.killed + len(self.survivors), survivors=named)


async def measure(
    mutants: Sequence[Mutant], kills: Callable[[Mutant], Awaitable[bool | None]], *, together: int
) -> Strength | None:
    """Run mutants, `together` at a time, until the question is decided; None when none could be run.

    `kills` says whether the check notices a mutant; None: it could not be run.
    """
    tally = Tally(mutants)
    waiting = iter(mutants)

    async def work() -> None:
        for mutant in waiting:
            if tally.decided:
                return
            killed = await kills(mutant)
            if killed is not None and not tally.decided:
                tally.count(mutant, killed=killed)

    async with asyncio.TaskGroup() as group:
        for _ in range(max(1, together)):
            group.create_task(work())
    strength = tally.strength
    return strength if strength.total else None


class StrengthCache:
    """Measured strengths on disk: a text and its tests that did not change are not measured again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def key(*parts: str) -> str:
        """Return the name under which everything that decides over the result is kept."""
        digest = hashlib.sha256()
        for part in (str(_FORMAT), *parts):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    def get(self, key: str) -> Strength | None:
        """Return a kept strength, or None."""
        try:
            return Strength.model_validate(json.loads((self._folder / key).read_bytes()))
        except (OSError, ValueError):
            return None

    def put(self, key: str, strength: Strength) -> None:
        """Keep a strength; a cache that cannot be written is none."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            partial = self._folder / f"{key}.partial"
            partial.write_text(json.dumps(strength.to_wire()), encoding="utf-8")
            partial.replace(self._folder / key)
        except OSError:
            return
