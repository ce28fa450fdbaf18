"""What a small local member is held to when it names places, and how its answers are read."""

import json
from collections.abc import Mapping
from typing import cast

import pytest

from ensemble_lsp.ensemble.brief_places import BriefPlaces, as_drafts, brief_places
from ensemble_lsp.ensemble.code_lines import code_lines
from ensemble_lsp.ensemble.finding import Drafts
from ensemble_lsp.ensemble.ports import Excerpt

CODE = '''\
def total(prices):
    """Add up.

    result = 1
    """
    result = 0  # so far
    # for price in prices
    for price in prices:
        result = (
            price
        )
    return result
'''


def shown(text: str = CODE, path: str = "cart.py") -> Excerpt:
    return Excerpt(path=path, start_line=9, text=text, why="")


def choices(form: type[BriefPlaces], field: str) -> list[str]:
    schema = cast(
        "dict[str, dict[str, dict[str, dict[str, dict[str, list[str]]]]]]", form.model_json_schema()
    )
    return schema["$defs"]["ChosenPlace"]["properties"][field]["enum"]


def read(*places: Mapping[str, object]) -> list[tuple[str, int, str]]:
    answer = brief_places([shown()]).model_validate({"findings": places})
    drafts = Drafts.model_validate(as_drafts(answer)).findings
    return [(draft.path, draft.line, draft.title) for draft in drafts]


def test_only_lines_of_code_can_be_chosen_by_the_numbers_that_they_are_shown_with():
    assert choices(brief_places([shown()]), "quote") == [
        "10| def total(prices):",
        "15|     result = 0  # so far",
        "17|     for price in prices:",
        "18|         result = (",
        "19|             price",
        "21|     return result",
    ]


def test_other_languages_lose_blank_lines_and_brackets_only():
    form = brief_places([shown("func total() int {\n\t// so far\n\treturn 1\n}\n", "cart.go")])

    assert choices(form, "quote") == ["10| func total() int {", "11| \t// so far", "12| \treturn 1"]
    assert choices(form, "path") == ["cart.go"]


@pytest.mark.parametrize("text", ["", "x = 1\n" * 300])
def test_nothing_and_too_much_to_choose_from_leave_the_quote_free(text: str):
    assert brief_places([shown(text)]) is BriefPlaces


def test_reasons_are_not_asked_for():
    schema = json.dumps(brief_places([shown()]).model_json_schema())

    assert '"instead": {' in schema
    assert '"title": {' not in schema


def test_a_place_is_read_as_a_finding_that_says_what_should_stand_there():
    place = {"path": "cart.py", "quote": "18|         result = (", "instead": "        result += ("}

    assert read(place) == [("cart.py", 18, "It should be: result += (")]


@pytest.mark.parametrize(
    "same", ["result = 0  # so far", "15|     result = 0  # so far", "\tresult = 0 # so far"]
)
def test_a_line_that_would_stay_as_it_is_is_no_vote(same: str):
    kept = {"path": "cart.py", "quote": "21|     return result", "instead": "return -result"}

    assert read({"path": "cart.py", "quote": "15|     result = 0  # so far", "instead": same}, kept) == [
        ("cart.py", 21, "It should be: return -result")
    ]


def test_the_answer_of_a_member_that_cannot_be_held_to_the_lines_is_read():
    assert read({"path": "cart.py", "line": 15, "quote": "result = 0", "title": "It starts wrong."}) == [
        ("cart.py", 1, "It starts wrong.")
    ]


def test_text_that_is_no_whole_program_counts_by_its_lines():
    assert code_lines("    return (\n\n  x") == {0, 2}
