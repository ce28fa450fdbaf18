"""What was said in a job, put together again from its events."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ensemble_lsp.core.events import (
    JobEvent,
    MemberDelta,
    MemberFinished,
    MemberStarted,
)
from ensemble_lsp.core.kept_events import read_event
from ensemble_lsp.core.results import DraftRecord


@dataclass(slots=True)
class Answer:
    """What one member said when it was asked once, word for word."""

    member: str
    family: str
    purpose: str
    text: str = ""
    ended: str = "not finished"
    """"" for an answer that is complete."""


def answers_of(events: Sequence[Mapping[str, object]], drafts: Sequence[DraftRecord]) -> list[Answer]:
    """Return all answers in the order in which they were asked for, with drafts that no event shows."""
    answers: list[Answer] = []
    open_: dict[str, Answer] = {}
    for event in map(read_event, events):
        match event.body if event is not None else None:
            case MemberStarted() as body:
                open_[body.member] = Answer(body.member, body.family, body.purpose)
                answers.append(open_[body.member])
            case MemberDelta() as body if body.member in open_:
                open_[body.member].text += body.text
            case MemberFinished() as body if body.member in open_:
                answer = open_.pop(body.member)
                answer.ended = "cancelled" if body.cancelled else body.error or ""
            case _:
                pass
    said = {(answer.member, answer.text.strip()) for answer in answers}
    for draft in drafts:
        if (draft.member, draft.text.strip()) not in said:
            silent = next(
                (item for item in answers if item.member == draft.member and not item.text.strip()), None
            )
            if silent is not None:
                silent.text = draft.text
            else:
                answers.append(Answer(draft.member, draft.family, "draft", draft.text, ""))
    return answers


@dataclass(slots=True)
class Follower:
    """Tells what is new each time a growing transcript is read.

    The store joins what a member streams into one event, which keeps its number and grows.
    """

    _seen: dict[int, int] = field(default_factory=dict[int, int])
    """Number of an event → characters of its text that were told."""

    def news(self, events: Sequence[Mapping[str, object]]) -> Iterator[JobEvent]:
        """Yield the events, and the pieces of text, that were not there before."""
        for event in map(read_event, events):
            if event is None:
                continue
            known = self._seen.get(event.seq)
            body = event.body
            length = len(body.text) if isinstance(body, MemberDelta) else 0
            self._seen[event.seq] = length
            if known is None:
                yield event
            elif isinstance(body, MemberDelta) and length > known:
                piece = body.model_copy(update={"text": body.text[known:]})
                yield event.model_copy(update={"body": piece})
