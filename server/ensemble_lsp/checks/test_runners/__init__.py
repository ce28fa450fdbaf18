"""How a file of tests is run: one runner for each framework that `frameworks` knows, under the same name."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from ensemble_lsp.checks.test_runners.runner import Setting, TestRunner

RUNNERS: Mapping[str, tuple[str, str]] = {
    "pytest": ("python", "PytestRunner"),
    "unittest": ("python", "UnittestRunner"),
    "vitest": ("script", "VitestRunner"),
    "jest": ("script", "JestRunner"),
    "go test": ("go", "GoRunner"),
}
"""Framework → module and class; most jobs write no tests, and wait for none of these to be loaded."""


def runner_of(framework: str, setting: Setting) -> TestRunner:
    """Return what runs the tests of a framework."""
    module, name = RUNNERS[framework]
    made = cast("Callable[[Setting], TestRunner]", getattr(import_module(f"{__name__}.{module}"), name))
    return made(setting)
