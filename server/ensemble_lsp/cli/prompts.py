"""Questions to the person at the terminal; where there is none, the answer is no and says how to agree."""

import asyncio
import sys
from pathlib import Path

import typer
from rich.console import Console

from ensemble_lsp.cli.interrupts import Interrupts
from ensemble_lsp.cli.live import LiveView
from ensemble_lsp.cli.options import Common
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion

_HOW_TO_AGREE = {
    "send": "--yes agrees, --local sends nothing",
    "download": "--yes agrees; a GGUF file of your own goes into the setting embedded.path",
    "unconfined": "--yes agrees; without it such checks are not run",
    "spend": "--yes agrees; a smaller folder, --mode quick or a smaller --budget takes less",
}


async def refuse(question: ConsentQuestion) -> bool:
    """Answer no: for commands that must never send, fetch or run anything."""
    del question
    return False


class TerminalPrompts:
    """Asks on the terminal, with the live view out of the way meanwhile."""

    def __init__(self, console: Console, common: Common, interrupts: Interrupts) -> None:
        self._console = console
        self._common = common
        self._interrupts = interrupts
        self.view: LiveView | None = None

    async def consent(self, question: ConsentQuestion) -> bool:
        """Ask once, in the question's own words."""
        words = one_line(question.text)
        if self._common.yes:
            self._console.print(f"{words} yes (--yes)", soft_wrap=True)
            return True
        if not there_is_a_terminal():
            how = _HOW_TO_AGREE[question.kind]
            self._console.print(f"{words} Not asked: no terminal; {how}.", style="yellow", soft_wrap=True)
            return False
        return await self._ask(words)

    async def trust(self, engine: LocalEngine, workspace: Path) -> bool:
        """Ask whether the folder's tests may run and its settings count; a yes is kept."""
        place = one_line(str(workspace))
        if self._common.quiet or self._common.as_json or not there_is_a_terminal():
            self._console.print(
                f"{place} is not trusted: its tests are not run and its settings do not count. "
                "Trust it with `ensemble-lsp trust`, or for one job with --trust.",
                style="yellow",
                soft_wrap=True,
            )
            return False
        question = f"Trust {place}? Its tests then run in a sandboxed copy, and its ensemble.toml counts."
        if not await self._ask(question):
            return False
        await engine.wiring.trust.trust(workspace)
        return True

    async def _ask(self, words: str) -> bool:
        if self.view is not None:
            self.view.pause()
        try:
            with self._interrupts.question():
                return typer.confirm(words, default=False, err=True)
        except typer.Abort as problem:
            # The end of the input is a no; Ctrl-C here is Ctrl-C for the whole job.
            self._console.print()
            if isinstance(problem.__context__, KeyboardInterrupt):
                self._interrupts.stop()
                # The cancellation comes with one of the next turns of the loop; until then nothing may go on.
                await asyncio.get_running_loop().create_future()
            return False
        finally:
            if self.view is not None:
                self.view.resume()


def there_is_a_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()
