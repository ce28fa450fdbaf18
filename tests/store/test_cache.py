"""The same question is not paid for twice, and what is kept stays within its bounds."""

from pathlib import Path

import pytest

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.ensemble.ports import ModelReply, ReplyCache
from ensemble_lsp.store.cache import NoReplies, StoredReplies
from ensemble_lsp.store.columns import pack
from ensemble_lsp.store.database import Database
from tests.store.conftest import Clock


def reply(text: str = "def f(): ...", /, **changes: object) -> ModelReply:
    whole = ModelReply(text=text, finish="stop", spend=Spend(calls=1, usd=0.01), seconds=1.5)
    return whole.model_copy(update=changes)


@pytest.fixture
def replies(database: Database, clock: Clock) -> StoredReplies:
    return StoredReplies(database, clock=clock)


async def test_an_answer_comes_back_marked_and_free(replies: StoredReplies) -> None:
    await replies.put("k", reply("caf\udc80"))
    assert await replies.get("k") == reply("caf\udc80", cached=True, spend=Spend())
    assert await replies.get("other") is None


async def test_an_answer_outlives_the_process(directory: Path, clock: Clock) -> None:
    with Database(directory) as database:
        await StoredReplies(database, clock=clock).put("k", reply())
    with Database(directory) as database:
        assert await StoredReplies(database, clock=clock).get("k") is not None


@pytest.mark.parametrize("changes", [{"finish": "length"}, {"finish": "refusal"}, {"cached": True}])
async def test_only_complete_answers_are_kept(replies: StoredReplies, changes: dict[str, object]) -> None:
    await replies.put("k", reply(**changes))
    assert await replies.size() == (0, 0)


async def test_an_old_answer_is_asked_for_anew(database: Database, clock: Clock) -> None:
    replies = StoredReplies(database, maximum_days=7, clock=clock)
    await replies.put("old", reply())
    clock.now += 7 * 86_400 + 1
    assert await replies.get("old") is None
    await replies.put("new", reply())
    assert (await replies.size())[0] == 1


async def test_the_least_recently_used_go_first(database: Database, clock: Clock) -> None:
    one = len(pack(reply("0" * 30).to_wire()))
    replies = StoredReplies(database, maximum_bytes=one * 4, clock=clock)
    for number in range(4):
        clock.now += 100
        await replies.put(str(number), reply(str(number) * 30))
    clock.now += 100
    assert await replies.get("0") is not None
    clock.now += 100
    await replies.put("4", reply("4" * 30))
    kept = [key for key in "01234" if await replies.get(key) is not None]
    assert "0" in kept
    assert "1" not in kept
    assert "4" in kept
    assert (await replies.size())[1] <= one * 4


async def test_an_answer_larger_than_the_cache_is_not_kept(database: Database) -> None:
    replies = StoredReplies(database, maximum_bytes=50)
    await replies.put("k", reply("anything at all that does not compress to nothing"))
    assert await replies.size() == (0, 0)


async def test_an_answer_in_an_older_form_is_asked_for_anew(
    database: Database, replies: StoredReplies
) -> None:
    await replies.put("k", reply())
    body = pack({"text": "x", "of_the_past": 1})
    await database.write(lambda c: c.execute("UPDATE replies SET body = ?", (body,)).rowcount)
    assert await replies.get("k") is None


async def test_all_answers_can_be_forgotten(replies: StoredReplies) -> None:
    await replies.put("k", reply())
    assert await replies.forget() == 1
    assert await replies.size() == (0, 0)


async def test_no_cache_keeps_nothing(replies: StoredReplies) -> None:
    both: list[ReplyCache] = [replies, NoReplies()]
    for cache in both:
        await cache.put("k", reply())
    assert [await cache.get("k") is None for cache in both] == [False, True]
