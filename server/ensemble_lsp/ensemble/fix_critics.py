"""The critique of a fix: who attacks which change, what a critic is shown, and running what it writes."""

from collections.abc import Sequence

from ensemble_lsp.core.events import Phase
from ensemble_lsp.core.panel import EditFormat, Member
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case, Entry
from ensemble_lsp.ensemble.critique import Attack, Verdict, read_attacks, read_vote
from ensemble_lsp.ensemble.fix_requests import request_for
from ensemble_lsp.ensemble.prompts.attacking import MOST_SHOWN, Exhibit, critique_task
from ensemble_lsp.ensemble.prompts.fixing import LOG_CHARACTERS
from ensemble_lsp.ensemble.prompts.quoting import tail
from ensemble_lsp.ensemble.prompts.shared import assignment
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together
from ensemble_lsp.ensemble.trials import run_attack


async def criticise(case: Case, *, most_critics: int | None = None, keep_calls: int = 0) -> None:
    """Have critics attack what is still standing, and run what they write."""
    if Phase.CRITIQUE in case.deliberation.leaves_out:
        return
    standing = sorted(case.alive, key=lambda entry: (-len(entry.families), entry.id))
    critics = choose_critics(case, standing)[:most_critics]
    if not critics or not case.sitting.may_ask:
        return
    granted = critics[: case.allow(len(critics), keep=keep_calls)]
    if not granted:
        return
    case.enter(Phase.CRITIQUE, 1)

    async def one(critic: Voice, labelled: dict[str, Entry]) -> Answer[str] | Silence:
        task = critique_task(
            case.undertaking.wording,
            assigned(case),
            [exhibit(case, label, entry) for label, entry in labelled.items()],
            quoting=case.sitting.quoting,
            path=case.region.path,
            compact=critic.member.edit_format is EditFormat.WHOLE,
        )
        return await ask(case.deliberation, request_for(case, critic, task, "critique"))

    shown = [(critic, labels(case, not_of(critic, standing) or standing)) for critic in granted]
    outcomes = await ask_together(
        case.deliberation, [(critic.member, one(critic, labelled)) for critic, labelled in shown]
    )
    case.sitting.hear(outcomes)
    for (critic, labelled), outcome in zip(shown, outcomes, strict=True):
        if isinstance(outcome, Answer):
            await run_attacks(case, critic, labelled, outcome.value)


async def run_attacks(case: Case, critic: Voice, labelled: dict[str, Entry], words: str) -> None:
    """Run each attack in a critic's answer; what did not break its target is kept word for word."""
    if case.undertaking.takes_votes:
        best = read_vote(words, list(labelled))
        if best is not None and len(labelled) > 1:
            case.votes[critic.member.family] = labelled[best].id
    for attack in read_attacks(words, list(labelled)):
        entry = labelled[attack.label]
        verdict = await run_attack(case, critic, entry, attack)
        if verdict is not Verdict.BREAKS:
            case.objections.append((critic, entry.id, _words(attack)))


def choose_critics(case: Case, standing: Sequence[Entry]) -> list[Voice]:
    """Return who attacks: as few members as leave no entry without a critic from another family.

    Members that have not spoken come first, then those of another family than the author; with one family,
    another member; and at the last the author itself, in another wording.
    """
    if not standing:
        return []
    spoken = {voice.member.id for voice in case.voices.values()}
    members = sorted(case.deliberation.panel.members, key=lambda member: member.id in spoken)
    critics: list[Member] = []
    uncovered = list(standing)
    for across in (True, False):
        for member in members:
            covered = [entry for entry in uncovered if _may_attack(member, entry, across=across)]
            if covered:
                uncovered = [entry for entry in uncovered if entry not in covered[:MOST_SHOWN]]
                if member not in critics:
                    critics.append(member)
    if (
        case.undertaking.takes_votes
        and len(standing) > 1
        and not any(_sees_two(m, standing) for m in critics)
    ):
        # Who is shown one version only cannot prefer any.
        critics += [member for member in members if member not in critics and _sees_two(member, standing)][:1]
    return [_voice_of(case, member) for member in critics or members[:1]]


def labels(case: Case, entries: Sequence[Entry]) -> dict[str, Entry]:
    """Return at most four entries under fresh letters, in a fresh order."""
    shuffled = list(entries)[:MOST_SHOWN]
    case.deliberation.randomness.shuffle(shuffled)
    return {chr(ord("A") + number): entry for number, entry in enumerate(shuffled)}


def exhibit(case: Case, label: str, entry: Entry) -> Exhibit:
    """Return an entry as a critic sees it: the change without comments, and what the checks said."""
    said = [
        f"{item.witness} {item.target}: {item.outcome.value}: {item.summary}"
        for item in entry.report.evidence
    ]
    logs = [tail(item.log, LOG_CHARACTERS // 2) for item in entry.assessment.failing]
    return Exhibit(label, case.diff(entry), "\n".join([*said, *logs]))


def assigned(case: Case) -> str:
    """Return what the person asked for."""
    return assignment(case.deliberation.task, case.deliberation.dossier, case.sitting.quoting)


def not_of(voice: Voice, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that the voice's member does not stand behind."""
    return [entry for entry in entries if voice.member.id not in _authors(entry)]


def _authors(entry: Entry) -> set[str]:
    return {voice.member.id for voice in entry.voices.values()}


def _may_attack(member: Member, entry: Entry, *, across: bool) -> bool:
    return member.id not in _authors(entry) and (not across or member.family not in entry.families)


def _sees_two(member: Member, standing: Sequence[Entry]) -> bool:
    return sum(member.id not in _authors(entry) for entry in standing) > 1


def _voice_of(case: Case, member: Member) -> Voice:
    mine = [voice for voice in case.voices.values() if voice.member.id == member.id]
    return mine[0] if mine else Voice(member, member.style)


def _words(attack: Attack) -> str:
    return f"{attack.claim}\n\n{attack.test or attack.cited}".strip()
