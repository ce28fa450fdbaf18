"""Writes docs/settings.md from the settings model: `python -m ensemble_lsp.settings_docs`."""

import argparse
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensemble_lsp.settings import RESTRICTED_KEYS, Settings
from ensemble_lsp.settings_files import table_in
from ensemble_lsp.settings_policy import Policy
from ensemble_lsp.settings_sources import variables

DOCUMENT = Path(__file__).parents[2] / "docs" / "settings.md"

EXAMPLE = """\
mode = "panel"
check = "unit"

[[panel]]
model = "openai/gpt-5-mini"
api_key_env = "OPENAI_API_KEY"

[[panel]]
id = "local"
model = "ollama_chat/qwen2.5-coder:7b"

[[checks]]
id = "unit"
command = "python -m pytest -q tests/unit"
timeout = 90.0

[budget]
usd = 0.25
day_usd = 2.0

[context]
exclude = ["fixtures/**", "*.snap"]
"""
"""A test loads it, so that it stays true."""

POLICY_EXAMPLE = """\
recipients = ["azure", "*.corp.example"]
transcripts = false
sandbox = "required"

[caps]
usd = 1.0
day_usd = 10.0
"""

_HEAD = """\
# Settings

<!-- Written by `python -m ensemble_lsp.settings_docs` from the settings model; a test keeps it current. -->

Everything has a default: without any settings the panel is made of what is found (keys in the environment, local
servers, the embedded model). `ensemble-lsp panel` shows who would sit, and why.

## Where settings come from

Later ones win, key by key (lists and members as a whole):

1. the defaults below;
2. `config.toml` in your configuration directory (Linux `~/.config/ensemble-lsp`, macOS
   `~/Library/Application Support/ensemble-lsp`);
3. your editor (below): the section `ensemble`, in camelCase or snake_case;
4. the workspace: `ensemble.toml`, or `[tool.ensemble]` in `pyproject.toml`;
5. variables: `ENSEMBLE_PANEL`, `ENSEMBLE_BUDGET_USD`, … as the tables name them; lists are separated by commas;
6. the command line.

`context.exclude` adds up over all of them: what one excludes, no other brings back. Last comes the policy of your
organisation (below), which can only tighten.

**Restricted** keys could spend money, send code elsewhere, run a command or loosen a cap. In a workspace they count
only when you trusted its folder (`ensemble-lsp trust`, or your editor's workspace trust); until then they are ignored,
and a notice names them.

A file that cannot be used is an error with file, line and key (`ensemble.toml, line 4: budget.usd: Input should be a
valid number`), exit code 3. Keys for providers never stand in settings: `api_key_env` names the variable that holds
one.

### In an editor

An editor has two ways to say them ([protocol.md](protocol.md)): once with `initializationOptions.settings`, which are
taken as your own; and live, by folder, with `workspace/configuration` or what `workspace/didChangeConfiguration`
brings, which win. Editors merge what you set for yourself with what a workspace's own files say
(`.vscode/settings.json` and the like), so in a folder that is not trusted restricted keys of the live ones are ignored,
and a message names them.

A change counts for jobs that start from then on; a job that runs keeps the settings it started with. A wrong value is
named in a message and the good one before it stays; where there was none, no job starts until it is right, since it may
have been a cap or an exclusion.

## An example `ensemble.toml`

"""

_POLICY_HEAD = """\
## Policy of an organisation

`policy.toml` in the system-wide configuration directory (Linux `/etc/xdg/ensemble-lsp/policy.toml`, macOS
`/Library/Application Support/ensemble-lsp/policy.toml`; the variable `ENSEMBLE_POLICY_FILE` names another place) binds
everybody on the machine. It can only tighten: the smaller cap wins, `local = false` or `transcripts = true` change
nothing. A policy that cannot be read is an error, never skipped.

"""

_DIRECTORIES = """\
## Directories

| variable | what is there | default |
|---|---|---|
| `ENSEMBLE_STATE_DIR` | jobs, ledger, consent, trust | the platform's state directory |
| `ENSEMBLE_CACHE_DIR` | weights of models | the platform's cache directory |
| `ENSEMBLE_CONFIG_DIR` | `config.toml` | the platform's configuration directory |
| `ENSEMBLE_POLICY_FILE` | the policy | system-wide, see above |

## Other variables

| variable | meaning |
|---|---|
| `ENSEMBLE_LOCAL_SERVERS` | base URLs of OpenAI-compatible servers on loopback, separated by commas; empty: none |
| `OLLAMA_HOST`, `OLLAMA_API_BASE` | where Ollama listens |
| `OPENAI_API_BASE`, `OPENAI_BASE_URL` | an OpenAI-compatible server of yours; on loopback it counts as local |
| `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, … | keys, by litellm's names; `api_key_env` of a member names another |

Without `ENSEMBLE_LOCAL_SERVERS` the usual ports are looked at: Ollama 11434, LM Studio 1234, llama.cpp 8080, vLLM 8000;
with it, what it lists instead. What is not on this machine is passed over. It never leaves loopback.
"""


