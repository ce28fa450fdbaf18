"""Runs a benchmark in this process: asks first, shows how it goes, and reports what there is, however it ended."""

import asyncio
import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from ensemble_lsp.bench.estimate import RunEstimate
from ensemble_lsp.bench.outcomes import Outcome, Subject
from ensemble_lsp.bench.record import RunHead
from ensemble_lsp.bench.session import Session, Wanted, session
from ensemble_lsp.bench.ways.catalogue import kinds_of
from ensemble_lsp.cli.bench_options import BenchOptions
from ensemble_lsp.cli.bench_progress import BenchProgress
from ensemble_lsp.cli.failures import Interrupted
from ensemble_lsp.cli.interrupts import Interrupts
from ensemble_lsp.cli.prompts import TerminalPrompts, there_is_a_terminal
from ensemble_lsp.cli.running import run_async
from ensemble_lsp.cli.target import workspace_of
from ensemble_lsp.cli.terminal import consoles, one_line
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import ConsentRequired, EnsembleError, TrustRequired, UsageError
from ensemble_lsp.engine.local import LocalEngine

GO_ON = "go on with the same command"


@dataclass(frozen=True, slots=True)
class Benched:
    """What a run came to. `stopped` is why it ended before its time."""

    head: RunHead
    outcomes: tuple[Outcome, ...]
    directory: Path
    stopped: EnsembleError | None


def run_bench(subject: Subject, target: Path | None, options: BenchOptions) -> Benched:
    """Run a benchmark, or what is left of it; Ctrl-C keeps every outcome so far.

    Raises `UsageError`, `TrustRequired`, `ConsentRequired` and what finding members raises; nothing was sent then.
    """
    if target is not None and options.mutants:
        raise UsageError("a set and --mutants are two kinds of cases", field="--mutants")
    if target is not None and options.only:
        raise UsageError("--only limits mutants; a set is taken as it is", field="--only")
    workspace = workspace_of(target if target is not None else Path.cwd()).resolve()
    wanted = Wanted(
        subject=subject,
        workspace=workspace,
        kinds=kinds_of(options.ways),
        command=options.command(subject.value, target),
        options=options.job_options(),
        set=target.resolve() if target is not None else None,
        only=tuple(_inside(workspace, Path(path)) for path in options.only or ()),
        count=options.cases,
        seed=options.seed,
        seen=options.check,
        k=options.k,
        rounds=options.rounds,
        out=options.out.resolve() if options.out is not None else None,
    )
    _, err = consoles()
    with Interrupts(err) as interrupts, contextlib.redirect_stdout(sys.stderr):
        # Standard output is for the report alone.
        return run_async(_run(wanted, options, err, interrupts))


async def _run(wanted: Wanted, options: BenchOptions, err: Console, interrupts: Interrupts) -> Benched:
    interrupts.guard(lambda: None)
    prompts = TerminalPrompts(err, options.common(), interrupts)
    quiet = options.quiet or (options.as_json and not err.is_terminal)
    async with LocalEngine.open(prompts.consent) as engine:
        await _trusted(engine, prompts, wanted.workspace, given=options.trust)
        progress = BenchProgress(err, wanted.subject, quiet=quiet)
        async with session(
            wanted,
            engine.wiring,
            prompts.consent,
            lambda line: err.print(one_line(line), soft_wrap=True),
            progress.making,
        ) as opened:
            estimate = opened.estimate()
            if estimate.outcomes:
                _agree(opened, estimate, options, err, interrupts)
            paid = opened.replies.paid.usd
            runner = opened.runner(
                progress,
                usd=options.budget if options.budget is not None else paid + estimate.usd_bound,
                calls=options.calls,
                seconds=options.seconds,
                at_once=options.at_once,
            )
            stopped: EnsembleError | None = None
            progress.expect(estimate.outcomes)
            try:
                with progress:
                    # The first way would pay for what is imported once.
                    await engine.wiring.warm()
                    await runner.run(opened.cases)
                stopped = runner.stopped
            except asyncio.CancelledError:
                if not interrupts.interrupted:
                    raise
                if (task := asyncio.current_task()) is not None:
                    task.uncancel()
                stopped = Interrupted(f"interrupted; {GO_ON}")
            why = "Ctrl-C" if isinstance(stopped, Interrupted) else stopped.message if stopped else ""
            head = opened.record.head.model_copy(update={"interrupted": why})
            return Benched(head, opened.record.outcomes, opened.directory, stopped)


async def _trusted(engine: LocalEngine, prompts: TerminalPrompts, workspace: Path, *, given: bool) -> None:
    if given or await engine.wiring.trust.is_trusted(workspace) or await prompts.trust(engine, workspace):
        return
    raise TrustRequired(
        f"a benchmark runs the tests of {workspace}, and the folder is not trusted",
        hint="ensemble-lsp trust trusts it, --trust does for this run",
    )


def _agree(
    opened: Session, estimate: RunEstimate, options: BenchOptions, err: Console, interrupts: Interrupts
) -> None:
    """Say what the run will take, and ask; raises `ConsentRequired` when nobody agrees."""
    for line in _told(opened, estimate, options):
        err.print(one_line(line), soft_wrap=True)
    if options.yes:
        return
    if not there_is_a_terminal():
        raise ConsentRequired(
            "nothing was asked: nobody agreed to the estimate", hint="--yes agrees without being asked"
        )
    with interrupts.question():
        agreed = typer.confirm("Run it?", default=False, err=True)
    if not agreed:
        raise ConsentRequired("nothing was asked: you did not agree", hint="--cases and --ways make it less")


def _told(opened: Session, estimate: RunEstimate, options: BenchOptions) -> list[str]:
    cases, ways = len(opened.cases), len(opened.ways)
    made = cases * ways - estimate.outcomes
    members = ", ".join(f"{member.id} ({member.family})" for member in opened.parts.panel.members)
    calls = f"about {estimate.calls:,} calls (at most {estimate.calls_bound:,})"
    money = f"about ${estimate.usd:.2f} (at most ${estimate.usd_bound:.2f})"
    lines = [
        f"{opened.wanted.subject.value}: {counted(cases, 'case')} in {counted(ways, 'way')}, with {members}"
        + (f"; {made} of {cases * ways} outcomes are there already" if made else ""),
        *(f"left out: {item.way} ({item.why})" for item in opened.left_out),
        f"{calls}, {money}, very roughly {_time(estimate.seconds / options.at_once)}",
    ]
    everybody = (
        *opened.parts.panel.members,
        *((opened.parts.panel.strong,) if opened.parts.panel.strong else ()),
    )
    unknown = [each.id for each in everybody if not each.local and each.price_in is None]
    if unknown:
        lines.append(f"nobody knows the price of {', '.join(unknown)}: counted as nothing")
    if options.budget is not None:
        lines.append(f"nothing is sent past ${options.budget:.2f} in all")
    lines.append(f"the record is in {opened.directory}")
    return lines


def _time(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _inside(workspace: Path, path: Path) -> str:
    resolved = path.resolve()
    if not resolved.is_relative_to(workspace):
        raise UsageError(f"{path} is not in {workspace}", field="--only")
    return resolved.relative_to(workspace).as_posix()
