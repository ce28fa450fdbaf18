"""The files of one job, read and redacted once each; excerpts are cut out of the redacted text."""

from dataclasses import dataclass, field
from functools import cached_property

from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.context.symbols import ImportStatement, Symbol, imports_of, symbols_of
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.ensemble.ports import Excerpt


@dataclass
class Sheet:
    """One file. Redaction is done over the whole text, so that a secret cut by an excerpt's edge is seen."""

    path: str
    source: SourceText
    redactor: Redactor

    @cached_property
    def redacted(self) -> str:
        return self.redactor.redact(self.path, self.source.text)

    @cached_property
    def lines(self) -> list[str]:
        """The redacted lines; their numbers are those of the source."""
        return split_lines(self.redacted)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        return symbols_of(self.path, self.source.text)

    @cached_property
    def imports(self) -> tuple[ImportStatement, ...]:
        return imports_of(self.path, self.source.text)

    def text(self, start: int, end: int) -> str:
        """Return redacted lines `start` to `end` (0-based, inclusive)."""
        return "".join(self.lines[start : end + 1])

    def excerpt(self, start: int, end: int, why: str) -> Excerpt:
        """Return the lines as an excerpt."""
        return Excerpt(path=self.path, start_line=start, text=self.text(start, end), why=why)


@dataclass
class Sheets:
    """The sheets of one job by path; at most `limit` files beside the first are read."""

    reader: Reader
    redactor: Redactor
    limit: int = 48
    _sheets: dict[str, Sheet | None] = field(default_factory=dict[str, Sheet | None])

    def add(self, path: str, source: SourceText) -> Sheet:
        """Put the file in front of the person in."""
        sheet = Sheet(path, source, self.redactor)
        self._sheets[path] = sheet
        return sheet

    def related(self, path: str) -> Sheet | None:
        """Return another file's sheet, or None when it cannot be read or enough was read."""
        if path not in self._sheets:
            if len(self._sheets) > self.limit:
                return None
            source = self.reader.related(path)
            self._sheets[path] = None if source is None else Sheet(path, source, self.redactor)
        return self._sheets[path]
