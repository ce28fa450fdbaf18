"""One run from its inputs to its report: members, cases, record, estimate, and going on where it ended."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

import ensemble_lsp
from ensemble_lsp.bench import inputs
from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.estimate import RunEstimate, estimate_run
from ensemble_lsp.bench.examination import ACTIONS, Examination
from ensemble_lsp.bench.judge import Judge
from ensemble_lsp.bench.mutation.making import mutation_cases
from ensemble_lsp.bench.mutation.options import MutationOptions, MutationProgress
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.purses import RunCaps
from ensemble_lsp.bench.record import Record, RunHead, RunInputs
from ensemble_lsp.bench.replies import KeptReplies
from ensemble_lsp.bench.runner import Runner, Watcher
from ensemble_lsp.bench.sets import Seen
from ensemble_lsp.bench.ways.catalogue import Kind, LeftOut, Way, ways_of
from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Mode
from ensemble_lsp.core.results import Task
from ensemble_lsp.directories import state_directory
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.job_parts import JobParts
from ensemble_lsp.engine.messages import JobOptions, JobStart
from ensemble_lsp.engine.purse import JobPurse
from ensemble_lsp.engine.scoping import Scoped
from ensemble_lsp.engine.wiring import Wiring
from ensemble_lsp.ensemble.estimate import bound_on_calls


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants to know. The workspace is trusted by them: its tests are run."""

    subject: Subject
    workspace: Path
    kinds: tuple[Kind, ...]
    command: tuple[str, ...]
    options: JobOptions
    """How members are found."""
    set: Path | None = None
    """None: mutants of the workspace's own tested functions."""
    only: tuple[str, ...] = ()
    count: int = 20
    seed: int = 1
    seen: Seen = Seen.TESTS
    k: int | None = None
    rounds: int | None = None
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A run that is ready to go on: nothing has been asked since it was opened."""

    wanted: Wanted
    wiring: Wiring
    parts: JobParts
    judge: Judge
    directory: Path
    cases: tuple[BenchCase, ...]
    ways: tuple[Way, ...]
    left_out: tuple[LeftOut, ...]
    record: Record
    replies: KeptReplies

    @property
    def todo(self) -> dict[str, list[BenchCase]]:
        """The cases that are still to be run, by way."""
        return {
            way.name: [case for case in self.cases if not self.record.has(case.id, way.name)]
            for way in self.ways
        }

    def estimate(self) -> RunEstimate:
        """Say what is left to be done, in calls, money and time."""
        inputs_ = self.record.head.inputs
        return estimate_run(
            self.wanted.subject,
            self.todo,
            self.ways,
            self.parts.panel,
            k=inputs_.k,
            rounds=inputs_.rounds,
            prompt_tokens=self.parts.loaded.settings.context.max_tokens,
        )

    def runner(
        self, watcher: Watcher, *, usd: float, calls: int | None, seconds: float | None, at_once: int
    ) -> Runner:
        """Return what runs the rest. `usd` and `calls` cap the whole run: what it has paid so far counts."""
        limits = Limits(usd=usd, seconds=None, calls=calls)
        budget = Budget(limits, spent=self.replies.paid)
        day_usd = self.parts.loaded.policy.day_usd(self.parts.loaded.settings.budget.day_usd)
        purse = JobPurse(f"bench-{self.directory.name}", budget, self.wiring.ledger, day_usd)
        examination = Examination(
            subject=self.wanted.subject,
            wiring=self.wiring,
            parts=self.parts,
            judge=self.judge,
            replies=self.replies,
            caps=RunCaps(purse, limits),
            seen=self.wanted.seen,
            k=self.record.head.inputs.k,
            rounds=self.record.head.inputs.rounds,
        )
        return Runner(examination, self.record, self.ways, watcher, seconds=seconds, at_once=at_once)


@asynccontextmanager
async def session(
    wanted: Wanted,
    wiring: Wiring,
    ask: ConsentAsker,
    say: Callable[[str], None],
    on_mutation: Callable[[MutationProgress], None] = lambda _progress: None,
) -> AsyncGenerator[Session]:
    """Seat the members, make or read the cases, and open the record; sends nothing but probes of this machine.

    Raises what finding members raises, `UsageError` for inputs that cannot be used or a record of others, and
    `SandboxUnavailable` where nothing confines the programs that members write.
    """
    action = ACTIONS[wanted.subject]
    start = JobStart(
        job="bench",
        workspace=str(wanted.workspace),
        task=Task(action=action),
        trusted=True,
        options=wanted.options,
    )
    loaded = await wiring.load(start)
    async with Judge.open(python=loaded.settings.execution.python) as judge:
        parts = await wiring.prepare(start, loaded, ask, say, Scoped(start))
        ways, left_out = ways_of(wanted.kinds, wanted.subject, parts.panel)
        if not ways:
            raise UsageError("; ".join(f"{item.way}: {item.why}" for item in left_out), field="--ways")
        directory = wanted.out or await asyncio.to_thread(_usual_directory, wanted, parts)
        with _alone(directory):
            cases = await _cases(wanted, parts, directory, on_mutation)
            head = _head(wanted, parts, cases, ways, left_out)
            record = await asyncio.to_thread(Record.open, directory, head)
            replies = await asyncio.to_thread(KeptReplies.open, directory)
            yield Session(wanted, wiring, parts, judge, directory, cases, ways, left_out, record, replies)


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    """Hold the folder, which the system lets go when the process ends, however it does."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / "lock")
        lock.acquire(timeout=0)
    except Timeout as problem:
        raise UsageError(f"{directory} is in use: this benchmark runs elsewhere", field="--out") from problem
    except OSError as problem:
        raise UsageError(f"{directory} cannot be written: {problem.strerror}", field="--out") from problem
    try:
        yield
    finally:
        lock.release()


