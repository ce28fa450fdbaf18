"""The form in which a change is asked for, and the wordings of a draft.

Wording moves results as much as the model does (docs/deliberation.md), so members of one family get
different ones.
"""

from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.ensemble.prompts.wording import Wording
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
no "...", no "rest unchanged", no line numbers. {limits}"""

STYLES = 4
"""How many wordings there are; `style` counts modulo this."""


def change_form(
    wording: Wording, edit_format: EditFormat, *, style: int, sentinel: str, region: Region | None, path: str
) -> str:
    """Return how the member is to reason and to write its change."""
    if edit_format is EditFormat.WHOLE:
        whole = wording.whole[style % STYLES]
        if region is not None and region.name:
            return whole.format(what=f"`{region.name}`", name=f"`{region.name}`")
        return whole.format(what="This file", name="file")
    line = region.first + 1 if region is not None else 1
    form = _BLOCKS.format(sentinel=sentinel, path=path, line=line, limits=wording.limits)
    return f"{wording.reasoning[style % STYLES]}\n\n{form}"
