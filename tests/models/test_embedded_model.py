"""A real small model, from its packages in a registry to an answer; structure is asserted, never content."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import httpx
import pytest

from ensemble_lsp.models.embedded import EmbeddedModels
from ensemble_lsp.models.weights import DownloadOffer, weights_path
from ensemble_lsp.settings import EmbeddedTable

MODEL = "smollm2-135m"
SETTINGS = EmbeddedTable(model=MODEL, mirror=True)
KEPT = Path(__file__).parents[2] / ".cache"
"""Where the weights stay between runs: out of version control, inside the repository."""

pytestmark = [
    pytest.mark.embedded,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not EmbeddedModels.available(), reason="the extra `embedded` is not installed"),
]

ENGINE = """
import asyncio
from ensemble_lsp.models.embedded import EmbeddedModels
from ensemble_lsp.settings import EmbeddedTable

async def main():
    models = EmbeddedModels(EmbeddedTable(model="smollm2-135m"))
    await models.base_url("smollm2-135m")
    print(models.process_id("smollm2-135m"), flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def agree(_offer: DownloadOffer) -> bool:
    return True


@pytest.fixture
async def models(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EmbeddedModels]:
    """The embedded model with its weights fetched from the registry, unless an earlier run did."""
    monkeypatch.setenv("ENSEMBLE_CACHE_DIR", str(KEPT))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    models = EmbeddedModels(SETTINGS, consent=agree)
    yield models
    await models.stop()


async def complete(
    models: EmbeddedModels, body: Mapping[str, object], key: str | None = None
) -> httpx.Response:
    base = await models.base_url(MODEL)
    key = models.api_key(MODEL) if key is None else key
    async with httpx.AsyncClient(timeout=200.0, trust_env=False) as client:
        headers = {"Authorization": f"Bearer {key}"}
        return await client.post(f"{base}/chat/completions", json=body, headers=headers)


def question(text: str, **more: object) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": text}], "max_tokens": 48, "temperature": 0, **more}


async def test_it_answers_several_at_once_and_by_schema(models: EmbeddedModels) -> None:
    schema = {
        "type": "object",
        "properties": {"bug": {"type": "boolean"}, "why": {"type": "string", "maxLength": 40}},
        "required": ["bug", "why"],
        "additionalProperties": False,
    }
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    answers = await asyncio.gather(
        complete(models, question("Is `1 / 0` a bug?", response_format=form)),
        complete(models, question("Is `1 + 1` a bug?", response_format=form)),
        complete(models, question("Say hello.")),
    )
    texts = [answer.json()["choices"][0]["message"]["content"] for answer in answers]
    for text in texts[:2]:
        said = json.loads(text)
        assert set(said) == {"bug", "why"}
        assert isinstance(said["bug"], bool)
    assert texts[2].strip()
    speed = await models.speed(MODEL)
    assert speed.prompt > 0
    assert speed.generated > 0


async def test_it_answers_nobody_without_the_key(models: EmbeddedModels) -> None:
    answer = await complete(models, question("Say hello."), key="guess")
    assert answer.status_code == 401


async def test_it_keeps_the_common_beginning_of_two_prompts(models: EmbeddedModels) -> None:
    beginning = "def area(width, height):\n    return width + height\n" * 20
    await complete(models, question(beginning + "Explain.", id_slot=0))
    second = await complete(models, question(beginning + "Repair it.", id_slot=0))
    usage = second.json()["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > usage["prompt_tokens"] * 0.8


async def test_it_ends_when_the_engine_is_killed(models: EmbeddedModels) -> None:
    await models.base_url(MODEL)
    assert weights_path(MODEL).exists()
    engine = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", ENGINE, stdout=asyncio.subprocess.PIPE, env={**os.environ}
    )
    assert engine.stdout is not None
    child = int(await engine.stdout.readline())
    engine.send_signal(signal.SIGKILL)
    await engine.wait()
    status = Path(f"/proc/{child}/status")
    while status.exists() and "State:\tZ" not in status.read_text():  # noqa: ASYNC110, ASYNC240
        await asyncio.sleep(0.02)
