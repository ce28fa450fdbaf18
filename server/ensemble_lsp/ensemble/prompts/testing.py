"""What members are asked who write tests, who are told why theirs did not load, and who judge one that fails."""

from collections.abc import Sequence

from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.framework import Framework
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import assignment

_ANGLES = (
    "Begin with what the documentation and the callers promise; one test for each promise.",
    "Begin with the edges: empty, one, the smallest, the largest, just inside and just outside of every limit.",
    "Begin with what must be refused: wrong types and values, and which exception says so.",
    "Take every condition in the code: write the input that makes it true and the one that makes it false.",
)
"""One per style: different wordings find different tests, also with the same model."""

_FORM = """\
Write one {file_kind} in one code block and nothing else: its imports, then at most {at_most} tests, the most telling
ones first. {style} {importing} Each test checks one behaviour through the public interface, is named for that
behaviour, is short, and needs nothing but this repository: no network, no clock, no random values. Compute expected
values by hand from what the code is meant to do, not from what it does: the tests are run, and one that fails is
reported as a suspected bug. No mocks where the real thing is quick."""


def writing_task(
    task: Task, dossier: Dossier, quoting: Quoting, *, style: int, at_most: int, framework: Framework
) -> str:
    """Ask for tests of the symbol, blind."""
    opening = "Task: write tests for this code."
    form = _FORM.format(
        at_most=at_most,
        file_kind=framework.file_kind,
        style=framework.style,
        importing=framework.importing,
    )
    parts = (opening, assignment(task, dossier, quoting), _ANGLES[style % len(_ANGLES)], form)
    return "\n\n".join(part for part in parts if part)


def load_task(module: str, problem: str, quoting: Quoting, framework: Framework) -> str:
    """Ask once more for a module that could not be loaded."""
    return "\n\n".join(
        (
            "You wrote these tests:",
            quoting.block("your tests", module),
            "They could not be run:",
            quoting.block("why", problem),
            (
                f"Write the whole {framework.file_kind} again so that it can be run, in one code block. "
                f"{framework.importing}"
            ),
        )
    )


def unnoticed_task(
    asked: str, survivors: Sequence[str], names: Sequence[str], quoting: Quoting, *, at_most: int
) -> str:
    """Ask for tests that notice the changes of the code that no test noticed."""
    return "\n\n".join(
        (
            asked,
            quoting.block("tests that exist by now", "\n".join(names)),
            quoting.block("changes of the code that they do not notice", "\n".join(survivors)),
            (
                f"Write at most {at_most} further tests, each of which passes on the code as it is and fails with one "
                "of these changes. A change that makes no difference to any caller needs no test."
            ),
        )
    )


def verdict_task(failures: Sequence[str], quoting: Quoting) -> str:
    """Ask whether tests that fail on the code as it is expect the right thing."""
    listed = [quoting.block(f"test {number}", text) for number, text in enumerate(failures, 1)]
    form = (
        "Answer in JSON, one verdict per test: number; verdict = bug (the test expects what the code is meant to do, "
        "and the code does not do it) or wrong (the test expects something that nobody promised); reason in at most "
        "two sentences; quote = the source line or the line of documentation that decides it, copied exactly, empty "
        "if none does."
    )
    return "\n\n".join(
        ("Task: these tests fail on the code as it is. Which of them show a bug in the code?", *listed, form)
    )
