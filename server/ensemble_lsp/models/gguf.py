"""The header of a GGUF file: what model it holds and how much memory its context takes.

The format: magic `GGUF`, version (u32), number of tensors (u64), number of key–value pairs (u64), then the
pairs, little-endian; a string is its length (u64) and UTF-8 bytes; an array its element type (u32), its
length (u64) and the elements. Versions 2 and 3 read the same.
"""

import struct
from pathlib import Path
from typing import BinaryIO, Final

from ensemble_lsp.core.errors import WeightsUnavailable
from ensemble_lsp.core.frozen import Frozen

_MAGIC: Final = b"GGUF"
_VERSIONS: Final = (2, 3)
_STRING: Final = 8
_ARRAY: Final = 9
_SCALARS: Final = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_LONGEST_STRING: Final = 1 << 20
_MOST_PAIRS: Final = 10_000
_MOST_ELEMENTS: Final = 10_000_000


class GgufHeader(Frozen):
    """What the header says. Zero or empty where the file does not say it."""

    architecture: str
    name: str
    context_tokens: int
    layers: int
    key_value_heads: int
    head_size: int
    """Elements of one attention head."""
    chat_template: bool

    @property
    def cache_bytes_per_token(self) -> int:
        """Memory that one token of context takes: keys and values as 16-bit floats in every layer."""
        return self.layers * self.key_value_heads * self.head_size * 2 * 2


def read_header(path: Path) -> GgufHeader:
    """Read the header of a model file; raises `WeightsUnavailable` when it is not one that can be loaded."""
    try:
        with path.open("rb") as file:
            return _header(_pairs(file, path))
    except OSError as problem:
        raise WeightsUnavailable(
            f"the model file {path} cannot be read: {problem.strerror}",
            hint="Set `embedded.path` to a GGUF file that exists and that you may read.",
        ) from problem
    except (struct.error, UnicodeDecodeError, EOFError) as problem:
        raise _unusable(path, "its header is cut off or damaged") from problem


def _unusable(path: Path, why: str) -> WeightsUnavailable:
    return WeightsUnavailable(
        f"{path} is not a usable GGUF model file: {why}",
        hint="Download it again, or set `embedded.path` to another GGUF file.",
    )


def _pairs(file: BinaryIO, path: Path) -> dict[str, object]:
    if file.read(4) != _MAGIC:
        raise _unusable(path, "it does not begin with the letters GGUF")
    version, _tensors, count = struct.unpack("<IQQ", file.read(20))
    if version not in _VERSIONS:
        raise _unusable(path, f"version {version} of the format is not known")
    if count > _MOST_PAIRS:
        raise _unusable(path, f"it claims {count} entries in its header")
    pairs: dict[str, object] = {}
    for _ in range(count):
        key = _string(file, path)
        (kind,) = struct.unpack("<I", file.read(4))
        pairs[key] = _value(file, path, kind)
    return pairs


def _string(file: BinaryIO, path: Path) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _LONGEST_STRING:
        raise _unusable(path, f"it claims a text of {length} bytes in its header")
    data = file.read(length)
    if len(data) < length:
        raise EOFError
    return data.decode("utf-8", errors="replace")


def _value(file: BinaryIO, path: Path, kind: int) -> object:
    if kind == _STRING:
        return _string(file, path)
    if kind == _ARRAY:
        _skip_array(file, path)
        return None
    form = _SCALARS.get(kind)
    if form is None:
        raise _unusable(path, f"type {kind} in its header is not known")
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return value


def _skip_array(file: BinaryIO, path: Path) -> None:
    kind, length = struct.unpack("<IQ", file.read(12))
    if length > _MOST_ELEMENTS:
        raise _unusable(path, f"it claims a list of {length} elements in its header")
    if kind == _STRING:
        for _ in range(length):
            (size,) = struct.unpack("<Q", file.read(8))
            file.seek(size, 1)
        return
    form = _SCALARS.get(kind)
    if form is None:
        raise _unusable(path, f"a list of type {kind} in its header is not known")
    file.seek(struct.calcsize(form) * length, 1)


def _header(pairs: dict[str, object]) -> GgufHeader:
    def number(key: str) -> int:
        value = pairs.get(key)
        return value if isinstance(value, int) else 0

    def text(key: str) -> str:
        value = pairs.get(key)
        return value if isinstance(value, str) else ""

    architecture = text("general.architecture")
    heads = number(f"{architecture}.attention.head_count")
    width = number(f"{architecture}.embedding_length")
    return GgufHeader(
        architecture=architecture,
        name=text("general.name"),
        context_tokens=number(f"{architecture}.context_length"),
        layers=number(f"{architecture}.block_count"),
        key_value_heads=number(f"{architecture}.attention.head_count_kv") or heads,
        head_size=number(f"{architecture}.attention.key_length") or (width // heads if heads else 0),
        chat_template=bool(text("tokenizer.chat_template")),
    )
