"""Answers held to a JSON schema: by the provider where it can, else by the prompt and one repair turn."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import MalformedReply, Refused
from ensemble_lsp.ensemble.ports import Message, ModelReply, ModelRequest, Purse
from ensemble_lsp.models.failures import SchemaRejected

T = TypeVar("T", bound=BaseModel)

Ask = Callable[[ModelRequest], Awaitable[ModelReply]]

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)(?:\n```|$)", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MOST_STARTS = 64
"""Places in a reply where JSON is looked for, at most."""
_MOST_PROBLEMS = 8
"""Problems named in the repair turn, at most."""

# What OpenAI's strict mode and its imitators refuse in a schema.
_UNSUPPORTED = frozenset(
    {"title", "default", "examples", "maxLength", "minLength", "maxItems", "minItems", "pattern", "format"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems"}
)


class AnswersInForms(ABC):
    """A model port whose answers in a form are asked for as all others are: `complete` does the rest."""

    @abstractmethod
    async def complete(
        self, request: ModelRequest, purse: Purse, on_delta: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the member's answer; see `ModelPort.complete`."""

    async def complete_as(
        self,
        request: ModelRequest,
        answer: type[T],
        purse: Purse,
        on_delta: Callable[[str], None] | None = None,
    ) -> tuple[T, ModelReply]:
        """Return an answer held to `answer`'s schema; see `ModelPort.complete_as`."""

        async def ask(turn: ModelRequest) -> ModelReply:
            return await self.complete(turn, purse, on_delta)

        value, reply, _ = await answer_as(ask, request, answer)
        return value, reply


async def answer_as(
    ask: Ask, request: ModelRequest, answer: type[T]
) -> tuple[T, ModelReply, tuple[tuple[ModelRequest, ModelReply], ...]]:
    """Ask for an `answer`; returns it, the reply that covers all turns, and the turns (two at most).

    Raises `MalformedReply` when the answer is cut off or, after the repair turn, still not of the form;
    `Refused` when the member declines.
    """
    schema = schema_of(answer)
    first = request.model_copy(update={"json_schema": schema})
    if not request.member.structured:
        first = with_schema_in_prompt(first)
    try:
        reply = await ask(first)
    except SchemaRejected:
        first = with_schema_in_prompt(first)
        reply = await ask(first)
    turns = [(first, reply)]
    try:
        return _parsed(reply, answer, request), reply, tuple(turns)
    except _NotOfForm as problem:
        second = first.model_copy(update={"messages": (*first.messages, *_repair(reply.text, str(problem)))})
    reply = await ask(second)
    turns.append((second, reply))
    try:
        value = _parsed(reply, answer, request)
    except _NotOfForm as problem:
        raise MalformedReply(
            f"{request.member.id}: the answer is not of the form asked for, also after one repair: {problem}",
            member=request.member.id,
            hint="ask a larger model, or one that can be held to a schema",
        ) from problem
    return value, _together(turns), tuple(turns)


@lru_cache(maxsize=64)
def schema_of(answer: type[BaseModel]) -> dict[str, object]:
    """Return the JSON schema with the fields named as in Python; one for all calls, not to be changed."""
    return answer.model_json_schema(by_alias=False)


def strict_schema(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema as hosted providers take it: every property required, no others, no bounds."""
    return cast("dict[str, object]", _strict(schema))


def with_schema_in_prompt(request: ModelRequest) -> ModelRequest:
    """Return the request with its schema as words at the end of the last message, and no `json_schema`."""
    schema = json.dumps(request.json_schema, ensure_ascii=False, separators=(",", ":"))
    words = f"\n\nAnswer with one JSON value and nothing else. It must match this JSON schema:\n{schema}"
    last = request.messages[-1]
    return request.model_copy(
        update={
            "messages": (
                *request.messages[:-1],
                last.model_copy(update={"content": last.content + words}),
            ),
            "json_schema": None,
        }
    )


class _NotOfForm(ValueError):
    """What is wrong with one reply, in words that a model can act on."""


def _parsed(reply: ModelReply, answer: type[T], request: ModelRequest) -> T:
    if reply.finish == "refusal":
        raise Refused(
            f"{request.member.id}: declined to answer: {reply.text[:200]}".rstrip(": "),
            member=request.member.id,
            hint="reword the instruction, or ask another member",
        )
    problem = "there is no JSON in it"
    for number, text in enumerate(_json_texts(reply.text)):
        try:
            return answer.model_validate_json(text)
        except ValidationError as error:
            if number == 0:
                problem = _problems(error)
    if reply.finish == "length":
        raise MalformedReply(
            f"{request.member.id}: the answer was cut off at {request.max_tokens} tokens",
            member=request.member.id,
            hint="select less code, or raise max_output_tokens of this member",
        )
    raise _NotOfForm(problem)


def _json_texts(text: str) -> Iterator[str]:
    """Yield what may be the answer: the text itself, fenced blocks, then every JSON value within it."""
    text = _THOUGHTS.sub("", text).strip()
    candidates = [text] if text.startswith(("{", "[")) else []
    candidates += [match[1].strip() for match in _FENCE.finditer(text)]
    yield from candidates
    decoder = json.JSONDecoder()
    position, starts = 0, 0
    while starts < _MOST_STARTS and (found := re.compile(r"[{\[]").search(text, position)):
        starts += 1
        try:
            _, end = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            position = found.start() + 1
            continue
        yield text[found.start() : end]
        position = end


def _problems(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(
        f"{'.'.join(str(step) for step in problem['loc']) or 'the value'}: {problem['msg']}"
        for problem in problems[:_MOST_PROBLEMS]
    )


def _repair(text: str, problem: str) -> tuple[Message, Message]:
    return (
        Message(role="assistant", content=text or "(empty)"),
        Message(
            role="user",
            content=f"That is not valid: {problem}\n\nWrite the whole answer again as one JSON value, corrected, "
            "and nothing else.",
        ),
    )


def _together(turns: Sequence[tuple[ModelRequest, ModelReply]]) -> ModelReply:
    last = turns[-1][1]
    return last.model_copy(
        update={
            "spend": sum((reply.spend for _, reply in turns), Spend()),
            "seconds": sum(reply.seconds for _, reply in turns),
            "cached": all(reply.cached for _, reply in turns),
            "first_token_seconds": turns[0][1].first_token_seconds,
        }
    )


def _strict(value: object) -> object:
    if isinstance(value, list):
        return [_strict(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    schema = cast("dict[str, object]", value)
    properties = schema.get("properties")
    result = {
        key: _strict(item)
        for key, item in schema.items()
        if key not in _UNSUPPORTED and key not in {"properties", "required", "$defs"}
    }
    if isinstance(definitions := schema.get("$defs"), dict):
        named = cast("dict[str, object]", definitions)
        result["$defs"] = {name: _strict(item) for name, item in named.items()}
    if isinstance(properties, dict):
        fields = cast("dict[str, object]", properties)
        result["properties"] = {name: _strict(item) for name, item in fields.items()}
        result["required"] = list(fields)
        result["additionalProperties"] = False
    return result
