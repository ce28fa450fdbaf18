"""Runs the steps of a composite action as GitHub's runner does: bash, inputs, outputs, commands in the log.

Of GitHub's expressions only single lookups are known (`inputs.x`, `steps.a.outputs.b`, `github.token`): anything else
in `action.yml` is an error here, and an expression inside a script is one too.
"""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import yaml

ROOT = Path(__file__).parents[2]

SECONDS_OF_A_STEP = 280
"""A bound on a step that hangs; on a quiet machine the longest takes ten."""

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")
_LOOKUP = re.compile(r"[a-z_]+(\.[A-Za-z_-]+)+")


class NotKnown(AssertionError):
    """The action says something that this runner does not understand."""


@dataclass(slots=True)
class Ran:
    """How the action ended. `log` is everything printed; `commands` are those that the runner obeyed."""

    code: int = 0
    log: str = ""
    steps: dict[str, str] = field(default_factory=dict[str, str])
    """Name of a step → what it printed."""
    outputs: dict[str, str] = field(default_factory=dict[str, str])
    commands: list[str] = field(default_factory=list[str])
    summary: str = ""

    def named(self, name: str) -> list[str]:
        """Return the obeyed commands of a name."""
        return [line for line in self.commands if line.startswith((f"::{name} ", f"::{name}::"))]


def run_action(
    checkout: Path,
    temporary: Path,
    *,
    inputs: Mapping[str, str],
    environment: Mapping[str, str],
    token: str,
) -> Ran:
    """Run `action.yml` in a checkout. `environment` is the workflow's; `temporary` is RUNNER_TEMP."""
    action = cast("dict[str, Any]", yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))
    unknown = set(inputs) - set(action["inputs"])
    if unknown:
        raise NotKnown(f"no such inputs: {unknown}")
    github = {"action_path": str(ROOT), "token": token}
    values = {"github": github, "inputs": {}, "steps": {}}
    for name, given in action["inputs"].items():
        values["inputs"][name] = inputs.get(name, _evaluated(str(given["default"]), values))
    ran = Ran()
    summary = temporary / "summary.md"
    for number, step in enumerate(action["runs"]["steps"]):
        step_files = _StepFiles(checkout, temporary, number)
        _run_step(step, step_files, values, environment, ran)
        if ran.code:
            break
    ran.summary = summary.read_text(encoding="utf-8") if summary.exists() else ""
    for name, output in action["outputs"].items():
        ran.outputs[name] = _evaluated(str(output["value"]), values)
    return ran


@dataclass(frozen=True, slots=True)
class _StepFiles:
    checkout: Path
    temporary: Path
    number: int


def _run_step(
    step: dict[str, Any], files: _StepFiles, values: dict[str, Any], environment: Mapping[str, str], ran: Ran
) -> None:
    if set(step) - {"name", "id", "shell", "env", "run"} or step["shell"] != "bash":
        raise NotKnown(f"a step with {sorted(step)}")
    if _EXPRESSION.search(step["run"]):
        raise NotKnown(f"an expression inside a script: {step['run']}")
    script = files.temporary / f"step{files.number}.sh"
    script.write_text(step["run"], encoding="utf-8")
    output = files.temporary / f"output{files.number}"
    output.touch()
    own = {name: _evaluated(str(value), values) for name, value in step["env"].items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
        cwd=files.checkout,
        env={
            **environment,
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(files.checkout),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(files.temporary / "summary.md"),
            "RUNNER_TEMP": str(files.temporary),
            **own,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS_OF_A_STEP,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    ran.log += text
    ran.steps[step["name"]] = text
    ran.commands += obeyed(text)
    ran.code = done.returncode
    pairs = (line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    values["steps"][step.get("id", str(files.number))] = {"outputs": dict(pair for pair in pairs)}


def obeyed(log: str) -> list[str]:
    """Return the lines of a log that the runner takes for commands, as it reads them."""
    stopped_until: str | None = None
    found: list[str] = []
    for line in log.splitlines():
        text = line.strip()
        if stopped_until is not None:
            if text == f"::{stopped_until}::":
                stopped_until = None
        elif text.startswith("::stop-commands::"):
            stopped_until = text.removeprefix("::stop-commands::")
        elif re.match(r"::[\w-]+( [^:]*)?::", text) or "##[" in text:
            found.append(text)
    return found


def _evaluated(text: str, values: dict[str, Any]) -> str:
    def look_up(match: re.Match[str]) -> str:
        name = match[1].strip()
        if not _LOOKUP.fullmatch(name):
            raise NotKnown(f"the expression {name!r}")
        found: Any = values
        for part in name.split("."):
            found = cast("dict[str, Any]", found).get(part, "")
        return str(found)

    return _EXPRESSION.sub(look_up, text)


def runner_environment(**more: str) -> dict[str, str]:
    """Return what a workflow's step sees of the machine: this process's environment without what pytest added."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "PYTEST_", "GIT_"))
    }
    return {**kept, "ENSEMBLE_LOCAL_SERVERS": "", **more}
