"""How values stand in columns: text that may hold lone surrogates, and JSON that is packed small."""

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

NANO = 1_000_000_000
"""Money is kept as whole billionths of a dollar, so that sums over many calls are exact."""


def to_column(text: str) -> str | bytes:
    """Return what SQLite can keep of `text`: itself, or bytes where it holds lone surrogates.

    The same text always gives the same value, so columns can be compared.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(value: str | bytes) -> str:
    """Return the text that `to_column` was given."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value


def pack(data: Mapping[str, object] | Sequence[object]) -> bytes:
    """Return JSON-ready data as compressed ASCII JSON (lone surrogates become escapes)."""
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), 6)


def unpack_object(body: bytes) -> dict[str, object]:
    """Return the object that `pack` was given."""
    return cast("dict[str, object]", json.loads(zlib.decompress(body)))


def unpack_objects(body: bytes) -> list[dict[str, object]]:
    """Return the list of objects that `pack` was given."""
    return cast("list[dict[str, object]]", json.loads(zlib.decompress(body)))


def to_nano(usd: float) -> int:
    """Return US dollars as whole billionths."""
    return round(usd * NANO)


def to_usd(nano: int) -> float:
    """Return billionths as US dollars."""
    return nano / NANO


def local_day(seconds: float) -> str:
    """Return the local calendar day (ISO) of a time in seconds since the epoch."""
    return datetime.fromtimestamp(seconds, tz=UTC).astimezone().date().isoformat()
