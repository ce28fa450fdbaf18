"""Where settings come from, and who may say what.

Later ones win: defaults, the user's `config.toml`, the editor, the workspace's `ensemble.toml` (or
`[tool.ensemble]` in `pyproject.toml`), variables `ENSEMBLE_…`, the command line. Last of all comes the
organisation's policy, which can only tighten. A workspace that is not trusted cannot say what would spend
money, send code elsewhere, run a command or loosen a cap; and no source can take back what another excludes
from sending.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from pydantic import BaseModel

from ensemble_lsp import directories
from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.settings import RESTRICTED_KEYS, Settings
from ensemble_lsp.settings_files import SettingsText, keys_of, nearest, read_toml, validate
from ensemble_lsp.settings_policy import Policy, load_policy

USER_FILE = "config.toml"
WORKSPACE_FILE = "ensemble.toml"

ADDITIVE = frozenset({"context.exclude"})
"""Keys whose values add up over all sources: an exclusion cannot be undone from elsewhere."""

_PATHS = ("embedded.path", "execution.python")
"""Keys that name a file; relative ones start at the file's folder, or at the workspace."""

_TABLES: dict[str, type[BaseModel]] = {
    name: found.annotation
    for name, found in Settings.model_fields.items()
    if isinstance(found.annotation, type) and issubclass(found.annotation, BaseModel)
}
"""Tables that are merged key by key. Members are not: a key of one must not meet a server of another."""

_DEPTH = 6
"""Levels of nesting in settings: a key of a member in the panel is the deepest, with three."""

_PREFIX = "ENSEMBLE_"

_TYPO = 80.0
"""Similarity from which an unknown key of the editor or the environment is taken for a slip.

Both may hold names that are not for us, so that a merely similar one is passed over in silence.
"""

NOT_SETTINGS = frozenset(
    {
        "ENSEMBLE_STATE_DIR",
        "ENSEMBLE_CACHE_DIR",
        "ENSEMBLE_CONFIG_DIR",
        "ENSEMBLE_POLICY_FILE",
        "ENSEMBLE_LOCAL_SERVERS",
    }
)


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, what the person should know about them, and where each came from.

    `sources`: dotted key → the name of the source, for keys that are not at their default. `policy` also
    binds what does not stand in settings: recipients of members that were found, limits of a single job.
    """

    settings: Settings
    notices: tuple[str, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    policy: Policy = field(default_factory=Policy)


def load_settings(
    workspace: Path | None,
    *,
    editor: Mapping[str, object] | None = None,
    environment: Mapping[str, str],
    overrides: Mapping[str, object] | None = None,
    trusted: bool = False,
    rules: Path | None = None,
) -> LoadedSettings:
    """Return the settings in force for a workspace.

    `rules` stands for the workspace where its settings file is read: a copy of another commit's, which counts as a
    trusted folder's. Files that it names are those of the workspace, and taken only when that is trusted too.

    `editor` is the section `ensemble` as the client sent it, camelCase or snake_case; `overrides` are the
    command line's, nested or with dotted keys, None meaning "not given". Raises `ConfigurationError` with
    source, line and key for what cannot be used.
    """
    notices: list[str] = []
    texts = [
        text
        for text in (
            read_toml(directories.configuration_directory() / USER_FILE),
            _editor_text(editor or {}, notices),
            _workspace_text(workspace, notices, trusted=trusted)
            if rules is None
            else _rules_text(rules, workspace, notices, trusted=trusted),
            *_environment_texts(environment, notices),
            SettingsText("command line", nested(overrides or {})),
        )
        if text is not None
    ]
    merged: dict[str, object] = {}
    sources: dict[str, str] = {}
    for text in texts:
        # Each source is checked by itself, so that an error is laid at the right door.
        validate(Settings, text.values, text)
        for key, value in flat(text.values):
            placed = _placed(key, value, text, workspace)
            earlier = merged.get(key)
            if key in ADDITIVE and isinstance(earlier, list | tuple) and isinstance(placed, list | tuple):
                both = [*cast("list[object]", earlier), *cast("list[object]", placed)]
                merged[key] = list(dict.fromkeys(both))
                sources[key] = f"{sources[key]}, {text.name}"
            else:
                merged[key] = placed
                sources[key] = text.name
    settings = validate(Settings, nested(merged), SettingsText("settings", {}))
    policy_path = directories.policy_file()
    policy = load_policy(policy_path)
    settings, tightened = policy.tightened(settings)
    for key, value in tightened.items():
        sources[key] = str(policy_path)
        notices.append(f"your organisation's policy sets {key} = {_toml(value)} ({policy_path})")
    return LoadedSettings(settings, tuple(notices), sources, policy)


def drop_restricted(values: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return what a folder that is not trusted may say, and the dotted keys that were dropped.

    For workspace files, and for what an editor returns for such a folder, since clients merge the values of
    user and workspace.
    """
    kept: dict[str, object] = {}
    dropped: list[str] = []
    for key, value in flat(values):
        if key in RESTRICTED_KEYS or key.partition(".")[0] in RESTRICTED_KEYS:
            dropped.append(key)
        else:
            kept[key] = value
    return nested(kept), tuple(dropped)


