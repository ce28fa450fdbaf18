"""Findings on their way to a ruling: drafts placed in the file, merged, with what speaks for and against them."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Evidence, Rank, Severity
from ensemble_lsp.core.findings import Dissent, Finding, FindingDraft, Grounds
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.ensemble.admission import Case, Ruling
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.calibration import Calibration, Support, band_of
from ensemble_lsp.ensemble.challenging import Challenge, Point, combined
from ensemble_lsp.ensemble.grounding import Place, find_quote, is_near, lines_of
from ensemble_lsp.ensemble.merging import NEAR_LINES, Statement
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.similarity import words_of

SEVERITIES = (Severity.CRITICAL, Severity.WARNING, Severity.INFO, Severity.HINT)
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Raised:
    """One member's finding, placed in the file."""

    id: str
    voice: Voice
    draft: FindingDraft
    path: str
    place: Place

    @property
    def statement(self) -> Statement:
        """What is compared when findings are merged."""
        text = f"{self.draft.title}. {self.draft.detail}"
        return Statement(self.id, text, self.path, self.place.line, self.place.end_line)


def place_draft(draft: FindingDraft, dossier: Dossier, focus_path: str) -> tuple[str, Place] | str:
    """Return where in which file a draft belongs, or why it is ungrounded, in words.

    The file is the one named, if the members were shown it; else the one under review. Placeholders of
    redacted secrets count as the secret they stand for.
    """
    path = _known_path(draft.path, dossier, focus_path)
    source = dossier.files.get(path)
    if source is None:
        return f"{path} is not among the files that were shown"
    lines = lines_of(source.text)
    place = find_quote(lines, dossier.restore(draft.quote), draft.line - 1)
    if place is None:
        return f"the quoted line is not in {path}"
    span = max(0, draft.end_line - draft.line) if is_near(place, draft.line - 1, draft.end_line - 1) else 0
    end = min(len(lines) - 1, max(place.end_line, place.line + span))
    return path, Place(place.line, end, place.quote)


def finding_id(path: str, quote: str, category: str, title: str, ordinal: int = 0) -> str:
    """Return an id that stays the same when lines move and when a title is worded in another order.

    `ordinal` counts equals in one file.
    """
    words = " ".join(sorted(set(words_of(title))))
    parts = (path, " ".join(quote.split()), category, words, str(ordinal))
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]


def category_of(text: str) -> str:
    """Return a category as it is compared and stored: lower case, words joined by hyphens."""
    return "-".join(text.lower().replace("_", " ").replace("-", " ").split()) or "bug"


