"""The parts of a commit message as git knows them: what a person says, trailers, comments, and what stands below."""

import re
from collections import Counter

from ensemble_lsp.core.text import content_of, split_lines

_FILE = re.compile(r"(?:.*/)?(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|TAG_EDITMSG)")
_IN_GIT = re.compile(
    r"(?P<folder>(?:(?!\.git/)[^/]+/)*)(?P<git>\.git/(?P<tree>worktrees/[^/]+/)?)"
    r"(?:COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|TAG_EDITMSG)"
)
_SCISSORS = re.compile(r"^. -{8,} >8 -{8,}\s*$")
_TRAILER = re.compile(r"^[A-Za-z][A-Za-z0-9-]*:\s+\S")
_SAYS_WHO = re.compile(
    r"^(?:[A-Za-z-]+-by|Change-Id|Fixes|Closes|Refs?|See-also|Cc|Link|BREAKING[ -]CHANGE)\s*:\s",
    re.IGNORECASE,
)
COMMIT_MESSAGE = "the commit message"
"""What such a text is called in titles: it is no file to a person."""

COMMENT = "#"
"""Git's own; where `core.commentChar` says otherwise, comments count as text."""


def is_commit_message(path: str) -> bool:
    """Whether a path is that of a message that git has an editor open for."""
    return _FILE.fullmatch(path) is not None


def is_message_in_git_folder(path: str) -> bool:
    """Whether a path is that of such a message where git puts it: the only files of its own that may be looked at."""
    return _IN_GIT.fullmatch(path) is not None


def repository_of_message(path: str) -> tuple[str, str]:
    """Return the folder in which git is asked for the change of a message, and the folder that its paths start from.

    Both relative to the workspace, "" for itself. Git keeps the messages of linked work trees in its own folder.
    """
    found = _IN_GIT.fullmatch(path)
    if found is None:
        folder = path.rpartition("/")[0]
        return folder, folder
    folder = found["folder"].rstrip("/")
    return (f"{found['folder']}{found['git']}".rstrip("/") if found["tree"] else folder), folder


def said_lines(text: str) -> tuple[int, int] | None:
    """Return the first and last line (0-based, inclusive) of what a person says, or None for an empty message.

    Behind them stand trailers (the last paragraph, where all its lines are such), comments, and below a scissors line
    the diff that `git commit -v` shows.
    """
    lines = [content_of(line) for line in split_lines(text)]
    end = next((number for number, line in enumerate(lines) if _SCISSORS.match(line)), len(lines))
    told = [
        number for number in range(end) if lines[number].strip() and not lines[number].startswith(COMMENT)
    ]
    # `git commit -s` leaves room above the trailers of a message that nobody has begun.
    if not told or (told[0] > 0 and all(_SAYS_WHO.match(lines[number]) for number in told)):
        return None
    first, last = told[0], told[-1]
    begin = last
    while begin > first and lines[begin - 1].strip() and not lines[begin - 1].startswith(COMMENT):
        begin -= 1
    # The subject alone is no paragraph of trailers, whatever it looks like.
    if begin > first and all(_of_trailers(lines, number) for number in range(begin, last + 1)):
        before = [number for number in told if number < begin]
        last = before[-1] if before else last
    comment = next((number for number in range(first, last + 1) if lines[number].startswith(COMMENT)), None)
    if comment is not None:
        last = max(number for number in told if number < comment)
    return first, last


def room_for_message(text: str) -> tuple[int, int]:
    """Return the first and last line (0-based, inclusive) where a message goes that nobody has begun.

    The blank line at the top; in a text that begins with a comment there is none, and the last is -1.
    """
    lines = split_lines(text)
    return (0, 0) if not lines or not lines[0].strip() else (0, -1)


def kept_lines(text: str) -> Counter[str]:
    """Return the lines that a rewriting must leave as they are: trailers that say who or what, and comments."""
    lines = [content_of(line) for line in split_lines(text)]
    return Counter(line for line in lines if line.startswith(COMMENT) or _SAYS_WHO.match(line))


def _of_trailers(lines: list[str], number: int) -> bool:
    return bool(_TRAILER.match(lines[number])) or lines[number].startswith((" ", "\t"))