def normalised(values: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """Return an editor's values as settings spell them: snake_case, without what is unset (null, "").

    What is nested deeper than any setting is left as it is: validation refuses it.
    """
    result: dict[str, object] = {}
    for key, value in values.items():
        if value is None or value == "":
            continue
        name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
        result[name] = _normalised_value(value, depth)
    return nested(result)


def flat(values: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Yield dotted keys with their values; tables that are merged key by key are opened, others are not."""
    for key, value in values.items():
        if key in _TABLES and isinstance(value, Mapping):
            for inner, inner_value in cast("Mapping[str, object]", value).items():
                yield f"{key}.{inner}", inner_value
        else:
            yield key, value


def variables() -> dict[str, str]:
    """Return the variables that are read: name → dotted key. Arrays of tables but the panel have none."""
    names = {"ENSEMBLE_PANEL": "panel", "ENSEMBLE_STRONG": "strong"}
    for key in Settings.model_fields:
        if key in _TABLES:
            for inner in _TABLES[key].model_fields:
                names[f"ENSEMBLE_{key}_{inner}".upper()] = f"{key}.{inner}"
        elif key not in {"panel", "strong", "checks"}:
            names[f"ENSEMBLE_{key}".upper()] = key
    return names


def _workspace_text(workspace: Path | None, notices: list[str], *, trusted: bool) -> SettingsText | None:
    if workspace is None:
        return None
    own = workspace / WORKSPACE_FILE
    text = read_toml(own, name=WORKSPACE_FILE) if _is_plain_file(own) else None
    shared = _pyproject(workspace / "pyproject.toml", notices)
    if text is not None and shared is not None:
        notices.append(f"[tool.ensemble] in pyproject.toml is ignored, because there is an {WORKSPACE_FILE}")
    text = text or shared
    if text is None or trusted:
        return text
    kept, dropped = drop_restricted(text.values)
    if dropped:
        notices.append(
            f"{text.name}: {', '.join(dropped)} ignored, because this folder is not trusted "
            "(`ensemble-lsp trust`, or the editor's workspace trust)"
        )
    return SettingsText(text.name, kept, text.path, text.prefix, text.content)


def _rules_text(
    rules: Path, workspace: Path | None, notices: list[str], *, trusted: bool
) -> SettingsText | None:
    text = _workspace_text(rules, notices, trusted=True)
    if text is None:
        return None
    values = dict(flat(text.values))
    named = [key for key in _PATHS if key in values]
    for key in named:
        value = values.pop(key)
        if trusted and workspace is not None and isinstance(value, str):
            values[key] = str(workspace / Path(value).expanduser())
    if named and not trusted:
        notices.append(
            f"{text.name}: {', '.join(named)} ignored: no file of a folder that is not trusted is used"
        )
    return SettingsText(text.name, nested(values), text.path, text.prefix, text.content)


def _pyproject(path: Path, notices: list[str]) -> SettingsText | None:
    """Read our table of a pyproject.toml. One that is broken elsewhere is its owner's work in progress."""
    if not _is_plain_file(path):
        return None
    try:
        return read_toml(path, name="pyproject.toml", prefix=("tool", "ensemble"))
    except ConfigurationError as error:
        if error.line is not None and b"tool.ensemble" not in path.read_bytes():
            notices.append(f"{error.message}; it was not read for settings")
            return None
        raise


def _is_plain_file(path: Path) -> bool:
    """Return whether this may be read without waiting: a repository can hold pipes and devices by link."""
    try:
        return path.is_file()
    except OSError:
        return False


def _editor_text(editor: Mapping[str, object], notices: list[str]) -> SettingsText:
    """Read what the client sent. Clients keep settings of their own in our section: those are passed over."""
    kept: dict[str, object] = {}
    for key, value in flat(normalised(editor)):
        table, _, name = key.rpartition(".")
        known = keys_of(Settings, (table,) if table else ())
        if name in known:
            kept[key] = value
            continue
        suggestion = nearest(name, known, similar=_TYPO)
        if suggestion is not None:
            better = f"{table}.{suggestion}" if table else suggestion
            notices.append(f'editor settings: unknown key {key}; did you mean "{better}"?')
    return SettingsText("editor settings", nested(kept))


def _environment_texts(environment: Mapping[str, str], notices: list[str]) -> Iterator[SettingsText]:
    known = variables()
    for name, raw in sorted(environment.items()):
        value = raw.strip()
        if not name.startswith(_PREFIX) or name in NOT_SETTINGS or not value:
            continue
        if name not in known:
            short = [other.removeprefix(_PREFIX) for other in known]
            suggestion = nearest(name.removeprefix(_PREFIX), short, similar=_TYPO)
            if suggestion is not None:
                notices.append(f"variable {name} is not a setting; did you mean {_PREFIX}{suggestion}?")
            continue
        key = known[name]
        listed = key in {"panel", "context.include", "context.exclude"}
        items = [item.strip() for item in value.split(",") if item.strip()]
        yield SettingsText(name, nested({key: items if listed else value}))


def _placed(key: str, value: object, text: SettingsText, workspace: Path | None) -> object:
    """Return a path as an absolute one: from the folder of its file, else from the workspace."""
    if key not in _PATHS or not isinstance(value, str | Path):
        return value
    path = Path(value).expanduser()
    folder = text.path.parent if text.path is not None else workspace
    return path if folder is None else folder / path


def nested(values: Mapping[str, object]) -> dict[str, object]:
    """Return dotted keys as tables; values that are None are left out."""
    result: dict[str, object] = {}
    for key, value in values.items():
        if value is None:
            continue
        table, _, name = key.partition(".")
        if name:
            place = result.setdefault(table, {})
            if isinstance(place, dict):
                cast("dict[str, object]", place)[name] = value
        elif isinstance(value, Mapping) and key in _TABLES:
            inner = {k: v for k, v in cast("Mapping[str, object]", value).items() if v is not None}
            place = result.setdefault(key, {})
            if isinstance(place, dict):
                cast("dict[str, object]", place).update(inner)
        else:
            result[key] = value
    return result


def _normalised_value(value: object, depth: int) -> object:
    if depth > _DEPTH:
        return value
    if isinstance(value, Mapping):
        return normalised(cast("Mapping[str, object]", value), depth + 1)
    if isinstance(value, list | tuple):
        return [_normalised_value(item, depth + 1) for item in cast("list[object]", value)]
    return value


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
