"""What an editor's other language servers told about the names in front of a job: data, never instructions."""

from typing import Literal

from ensemble_lsp.core.evidence import Diagnostic
from ensemble_lsp.core.frozen import Frozen


class EditorPassage(Frozen):
    """A place that a language server pointed to. Lines are 0-based, `end_line` inclusive."""

    kind: Literal["definition", "reference"]
    path: str
    """Relative to the workspace, with forward slashes; absolute for a file elsewhere."""
    line: int
    end_line: int
    text: str | None = None
    """The lines as the editor read them; counts only for dependencies, which the engine does not read."""


class EditorContext(Frozen):
    """Everything that was told for one job."""

    passages: tuple[EditorPassage, ...] = ()
    hovers: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
