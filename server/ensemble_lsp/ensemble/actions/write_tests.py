"""The action "test": tests for a symbol, run before they are shown, kept for the changes of the code they notice."""

from collections.abc import Callable, Sequence

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Mode, Phase, PhaseEntered
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.results import DraftRecord, JobResult
from ensemble_lsp.ensemble.blind import Voice, voices_of
from ensemble_lsp.ensemble.choosing_tests import survivors_of
from ensemble_lsp.ensemble.concluding_tests import conclude_tests
from ensemble_lsp.ensemble.estimate import bound_on_calls
from ensemble_lsp.ensemble.fix_requests import call_seconds
from ensemble_lsp.ensemble.framework import NoFramework, module_in
from ensemble_lsp.ensemble.keeping import kept_even_if_cancelled
from ensemble_lsp.ensemble.ports import Deliberation, ModelReply, ModelRequest
from ensemble_lsp.ensemble.prompts.shared import conversation
from ensemble_lsp.ensemble.prompts.testing import load_task, unnoticed_task, writing_task
from ensemble_lsp.ensemble.region import region_of
from ensemble_lsp.ensemble.sitting import Sitting
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together
from ensemble_lsp.ensemble.suspected_bugs import failing_tests, judge_failing, suspected_bugs
from ensemble_lsp.ensemble.trying_tests import Bench

AT_MOST = 8
BRIEF_AT_MOST = 4
"""Tests asked of a small local member, whose time is short."""

TESTS_TOKENS = 3_000
BRIEF_TESTS_TOKENS = 900
"""Output tokens; a small model writes some eleven a second."""

FURTHER_AT_MOST = 4
ROUNDS_AT_MOST = 5


async def run(deliberation: Deliberation) -> JobResult:
    """Write tests for the symbol the task points at; raises `UsageError` for what cannot have any.

    The result holds the test file as a proposal, suspected bugs as findings, and a document that says which test
    notices what.
    """
    region = region_of(deliberation.task, deliberation.dossier, deliberation.checks)
    dossier = deliberation.dossier
    if region is None:
        raise UsageError("tests need a file to be about", field="path")
    framework = dossier.framework
    if isinstance(framework, NoFramework):
        raise UsageError(framework.reason, hint=framework.hint, field="path")
    if framework is None or not dossier.test_home:
        raise UsageError("there is no place for a test file in this workspace", field="path")
    task = deliberation.task
    bound = bound_on_calls(task.action, task.mode, len(deliberation.panel.members), task.rounds)
    sitting = Sitting.open(deliberation, bound)
    bench = Bench(sitting, region, framework, dossier.files.get(dossier.test_home))
    sitting.deliberation.emit(PhaseEntered(phase=Phase.DRAFT))
    await _draft(bench, voices_of(deliberation.panel, task.mode))
    await _load_again(bench)
    await bench.measure()
    await _notice_more(bench)
    failing = failing_tests(bench)
    judged = {} if task.mode is Mode.QUICK else await judge_failing(bench, failing)
    sitting.deliberation.emit(PhaseEntered(phase=Phase.DECIDE))
    findings = suspected_bugs(bench, failing, judged)
    return await conclude_tests(bench, tuple(findings))


async def _draft(bench: Bench, voices: Sequence[Voice]) -> None:
    """Ask all blind; what an earlier job was told is taken first, and its authors are not asked again."""
    deliberation, framework = bench.sitting.deliberation, bench.framework
    earlier = {record.member: record for record in deliberation.prior_drafts if framework.count(record.text)}
    for voice in voices:
        record = earlier.get(voice.member.id)
        if record is not None:
            bench.sitting.drafts.append(record)
            await _take(bench, voice, record.text)
    asked = [voice for voice in voices if voice.member.id not in earlier]
    await _ask(bench, asked, "draft", lambda voice: _task(bench, voice))


async def _load_again(bench: Bench) -> None:
    """Give each member whose module could not be run one more try, with what stopped it."""
    broken, bench.unloaded = list(bench.unloaded), []
    if not broken or bench.refusal:
        bench.unloaded = broken
        return
    by_voice = {voice.id: (module, why) for voice, module, why in broken}

    def task(voice: Voice) -> str:
        module, why = by_voice[voice.id]
        return load_task(module, why, bench.sitting.quoting, bench.framework)

    await _ask(bench, [voice for voice, _, _ in broken], "repair", task)