def document() -> str:
    """Return the text of docs/settings.md."""
    parts = [_HEAD, "```toml\n", EXAMPLE, "```\n\n", "## Keys\n\n"]
    parts.extend(_tables(Settings, "", variables()))
    parts.extend([_POLICY_HEAD, "```toml\n", POLICY_EXAMPLE, "```\n\n"])
    parts.extend(_plain_table(Policy))
    parts.append(_DIRECTORIES)
    return "".join(parts)


def _tables(model: type[BaseModel], prefix: str, names: dict[str, str]) -> Iterator[str]:
    of_key = {key: name for name, key in names.items()}
    rows: list[str] = []
    below: list[tuple[str, type[BaseModel], FieldInfo]] = []
    for name, found in model.model_fields.items():
        table = table_in(found.annotation)
        if table is not None and found.annotation is table:
            below.append((name, table, found))
            continue
        if table is not None and name != "strong":
            below.append((name, table, found))
        key = prefix + name
        restricted = "yes" if key in RESTRICTED_KEYS or prefix.rstrip(".") in RESTRICTED_KEYS else "no"
        variable = f"`{of_key[key]}`" if key in of_key else "–"
        rows.append(
            f"| `{key}` | {_type(found)} | {_default(found)} | {_meaning(found)} | {restricted} | {variable} |\n"
        )
    yield "| key | type | default | meaning | restricted | variable |\n|---|---|---|---|---|---|\n"
    yield from rows
    yield "\n"
    for name, table, found in below:
        if found.annotation is table:
            yield f"### `[{name}]`\n\n{_first_sentence(table)}\n\n"
            yield from _tables(table, f"{name}.", names)
        else:
            yield f"### `[[{name}]]`\n\n{_first_sentence(table)}"
            yield " `[strong]` has the same keys.\n\n" if name == "panel" else "\n\n"
            yield from _plain_table(table)


def _plain_table(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    if not prefix:
        yield "| key | type | default | meaning |\n|---|---|---|---|\n"
    for name, found in model.model_fields.items():
        table = table_in(found.annotation)
        if table is not None:
            yield from _plain_table(table, f"{name}.")
            continue
        yield f"| `{prefix}{name}` | {_type(found)} | {_default(found)} | {_meaning(found)} |\n"
    if not prefix:
        yield "\n"


def _type(found: FieldInfo) -> str:
    text = _type_name(found.annotation)
    bounds = [
        f"{sign} {getattr(item, name):g}"
        for item in found.metadata
        for name, sign in (("gt", ">"), ("ge", "≥"), ("lt", "<"), ("le", "≤"))
        if getattr(item, name, None) is not None
    ]
    return ", ".join([text, *bounds])


def _type_name(annotation: object) -> str:
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is Annotated:
        return _type_name(arguments[0])
    if origin is Literal:
        return " \\| ".join(f'`"{value}"`' for value in arguments)
    if origin in (Union, types.UnionType):
        return _type_name(next(item for item in arguments if item is not type(None)))
    if origin is tuple:
        return f"array of {_type_name(arguments[0])}s"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    names: dict[object, str] = {
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
        Path: "path",
    }
    return names[annotation]


def _default(found: FieldInfo) -> str:
    value: object = cast("object", found.default)
    if found.is_required():
        return "required"
    if value is None:
        return "unset"
    if value == ():
        return "`[]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str):
        return f'`"{value}"`'
    return f"`{value}`"


def _meaning(found: FieldInfo) -> str:
    return (found.description or "").replace("|", "\\|")


def _first_sentence(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().split("\n", maxsplit=1)[0]


def main() -> None:
    """Write the document, to the path given or to docs/settings.md."""
    parser = argparse.ArgumentParser(prog="python -m ensemble_lsp.settings_docs", description=main.__doc__)
    parser.add_argument("path", nargs="?", type=Path, default=DOCUMENT)
    target: Path = parser.parse_args().path
    target.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
