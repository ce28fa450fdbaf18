"""The documents that the editor holds, with LSP's line rule and lossless text."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import LineIndex, PositionEncoding

_SURROGATE = re.compile("[\ud800-\udfff]")

NAME_BYTES = 255
"""The longest file name of the common file systems."""

PATH_BYTES = 4_095
"""The longest path that Linux takes; elsewhere it is less, or so much more that no editor opens it."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One change as it was applied: lines `start`..`end` (0-based, both inclusive) became `new_lines` lines.

    `start_character` and `end_character`, in code points, are where it began and ended in these two lines.
    """

    start: int
    end: int
    new_lines: int
    start_character: int = 0
    end_character: int = 0


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

    def line(self, number: int) -> str:
        """Return a line's text without its ending; "" for a number that is not there."""
        index = self.index
        if not 0 <= number < index.line_count:
            return ""
        start, end = index.line_span(number)
        return self._text[start:end]

    def apply(self, change: types.TextDocumentContentChangeEvent) -> TextChange:
        """Apply one change of `didChange` and say which lines it touched.

        Raises `UsageError` for a range that ends before it starts.
        """
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            last = self.index.line_count - 1
            self._replace(0, len(self._text), change.text)
            return TextChange(0, last, self.index.line_count)
        start, end = change.range.start, change.range.end
        before = self.index
        begin = before.offset_at(start.line, start.character, self.encoding)
        stop = before.offset_at(end.line, end.character, self.encoding)
        if begin > stop:
            raise UsageError("the range of a change ends before it starts", field="contentChanges")
        first, first_character = before.position_at(begin, PositionEncoding.UTF32)
        last, last_character = before.position_at(stop, PositionEncoding.UTF32)
        lines_before = before.line_count
        # What is left of a character whose halves the client counts, and whose middle the change begins or ends in.
        head = _halves(self._text[begin])[0] if self._is_inside(start, begin) else ""
        tail = _halves(self._text[stop])[1] if self._is_inside(end, stop) else ""
        self._replace(begin, stop + len(tail), f"{head}{change.text}{tail}")
        grown = self.index.line_count - lines_before
        return TextChange(first, last, last - first + 1 + grown, first_character, last_character)

    def _is_inside(self, position: types.Position, offset: int) -> bool:
        """Whether a position is between the two units of UTF-16 that make up one character."""
        if self.encoding is not PositionEncoding.UTF16 or self._text[offset : offset + 1] <= "\uffff":
            return False
        return self.index.position_at(offset) == (position.line, position.character - 1)

    def _replace(self, begin: int, stop: int, text: str) -> None:
        before, after = self._text[:begin], self._text[stop:]
        if self.encoding is PositionEncoding.UTF16:
            # For such a client two halves that come to stand side by side are one character.
            text = _joined(f"{before[-1:]}{text}{after[:1]}")
            before, after = before[:-1], after[1:]
        self._text = f"{before}{text}{after}"
        self._index = None


def _halves(character: str) -> tuple[str, str]:
    """Return the two surrogates that a character beyond U+FFFF is in UTF-16."""
    units = character.encode("utf-16-be")
    return units[:2].decode("utf-16-be", "surrogatepass"), units[2:].decode("utf-16-be", "surrogatepass")


def _joined(text: str) -> str:
    """Return the text with every two surrogates that make a character as that character."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class Documents:
    """All open documents, by URI and by the file that the URI means.

    A file has many URIs: clients escape differently, and folders may be reached through symbolic links. What we
    send about an open document bears the client's own spelling.
    """

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._uris: dict[Path, str] = {}
        self.encoding = PositionEncoding.UTF16

    def open(self, item: types.TextDocumentItem) -> Document:
        """Take over a document; one that was open already is replaced."""
        document = Document(item.uri, item.language_id, item.version, item.text, self.encoding)
        self._documents[item.uri] = document
        if item.uri.startswith("file:"):
            self._uris[path_of(item.uri).resolve()] = item.uri
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
        for path, known in tuple(self._uris.items()):
            if known == uri:
                del self._uris[path]

    def get(self, uri: str) -> Document | None:
        """Return the open document or None."""
        return self._documents.get(uri)

    def at(self, path: Path) -> Document | None:
        """Return the open document of a file (an absolute path without symbolic links), or None."""
        uri = self._uris.get(path)
        return None if uri is None else self._documents.get(uri)

    def place(self, uri: str, path: Path) -> None:
        """Give an open document that is no file a path (absolute) by which jobs can speak of it, and no other."""
        before = self.place_of(uri)
        if before is not None:
            del self._uris[before]
        self._uris[path] = uri

    def place_of(self, uri: str) -> Path | None:
        """Return the path of an open document, or None."""
        return next((path for path, known in self._uris.items() if known == uri), None)

    def paths(self) -> frozenset[Path]:
        """Return the paths of all open documents that have one."""
        return frozenset(self._uris)

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._documents.values()))


def path_of(uri: str) -> Path:
    """Return the file of a `file:` URI; raises `UsageError` for any other scheme and for what is no path."""
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
    except ValueError as problem:
        raise UsageError(f"{uri!r} is no URI: {problem}", field="uri") from problem
    if path is None:
        raise UsageError(
            f"only files can be worked on, not {uri!r}", field="uri", hint="save it to a file first"
        )
    if not _is_possible(path):
        raise UsageError("no file system has such a path: too long, or a character of none", field="uri")
    return Path(path)


def _is_possible(path: str) -> bool:
    try:
        names = os.fsencode(path).replace(b"\\", b"/").split(b"/")
    except UnicodeEncodeError:
        return False
    longest, whole = max(map(len, names)), sum(map(len, names)) + len(names)
    return "\0" not in path and longest <= NAME_BYTES and whole <= PATH_BYTES
