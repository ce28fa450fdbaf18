"""The scripted members that other tests rely on."""

import asyncio

import pytest

from ensemble_lsp.core.errors import BudgetExceeded, ModelTimeout, ModelUnavailable
from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.scripted import Says, ScriptedModels
from tests.models.calling import KeptReplies, purse_with, question

MEMBER = Member(id="m", model="scripted/m", family="test", price_in=1.0, price_out=2.0)


async def test_turns_are_said_in_order_and_the_last_one_repeats() -> None:
    models, purse = ScriptedModels({"m": ["one", "two"]}), purse_with()
    texts = [(await models.complete(question(MEMBER), purse)).text for _ in range(3)]
    assert texts == ["one", "two", "two"]


async def test_a_function_answers_from_the_request() -> None:
    models = ScriptedModels({"*": lambda request: request.messages[-1].content.upper()})
    assert (await models.complete(question(MEMBER, "hi"), purse_with())).text == "HI"


async def test_an_answer_streams_in_pieces() -> None:
    deltas: list[str] = []
    models = ScriptedModels({"m": [Says("abcdefg", pieces=3)]})
    await models.complete(question(MEMBER), purse_with(), deltas.append)
    assert deltas == ["abc", "def", "g"]


async def test_calls_are_reserved_and_settled_at_the_members_prices() -> None:
    models, purse = ScriptedModels({"m": [Says("x", tokens_out=50)]}), purse_with()
    reply = await models.complete(question(MEMBER), purse)
    assert reply.spend == purse.budget.spent
    assert reply.spend.usd == pytest.approx((reply.spend.tokens_in + 50 * 2) / 1e6)


async def test_past_the_budget_nobody_is_asked() -> None:
    models = ScriptedModels({"m": ["x"]})
    with pytest.raises(BudgetExceeded):
        await models.complete(question(MEMBER), purse_with(calls=0))
    assert models.requests == []


async def test_an_error_is_raised_and_costs_nothing() -> None:
    models, purse = ScriptedModels({"m": [ModelUnavailable("down"), "up"]}), purse_with()
    with pytest.raises(ModelUnavailable):
        await models.complete(question(MEMBER), purse)
    assert purse.budget.spent.calls == 0
    assert (await models.complete(question(MEMBER), purse)).text == "up"


async def test_a_cancelled_call_is_settled_at_its_reservation() -> None:
    models, purse = ScriptedModels({"m": [Says("x", hang=True)]}), purse_with()
    call = asyncio.create_task(models.complete(question(MEMBER), purse))
    await models.wait_for_requests(1)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert models.cancelled == ["m"]
    assert purse.budget.spent.usd == pytest.approx(models.worst_case_usd(question(MEMBER)))
    assert purse.budget.held_usd == 0


async def test_a_hanging_call_ends_when_its_time_is_up() -> None:
    models, purse = ScriptedModels({"m": [Says("x", hang=True)]}), purse_with()
    with pytest.raises(ModelTimeout):
        await models.complete(question(MEMBER, timeout=0.01), purse)
    assert purse.budget.held_usd == 0


async def test_kept_answers_are_not_asked_for_again() -> None:
    models, purse = ScriptedModels({"m": ["x"]}, cache=KeptReplies()), purse_with()
    await models.complete(question(MEMBER), purse)
    again = await models.complete(question(MEMBER), purse)
    assert again.cached
    assert len(models.requests) == 1
