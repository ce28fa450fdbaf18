"""What the tests of the model layer share: a member of a fake server, a request, a gateway without waits."""

import random
from collections.abc import Mapping

from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import Message, ModelReply, ModelRequest, ReplyCache
from ensemble_lsp.models.gateway import Gateway
from tests.support.fake_model_server import FakeModelServer
from tests.support.scripted_members import JobPurse

PRICE_IN = 1.0
PRICE_OUT = 2.0
APIS = ("openai", "litellm", "ollama")
"""A server of OpenAI's API called directly, the same through litellm, and Ollama."""
OPENAI_APIS = ("openai", "litellm")


class Pauses:
    """Stands for sleeping: notes how long the gateway would have waited, and moves its clock."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.now = 0.0

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.now += seconds

    def clock(self) -> float:
        return self.now


class KeptReplies:
    """A reply cache in memory."""

    def __init__(self) -> None:
        self.replies: dict[str, ModelReply] = {}

    async def get(self, key: str) -> ModelReply | None:
        return self.replies.get(key)

    async def put(self, key: str, reply: ModelReply) -> None:
        self.replies[key] = reply


def member_of(server: FakeModelServer, name: str, api: str = "openai", **changes: object) -> Member:
    """Return a hosted-looking member that answers at the fake server."""
    # A prefix that only litellm knows: it calls any server of OpenAI's API by it.
    prefix = {"openai": "openai", "litellm": "litellm_proxy", "ollama": "ollama_chat"}[api]
    member = Member(
        id=name,
        model=f"{prefix}/{name}",
        family="test",
        api_base=server.base_url if api == "ollama" else server.openai_base,
        price_in=PRICE_IN,
        price_out=PRICE_OUT,
        recipient="test",
    )
    return member.model_copy(update=changes)


def question(member: Member, text: str = "what is wrong here?", **changes: object) -> ModelRequest:
    """Return a small request."""
    request = ModelRequest(
        member=member,
        messages=(Message(role="user", content=text),),
        purpose="draft",
        max_tokens=100,
        timeout=20,
    )
    return request.model_copy(update=changes)


def purse_with(**limits: float) -> JobPurse:
    """Return the purse of a job with these caps."""
    return JobPurse(Budget(Limits.model_validate(limits)))


def gateway_with(
    pauses: Pauses | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    cache: ReplyCache | None = None,
) -> Gateway:
    """Return a gateway whose pauses take no time."""
    pauses = pauses or Pauses()
    return Gateway(
        environment or {},
        cache=cache,
        sleep=pauses.sleep,
        clock=pauses.clock,
        randomness=random.Random(1),  # noqa: S311
    )
