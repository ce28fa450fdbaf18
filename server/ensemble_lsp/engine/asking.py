"""What a job says while a person is asked: an editor's question goes by unseen, and the job would seem to hang."""

from collections.abc import Callable

from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.messages import WAITS, ConsentQuestion

_ABOUT = {
    "send": "may code be sent?",
    "download": "may the model be downloaded?",
    "unconfined": "may tests run without a sandbox?",
    "spend": "may it start?",
}


def aloud(ask: ConsentAsker, say: Callable[[str], None]) -> ConsentAsker:
    """Return what asks as `ask` does, and says first that the job waits, and for what."""

    async def asking(question: ConsentQuestion) -> bool:
        say(f"{_ABOUT[question.kind]} {WAITS}")
        return await ask(question)

    return asking
