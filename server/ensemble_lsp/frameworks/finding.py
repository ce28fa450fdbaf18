"""Which test framework a project uses for a file, by what the project says and by the tests that it has."""

from collections.abc import Callable, Mapping

from ensemble_lsp.ensemble.framework import Framework, NoFramework
from ensemble_lsp.frameworks.go_tests import find_go
from ensemble_lsp.frameworks.project import ProjectFiles
from ensemble_lsp.frameworks.python_tests import find_python
from ensemble_lsp.frameworks.script_finding import find_script

_FINDERS: Mapping[str, Callable[[ProjectFiles], Framework | NoFramework]] = {
    "python": find_python,
    "javascript": find_script,
    "typescript": find_script,
    "tsx": find_script,
    "go": find_go,
}
"""tree-sitter's name of a language → who knows its frameworks."""

KNOWN = "Python (pytest, unittest), JavaScript and TypeScript (vitest, jest) and Go"


def find_framework(language: str, project: ProjectFiles) -> Framework | NoFramework:
    """Return how tests of the file are written, or why none can be."""
    finder = _FINDERS.get(language)
    if finder is not None:
        return finder(project)
    return NoFramework(
        f"tests are written for {KNOWN}, and {project.path} is {language or 'no code that is known here'}",
        "Ask the panel what to test instead: `ensemble-lsp debate`, or “Ensemble: ask the panel…”.",
    )
