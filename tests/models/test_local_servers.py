"""Model servers on loopback, as they answer."""

import pytest

from ensemble_lsp.models.local_servers import (
    OLLAMA_CONTEXT,
    Found,
    Probe,
    find_local_models,
    is_loopback,
    ollama_base,
    usual_probes,
)
from tests.support.fake_model_server import FakeModelServer, ServedModel


async def _found(server: FakeModelServer, kind: str = "openai", *, expected: bool = False) -> Found:
    base = server.openai_base if kind == "openai" else server.base_url
    return await find_local_models(
        (Probe("here", "openai" if kind == "openai" else "ollama", base, expected),)
    )


async def test_ollamas_chat_models_with_their_context() -> None:
    models = [
        ServedModel(name="qwen2.5-coder:7b", context_length=131_072),
        ServedModel(name="tiny:latest", context_length=4_096, parameter_size="360M"),
    ]
    async with FakeModelServer(models=models) as server:
        found = await _found(server, "ollama")
    large, small = found.models
    assert (large.name, large.context_tokens, large.billions) == ("qwen2.5-coder:7b", OLLAMA_CONTEXT, 7.0)
    assert (small.name, small.context_tokens) == ("tiny", 4_096)
    assert small.billions == pytest.approx(0.36)


async def test_ollamas_embedding_models_do_not_chat() -> None:
    models = [ServedModel(name="nomic-embed-text", capabilities=("embedding",))]
    async with FakeModelServer(models=models) as server:
        assert (await _found(server, "ollama")).models == ()


async def test_a_model_in_ollamas_cloud_is_not_local() -> None:
    models = [
        ServedModel(name="gpt-oss:120b-cloud"),
        ServedModel(name="glm", remote_host="https://ollama.com"),
    ]
    async with FakeModelServer(models=models) as server:
        assert (await _found(server, "ollama")).models == ()


async def test_the_models_of_an_openai_compatible_server() -> None:
    models = [
        ServedModel(name="Qwen/Qwen3-Coder-30B", max_model_len=40_960),
        ServedModel(name="text-embedding-nomic"),
    ]
    async with FakeModelServer(models=models) as server:
        found = await _found(server)
    assert [(model.name, model.context_tokens, model.billions) for model in found.models] == [
        ("Qwen/Qwen3-Coder-30B", 40_960, 30.0)
    ]


async def test_a_web_server_that_serves_no_models_is_passed_over() -> None:
    async with FakeModelServer() as server:
        probe = Probe("here", "openai", f"{server.base_url}/elsewhere")
        assert await find_local_models((probe,)) == Found()


async def test_silence_is_noted_only_where_the_person_named_the_server() -> None:
    async with FakeModelServer() as server:
        pass
    assert await _found(server) == Found()
    assert (await _found(server, expected=True)).notes == (f"here at {server.openai_base} does not answer",)


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("", "http://127.0.0.1:11434"),
        ("127.0.0.1:9999", "http://127.0.0.1:9999"),
        ("0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104
        ("http://localhost:1234/", "http://localhost:1234"),
        ("[::1]:77", "http://[::1]:77"),
        ("gpu-box", "http://gpu-box:11434"),
    ],
)
def test_ollama_host_in_every_form(host: str, base: str) -> None:
    assert ollama_base({"OLLAMA_HOST": host}) == base


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:8080", True),
        ("127.0.0.1:80", True),
        ("http://192.168.0.2/v1", False),
        ("https://127.0.0.1.evil.example/v1", False),
        ("https://localhost.example", False),
        ("", False),
    ],
)
def test_what_is_this_machine(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


def test_hosts_beyond_loopback_are_never_looked_at() -> None:
    environment = {"OLLAMA_HOST": "gpu-box", "OPENAI_API_BASE": "https://api.example.com/v1"}
    assert all(is_loopback(probe.base) for probe in usual_probes(environment))


def test_the_places_to_look_at_can_be_named() -> None:
    listed = {"ENSEMBLE_LOCAL_SERVERS": "http://127.0.0.1:5000/v1, https://elsewhere.example/v1"}
    assert [probe.base for probe in usual_probes(listed)] == ["http://127.0.0.1:5000/v1"]
    assert usual_probes({"ENSEMBLE_LOCAL_SERVERS": ""}) == ()