async def _cases(
    wanted: Wanted, parts: JobParts, directory: Path, on_mutation: Callable[[MutationProgress], None]
) -> tuple[BenchCase, ...]:
    if wanted.set is not None:
        return await asyncio.to_thread(
            inputs.drawn, wanted.set, wanted.subject, wanted.seen, wanted.count, wanted.seed
        )
    kept = await asyncio.to_thread(inputs.kept_cases, directory)
    if kept:
        return kept
    made = await mutation_cases(
        wanted.workspace,
        MutationOptions(
            paths=wanted.only,
            most=wanted.count,
            controls=wanted.subject is Subject.REVIEW,
            seed=wanted.seed,
        ),
        context=parts.loaded.settings.context,
        python=parts.loaded.settings.execution.python,
        progress=on_mutation,
    )
    if not made.cases:
        why = ", ".join(f"{count} {reason}" for reason, count in made.counts.left_out.most_common(3))
        raise UsageError(
            f"no mutant of {wanted.workspace} is noticed by a test ({why or 'no Python code was found'})",
            hint="name a set of cases, or a folder with tests that pass",
        )
    await asyncio.to_thread(inputs.keep_cases, directory, made.cases)
    return made.cases


def _head(
    wanted: Wanted,
    parts: JobParts,
    cases: Sequence[BenchCase],
    ways: tuple[Way, ...],
    left_out: tuple[LeftOut, ...],
) -> RunHead:
    panel = parts.panel
    bound = bound_on_calls(ACTIONS[wanted.subject], Mode.PANEL, len(panel.members), 1)
    return RunHead(
        inputs=RunInputs(
            subject=wanted.subject,
            set=wanted.set.name if wanted.set is not None else "mutants",
            digest=inputs.digest_of(cases),
            seed=wanted.seed,
            cases=tuple(case.id for case in cases),
            check=wanted.seen.value,
            members=tuple(inputs.head_member(member) for member in panel.members),
            anchor=panel.anchor,
            strong=inputs.head_member(panel.strong) if panel.strong is not None else None,
            k=wanted.k or bound,
            rounds=_rounds(wanted, parts),
        ),
        ways=ways,
        left_out=left_out,
        version=ensemble_lsp.__version__,
        commit=inputs.product_commit(),
        started=inputs.now(),
        command=wanted.command,
        python=inputs.python_version(),
        platform=inputs.machine(),
        notes=panel.notes,
    )


def _rounds(wanted: Wanted, parts: JobParts) -> int:
    return wanted.rounds or parts.loaded.settings.rounds


def _usual_directory(wanted: Wanted, parts: JobParts) -> Path:
    """Return the folder of these inputs: the same command finds its record again."""
    source = inputs.file_digest(wanted.set) if wanted.set is not None else str(wanted.workspace)
    key = inputs.key_of(
        [
            wanted.subject,
            source,
            wanted.only,
            wanted.count,
            wanted.seed,
            wanted.seen,
            wanted.k,
            _rounds(wanted, parts),
            [member.to_wire() for member in parts.panel.members],
            parts.panel.strong,
        ]
    )
    return state_directory() / "bench" / f"{wanted.subject.value}-{key}"
