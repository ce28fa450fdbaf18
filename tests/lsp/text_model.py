"""A document as clients hold it, written without the server's: units of an encoding, and LSP's own line rule."""

from array import array
from collections.abc import Sequence

CODES = {"utf-8": ("utf-8", "B"), "utf-16": ("utf-16-le", "H"), "utf-32": ("utf-32-le", "I")}

LINE_FEED, CARRIAGE_RETURN = 10, 13


class ClientText:
    """A document; `encoding` is LSP's name. Positions beyond the text are moved back into it, as LSP says."""

    def __init__(self, text: str, encoding: str) -> None:
        self._codec, self._kind = CODES[encoding]
        self._units = self._of(text)

    @property
    def text(self) -> str:
        """The whole text; units that make no character are lone surrogates."""
        return self._units.tobytes().decode(self._codec, "surrogatepass")

    def lines(self) -> list[tuple[int, int]]:
        """Return where each line's content starts and ends, in units."""
        lines: list[tuple[int, int]] = []
        start = place = 0
        while place < len(self._units):
            unit = self._units[place]
            if unit in {LINE_FEED, CARRIAGE_RETURN}:
                lines.append((start, place))
                pair = unit == CARRIAGE_RETURN and self._units[place + 1 : place + 2].tolist() == [LINE_FEED]
                start = place = place + (2 if pair else 1)
            else:
                place += 1
        return [*lines, (start, len(self._units))]

    def replace(self, start: Sequence[int], end: Sequence[int], text: str) -> None:
        """Replace what is between two positions (line, character)."""
        begin, stop = self._offset(*start), self._offset(*end)
        self._units = self._units[:begin] + self._of(text) + self._units[stop:]

    def replace_all(self, text: str) -> None:
        """Replace everything."""
        self._units = self._of(text)

    def _offset(self, line: int, character: int) -> int:
        lines = self.lines()
        if line >= len(lines):
            return len(self._units)
        start, end = lines[line]
        place = min(start + character, end)
        # Bytes inside a character of UTF-8 are nobody's position: the character's start is.
        while self._kind == "B" and start < place < end and self._units[place] & 0xC0 == 0x80:
            place -= 1
        return place

    def _of(self, text: str) -> "array[int]":
        units: array[int] = array(self._kind)
        units.frombytes(text.encode(self._codec, "surrogatepass"))
        return units
