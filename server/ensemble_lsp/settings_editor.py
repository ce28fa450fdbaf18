"""What an editor says in the section `ensemble`, checked key by key: one slip must not cost the other settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.settings import Settings
from ensemble_lsp.settings_files import SettingsText, keys_of, validate
from ensemble_lsp.settings_sources import ADDITIVE, drop_restricted, flat, nested, normalised

NAME = "editor settings"


@dataclass(frozen=True, slots=True)
class CheckedSettings:
    """Values by dotted key, as settings spell them, and what is wrong with what was received, in words."""

    values: Mapping[str, object] = field(default_factory=dict[str, object])
    problems: tuple[str, ...] = ()


def checked(received: Mapping[str, object], before: Mapping[str, object]) -> CheckedSettings:
    """Return what was received, a wrong value replaced by the one of `before` (dotted keys).

    A wrong value that has none before it stays as it is, so that jobs are refused rather than run without a cap
    or an exclusion that somebody meant to set.
    """
    kept: dict[str, object] = {}
    problems: list[str] = []
    for key, value in flat(normalised(received)):
        try:
            # Keys that nobody knows are for the engine to judge: clients keep settings of their own here.
            table, _, name = key.rpartition(".")
            if name in keys_of(Settings, (table,) if table else ()):
                validate(Settings, nested({key: value}), SettingsText(NAME, {}))
        except ConfigurationError as problem:
            good = {k: v for k, v in before.items() if k == key or k.startswith(f"{key}.")}
            kept |= good or {key: value}
            stays = "; what was set before stays" if good else "; no job starts until it is right"
            hint = f" ({problem.hint})" if problem.hint else ""
            problems.append(f"{problem.message}{stays}{hint}")
            continue
        kept[key] = value
    return CheckedSettings(kept, tuple(problems))


def merged(earlier: Mapping[str, object], later: Mapping[str, object]) -> dict[str, object]:
    """Return both, by dotted key; later ones win, but exclusions add up."""
    both = dict(earlier)
    for key, value in later.items():
        first = earlier.get(key)
        if key in ADDITIVE and isinstance(first, list | tuple) and isinstance(value, list | tuple):
            both[key] = list(dict.fromkeys([*cast("list[object]", first), *cast("list[object]", value)]))
        else:
            both[key] = value
    return both


def unrestricted(values: Mapping[str, object]) -> tuple[dict[str, object], tuple[str, ...]]:
    """Return what of an editor's values (dotted keys) counts in a folder that is not trusted, and the keys dropped.

    `local` counts when it is on: to keep to this machine only tightens.
    """
    kept, dropped = drop_restricted(nested(values))
    counted = dict(flat(kept))
    if values.get("local") is True:
        counted["local"] = True
        dropped = tuple(key for key in dropped if key != "local")
    return counted, dropped


__all__ = ["NAME", "CheckedSettings", "checked", "merged", "nested", "unrestricted"]
