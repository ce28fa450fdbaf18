"""Reading a whole file, function or selection in a fence: what weak models are asked for.

Which it is, is told by comparing what the fence defines with the target and with the file. A reply that would
lose something without saying so (methods of a class, other functions of a file) is refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ensemble_lsp.core.blocks import Block, BlockKind, Problem, ProblemKind, Target
from ensemble_lsp.core.fences import Fence, fences_of
from ensemble_lsp.core.matching import FileLines
from ensemble_lsp.core.outline import ItemKind, indent_width, outline
from ensemble_lsp.core.reply_paths import clean_path, named_path, resolved, split_line_hint
from ensemble_lsp.core.whole_definitions import Ranges, Unclear, definition_ranges, whole_file_ranges

_NOT_CODE = frozenset(
    {"bash", "sh", "shell", "console", "zsh", "text", "txt", "output", "plaintext", "log", "terminal"}
)
_MARKDOWN_FILES = (".md", ".mdx", ".markdown")
_MOST_FENCES = 50
"""Bound on the fences weighed; a reply with more is a document, not an edit."""

_MOST_LINES = 20_000
"""Bound on the lines of a fence that is weighed: far more than any model writes."""


def read_whole(
    lines: Sequence[str], files: Mapping[str, FileLines], default_path: str | None, target: Target | None
) -> tuple[list[Block], list[Problem]]:
    """Read a reply as replacement for a file, for definitions of it, or for the target's lines.

    Of several fences those count that are a replacement; what equals the original, shell lines and examples
    of use do not. Two that differ are an `ambiguous` problem.
    """
    of_markdown = bool(default_path) and str(default_path).endswith(_MARKDOWN_FILES)
    fences = fences_of(lines, of_markdown=of_markdown)
    if len(fences) > _MOST_FENCES:
        return [], []
    if not fences:
        bare = _bare_code(lines, default_path or "")
        fences = [bare] if bare else []
    candidates: dict[str, list[_Candidate]] = {}
    reasons: list[Unclear] = []
    for fence in fences:
        candidate = _candidate(fence, lines, files, default_path, target)
        if isinstance(candidate, Unclear):
            reasons.append(candidate)
        elif candidate is not None and not any(
            candidate.ranges == other.ranges for other in candidates.get(candidate.path, [])
        ):
            candidates.setdefault(candidate.path, []).append(candidate)
    blocks: list[Block] = []
    problems: list[Problem] = []
    for path, weighed in candidates.items():
        # A quotation of the original counts only when nothing else is said: then nothing is to change.
        found = [candidate for candidate in weighed if candidate.ranges] or weighed
        if len(found) > 1:
            message = f"{len(found)} fences could each be the replacement"
            problems.append(
                Problem(kind=ProblemKind.AMBIGUOUS, message=message, block=len(blocks), path=path)
            )
            continue
        blocks.extend(_blocks(found[0], files.get(path), len(blocks)))
    if not blocks and not problems and reasons:
        reason = reasons[-1]
        problems.append(Problem(kind=reason.kind, message=reason.message, path=default_path))
    return blocks, problems


@dataclass(frozen=True, slots=True)
class _Candidate:
    path: str
    ranges: Ranges


def _candidate(
    fence: Fence,
    reply: Sequence[str],
    files: Mapping[str, FileLines],
    default_path: str | None,
    target: Target | None,
) -> _Candidate | Unclear | None:
    """Return what a fence replaces, the reason why that cannot be told, or None for what is no edit."""
    named = _path_of(fence, reply, files)
    path = named or default_path
    too_long = len(fence.lines) > _MOST_LINES
    if path is None or too_long or not any(line.strip() for line in fence.lines):
        return None
    content = _without_path_line(_trimmed(fence.lines), files)
    file = files.get(path)
    if fence.language in _NOT_CODE and not named and not path.endswith((".sh", ".bash", ".zsh", ".txt")):
        return None
    if file is None:
        # Asked for a function, a model that names another file shows a test or an example.
        return None if target is not None else _Candidate(path, ((0, 0, tuple(content)),))
    aim = target if target is not None and target[0] == path else None
    if _stands_in(content, file):
        return _Candidate(path, ()) if _covers(content, aim, file) else None
    ranges = (
        whole_file_ranges(content, file, path, explicit=named is not None)
        or definition_ranges(content, file, path, aim)
        or _selection_ranges(content, file, path, aim)
    )
    if isinstance(ranges, Unclear):
        return ranges
    if ranges:
        return _Candidate(path, ranges)
    if all(item.kind in {ItemKind.STATEMENT, ItemKind.COMMENT} for item in outline(content, path)):
        return None if aim is None else Unclear("the fence holds neither the file nor the lines asked for")
    return Unclear("it cannot be told what the code in the fence replaces")


def _blocks(candidate: _Candidate, file: FileLines | None, index: int) -> list[Block]:
    if file is None:
        lines = candidate.ranges[0][2]
        return [Block(index, candidate.path, BlockKind.CREATE, (), lines)]
    return [
        Block(
            index + number,
            candidate.path,
            BlockKind.RANGE,
            tuple(file.contents[first : last + 1]),
            tuple(file.in_own_style(lines)),
            first=first,
        )
        for number, (first, last, lines) in enumerate(candidate.ranges or ((0, -1, ()),))
    ]


def _path_of(fence: Fence, reply: Sequence[str], files: Mapping[str, FileLines]) -> str | None:
    """Return the path that the info string, the line above or the first line of the fence names."""
    words = fence.info.replace(":", " ").replace("=", " ").split()[1:] or (
        [fence.info] if "." in fence.info else []
    )
    for word in words:
        found = named_path(word.strip("\"'"), files)
        if found:
            return resolved(clean_path(found), files)
    for above in range(fence.first - 1, max(-1, fence.first - 4), -1):
        if reply[above].strip():
            line = reply[above].strip()
            found = named_path(line, files) or named_path(split_line_hint(line.rstrip("*`: "))[0], files)
            if found:
                return resolved(clean_path(found), files)
            break
    content = _trimmed(fence.lines)
    if content and content[0].lstrip().startswith(("#", "//", "--", "/*", "<!--")):
        found = named_path(content[0].strip().strip("#/*-<>! "), files)
        return resolved(clean_path(found), files) if found else None
    return None


def _without_path_line(content: Sequence[str], files: Mapping[str, FileLines]) -> list[str]:
    first = content[0].lstrip() if content else ""
    if first.startswith(("# ", "// ", "-- ", "/* ", "<!-- ")):
        found = named_path(first.strip("#/*-<>! "), files)
        known = any(file.has_line(first) for file in files.values())
        if found and not known:
            return _trimmed(content[1:])
    return list(content)


def _trimmed(lines: Sequence[str]) -> list[str]:
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return list(lines[first:last])


def _stands_in(content: Sequence[str], file: FileLines) -> bool:
    """Whether the fence quotes what the file has already; how wide indentation is and trailing blanks aside."""
    places = file.stripped.places([line.strip(" \t") for line in content])
    return any(_nested_alike(content, file.contents[first : first + len(content)]) for first in places)


def _nested_alike(content: Sequence[str], there: Sequence[str]) -> bool:
    """Whether lines that differ in indentation at most are nested in the same way: wider or shifted, not regrouped."""
    widths = {
        (indent_width(other), indent_width(line))
        for line, other in zip(content, there, strict=True)
        if line.strip()
    }
    return all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(sorted(widths)))


def _covers(content: Sequence[str], target: Target | None, file: FileLines) -> bool:
    """Whether a quotation is all of the target or of the file: then the answer is that nothing is to change."""
    given = [line.strip() for line in content if line.strip()]
    spans = [file.contents, file.contents[target[1] : target[2] + 1] if target else []]
    return any(given == [line.strip() for line in span if line.strip()] for span in spans)


def _bare_code(lines: Sequence[str], path: str) -> Fence | None:
    """Return a reply without any fence as one, if it is code from the first line to the last."""
    content = _trimmed(lines)
    items = outline(content, path) if content else []
    kinds = {item.kind for item in items}
    if ItemKind.DEFINITION not in kinds or ItemKind.STATEMENT in kinds:
        return None
    return Fence("", 0, len(lines), tuple(content), closed=True)


def _selection_ranges(
    content: Sequence[str], file: FileLines, path: str, target: Target | None
) -> Ranges | Unclear | None:
    """Take the fence for the target's lines, where these are no definition of their own."""
    if target is None:
        return None
    first, last = target[1], min(target[2], len(file.contents) - 1)
    there = file.contents[first : last + 1]
    filled = [line for line in there if line.strip()]
    if any(item.kind is ItemKind.DEFINITION for item in outline(there, path)):
        names = ", ".join(item.name for item in outline(there, path) if item.kind is ItemKind.DEFINITION)
        return Unclear(f"the fence does not define {names}, which it was to replace")
    given = [line for line in content if line.strip()]
    # A fragment would silently delete the rest of the selection: a third of the lines must be there.
    if not filled or 3 * len(given) < len(filled):
        return Unclear("the fence is much shorter than the selection it was to replace")
    return ((first, last, tuple(_moved_to(content, filled[0]))),)


def _moved_to(content: Sequence[str], model: str) -> list[str]:
    """Shift lines as a whole, so that the first one is indented as `model` is."""
    wanted = model[: len(model) - len(model.lstrip(" \t"))]
    given = content[0][: len(content[0]) - len(content[0].lstrip(" \t"))]
    if wanted == given:
        return list(content)
    return [
        wanted + line[len(given) :] if line.strip() and line.startswith(given) else line for line in content
    ]
