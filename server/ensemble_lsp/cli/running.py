"""Runs one job in this process and shows it: the same engine, no front."""

import asyncio
import contextlib
import os
import sys
import uuid
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeVar

from rich.console import Console

from ensemble_lsp.cli.check_command import refuse_unknown_command
from ensemble_lsp.cli.failures import Interrupted
from ensemble_lsp.cli.interrupts import Interrupts
from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.options import Common
from ensemble_lsp.cli.prompts import TerminalPrompts
from ensemble_lsp.cli.suggesting import fix_findings
from ensemble_lsp.cli.target import Target
from ensemble_lsp.cli.terminal import consoles, one_line
from ensemble_lsp.context.focus import target_of
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.rules_revision import RulesCopy, rules_at
from ensemble_lsp.core.errors import BudgetExceeded
from ensemble_lsp.core.events import Action, Mode, Status
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import JobStart, OpenDocument
from ensemble_lsp.settings import Settings
from ensemble_lsp.settings_sources import load_settings

T = TypeVar("T")

NO_VERSION = -1
"""The version of a text that no editor holds."""
_RULES_SHOWN = 5
"""Changed rules that are named one by one."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a person asked for, before settings fill in what was not said."""

    action: Action
    workspace: Path
    targets: tuple[Target, ...] = ()
    instruction: str = ""
    check: str | None = None
    mode: Mode | None = None
    """The mode that this command has of its own when the person named none."""
    scope: Literal["changes", "staged", "workspace"] | None = None
    """What is looked for in the workspace; `within` limits it to files and folders."""
    base: str | None = None
    within: tuple[str, ...] = ()
    all_lines: bool = False
    fresh: bool = False
    """A review of folders: nothing that an earlier one found of the same texts is taken over."""
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """Path → the text that stands for a file there."""
    rules_from: str | None = None
    """The commit that settings, ignore files, notes and dismissals are read at; None: as they are in the folder."""
    fixes: int = 0
    """A review: for how many of the worst findings a patch is asked for."""

    def task(self, common: Common, settings: Settings) -> Task:
        """Return the job's task: the command line first, then the settings."""
        only = self.targets[0] if len(self.targets) == 1 else None
        return Task(
            action=self.action,
            path=self.targets[0].path if self.targets else None,
            range=only.range if only else None,
            paths=self.within if len(self.targets) < 2 else tuple(target.path for target in self.targets),
            scope=self.scope,
            base=self.base,
            all_lines=self.all_lines,
            fresh=self.fresh,
            instruction=self.instruction,
            mode=common.mode or self.mode or Mode(settings.mode),
            rounds=common.rounds or settings.rounds,
            check=self.check,
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """One job that came to an end, whatever end."""

    job: str
    result: JobResult
    fixes: Mapping[str, Proposal] = field(default_factory=dict[str, Proposal])
    """Finding → the patch that was made for it."""


def run_job(request: Request, common: Common) -> Ended:
    """Run one job to its end; Ctrl-C ends it cleanly, with what was answered.

    Raises `UsageError` and `ConfigurationError` for what can be known before a job is started.
    """
    _, err = consoles()
    rules_from = request.rules_from
    with (
        contextlib.nullcontext() if rules_from is None else rules_at(request.workspace, rules_from) as rules,
        Interrupts(err) as interrupts,
        contextlib.redirect_stdout(sys.stderr),
    ):
        # Standard output is for the result alone: what a library prints goes where progress goes.
        return run_async(_run(request, common, err, interrupts, rules))


def run_async(work: Coroutine[object, object, T]) -> T:
    """Run a command's asynchronous part; raises `Interrupted` for Ctrl-C."""
    try:
        return asyncio.run(work)
    except (KeyboardInterrupt, asyncio.CancelledError) as problem:
        raise Interrupted("interrupted") from problem


def _refuse_early(request: Request, settings: Settings, rules: Path | None, *, trusted: bool) -> None:
    """Refuse what no job could do anything with, before a person is asked or a job is recorded."""
    if settings.budget.seconds == 0:
        raise BudgetExceeded(
            "a cap of 0 seconds leaves no time to ask anybody", cap="seconds", hint="raise --seconds"
        )
    if request.check is not None and request.check not in {check.id for check in settings.checks}:
        refuse_unknown_command(request.check, request.workspace)
    if not request.targets:
        return
    reader = Reader.of(
        request.workspace, settings.context, trusted=trusted, overlays=_overlays(request), rules=rules
    )
    for target in request.targets:
        path, source = reader.focus(target.path)
        target_of(Task(action=request.action, path=path, range=target.range), path, source.text, ())


async def _run(
    request: Request, common: Common, err: Console, interrupts: Interrupts, copy: RulesCopy | None
) -> Ended:
    interrupts.guard(lambda: None)
    rules = copy.folder if copy else None
    prompts = TerminalPrompts(err, common, interrupts)
    quiet = common.quiet or (common.as_json and not err.is_terminal)
    async with LocalEngine.open(prompts.consent) as engine:
        told = _tell_notices(err, engine, 0)
        trusted = common.trust or await engine.wiring.trust.is_trusted(request.workspace)
        settings = _settings(request, common, rules, trusted=trusted)
        _refuse_early(request, settings, rules, trusted=trusted)
        if copy is not None:
            # Whose rules count was said on the command line; whether the code runs is another question, and not asked.
            for line in _about_rules(copy):
                err.print(line, style="yellow", soft_wrap=True)
        elif not trusted and await prompts.trust(engine, request.workspace):
            trusted, settings = True, _settings(request, common, rules, trusted=True)
        start = JobStart(
            job=uuid.uuid4().hex[:12],
            workspace=str(request.workspace),
            task=request.task(common, settings),
            trusted=trusted,
            documents=tuple(
                OpenDocument(path=path, text=text, version=NO_VERSION) for path, text in request.texts.items()
            ),
            rules=str(rules or ""),
            options=common.job_options(check_given=request.check is not None),
        )
        async with LiveView(err, quiet=quiet) as view:
            prompts.view = view
            interrupts.guard(view.stopping)
            result = await engine.run(start, view.event)
            fixes: dict[str, Proposal] = {}
            if request.fixes and result.status is Status.DONE:
                fixes, spent = await fix_findings(
                    start, result, settings, most=request.fixes, run=engine.run, on_event=view.event
                )
                result = result.model_copy(update={"spend": result.spend + spent})
            prompts.view = None
        # A disk may fill up while the job runs.
        _tell_notices(err, engine, told)
        if copy is not None:
            result = result.model_copy(update={"notes": (*_about_rules(copy), *result.notes)})
        return Ended(start.job, result, fixes)


def _overlays(request: Request) -> dict[str, SourceText]:
    return {path: SourceText(text) for path, text in request.texts.items()}


def _about_rules(copy: RulesCopy) -> tuple[str, ...]:
    """Say which rules the change under review would have changed, and that it did not."""
    if not copy.changed:
        return ()
    shown = ", ".join(one_line(path) for path in copy.changed[:_RULES_SHOWN])
    more = f" and {len(copy.changed) - _RULES_SHOWN} more" if len(copy.changed) > _RULES_SHOWN else ""
    return (
        f"{shown}{more}: changed, without effect on this review; its rules are those of {copy.commit[:12]}",
    )


def _settings(request: Request, common: Common, rules: Path | None, *, trusted: bool) -> Settings:
    overrides = common.overrides()
    return load_settings(
        request.workspace, environment=os.environ, overrides=overrides, trusted=trusted, rules=rules
    ).settings


def _tell_notices(err: Console, engine: LocalEngine, told: int) -> int:
    notices = engine.notices
    for notice in notices[told:]:
        err.print(one_line(notice), style="yellow", soft_wrap=True)
    return len(notices)
