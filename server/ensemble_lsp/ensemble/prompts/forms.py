"""The form in which a change is asked for, and the wordings of a draft.

Wording moves results as much as the model does (docs/deliberation.md), so members of one family get
different ones.
"""

from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.ensemble.region import Region

_BLOCKS = """\
Write the change as search/replace blocks in exactly this form, not inside a code fence:

<<<<<<< SEARCH {sentinel} {path}:{line}
lines of the file, copied as they stand
======= {sentinel}
the lines that take their place
>>>>>>> REPLACE {sentinel}

Copy whole lines with their indentation, and enough of them that they occur once; {line} is about where they
start. One block for each place; all of them are against the file as quoted above. Write every line in full:
no "...", no "rest unchanged", no line numbers. Change as little as the task needs, and no tests."""

_REASONING = (
    "Say in two or three sentences what is wrong, then write the change.",
    (
        "Work from the failing check, where there is one: take its input, follow the code by hand until a value "
        "goes wrong, and name that line. Then write the change."
    ),
    "Write only the change, without explanation.",
    (
        "Say what the code does with an empty, a smallest and an extreme input, and where that is wrong. "
        "Then write the change."
    ),
)

_WHOLE = (
    (
        "{what} is wrong. Write the corrected {name} in one code block and nothing else. "
        "A copy without a change is not an answer."
    ),
    (
        "Write {name} anew so that it does what its description and the test say. Keep its signature and docstring, "
        "but do not copy its body: think of the simplest correct way. Reply with one code block and nothing else."
    ),
    (
        "One line of {name} is wrong: an operator, an index, a condition, an argument, or a missing case. "
        "Write {name} with that put right, in one code block and nothing else. "
        "A copy without a change is not an answer."
    ),
    (
        "First name, in one sentence, the line of {name} that is wrong and what it should do. Then write the whole "
        "corrected {name} in one code block, with that line changed. Write nothing after it."
    ),
)
"""For small models, as measured on a 1.5B with tests as the judge: step-by-step tracing and long explanations
ran into the token limit, blocks to be copied came back as the template, and the warning against copies took
unchanged answers from 3 in 8 to none. Naming a line before writing it comes last: it commits a small model to a
wrong one (1 of 4 solved where the first wording solved 4 of 4). Wordings that differ solve different bugs."""

STYLES = len(_REASONING)
"""How many wordings there are; `style` counts modulo this."""


def change_form(
    edit_format: EditFormat, *, style: int, sentinel: str, region: Region | None, path: str
) -> str:
    """Return how the member is to reason and to write its change."""
    if edit_format is EditFormat.WHOLE:
        if region is not None and region.name:
            return _WHOLE[style % STYLES].format(what=f"`{region.name}`", name=f"`{region.name}`")
        return _WHOLE[style % STYLES].format(what="This file", name="file")
    line = region.first + 1 if region is not None else 1
    return f"{_REASONING[style % STYLES]}\n\n{_BLOCKS.format(sentinel=sentinel, path=path, line=line)}"
