"""Small projects, looked at as the finder of frameworks does."""

from collections.abc import Mapping

from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.ensemble.framework import Framework, NoFramework
from ensemble_lsp.frameworks.finding import find_framework
from ensemble_lsp.frameworks.project import ProjectFiles


def looked_for(path: str, files: Mapping[str, str]) -> Framework | NoFramework:
    """Return what is found for `path` in a project of these texts."""
    project = ProjectFiles(path, frozenset({path, *files}), lambda name: files.get(name, ""))
    return find_framework(language_of(path), project)


def found(path: str, files: Mapping[str, str]) -> Framework:
    """Return the framework."""
    framework = looked_for(path, files)
    assert not isinstance(framework, NoFramework), framework
    return framework


def refused(path: str, files: Mapping[str, str]) -> NoFramework:
    """Return why there is none."""
    framework = looked_for(path, files)
    assert isinstance(framework, NoFramework), framework
    return framework
