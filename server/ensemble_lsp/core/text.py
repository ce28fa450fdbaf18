"""Lossless text: bytes in, the same bytes out; lines as LSP counts them; positions in all three encodings."""

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

_BOMS = {
    # UTF-32 first: its little-endian mark begins with UTF-16's.
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-8": codecs.BOM_UTF8,
}
_ASCII = "".join(map(chr, range(32, 127))) + "\t\n\r\f"
# PEP 263: a comment in the first or second line. XML: the declaration that opens the file.
_CODING_LINE = re.compile(rb"^[ \t\f]*(?:#|//|/\*|;|--|%).*?coding[:=][ \t]*([-\w.]+)")
_XML_DECLARATION = re.compile(rb"""^<\?xml\b[^>]*?\bencoding=["']([-\w.]+)["']""")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(r"\r\n|\r|\n")
_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""What no undecoded byte is read as (`surrogateescape`)."""
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"


class Unwritable(ValueError):
    """A character that a file cannot be written with; the message says which and why."""

    def __init__(self, encoding: str, character: str) -> None:
        if _SURROGATE.match(character):
            message = f"{character!a} is half of a surrogate pair or a byte that is no text; no file takes it"
        else:
            message = f"the file's encoding, {encoding}, has no character for {character!a}"
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of one file, able to give back exactly the bytes it came from.

    `text` holds code points with every line's own ending and without the byte order mark; bytes that do not
    decode are lone surrogates (`surrogateescape`). `encoding` is Python's codec name.
    """

    text: str
    encoding: str = "utf-8"
    bom: bool = False

    @classmethod
    def from_bytes(cls, data: bytes, encoding: str | None = None) -> "SourceText":
        """Decode any bytes, so that `to_bytes` of the result is `data` again.

        In this order: a byte order mark, `encoding` (what an editor or a project says), a declaration in the
        file (PEP 263, XML), UTF-8. A codec that would not give the same bytes back is passed over, and what
        is no valid UTF-8 is kept byte by byte; so nothing is ever raised and nothing replaced by U+FFFD.
        """
        for codec, mark in _BOMS.items():
            if data.startswith(mark):
                found = _decoded(data[len(mark) :], codec)
                if found is not None:
                    return cls(found, codec, bom=True)
        declared = _declared_encoding(data)
        for codec in (
            _canonical(encoding, "") if encoding else None,
            _canonical(declared, _ASCII) if declared else None,
        ):
            if codec is not None and codec != "utf-8":
                found = _decoded(data, codec)
                if found is not None:
                    return cls(found, codec)
        return cls(data.decode("utf-8", "surrogateescape"))

    def to_bytes(self) -> bytes:
        """Encode; raises `UnicodeEncodeError` for characters that the file's encoding does not have."""
        mark = _BOMS[self.encoding] if self.bom else b""
        return mark + self.text.encode(self.encoding, _error_handler(self.encoding))

    def to_bytes_for_tools(self) -> bytes:
        """Encode for a copy that tools read; what the encoding does not have is written as UTF-8 writes it.

        An editor can hold half of a surrogate pair, which no file can: tools then read a file that is not valid.
        """
        try:
            return self.to_bytes()
        except UnicodeEncodeError:
            return self.text.encode("utf-8", "surrogatepass")

    def to_bytes_for_a_file(self) -> bytes:
        """Encode for a file of the person's; raises `Unwritable`, with words for them, where `to_bytes` cannot."""
        try:
            return self.to_bytes()
        except UnicodeEncodeError as error:
            raise Unwritable(self.encoding, error.object[error.start]) from error

    def with_text(self, text: str) -> "SourceText":
        """Return other text in the same encoding, with the same byte order mark."""
        return SourceText(text, self.encoding, self.bom)


def added_surrogates(added: str, known: str) -> str:
    """Return the first surrogate in `added` that `known` does not have, "" without one.

    In a text that was read they stand for bytes that did not decode; nobody can write new ones.
    """
    return next((found for found in _SURROGATE.findall(added) if found not in known), "")


def utf8_of(text: str) -> bytes:
    """Return UTF-8 for whoever reads a text: undecoded bytes as they were, half of a surrogate pair as U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _HALF.sub("\ufffd", text).encode("utf-8", "surrogateescape")


def is_binary(data: bytes) -> bool:
    """Whether `data` is no text: it holds NUL (as git decides), or one control character in ten.

    UTF-16 and UTF-32 count as text only with their byte order mark.
    """
    for codec, mark in _BOMS.items():
        if codec != "utf-8" and data.startswith(mark):
            found = _decoded(data[len(mark) :], codec)
            if found is not None:
                return "\0" in found
    if b"\0" in data:
        return True
    head = data[:8000]
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) / 10


def split_lines(text: str) -> list[str]:
    r"""Split as LSP does, at ``\n``, ``\r\n`` and ``\r`` only; each line keeps its ending.

    U+2028, U+2029, U+0085, VT and FF stay inside their line. The lines joined are `text` again; after a final
    line ending there is no further, empty line.
    """
    if "\r" in text:
        return _LINE.findall(text)
    lines = text.split("\n")
    last = lines.pop()
    lines = [line + "\n" for line in lines]
    if last:
        lines.append(last)
    return lines


def content_of(line: str) -> str:
    """Return one line of `split_lines` without its ending."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def line_ending_of(text: str) -> str:
    r"""Return the ending that most lines have, the first seen on a tie; ``\n`` for text of one line."""
    if "\r" not in text:
        return "\n"
    return most_common_ending(match.group() for match in _LINE_END.finditer(text))


