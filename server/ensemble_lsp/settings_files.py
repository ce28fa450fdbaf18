"""Reading one settings file: its values, and errors that name file, line and key."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast, get_args

from pydantic import BaseModel, ValidationError

from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.toml_lines import KeyPath, key_lines, line_of

M = TypeVar("M", bound=BaseModel)

MAXIMUM_BYTES = 1024 * 1024
"""A settings file that is larger is not one."""

_SHOWN = 5
"""Errors of one source that are shown at once."""

_SIMILAR = 60.0
"""Least similarity (rapidfuzz ratio, 0..100) of a key that is suggested."""


@dataclass(frozen=True, slots=True)
class SettingsText:
    """The values of one source and where they stand.

    `name` is how messages call it; `prefix` leads to our table inside the file (`tool.ensemble`).
    """

    name: str
    values: dict[str, object]
    path: Path | None = None
    prefix: KeyPath = ()
    content: str = field(default="", repr=False)

    def line(self, keys: KeyPath) -> int | None:
        """Return the 1-based line of a key, or None where the source has no lines."""
        return line_of(key_lines(self.content), (*self.prefix, *keys)) if self.content else None


def read_toml(path: Path, *, name: str = "", prefix: tuple[str, ...] = ()) -> SettingsText | None:
    """Read a file, or return None when there is none or it has no table `prefix`.

    Raises `ConfigurationError` for a file that cannot be read or is not TOML.
    """
    name = name or str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAXIMUM_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigurationError(f"{name}: cannot be read: {reason}", source=str(path)) from error
    if len(data) > MAXIMUM_BYTES:
        raise ConfigurationError(f"{name}: larger than 1 MiB", source=str(path))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}, line {line}: not UTF-8"
        raise ConfigurationError(message, source=str(path), line=line) from error
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(error, text, name, path) from error
    except (RecursionError, ValueError) as error:
        # Nesting and numbers without end: a repository may hold anything.
        raise ConfigurationError(f"{name}: not a settings file ({error})", source=str(path)) from error
    table: object = document
    for key in prefix:
        table = cast("dict[str, object]", table).get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    if not isinstance(table, dict):
        field_name = ".".join(prefix)
        raise ConfigurationError(f"{name}: {field_name} must be a table", source=str(path), field=field_name)
    return SettingsText(name, cast("dict[str, object]", table), path, prefix, text)


def validate(model: type[M], values: Mapping[str, object], source: SettingsText) -> M:
    """Return `values` as `model`; raises `ConfigurationError` naming the source, the line and the key."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        messages = [
            _message(model, source, detail["loc"], detail["type"], detail["msg"])
            for detail in details[:_SHOWN]
        ]
        if len(details) > _SHOWN:
            messages.append(f"and {len(details) - _SHOWN} more")
        first: KeyPath = details[0]["loc"]
        hint = ""
        if any(str(detail["loc"][-1]) in {"api_key", "key", "token"} for detail in details if detail["loc"]):
            hint = "keys do not belong in settings: set api_key_env to the name of the variable that holds it"
        raise ConfigurationError(
            "\n".join(messages),
            hint=hint,
            source=str(source.path or source.name),
            line=source.line(first),
            field=dotted(first),
        ) from error


def dotted(keys: KeyPath) -> str:
    """Return keys as they are written in messages: `panel[1].price_in`."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def nearest(word: str, known: list[str], *, similar: float = _SIMILAR) -> str | None:
    """Return the known word most like `word`, or None when none is like it (`similar`: 0..100)."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415  (4 MB that the language server does not need)

    found = process.extractOne(word, known, scorer=fuzz.ratio, score_cutoff=similar)
    return None if found is None else str(found[0])


def keys_of(model: type[BaseModel], keys: KeyPath) -> list[str]:
    """Return the known keys of the table that `keys` leads to, inside `model`."""
    current = model
    for key in keys:
        if isinstance(key, int):
            continue
        found = current.model_fields.get(key)
        table = None if found is None else table_in(found.annotation)
        if table is None:
            return []
        current = table
    return list(current.model_fields)


def table_in(annotation: object) -> type[BaseModel] | None:
    """Return the table model of a field's type: itself, optional, or the element of an array."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        found = table_in(argument)
        if found is not None:
            return found
    return None


def _message(model: type[BaseModel], source: SettingsText, keys: KeyPath, kind: str, what: str) -> str:
    line = source.line(keys)
    if kind == "extra_forbidden":
        what = "unknown key"
        suggestion = nearest(str(keys[-1]), keys_of(model, keys[:-1]))
        if suggestion is not None:
            what += f'; did you mean "{suggestion}"?'
    place = source.name if line is None else f"{source.name}, line {line}"
    where = dotted(keys)
    return f"{place}: {where}: {what}" if where else f"{place}: {what}"


def _syntax_error(error: ValueError, text: str, name: str, path: Path) -> ConfigurationError:
    message = str(error)
    found = re.search(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if found is None:
        return ConfigurationError(f"{name}: {message}", source=str(path))
    line = int(found[1]) if found[1] else text.count("\n") + 1
    column = f" (column {found[2]})" if found[2] else " (at the end)"
    return ConfigurationError(
        f"{name}, line {line}: {message[: found.start()]}{column}", source=str(path), line=line
    )
