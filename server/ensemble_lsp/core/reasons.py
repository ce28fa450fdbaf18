"""What an author wrote about each single change: the words that stand before a block belong to its hunks."""

import re
from collections.abc import Sequence

from ensemble_lsp.core.diff import Hunk, hunks_of
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.reply_markers import has_opener, marker_lines

LONGEST_REASON = 600
"""Characters kept of one reason."""

_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_PATH = re.compile(r"[ \t]*[#*`>\-\d.) ]*[\w./\\@+-]+\.\w+[:`*]*(?::\d+)?[ \t]*")
_LIST_MARK = re.compile(r"^(?:[-*+]|\d+[.)]|#{1,6})\s+")


def reasons_of(text: str, changes: Sequence[FileChange]) -> dict[str, str]:
    """Return hunk id → what a reply in search/replace blocks says right before the block that makes the hunk.

    Plain text of one paragraph, as the author wrote it: data. A hunk without such words, or in a reply of another
    form, has no entry; what is said before the first of several blocks counts only from its second paragraph on,
    since the first speaks of the whole.
    """
    lines = text.splitlines()
    if not has_opener(lines):
        return {}
    hunks = [hunk for change in changes for hunk in hunks_of(change)]
    found: dict[str, str] = {}
    markers = marker_lines(lines)
    end = 0
    for number, opener in enumerate(markers.openers):
        if opener.line < end:
            continue  # inside the block before: its text quotes markers
        word = markers.sentinel_of(opener, None)
        closer = markers.closer_of(opener, word)
        dividers = markers.dividers_between(opener.line, closer, word) if closer is not None else []
        if closer is None or not dividers:
            continue
        paragraphs = _paragraphs(lines[end : opener.line])
        end = closer + 1
        if number == 0:
            paragraphs = paragraphs[1:]
        if not paragraphs:
            continue
        search = [line.strip() for line in lines[opener.line + 1 : dividers[0]]]
        replace = [line.strip() for line in lines[dividers[0] + 1 : closer]]
        for hunk in hunks:
            if hunk.id not in found and _is_made_by(hunk, search, replace):
                found[hunk.id] = paragraphs[-1][:LONGEST_REASON]
    return found


def without_path(spoken: str) -> str:
    """Return what is said before a block without the line at its end that names the block's file."""
    said, _, last = spoken.rstrip().rpartition("\n")
    return said.rstrip() if _PATH.fullmatch(last) else spoken.rstrip()


def _is_made_by(hunk: Hunk, search: Sequence[str], replace: Sequence[str]) -> bool:
    old = [line.strip() for line in hunk.old_lines]
    new = [line.strip() for line in hunk.new_lines]
    return _holds(search, old) and _holds(replace, new)


def _holds(lines: Sequence[str], part: Sequence[str]) -> bool:
    """Whether `part` stands in `lines` as one stretch."""
    last = len(lines) - len(part)
    return any(list(lines[start : start + len(part)]) == list(part) for start in range(last + 1))


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the paragraphs before a block without fences and the line that names the file."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if not line.strip() or _FENCE.match(line) or _PATH.fullmatch(line):
            paragraphs.append([])
        elif _LIST_MARK.match(line.strip()):
            paragraphs.append([_LIST_MARK.sub("", line.strip())])
        else:
            paragraphs[-1].append(line.strip())
    return [" ".join(paragraph) for paragraph in paragraphs if paragraph]
