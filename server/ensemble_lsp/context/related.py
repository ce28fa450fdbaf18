"""What stands beside the focus: definitions that it uses, tests that mention it, places tools point to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ensemble_lsp.context.allowance import Allowance
from ensemble_lsp.context.definition_index import IndexView, same_family, test_file
from ensemble_lsp.context.focus import Focus
from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.import_targets import (
    FileTable,
    files_imported,
    imports_name_files,
    shared_folders,
)
from ensemble_lsp.context.name_uses import names_to_look_up
from ensemble_lsp.context.sheets import Sheet, Sheets
from ensemble_lsp.context.symbols import Symbol, enclosing_symbol, identifiers_in
from ensemble_lsp.core.evidence import Diagnostic
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.ports import Excerpt

_DEFINITIONS = 16
_AMBIGUOUS = 3
"""A name that more files define is anybody's (`get`, `run`) and not looked up."""
_NAMES = 400
_TEST_FILES = 4
_TESTS_PER_FILE = 3
_TEST_WINDOW = 12
_LONG_SYMBOL = 80
_SHARE = 3
"""No single excerpt takes more than a third of what is left: one huge class must not crowd out the rest."""
_DATA = frozenset({"variable", "constant"})
_TEST_CALL = re.compile(r"^\s*(?:it|test|describe|context|scenario)\b")


@dataclass
class RelatedSearch:
    """Finds excerpts for one focus; every method takes what it finds off the allowance."""

    sheets: Sheets
    index: IndexView
    table: FileTable
    allowance: Allowance
    _taken: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Path and first line of every definition that was shown."""

    def definitions(self, sheet: Sheet, focus: Focus) -> list[Excerpt]:
        """Return definitions that the focus uses and does not hold, in the order of their use."""
        language = language_of(sheet.path)
        shown = "".join(split_lines(sheet.source.text)[focus.start : focus.end + 1])
        own = {s.name for s in sheet.symbols if focus.whole or focus.start <= s.start_line <= focus.end}
        elsewhere = {s.name: s for s in reversed(sheet.symbols) if s.name not in own and s.kind not in _DATA}
        imported = files_imported(sheet.path, language, sheet.imports, self.table)
        names = [n for n in identifiers_in(shown, language)[:_NAMES] if len(n) > 2 and n not in own]
        found: list[Excerpt] = []
        # What the file says it uses goes before what only has the same name.
        for name in names:
            if name in elsewhere:
                self.take(sheet, elsewhere[name], found)
            else:
                self._take_first(name, imported, found, outermost=True)
        looked_up = names_to_look_up(shown, imports_name_files(language))
        for name in names:
            if name in looked_up and name not in elsewhere:
                paths = [*imported, *self._defining(name, sheet.path, language)]
                self._take_first(name, paths, found, outermost=False)
        return found

    def _take_first(
        self,
        name: str,
        paths: Iterable[str],
        found: list[Excerpt],
        *,
        outermost: bool,
    ) -> None:
        for path in paths:
            if len(found) >= _DEFINITIONS:
                return
            sheet = self.sheets.related(path) if self.index.defines(path, name) else None
            if sheet is None:
                continue
            symbol = next((s for s in sheet.symbols if s.name == name and not (outermost and s.depth)), None)
            if symbol is not None:
                self.take(sheet, symbol, found)
                return

    def _defining(self, name: str, path: str, language: str) -> list[str]:
        candidates = [
            other
            for other in self.index.files_defining(name)
            if other != path and not test_file(other) and same_family(language, language_of(other))
        ]
        if len(candidates) > _AMBIGUOUS:
            return []
        return sorted(candidates, key=lambda other: (-shared_folders(other, path), other))

    def take(self, sheet: Sheet, symbol: Symbol, found: list[Excerpt]) -> None:
        """Add a definition to `found` where it fits and is not shown yet: whole, else its heads."""
        if (sheet.path, symbol.start_line) in self._taken or len(found) >= _DEFINITIONS:
            return
        self._taken.add((sheet.path, symbol.start_line))
        most = max(self.allowance.left // _SHARE, 1)
        why = f"definition of {symbol.name}"
        whole = sheet.excerpt(symbol.start_line, symbol.end_line, why)
        if symbol.end_line - symbol.start_line < _LONG_SYMBOL and self.allowance.take(whole, most):
            found.append(whole)
            return
        heads = Excerpt(
            path=sheet.path,
            start_line=symbol.start_line,
            text=_heads(sheet, symbol),
            why=f"{why}, heads only, with their line numbers",
        )
        if self.allowance.take(heads, most):
            found.append(heads)

    def tests(self, sheet: Sheet, focus: Focus) -> list[Excerpt]:
        """Return tests that mention what the focus is about; none when the focus is a test itself."""
        if test_file(sheet.path):
            return []
        names = _mentioned_names(sheet, focus)
        module = _module_word(sheet.path)
        language = language_of(sheet.path)
        ranked: list[tuple[int, str]] = []
        for path, mentioned, imports in self.index.tests_mentioning(names, module):
            named_after = module.lower() in PurePosixPath(path).name.lower()
            # Where imports name files, a test of this file has to name it.
            related = named_after or imports or not imports_name_files(language)
            if related and same_family(language, language_of(path)):
                ranked.append((-mentioned - 4 * named_after - 2 * imports, path))
        found: list[Excerpt] = []
        for _, path in sorted(ranked)[:_TEST_FILES]:
            other = self.sheets.related(path)
            if other is not None:
                found += self._tests_in(other, names)
        return found

    def _tests_in(self, sheet: Sheet, names: Sequence[str]) -> list[Excerpt]:
        pattern = re.compile(rf"\b(?:{'|'.join(re.escape(name) for name in names)})\b")
        lines = split_lines(sheet.source.text)
        imports = {n for i in sheet.imports for n in range(i.start_line, i.end_line + 1)}
        places: dict[tuple[int, int], None] = {}
        for number, line in enumerate(lines):
            if len(places) >= _TESTS_PER_FILE:
                break
            inside = any(start <= number <= end for start, end in places)
            if number not in imports and not inside and pattern.search(line):
                places[_test_around(sheet, lines, number)] = None
        found: list[Excerpt] = []
        for start, end in places:
            excerpt = sheet.excerpt(start, end, "test")
            if self.allowance.take(excerpt, max(self.allowance.left // 2, 1)):
                found.append(excerpt)
        return found

    def diagnosed(self, path: str, diagnostics: Iterable[Diagnostic]) -> list[Excerpt]:
        """Return the places of diagnostics in other files than the focus's (the task quotes the messages)."""
        found: list[Excerpt] = []
        for place in dict.fromkeys((d.path, d.line, d.end_line) for d in diagnostics if d.path != path):
            sheet = self.sheets.related(place[0]) if len(found) < _TEST_FILES else None
            if sheet is None or place[1] >= len(sheet.lines):
                continue
            symbol = enclosing_symbol(sheet.symbols, place[1], place[1])
            start, end = max(0, place[1] - 5), min(place[2], place[1] + 20) + 5
            if symbol is not None and symbol.end_line - symbol.start_line < _LONG_SYMBOL:
                start, end = symbol.start_line, symbol.end_line
            excerpt = sheet.excerpt(start, end, "a diagnostic points here")
            if self.allowance.take(excerpt):
                found.append(excerpt)
        return found


