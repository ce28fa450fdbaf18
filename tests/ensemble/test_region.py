"""What a small model rewrites as a whole."""

import pytest

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.region import Region, region_of
from tests.support.scripted_checks import ScriptedChecks

TWO = "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n"
ONE = "import os\n\n\ndef only():\n    return 1\n"


def region(text: str, lines: LineRange | None = None, path: str | None = "m.py") -> Region | None:
    files = {"m.py": SourceText(text)}
    task = Task(action=Action.FIX, path=path, range=lines)
    return region_of(task, Dossier(files=files, focus=None), ScriptedChecks(files, "m.py", None))


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        (TWO, LineRange(start=8, end=9), Region("m.py", 7, 8, "second")),
        (TWO, LineRange(start=4, end=8), Region("m.py", 4, 7)),
        (TWO, None, Region("m.py", 0, 8)),
        (ONE, None, Region("m.py", 3, 4, "only")),
        (TWO, LineRange(start=90, end=99), Region("m.py", 7, 8, "second")),
    ],
    ids=["in a function", "across functions", "no range", "the only function", "past the end"],
)
def test_the_region_is_the_symbol_around_what_was_pointed_at(
    text: str, lines: LineRange | None, expected: Region
) -> None:
    assert region(text, lines) == expected


def test_without_a_file_there_is_no_region() -> None:
    assert region(ONE, path=None) is None
