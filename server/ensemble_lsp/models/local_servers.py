"""Model servers on this machine: who answers on loopback, and with which chat models."""

import asyncio
import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import urlsplit

from ensemble_lsp.models.families import billions_of
from ensemble_lsp.models.http_library import httpx
from ensemble_lsp.models.ollama_calls import DEFAULT_BASE

CONNECT_SECONDS = 0.5
ANSWER_SECONDS = 2.0
"""A server on loopback lists its models in milliseconds; one that is busy loading may take longer."""
OLLAMA_CONTEXT = 16_384
"""Tokens of context asked of Ollama: enough for our prompts, and memory that a common machine has."""
OTHER_CONTEXT = 8_192
"""Assumed where a server does not say how much it was started with."""
SERVERS_VARIABLE = "ENSEMBLE_LOCAL_SERVERS"
"""OpenAI-compatible base URLs to look at instead of the usual ports, separated by commas; empty: none."""

_MOST_MODELS = 24
"""Installed models that are asked about, at most."""
_NOT_CHAT = re.compile(
    r"embed|rerank|bge-|minilm|whisper|tts|clip|stable-diffusion|reward|guard", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Probe:
    """One place to look. `expected`: the person named it, so its silence is worth a note."""

    name: str
    kind: Literal["ollama", "openai"]
    base: str
    expected: bool = False


@dataclass(frozen=True, slots=True)
class LocalModel:
    """One chat model that a local server offers. `billions` of parameters, None where nobody says."""

    server: str
    kind: Literal["ollama", "openai"]
    base: str
    name: str
    context_tokens: int
    billions: float | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What the probes found, and what a person should know of it."""

    models: tuple[LocalModel, ...] = ()
    notes: tuple[str, ...] = ()


def is_loopback(url: str) -> bool:
    """Whether a base URL points at this machine."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def openai_base(environment: Mapping[str, str]) -> str | None:
    """Return the base URL that the environment gives OpenAI's clients."""
    for variable in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        if value := environment.get(variable, "").strip():
            return value.rstrip("/")
    return None


def ollama_base(environment: Mapping[str, str]) -> str:
    """Return where Ollama listens: OLLAMA_HOST in any form that Ollama takes, else its usual port."""
    host = (environment.get("OLLAMA_API_BASE") or environment.get("OLLAMA_HOST") or "").strip().rstrip("/")
    if not host:
        return DEFAULT_BASE
    parts = urlsplit(host if "//" in host else f"http://{host}")
    # 0.0.0.0 is what a server listens on; a client reaches it at loopback.
    name = "127.0.0.1" if parts.hostname in {None, "0.0.0.0", "::"} else parts.hostname  # noqa: S104
    shown = f"[{name}]" if name and ":" in name else name
    return f"{parts.scheme}://{shown}:{parts.port or 11434}"


def usual_probes(environment: Mapping[str, str]) -> tuple[Probe, ...]:
    """Return where to look on this machine; hosts beyond loopback are never looked at."""
    probes: list[Probe] = []
    ollama = ollama_base(environment)
    named = bool(environment.get("OLLAMA_HOST") or environment.get("OLLAMA_API_BASE"))
    listed = environment.get(SERVERS_VARIABLE)
    if is_loopback(ollama) and (named or listed is None):
        probes.append(Probe("Ollama", "ollama", ollama, expected=named))
    custom = openai_base(environment)
    if custom is not None and is_loopback(custom):
        probes.append(Probe("OPENAI_API_BASE", "openai", custom, expected=True))
    if listed is None:
        probes += [
            Probe("LM Studio", "openai", "http://127.0.0.1:1234/v1"),
            Probe("llama.cpp", "openai", "http://127.0.0.1:8080/v1"),
            Probe("vLLM", "openai", "http://127.0.0.1:8000/v1"),
        ]
    else:
        bases = [base.strip().rstrip("/") for base in listed.split(",")]
        probes += [
            Probe("local server", "openai", base, expected=True) for base in bases if is_loopback(base)
        ]
    unique = {probe.base: probe for probe in reversed(probes)}
    return tuple(probe for probe in probes if unique[probe.base] is probe)


async def find_local_models(probes: tuple[Probe, ...]) -> Found:
    """Ask all places at once; one that does not answer in `ANSWER_SECONDS` is taken as absent."""
    timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
    async with httpx.AsyncClient(timeout=timeout, trust_env=False) as client:
        found = await asyncio.gather(*(_probed(client, probe) for probe in probes))
    return Found(
        models=tuple(model for one in found for model in one.models),
        notes=tuple(note for one in found for note in one.notes),
    )


async def _probed(client: "httpx.AsyncClient", probe: Probe) -> Found:
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            models = await (_ollama(client, probe) if probe.kind == "ollama" else _openai(client, probe))
    except (httpx.HTTPError, ValueError, TimeoutError):
        return Found(notes=(f"{probe.name} at {probe.base} does not answer",) if probe.expected else ())
    if not models and probe.expected:
        return Found(notes=(f"{probe.name} at {probe.base} offers no chat model",))
    return Found(models=models)


async def _ollama(client: "httpx.AsyncClient", probe: Probe) -> tuple[LocalModel, ...]:
    listing = await _json(client, f"{probe.base}/api/tags")
    # A model with a remote host answers in Ollama's cloud: nothing of ours may take it for a local one.
    names = [
        str(entry.get("model") or entry.get("name") or "")
        for entry in _entries(listing.get("models"))
        if not entry.get("remote_host") and not entry.get("remote_model")
    ]
    local = [name for name in names if name and not name.endswith(("-cloud", ":cloud"))][:_MOST_MODELS]
    shown = await asyncio.gather(*(_ollama_model(client, probe, name) for name in local))
    return tuple(model for model in shown if model is not None)


async def _ollama_model(client: "httpx.AsyncClient", probe: Probe, name: str) -> LocalModel | None:
    try:
        response = await client.post(f"{probe.base}/api/show", json={"model": name})
        shown = _object(response.json() if response.is_success else None)
    except (httpx.HTTPError, ValueError):
        return None
    capabilities = shown.get("capabilities")
    if shown.get("remote_host") or shown.get("remote_model"):
        return None
    if isinstance(capabilities, list) and "completion" not in cast("list[object]", capabilities):
        return None
    if not isinstance(capabilities, list) and _NOT_CHAT.search(name):
        return None
    info = _object(shown.get("model_info"))
    lengths = [value for key, value in info.items() if key.endswith(".context_length")]
    trained = next((value for value in lengths if isinstance(value, int) and value > 0), OLLAMA_CONTEXT)
    details = _object(shown.get("details"))
    return LocalModel(
        server=probe.name,
        kind="ollama",
        base=probe.base,
        name=name.removesuffix(":latest"),
        context_tokens=min(trained, OLLAMA_CONTEXT),
        billions=billions_of(name) or billions_of(str(details.get("parameter_size") or "")),
    )


async def _openai(client: "httpx.AsyncClient", probe: Probe) -> tuple[LocalModel, ...]:
    listing = await _json(client, f"{probe.base}/models")
    if "data" not in listing:
        raise ValueError("not a list of models")
    entries = [entry for entry in _entries(listing["data"]) if isinstance(entry.get("id"), str)]
    chat = [entry for entry in entries if not _NOT_CHAT.search(str(entry["id"]))][:_MOST_MODELS]
    started_with = await _started_with(client, probe) if chat else None
    return tuple(
        LocalModel(
            server=probe.name,
            kind="openai",
            base=probe.base,
            name=str(entry["id"]),
            context_tokens=_context(entry) or started_with or OTHER_CONTEXT,
            billions=billions_of(str(entry["id"])),
        )
        for entry in chat
    )


def _context(entry: Mapping[str, object]) -> int | None:
    """Return the context window that vLLM states with each model."""
    value = entry.get("max_model_len")
    return value if isinstance(value, int) and value > 0 else None


async def _started_with(client: "httpx.AsyncClient", probe: Probe) -> int | None:
    """Return the context of one slot as llama.cpp tells it; None for every other server."""
    try:
        properties = await _json(client, f"{probe.base.removesuffix('/v1')}/props")
    except (httpx.HTTPError, ValueError):
        return None
    value = _object(properties.get("default_generation_settings")).get("n_ctx")
    return value if isinstance(value, int) and value > 0 else None


async def _json(client: "httpx.AsyncClient", url: str) -> Mapping[str, object]:
    response = await client.get(url)
    response.raise_for_status()
    parsed: object = response.json()
    if not isinstance(parsed, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004  (as for text that is no JSON at all)
    return cast("Mapping[str, object]", parsed)


def _object(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}


def _entries(value: object) -> list[Mapping[str, object]]:
    return [_object(entry) for entry in cast("list[object]", value)] if isinstance(value, list) else []
