"""On which line of a TOML text a value stands, for messages that name it."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

KeyPath = tuple[str | int, ...]
"""Keys, and places in arrays from 0: `("panel", 1, "price_in")`."""

_BARE_END = frozenset(",]}#\n")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Return the 1-based line of every table header, key and array element.

    `text` must be valid TOML (`tomllib` has read it): what is scanned here is its shape only. Arrays of
    tables, dotted and quoted keys, inline tables and values over several lines are followed.
    """
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.lines


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int | None:
    """Return the line of a value, or of the nearest thing around it that has one."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


@dataclass(slots=True)
class _Scanner:
    text: str
    position: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    counts: dict[KeyPath, int] = field(default_factory=dict[KeyPath, int])
    """The number of the last `[[…]]` of each name."""
    line_starts: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.line_starts = [0, *(end.end() for end in re.finditer("\n", self.text))]

    def document(self) -> None:
        """Read everything; each turn consumes at least one character."""
        table: KeyPath = ()
        while True:
            self.blank()
            if self.at_end:
                return
            if self.peek("["):
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> KeyPath:
        double = self.peek("[[")
        line = self.line
        self.position += 2 if double else 1
        names = self.keys("]")
        self.position += 2 if double else 1
        path = (*self.inside(names[:-1]), names[-1])
        if double:
            number = self.counts[path] = self.counts.get(path, -1) + 1
            self.lines.setdefault(path, line)
            path = (*path, number)
        self.lines[path] = line
        return path

    def inside(self, names: list[str]) -> KeyPath:
        """Return where a name leads: the last element of an array of tables on the way."""
        path: KeyPath = ()
        for name in names:
            path = (*path, name)
            if path in self.counts:
                path = (*path, self.counts[path])
        return path

    def pair(self, table: KeyPath) -> None:
        line = self.line
        path = table
        for name in self.keys("="):
            path = (*path, name)
            self.lines.setdefault(path, line)
        self.position += 1
        self.value(path)

    def keys(self, end: str) -> list[str]:
        names: list[str] = []
        while not self.at_end:
            self.spaces()
            if self.peek('"') or self.peek("'"):
                start = self.position
                self.string()
                names.append(self.text[start + 1 : self.position - 1])
            else:
                start = self.position
                while not self.at_end and self.text[self.position] not in f" \t.{end}":
                    self.position += 1
                names.append(self.text[start : self.position])
            self.spaces()
            if not self.peek("."):
                return names
            self.position += 1
        return names

    def value(self, path: KeyPath) -> None:
        self.spaces()
        if self.peek("["):
            self.array(path)
        elif self.peek("{"):
            self.inline_table(path)
        elif self.peek('"') or self.peek("'"):
            self.string()
        else:
            while not self.at_end and self.text[self.position] not in _BARE_END:
                self.position += 1

    def array(self, path: KeyPath) -> None:
        self.position += 1
        number = 0
        while True:
            self.blank()
            if self.at_end or self.peek("]"):
                self.position += 1
                return
            if self.peek(","):
                self.position += 1
                continue
            self.lines[(*path, number)] = self.line
            self.value((*path, number))
            number += 1

    def inline_table(self, path: KeyPath) -> None:
        self.position += 1
        while True:
            self.blank()
            if self.at_end or self.peek("}"):
                self.position += 1
                return
            if self.peek(","):
                self.position += 1
                continue
            self.pair(path)

    def string(self) -> None:
        quote = self.text[self.position]
        mark = quote * 3 if self.peek(quote * 3) else quote
        self.position += len(mark)
        while not self.at_end and not self.peek(mark):
            self.position += 2 if quote == '"' and self.peek("\\") else 1
        self.position += len(mark)
        # A string over several lines may end in one or two more quotes of its own.
        while len(mark) == 3 and self.peek(quote):
            self.position += 1

    def blank(self) -> None:
        """Skip white space, line ends and comments."""
        while not self.at_end:
            if self.text[self.position] in " \t\n\r":
                self.position += 1
            elif self.peek("#"):
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            else:
                return

    def spaces(self) -> None:
        while not self.at_end and self.text[self.position] in " \t":
            self.position += 1

    def peek(self, mark: str) -> bool:
        return self.text.startswith(mark, self.position)

    @property
    def at_end(self) -> bool:
        return self.position >= len(self.text)

    @property
    def line(self) -> int:
        return bisect_right(self.line_starts, self.position)
