"""Runs one job in this process and shows it: the same engine, no front."""

import asyncio
import sys
import uuid
from pathlib import Path

import typer
from rich.console import Console
from rich.text import Text

from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.options import Common
from ensemble_lsp.core.events import JobEvent, Status
from ensemble_lsp.core.results import JobResult, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobStart

HOW_TO_AGREE = {
    "send": "--yes agrees, --local sends nothing",
    "download": "--yes agrees; a GGUF file of your own goes into the setting embedded.path",
    "unconfined": "--yes agrees; without it such checks are not run",
}

EXIT_CODES = {
    Status.DONE: 0,
    Status.NOTHING: 0,
    Status.ABSTAINED: 1,
    Status.FAILED: 3,
    Status.OVER_BUDGET: 4,
    Status.CANCELLED: 130,
}


def consoles() -> tuple[Console, Console]:
    """Return the console of results (standard output) and the one of progress (standard error)."""
    return Console(file=sys.stdout, highlight=False), Console(file=sys.stderr, highlight=False)


async def refuse(question: ConsentQuestion) -> bool:
    """Answer no: for commands that must never send, fetch or run anything."""
    del question
    return False


class TerminalPrompts:
    """Asks on the terminal; without one, or without `--yes`, the answer is no and says how to agree."""

    def __init__(self, console: Console, common: Common) -> None:
        self._console = console
        self._common = common
        self.view: LiveView | None = None

    async def consent(self, question: ConsentQuestion) -> bool:
        """Ask once, in the question's own words."""
        return self._ask(question.text, HOW_TO_AGREE[question.kind])

    def _ask(self, question: str, how: str) -> bool:
        if self._common.yes:
            self._console.print(Text(f"{question} yes (--yes)"), soft_wrap=True)
            return True
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            self._console.print(
                Text(f"{question} Not asked: no terminal; {how}.", style="yellow"), soft_wrap=True
            )
            return False
        if self.view is not None:
            self.view.pause()
        answer = typer.confirm(question, default=False, err=True)
        if self.view is not None:
            self.view.resume()
        return answer


def run_job(task: Task, workspace: Path, common: Common) -> tuple[str, JobResult]:
    """Run one job to its end and return its id and result; Ctrl-C ends it cleanly, with what was answered."""
    return asyncio.run(_run(task, workspace, common))


async def _run(task: Task, workspace: Path, common: Common) -> tuple[str, JobResult]:
    _, err = consoles()
    prompts = TerminalPrompts(err, common)
    quiet = common.quiet or (common.as_json and not err.is_terminal)
    async with LocalEngine.open(prompts.consent) as engine:
        for notice in engine.notices:
            err.print(Text(notice, style="yellow"))
        start = JobStart(
            job=uuid.uuid4().hex[:12],
            workspace=str(workspace),
            task=task,
            trusted=common.trust or await _is_trusted(engine, workspace, err, common),
            options=common.job_options(),
        )
        with LiveView(err, quiet=quiet) as view:
            prompts.view = view

            def on_event(event: JobEvent) -> None:
                view.event(event.body, event.time)

            return start.job, await engine.run(start, on_event)


async def _is_trusted(engine: LocalEngine, workspace: Path, err: Console, common: Common) -> bool:
    """Whether the folder's tests may run and its settings count; asked once, where there is a terminal."""
    if await engine.wiring.trust.is_trusted(workspace):
        return True
    if common.quiet or common.as_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        err.print(
            Text(
                f"{workspace} is not trusted: its tests are not run and its settings do not count. "
                "Trust it with `ensemble-lsp trust`, or for one job with --trust.",
                style="yellow",
            ),
            soft_wrap=True,
        )
        return False
    question = f"Trust {workspace}? Its tests then run in a sandboxed copy, and its ensemble.toml counts."
    if not typer.confirm(question, default=False, err=True):
        return False
    await engine.wiring.trust.trust(workspace)
    return True
