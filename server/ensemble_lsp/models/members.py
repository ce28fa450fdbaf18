"""From a model's name to a member: where it answers, who receives what is sent, what it costs."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from ensemble_lsp.core.panel import EditFormat, Member
from ensemble_lsp.models.families import PROVIDERS, billions_of, family_of, provider_of
from ensemble_lsp.models.local_servers import (
    OLLAMA_CONTEXT,
    OTHER_CONTEXT,
    LocalModel,
    is_loopback,
    ollama_base,
    openai_base,
)
from ensemble_lsp.models.ollama_calls import PREFIXES
from ensemble_lsp.models.pricing import facts_of
from ensemble_lsp.settings import EmbeddedTable, MemberTable

HOSTED_OUTPUT = 8_192
"""Output tokens per call of a hosted model: room for a long change and some thinking."""
HOSTED_CONTEXT = 32_768
"""Of a hosted model that litellm's table does not know: what all current ones have."""
LOCAL_OUTPUT = 4_096
EMBEDDED_OUTPUT = 1_024
"""A small model on a CPU writes about 11 tokens a second."""
EMBEDDED_CONTEXT = 8_192
WHOLE_BELOW = 14.0
"""Billions of parameters below which a local model writes whole functions: search blocks fail it too often."""
EMBEDDED_TEMPERATURES = (0.0, 0.7, 0.8, 0.9)
"""Of the embedded model's members: the first greedy, the others for variety."""


def hosted_or_named(
    model: str, environment: Mapping[str, str], *, table: MemberTable | None = None, why: str = ""
) -> Member:
    """Return the member for a litellm model string; what `table` says stands above what is known."""
    table = table or MemberTable(model=model)
    api_base, base_is_given = _base(model, environment, table)
    cloud = model.endswith(("-cloud", ":cloud"))
    embedded = model.startswith(("embedded/", "scripted/"))
    local = embedded or (api_base is not None and is_loopback(api_base) and not cloud)
    facts = None if local else facts_of(model)
    context = (
        table.context_tokens or (facts.context_tokens if facts else None) or _context(model, local=local)
    )
    output = table.max_output_tokens or _output(
        facts.max_output_tokens if facts else None, context, embedded=embedded, local=local
    )
    known_in, known_out = (facts.price_in, facts.price_out) if facts else (None, None)
    free = 0.0 if local or (model.startswith(PREFIXES) and not cloud) else None
    return Member(
        id=table.id or short_name(model),
        model=model,
        family=table.family or family_of(model),
        api_base=api_base,
        api_key_env=table.api_key_env or _key_variable(model, environment, base_is_given=base_is_given),
        edit_format=EditFormat(table.edit_format) if table.edit_format else _edit_format(model, local=local),
        price_in=_first(table.price_in, known_in, free),
        price_out=_first(table.price_out, known_out, free),
        context_tokens=context,
        max_output_tokens=output,
        temperature=table.temperature,
        local=local,
        recipient=""
        if local
        else _recipient(model, None if base_is_given is None else api_base, cloud=cloud),
        structured=local or bool(facts and facts.structured),
        why=why,
    )


def from_local_server(found: LocalModel, environment: Mapping[str, str]) -> Member:
    """Return the member for a model that a local server offers."""
    prefix = "ollama_chat/" if found.kind == "ollama" else "openai/"
    needs_key = found.server == "OPENAI_API_BASE" and bool(environment.get("OPENAI_API_KEY", "").strip())
    whole = found.billions is None or found.billions < WHOLE_BELOW
    return Member(
        id=short_name(found.name),
        model=f"{prefix}{found.name}",
        family=family_of(found.name),
        api_base=found.base,
        api_key_env="OPENAI_API_KEY" if needs_key else None,
        edit_format=EditFormat.WHOLE if whole else EditFormat.SEARCH_REPLACE,
        price_in=0.0,
        price_out=0.0,
        context_tokens=found.context_tokens,
        max_output_tokens=_output(None, found.context_tokens, embedded=False, local=True),
        local=True,
        why=f"{found.server} on this machine",
    )


