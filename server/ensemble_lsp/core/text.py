"""Lossless text. (Written out by the edits work; this is the shape everybody relies on.)"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of one file, able to give back exactly the bytes it came from.

    `text` holds code points with every line's own ending and without the byte order mark; bytes that do not
    decode are lone surrogates (`surrogateescape`). `encoding` is Python's codec name.
    """

    text: str
    encoding: str = "utf-8"
    bom: bool = False
