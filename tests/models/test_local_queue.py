"""Who may call a local server, and when."""

import asyncio

from ensemble_lsp.models.local_queue import OLLAMA_AT_ONCE, OVERTAKES, LocalQueue


async def _order(models: list[str], *, one_model: bool = True) -> list[str]:
    """Return the order in which calls for `models`, all waiting at once, got their turn."""
    queue, order = LocalQueue(), list[str]()

    async def call(model: str) -> None:
        async with queue.turn("http://127.0.0.1:1", model, one_model=one_model):
            order.append(model)
            await asyncio.sleep(0)

    await asyncio.gather(*(call(model) for model in models))
    return order


async def test_the_loaded_models_calls_go_first() -> None:
    assert await _order(["a", "b", "a", "b"]) == ["a", "a", "b", "b"]


async def test_nobody_is_overtaken_for_ever() -> None:
    order = await _order(["a", "b", *["a"] * 20])
    assert order.index("b") <= OVERTAKES + OLLAMA_AT_ONCE


async def test_servers_of_many_models_are_served_in_order() -> None:
    assert await _order(["a", "b", "a", "b"], one_model=False) == ["a", "b", "a", "b"]


async def test_two_models_never_run_at_once_on_a_server_of_one() -> None:
    queue, running = LocalQueue(), list[str]()

    async def call(model: str) -> None:
        async with queue.turn("base", model, one_model=True):
            running.append(model)
            assert set(running) == {model}
            assert len(running) <= OLLAMA_AT_ONCE
            await asyncio.sleep(0)
            running.remove(model)

    await asyncio.gather(*(call(model) for model in "abcabcaabbcc"))


async def test_a_cancelled_wait_gives_its_place_to_the_next() -> None:
    queue = LocalQueue()
    release = asyncio.Event()

    async def hold(model: str) -> None:
        async with queue.turn("base", model, one_model=True):
            await release.wait()

    holding = asyncio.create_task(hold("a"))
    waiting = asyncio.create_task(hold("b"))
    last = asyncio.create_task(hold("c"))
    await asyncio.sleep(0)
    waiting.cancel()
    release.set()
    await asyncio.gather(holding, waiting, last, return_exceptions=True)
    assert waiting.cancelled()
    assert last.done()
    assert not last.cancelled()


async def test_a_cancelled_call_frees_its_place() -> None:
    queue = LocalQueue()

    async def hold() -> None:
        async with queue.turn("base", "a", one_model=True):
            await asyncio.Event().wait()

    calls = [asyncio.create_task(hold()) for _ in range(OLLAMA_AT_ONCE)]
    await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    async with asyncio.timeout(5), queue.turn("base", "b", one_model=True):
        pass
    await asyncio.gather(*calls, return_exceptions=True)
