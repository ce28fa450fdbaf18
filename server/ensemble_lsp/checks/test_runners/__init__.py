"""How a file of tests is run: one runner for each framework that `frameworks` knows, under the same name."""

from collections.abc import Callable, Mapping

from ensemble_lsp.checks.test_runners.go import GoRunner
from ensemble_lsp.checks.test_runners.python import PytestRunner, UnittestRunner
from ensemble_lsp.checks.test_runners.runner import Setting, TestRunner
from ensemble_lsp.checks.test_runners.script import JestRunner, VitestRunner

RUNNERS: Mapping[str, Callable[[Setting], TestRunner]] = {
    "pytest": PytestRunner,
    "unittest": UnittestRunner,
    "vitest": VitestRunner,
    "jest": JestRunner,
    "go test": GoRunner,
}


def runner_of(framework: str, setting: Setting) -> TestRunner:
    """Return what runs the tests of a framework."""
    return RUNNERS[framework](setting)
