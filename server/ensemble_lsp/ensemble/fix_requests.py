"""Calls to the voices of a fix: the sentinel, the form, the bounds in tokens and time."""

import random

from ensemble_lsp.core.panel import EditFormat, Member
from ensemble_lsp.core.replies import new_sentinel
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.blind import Voice
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.fix_voices import temperature_of
from ensemble_lsp.ensemble.ports import Deliberation, ModelRequest
from ensemble_lsp.ensemble.prompts.fixing import draft_task
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import conversation
from ensemble_lsp.ensemble.speaking import seconds_left
from ensemble_lsp.ensemble.undertaking import Asked

LOCAL_CALL_SECONDS = 600.0
REMOTE_CALL_SECONDS = 120.0
"""How long one call may take where the job has no deadline; a CPU writes some ten tokens a second."""


def sentinel_for(deliberation: Deliberation, quoting: Quoting) -> str:
    """Return the sentinel that fences this job's blocks: it occurs in nothing that is shown or edited.

    Drawn from a hash of what is shown: not to be foreseen by who writes into the repository, and the same
    when the same question is asked again, so that an earlier job's answers can be read and the cache hits.
    """
    source = random.Random(quoting.salt)  # noqa: S311 - nothing secret: it has to be absent from the text
    dossier = deliberation.dossier
    shown = [*(file.text for file in dossier.files.values()), *(item.text for item in dossier.related)]
    sentinel = new_sentinel(source)
    # 32 draws of six characters: that all occur in a text of any size is beyond chance.
    for _ in range(32):
        if not any(sentinel in text for text in shown):
            break
        sentinel = new_sentinel(source)
    return sentinel


def draft_request(case: Case, voice: Voice, purpose: str) -> ModelRequest:
    """Return the blind question to a voice."""
    deliberation = case.deliberation
    # What fails before a refactoring is not its business, and would be taken for the task.
    executed = () if case.undertaking.keeps_behaviour else case.baseline.executed
    failing = [item for item in executed if item.outcome.value in {"failed", "timedOut"}]
    task = draft_task(
        case.undertaking.wording,
        deliberation.task,
        deliberation.dossier,
        case.sitting.quoting,
        failing=failing,
        form=form_for(case, voice),
        compact=voice.member.edit_format is EditFormat.WHOLE,
    )
    return request_for(case, voice, task, purpose)


def request_for(case: Case, voice: Voice, task: str, purpose: str) -> ModelRequest:
    """Return a call to a voice: shared prefix, task last, bounded in tokens and time."""
    member = voice.member
    deliberation = case.deliberation
    shown = (case.region.first, case.region.last)
    return ModelRequest(
        member=member,
        messages=conversation(deliberation.dossier, case.sitting.quoting, member, task, lines=shown),
        purpose=purpose,
        max_tokens=_max_tokens(case, member),
        temperature=temperature_of(voice),
        timeout=call_seconds(deliberation, member),
        nonce=voice.sample,
    )


def form_for(case: Case, voice: Voice) -> str:
    """Return how this voice is to write its change."""
    return case.undertaking.ask(
        Asked(
            wording=case.undertaking.wording,
            edit_format=voice.member.edit_format,
            style=voice.style,
            sentinel=case.sentinel,
            region=case.region,
            source=case.files[case.region.path],
            quoting=case.sitting.quoting,
        )
    )


def call_seconds(deliberation: Deliberation, member: Member) -> float:
    """Return how long one call may take."""
    longest = LOCAL_CALL_SECONDS if member.local else REMOTE_CALL_SECONDS
    left = seconds_left(deliberation)
    return longest if left is None else max(1.0, min(longest, left))


def _max_tokens(case: Case, member: Member) -> int:
    if not member.local or member.edit_format is not EditFormat.WHOLE:
        return member.max_output_tokens
    # A small model that has lost the thread repeats itself to the limit: the code, and room for a sentence.
    region = split_lines(case.files[case.region.path].text)[case.region.first : case.region.last + 1]
    size = case.deliberation.models.count_tokens(member, "".join(region))
    return min(member.max_output_tokens, size * 14 // 10 + 200)
