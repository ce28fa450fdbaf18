"""The strong member's one call: it chooses among anonymous candidates, or writes its own."""

import re

from ensemble_lsp.core.events import Phase
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.drafting import consider
from ensemble_lsp.ensemble.fix_critics import assigned, exhibit, labels
from ensemble_lsp.ensemble.fix_requests import form_for, request_for
from ensemble_lsp.ensemble.prompts.attacking import MOST_SHOWN
from ensemble_lsp.ensemble.prompts.fixing import escalation_task
from ensemble_lsp.ensemble.speaking import Answer, Silence, ask, ask_together

STRONG_SAMPLE = 900
"""Keeps the strong member's voice apart from its own as a member, where it is one."""

_CHOICE = re.compile(r"^[\W_]*CHOOSE[\W_]*:?[\W_]*(?:candidate\s+)?([A-Z])\b", re.IGNORECASE | re.MULTILINE)
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)


async def escalate(case: Case) -> None:
    """Show the strong member the anonymous candidates and their logs; living ones first."""
    strong = case.deliberation.panel.strong
    if strong is None or not case.sitting.may_ask or not case.allow(1):
        return
    case.enter(Phase.ESCALATE, 1)
    voice = Voice(strong, strong.style, sample=STRONG_SAMPLE)
    case.voices[voice.id] = voice
    case.positions[voice.id] = None
    rejected = [entry for entry in case.entries.values() if case.rejection_of(entry)]
    labelled = labels(case, [*case.alive, *rejected][:MOST_SHOWN])
    task = escalation_task(
        case.undertaking.wording,
        assigned(case),
        [exhibit(case, label, entry) for label, entry in labelled.items()],
        case.sitting.quoting,
        form_for(case, voice),
    )

    async def one() -> Answer[str] | Silence:
        outcome = await ask(case.deliberation, request_for(case, voice, task, "escalate"))
        if isinstance(outcome, Answer):
            choice = _CHOICE.search(_THINKING.sub("", outcome.value))
            chosen = labelled.get(choice.group(1).upper()) if choice is not None else None
            if chosen is None:
                await consider(case, voice, outcome.value, outcome.reply)
            else:
                case.answers[voice.id] = outcome.value
                case.positions[voice.id] = chosen.id
                chosen.voices[voice.id] = voice
                case.rejudge()
        return outcome

    case.sitting.hear(await ask_together(case.deliberation, [(strong, one())]))
