"""Answers held to a schema, with members that say what they were told to."""

from typing import Literal

import pytest
from pydantic import BaseModel, Field

from ensemble_lsp.core.errors import MalformedReply, Refused
from ensemble_lsp.core.findings import FindingDrafts
from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.scripted import Says, ScriptedModels
from ensemble_lsp.models.structured import schema_of, strict_schema
from tests.models.calling import purse_with, question


class Verdict(BaseModel):
    """Whether a claim holds."""

    holds: bool
    because: str = Field(default="", max_length=20)


STRUCTURED = Member(id="m", model="scripted/m", family="test")
PROMPTED = STRUCTURED.model_copy(update={"structured": False})


async def _answer(*says: str | Says, member: Member = STRUCTURED) -> tuple[Verdict, ScriptedModels]:
    models = ScriptedModels({"m": says})
    value, _ = await models.complete_as(question(member), Verdict, purse_with())
    return value, models


@pytest.mark.parametrize(
    "text",
    [
        '{"holds": true}',
        '```json\n{"holds": true}\n```',
        'Here it is:\n\n```\n{"holds": true}\n```\nAnything else?',
        'My verdict is {"holds": true}, as line {3} shows.',
        'As in {"a": 1}, so: {"holds": true}',
        '<think>{"holds": false}</think>\n{"holds": true}',
    ],
)
async def test_json_is_found_in_what_surrounds_it(text: str) -> None:
    value, models = await _answer(text)
    assert value == Verdict(holds=True)
    assert len(models.requests) == 1


async def test_a_structured_member_gets_the_schema_beside_the_prompt() -> None:
    _, models = await _answer('{"holds": true}')
    assert models.requests[0].json_schema == Verdict.model_json_schema()
    assert "schema" not in models.requests[0].messages[-1].content


async def test_another_member_gets_the_schema_in_the_prompt() -> None:
    _, models = await _answer('{"holds": true}', member=PROMPTED)
    assert models.requests[0].json_schema is None
    assert '"holds"' in models.requests[0].messages[-1].content


async def test_the_repair_turn_quotes_the_answer_and_pydantics_message() -> None:
    value, models = await _answer('{"holds": 7}', '{"holds": false}')
    assert not value.holds
    *_, wrong, repair = models.requests[1].messages
    assert (wrong.role, wrong.content) == ("assistant", '{"holds": 7}')
    assert "holds: Input should be a valid boolean" in repair.content
    assert "errors.pydantic.dev" not in repair.content


async def test_after_one_repair_turn_it_is_malformed() -> None:
    with pytest.raises(MalformedReply, match="also after one repair"):
        await _answer("I would say it holds.", "It does hold.")


async def test_an_answer_that_was_cut_off_says_so_and_is_not_repaired() -> None:
    models = ScriptedModels({"m": [Says('{"holds": tr', finish="length")]})
    with pytest.raises(MalformedReply, match="cut off at 100 tokens"):
        await models.complete_as(question(STRUCTURED), Verdict, purse_with())
    assert len(models.requests) == 1


async def test_an_answer_that_was_complete_before_it_was_cut_off_counts() -> None:
    value, _ = await _answer(Says('{"holds": true} and also', finish="length"))
    assert value.holds


async def test_a_refusal_is_not_repaired() -> None:
    with pytest.raises(Refused):
        await _answer(Says("I cannot", finish="refusal"))


async def test_the_reply_covers_both_turns() -> None:
    models = ScriptedModels({"m": ["no", '{"holds": true}']})
    _, reply = await models.complete_as(question(STRUCTURED), Verdict, purse_with())
    assert reply.spend.calls == 2
    assert reply.text == '{"holds": true}'


def test_schemas_name_fields_as_python_does() -> None:
    assert "end_line" in str(schema_of(FindingDrafts))
    assert "endLine" not in str(schema_of(FindingDrafts))


class Node(BaseModel):
    """Nested, optional, bounded."""

    title: Literal["a", "b"]
    children: list["Node"] = Field(default=[], max_length=3)


def test_hosted_providers_get_a_schema_in_their_strict_dialect() -> None:
    schema = strict_schema(schema_of(Node))
    node = schema["$defs"]
    assert isinstance(node, dict)
    assert node["Node"] == {
        "description": "Nested, optional, bounded.",
        "type": "object",
        "properties": {
            "title": {"type": "string", "enum": ["a", "b"]},
            "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["title", "children"],
        "additionalProperties": False,
    }
