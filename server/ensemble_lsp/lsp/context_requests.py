"""`ensemble/context`: what the editor's other language servers know about the names in a job's range."""

import asyncio
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pydantic import ValidationError

from ensemble_lsp.core.editor_context import EditorContext, EditorPassage
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.outline import defined_name, indent_width
from ensemble_lsp.core.results import LineRange
from ensemble_lsp.core.surroundings import definition_around
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.lsp.arguments import DiagnosticArgument, PositionArgument
from ensemble_lsp.lsp.convert import SOURCE, diagnostic_in
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.messages import ContextAnswer, ContextLocation, ContextParams

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

M = TypeVar("M", bound=Frozen)

CONTEXT = "ensemble/context"

SECONDS = 2.0
"""How long a job waits for the answer."""

POSITIONS = 12
"""Names that are asked about."""

PLACES = 64
"""Locations of each kind that are taken from an answer."""

TEXT_CHARACTERS = 20_000
"""Of one text in an answer; the engine keeps far less."""

SEARCHED_LINES = 400
"""Lines in which names are looked for."""

_NAME = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")
_COMMENT = re.compile(r"^\s*(?:#|//|\*|--|;|%).*|(?:\s#|//).*$")

_KEYWORDS = frozenset(
    {
        "and", "as", "assert", "async", "await", "break", "case", "catch", "class", "const", "continue",
        "def", "default", "defer", "delete", "del", "do", "elif", "else", "enum", "except", "export",
        "extends", "extern", "false", "False", "final", "finally", "fn", "for", "foreach", "from", "func",
        "function", "global", "go", "goto", "if", "impl", "implements", "import", "in", "instanceof", "int",
        "interface", "is", "lambda", "let", "loop", "match", "mod", "move", "mut", "namespace", "new", "nil",
        "None", "nonlocal", "not", "null", "of", "or", "package", "pass", "pub", "public", "private",
        "protected", "raise", "ref", "return", "select", "self", "Self", "static", "str", "string", "struct",
        "super", "switch", "template", "this", "throw", "throws", "trait", "true", "True", "try", "type",
        "typedef", "typeof", "undefined", "union", "unsafe", "use", "using", "val", "var", "virtual", "void",
        "when", "where", "while", "with", "yield", "bool", "float", "boolean", "number",
    }
)  # fmt: skip


class ContextRequests:
    """Asks clients that offer it, once a job; a client that does not answer costs `seconds` and nothing else."""

    def __init__(self, server: "EnsembleServer", *, seconds: float = SECONDS) -> None:
        self._server = server
        self._seconds = seconds

    async def ask(self, start: JobStart) -> EditorContext | None:
        """Return what the client knows, or None when it does not offer it, does not answer, or answers nonsense."""
        path = start.task.path
        if not self._server.view.context or path is None:
            return None
        root = Path(start.workspace)
        document = self._server.documents.at(root / path)
        if document is None:
            return None
        params = ContextParams(
            uri=document.uri,
            positions=tuple(positions_of(document, path, start.task.range)),
            want=("definition", "references", "hover", "diagnostics"),
        )
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._server.protocol.ask_client(CONTEXT, params.to_wire())
        except TimeoutError:
            _log.info("the client did not answer %s within %s s", CONTEXT, self._seconds)
            return None
        return self._read(_parsed(answer), root, path) if answer else None

    def _read(self, answer: ContextAnswer, root: Path, path: str) -> EditorContext:
        passages = [
            *self._passages("definition", answer.definitions, root),
            *self._passages("reference", answer.references, root),
        ]
        return EditorContext(
            passages=tuple(passages),
            hovers=answer.hovers,
            diagnostics=tuple(
                diagnostic_in(item, path) for item in answer.diagnostics if item.source != SOURCE
            ),
        )

    def _passages(
        self, kind: str, locations: Iterable[ContextLocation], root: Path
    ) -> Iterator[EditorPassage]:
        for location in locations:
            place = self._place(location.uri, root)
            if place is None:
                continue
            first, last = location.range.start.line, location.range.end.line
            yield EditorPassage.model_validate(
                {
                    "kind": kind,
                    "path": place,
                    "line": first,
                    "end_line": max(first, last),
                    "text": location.text,
                }
            )

    def _place(self, uri: str, root: Path) -> str | None:
        """Return the path below the workspace, an absolute one for a file elsewhere, None for what is no file."""
        try:
            relative = self._server.folders.relative(uri, root)
            return relative if relative is not None else self._server.folders.absolute(uri)
        except (UsageError, OSError, ValueError, RuntimeError):
            return None


