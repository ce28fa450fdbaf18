"""One case of a benchmark: a workspace with one known bug, or without any, and how an answer is judged."""

from collections.abc import Mapping
from typing import Self

from pydantic import model_validator

from ensemble_lsp.core.frozen import Frozen


class BenchCase(Frozen):
    """A workspace in front of the panel: a base directory, if there is one, with some files replaced.

    Paths are relative to the workspace, with forward slashes; texts are what the files hold, line endings as they
    are. Lines count from 0.
    """

    id: str
    """Unique within a run, and the same in every run over the same input."""
    group: str
    """What cases that share their code have in common (one function, one problem): the bootstrap draws groups."""
    source: str
    """Where it came from, for the report: `mutants`, or the file name of the set."""
    base: str = ""
    """Absolute path of the repository that the workspace is a copy of; empty for a workspace of `files` alone."""
    files: Mapping[str, str]
    """What the panel sees in place of, or beside, what the base has; `path` is one of them."""
    path: str
    """The program in question."""
    symbol: str = ""
    """The function in question."""
    original: str
    """The right text of `path`; for a clean control, the text that its changed form behaves like."""
    clean: bool = False
    """A control: nothing is wrong with it, so that whatever is reported is a false alarm."""
    lines: tuple[int, int] = (0, 0)
    """First and last line, in `files[path]`, of what differs from `original`."""
    targets: tuple[str, ...] = ()
    """Tests (pytest node ids) that fail on this case and pass on the original; the visible check of a fix."""
    covering: tuple[str, ...] = ()
    """Tests that run the function and pass on the original, `targets` among them: a fix must pass all of these."""
    seconds: float = 0.0
    """What `covering` took on the original; 0 when unknown."""
    judged_by: Mapping[str, str] = {}
    """Test files put in place before a fix is judged, where the panel sees only a part of them."""
    about: str = ""
    """What was done to the code, for the report: the mutation operator, or the set's bug type."""

    @model_validator(mode="after")
    def _program_is_there(self) -> Self:
        if self.path not in self.files:
            raise ValueError(f"{self.id}: {self.path} is not among the files")
        return self
