"""docs/ci.md says what `action.yml` has, and its examples are workflows."""

import re
from typing import Any, cast

import pytest
import yaml

from tests.ci.composite import ROOT

PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION = cast("dict[str, Any]", yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8")))
EXAMPLES = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
WORKFLOWS = [cast("dict[Any, Any]", item) for item in EXAMPLES if isinstance(item, dict) and "jobs" in item]


def own_steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    return [step for step in steps if step["uses"].startswith("ensemble-lsp/")]


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_every_input_and_output_is_described(kind: str):
    missing = [name for name in ACTION[kind] if f"`{name}`" not in PAGE]
    assert missing == []


def test_examples_use_inputs_that_there_are():
    assert len(WORKFLOWS) == 2
    for workflow in WORKFLOWS:
        (step,) = own_steps(workflow)
        assert set(step["with"]) <= set(ACTION["inputs"])


def test_workflow_with_secrets_for_forks_does_nothing_but_check_out_and_review():
    (workflow,) = [item for item in WORKFLOWS if item[True] == "pull_request_target"]
    (job,) = workflow["jobs"].values()
    assert [re.split("[/@]", step["uses"])[1] for step in job["steps"]] == ["checkout", "ensemble-lsp"]
    checkout = job["steps"][0]["with"]
    assert checkout["persist-credentials"] is False
    assert checkout["fetch-depth"] == 0
    assert workflow["permissions"] == {"contents": "read", "pull-requests": "write"}


def test_every_input_reaches_the_steps_as_a_variable():
    steps = ACTION["runs"]["steps"]
    passed = {value for step in steps for value in step["env"].values()}
    assert [name for name in ACTION["inputs"] if f"${{{{ inputs.{name} }}}}" not in passed] == []
    assert all("${{" not in step["run"] for step in steps)
