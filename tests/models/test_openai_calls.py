"""What servers of OpenAI's API send beyond the plain stream, and who is called without litellm."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.calls import Call, CallFailure, Chunk, FailureKind
from ensemble_lsp.models.openai_calls import OpenAITransport, is_called_directly
from tests.support.fake_model_server import Answer, FakeModelServer
from tests.support.fake_model_wire import read_request

STREAM = "text/event-stream"
HELLO = 'data: {"choices": [{"index": 0, "delta": {"content": "hello"}}]}\n\n'
STOP = 'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n'
DONE = "data: [DONE]\n\n"


@asynccontextmanager
async def answering(body: str, kind: str = STREAM, status: str = "200 OK") -> AsyncGenerator[str]:
    """Yield the API base of a server that sends these bytes to everybody, and then closes the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def asked(base: str) -> list[Chunk]:
    call = Call("openai/m", ({"role": "user", "content": "?"},), 10, base, "key", timeout=20)
    return [chunk async for chunk in OpenAITransport().stream(call)]


async def failed(base: str) -> CallFailure:
    with pytest.raises(CallFailure) as caught:
        await asked(base)
    return caught.value


def text_of(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks)


async def test_comments_event_names_and_carriage_returns_are_no_part_of_an_answer() -> None:
    body = f": ping\n\nevent: message\n{HELLO}{STOP}{DONE}".replace("\n", "\r\n")
    async with answering(body) as base:
        chunks = await asked(base)
    assert (text_of(chunks), chunks[-1].finish) == ("hello", "stop")


async def test_what_a_model_thinks_is_no_part_of_its_answer() -> None:
    thought = 'data: {"choices": [{"delta": {"content": null, "reasoning_content": "let me see"}}]}\n\n'
    async with answering(thought + HELLO + STOP + DONE) as base:
        assert text_of(await asked(base)) == "hello"


async def test_a_server_that_does_not_stream_is_understood() -> None:
    body = (
        '{"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}],'
        ' "usage": {"prompt_tokens": 3, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 2}}}'
    )
    async with answering(body, "application/json; charset=utf-8") as base:
        (chunk,) = await asked(base)
    assert chunk.usage is not None
    assert (chunk.text, chunk.finish) == ("hello", "stop")
    assert (chunk.usage.prompt, chunk.usage.completion, chunk.usage.cached) == (3, 1, 2)


@pytest.mark.parametrize("ending", [STOP, DONE], ids=["a reason", "the last event"])
async def test_either_sign_of_the_end_will_do(ending: str) -> None:
    async with answering(HELLO + ending) as base:
        assert text_of(await asked(base)) == "hello"


async def test_a_stream_that_just_stops_is_not_a_whole_answer() -> None:
    async with answering(HELLO) as base:
        assert (await failed(base)).kind is FailureKind.BROKEN


@pytest.mark.parametrize("broken", ['data: {"choices": [{"del\n\n', "data: 7\n\n"])
async def test_a_piece_that_cannot_be_read_breaks_the_answer(broken: str) -> None:
    async with answering(HELLO + broken + STOP + DONE) as base:
        assert (await failed(base)).kind is FailureKind.BROKEN


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ('{"code": 400, "message": "the request exceeds the available context size"}', FailureKind.CONTEXT),
        ('{"code": 503, "message": "busy"}', FailureKind.OVERLOADED),
        ('"out of memory"', FailureKind.BROKEN),
    ],
)
async def test_an_error_in_the_middle_of_a_stream_is_that_error(error: str, kind: FailureKind) -> None:
    async with answering(f'{HELLO}data: {{"error": {error}}}\n\n') as base:
        assert (await failed(base)).kind is kind


async def test_a_refusal_is_not_undone_by_how_the_stream_ends() -> None:
    refusal = 'data: {"choices": [{"delta": {"refusal": "I will not"}}]}\n\n'
    async with answering(refusal + STOP + DONE) as base:
        assert (await asked(base))[-1].finish == "refusal"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"error": {"message": "no", "code": "insufficient_quota"}}', FailureKind.NO_CREDIT),
        ('{"detail": "maximum context length is 8 tokens"}', FailureKind.CONTEXT),
        ("<html>no</html>", FailureKind.BAD_REQUEST),
    ],
)
async def test_an_error_in_any_of_the_usual_forms_is_understood(body: str, kind: FailureKind) -> None:
    async with answering(body, "text/plain", "400 Bad Request") as base:
        assert (await failed(base)).kind is kind


async def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with answering(HELLO + STOP + DONE) as base:
        assert text_of(await asked(base)) == "hello"


async def test_an_address_that_is_none_is_a_failure_of_the_call() -> None:
    assert (await failed("http://127.0.0.1:port/v1")).kind is FailureKind.BROKEN


@pytest.mark.parametrize(
    ("model", "base", "directly"),
    [
        ("openai/qwen2.5-coder", "http://127.0.0.1:8080/v1", True),
        ("openai/qwen2.5-coder", "http://gpu.example:8000/v1", True),
        ("embedded/qwen2.5-coder", None, True),
        ("openai/gpt-5-mini", "http://127.0.0.1:4000/v1", False),
        ("openai/gpt-5-mini", None, False),
        ("anthropic/claude-sonnet-4-5", None, False),
        ("groq/openai/gpt-oss-20b", None, False),
    ],
)
def test_who_is_called_directly(model: str, base: str | None, directly: bool) -> None:
    assert is_called_directly(Member(id="m", model=model, family="test", api_base=base)) is directly


async def test_a_job_of_such_members_alone_never_imports_litellm() -> None:
    code = """
import asyncio, sys
from ensemble_lsp.core.panel import Member
from tests.models.calling import gateway_with, purse_with, question
member = Member(id="m", model="openai/m", family="test", api_base=sys.argv[1], local=True)
print(asyncio.run(gateway_with().complete(question(member), purse_with())).text)
print(sorted({"litellm", "openai", "tiktoken"} & set(sys.modules)))
"""
    environment: Mapping[str, str] = {**os.environ, "OPENAI_API_KEY": "sk-somebody-elses"}
    async with FakeModelServer({"m": [Answer(text="hello")]}) as server:
        ran = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", code, server.openai_base],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            env=environment,
        )
        assert "sk-somebody-elses" not in str(server.calls[0].headers)
    assert ran.stdout.split("\n")[:2] == ["hello", "[]"]
