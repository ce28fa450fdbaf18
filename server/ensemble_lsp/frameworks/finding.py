"""Which test framework a project uses for a file, by what the project says and by the tests that it has."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from ensemble_lsp.ensemble.framework import Framework, NoFramework
from ensemble_lsp.frameworks.project import ProjectFiles

_SCRIPT = ("script_finding", "find_script")
_FINDERS: Mapping[str, tuple[str, str]] = {
    "python": ("python_tests", "find_python"),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "go": ("go_tests", "find_go"),
}
"""tree-sitter's name of a language → module and function that know its frameworks, loaded when tests are written."""

KNOWN = "Python (pytest, unittest), JavaScript and TypeScript (vitest, jest) and Go"


def find_framework(language: str, project: ProjectFiles) -> Framework | NoFramework:
    """Return how tests of the file are written, or why none can be."""
    if language in _FINDERS:
        module, name = _FINDERS[language]
        found = getattr(import_module(f"ensemble_lsp.frameworks.{module}"), name)
        return cast("Callable[[ProjectFiles], Framework | NoFramework]", found)(project)
    return NoFramework(
        f"tests are written for {KNOWN}, and {project.path} is {language or 'no code that is known here'}",
        "Ask the panel what to test instead: `ensemble-lsp debate`, or “Ensemble: ask the panel…”.",
    )
