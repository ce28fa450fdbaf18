"""How tests look in a project: what members are shown of the file that is added to, else of one near it."""

from collections.abc import Collection

from ensemble_lsp.context.allowance import Allowance
from ensemble_lsp.context.sheets import Sheets
from ensemble_lsp.ensemble.framework import Framework
from ensemble_lsp.ensemble.ports import Excerpt

_HEAD_LINES = 40
"""Imports, fixtures and the first test or two."""


def style_of_home(
    sheets: Sheets, framework: Framework, files: Collection[str], allowance: Allowance
) -> list[Excerpt]:
    """Return the head of the test file that is added to, else of the nearest other one."""
    home = framework.home
    for name in (home,) if home in files else framework.examples[:1]:
        sheet = sheets.related(name)
        if sheet is None:
            continue
        why = "the test file that yours goes into" if name == home else "how tests look here"
        excerpt = sheet.excerpt(0, min(len(sheet.lines), _HEAD_LINES) - 1, why)
        if sheet.lines and allowance.take(excerpt):
            return [excerpt]
    return []