@dataclass(slots=True)
class Issue:
    """One or several members' findings that are the same one. `title` and `detail` are one member's words."""

    id: str
    raised: tuple[Raised, ...]
    severity: Severity
    category: str
    quote: str
    """The line it speaks of, secrets taken out."""
    fingerprint: str = ""
    seconded: set[str] = field(default_factory=set[str])
    """Families that spoke up for it later, with evidence."""
    evidence: list[Evidence] = field(default_factory=list[Evidence])
    challenges: list[Challenge] = field(default_factory=list[Challenge])
    withdrawn: set[str] = field(default_factory=set[str])
    upheld: bool | None = None

    @property
    def first(self) -> Raised:
        """The wording and the place that are shown."""
        return self.raised[0]

    @property
    def members(self) -> tuple[str, ...]:
        """Who raised it and stands by it."""
        everybody = {raised.voice.member.id for raised in self.raised}
        return tuple(sorted(everybody - self.withdrawn))

    @property
    def families(self) -> tuple[str, ...]:
        """The families that stand behind it."""
        raising = {
            raised.voice.member.family
            for raised in self.raised
            if raised.voice.member.id not in self.withdrawn
        }
        return tuple(sorted(raising | self.seconded))

    @property
    def witness(self) -> Evidence | None:
        """The strongest evidence of a tool or an execution for it."""
        counted = [item for item in self.evidence if item.rank in {Rank.STATIC, Rank.EXECUTED}]
        return max(counted, key=lambda item: item.rank, default=None)

    def point(self) -> Point:
        """Return it as it is put in front of a challenger: nameless."""
        draft, place = self.first.draft, self.first.place
        where = f"{self.first.path}, line {place.line + 1}"
        return Point(
            id=self.id,
            text=f"{where}: {self.quote}\n{draft.title}\n{draft.detail}",
            path=self.first.path,
            line=place.line,
            end_line=place.end_line,
            members=frozenset(raised.voice.member.id for raised in self.raised),
            families=frozenset(raised.voice.member.family for raised in self.raised) | self.seconded,
            urgent=self.severity is Severity.CRITICAL,
        )

    def case(self, anchor: str, changed: Sequence[LineRange] | None, scope: LineRange | None) -> Case:
        """Return what the ruling needs. `changed` None: not a diff review; `scope` None: the whole file."""
        witness = self.witness
        named = [item.witness for item in self.evidence if witness is not None and item.rank is witness.rank]
        place = self.first.place
        return Case(
            families=len(self.families),
            by_anchor=anchor in self.members,
            critical=self.severity is Severity.CRITICAL,
            witness=witness.rank if witness else None,
            witness_name=" and ".join(dict.fromkeys(named)),
            refutation=combined(self.challenges),
            upheld=self.upheld,
            withdrawn=not self.members,
            changed_lines=changed is None or touches(place, changed),
            in_scope=scope is None or touches(place, (scope,), NEAR_LINES),
        )

    def finding(self, case: Case, ruling: Ruling, calibration: Calibration, action: Action) -> Finding:
        """Return it as it is reported."""
        draft, place = self.first.draft, self.first.place
        grounds = Grounds(families=case.families, witness=case.witness, refutation=case.refutation)
        sure = calibration.confidence(Support(grounds, self.members, self.category, action.value))
        brought = [made.evidence for made in self.challenges if made.refutes and made.evidence is not None]
        return Finding(
            id=self.id,
            path=self.first.path,
            line=place.line,
            end_line=place.end_line,
            quote=self.quote,
            severity=self.severity,
            category=self.category,
            title=draft.title,
            detail=draft.detail,
            confidence=sure,
            band=band_of(sure),
            members=self.members,
            families=self.families,
            evidence=tuple(self.evidence),
            against=tuple(brought),
            dissent=tuple(self.objections()),
            changed_lines=case.changed_lines,
            admitted=ruling.admitted,
            reason=ruling.reason,
            fingerprint=self.fingerprint,
            grounds=grounds,
        )

    def objections(self) -> Iterable[Dissent]:
        """Return what was said against it, word for word."""
        for made in self.challenges:
            if made.refutes and not made.own:
                backed = f" [{made.evidence.summary}]" if made.evidence else " [no evidence]"
                yield Dissent(
                    member=made.by.id, family=made.by.family, about=self.id, text=made.reason + backed
                )


def issues_from(groups: Sequence[Sequence[Raised]], anchor: str, redact: Callable[[str], str]) -> list[Issue]:
    """Return one issue per group, in the order of the file.

    The anchor's wording is shown where it spoke; severity and category are what most members said, the worse
    severity winning a tie.
    """
    equal: Counter[str] = Counter()
    issues: list[Issue] = []

    def wording(raised: Raised) -> tuple[bool, float, str]:
        return (raised.voice.member.id != anchor, -raised.draft.confidence, raised.id)

    ordered = [tuple(sorted(group, key=wording)) for group in groups]
    for group in sorted(ordered, key=lambda group: (group[0].path, group[0].place.line, group[0].id)):
        severities = Counter(raised.draft.severity for raised in group)
        severity = min(severities, key=lambda each: (-severities[each], SEVERITIES.index(each)))
        categories = Counter(category_of(raised.draft.category) for raised in group)
        shown = category_of(group[0].draft.category)
        category = min(categories, key=lambda each: (-categories[each], each != shown, each))
        quote = redact(group[0].place.quote)
        base = finding_id(group[0].path, quote, category, group[0].draft.title)
        ident = finding_id(group[0].path, quote, category, group[0].draft.title, equal[base])
        equal[base] += 1
        issues.append(Issue(ident, group, severity, category, quote))
    return issues


def touches(place: Place, ranges: Sequence[LineRange], slack: int = 0) -> bool:
    """Whether the place lies on one of the ranges, give or take `slack` lines."""
    return any(place.line < lines.end + slack and lines.start - slack <= place.end_line for lines in ranges)


def _known_path(said: str, dossier: Dossier, focus_path: str) -> str:
    path = said.strip().replace("\\", "/").removeprefix("./")
    if path in dossier.files:
        return path
    shown = {focus_path, *(excerpt.path for excerpt in dossier.related)}
    name = path.rsplit("/", maxsplit=1)[-1]
    alike = [known for known in sorted(shown) if known.rsplit("/", maxsplit=1)[-1] == name]
    return alike[0] if len(alike) == 1 else focus_path