def embedded_members(table: EmbeddedTable, name: str, why: str) -> tuple[Member, ...]:
    """Return the members that the embedded model seats: one model, differently asked."""
    own = table.path is not None and name == table.model
    family = family_of(table.path.stem if own and table.path else name)
    return tuple(
        Member(
            id=name if number == 0 else f"{name}-{number + 1}",
            model=f"embedded/{name}",
            family=family,
            edit_format=EditFormat.WHOLE,
            price_in=0.0,
            price_out=0.0,
            context_tokens=EMBEDDED_CONTEXT,
            max_output_tokens=EMBEDDED_OUTPUT,
            temperature=EMBEDDED_TEMPERATURES[number % len(EMBEDDED_TEMPERATURES)],
            style=number,
            local=True,
            why=why,
        )
        for number in range(table.members)
    )


def short_name(model: str) -> str:
    """Return the last part of a model's name: what people call it."""
    return model.rstrip("/").rsplit("/", maxsplit=1)[-1] or model


def key_is_there(member: Member, environment: Mapping[str, str]) -> bool:
    """Whether the member has the key it needs; local ones need none."""
    return member.local or member.api_key_env is None or bool(environment.get(member.api_key_env, "").strip())


def _base(model: str, environment: Mapping[str, str], table: MemberTable) -> tuple[str | None, bool | None]:
    """Return the API base, and whether a settings table gave it (None: it is the provider's own)."""
    if table.api_base:
        return table.api_base.rstrip("/"), True
    if model.startswith(PREFIXES):
        return ollama_base(environment), False
    if model.startswith("openai/"):
        base = openai_base(environment)
    else:
        prefix = model.partition("/")[0].upper()
        # litellm sends to the host that these name: the person must see it as the recipient.
        names = (f"{prefix}_API_BASE", f"{prefix}_BASE_URL")
        base = next((value for name in names if (value := environment.get(name, "").strip())), None)
    return (base.rstrip("/"), False) if base else (None, None)


def _key_variable(model: str, environment: Mapping[str, str], *, base_is_given: bool | None) -> str | None:
    """Return the variable that holds the key.

    A base URL from a settings table gets no key that the table does not name: a provider's key must not go
    to whatever host a file says.
    """
    if base_is_given or model.startswith((*PREFIXES, "embedded/", "scripted/")):
        return None
    provider = provider_of(model)
    if provider is None:
        guess = f"{model.partition('/')[0].upper()}_API_KEY"
        return guess if environment.get(guess) else None
    present = next((name for name in provider.variables if environment.get(name, "").strip()), None)
    return present or (None if provider.key_optional else provider.variables[0])


def _recipient(model: str, api_base: str | None, *, cloud: bool) -> str:
    if cloud:
        return "ollama.com"
    if api_base is not None:
        return urlsplit(api_base).hostname or api_base
    provider = provider_of(model)
    return provider.recipient if provider else model.partition("/")[0]


def _context(model: str, *, local: bool) -> int:
    """Return the context window to count on where nobody says."""
    if model.startswith(("embedded/", "scripted/")):
        return EMBEDDED_CONTEXT
    if model.startswith(PREFIXES):
        return OLLAMA_CONTEXT
    return OTHER_CONTEXT if local else HOSTED_CONTEXT


def _output(known: int | None, context: int, *, embedded: bool, local: bool) -> int:
    usual = EMBEDDED_OUTPUT if embedded else LOCAL_OUTPUT if local else HOSTED_OUTPUT
    return max(64, min(usual, known or usual, context // 2))


def _edit_format(model: str, *, local: bool) -> EditFormat:
    size = billions_of(model)
    if local and (size is None or size < WHOLE_BELOW):
        return EditFormat.WHOLE
    return EditFormat.SEARCH_REPLACE


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)


def known_prefixes() -> frozenset[str]:
    """Return the first parts of model strings that name a way of calling a model."""
    return frozenset({provider.prefix for provider in PROVIDERS} | {"ollama", "ollama_chat", "embedded"})
