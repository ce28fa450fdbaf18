"""The two streams of the command line, and text made safe to show: nothing read may drive the terminal."""

import io
import os
import re
import sys
import unicodedata
from typing import IO, cast

from rich.console import Console, ConsoleDimensions

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_COMMAND = re.compile(r"^(\s*)::", re.MULTILINE)


class StreamConsole(Console):
    """A console whose reader may go away (`| head`): what is left to say is dropped, the command goes on.

    Its size is the terminal's own: COLUMNS and LINES in the environment may be those of another one, and lanes
    drawn too wide would not stand still.
    """

    @property
    def size(self) -> ConsoleDimensions:
        """The columns and lines of the terminal, or what rich assumes where there is none."""
        try:
            columns, lines = os.get_terminal_size(self.file.fileno())
        except (OSError, ValueError):
            return super().size
        return ConsoleDimensions(columns, lines) if columns > 0 and lines > 0 else super().size

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size

    def on_broken_pipe(self) -> None:
        """Point the stream at nothing, so that neither this command nor the interpreter's end fails on it."""
        self.quiet = True
        discard(self.file)


class WorkflowLog(io.TextIOBase):
    """A stream of a GitHub workflow, in which nothing that is printed can be a command to its runner."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self.stream = stream

    @property
    def buffer(self) -> object:
        """The bytes below, for what another program reads."""
        return getattr(self.stream, "buffer", None)

    def write(self, text: str, /) -> int:
        """Write text in which no line is a command."""
        self.stream.write(inert(text))
        return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        self.stream.flush()

    def fileno(self) -> int:
        """Return the stream's own descriptor."""
        return self.stream.fileno()

    def isatty(self) -> bool:
        """Whether a person looks at it."""
        return self.stream.isatty()

    def writable(self) -> bool:
        """A log is written."""
        return True


def in_a_workflow() -> bool:
    """Whether what is printed goes into the log of a GitHub workflow, whose runner obeys some of its lines."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def inert(text: str) -> str:
    """Return text in which a workflow's runner finds no command, nearly as it was.

    Commands are `::name::` at the beginning of a line and `##[name]` anywhere in it.
    """
    return _COMMAND.sub(r"\1: :", text).replace("##[", "# #[")


def consoles() -> tuple[Console, Console]:
    """Return the console of results (standard output) and the one of progress (standard error)."""
    results, progress = sys.stdout, sys.stderr
    if in_a_workflow():
        results, progress = cast("IO[str]", WorkflowLog(results)), cast("IO[str]", WorkflowLog(progress))
    return (
        StreamConsole(file=results, highlight=False, markup=False, emoji=False),
        StreamConsole(file=progress, highlight=False, markup=False, emoji=False),
    )


def write_text(out: Console, text: str) -> None:
    """Write text as it is, without any layout; what the stream's encoding lacks becomes a question mark."""
    try:
        out.file.write(text)
        out.file.flush()
    except BrokenPipeError:
        out.on_broken_pipe()


def write_for_programs(out: Console, text: str) -> None:
    """Write text as it is, also into a workflow's log: it is up to the caller what its runner obeys."""
    stream = out.file
    try:
        (stream.stream if isinstance(stream, WorkflowLog) else stream).write(text)
        stream.flush()
    except BrokenPipeError:
        cast("StreamConsole", out).on_broken_pipe()


def write_bytes(out: Console, data: bytes) -> None:
    """Write bytes as they are, for what another program reads; to a stream without bytes as UTF-8."""
    buffer = getattr(out.file, "buffer", None)
    if buffer is None:
        write_text(out, data.decode("utf-8", "replace"))
        return
    try:
        out.file.flush()
        buffer.write(data)
        buffer.flush()
    except BrokenPipeError:
        out.on_broken_pipe()


def tolerate_any_encoding() -> None:
    """Let both streams replace what the locale's encoding lacks, instead of failing on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def discard(stream: IO[str]) -> None:
    """Make a stream swallow what it still gets. Streams without a file descriptor are left alone."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def printable(text: str) -> str:
    """Return text without control characters, escape sequences, bidirectional overrides and lone surrogates.

    Line feeds and tabs stay; blanks of other widths become the ordinary one.
    """
    return "".join(_shown(character) for character in text)


def one_line(text: str, longest: int | None = None) -> str:
    """Return text as one safe line, its blanks collapsed, cut to `longest` characters where that is given."""
    line = " ".join(printable(text).split())
    return line if longest is None or len(line) <= longest else line[: longest - 1] + "…"


def _shown(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    return " " if unicodedata.category(character) == "Zs" else REPLACEMENT
