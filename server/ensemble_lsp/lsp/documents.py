"""The documents that the editor holds, with LSP's line rule and lossless text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import LineIndex, PositionEncoding


@dataclass(frozen=True, slots=True)
class TextChange:
    """One change as it was applied: lines `start`..`end` (0-based, both inclusive) became `new_lines` lines."""

    start: int
    end: int
    new_lines: int


class Document:
    """One open document. `text` is what the editor shows, line endings included."""

    def __init__(self, uri: str, language: str, version: int, text: str, encoding: PositionEncoding) -> None:
        self.uri = uri
        self.language = language
        self.version = version
        self.encoding = encoding
        self._text = text
        self._index: LineIndex | None = None

    @property
    def text(self) -> str:
        """The live text."""
        return self._text

    @property
    def index(self) -> LineIndex:
        """Line starts of the live text, made when first asked for."""
        if self._index is None:
            self._index = LineIndex(self._text)
        return self._index

    def apply(self, change: types.TextDocumentContentChangeEvent) -> TextChange:
        """Apply one change of `didChange` and say which lines it touched."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            last = self.index.position_at(len(self._text), self.encoding)[0]
            self._replace(0, len(self._text), change.text)
            return TextChange(0, last, self.index.position_at(len(self._text), self.encoding)[0] + 1)
        start, end = change.range.start, change.range.end
        begin = self.index.offset_at(start.line, start.character, self.encoding)
        stop = self.index.offset_at(end.line, end.character, self.encoding)
        if begin > stop:
            raise UsageError("the range of a change ends before it starts", field="contentChanges")
        first = self.index.position_at(begin, self.encoding)[0]
        last = self.index.position_at(stop, self.encoding)[0]
        self._replace(begin, stop, change.text)
        new_last = self.index.position_at(begin + len(change.text), self.encoding)[0]
        return TextChange(first, last, new_last - first + 1)

    def _replace(self, begin: int, stop: int, text: str) -> None:
        self._text = self._text[:begin] + text + self._text[stop:]
        self._index = None

    def lines_of(self, span: types.Range) -> tuple[int, int]:
        """Return the lines that a range touches: first, and the one after the last; 0-based.

        A range that ends at the start of a line does not touch that line, unless it is empty.
        """
        end = span.end.line
        if span.end.character > 0 or span.end.line == span.start.line:
            end += 1
        return span.start.line, end


class Documents:
    """All open documents, by URI."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self.encoding = PositionEncoding.UTF16

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take over a document; one that was open already is replaced."""
        document = Document(item.uri, item.language_id, item.version, item.text, self.encoding)
        self._documents[item.uri] = document
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> tuple[Document, Sequence[TextChange]]:
        """Apply all changes of one notification; raises `UsageError` for a document that is not open."""
        document = self.get(params.text_document.uri)
        if document is None:
            raise UsageError(f"{params.text_document.uri} is not open", field="textDocument.uri")
        changes = [document.apply(change) for change in params.content_changes]
        document.version = params.text_document.version
        return document, changes

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._documents.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        """Return the open document or None."""
        return self._documents.get(uri)

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))


def path_of(uri: str) -> Path:
    """Return the file of a `file:` URI; raises `UsageError` for any other scheme."""
    path = to_fs_path(uri)
    if not uri.startswith("file:") or path is None:
        raise UsageError(
            f"only files can be worked on, not {uri!r}", field="uri", hint="save it to a file first"
        )
    return Path(path)
