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

_WHOLE_REASONING = (
    "Say in one sentence what is wrong. Then write {what} again, corrected, in one ```{language} block.",
    (
        "Take the failing check: which value does the code give, and which should it give? Say in one sentence "
        "which line is wrong. Then write {what} again, corrected, in one ```{language} block."
    ),
    "Write {what} again with the bug fixed, in one ```{language} block.",
    (
        "One line of it is wrong: an operator, an index, a condition, an argument or a missing case. "
        "Write {what} again with that fixed, in one ```{language} block."
    ),
)

STYLES = len(_REASONING)
"""How many wordings there are; `style` counts modulo this."""


def change_form(
    edit_format: EditFormat, *, style: int, sentinel: str, region: Region | None, path: str, language: str
) -> str:
    """Return how the member is to reason and to write its change."""
    if edit_format is EditFormat.WHOLE:
        what = f"the whole function `{region.name}`" if region is not None and region.name else "all of it"
        return _WHOLE_REASONING[style % STYLES].format(what=what, language=language)
    line = region.first + 1 if region is not None else 1
    return f"{_REASONING[style % STYLES]}\n\n{_BLOCKS.format(sentinel=sentinel, path=path, line=line)}"
