"""Reading search/replace blocks, with the request's sentinel or without one."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.blocks import Block, BlockKind, Problem, ProblemKind
from ensemble_lsp.core.matching import FileLines, find
from ensemble_lsp.core.reply_markers import Opener, marker_lines
from ensemble_lsp.core.reply_paths import clean_path, named_path, resolved, split_line_hint

MOST_BLOCKS = 1000
"""Bound on the blocks of one reply; a reply with more is refused."""
_MOST_DIVIDERS = 32
"""Bound on the divider lines weighed for one block without a sentinel."""
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})(.*)$")

_Reading = tuple[tuple[str, ...], tuple[str, ...]]
"""Search part and replacement, as one choice of the divider gives them."""


def read_blocks(
    lines: Sequence[str],
    files: Mapping[str, FileLines],
    *,
    default_path: str | None,
    sentinel: str | None,
) -> tuple[list[Block], list[Problem]]:
    """Read all blocks of a reply, given as lines without endings.

    A block without a path of its own belongs to the file of the block before it, else to `default_path`. A
    block that does not end is a `truncated` problem.
    """
    markers = marker_lines(lines)
    blocks: list[Block] = []
    problems: list[Problem] = []
    path = default_path
    end = 0
    for opener in markers.openers:
        if opener.line < end:
            continue  # inside the block before: its text quotes markers
        index = len(blocks) + len(problems)
        if index >= MOST_BLOCKS:
            message = f"the reply has more than {MOST_BLOCKS} blocks"
            problems.append(Problem(kind=ProblemKind.NO_EDIT, message=message, block=index))
            break
        word = markers.sentinel_of(opener, sentinel)
        place = _named_place(lines, opener, word, files, end)
        if place is not None:
            path = clean_path(place.path)
        closer = markers.closer_of(opener, word)
        dividers = markers.dividers_between(opener.line, closer, word) if closer is not None else []
        end = opener.line + 1 if closer is None else closer + 1
        if closer is None or not dividers:
            problems.append(_unfinished(index, path))
            continue
        body = lines[opener.line + 1 : closer]
        if path is not None and any(line.strip() for line in body[: dividers[0] - opener.line - 1]):
            path = resolved(path, files)  # not for a new file: it may be named like one elsewhere
        # With the sentinel the first divider is the divider; without it, it may be part of the text.
        counted = dividers[:1] if word else dividers[:_MOST_DIVIDERS]
        ways = _ways(body, [divider - opener.line - 1 for divider in counted], opener.indent)
        reading = _chosen(ways, files.get(path) if path else None)
        if reading is None:
            message = "the block can be read in two ways that stand in different places"
            problems.append(Problem(kind=ProblemKind.AMBIGUOUS, message=message, block=index, path=path))
            continue
        search, replace = reading
        creates = path is not None and path not in files and not any(line.strip() for line in search)
        kind = BlockKind.CREATE if creates else BlockKind.EDIT
        hint = place.hint if place else None
        blocks.append(Block(index, path, kind, () if creates else search, replace, hint=hint))
    return blocks, problems


@dataclass(frozen=True, slots=True)
class _Place:
    path: str
    hint: int | None


def _named_place(
    lines: Sequence[str], opener: Opener, sentinel: str, files: Mapping[str, FileLines], floor: int
) -> _Place | None:
    """Return the path and line that the opener names, or the line above it; never one above `floor`."""
    rest = " ".join(part for part in opener.rest.split() if part != sentinel or not sentinel)
    rest = rest.strip("`\"' ").rstrip("> ")
    name, hint = split_line_hint(rest)
    if name and (sentinel or named_path(name, files)):
        return _Place(name, hint)
    # Only the nearest line that is neither blank nor a bare fence counts; three lines up at most.
    for above in range(opener.line - 1, max(floor, opener.line - 4) - 1, -1):
        line = lines[above]
        fence = _FENCE.match(line)
        if fence:
            found = _path_in_info(fence.group(1), files)
            if found:
                return _Place(found, None)
        elif line.strip():
            name, hint = split_line_hint(line.strip().rstrip("*`: "))
            found = named_path(line, files) or named_path(name, files)
            found, hint = split_line_hint(found) if found and hint is None else (found, hint)
            return _Place(found, hint) if found else None
    return None


def _path_in_info(info: str, files: Mapping[str, FileLines]) -> str | None:
    """Return the path in a fence's info string (```python:src/a.py, ```python src/a.py), never its language."""
    for word in re.split(r"[ \t:={}]+", info.strip()):
        bare = word.strip("\"'")
        if clean_path(bare) in files or ("." in bare and named_path(bare, files)):
            return bare
    return None


def _ways(body: Sequence[str], dividers: Sequence[int], indent: str) -> list[list[_Reading]]:
    """Return the ways to read a block, per treatment of its indentation: one reading per divider."""
    bodies = [list(body)]
    if indent and all(line.startswith(indent) or not line.strip() for line in body):
        bodies.append([line[len(indent) :] for line in body])
    return [[(tuple(way[:at]), tuple(way[at + 1 :])) for at in dividers] for way in bodies]


def _chosen(ways: Sequence[Sequence[_Reading]], file: FileLines | None) -> _Reading | None:
    """Return the reading whose search part occurs in the file; None when two ways stand in different places.

    Of several dividers the last one that fits: that a shorter search part fits as well would mean that the
    file happens to go on with a divider and the beginning of the replacement.
    """
    if file is None:
        return ways[-1][0]
    found = [reading for way in ways if (reading := _last_exact(way, file)) is not None and any(reading[0])]
    if len(found) == 2 and file.exact.places(found[0][0]) != file.exact.places(found[1][0]):
        return None
    if found:
        return found[0]
    readings = [reading for way in ways for reading in reversed(way)]
    for reading in [*readings, *(_unfenced(reading) for reading in readings)]:
        if find(file, reading[0]):
            return reading
    return ways[-1][0]


def _last_exact(way: Sequence[_Reading], file: FileLines) -> _Reading | None:
    return next(
        (reading for reading in reversed(way) if reading[0] and file.exact.places(reading[0], 1)), None
    )


def _unfenced(reading: _Reading) -> _Reading:
    """Take away a fence that a model put around each part inside the markers."""
    search, replace = (_without_fence(part) for part in reading)
    return search, replace


def _without_fence(part: tuple[str, ...]) -> tuple[str, ...]:
    if len(part) >= 2 and _FENCE.match(part[0]) and re.fullmatch(r"[ \t]*(?:`{3,}|~{3,})[ \t]*", part[-1]):
        return part[1:-1]
    return part


def _unfinished(index: int, path: str | None) -> Problem:
    message = "the block does not end: the reply was cut off, or its markers are not the ones asked for"
    return Problem(kind=ProblemKind.TRUNCATED, message=message, block=index, path=path)