def positions_of(document: Document, path: str, lines: LineRange | None) -> Iterator[PositionArgument]:
    """Yield the positions that are asked about: the name of the definition around the range, then those it uses.

    A range of one line, such as a cursor's, stands for the definition around it, as it does for the members.
    """
    first = 0 if lines is None else max(0, lines.start)
    last = document.index.line_count if lines is None else min(lines.end, document.index.line_count)
    asked: set[str] = set()
    around = None if lines is None else definition_around(document.line, first, path)
    if around is not None and (
        found := re.search(rf"\b{re.escape(around.name)}\b", document.line(around.line))
    ):
        asked.add(around.name)
        yield _position(document, around.line, found.start())
    if around is not None and last - first == 1:
        first, last = around.line, _end_of(document, around.line)
    own = {name for line in range(first, last) if (name := defined_name(document.line(line).strip(), path))}
    names = [
        found for found in _names(document, first, min(last, first + SEARCHED_LINES)) if found[0] not in own
    ]
    # What is called or is a type comes first: a variable's definition is a line that stands near anyway.
    for name, line, column, _ in sorted(names, key=lambda found: not found[3]):
        if len(asked) >= POSITIONS:
            return
        if name not in asked:
            asked.add(name)
            yield _position(document, line, column)


def _end_of(document: Document, line: int) -> int:
    """Return the line behind a definition: the first below it that stands no further right, brackets aside."""
    width = indent_width(document.line(line))
    last = min(document.index.line_count, line + SEARCHED_LINES)
    for below in range(line + 1, last):
        text = document.line(below)
        if text.strip() and indent_width(text) <= width and text.lstrip()[0] not in ")]}{":
            return below
    return last


def _names(document: Document, first: int, last: int) -> Iterator[tuple[str, int, int, bool]]:
    """Yield names with line, column (code points), and whether the name is called or looks like a type."""
    for number in range(first, last):
        text = _COMMENT.sub("", _STRING.sub(lambda match: " " * len(match.group()), document.line(number)))
        for match in _NAME.finditer(text):
            name = match.group()
            if len(name) > 1 and name not in _KEYWORDS:
                called = text[match.end() : match.end() + 1] == "("
                yield name, number, match.start(), called or name[0].isupper()


def _position(document: Document, line: int, column: int) -> PositionArgument:
    begin, _ = document.index.line_span(line)
    number, character = document.index.position_at(begin + column, document.encoding)
    return PositionArgument(line=number, character=character)


def _parsed(answer: Mapping[str, object]) -> ContextAnswer:
    """Return what of the answer can be read; one odd item does not cost the others."""
    return ContextAnswer(
        definitions=tuple(_valid(ContextLocation, answer.get("definitions"))),
        references=tuple(_valid(ContextLocation, answer.get("references"))),
        hovers=tuple(
            item[:TEXT_CHARACTERS] for item in _items(answer.get("hovers")) if isinstance(item, str)
        ),
        diagnostics=tuple(_valid(DiagnosticArgument, answer.get("diagnostics"))),
    )


def _valid(model: type[M], value: object) -> Iterator[M]:
    for item in _items(value):
        try:
            yield model.model_validate(_known(model, item))
        except ValidationError as problem:
            _log.info("the client's answer to %s: %s", CONTEXT, problem.errors()[0]["msg"])


def _items(value: object) -> Sequence[object]:
    """Return the first items of a list; none of what is no list."""
    return cast("Sequence[object]", value)[:PLACES] if isinstance(value, list | tuple) else ()


def _known(model: type[Frozen], item: object) -> object:
    """Return an item with the keys that are read, texts cut off, and a diagnostic's code without its link."""
    if not isinstance(item, Mapping):
        return item
    fields = cast("Mapping[str, object]", item)
    known = {key: fields[key] for key in model.model_fields if fields.get(key) is not None}
    code = known.get("code")
    if isinstance(code, Mapping):
        known["code"] = cast("Mapping[str, object]", code).get("value")
    return {key: value[:TEXT_CHARACTERS] if isinstance(value, str) else value for key, value in known.items()}
