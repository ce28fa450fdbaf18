"""In which wordings fresh samples are asked for, once nothing that was written works."""

from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.results import DraftRecord
from ensemble_lsp.ensemble.actions import fix
from ensemble_lsp.ensemble.fix_voices import FRUITFUL, next_style
from ensemble_lsp.ensemble.prompts.forms import STYLES
from tests.ensemble.fix_cases import BOTH_TESTS, BUGGY, NO_LOWER, NO_UPPER, Room, Setting, member, room, whole

NAMES_THE_LINE = "First name, in one sentence, the line"
ONE_LINE = "One line of"
ANEW = "do not copy its body"
PLAIN = "Write the corrected"
COPY = whole(BUGGY)


def _wordings(table: Room) -> list[str]:
    """Return in which wording each draft was asked for."""
    asked = [item.messages[-1].content for item in table.members.requests if item.purpose == "draft"]
    known = (NAMES_THE_LINE, ONE_LINE, ANEW, PLAIN)
    return [next(words for words in known if words in text) for text in asked]


async def test_small_models_are_not_asked_anew_in_the_wording_that_brings_copies() -> None:
    local = [member("a", "solo", local=True), member("b", "solo", local=True)]
    table = room({"a": [COPY], "b": [COPY]}, local, Setting(test=BOTH_TESTS))
    await fix.run(table.deliberation)
    assert table.calls == 8
    assert NAMES_THE_LINE not in _wordings(table)


async def test_the_best_wording_that_was_not_tried_comes_first() -> None:
    local = [member("a", "solo", local=True), member("b", "solo", local=True)]
    table = room({"a": [COPY], "b": [COPY]}, local, Setting(test=BOTH_TESTS))
    await fix.run(table.deliberation)
    assert _wordings(table)[:3] == [PLAIN, ANEW, ONE_LINE]


async def test_a_wording_that_brought_no_change_comes_after_those_that_did() -> None:
    local = [member("a", "solo", local=True), member("b", "solo", local=True)]
    # The first wording brings a copy, the second a change that fails; so does what is asked later.
    lines = {"a": [COPY, whole(NO_LOWER)], "b": [whole(NO_UPPER)]}
    table = room(lines, local, Setting(test=BOTH_TESTS))
    await fix.run(table.deliberation)
    assert PLAIN not in _wordings(table)[1:]


async def test_the_same_wording_is_asked_at_another_temperature_when_it_comes_round_again() -> None:
    local = [member("a", "solo", local=True), member("b", "solo", local=True)]
    table = room({"a": [COPY], "b": [COPY]}, local, Setting(test=BOTH_TESTS))
    await fix.run(table.deliberation)
    plain = [item.temperature for item in table.members.requests if PLAIN in item.messages[-1].content]
    assert len(plain) > 1
    assert plain == sorted(set(plain), key=lambda value: value or 0.0)


def test_an_author_is_not_asked_about_its_change_in_a_barren_wording_either() -> None:
    small = member("a")
    assert all(next_style(small, style) % STYLES in FRUITFUL for style in range(12))
    large = small.model_copy(update={"edit_format": EditFormat.SEARCH_REPLACE})
    assert [next_style(large, style) for style in range(4)] == [1, 2, 3, 4]


async def test_a_job_that_goes_on_does_not_ask_again_as_it_was_asked_before() -> None:
    local = [member("a", "solo", local=True)]
    prior = (DraftRecord(member="a", family="solo", text=COPY, style=2),)
    table = room({"a": [COPY]}, local, Setting(test=BOTH_TESTS, prior=prior))
    await fix.run(table.deliberation)
    first = next(item for item in table.members.requests if item.purpose == "draft")
    assert ONE_LINE not in first.messages[-1].content