async def _notice_more(bench: Bench) -> None:
    """Show what no test notices and ask for more: one member in `panel`, everybody and in rounds in `debate`."""
    deliberation = bench.sitting.deliberation
    mode, members = deliberation.task.mode, deliberation.panel.members
    if mode is Mode.QUICK:
        return
    rounds = min(ROUNDS_AT_MOST, max(1, deliberation.task.rounds)) if mode is Mode.DEBATE else 1
    for number in range(1, rounds + 1):
        scores = bench.scores()
        survivors = survivors_of(scores, bench.runs)
        if not survivors or not bench.sitting.may_ask:
            return
        many = len(survivors) > 1
        note = f"{len(survivors)} change{'s go' if many else ' goes'} unnoticed"
        deliberation.emit(PhaseEntered(phase=Phase.REVISE, round=number, note=note))
        names = [score.test for score in scores]
        asked = members if mode is Mode.DEBATE else _next_member(bench, members)
        voices = [Voice(member, member.style + number, sample=number) for member in asked]
        before = len(bench.contributions)
        await _ask(
            bench,
            voices,
            "revise",
            lambda voice, names=names, survivors=survivors: unnoticed_task(
                _task(bench, voice), survivors, names, bench.sitting.quoting, at_most=FURTHER_AT_MOST
            ),
        )
        if len(bench.contributions) == before:
            return
        await bench.measure()


def _next_member(bench: Bench, members: Sequence[Member]) -> list[Member]:
    """Return the member whose tests noticed most: it knows how to run here."""
    noticed = {score.test: len(score.kills) for score in bench.scores()}

    def worth(member: Member) -> int:
        mine = [item for item in bench.contributions if item.voice.member.id == member.id]
        return sum(noticed.get(unit.id_in, 0) for item in mine for unit in item.module.units)

    return sorted(members, key=worth, reverse=True)[:1]


async def _ask(bench: Bench, voices: Sequence[Voice], purpose: str, task: Callable[[Voice], str]) -> None:
    sitting = bench.sitting
    deliberation = sitting.deliberation

    async def one(voice: Voice) -> Answer[str] | Silence:
        member = voice.member
        limit = BRIEF_TESTS_TOKENS if member.local else TESTS_TOKENS
        request = ModelRequest(
            member=member,
            messages=conversation(
                deliberation.dossier,
                sitting.quoting,
                member,
                task(voice),
                lines=(bench.region.first, bench.region.last),
            ),
            purpose=purpose,
            max_tokens=min(limit, member.max_output_tokens),
            temperature=0.6 if voice.sample and member.local else None,
            timeout=call_seconds(deliberation, member),
            nonce=voice.sample,
        )
        outcome = await ask(deliberation, request)
        if isinstance(outcome, Answer):
            await kept_even_if_cancelled(_keep(bench, voice, outcome.reply))
        return outcome

    if not voices or not sitting.may_ask:
        return
    outcomes = await ask_together(deliberation, [(voice.member, one(voice)) for voice in voices])
    sitting.hear(outcomes)
    for voice, outcome in zip(voices, outcomes, strict=True):
        if isinstance(outcome, Answer):
            await _take(bench, voice, outcome.value)


async def _take(bench: Bench, voice: Voice, text: str) -> None:
    code = module_in(bench.sitting.deliberation.dossier.restore(text), bench.framework)
    problem = await bench.take(voice, code) if code else "there is no test in the answer"
    if problem:
        bench.unloaded.append((voice, code or text[-2_000:], problem))


async def _keep(bench: Bench, voice: Voice, reply: ModelReply) -> None:
    record = DraftRecord(
        member=voice.member.id,
        family=voice.member.family,
        text=reply.text,
        spend=reply.spend,
        style=voice.style,
    )
    bench.sitting.drafts.append(record)
    if bench.sitting.deliberation.save_draft is not None:
        await bench.sitting.deliberation.save_draft(record)


def _task(bench: Bench, voice: Voice) -> str:
    deliberation = bench.sitting.deliberation
    return writing_task(
        deliberation.task,
        deliberation.dossier,
        bench.sitting.quoting,
        style=voice.style,
        at_most=BRIEF_AT_MOST if voice.member.local else AT_MOST,
        framework=bench.framework,
    )
