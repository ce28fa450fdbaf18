"""What was claimed with which confidence, and how far it was right: what confidence is learned from."""

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.evidence import Rank
from ensemble_lsp.core.findings import Finding, Grounds, Refutation
from ensemble_lsp.ensemble.calibration import Calibration, Support, calibration_error
from ensemble_lsp.ensemble.learning import Observation, learn
from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.reliability import HALF_LIFE_DAYS

MOST_CLAIMS = 1_000
"""Claims that are learned from; the newest. With `HALF_LIFE_CLAIMS` older ones weigh a tenth and less."""

HALF_LIFE_CLAIMS = 300.0
"""Later claims after which one weighs half. Chosen by `benchmarks.learning`."""

ENOUGH_CLAIMS = 30
"""Claims below which a calibration error says more about chance than about what was shown."""

SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class Claim:
    """One finding whose outcome is known.

    `shown`: the confidence that was shown; `right`: how far it was right, 0..1; `at`: seconds since the epoch.
    """

    support: Support
    shown: float
    right: float
    weight: float
    at: float


@dataclass(frozen=True, slots=True)
class Shown:
    """How far the confidences that were shown could be believed: over the claims whose outcome is known."""

    claims: int
    said: float
    """Mean confidence."""
    right: float
    """Share that was right."""
    ece: float
    brier: float


def judged(claims: Sequence[Claim]) -> Shown | None:
    """Return how far what was shown could be believed; None below `ENOUGH_CLAIMS`, where chance decides."""
    if len(claims) < ENOUGH_CLAIMS:
        return None
    count = len(claims)
    return Shown(
        claims=count,
        said=sum(claim.shown for claim in claims) / count,
        right=sum(claim.right for claim in claims) / count,
        ece=calibration_error([(claim.shown, claim.right) for claim in claims]),
        brier=sum((claim.shown - claim.right) ** 2 for claim in claims) / count,
    )


class ClaimStore:
    """Claims, on this machine only. Contents are not kept, only ids, categories and grounds."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def record(
        self, *, scope: str, finding: Finding, action: str, right: float, weight: float = 1.0
    ) -> None:
        """Write down how far a finding was right; a later word on the same finding of the same scope replaces it.

        A finding without grounds was no claim, and is left out.
        """
        grounds = finding.grounds
        if grounds is None:
            return
        row = (
            to_column(scope),
            to_column(finding.id),
            json.dumps(sorted(set(finding.members))),
            action,
            to_column(finding.category.casefold()),
            grounds.families,
            None if grounds.witness is None else int(grounds.witness),
            grounds.refutation.value,
            finding.confidence,
            right,
            weight,
            self._clock(),
        )

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO claims (scope, subject, members, action, category, families, witness, refutation, "
                "shown, correct, weight, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                # The confidence that was judged is the one that was shown first; said again is nothing new.
                "ON CONFLICT (scope, subject) DO UPDATE SET correct = excluded.correct, weight = excluded.weight, "
                "at = CASE WHEN correct = excluded.correct AND weight = excluded.weight "
                "THEN at ELSE excluded.at END",
                row,
            )

        await self._database.write(work)

    async def withdraw(self, *, scope: str, subject: str) -> None:
        """Take back what was said of a finding."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(
                "DELETE FROM claims WHERE scope = ? AND subject = ?", (to_column(scope), to_column(subject))
            )

        await self._database.write(work)

    async def claims(self) -> tuple[Claim, ...]:
        """Return the newest claims, the newest first."""

        def work(connection: sqlite3.Connection) -> tuple[Claim, ...]:
            rows = connection.execute(
                "SELECT members, action, category, families, witness, refutation, shown, correct, weight, at "
                "FROM claims WHERE weight > 0 ORDER BY at DESC, rowid DESC LIMIT ?",
                (MOST_CLAIMS,),
            )
            return tuple(_claim(row) for row in rows.fetchall())

        return await self._database.read(work)

    async def calibration(self) -> Calibration:
        """Return what was learned of how sure findings are, as of now."""
        claims = await self.claims()
        # In a thread: it takes some milliseconds that streams should not wait for.
        return await asyncio.to_thread(learn, observations(claims, self._clock()))

    async def reset(self, member: str | None = None) -> int:
        """Forget the claims of one member or all; returns how many went."""

        def work(connection: sqlite3.Connection) -> int:
            if member is None:
                return connection.execute("DELETE FROM claims").rowcount
            rows = connection.execute("SELECT rowid, members FROM claims").fetchall()
            gone = [(rowid,) for rowid, members in rows if member in json.loads(members)]
            connection.executemany("DELETE FROM claims WHERE rowid = ?", gone)
            return len(gone)

        return await self._database.write(work)


def observations(claims: Sequence[Claim], now: float) -> list[Observation]:
    """Return claims, the newest first, as they weigh at `now`."""
    found: list[Observation] = []
    newer = 0.0
    for claim in claims:
        days = max(0.0, now - claim.at) / SECONDS_A_DAY
        faded = claim.weight * 0.5 ** (days / HALF_LIFE_DAYS + newer / HALF_LIFE_CLAIMS)
        found.append(Observation(claim.support, claim.right, faded))
        newer += claim.weight
    return found


def _claim(row: Sequence[object]) -> Claim:
    members, action, category, families, witness, refutation, shown, correct, weight, at = row
    grounds = Grounds.model_validate(
        {
            "families": families,
            "witness": None if witness is None else Rank(int(str(witness))),
            "refutation": Refutation(str(refutation)),
        }
    )
    names: list[str] = json.loads(str(members))
    told = category if isinstance(category, bytes) else str(category)
    return Claim(
        Support(grounds, tuple(names), from_column(told), str(action)),
        float(str(shown)),
        float(str(correct)),
        float(str(weight)),
        float(str(at)),
    )
