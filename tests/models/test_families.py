"""Lineages, sizes, and the table of providers."""

import datetime

import pytest

from ensemble_lsp.models.families import AS_OF, PROVIDERS, Provider, billions_of, family_of
from ensemble_lsp.models.pricing import facts_of

SEATED = [provider for provider in PROVIDERS if provider.seats]
SOON = datetime.timedelta(days=60)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("openai/gpt-6-luna", "gpt"),
        ("openai/o4-mini", "gpt"),
        ("groq/openai/gpt-oss-120b", "gpt"),
        ("azure/my-gpt-deployment", "gpt"),
        ("anthropic/claude-sonnet-5-5", "claude"),
        ("bedrock/us.anthropic.claude-haiku-5-5", "claude"),
        ("gemini/gemini-3.8-flash", "gemini"),
        ("gemini/gemma-4-31b-it", "gemma"),
        ("mistral/codestral-latest", "mistral"),
        ("mistralai/Devstral-Small-2507", "mistral"),
        ("deepseek/deepseek-v4-flash", "deepseek"),
        ("deepseek-r1-distill-qwen-7b", "deepseek"),
        ("xai/grok-4.7", "grok"),
        ("qwen2.5-coder:7b", "qwen"),
        ("ollama_chat/qwq", "qwen"),
        ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen"),
        ("Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf", "llama"),
        ("codellama:13b", "llama"),
        ("phi4-mini", "phi"),
        ("SmolLM2-135M-Instruct", "smollm"),
        ("starcoder2:3b", "starcoder"),
        ("granite3.3:8b", "granite"),
        ("command-r7b", "command"),
        ("together_ai/zai-org/GLM-5.3-Flash", "glm"),
        ("together_ai/moonshotai/Kimi-K3.1-Pro", "kimi"),
        ("anthropic/some-name", "some"),
        ("12345", "unknown"),
    ],
)
def test_the_lineage_of_a_model(model: str, family: str) -> None:
    assert family_of(model) == family


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("qwen2.5-coder:7b", 7.0),
        ("qwen2.5-coder-1.5b-instruct", 1.5),
        ("SmolLM2-135M-Instruct", 0.135),
        ("mixtral-8x7b", 56.0),
        ("3.2B", 3.2),
        ("gpt-6-luna", None),
        ("phi4", None),
    ],
)
def test_the_size_that_a_name_states(name: str, billions: float | None) -> None:
    assert billions_of(name) == (None if billions is None else pytest.approx(billions))


@pytest.mark.parametrize("provider", SEATED, ids=lambda provider: provider.recipient)
def test_every_model_of_the_table_is_known_to_litellm_and_stays_a_while(provider: Provider) -> None:
    for model in {*provider.seats, provider.strong}:
        facts = facts_of(model)
        assert facts is not None, model
        assert facts.price_in is not None, model
        assert facts.price_out is not None, model
        retires = datetime.date.fromisoformat(facts.retires or "9999-12-31")
        assert retires > datetime.date.fromisoformat(AS_OF) + SOON, model


@pytest.mark.parametrize("provider", SEATED, ids=lambda provider: provider.recipient)
def test_the_draft_is_no_dearer_than_the_anchor_and_the_strong_no_cheaper(provider: Provider) -> None:
    if provider.others:
        return  # several lineages under one key: the roles follow the lineages
    prices = [
        facts.price_out
        for model in (provider.draft, provider.anchor, provider.strong)
        if (facts := facts_of(model))
    ]
    assert prices == sorted(prices, key=lambda price: price or 0)
