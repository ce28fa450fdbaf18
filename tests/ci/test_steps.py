"""From an event and the action's inputs to a command line: whose code it is, and what follows from that."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ensemble_lsp.cli.github.event import read_event
from ensemble_lsp.cli.github.reviewing import review_arguments, workspace
from ensemble_lsp.core.errors import UsageError
from tests.ci.composite import ROOT, obeyed, runner_environment

BASE, HEAD = "a" * 40, "b" * 40
OURS: dict[str, Any] = {"full_name": "shop/cart"}
THEIRS: dict[str, Any] = {"full_name": "stranger/cart"}


def pull(repository: object) -> dict[str, Any]:
    return {
        "pull_request": {
            "number": 7,
            "base": {"sha": BASE, "repo": OURS},
            "head": {"sha": HEAD, "repo": repository},
        }
    }


def environment(folder: Path, name: str, data: object, **inputs: str) -> dict[str, str]:
    file = folder / "event.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    given = {f"INPUT_{key.upper()}": value for key, value in inputs.items()}
    return {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REPOSITORY": "shop/cart",
        "GITHUB_SHA": HEAD,
        **given,
    }


def arguments(folder: Path, name: str, data: object, **inputs: str) -> list[str]:
    found = environment(folder, name, data, **inputs)
    return review_arguments(found, read_event(found), folder)


@pytest.mark.parametrize(
    ("name", "data", "own"),
    [
        ("pull_request", pull(OURS), True),
        ("pull_request", pull({"full_name": "Shop/Cart"}), True),
        ("pull_request", pull(THEIRS), False),
        ("pull_request", pull(None), False),
        ("pull_request", pull({}), False),
        ("pull_request_target", pull(OURS), False),
        ("pull_request_target", pull(THEIRS), False),
        ("push", {"before": BASE}, True),
        ("workflow_run", {}, False),
        ("issue_comment", {}, False),
    ],
)
def test_tests_run_for_own_code_alone(tmp_path: Path, name: str, data: dict[str, Any], own: bool):
    words = arguments(tmp_path, name, data, run_tests="true", base="main")
    assert ("--trust" in words) is own
    assert "--trust" not in arguments(tmp_path, name, data, base="main"), "and only when asked for"


def test_pull_request_is_compared_with_its_base_under_the_rules_of_its_base(tmp_path: Path):
    words = arguments(tmp_path, "pull_request", pull(THEIRS), base="something-else")
    assert f"--diff={BASE}...HEAD" in words
    assert f"--rules-from={BASE}" in words


def test_push_is_compared_with_what_it_started_from(tmp_path: Path):
    words = arguments(tmp_path, "push", {"before": BASE})
    assert f"--diff={BASE}...HEAD" in words
    assert "--rules-from=HEAD" in words


def test_first_push_of_a_branch_needs_a_base(tmp_path: Path):
    with pytest.raises(UsageError, match="nothing to compare with"):
        arguments(tmp_path, "push", {"before": "0" * 40})
    assert "--diff=main...HEAD" in arguments(tmp_path, "push", {"before": "0" * 40}, base="main")


def test_inputs_are_values_and_never_options(tmp_path: Path):
    words = arguments(
        tmp_path,
        "pull_request",
        pull(OURS),
        message="--trust; touch x",
        panel="a,b --trust",
        paths="--trust\nsrc/a b.py\n",
        mode="quick",
        budget="0.5",
        fail_on="critical",
        all_lines="true",
        local="false",
    )
    assert "--message=--trust; touch x" in words
    assert "--panel=a,b --trust" in words
    assert words[words.index("--") :] == ["--", "--trust", "src/a b.py"]
    before = words[: words.index("--")]
    assert "--trust" not in before
    assert {"--mode=quick", "--budget=0.5", "--fail-on=critical", "--all-lines", "--yes"} <= set(before)
    assert "--local" not in before


def test_flag_that_is_neither_true_nor_false(tmp_path: Path):
    with pytest.raises(UsageError, match="run-tests: 'yes' is neither true nor false"):
        arguments(tmp_path, "push", {"before": BASE}, run_tests="yes")


@pytest.mark.parametrize("place", ["../elsewhere", "/etc", "nowhere", "link"])
def test_working_directory_stays_in_the_checkout(tmp_path: Path, place: str):
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (checkout / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="working-directory"):
        workspace({"GITHUB_WORKSPACE": str(checkout), "INPUT_WORKING_DIRECTORY": place})


@pytest.mark.parametrize(
    "data", ["[]", "no json", '{"pull_request": []}', '{"pull_request": {"number": "7"}}']
)
def test_event_of_another_shape_is_no_pull_request(tmp_path: Path, data: str):
    found = environment(tmp_path, "pull_request", {})
    Path(found["GITHUB_EVENT_PATH"]).write_text(data)
    if data == "no json":
        with pytest.raises(UsageError, match="cannot be read"):
            read_event(found)
    else:
        assert read_event(found).number is None


def test_outside_of_a_workflow_it_says_so():
    with pytest.raises(UsageError, match="GitHub workflows"):
        read_event({})


def test_log_is_deaf_while_foreign_words_are_in_it():
    program = (
        "import sys\n"
        "from ensemble_lsp.cli.github.outputs import commands_stopped\n"
        "print('::notice::before')\n"
        "with commands_stopped():\n"
        "    print('::add-path::/tmp')\n"
        "    sys.stderr.write('::error::late\\n##[error]x\\n::stop-commands::guess\\n::guess::')\n"
        "print('::notice::after')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", program],
        check=True,
        capture_output=True,
        text=True,
    )
    assert obeyed(ran.stdout) == ["::notice::before", "::notice::after"]
    assert "::error::late" in ran.stdout, "both streams are one"
    assert ran.stderr == ""


def test_module_of_a_stranger_is_not_taken_for_one_of_python(tmp_path: Path):
    checkout, temporary, canary = tmp_path / "checkout", tmp_path / "temp", tmp_path / "canary"
    for place in (checkout, temporary):
        place.mkdir()
    for name in ("venv", "ensurepip", "pip", "sys", "sitecustomize"):
        (checkout / f"{name}.py").write_text(f"open({str(canary)!r}, 'w').close()\n")
    (checkout / "python3").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (checkout / "python3").chmod(0o755)
    ran = subprocess.run(
        ["bash", str(ROOT / "ci" / "install.sh")],
        cwd=checkout,
        env=runner_environment(
            RUNNER_TEMP=str(temporary),
            ACTION_PATH=str(ROOT),
            INPUT_PYTHON=sys.executable,
            INPUT_VERSION="0.0.0+nowhere",
            PIP_NO_INDEX="1",
            PIP_CONFIG_FILE="/dev/null",
        ),
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert "No matching distribution found for ensemble-lsp==0.0.0+nowhere" in ran.stderr
    assert (temporary / "ensemble-lsp" / "venv" / "bin" / "python").exists()
    assert not canary.exists()


@pytest.mark.parametrize("version", ["--index-url=http://evil", "1.0; touch x", "1.0 -r x", "$(touch x)"])
def test_version_that_is_none_is_refused(tmp_path: Path, version: str):
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\nexit 0\n")
    fake.chmod(0o755)
    ran = subprocess.run(
        ["bash", str(ROOT / "ci" / "install.sh")],
        env=runner_environment(
            RUNNER_TEMP=str(tmp_path), ACTION_PATH=str(ROOT), INPUT_PYTHON=str(fake), INPUT_VERSION=version
        ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "no version number" in ran.stdout
