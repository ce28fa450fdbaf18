"""docs/protocol.md says what the code does: commands, arguments, kinds, messages, and the keys of every payload."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

import pytest

from ensemble_lsp.core.events import EventBody
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.lsp import messages
from ensemble_lsp.lsp.features.code_action import KINDS
from ensemble_lsp.lsp.features.execute_command import COMMANDS
from ensemble_lsp.lsp.schema import schema
from ensemble_lsp.lsp.server import EnsembleServer

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")

ARGUMENTS = {name: argument for name, (argument, _) in messages.COMMANDS.items()}

OF_EVERY_JOB = {"mode", "rounds", "panel", "budget", "check", "instruction"}


def _rows(heading: str) -> dict[str, list[str]]:
    """Return a section's table rows: the first cell's code → all cells."""
    section = re.split(rf"^#+ {re.escape(heading)}$", DOCUMENT, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    return {row[0].strip("`"): row for row in rows if row[0].startswith("`")}


def _codes(cell: str) -> set[str]:
    return set(re.findall(r"`([a-zA-Z]+\??)`", cell))


def test_every_command_is_documented_and_every_documented_one_exists() -> None:
    documented = {name for name in _rows("Commands") if name.startswith("ensemble.")}
    assert documented == set(COMMANDS) == set(ARGUMENTS)


@pytest.mark.parametrize("command", sorted(ARGUMENTS))
def test_arguments_of_a_command(command: str) -> None:
    cell = _rows("Commands")[command][1]
    fields = ARGUMENTS[command].model_fields
    expected = {f"{name}{'' if field.is_required() else '?'}" for name, field in fields.items()}
    if "those of every job" in cell:
        expected -= {f"{name}?" for name in OF_EVERY_JOB}
        section = DOCUMENT.split("Every job takes")[1].split("\n\n")[0]
        assert {f"{name}?" for name in OF_EVERY_JOB} <= _codes(section)
    assert _codes(cell) == expected


def test_every_kind_of_code_action_is_documented() -> None:
    section = DOCUMENT.split("## Code actions")[1].split("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| Ensemble")]
    documented = {(row[2].strip(" `"), row[3].strip(" `")) for row in rows}
    assert {kind for kind, _ in documented} == {str(getattr(kind, "value", kind)) for kind in KINDS}
    assert {command for _, command in documented} <= set(COMMANDS)


def test_every_message_of_our_own_is_documented() -> None:
    documented = _rows("Messages of our own")
    assert set(documented) == set(messages.MESSAGES)
    for method, message in messages.MESSAGES.items():
        kind = "notification" if message.result is None else "request"
        assert documented[method][1] == f"{message.direction}, {kind}"


def test_every_message_that_is_received_has_a_handler() -> None:
    features = cast("Mapping[str, object]", EnsembleServer().protocol.fm.features)
    received = {name for name in features if name.startswith("ensemble/")}
    assert received == {
        name for name, message in messages.MESSAGES.items() if message.direction == "client → server"
    }


@pytest.mark.parametrize(
    "method",
    ["ensemble/candidate", "ensemble/proposalText", "ensemble/input", "ensemble/job", "ensemble/trust"],
)
def test_parameters_of_a_message(method: str) -> None:
    match = re.match(r"`\{([^}]*)\}`(?: → `\{([^}]*)\}`)?", _rows("Messages of our own")[method][2])
    assert match is not None
    message = messages.MESSAGES[method]
    assert message.params is not None
    assert set(match[1].split(", ")) == _keys(message.params)
    if match[2]:
        assert message.result is not None
        assert set(match[2].split(", ")) == _keys(message.result)


def _keys(model: type[Frozen]) -> set[str]:
    return {
        f"{field.alias or name}{'' if field.is_required() else '?'}"
        for name, field in model.model_fields.items()
    }


def test_keys_of_every_event() -> None:
    documented = {kind: _codes(row[1]) for kind, row in _rows("`ensemble/event`").items()}
    expected = {
        body.model_fields["kind"].default: {
            f"{field.alias or name}{'?' if type(None) in get_args(field.annotation) else ''}"
            for name, field in body.model_fields.items()
            if name != "kind"
        }
        for body in get_args(EventBody)
    }
    assert documented == expected


def test_keys_of_a_proposal() -> None:
    rows = _rows("`ensemble/proposal`")
    table = DOCUMENT.split("### `ensemble/proposal`")[1].split("### ")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert _codes(first_cells) == _names(messages.ProposalParams)
    assert _listed(rows["files"][1]) == _names(messages.ProposalFile)
    assert _listed(rows["files[].hunks"][1]) == _names(messages.ProposalHunk)
    assert _listed(rows["files[].hunks[].evidence"][1]) == _names(messages.HunkEvidence)
    assert _listed(rows["candidates"][1]) == _names(messages.ProposalCandidate)


def _names(model: type[Frozen]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def _listed(cell: str) -> set[str]:
    match = re.match(r"`\[\{([^}]*)\}\]`", cell)
    assert match is not None, cell
    return {name.strip() for name in match.group(1).split(",")}


def test_printed_schema_holds_everything_that_mirrors_are_checked_against() -> None:
    printed = schema()
    assert set(printed["commands"]) == set(COMMANDS)
    assert set(printed["messages"]) == set(messages.MESSAGES)
    assert set(printed["events"]) == {body.model_fields["kind"].default for body in get_args(EventBody)}
    assert printed["codeActionKinds"] == [str(getattr(kind, "value", kind)) for kind in KINDS]


def test_every_event_of_the_printed_schema_bears_its_stamp() -> None:
    printed = schema()
    for reference in printed["events"].values():
        event = printed["$defs"][reference["$ref"].removeprefix("#/$defs/")]
        assert {"job", "seq", "time", "kind"} <= set(event["properties"])
        assert event["required"][:4] == ["job", "seq", "time", "kind"]
