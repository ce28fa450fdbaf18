"""What a person is asked before a job runs what models wrote, and what a job says while anybody is asked."""

from collections.abc import Callable
from pathlib import Path

from ensemble_lsp.checks.detection import detect
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.messages import WAITS, ConsentQuestion, JobStart
from ensemble_lsp.settings_sources import LoadedSettings
from ensemble_lsp.store.consent import ConsentStore

_ABOUT = {
    "send": "may code be sent?",
    "download": "may the model be downloaded?",
    "unconfined": "may tests run without a sandbox?",
    "spend": "may it start?",
}


def aloud(ask: ConsentAsker, say: Callable[[str], None]) -> ConsentAsker:
    """Return what asks as `ask` does, and says first that the job waits, and for what.

    An editor's question goes by unseen, and the job would seem to hang.
    """

    async def asking(question: ConsentQuestion) -> bool:
        say(f"{_ABOUT[question.kind]} {WAITS}")
        return await ask(question)

    return asking


async def may_run_unconfined(
    consent: ConsentStore, start: JobStart, loaded: LoadedSettings, ask: ConsentAsker
) -> bool:
    """Whether tests may run where nothing confines them; a yes is kept for the folder."""
    if not start.trusted and not start.options.check_given:
        return False
    if (await detect()).enforced or loaded.settings.execution.sandbox == "required":
        return False
    workspace = Path(start.workspace)
    if await consent.may_run_unsandboxed(workspace):
        return True
    question = ConsentQuestion(
        workspace=str(workspace),
        kind="unconfined",
        text=(
            "Nothing on this system can confine code that a model wrote. "
            f"Run tests and model-written code in {workspace} all the same?"
        ),
    )
    if not await ask(question):
        return False
    await consent.allow_unsandboxed(workspace)
    return True
