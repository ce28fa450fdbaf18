"""The action's first step: one review of what the event is about. It has no token and runs no stranger's code."""

import os
from collections.abc import Mapping
from pathlib import Path

from ensemble_lsp.cli.app import invoke
from ensemble_lsp.cli.github.event import Event, read_event
from ensemble_lsp.cli.github.outputs import commands_stopped, set_output
from ensemble_lsp.core.errors import UsageError

KINDS = ("json", "sarif", "markdown", "github")
"""What is written beside the log, each into `review.KIND` of the step's folder."""

_NOT_FOR_US = (
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
    "INPUT_TOKEN",
)


def review_step(environment: Mapping[str, str]) -> int:
    """Review, print annotations, set outputs; returns 0 as soon as the review ran, whatever it found.

    Outputs: `exit-code`, `folder`, `sarif`, `trusted`. Raises `UsageError` for inputs and events that do not fit.
    """
    event = read_event(environment)
    place = workspace(environment)
    folder = results_folder(environment)
    folder.mkdir(parents=True, exist_ok=True)
    arguments = review_arguments(environment, event, folder)
    os.chdir(place)
    for name in _NOT_FOR_US:
        os.environ.pop(name, None)
    # Nobody is there to be asked whether model-written code may run unconfined, and secrets are near: it may not.
    os.environ["ENSEMBLE_EXECUTION_SANDBOX"] = "required"
    with commands_stopped():
        print(_about(event, arguments), flush=True)  # noqa: T201
        code = invoke(arguments)
    annotations = folder / "review.github"
    if annotations.is_file():
        print(annotations.read_text(encoding="utf-8"), end="", flush=True)  # noqa: T201  (the runner reads it)
    set_output(environment, "exit-code", code)
    set_output(environment, "folder", str(folder))
    set_output(environment, "trusted", "true" if "--trust" in arguments else "false")
    if (folder / "review.sarif").is_file():
        set_output(environment, "sarif", str(folder / "review.sarif"))
    return 0


def review_arguments(environment: Mapping[str, str], event: Event, folder: Path) -> list[str]:
    """Return the command line for an event and the action's inputs. Inputs are values here, never words of a shell."""
    base = event.base if event.number is not None else (_input(environment, "BASE") or event.base)
    paths = [line.strip() for line in _input(environment, "PATHS").splitlines() if line.strip()]
    arguments = ["review", "--yes"]
    if base:
        arguments += [f"--diff={base}...HEAD"]
    elif not paths:
        raise UsageError(
            f"the event {event.name} names nothing to compare with",
            field="base",
            hint="give the action the input `base` (a branch or a commit), or `paths`",
        )
    # The rules of a pull request are those of the branch it goes to; else those that were pushed.
    arguments += [f"--rules-from={event.base if event.number is not None else 'HEAD'}"]
    if _flag(environment, "RUN_TESTS") and event.own_code:
        arguments += ["--trust"]
    for name, option in (
        ("MODE", "--mode"),
        ("PANEL", "--panel"),
        ("BUDGET", "--budget"),
        ("SECONDS", "--seconds"),
        ("FAIL_ON", "--fail-on"),
        ("FIXES", "--fixes"),
        ("MESSAGE", "--message"),
    ):
        value = _input(environment, name)
        if value:
            arguments += [f"{option}={value}"]
    for name, option in (
        ("LOCAL", "--local"),
        ("ALL_LINES", "--all-lines"),
        ("WEIGHTS_MIRROR", "--weights-mirror"),
    ):
        if _flag(environment, name):
            arguments += [option]
    for kind in KINDS:
        arguments += [f"--report={kind}={folder / f'review.{kind}'}"]
    return [*arguments, "--", *paths] if paths else arguments


def workspace(environment: Mapping[str, str]) -> Path:
    """Return the folder that is reviewed; raises `UsageError` for one outside of the checkout."""
    root = Path(environment.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    place = (root / _input(environment, "WORKING_DIRECTORY")).resolve()
    if not place.is_dir() or not place.is_relative_to(root):
        raise UsageError(
            f"working-directory: there is no folder {place} in the checkout", field="working-directory"
        )
    return place


def results_folder(environment: Mapping[str, str]) -> Path:
    """Return where the step's files go: outside of the checkout, one folder for each key."""
    temporary = environment.get("RUNNER_TEMP")
    if not temporary:
        raise UsageError("RUNNER_TEMP is not set: this is for GitHub workflows")
    key = "".join(letter for letter in _input(environment, "KEY") if letter.isalnum() or letter in "-_")
    return Path(temporary) / f"ensemble-review{f'-{key}' if key else ''}"


def _about(event: Event, arguments: list[str]) -> str:
    if event.number is None:
        return f"Reviewing for {event.name}"
    run = "its tests may run" if "--trust" in arguments else "nothing of it is run"
    return f"Reviewing pull request {event.number} against {event.base[:12]}: {run}"


def _input(environment: Mapping[str, str], name: str) -> str:
    return environment.get(f"INPUT_{name}", "").strip()


def _flag(environment: Mapping[str, str], name: str) -> bool:
    value = _input(environment, name).lower()
    if value not in {"", "true", "false"}:
        raise UsageError(f"{name.lower().replace('_', '-')}: {value!r} is neither true nor false")
    return value == "true"
