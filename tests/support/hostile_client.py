"""A client that sends what nobody should, answers what nobody asked, and counts what comes back."""

import asyncio
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from lsprotocol import types

from ensemble_lsp.lsp.messages import MESSAGES
from tests.support.fake_editor import PATIENCE, FakeEditor, Json, ServerError
from tests.support.hostile_messages import LSP, Hostile, Hostility

INTERNAL_ERROR = -32603

TOGETHER = 100
"""Messages on the wire before the first answer is waited for."""


@dataclass(slots=True)
class Tally:
    """What a flood brought. `faults` are answers that mean a fault of the server's, with what was sent."""

    requests: int = 0
    notifications: int = 0
    answered: Counter[str] = field(default_factory=Counter[str])
    """"result", or an error's code."""
    faults: list[tuple[Hostile, str]] = field(default_factory=list[tuple[Hostile, str]])
    methods: set[str] = field(default_factory=set[str])


def asked_of_clients() -> Iterator[str]:
    """Return every request that a server can send."""
    for method, (_, answer, _, _) in LSP.items():
        if types.message_direction(method) == "serverToClient" and answer is not None:
            yield method
    for method, message in MESSAGES.items():
        if message.direction == "server → client" and message.result is not None:
            yield method


def answer_badly(window: FakeEditor, hostility: Hostility, seed: int) -> None:
    """From now on, answer half of the server's requests with something that is no answer."""
    draw = random.Random(seed)  # noqa: S311  (not for secrets)
    usual = dict(window.answers)

    def answer(method: str, params: Json) -> object:
        if method in usual and draw.random() < 0.5:
            return usual[method](params)
        return hostility.junk()

    for method in asked_of_clients():
        window.answers[method] = lambda params, method=method: answer(method, params)


async def flood(window: FakeEditor, hostility: Hostility, count: int) -> Tally:
    """Send `count` requests and the notifications between them, many at a time; jobs that start are cancelled.

    Ends when every request was answered.
    """
    tally = Tally()
    messages = hostility.messages()
    while tally.requests < count:
        batch = list(islice(messages, TOGETHER))
        waiting: list[tuple[Hostile, asyncio.Future[Any]]] = []
        for message in batch:
            tally.methods.add(message.method)
            if message.is_request:
                waiting.append((message, window.send_request(message.method, message.params)[1]))
            else:
                window.notify(message.method, message.params)
                tally.notifications += 1
        tally.requests += len(waiting)
        async with asyncio.timeout(PATIENCE):
            for message, answer in waiting:
                await _tallied(tally, window, message, answer)
        window.inbox.clear()
    return tally


async def _tallied(tally: Tally, window: FakeEditor, message: Hostile, answer: asyncio.Future[Any]) -> None:
    try:
        result = await answer
    except ServerError as refusal:
        tally.answered[str(refusal.code)] += 1
        if refusal.code == INTERNAL_ERROR:
            tally.faults.append((message, str(refusal)))
        return
    tally.answered["result"] += 1
    job = cast("Json", result).get("job") if isinstance(result, dict) else None
    if message.method == types.WORKSPACE_EXECUTE_COMMAND and isinstance(job, str):
        with suppress(ServerError):  # it ended by itself
            await window.command("ensemble.cancel", {"job": job})
