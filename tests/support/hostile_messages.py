"""Messages that no client should send, made from the server's own tables: a method or command that is added is covered.

Each message starts as a value of the right type, filled with places and words that are legal and nasty. Then, most
times, something in it is replaced by something that does not belong there. Everything comes from a seeded `Random`.
"""

import enum
import random
import types as python_types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import attrs
from lsprotocol import types
from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from ensemble_lsp.lsp.messages import COMMANDS, MESSAGES
from ensemble_lsp.lsp.server import EnsembleServer

LSP = cast("Mapping[str, tuple[object, object | None, object, object]]", types.METHOD_TO_TYPES)
"""Method → the classes of its message, of its answer (None for a notification), of its parameters, and one more."""

NOT_SENT = {types.INITIALIZE, types.SHUTDOWN, types.EXIT}
"""They begin and end the session; tests of their own cover them."""

NUMBERS: list[int] = [0, 0, 1, 2, 3, 7, -1, 10**6, 2**31 - 1, 2**31, 2**53, 2**63, 2**70, -(2**70)]
"""Weighted towards what points into a small document."""

FLOATS: list[float] = [0.0, -0.0, 0.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf")]

WORDS: list[str] = [
    "",
    "x",
    "total",
    "\0",
    "\ud800",
    "\udfff tail",
    "a\u2028b\u2029c",
    "😀" * 40,
    "../../../../etc/passwd",
    "[x](command:ensemble.apply)",
    "<img src=x onerror=alert(1)>",
    "%s%n{0}{__class__}",
    "x" * 20_000,
    "\n" * 500,
    "$(touch /tmp/x)`id`",
]

URIS: list[str] = [
    "file:///",
    "file:///nowhere/at/all.py",
    "file:///nowhere/%00",
    "file:///nowhere/%FF%FE.py",
    "file://host/share/x.py",
    "file://[",
    "file:relative.py",
    "file:///nowhere/\ud800.py",
    "file:///" + "a/" * 3_000,
    "file:///" + "n" * 5_000,
    "untitled:Untitled-1",
    "untitled:nowhere",
    "ensemble:/job/nobody.md",
    "ensemble:",
    "http://example.org/x.py",
    "vscode-notebook-cell:/x.ipynb#a",
    "not a uri",
    "%",
    "C:\\x\\y.py",
]

_UNTYPED: frozenset[object] = frozenset({Any, object})


@dataclass(frozen=True, slots=True)
class Hostile:
    """One message. `params` may hold what JSON cannot say properly: NaN, lone surrogates."""

    method: str
    params: object
    is_request: bool


class Hostility:
    """Draws messages. `known` are ids and URIs of things that exist, so that some of it gets far."""

    def __init__(self, seed: int, known: Sequence[str] = ()) -> None:
        self._draw = random.Random(seed)  # noqa: S311  (not for secrets)
        self._words = [*WORDS, *URIS, *known, *known]
        self._uris = [*URIS, *list(known) * (1 + 2 * len(URIS) // max(1, len(known)))]
        self._params = dict(methods())

    @property
    def methods(self) -> Sequence[str]:
        """The methods that are drawn from; commands go by `workspace/executeCommand`."""
        return tuple(self._params)

    def messages(self) -> Iterator[Hostile]:
        """Return messages without end; every method and every command comes again and again."""
        choices = [*self._params, *(f"command {name}" for name in COMMANDS), "command", "nothing at all"]
        while True:
            yield from map(self._message, choices)

    def junk(self, depth: int = 3) -> object:
        """Return anything at all."""
        draw = self._draw
        kind = draw.randrange(9)
        if kind == 0 and depth:
            return [self.junk(depth - 1) for _ in range(draw.randrange(4))]
        if kind == 1 and depth:
            return {draw.choice(self._words): self.junk(depth - 1) for _ in range(draw.randrange(4))}
        if kind == 2:
            return nested(draw.choice([5, 50, 400]))
        plain: list[object] = [None, True, False, [], {}, [None], {"": {}}]
        return draw.choice([*plain, draw.choice(NUMBERS), draw.choice(FLOATS), draw.choice(self._words)])

    def _message(self, choice: str) -> Hostile:
        if choice == "nothing at all":
            method = self._draw.choice(["", "ensemble/nothing", "textDocument/nothing", "\0", "$/nothing"])
            return Hostile(method, self.junk(), self._draw.random() < 0.5)
        if choice.startswith("command"):
            return Hostile(types.WORKSPACE_EXECUTE_COMMAND, self._command(choice.partition(" ")[2]), True)
        expected, is_request = self._params[choice]
        params = self.value_of(expected)
        if self._draw.random() < 0.8:
            params = self._spoilt(params)
        return Hostile(choice, params, is_request)

    def _command(self, name: str) -> object:
        if not name:
            return {"command": self._draw.choice(self._words), "arguments": [self.junk()]}
        argument = self.value_of(COMMANDS[name][0])
        if self._draw.random() < 0.97:  # what is not spoilt starts jobs, and a job takes time
            argument = self._spoilt(argument)
        arguments = self._draw.choice([[argument], [argument], [argument], [argument, self.junk()], argument])
        return {"command": name, "arguments": arguments}

    def _spoilt(self, value: object) -> object:
        """Return the value with one thing in it replaced, taken away, or added."""
        draw = self._draw
        if isinstance(value, dict) and value and draw.random() < 0.8:
            fields = dict(cast("Mapping[str, object]", value))
            name = draw.choice(list(fields))
            if (kind := draw.randrange(8)) == 0:
                del fields[name]
            elif kind == 1:
                fields[draw.choice(self._words)] = self.junk()
            else:
                fields[name] = self._spoilt(fields[name])
            return fields
        if isinstance(value, list) and value and draw.random() < 0.7:
            items = list(cast("list[object]", value))
            place = draw.randrange(len(items))
            items[place] = self._spoilt(items[place])
            return items
        return self.junk()

    def value_of(self, expected: object, name: str = "", depth: int = 6) -> object:
        """Return a value of a type: a class of lsprotocol's, a model of ours, or what they are made of."""
        draw = self._draw
        origin, inner = typing.get_origin(expected), typing.get_args(expected)
        if expected in _UNTYPED or depth == 0:
            return self.junk(1)
        if origin is Literal:
            return draw.choice(inner)
        if origin in {typing.Union, python_types.UnionType}:
            return self.value_of(draw.choice(inner), name, depth)
        if origin is typing.Annotated:
            return self.value_of(inner[0], name, depth)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return {
                draw.choice(self._words): self.value_of(inner[1], "", depth - 1)
                for _ in range(draw.randrange(3))
            }
        if isinstance(origin, type):
            return [self.value_of(inner[0], name, depth - 1) for _ in range(draw.randrange(4))]
        if isinstance(expected, type) and issubclass(expected, enum.Enum):
            return draw.choice([each.value for each in expected])
        if isinstance(expected, type) and attrs.has(expected):
            hints = typing.get_type_hints(expected, dict(vars(types)))
            return self._object(
                {_wire(each.name): hints[each.name] for each in attrs.fields(expected)}, depth
            )
        if isinstance(expected, type) and issubclass(expected, BaseModel):
            fields = expected.model_fields.items()
            return self._object({to_camel(key): each.annotation for key, each in fields}, depth)
        return self._plain(cast("object", expected), name)

    def _object(self, fields: Mapping[str, object], depth: int) -> dict[str, object]:
        """Return an object with these fields; those that may be None are often left away."""
        made: dict[str, object] = {}
        for name, expected in fields.items():
            if type(None) in typing.get_args(expected) and self._draw.random() < 0.6:
                continue
            made[name] = self.value_of(expected, name, depth - 1)
        return made

    def _plain(self, expected: object, name: str) -> object:
        if expected is bool:
            return self._draw.random() < 0.5
        if expected is int:
            return self._draw.choice(NUMBERS)
        if expected is float:
            return self._draw.choice(FLOATS)
        if expected is str:
            return self._draw.choice(self._uris if "uri" in name.lower() else self._words)
        return None


def methods() -> Iterator[tuple[str, tuple[object, bool]]]:
    """Return every method that a client may send: the type of its parameters, and whether it is a request.

    Those that the server has a handler for stand twice as often as the rest of LSP, by way of their own names.
    """
    server = EnsembleServer()
    known: list[Mapping[str, object]] = [server.protocol.fm.features, server.protocol.fm.builtin_features]
    handled = {method for table in known for method in table}
    for method in sorted(handled - NOT_SENT - {types.WORKSPACE_EXECUTE_COMMAND}):
        if method in MESSAGES:
            yield method, (MESSAGES[method].params, MESSAGES[method].result is not None)
        elif method in LSP:
            yield method, (LSP[method][2], LSP[method][1] is not None)
        else:
            yield method, (object, True)
    for method in (types.TEXT_DOCUMENT_COMPLETION, types.CANCEL_REQUEST, types.PROGRESS):
        yield method, (LSP[method][2], LSP[method][1] is not None)


def nested(depth: int) -> object:
    """Return lists in lists, `depth` deep."""
    value: object = "bottom"
    for _ in range(depth):
        value = [value]
    return value


def _wire(name: str) -> str:
    return to_camel(name.rstrip("_"))
