"""The product beside MassGen: what one decision of three members costs, on the same model server.

    python -m benchmarks.massgen [--runs 5] [--json]

MassGen 0.1.97 is installed with pinned dependencies into an environment of its own (`benchmarks.foreign`). Both are
started as a person starts them, as processes of their own, by turns; both get three members on one server of this
machine that takes half a second for every reply and counts tokens alike for both (`benchmarks.counting_server`). The
members are scripted as competent models (`benchmarks.massgen_members`): to MassGen they submit an answer, then vote
for a right one, then present. All reply equally fast, which spares MassGen the restarts that come when an answer
arrives while others are being written. MassGen runs as its documentation says for use by programs (`--automation`),
with its defaults and no tools; the product runs the test, in its sandbox, in the time that is counted.

Seconds are medians: `wall` from the start of the process to its end, `from first call` without what comes before the
first request (of the product that includes running the tests on the code as it is), `waits` how many replies had to
be waited for one after the other, and `cpu` the processor's seconds, which a busy machine changes least. `right`: the
fix passes tests that neither saw, or the review names the planted fault; `verified`: the test that fails was run, and
passes with the change. `editor` is what a person at an editor waits for: the second fix of a session in mode `panel`,
from the command to the proposal (`benchmarks.massgen_editor`); nothing is taken from a cache, and the engine is up.
MassGen's best case is counted too: from its first request on, as if its start took no time.
The first question is asked as often as `--runs` says, the others once: calls and tokens are the same in every run.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from benchmarks.counting_server import CountingServer, Traffic
from benchmarks.foreign import MASSGEN, LeftOut, left_out_with_its_reason
from benchmarks.massgen_cases import (
    PATH,
    QUESTIONS,
    TEST_PATH,
    Question,
    answer_is_right,
    passes,
    result_is_right,
)
from benchmarks.massgen_editor import second_fix
from benchmarks.massgen_members import MEMBERS, members_of

LATENCY = 0.5
"""Seconds for every reply."""

LIMIT = 300.0
"""Seconds for one decision."""

PATIENCE = 180.0
"""Seconds after which no further round of repetitions begins."""

MODES = ("quick", "panel", "debate")

EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class Decision:
    """One run of one system."""

    wall: float
    from_first_call: float
    cpu: float | None
    """None where no process ended whose time it is."""
    traffic: Traffic
    right: bool
    verified: bool = False


class Harness:
    """Runs both systems on one server."""

    def __init__(self, home: Path, massgen: Path) -> None:
        self._home = home
        self._massgen = massgen
        self._runs = 0

    async def decide(self, question: Question, system: str) -> Decision:
        """Run one system on one question in folders of its own; raises `LeftOut` where it cannot be run."""
        self._runs += 1
        folder = self._home / str(self._runs)
        workspace = folder / "workspace"
        question.lay_out(workspace)
        if system == EDITOR:
            return await _in_the_editor(question, folder, workspace)
        async with CountingServer(members_of(question), LATENCY) as server:
            if system == "MassGen":
                command, environment = self._massgen_command(question, folder, server.openai_base)
            else:
                command, environment = _own_command(question, folder, server.openai_base, system)
            began, worked = time.perf_counter(), _children_cpu()
            output = await _run(command, environment, workspace)
            ended, worked = time.perf_counter(), _children_cpu() - worked
            traffic = server.taken()
        if server.failure:
            raise RuntimeError(f"the scripted members have no answer to {system}: {server.failure}")
        if not traffic.calls:
            raise LeftOut(f"{system} made no call; the last that it said: {output[-300:]}")
        verified = False
        if system == "MassGen":
            written = folder / "answer.md"
            right = written.exists() and answer_is_right(question, written.read_text(encoding="utf-8"))
        else:
            document = _document(output)
            right = result_is_right(question, workspace, document)
            proposal = document.get("proposal")
            if isinstance(proposal, dict):
                verified = cast("Mapping[str, object]", proposal).get("standing") == "verified"
        return Decision(ended - began, ended - traffic.first, worked, traffic, right, verified)

    def _massgen_command(
        self, question: Question, folder: Path, base: str
    ) -> tuple[list[str], Mapping[str, str]]:
        agents = [
            {"id": name, "backend": {"type": "chatcompletion", "model": name, "base_url": base}}
            for name in MEMBERS
        ]
        config = folder / "massgen.json"
        config.write_text(json.dumps({"agents": agents}), encoding="utf-8")
        answer = str(folder / "answer.md")
        command = [str(self._massgen), "--config", str(config), "--automation", "--output-file", answer]
        # Its import would otherwise look for a newer table of prices on the network.
        extra = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        return [*command, question.in_full], _environment(folder, extra)


async def _in_the_editor(question: Question, folder: Path, workspace: Path) -> Decision:
    async with CountingServer(members_of(question), LATENCY) as server:
        found = await second_fix(question, folder, workspace, server.openai_base, begins=server.taken)
        traffic = server.taken()
    if server.failure:
        raise RuntimeError(f"the scripted members have no answer in the editor: {server.failure}")
    wall, from_first_call = found.ended - found.began, found.ended - traffic.first
    return Decision(wall, from_first_call, None, traffic, passes(found.text), found.standing == "verified")


def _own_command(
    question: Question, folder: Path, base: str, mode: str
) -> tuple[list[str], Mapping[str, str]]:
    config = folder / "config"
    config.mkdir()
    panel = "".join(
        f'[[panel]]\nid = "{name}"\nmodel = "openai/{name}"\napi_base = "{base}"\nfamily = "{name}"\n'
        # Asked like large hosted models: a small local one would get shorter questions.
        'edit_format = "search-replace"\ncontext_tokens = 128000\n'
        for name in MEMBERS
    )
    (config / "config.toml").write_text(panel, encoding="utf-8")
    directories = {
        f"ENSEMBLE_{name}_DIR": str(folder / name.lower()) for name in ("STATE", "CACHE", "CONFIG")
    }
    common = ["--mode", mode, "--trust", "--yes", "--no-cache", "--quiet", "--json"]
    program = [sys.executable, "-P", "-m", "ensemble_lsp"]
    if question.kind == "review":
        job = ["review", PATH]
    else:
        first, last = question.lines
        check = f"{sys.executable} -m pytest -q {TEST_PATH}"
        job = ["fix", f"{PATH}:{first}-{last}", "-m", question.instruction, "--check", check, "--apply"]
    return [*program, *job, *common], _environment(folder, {**directories, "ENSEMBLE_LOCAL_SERVERS": ""})


def _environment(folder: Path, extra: Mapping[str, str]) -> Mapping[str, str]:
    home = folder / "home"
    home.mkdir()
    # Nothing of the person's own environment: no keys, no proxies.
    return {"PATH": os.environ["PATH"], "HOME": str(home), "OPENAI_API_KEY": "none", **extra}


def _children_cpu() -> float:
    """Return the processor seconds of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def _run(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(LIMIT):
            out, err = await process.communicate()
    except TimeoutError as problem:
        process.kill()
        await process.wait()
        raise LeftOut(f"{Path(command[0]).name} did not end within {LIMIT:.0f} s") from problem
    return (out if out.strip() else err).decode("utf-8", "replace")


def _document(output: str) -> Mapping[str, object]:
    try:
        parsed: object = json.loads(output)
    except ValueError as problem:
        raise LeftOut(f"the product wrote no JSON: {output[-300:]}") from problem
    return cast("Mapping[str, object]", parsed)


def summary(decisions: Sequence[Decision], latency: float = LATENCY) -> dict[str, object]:
    """Return medians of one system's runs on one question."""
    waits = statistics.median(each.traffic.steps(latency) for each in decisions)
    cpu = [each.cpu for each in decisions if each.cpu is not None]
    return {
        "calls": statistics.median(each.traffic.calls for each in decisions),
        "tokens sent": statistics.median(each.traffic.sent for each in decisions),
        "tokens received": statistics.median(each.traffic.received for each in decisions),
        "waits": waits,
        "wall s": round(statistics.median(each.wall for each in decisions), 2),
        "from first call s": round(statistics.median(each.from_first_call for each in decisions), 2),
        **({"cpu s": round(statistics.median(cpu), 2)} if cpu else {}),
        "right": f"{sum(each.right for each in decisions)} of {len(decisions)}",
        "verified": f"{sum(each.verified for each in decisions)} of {len(decisions)}",
    }


def ratios(own: Sequence[Decision], other: Sequence[Decision]) -> dict[str, float]:
    """Return what one system takes of what the other takes: tokens both ways, seconds; `wall` is all of ours."""

    def tokens(decisions: Sequence[Decision]) -> float:
        return statistics.median(each.traffic.sent + each.traffic.received for each in decisions)

    wall = statistics.median(each.wall for each in own)
    found = {
        "tokens of MassGen's": round(tokens(own) / tokens(other), 3),
        "wall of MassGen's": round(wall / statistics.median(each.wall for each in other), 3),
        "wall of MassGen's from its first call": round(
            wall / statistics.median(each.from_first_call for each in other), 3
        ),
    }
    worked = [[each.cpu for each in decisions if each.cpu is not None] for decisions in (own, other)]
    if all(worked):
        found["cpu of MassGen's"] = round(statistics.median(worked[0]) / statistics.median(worked[1]), 3)
    return found


async def measure(harness: Harness, runs: int) -> dict[str, object]:
    """Run everything; raises `LeftOut` where one of them cannot be run.

    On a machine that is too busy for `runs` within `PATIENCE`, fewer are made: how many stands beside "right".
    """
    figures: dict[str, object] = {"runs": runs, "latency s": LATENCY}
    for system in ("MassGen", "panel"):
        await harness.decide(QUESTIONS[0], system)  # not counted: bytecode and the disk's cache are cold
    began = time.perf_counter()
    for number, question in enumerate(QUESTIONS):
        modes = (*MODES, EDITOR) if question.kind == "fix" else MODES
        systems = ("MassGen", *modes)
        found: dict[str, list[Decision]] = {system: [] for system in systems}
        for _ in range(1 if number else runs):  # calls and tokens are the same in every run
            for system in systems:
                found[system].append(await harness.decide(question, system))
            if time.perf_counter() - began > PATIENCE:
                break
        entry: dict[str, object] = {"MassGen": summary(found["MassGen"])}
        for mode in modes:
            entry[mode] = summary(found[mode]) | ratios(found[mode], found["MassGen"])
        figures[question.name] = entry
    return figures


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, object] = {}
    with left_out_with_its_reason() as said:
        massgen = MASSGEN.installed().folder / "bin" / "massgen"
        with tempfile.TemporaryDirectory() as name:
            figures = asyncio.run(measure(Harness(Path(name).resolve(), massgen), options.runs))
    print(json.dumps(figures | said, indent=None if options.json else 2))


if __name__ == "__main__":
    main()
