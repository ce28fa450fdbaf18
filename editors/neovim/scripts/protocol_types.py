"""Write `lua/ensemble/protocol.lua` from the server's own schema of its messages.

    python editors/neovim/scripts/protocol_types.py [--check]

The file holds LuaCATS types of every message, and the names that the plugin checks itself against. With `--check`
nothing is written, and the exit status says whether the file is current.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from ensemble_lsp.lsp.schema import schema

TARGET = Path(__file__).resolve().parents[1] / "lua" / "ensemble" / "protocol.lua"

HEAD = """\
--- The messages between the server and this plugin. Written by scripts/protocol_types.py from the server's schema.

"""

NAMES = {"string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "null": "nil"}

Schema = Mapping[str, object]


def lua_type(node: Schema) -> str:
    """Return the LuaCATS type of one schema node."""
    if "$ref" in node:
        return class_name(str(node["$ref"]).rpartition("/")[2])
    if "const" in node:
        return quoted(node["const"])
    if "enum" in node:
        return "|".join(quoted(value) for value in cast("list[object]", node["enum"]))
    choices = node.get("anyOf") or node.get("oneOf")
    if choices is not None:
        return "|".join(dict.fromkeys(lua_type(each) for each in cast("list[Schema]", choices)))
    kind = node.get("type")
    if kind == "array":
        item = lua_type(cast("Schema", node["items"])) if "items" in node else "any"
        return f"({item})[]" if "|" in item else f"{item}[]"
    if kind == "object":
        values = node.get("additionalProperties")
        return f"table<string, {lua_type(cast('Schema', values)) if isinstance(values, Mapping) else 'any'}>"
    return NAMES.get(str(kind), "any")


def quoted(value: object) -> str:
    """Return a literal as LuaCATS writes it."""
    return f'"{value}"' if isinstance(value, str) else str(value)


def class_name(name: str) -> str:
    """Return the plugin's name for a model of the server."""
    return f"ensemble.protocol.{name}"


def definition(name: str, node: Schema) -> list[str]:
    """Return the lines that declare one model: a class with its fields, or an alias."""
    if node.get("type") != "object" or "properties" not in node:
        if node.get("type") == "object":
            return [f"---@class {class_name(name)}", ""]
        return [f"---@alias {class_name(name)} {lua_type(node)}", ""]
    required = set(cast("list[str]", node.get("required", [])))
    lines = [f"---@class {class_name(name)}"]
    for key, value in cast("Mapping[str, Schema]", node["properties"]).items():
        optional = "" if key in required else "?"
        lines.append(f"---@field {key}{optional} {lua_type(value)}")
    return [*lines, ""]


def table(name: str, values: list[str]) -> list[str]:
    """Return the lines of one list of names."""
    return [f"---@type string[]\nM.{name} = {{", *(f'  "{value}",' for value in values), "}", ""]


def written() -> str:
    """Return the whole file."""
    document = schema()
    lines: list[str] = []
    for name, node in sorted(cast("Mapping[str, Schema]", document["$defs"]).items()):
        lines += definition(name, node)
    lines += [
        "---@alias ensemble.Proposal ensemble.protocol.ProposalParams",
        "---@alias ensemble.File ensemble.protocol.ProposalFile",
        "---@alias ensemble.Hunk ensemble.protocol.ProposalHunk",
        "---@alias ensemble.Event table<string, any> job, seq, time, kind, and the fields of that kind",
        "",
        "local M = {}",
        "",
        f"M.version = {document['version']}",
        "",
    ]
    for name in ("commands", "messages", "events"):
        lines += table(name, sorted(cast("Mapping[str, object]", document[name])))
    for key, name in (
        ("actions", "actions"),
        ("modes", "modes"),
        ("phases", "phases"),
        ("statuses", "statuses"),
        ("codeActionKinds", "code_action_kinds"),
    ):
        lines += table(name, cast("list[str]", document[key]))
    return HEAD + "\n".join(lines) + "return M\n"


def main() -> None:
    """Write the file, or say whether it is current."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        sys.exit(TARGET.read_text(encoding="utf-8") != written())
    TARGET.write_text(written(), encoding="utf-8")


if __name__ == "__main__":
    main()
