"""From a member's raw reply to blocks: which form it is in, and what it says in that form.

The form asked for is the search/replace block with a sentinel; read are also such blocks without it, unified
diffs, the apply_patch envelope, and a whole file, function or selection in a fence.
"""

import random as random_module
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.blocks import Block, Problem, ProblemKind, ReplyForm, Target
from ensemble_lsp.core.matching import FileLines
from ensemble_lsp.core.reply_blocks import MOST_BLOCKS, read_blocks
from ensemble_lsp.core.reply_diffs import (
    has_apply_patch,
    has_unified_diff,
    read_apply_patch,
    read_unified_diff,
)
from ensemble_lsp.core.reply_markers import has_opener
from ensemble_lsp.core.text import SourceText, content_of, split_lines
from ensemble_lsp.core.whole_replies import read_whole

_SENTINEL_ALPHABET = "bcdfghjkmnpqrstvwxz23456789"
"""No vowels, so that no word comes out, and no letters that look like digits."""
_DIFF_LINE = re.compile(r"^([ \t]+)(?:@@ |--- |\*\*\* Begin Patch)")


@dataclass(frozen=True, slots=True)
class Reply:
    """What was read. Blocks and problems carry their number in the reply; an empty reply is a problem too."""

    form: ReplyForm
    blocks: tuple[Block, ...] = ()
    problems: tuple[Problem, ...] = ()


def new_sentinel(random: random_module.Random) -> str:
    """Return six characters to fence one request's blocks with: 387 million possibilities.

    Whoever builds the prompt draws again while the sentinel occurs in the text that is shown.
    """
    return "".join(random.choices(_SENTINEL_ALPHABET, k=6))


def read_reply(
    text: str,
    *,
    files: Mapping[str, SourceText],
    default_path: str | None = None,
    sentinel: str | None = None,
    cut_off: bool = False,
    target: Target | None = None,
) -> Reply:
    """Read a reply in whichever form it came; never raises, whatever the text.

    `files` are the files that were shown, `default_path` the one that the request was about. `cut_off` says
    that the model ran into its token limit: then the reply is `truncated`, however complete it looks.
    `target` is what a "whole" reply replaces.
    """
    indexed = {path: FileLines(source) for path, source in files.items()}
    return read_indexed(
        text,
        indexed,
        default_path=default_path,
        sentinel=sentinel,
        cut_off=cut_off,
        target=target,
    )


def read_indexed(
    text: str,
    files: Mapping[str, FileLines],
    *,
    default_path: str | None = None,
    sentinel: str | None = None,
    cut_off: bool = False,
    target: Target | None = None,
) -> Reply:
    """Do what `read_reply` does, on files whose lines are split already."""
    lines = [content_of(line) for line in split_lines(text)] if "\r" in text else text.split("\n")
    if default_path is None and target is not None:
        default_path = target[0]
    if default_path is None and len(files) == 1:
        default_path = next(iter(files))
    reply = _read(lines, files, default_path=default_path, sentinel=sentinel, target=target)
    if cut_off:
        message = "the reply was cut off by the token limit; nothing of it is applied"
        return Reply(reply.form, reply.blocks, (Problem(kind=ProblemKind.TRUNCATED, message=message),))
    if len(reply.blocks) > MOST_BLOCKS:
        message = f"the reply has more than {MOST_BLOCKS} blocks"
        return Reply(reply.form, (), (Problem(kind=ProblemKind.NO_EDIT, message=message),))
    if not reply.blocks and not reply.problems:
        message = "the reply holds no edit in any form that is read"
        return Reply(reply.form, (), (Problem(kind=ProblemKind.NO_EDIT, message=message),))
    return reply


def _read(
    lines: Sequence[str],
    files: Mapping[str, FileLines],
    *,
    default_path: str | None,
    sentinel: str | None,
    target: Target | None,
) -> Reply:
    if has_opener(lines):
        blocks, problems = read_blocks(lines, files, default_path=default_path, sentinel=sentinel)
        return Reply(ReplyForm.SEARCH_REPLACE, tuple(blocks), tuple(problems))
    flush = _flushed_left(lines)
    if has_apply_patch(flush):
        blocks, complete = read_apply_patch(flush, files)
        message = "the patch does not end with *** End Patch: the reply was cut off"
        truncated = () if complete else (Problem(kind=ProblemKind.TRUNCATED, message=message),)
        return Reply(ReplyForm.APPLY_PATCH, tuple(blocks), truncated)
    if has_unified_diff(flush):
        return Reply(ReplyForm.UNIFIED_DIFF, tuple(read_unified_diff(flush, files, default_path)))
    blocks, problems = read_whole(lines, files, default_path, target)
    form = ReplyForm.WHOLE if blocks or problems else ReplyForm.NONE
    return Reply(form, tuple(blocks), tuple(problems))


def _flushed_left(lines: Sequence[str]) -> Sequence[str]:
    """Take away the indentation of a diff that was indented as a whole."""
    for line in lines:
        match = _DIFF_LINE.match(line) if line[:1] in {" ", "\t"} else None
        if match:
            indent = match.group(1)
            return [other.removeprefix(indent) for other in lines]
        if line.startswith(("@@", "--- ", "*** ")):
            return lines
    return lines
