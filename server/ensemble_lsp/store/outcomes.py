"""What became of the panel's work: what the person and the checks said of it."""

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ensemble_lsp.store.anchoring import AnchorChoice, choose_anchor
from ensemble_lsp.store.columns import from_column, to_column
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.reliability import BetaCount, MemberOutcome, Reliabilities, fade

MAXIMUM_OUTCOMES = 20_000
"""Outcomes that are read at the start of a job; the newest count. Under 0.1 s."""


class Verdict(StrEnum):
    """What was said of a candidate or finding."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"
    """Accepted and taken back: says nothing until the person says more."""
    DISMISSED = "dismissed"
    CHECK_PASSED = "checkPassed"
    CHECK_FAILED = "checkFailed"


_BY_CHECK = frozenset({Verdict.CHECK_PASSED, Verdict.CHECK_FAILED})

_WRONG = re.compile(r"wrong\b", re.IGNORECASE)


def says_wrong(reason: str) -> bool:
    """Whether a dismissal's reason says that the finding is wrong, as "wrong" and "wrong: callers check it" do.

    Every other reason may go with a finding that is right: it is not now, not here, not worth it.
    """
    return _WRONG.match(reason.strip()) is not None


def weight_of(verdict: Verdict, reason: str = "", *, taken: float | None = None) -> BetaCount:
    """Return what one verdict adds to the counts of each member behind it.

    `taken`: the share of a change's hunks that the person kept, where it is known; the rest was turned down.
    """
    if verdict is Verdict.UNDONE:
        return BetaCount()
    if verdict is Verdict.DISMISSED:
        return BetaCount(failures=float(says_wrong(reason)))
    success = float(verdict in {Verdict.ACCEPTED, Verdict.CHECK_PASSED})
    if taken is not None and verdict not in _BY_CHECK:
        success = min(1.0, max(0.0, taken))
    return BetaCount(success, 1.0 - success)


@dataclass(frozen=True, slots=True)
class Anchor:
    """Who holds the place of the anchor at an action in a language, on a panel of these members."""

    member: str
    action: str
    language: str
    panel: tuple[str, ...]


class OutcomeStore:
    """Verdicts, on this machine only. Contents are not kept, only ids and categories."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def record(
        self,
        *,
        scope: str,
        subject: str,
        members: Iterable[str],
        action: str,
        verdict: Verdict,
        category: str = "",
        language: str = "",
        reason: str = "",
        taken: float | None = None,
    ) -> None:
        """Write down one verdict on `subject` (the id of a candidate or finding) for the members behind it.

        `scope` stands for the workspace: the same change or finding counts once there, whichever job brings it up.
        The person's later word on the same subject replaces the earlier one, and so does a check's; the same word
        again changes nothing. `category`: the finding's; the action where there is none.
        """
        count = weight_of(verdict, reason, taken=taken)
        source = "check" if verdict in _BY_CHECK else "person"
        now = self._clock()
        rows = [
            (
                to_column(scope),
                to_column(subject),
                to_column(member),
                source,
                to_column((category or action).casefold()),
                verdict.value,
                count.successes,
                count.failures,
                now,
                action,
                language,
            )
            for member in sorted(set(members))
        ]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(
                "INSERT INTO outcomes "
                "(scope, subject, member, source, category, verdict, success, failure, at, action, language) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (scope, subject, member, source) DO UPDATE SET "
                "category = excluded.category, verdict = excluded.verdict, success = excluded.success, "
                "failure = excluded.failure, action = excluded.action, language = excluded.language, "
                # Said again it is no newer: a report that arrives twice must not refresh what fades.
                "at = CASE WHEN verdict = excluded.verdict AND success = excluded.success "
                "THEN at ELSE excluded.at END",
                rows,
            )

        await self._database.write(work)

    async def reliabilities(self) -> Reliabilities:
        """Return what was learned so far, as of now."""

        def work(connection: sqlite3.Connection) -> list[MemberOutcome]:
            rows = connection.execute(
                "SELECT member, action, language, category, success, failure, at FROM outcomes "
                "ORDER BY at DESC, rowid DESC LIMIT ?",
                (MAXIMUM_OUTCOMES,),
            )
            return [
                MemberOutcome(
                    from_column(member),
                    action,
                    language,
                    from_column(category),
                    BetaCount(success, failure),
                    at,
                )
                for member, action, language, category, success, failure, at in rows.fetchall()
            ]

        return fade(await self._database.read(work), self._clock())

    async def anchor(
        self, learned: Reliabilities, candidates: Sequence[str], action: str, language: str, *, keep: bool
    ) -> AnchorChoice:
        """Return who of `candidates` is the anchor now; `keep` remembers it as who holds the place from now on."""
        panel = json.dumps(sorted(candidates))
        key = (panel, action, language)

        def holder(connection: sqlite3.Connection) -> str | None:
            # In a language where nobody was chosen yet, whoever was chosen last in another.
            row = connection.execute(
                "SELECT member FROM anchors WHERE panel = ? AND action = ? "
                "ORDER BY language = ? DESC, at DESC LIMIT 1",
                key,
            ).fetchone()
            return None if row is None else from_column(row[0])

        held = await self._database.read(holder)
        choice = choose_anchor(learned, candidates, action, language, held)
        if keep and choice.outcomes and choice.member != held:
            now = self._clock()

            def work(connection: sqlite3.Connection) -> None:
                connection.execute(
                    "INSERT OR REPLACE INTO anchors (panel, action, language, member, at) VALUES (?, ?, ?, ?, ?)",
                    (*key, to_column(choice.member), now),
                )

            await self._database.write(work)
        return choice

    async def anchors(self) -> tuple[Anchor, ...]:
        """Return who holds which place for its record, by action and language."""

        def work(connection: sqlite3.Connection) -> tuple[Anchor, ...]:
            rows = connection.execute(
                "SELECT member, action, language, panel FROM anchors ORDER BY action, language, at DESC"
            )
            return tuple(
                Anchor(from_column(member), action, language, tuple(json.loads(panel)))
                for member, action, language, panel in rows.fetchall()
            )

        return await self._database.read(work)

    async def reset(self, member: str | None = None) -> int:
        """Forget what was learned, of one member or of all; returns how many verdicts went."""

        def work(connection: sqlite3.Connection) -> int:
            if member is None:
                connection.execute("DELETE FROM anchors")
                return connection.execute("DELETE FROM outcomes").rowcount
            connection.execute("DELETE FROM anchors WHERE member = ?", (to_column(member),))
            return connection.execute("DELETE FROM outcomes WHERE member = ?", (to_column(member),)).rowcount

        return await self._database.write(work)
