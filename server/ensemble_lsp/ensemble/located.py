"""From votes, coverage and a traceback to ranked findings and one table."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ensemble_lsp.core.events import FindingMade, Status
from ensemble_lsp.core.evidence import COVERAGE, Evidence, Outcome, Rank, Severity
from ensemble_lsp.core.findings import Dissent, Finding, FindingDraft
from ensemble_lsp.core.markdown import code_span, sanitise_inline
from ensemble_lsp.core.panel import families_of
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.ensemble.blind import Said
from ensemble_lsp.ensemble.calibration import band_of
from ensemble_lsp.ensemble.checking import is_test_path
from ensemble_lsp.ensemble.finding import Drafts
from ensemble_lsp.ensemble.grounding import Place, lines_of
from ensemble_lsp.ensemble.issues import finding_id, place_draft
from ensemble_lsp.ensemble.ports import Coverage, Dossier
from ensemble_lsp.ensemble.ranking import TRACEBACK, RankedLine, Vote, ranked, ranked_lines
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.suspiciousness import Suspect
from ensemble_lsp.ensemble.traceback_frames import Frame

CATEGORY = "fault-location"

_MOST_SYMBOLS = 10
"""Places that coverage votes for: behind these everything is equally unlikely."""
_FURTHER = 5
"""Lines of the likeliest place that are told beside those that somebody named."""


def located(
    sitting: Sitting,
    said: Sequence[Said[Drafts]],
    suspects: Sequence[Suspect],
    frames: Sequence[Frame],
    *,
    failing: Sequence[str],
    coverage: Coverage | None,
) -> JobResult:
    """Return the places as findings, the most likely first, with a table of who says so."""
    votes = [*_of_members(sitting, said), *_of_coverage(sitting, suspects), *_of_traceback(frames)]
    voters = len({vote.voter for vote in votes})
    places = ranked(votes, sitting.enclosing, voters=voters)
    by_line = {(item.path, item.line): item for item in suspects}
    lines = ranked_lines(places, {key: item.score for key, item in by_line.items()})
    findings = _findings(sitting, lines, by_line, said)
    for finding in findings:
        sitting.deliberation.emit(FindingMade(finding=finding))
    short = sitting.cut_short()
    if findings:
        first = lines[0]
        where = f"{first.place.name or first.place.path}, line {first.line + 1}"
        reason = f"most likely {where}: {_who(first)}"
        status = Status.DONE
    elif said:
        status, reason = Status.NOTHING, "no place was named that exists"
    else:
        status, reason = sitting.silent_end()
    if sitting.over_budget is not None:
        status = Status.OVER_BUDGET
    return JobResult(
        status=status,
        reason=f"{reason}; {short}" if short and findings else reason,
        findings=findings,
        document=_document(lines, suspects, failing, coverage),
        dissent=tuple(sitting.dissent),
        drafts=tuple(sitting.drafts),
        spend=sitting.spend,
        notes=tuple(sitting.notes),
    )


def _of_members(sitting: Sitting, said: Sequence[Said[Drafts]]) -> list[Vote]:
    dossier = sitting.deliberation.dossier
    focus = dossier.focus.path if dossier.focus is not None else ""
    votes: list[Vote] = []
    for answer in said:
        member = answer.voice.member
        rank = 0
        for draft in answer.value.findings:
            placed = place_somewhere(draft, dossier, focus)
            outside = (
                placed
                if isinstance(placed, str)
                else "it is a line of a test"
                if is_test_path(placed[0])
                else ""
            )
            if outside or isinstance(placed, str):
                sitting.keep_dissent(
                    Dissent(
                        member=member.id,
                        family=member.family,
                        about=draft.path,
                        text=f"{draft.title}: {draft.detail} (dropped: {outside})",
                    )
                )
                continue
            path, place = placed
            words = f"{draft.title}. {draft.detail}".strip()
            votes.append(Vote(answer.voice.id, path, place.line, rank, words))
            rank += 1
    return votes


def place_somewhere(draft: FindingDraft, dossier: Dossier, focus: str) -> tuple[str, Place] | str:
    """Place a draft as `place_draft` does; a quote that is not where it is said to be counts for the one file of those
    shown that has it. Small models name a path as it comes.
    """
    placed = place_draft(draft, dossier, focus)
    if not isinstance(placed, str) and not is_test_path(placed[0]):
        return placed
    shown = dict.fromkeys(excerpt.path for excerpt in dossier.related if not is_test_path(excerpt.path))
    elsewhere = [
        found
        for path in shown
        if not isinstance(found := place_draft(draft.model_copy(update={"path": path}), dossier, focus), str)
    ]
    return elsewhere[0] if len(elsewhere) == 1 else placed


def _of_coverage(sitting: Sitting, suspects: Sequence[Suspect]) -> list[Vote]:
    """Let coverage vote once for each symbol, by its most suspicious line; equal scores share a rank."""
    votes: list[Vote] = []
    seen: set[tuple[str, int]] = set()
    rank, last = -1, None
    for item in suspects:
        around = sitting.enclosing(item.path, item.line)
        key = (item.path, around[1] if around is not None else item.line)
        if key in seen:
            continue
        seen.add(key)
        if item.score != last:
            rank, last = len(votes), item.score
        votes.append(Vote(COVERAGE, item.path, item.line, rank))
        if len(votes) == _MOST_SYMBOLS:
            break
    return votes


def _of_traceback(frames: Sequence[Frame]) -> list[Vote]:
    return [Vote(TRACEBACK, frame.path, frame.line, rank) for rank, frame in enumerate(frames)]


def _findings(
    sitting: Sitting,
    lines: Sequence[RankedLine],
    suspects: Mapping[tuple[str, int], Suspect],
    said: Sequence[Said[Drafts]],
) -> tuple[Finding, ...]:
    equal: Counter[tuple[str, str, str]] = Counter()
    found: list[Finding] = []
    for number, ranked_line in enumerate(lines):
        quote = _quote(sitting, ranked_line)
        key = (ranked_line.place.path, quote, ranked_line.place.name)
        made = _finding(
            sitting, ranked_line, number, quote=quote, ordinal=equal[key], suspects=suspects, said=said
        )
        found.append(made)
        equal[key] += 1
    return tuple(found)


def _quote(sitting: Sitting, ranked_line: RankedLine) -> str:
    dossier, path = sitting.deliberation.dossier, ranked_line.place.path
    source = dossier.files.get(path) or dossier.read(path)
    lines = lines_of(source.text) if source is not None else []
    return sitting.quoting.redact(lines[ranked_line.line].strip()) if ranked_line.line < len(lines) else ""


def _finding(
    sitting: Sitting,
    ranked_line: RankedLine,
    number: int,
    *,
    quote: str,
    ordinal: int,
    suspects: Mapping[tuple[str, int], Suspect],
    said: Sequence[Said[Drafts]],
) -> Finding:
    redact = sitting.quoting.redact
    members = {answer.voice.id: answer.voice.member for answer in said}
    votes = ranked_line.votes
    behind = [members[vote.voter] for vote in votes if vote.voter in members]
    words = [redact(vote.words) for vote in sorted(votes, key=lambda vote: vote.rank) if vote.words]
    place, line = ranked_line.place, ranked_line.line
    name = place.name or place.path
    return Finding(
        id=finding_id(place.path, quote, CATEGORY, name, ordinal),
        path=place.path,
        line=line,
        end_line=line,
        quote=quote,
        severity=Severity.WARNING if number == 0 else Severity.INFO,
        category=CATEGORY,
        title=f"Place {number + 1}: {name}",
        detail="\n".join(dict.fromkeys(words)) or f"No member named it; {_who(ranked_line)}.",
        confidence=round(ranked_line.confidence, 3),
        band=band_of(ranked_line.confidence),
        members=tuple(sorted({member.id for member in behind})),
        families=families_of(behind),
        evidence=tuple(_evidence(ranked_line, suspects)),
        reason=_who(ranked_line),
    )


def _evidence(ranked_line: RankedLine, suspects: Mapping[tuple[str, int], Suspect]) -> list[Evidence]:
    found: list[Evidence] = []
    here = suspects.get((ranked_line.place.path, ranked_line.line))
    for vote in ranked_line.votes:
        item = here or suspects.get((vote.path, vote.line))
        if vote.voter == COVERAGE and item is not None:
            found.append(item.evidence)
        elif vote.voter == TRACEBACK:
            found.append(
                Evidence(
                    witness=TRACEBACK,
                    rank=Rank.EXECUTED,
                    target=f"{vote.path}:{vote.line + 1}",
                    outcome=Outcome.FAILED,
                    summary=f"frame {vote.rank + 1} of the traceback, counted from the error",
                )
            )
    return found


def _who(ranked_line: RankedLine) -> str:
    """Say who put the line, or the place around it, where: "2 members first, coverage second"."""
    best: dict[str, int] = {}
    for vote in ranked_line.votes:
        best[vote.voter] = min(vote.rank, best.get(vote.voter, vote.rank))
    parts: list[str] = []
    tools = (COVERAGE, TRACEBACK)
    members = [rank for voter, rank in best.items() if voter not in tools]
    for rank in sorted(set(members)):
        count = members.count(rank)
        parts.append(f"{count} member{'' if count == 1 else 's'} {_ordinal(rank)}")
    parts += [f"{tool} {_ordinal(best[tool])}" for tool in tools if tool in best]
    return ", ".join(parts)


def _ordinal(rank: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth")
    return words[rank] if rank < len(words) else f"at place {rank + 1}"


def _document(
    lines: Sequence[RankedLine],
    suspects: Sequence[Suspect],
    failing: Sequence[str],
    coverage: Coverage | None,
) -> str:
    parts = ["# Where the fault may be"]
    if failing:
        parts.append("Failing: " + ", ".join(code_span(test) for test in failing[:5]) + ".")
    elif coverage is not None:
        parts.append(f"The tests say: {sanitise_inline(coverage.evidence.summary)}.")
    rows = ["| | place | line | who says so |", "|---|---|---|---|"]
    for number, item in enumerate(lines, 1):
        place = item.place
        name = f"{code_span(place.name)} in {code_span(place.path)}" if place.name else code_span(place.path)
        rows.append(f"| {number} | {name.replace('|', chr(92) + '|')} | {item.line + 1} | {_who(item)} |")
    parts.append("\n".join(rows) if lines else "No place was named.")
    if lines and (further := further_suspects(lines, suspects)):
        told = ", ".join(f"{item.line + 1} ({item.score:.2f})" for item in further)
        parts.append(f"Other lines there that the failing tests run, by Ochiai's coefficient: {told}.")
    return "\n\n".join(parts) + "\n"


def further_suspects(lines: Sequence[RankedLine], suspects: Sequence[Suspect]) -> list[Suspect]:
    """Return the most suspicious lines of the likeliest place that are not listed already."""
    if not lines:
        return []
    first = lines[0].place
    listed = {item.line for item in lines if item.place is first}
    inside = [item for item in suspects if item.path == first.path and first.first <= item.line <= first.last]
    return [item for item in inside if item.line not in listed][:_FURTHER]
