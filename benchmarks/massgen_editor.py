"""One fix as an editor sees it: the real front and the real engine, up already, from the command to the proposal."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.massgen_cases import PATH, TEST_PATH, Question
from benchmarks.massgen_members import MEMBERS
from tests.lsp.stage import environment_of
from tests.support.fake_editor import RICH, FakeEditor, Json, editor


@dataclass(frozen=True, slots=True)
class SecondFix:
    """The second of two fixes in one session. Times by `time.perf_counter`, in seconds."""

    began: float
    ended: float
    text: str
    """The whole file as it is proposed."""
    standing: str


async def second_fix(
    question: Question, folder: Path, workspace: Path, base: str, begins: Callable[[], object]
) -> SecondFix:
    """Run the same fix twice in one session; `begins` is called before the second. No reply is kept: both ask."""
    panel = [
        {"id": name, "model": f"openai/{name}", "api_base": base, "family": name}
        | {"edit_format": "search-replace", "context_tokens": 128_000}
        for name in MEMBERS
    ]
    options: Json = {"settings": {"panel": panel, "store": {"replies": False}}}
    environment = {**environment_of(folder / "editor"), "ENSEMBLE_LOCAL_SERVERS": ""}
    async with editor(workspace, capabilities=RICH, options=options, environment=environment) as window:
        uri = window.open(workspace / PATH)
        await _proposal(window, uri, question)
        begins()
        began = time.perf_counter()
        proposal = await _proposal(window, uri, question)
        ended = time.perf_counter()
        text = await window.request(
            "ensemble/proposalText", {"proposal": proposal["proposal"], "uri": proposal["files"][0]["uri"]}
        )
        return SecondFix(began, ended, str(text["text"]), str(proposal["status"]))


async def _proposal(window: FakeEditor, uri: str, question: Question) -> Json:
    first, last = question.lines
    argument: Json = {
        "uri": uri,
        "range": {"start": {"line": first - 1, "character": 0}, "end": {"line": last, "character": 0}},
        "instruction": question.instruction,
        "check": f"{sys.executable} -m pytest -q {TEST_PATH}",
        "mode": "panel",
    }
    job = (await window.command("ensemble.fix", argument))["job"]
    return await window.message("ensemble/proposal", lambda params: params["job"] == job)