def most_common_ending(endings: Iterable[str]) -> str:
    r"""Return the most frequent of `endings`, ignoring empty ones; the first seen on a tie, else ``\n``."""
    counts: dict[str, int] = {}
    for ending in endings:
        if ending:
            counts[ending] = counts.get(ending, 0) + 1
    return max(counts, key=lambda ending: counts[ending]) if counts else "\n"


class PositionEncoding(StrEnum):
    """What a position's `character` counts (LSP 3.17, PositionEncodingKind)."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"


class LineIndex:
    """Offsets (code points from the start of a text) to LSP positions and back.

    Building is linear in the text, a lookup logarithmic, whatever the length of the line. A lone surrogate
    (an undecodable byte) counts as the one replacement character that an editor shows for it: one unit of
    UTF-16, three of UTF-8.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._ascii = text.isascii()
        self._starts, self._ends = _line_spans(text)
        self._text = text
        self._wide: dict[PositionEncoding, tuple[list[int], list[int]]] = {}

    @property
    def line_count(self) -> int:
        """The number of lines as LSP counts: one more than there are line endings."""
        return len(self._starts)

    def offset_at(
        self, line: int, character: int, encoding: PositionEncoding = PositionEncoding.UTF16
    ) -> int:
        """Return the offset of a position, clamped to the line (before its ending) and to the text.

        A position inside a character (between two surrogates, or two bytes) is that character's start.
        """
        if line < 0:
            return 0
        if line >= len(self._starts):
            return self._length
        start, end = self._starts[line], self._ends[line]
        if character <= 0:
            return start
        if self._narrow(encoding):
            return min(start + character, end)
        base = self._units_before(start, encoding)
        low, high = start, end
        # Bisect on the monotone map offset → units; the line has at most 2**31 units.
        while low < high:
            middle = (low + high + 1) // 2
            if self._units_before(middle, encoding) - base <= character:
                low = middle
            else:
                high = middle - 1
        return low

    def position_at(
        self, offset: int, encoding: PositionEncoding = PositionEncoding.UTF16
    ) -> tuple[int, int]:
        """Return (line, character) of an offset; one beyond the text, or inside an ending, is clamped."""
        offset = min(max(offset, 0), self._length)
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        offset = min(offset, self._ends[line])
        if self._narrow(encoding):
            return line, offset - start
        return line, self._units_before(offset, encoding) - self._units_before(start, encoding)

    def line_span(self, line: int) -> tuple[int, int]:
        """Return the offsets where a line's content starts and ends, its ending left out."""
        return self._starts[line], self._ends[line]

    def _narrow(self, encoding: PositionEncoding) -> bool:
        return self._ascii or encoding is PositionEncoding.UTF32

    def _units_before(self, offset: int, encoding: PositionEncoding) -> int:
        if encoding not in self._wide:
            self._wide[encoding] = _wide_characters(self._text, encoding)
        places, extra = self._wide[encoding]
        return offset + extra[bisect_right(places, offset - 1)]


def _line_spans(text: str) -> tuple[list[int], list[int]]:
    """Return the offsets where each line's content starts and where it ends. Made anew at each keystroke."""
    if "\r" in text:
        ends = [(match.start(), match.end()) for match in _LINE_END.finditer(text)]
        return [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(text)]
    behind = list(accumulate(len(line) + 1 for line in text.split("\n")))
    return [0, *behind[:-1]], [offset - 1 for offset in behind]


def _wide_characters(text: str, encoding: PositionEncoding) -> tuple[list[int], list[int]]:
    """Return the offsets of characters of more than one unit, and the extra units before each (and in all)."""
    if encoding is PositionEncoding.UTF16:
        places = [match.start() for match in re.finditer("[\U00010000-\U0010ffff]", text)]
        return places, list(range(len(places) + 1))
    wide = [(match.start(), match.group()) for match in re.finditer("[^\0-\x7f]", text)]
    extra = accumulate(
        (1 if char < "\u0800" else 2 if char < "\U00010000" else 3 for _, char in wide), initial=0
    )
    return [place for place, _ in wide], list(extra)


def _declared_encoding(data: bytes) -> str | None:
    match = _XML_DECLARATION.match(data)
    for line in data[:2000].replace(b"\r", b"\n").split(b"\n", 2)[:2]:
        match = match or _CODING_LINE.match(line)
    return match.group(1).decode("ascii", "replace") if match else None


def _canonical(name: str, plain: str) -> str | None:
    """Return the codec's name if it writes `plain` as ASCII does: a file that names its codec in ASCII must."""
    try:
        codec = codecs.lookup(name).name
        return codec if not plain or plain.encode(codec) == plain.encode("ascii") else None
    except (LookupError, ValueError):
        return None


def _decoded(data: bytes, codec: str) -> str | None:
    handler = _error_handler(codec)
    try:
        text = data.decode(codec, handler)
        return text if text.encode(codec, handler) == data else None
    except (LookupError, UnicodeError):  # LookupError: a codec that is not one of text, like "hex"
        return None


def _error_handler(codec: str) -> str:
    if codec == "utf-8":
        return "surrogateescape"
    # Lone surrogates are how Windows file names and broken editors get into UTF-16 files.
    return "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "strict"
