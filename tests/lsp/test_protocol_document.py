"""docs/protocol.md says what the code does: commands, arguments, kinds, messages, and the keys of every payload."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

import pytest

from ensemble_lsp.core.diff import hunks_of
from ensemble_lsp.core.events import EventBody
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.rebase import RebasedHunk
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.lsp import arguments
from ensemble_lsp.lsp.features.code_action import KINDS
from ensemble_lsp.lsp.features.execute_command import COMMANDS, ProposalTextArgument
from ensemble_lsp.lsp.presenting import proposal_payload
from ensemble_lsp.lsp.proposals import KeptProposal, LiveFile
from ensemble_lsp.lsp.server import EnsembleServer
from tests.support.fake_editor import Json

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")

ARGUMENTS: dict[str, type[Frozen]] = {
    "ensemble.review": arguments.ReviewArgument,
    "ensemble.fix": arguments.FixArgument,
    "ensemble.explain": arguments.ExplainArgument,
    "ensemble.debate": arguments.DebateArgument,
    "ensemble.continue": arguments.ContinueArgument,
    "ensemble.decide": arguments.JobReference,
    "ensemble.cancel": arguments.JobReference,
    "ensemble.apply": arguments.ApplyArgument,
    "ensemble.reject": arguments.RejectArgument,
    "ensemble.dismiss": arguments.DismissArgument,
    "ensemble.panel": arguments.NoArgument,
    "ensemble.jobs": arguments.NoArgument,
}

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
    kinds = {kind for kind in re.findall(r"`([a-z.]+)`", section) if "ensemble." not in kind[:9]}
    assert {str(getattr(kind, "value", kind)) for kind in KINDS} == kinds - {"only"}


def test_every_message_of_our_own_is_documented() -> None:
    server = EnsembleServer()
    features = cast("Mapping[str, object]", server.protocol.fm.features)
    received = {name for name in features if name.startswith("ensemble/")}
    sources = Path(__file__).resolve().parents[2] / "server" / "ensemble_lsp" / "lsp"
    sent = {
        name
        for path in sources.rglob("*.py")
        for name in re.findall(r'notify\(\s*"(ensemble/\w+)"', path.read_text(encoding="utf-8"))
    }
    assert received | sent == set(_rows("Messages of our own"))
    text_row = _rows("Messages of our own")["ensemble/proposalText"][2]
    assert text_row.startswith("`{proposal, uri, hunks?, candidate?}`")
    assert set(ProposalTextArgument.model_fields) == {"proposal", "uri", "hunks", "candidate"}


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
    before, after = SourceText("a\n"), SourceText("b\n")
    change = FileChange(path="a.py", before=before, after=after)
    chosen = Candidate(id="c", changes=(change,), members=("m",), families=("f",))
    proposal = Proposal(id="p", job="j", title="t", standing=Standing.AGREED, chosen=chosen, finding="f")
    hunks = tuple(RebasedHunk.model_validate(hunk.model_dump()) for hunk in hunks_of(change))
    file = LiveFile("a.py", "file:///a.py", 1, "change", before, hunks)
    payload: Json = proposal_payload(KeptProposal(proposal, Path("/")), (file,))
    rows = _rows("`ensemble/proposal`")
    table = DOCUMENT.split("### `ensemble/proposal`")[1].split("### ")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert _codes(first_cells) == set(payload)
    (shown,) = payload["files"]
    assert _listed(rows["files"][1]) == set(shown)
    assert _listed(rows["files[].hunks"][1]) == set(shown["hunks"][0])
    (candidate,) = payload["candidates"]
    assert _listed(rows["candidates"][1]) == set(candidate)


def _listed(cell: str) -> set[str]:
    match = re.match(r"`\[\{([^}]*)\}\]`", cell)
    assert match is not None, cell
    return {name.strip() for name in match.group(1).split(",")}