def _module_word(path: str) -> str:
    """Return the word by which other files import this one."""
    file = PurePosixPath(path)
    stem = file.name.split(".", 1)[0]
    return (
        file.parent.name if stem in {"__init__", "index", "mod", "lib", "main"} and file.parent.name else stem
    )


def _mentioned_names(sheet: Sheet, focus: Focus) -> list[str]:
    if focus.symbol is not None and len(focus.symbol.name) > 2:
        return [focus.symbol.name]
    inside = [s for s in sheet.symbols if focus.start <= s.start_line <= focus.end and s.kind not in _DATA]
    names = dict.fromkeys(s.name for s in inside if len(s.name) > 3 and not s.name.startswith("__"))
    return list(names)[:40]


def _test_around(sheet: Sheet, lines: Sequence[str], number: int) -> tuple[int, int]:
    symbol = enclosing_symbol([s for s in sheet.symbols if s.kind not in {*_DATA, "class"}], number, number)
    if symbol is not None and symbol.end_line - symbol.start_line < _LONG_SYMBOL:
        return symbol.start_line, symbol.end_line
    start = number
    for above in range(number, max(-1, number - _TEST_WINDOW), -1):
        if _TEST_CALL.match(lines[above]):
            start = above
            break
    return start, min(len(lines) - 1, start + _TEST_WINDOW)


def _heads(sheet: Sheet, symbol: Symbol) -> str:
    """Return the head of a long symbol and of those in it, each line with its 1-based number."""
    numbers: dict[int, None] = {}
    for inner in sheet.symbols:
        if symbol.start_line <= inner.start_line and inner.end_line <= symbol.end_line:
            for number in range(inner.start_line, min(inner.header_end_line, inner.start_line + 6) + 1):
                numbers[number] = None
    return "".join(f"{number + 1}: {sheet.text(number, number)}" for number in sorted(numbers))
