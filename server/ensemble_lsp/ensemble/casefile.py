"""What is known while a change is deliberated: the changes on the table, who stands where, what was shown."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.diff import changed_line_count
from ensemble_lsp.core.events import Phase, PhaseEntered
from ensemble_lsp.core.evidence import CheckReport, Evidence, Outcome, Strength
from ensemble_lsp.core.proposals import Candidate, FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.checking import Assessment, Target, TargetState
from ensemble_lsp.ensemble.clusters import Contender
from ensemble_lsp.ensemble.critique import Trial, Verdict, is_broken_test, judge, judge_kept, tells_apart
from ensemble_lsp.ensemble.deciding import Decision
from ensemble_lsp.ensemble.ports import Deliberation
from ensemble_lsp.ensemble.region import Region
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.stripping import judged_diff
from ensemble_lsp.ensemble.undertaking import FIX, Undertaking

UNCHECKED = Assessment(TargetState.UNKNOWN, checked=False)


@dataclass(frozen=True, slots=True)
class Hit:
    """Something found against an entry that its author is to see: an executed test, or a cited line."""

    critic: str
    text: str
    """The claim, its test and what running it said."""
    supported: bool = True
    """False for a test that no candidate passes: an author may concede, and its first answer goes on counting."""


class Against(StrEnum):
    """What an author is confronted with."""

    NOTHING = "nothing"
    """A change of mind is then conformity."""
    CLAIMED = "claimed"
    """A test that fails with every change: a concession counts, and so does the first answer."""
    SHOWN = "shown"
    """A failing check, a test that somebody passes, a cited line: the author moves as a whole."""


@dataclass(slots=True)
class Entry:
    """One change on the table, whoever wrote it. Entries with the same normal form are the same entry."""

    id: str
    changes: tuple[FileChange, ...]
    rationale: str
    reasons: dict[str, str] = field(default_factory=dict[str, str])
    """Hunk id → what its author wrote about that change alone."""
    voices: dict[str, Voice] = field(default_factory=dict[str, Voice])
    """Who stands behind it; moves without evidence are not counted here."""
    report: CheckReport = field(default_factory=CheckReport)
    assessment: Assessment = UNCHECKED
    check_started: bool = False
    rejected: str = ""
    """What the checks, or its author, said against it."""
    broken_by: str = ""
    """The test that broke it."""
    contested: int = 0
    hits: list[Hit] = field(default_factory=list[Hit])
    revised_from: str | None = None
    successor: str | None = None
    """Where its author went on evidence."""
    spend: Spend = field(default_factory=Spend)
    found_by: Evidence | None = None
    """Says how it was found, where no member wrote it first."""

    @property
    def families(self) -> tuple[str, ...]:
        """The distinct families behind it, sorted."""
        return tuple(sorted({voice.member.family for voice in self.voices.values()}))

    @property
    def members(self) -> tuple[str, ...]:
        """The members behind it, sorted."""
        return tuple(sorted({voice.member.id for voice in self.voices.values()}))

    @property
    def found_only(self) -> bool:
        """Whether a search found it and no member stands behind it."""
        return self.found_by is not None and not self.voices

    @property
    def has_failed(self) -> bool:
        """Whether the checks speak against it."""
        assessment = self.assessment
        return bool(assessment.target is TargetState.RED or assessment.regressed or assessment.added)


@dataclass(slots=True)
class Probe:
    """A test that a critic wrote, and how it ended with each entry in place."""

    id: str
    test: str
    claim: str
    critic: Voice
    aimed_at: str
    """The entry that it was written against; empty for a test that was there before any entry."""
    outcomes: dict[str, Evidence] = field(default_factory=dict[str, Evidence])
    original: Evidence | None = None
    """How it ended on the code as it is, where behaviour has to stay."""


@dataclass(frozen=True, slots=True)
class Unapplied:
    """An answer from which no change could be made."""

    voice: Voice
    text: str
    kinds: frozenset[str]
    message: str


@dataclass(slots=True)
class Case:
    """The state of one job that changes something.

    `bound` is the mode's; `allow` counts against it before anything is asked.
    """

    sitting: Sitting
    bound: int
    region: Region
    sentinel: str
    undertaking: Undertaking = FIX
    baseline: CheckReport = field(default_factory=CheckReport)
    targets: tuple[Target, ...] = ()
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    by_form: dict[tuple[tuple[str, str], ...], str] = field(
        default_factory=dict[tuple[tuple[str, str], ...], str]
    )
    positions: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Voice → the entry it stands at now; None when it has none."""
    voices: dict[str, Voice] = field(default_factory=dict[str, Voice])
    answers: dict[str, str] = field(default_factory=dict[str, str])
    """Voice → its last answer, word for word."""
    probes: dict[str, Probe] = field(default_factory=dict[str, Probe])
    unapplied: list[Unapplied] = field(default_factory=list[Unapplied])
    votes: dict[str, str] = field(default_factory=dict[str, str])
    """Family of a critic → the entry that it prefers, none of its own."""
    objections: list[tuple[Voice, str, str]] = field(default_factory=list[tuple[Voice, str, str]])
    """Critiques that did not break what they were aimed at: critic, entry, words."""
    seen_hits: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    phase: Phase = Phase.GATHER
    round: int = 0
    strength: Strength | None = None
    strength_measured: bool = False
    planned_calls: int = 0
    repaired: bool = False
    searched: bool = False

    @property
    def deliberation(self) -> Deliberation:
        """The job."""
        return self.sitting.deliberation

    @property
    def files(self) -> Mapping[str, SourceText]:
        """The files that may be changed, as they are."""
        return self.deliberation.dossier.files

    @property
    def alive(self) -> list[Entry]:
        """Entries that nothing has rejected so far."""
        return [entry for entry in self.entries.values() if not self.rejection_of(entry)]

    @property
    def separating(self) -> tuple[str, ...]:
        """The tests that told entries apart."""
        return tuple(probe.id for probe in self.probes.values() if tells_apart(probe.outcomes))

    def diff(self, entry: Entry) -> str:
        """Return an entry's change as members see it: without comments, unless they are what it is about."""
        return unified_diff(entry.changes) if self.undertaking.about_prose else judged_diff(entry.changes)

    def enter(self, phase: Phase, round_: int = 0) -> None:
        """Say that a phase begins."""
        self.phase, self.round = phase, round_
        self.deliberation.emit(PhaseEntered(phase=phase, round=round_))

    def evidence_against(self, voice: Voice) -> Against:
        """Say what stands against the place where a voice stands, and is new to it."""
        position = self.positions.get(voice.id)
        if position is None:
            return Against.NOTHING
        entry = self.entries[position]
        new = entry.hits[self.seen_hits.get((voice.id, entry.id), 0) :]
        if entry.has_failed or self.rejection_of(entry) or any(hit.supported for hit in new):
            return Against.SHOWN
        return Against.CLAIMED if new else Against.NOTHING

    def allow(self, wanted: int, *, keep: int = 0) -> int:
        """Return how many of `wanted` calls the mode still allows, `keep` being set aside, and count them."""
        granted = max(0, min(wanted, self.bound - keep - self.planned_calls))
        self.planned_calls += granted
        return granted

    def rejection_of(self, entry: Entry) -> str:
        """Say why an entry does not survive; "" when it does."""
        if entry.rejected:
            return entry.rejected
        if entry.broken_by:
            return f"broken by a test: {self.probes[entry.broken_by].claim}"
        successor = self.entries.get(entry.successor) if entry.successor else None
        if successor is not None and not entry.voices and not self.rejection_of(successor):
            return f"given up by its author for {successor.id}"
        return ""

    def candidate(self, entry: Entry) -> Candidate:
        """Return an entry as it is shown and proposed."""
        probes = tuple(
            probe.outcomes[entry.id] for probe in self.probes.values() if self._speaks_of(probe, entry.id)
        )
        return Candidate(
            id=entry.id,
            changes=entry.changes,
            members=entry.members,
            families=entry.families,
            rationale=entry.rationale,
            reasons=entry.reasons,
            evidence=(*entry.report.evidence, *probes, *((entry.found_by,) if entry.found_by else ())),
            regressed=entry.assessment.regressed,
            new_diagnostics=len(entry.assessment.added),
            changed_lines=sum(changed_line_count(change) for change in entry.changes),
            spend=entry.spend,
            revised_from=entry.revised_from,
            rejected=self.rejection_of(entry),
        )

    def _speaks_of(self, probe: Probe, entry_id: str) -> bool:
        """Whether a test says something about an entry; one that fails on everything does not."""
        evidence = probe.outcomes.get(entry_id)
        if evidence is None:
            return False
        return evidence.outcome is Outcome.PASSED or self.verdict(probe, entry_id) in {
            Verdict.BREAKS,
            Verdict.CONTESTED,
        }

    def contenders(self) -> list[Contender]:
        """Return all entries as the decision sees them."""
        return [
            Contender(
                self.candidate(entry),
                entry.assessment,
                supporters=len(entry.voices),
                contested=entry.contested,
                votes=sum(
                    voted == entry.id and family not in entry.families for family, voted in self.votes.items()
                ),
                probes={
                    probe.id: probe.outcomes[entry.id].outcome
                    for probe in self.probes.values()
                    if entry.id in probe.outcomes
                },
            )
            for entry in self.entries.values()
        ]

    def settled(self) -> bool:
        """Whether executed evidence that is not weak already decides; what a search alone found never does."""
        green = [entry for entry in self.alive if entry.assessment.target is TargetState.GREEN]
        if green and all(entry.found_only for entry in green):
            return False
        return self.undertaking.settled(self.contenders(), self.separating, self.targets, self.strength)

    def decision(self) -> Decision:
        """Decide with what is there. What a search alone found passes weakly, however strong the check is."""
        made = self.undertaking.decide(self.contenders(), self.separating, self.targets, self.strength)
        if made.chosen is None or not self.entries[made.chosen.id].found_only:
            return made
        return dataclasses.replace(
            made,
            weak=True,
            reason=f"{made.reason}; found by search among many changes, so that it may pass by chance",
            would_settle=made.would_settle or "a further test, or a look at the change",
        )

    def rejudge(self) -> None:
        """Weigh all tests anew, after entries, supporters or outcomes have changed."""
        for entry in self.entries.values():
            entry.broken_by = ""
            entry.contested = 0
        for probe in self.probes.values():
            for entry in self.entries.values():
                verdict = self.verdict(probe, entry.id)
                if verdict is Verdict.BREAKS and not entry.broken_by:
                    entry.broken_by = probe.id
                elif verdict is Verdict.CONTESTED:
                    entry.contested += 1

    def verdict(self, probe: Probe, entry_id: str) -> Verdict:
        """Say what a test shows about an entry."""
        if self.undertaking.keeps_behaviour:
            return judge_kept(probe.original, probe.outcomes.get(entry_id))
        trials = [
            Trial(
                name,
                evidence.outcome,
                self.entries[name].assessment.target,
                frozenset(self.entries[name].families),
                frozenset(self.entries[name].voices),
                is_broken_test(evidence),
            )
            for name, evidence in probe.outcomes.items()
            # What the checks or its author rejected supports nobody's expectation.
            if name == entry_id or not self.entries[name].rejected
        ]
        return judge(entry_id, trials, probe.critic.member.family, frozenset({probe.critic.id}))


def entry_id(changes: Sequence[FileChange]) -> str:
    """Return the id of a change: a hash of the texts it makes."""
    digest = hashlib.sha256()
    for change in sorted(changes, key=lambda change: change.path):
        text = change.after.text if change.after is not None else "\0"
        digest.update(f"{change.path}\0{text}\0".encode("utf-8", "surrogatepass"))
    return "c" + digest.hexdigest()[:8]
