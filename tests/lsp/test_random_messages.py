"""Messages by the thousand that make no sense: every request is answered, and nothing of ours breaks.

`python -m benchmarks.front_fuzz` sends ten thousand.
"""

from pathlib import Path

import pytest

from ensemble_lsp.lsp.messages import COMMANDS
from tests.lsp.stage import BUG, NOWHERE, finding, stage
from tests.support.fake_editor import RICH
from tests.support.hostile_client import answer_badly, flood
from tests.support.hostile_messages import Hostility, methods

REQUESTS = 2_000


@pytest.mark.asyncio
async def test_every_request_is_answered_and_none_with_an_internal_error(tmp_path: Path) -> None:
    log = tmp_path / "log"
    async with stage(tmp_path, RICH, log=log) as own:
        uri = own.file()
        own.voices.findings = [finding(4, BUG)]
        await own.editor.command("ensemble.review", {"uri": uri})
        found = await own.diagnostics(uri)
        await own.fix(uri)
        proposal = await own.editor.message("ensemble/proposal")
        hunks = [hunk["id"] for file in proposal["files"] for hunk in file["hunks"]]
        known = [uri, own.workspace.as_uri(), proposal["proposal"], proposal["job"], found[0]["data"], *hunks]
        hostility = Hostility(3, known)
        answer_badly(own.editor, hostility, 3)
        tally = await flood(own.editor, hostility, REQUESTS)
        assert not tally.faults
        assert sum(tally.answered.values()) == tally.requests
        assert tally.requests >= REQUESTS
        assert tally.notifications > REQUESTS / 4
        assert {name for name, _ in methods()} <= tally.methods
        assert own.editor.process.returncode is None
        assert await own.editor.request("textDocument/codeAction", NOWHERE)
        own.editor.inbox.clear()
    # What went wrong beside the requests: notifications, and work in the background.
    assert "Traceback" not in log.read_text(encoding="utf-8")


def test_all_commands_have_an_argument_that_can_be_drawn() -> None:
    hostility = Hostility(4)
    for argument, _ in COMMANDS.values():
        for _ in range(50):
            assert isinstance(hostility.value_of(argument), dict)
