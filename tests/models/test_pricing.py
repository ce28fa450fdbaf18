"""What calls cost."""

import pytest

from ensemble_lsp.core.panel import Member
from ensemble_lsp.models import pricing
from ensemble_lsp.models.calls import Usage
from ensemble_lsp.models.families import PROVIDERS
from ensemble_lsp.models.pricing import ModelFacts, facts_of

OWN = Member(id="m", model="openai/nobody-knows", family="x", price_in=3.0, price_out=15.0)
MODELS = [model for provider in PROVIDERS for model in {*provider.seats, provider.strong} if model]


def _table_priced(model: str) -> tuple[Member, ModelFacts]:
    facts = facts_of(model)
    assert facts is not None
    return Member(id="m", model=model, family="x", price_in=facts.price_in, price_out=facts.price_out), facts


def test_prices_are_dollars_per_million_tokens() -> None:
    assert pricing.cost(OWN, Usage(prompt=1_000_000, completion=100_000)) == pytest.approx(4.5)


def test_local_members_cost_nothing() -> None:
    local = Member(id="m", model="ollama_chat/x", family="x", local=True)
    assert pricing.cost(local, Usage(10_000, 10_000)) == pricing.worst_case(local, 10_000, 10_000) == 0


def test_the_settings_price_stands_above_the_table() -> None:
    member = Member(id="m", model="openai/gpt-6-luna", family="gpt", price_in=100.0, price_out=100.0)
    assert pricing.cost(member, Usage(1_000_000, 0)) == pytest.approx(100.0)


def test_a_price_that_nobody_knows_is_assumed_high() -> None:
    unknown = Member(id="m", model="openai/nobody-knows", family="x")
    expected = pricing.ASSUMED_PRICE_IN + pricing.ASSUMED_PRICE_OUT
    assert pricing.cost(unknown, Usage(1_000_000, 1_000_000)) == pytest.approx(expected)


def test_tokens_from_a_cache_cost_what_the_table_says() -> None:
    member, facts = _table_priced("anthropic/claude-sonnet-5-5")
    assert facts.price_cached is not None
    used = Usage(prompt=100_000, completion=0, cached=100_000)
    assert pricing.cost(member, used) == pytest.approx(facts.price_cached / 10)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_worst_case_covers_every_way_of_counting(model: str) -> None:
    member, _ = _table_priced(model)
    for prompt in (1_000, 150_000, 250_000, 500_000):
        worst = pricing.worst_case(member, prompt, 4_000)
        for used in (
            Usage(prompt, 4_000),
            Usage(prompt, 4_000, cache_writes=prompt),
            Usage(prompt, 4_000, cached=prompt),
        ):
            assert pricing.cost(member, used) <= worst + 1e-12


def test_long_prompts_are_dearer_where_the_table_says_so() -> None:
    member, facts = _table_priced("openai/gpt-6.1-sol")
    assert facts.tier_tokens is not None
    below, above = (
        pricing.cost(member, Usage(tokens, 0)) / tokens for tokens in (1_000, facts.tier_tokens + 1)
    )
    assert above > below


def test_a_model_of_another_provider_is_not_mistaken_for_this_one() -> None:
    assert facts_of("openai/gpt-6-luna") is not None
    assert facts_of("openrouter/gpt-6-luna") is None
