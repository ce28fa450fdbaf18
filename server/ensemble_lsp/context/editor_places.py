"""What the editor's other language servers told: the places they point to, and their words, as excerpts.

All of it is untrusted. A place in the workspace is read here, under the ignore rules and with secrets taken out; the
client's own text counts only for installed dependencies, and nothing outside the workspace is read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ensemble_lsp.context.focus import Focus
from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.context.related import RelatedSearch
from ensemble_lsp.context.sheets import Sheet
from ensemble_lsp.context.symbols import Symbol, enclosing_symbol
from ensemble_lsp.core.editor_context import EditorContext, EditorPassage
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.ports import Excerpt

PASSAGES = 24
"""Places that are looked at, of each kind."""

REFERENCES = 4
DEPENDENCY_LINES = 60
HOVER_CHARACTERS = 600
HOVERS = 12
DIAGNOSTICS = 10

_COMMENT_LINES = 40
"""Some servers count the documentation above a definition to it."""

_NAMELESS_LINES = 12
"""Lines shown where a place is in no symbol."""

_LONG_SYMBOL = 40
"""A use in a longer symbol is shown with the lines around it."""

_FENCE = re.compile(r"^\s*(?:```|~~~).*$|^\s*---\s*$", re.MULTILINE)


@dataclass
class EditorPlaces:
    """Turns places and words into excerpts; every method takes what it finds off the search's allowance."""

    search: RelatedSearch
    rules: IgnoreRules
    redactor: Redactor

    def definitions(self, told: EditorContext, sheet: Sheet, focus: Focus) -> list[Excerpt]:
        """Return the definitions that the servers point to, outside the focus."""
        found: list[Excerpt] = []
        for passage in _of_kind(told, "definition"):
            other = self._sheet(passage)
            if other is None:
                self._take_dependency(passage, found)
                continue
            if passage.line >= len(other.lines) or _inside(passage, other, sheet, focus):
                continue
            symbol = _symbol_at(other, passage)
            if symbol is not None:
                self.search.take(other, symbol, found)
            else:
                end = min(passage.end_line, passage.line + _NAMELESS_LINES)
                self._take(other.excerpt(passage.line, end, "definition"), found)
        return found

    def references(self, told: EditorContext, sheet: Sheet, focus: Focus) -> list[Excerpt]:
        """Return a few uses of the symbol around the range, with what is around them."""
        found: list[Excerpt] = []
        shown: set[tuple[str, int]] = set()
        for passage in _of_kind(told, "reference"):
            other = self._sheet(passage)
            if other is None or passage.line >= len(other.lines) or _inside(passage, other, sheet, focus):
                continue
            symbol = enclosing_symbol(other.symbols, passage.line, passage.line)
            start, end = max(0, passage.line - 3), passage.line + 3
            if symbol is not None and symbol.end_line - symbol.start_line < _LONG_SYMBOL:
                start, end = symbol.start_line, symbol.end_line
            if (other.path, start) in shown or len(found) >= REFERENCES:
                continue
            shown.add((other.path, start))
            self._take(
                other.excerpt(start, end, f"use of {focus.symbol.name}" if focus.symbol else "use"), found
            )
        return found

    def words(self, told: EditorContext, sheet: Sheet, task: Task) -> list[Excerpt]:
        """Return what the servers say about names, and their messages where these are not part of the task."""
        found: list[Excerpt] = []
        hovers = [_plain(hover) for hover in told.hovers[:HOVERS]]
        text = "\n\n".join(dict.fromkeys(hover for hover in hovers if hover))
        if text:
            self._take(self._words(text, "what its language server says about names used here"), found)
        if task.range is None and told.diagnostics:
            lines = [
                f"{item.path}:{item.line + 1}: {item.severity.value}: {item.message} [{item.source} {item.code}]"
                for item in told.diagnostics[:DIAGNOSTICS]
                if item.path == sheet.path
            ]
            if lines:
                self._take(self._words("\n".join(lines), "messages of its other tools"), found)
        return found

    def _words(self, text: str, why: str) -> Excerpt:
        return Excerpt(path="the editor", start_line=0, text=self.redactor.redact("editor", text), why=why)

    def _sheet(self, passage: EditorPassage) -> Sheet | None:
        if passage.line < 0 or self.rules.ignored(passage.path) is not None:
            return None
        return self.search.sheets.related(passage.path)

    def _take_dependency(self, passage: EditorPassage, found: list[Excerpt]) -> None:
        name = self.rules.dependency(passage.path)
        if name is None:
            return
        start, lines = self._quoted(passage, name)
        if not "".join(lines).strip():
            return
        excerpt = Excerpt(
            path=f"dependency: {name}",
            start_line=start,
            text="".join(lines[:DEPENDENCY_LINES]),
            why="definition, as it is installed",
        )
        self._take(excerpt, found)

    def _quoted(self, passage: EditorPassage, name: str) -> tuple[int, Sequence[str]]:
        """Return where a dependency's definition starts and its lines: the client's, or those in the workspace."""
        if passage.text is not None:
            return max(0, passage.line), split_lines(self.redactor.redact(name, passage.text))
        source = self.search.sheets.reader.installed(passage.path)
        if source is None or passage.line < 0:
            return 0, ()
        sheet = Sheet(passage.path, source, self.redactor)
        symbol = _symbol_at(sheet, passage)
        start, end = (
            (passage.line, passage.end_line) if symbol is None else (symbol.start_line, symbol.end_line)
        )
        return start, sheet.lines[start : end + 1]

    def _take(self, excerpt: Excerpt, found: list[Excerpt]) -> None:
        if self.search.allowance.take(excerpt, max(self.search.allowance.left // 3, 1)):
            found.append(excerpt)


def with_editor_diagnostics(task: Task, told: EditorContext | None) -> Task:
    """Return the task with what the servers report in its range.

    Only where the task has a range, and neither a finding nor diagnostics of its own: these say what is to be done,
    and where.
    """
    if told is None or task.range is None or task.finding is not None or task.diagnostics:
        return task
    lines = task.range
    inside = [
        item
        for item in told.diagnostics
        if item.path == task.path and item.line < lines.end and lines.start <= item.end_line
    ]
    return task.model_copy(update={"diagnostics": tuple(inside[:DIAGNOSTICS])})


def _of_kind(told: EditorContext, kind: str) -> Iterator[EditorPassage]:
    places: dict[tuple[str, int], EditorPassage] = {}
    for passage in told.passages:
        if passage.kind == kind and len(places) < PASSAGES:
            places.setdefault((passage.path, passage.line), passage)
    return iter(places.values())


def _symbol_at(sheet: Sheet, passage: EditorPassage) -> Symbol | None:
    """Return the symbol that a definition's range names: where it starts, or below the comment that it starts with."""
    symbol = enclosing_symbol(sheet.symbols, passage.line, passage.line)
    # A name in the body of something else is a variable there, not that something's definition.
    if symbol is not None and passage.line <= symbol.header_end_line:
        return symbol
    last = min(passage.end_line, passage.line + _COMMENT_LINES)
    return next((each for each in sheet.symbols if passage.line <= each.start_line <= last), None)


def _inside(passage: EditorPassage, other: Sheet, sheet: Sheet, focus: Focus) -> bool:
    return other.path == sheet.path and (focus.whole or focus.start <= passage.line <= focus.end)


def _plain(hover: str) -> str:
    return _FENCE.sub("", hover[: 4 * HOVER_CHARACTERS]).strip()[:HOVER_CHARACTERS]
