"""What calls cost, and what litellm's bundled table knows of a model.

All prices are US dollars per million tokens. The table is read from the file that litellm ships, without
importing litellm, which would take seconds; `ensemble-lsp panel` shows prices before anything is spent.
"""

import functools
import importlib.util
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.calls import Usage

ASSUMED_PRICE_IN = 5.0
ASSUMED_PRICE_OUT = 25.0
"""Counted for a paid model whose price nobody knows, so that caps still hold: the level of the dear
flagship models in litellm's table of November 2026."""

_TABLE = "model_prices_and_context_window_backup.json"
_TIER = re.compile(r"(?:in|out)put_cost_per_token_above_(\d+)k_tokens")
_MILLION = 1_000_000


class ModelFacts(Frozen):
    """What the table says of one model. Prices per million tokens; None where it says nothing."""

    provider: str = ""
    """litellm's name of the provider."""
    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None
    price_cache_write: float | None = None
    tier_tokens: int | None = None
    """Prompts longer than this are priced by `tier_in` and `tier_out`."""
    tier_in: float | None = None
    tier_out: float | None = None
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    structured: bool = False
    reasoning: bool = False
    retires: str = ""
    """ISO date from which the provider no longer serves it; empty when none is announced."""


@functools.lru_cache(maxsize=512)
def facts_of(model: str) -> ModelFacts | None:
    """Return what litellm's table says of a litellm model string, or None when it does not know it."""
    table = _table()
    entry = table.get(model)
    if entry is None:
        provider, _, name = model.partition("/")
        entry = table.get(name)
        if entry is None or entry.get("litellm_provider") not in _PROVIDERS.get(provider, {provider}):
            return None
    tier = next((int(match[1]) for key in entry if (match := _TIER.fullmatch(key))), None)
    context = _whole(entry.get("max_input_tokens")) or _whole(entry.get("max_tokens"))
    return ModelFacts(
        provider=str(entry.get("litellm_provider") or ""),
        price_in=_price(entry, "input_cost_per_token"),
        price_out=_price(entry, "output_cost_per_token"),
        price_cached=_price(entry, "cache_read_input_token_cost"),
        price_cache_write=_price(entry, "cache_creation_input_token_cost"),
        tier_tokens=None if tier is None else tier * 1000,
        tier_in=_price(entry, f"input_cost_per_token_above_{tier}k_tokens"),
        tier_out=_price(entry, f"output_cost_per_token_above_{tier}k_tokens"),
        context_tokens=context,
        max_output_tokens=_whole(entry.get("max_output_tokens")),
        structured=entry.get("supports_response_schema") is True,
        reasoning=entry.get("supports_reasoning") is True,
        retires=str(entry.get("deprecation_date") or ""),
    )


def cost(member: Member, usage: Usage) -> float:
    """Return what `usage` costs in USD: prices of the member, else of the table; 0 for local members."""
    facts = _charged(member, usage.prompt)
    price_in, price_out = facts.price_in or 0.0, facts.price_out or 0.0
    cached = price_in if facts.price_cached is None else facts.price_cached
    written = price_in if facts.price_cache_write is None else facts.price_cache_write
    plain = max(0, usage.prompt - usage.cached - usage.cache_writes)
    total = plain * price_in + usage.cached * cached + usage.cache_writes * written
    return (total + usage.completion * price_out) / _MILLION


def worst_case(member: Member, prompt_tokens: int, max_tokens: int) -> float:
    """Return what a call may cost at most in USD; a prompt that is written to a cache can cost more."""
    facts = _charged(member, prompt_tokens)
    price_in = max(facts.price_in or 0.0, facts.price_cache_write or 0.0)
    return (prompt_tokens * price_in + max_tokens * (facts.price_out or 0.0)) / _MILLION


def spend_of(member: Member, usage: Usage) -> Spend:
    """Return one sent call's spend."""
    return Spend(calls=1, tokens_in=usage.prompt, tokens_out=usage.completion, usd=cost(member, usage))


def _charged(member: Member, prompt_tokens: int) -> ModelFacts:
    """Return the prices that apply to the member; its own stand above the table's."""
    if member.price_in is not None and member.price_out is not None:
        known = facts_of(member.model)
        if known is None or (known.price_in, known.price_out) != (member.price_in, member.price_out):
            return ModelFacts(price_in=member.price_in, price_out=member.price_out)
    elif member.local or member.model.startswith(("embedded/", "scripted/")):
        return ModelFacts(price_in=member.price_in or 0.0, price_out=member.price_out or 0.0)
    facts = facts_of(member.model)
    if facts is None or facts.price_in is None or facts.price_out is None:
        return ModelFacts(
            price_in=ASSUMED_PRICE_IN if member.price_in is None else member.price_in,
            price_out=ASSUMED_PRICE_OUT if member.price_out is None else member.price_out,
        )
    if facts.tier_tokens is not None and prompt_tokens > facts.tier_tokens:
        return facts.model_copy(
            update={
                "price_in": facts.tier_in or facts.price_in,
                "price_out": facts.tier_out or facts.price_out,
                "price_cached": None,
                "price_cache_write": None,
            }
        )
    return facts


# litellm's name of the provider where its table uses another one than the model string does.
_PROVIDERS: Mapping[str, frozenset[str]] = {
    "bedrock": frozenset({"bedrock", "bedrock_converse"}),
    "cohere": frozenset({"cohere", "cohere_chat"}),
    "vertex_ai": frozenset({"vertex_ai", "vertex_ai-language-models", "vertex_ai-anthropic_models"}),
}


@functools.cache
def _table() -> Mapping[str, Mapping[str, object]]:
    spec = importlib.util.find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).with_name(_TABLE)
    if not path.is_file():
        return {}
    return cast("Mapping[str, Mapping[str, object]]", json.loads(path.read_text(encoding="utf-8")))


def _price(entry: Mapping[str, object], key: str) -> float | None:
    value = entry.get(key)
    return round(value * _MILLION, 6) if isinstance(value, int | float) else None


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None
