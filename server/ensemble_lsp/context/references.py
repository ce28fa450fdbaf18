"""Where a symbol is used all over the workspace: what a change of many files has to look at and may edit."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ensemble_lsp.context.allowance import Allowance
from ensemble_lsp.context.definition_index import IndexView, same_family
from ensemble_lsp.context.focus import Focus
from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.sheets import Sheet, Sheets
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.ports import Excerpt

FILES_READ = 8_000
"""Files that are searched at most."""

CHARACTERS_READ = 64_000_000
"""… and what they may hold together."""

FILES_SHOWN = 160
"""Files with uses that are shown at most; each costs some forty tokens."""

_AROUND = 2
"""Lines shown around a use, so that a block can be placed by lines that occur once."""

_NAMES = 8
_WORD = re.compile(r"[A-Za-z_]\w{2,}")


@dataclass
class ReferenceSearch:
    """Finds the uses of names; what is found is taken off the allowance, the nearest files first."""

    sheets: Sheets
    index: IndexView
    allowance: Allowance

    def names(self, sheet: Sheet, focus: Focus, instruction: str) -> tuple[str, ...]:
        """Return the names that the job is about: the symbol's, and those of the instruction that the code defines."""
        found: dict[str, None] = {}
        if focus.symbol is not None and len(focus.symbol.name) > 2:
            found[focus.symbol.name] = None
        own = {symbol.name for symbol in sheet.symbols}
        for word in _WORD.findall(instruction):
            # An English word that is also a name somewhere is only meant when it is marked or looks like code.
            looks_like_code = "_" in word or not word[1:].islower() or f"`{word}`" in instruction
            if word in own or (looks_like_code and self.index.files_defining(word)):
                found[word] = None
        return tuple(found)[:_NAMES]

    def uses(self, sheet: Sheet, focus: Focus, names: Sequence[str], files: Iterable[str]) -> list[Excerpt]:
        """Return the places that mention one of `names` and are not in the focus, file by file."""
        if not names:
            return []
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(re.escape(name) for name in names)})(?!\w)")
        language = language_of(sheet.path)
        found = self._in_file(sheet, pattern, skip=(focus.start, focus.end))
        folder = sheet.path.rpartition("/")[0]
        paths = [
            path
            for path in files
            if path != sheet.path and language and same_family(language, language_of(path))
        ][:FILES_READ]
        # Files beside the definition go first: where the budget ends, the far ones are left out.
        paths.sort(key=lambda path: (path.rpartition("/")[0] != folder, path))
        shown = read = 0
        for path in paths:
            if shown >= FILES_SHOWN or self.allowance.left < 32 or read > CHARACTERS_READ:
                break
            source = self.sheets.reader.related(path)
            if source is None:
                continue
            read += len(source.text)
            if not pattern.search(source.text):
                continue
            other = self.sheets.related(path)
            if other is not None and (excerpts := self._in_file(other, pattern)):
                found += excerpts
                shown += 1
        return found

    def _in_file(
        self, sheet: Sheet, pattern: re.Pattern[str], *, skip: tuple[int, int] | None = None
    ) -> list[Excerpt]:
        lines = split_lines(sheet.source.text)
        windows: list[list[int]] = []
        for number, line in enumerate(lines):
            if (skip is not None and skip[0] <= number <= skip[1]) or not pattern.search(line):
                continue
            start, end = max(0, number - _AROUND), min(len(lines) - 1, number + _AROUND)
            if windows and start <= windows[-1][1] + 1:
                windows[-1][1] = end
            else:
                windows.append([start, end])
        found: list[Excerpt] = []
        for start, end in windows:
            excerpt = sheet.excerpt(start, end, "use")
            if self.allowance.take(excerpt):
                found.append(excerpt)
        return found
