"""Placing one block in one file: which lines it replaces, and with what, byte for byte."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.blocks import Block, BlockKind, Enclosing, Problem, ProblemKind, Target
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.matching import (
    FileLines,
    Match,
    find,
    is_numbered,
    nearest,
    without_line_numbers,
)
from ensemble_lsp.core.text import SourceText


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines `start:end` (0-based, end exclusive) become `lines`, given without endings."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a block stands: the lines its search part covers, and the few of them that really change."""

    block: Block
    start: int
    end: int
    replacements: tuple[Replacement, ...]

    @property
    def span(self) -> tuple[int, int]:
        """First line and the line after the last one, 0-based."""
        return self.start, self.end


def place(
    block: Block,
    file: SourceText | FileLines,
    *,
    target: Target | None = None,
    enclosing: Enclosing | None = None,
    agreed_line: int | None = None,
) -> Placement | Problem:
    """Place an edit or range block in the original text of its file.

    Among several places only these may choose, in this order: the line hint, the symbol around the hint, the
    enclosing lines that the block names, the symbol that the request was about, and `agreed_line`, the 0-based
    line that other members agree on. Otherwise the answer is an `ambiguous` problem.
    """
    lines = file if isinstance(file, FileLines) else FileLines(file)
    if block.kind is BlockKind.RANGE and block.first is not None:
        return _placed(block, lines, Match(block.first, _same), block.search, block.replace, trimmed=True)
    search, replace, hint = block.search, block.replace, block.hint
    if not any(line.strip() for line in search):
        return _placed_empty(block, lines)
    matches = find(lines, search)
    if not matches:
        plain = without_line_numbers(search)
        if plain is None:
            return _not_found(block, lines)
        plain_replace = _plain_replacement(replace)
        if plain_replace is None:
            return _problem(block, ProblemKind.LINE_NUMBERS, "only some lines carry line-number prefixes")
        matches = find(lines, plain[0])
        if not matches:
            return _not_found(block, lines, plain[0])
        search, replace = tuple(plain[0]), plain_replace
        hint = plain[1] - 1 if hint is None else hint
    if len(matches) > 1:
        match = _chosen(matches, block, lines, _Choosers(hint, target, enclosing, agreed_line))
        if match is None:
            return _ambiguous(block, matches)
    else:
        match = matches[0]
    return _placed(block, lines, match, search, replace)


def rewritten(file: FileLines, placements: Sequence[Placement]) -> SourceText:
    """Return the file with all placements' replacements made; they must not overlap."""
    lines: list[str] = []
    new: set[int] = set()
    done = 0
    replacements = sorted(
        (one for placement in placements for one in placement.replacements),
        key=lambda one: (one.start, one.end),
    )
    for one in replacements:
        lines.extend(file.pieces(done, one.start))
        for number, content in enumerate(one.lines):
            if lines and not lines[-1].endswith(("\n", "\r")):
                lines[-1] += file.ending  # it was the last line, and is not any more
            new.add(len(lines))
            lines.append(content + _ending_for(file, one, number))
        done = one.end
    if done < len(file.contents):
        lines.extend(file.pieces(done, len(file.contents)))
    elif file.endings and not file.endings[-1] and replacements and replacements[-1].lines:
        # The new last line takes over that the file does not end with a newline.
        lines[-1] = replacements[-1].lines[-1]
    if "\r" in file.endings:
        _keep_apart(lines, new)
    return file.source.with_text("".join(lines))


def _keep_apart(lines: list[str], new: Iterable[int]) -> None:
    r"""Write a new line beside a lone ``\r`` so that it and an empty ``\n`` line do not become one ending."""
    for number in new:
        if lines[number] == "\n" and number and lines[number - 1].endswith("\r"):
            lines[number] = "\r\n"
        if lines[number].endswith("\r") and lines[number + 1 : number + 2] == ["\n"]:
            lines[number] += "\n"


def _same(line: str) -> str | None:
    return line


def _placed(
    block: Block,
    file: FileLines,
    match: Match,
    search: Sequence[str],
    replace: Sequence[str],
    *,
    trimmed: bool = False,
) -> Placement | Problem:
    """Keep the lines that the block leaves as they are, and bring the others into the file's indentation.

    `trimmed`: lines that differ in trailing blanks only count as left as they are.
    """
    old = [line.rstrip(" \t") for line in search] if trimmed else search
    new = [line.rstrip(" \t") for line in replace] if trimmed else replace
    replacements: list[Replacement] = []
    for change in line_changes(old, new):
        written: list[str] = []
        for number in range(change.new_start, change.new_end):
            line = replace[number]
            lost = number == 0 and match.first_reindent is not None and line[:1] not in {" ", "\t"}
            mapped = match.first_reindent(line) if lost and match.first_reindent else match.reindent(line)
            if mapped is None:
                message = "a line of the replacement has less indentation than the search part"
                return _problem(block, ProblemKind.NOT_FOUND, message, line=match.start + 1)
            written.append(mapped)
        replacements.append(
            Replacement(
                match.start + change.old_start,
                match.start + change.old_end,
                tuple(file.in_own_style(written)),
            )
        )
    return Placement(block, match.start, match.start + len(search), tuple(replacements))


def _placed_empty(block: Block, file: FileLines) -> Placement | Problem:
    if not any(line.strip() for line in file.contents):
        return Placement(
            block, 0, len(file.contents), (Replacement(0, len(file.contents), tuple(block.replace)),)
        )
    message = "an empty search part creates a file, but this file exists and is not empty"
    return _problem(block, ProblemKind.NOT_FOUND, message)


def _plain_replacement(replace: Sequence[str]) -> tuple[str, ...] | None:
    """Return the replacement without prefixes; None when some lines have them and others do not."""
    plain = without_line_numbers(replace, consecutive=False)
    if plain is not None:
        return tuple(plain[0])
    return None if any(is_numbered(line) for line in replace) else tuple(replace)


@dataclass(frozen=True, slots=True)
class _Choosers:
    """What may choose among several places."""

    hint: int | None
    target: Target | None
    enclosing: Enclosing | None
    agreed_line: int | None


def _chosen(matches: Sequence[Match], block: Block, file: FileLines, choosers: _Choosers) -> Match | None:
    path, height, hint = block.path or "", len(block.search), choosers.hint
    spans: list[tuple[int, int]] = []
    if hint is not None:
        spans.append((hint, hint))
        around = None
        if choosers.enclosing and hint < len(file.contents):
            around = choosers.enclosing(path, file.source.text, hint)
        if around is not None:
            spans.append((around[1], around[2]))
    scope = _scope_span(block.scope, file)
    if scope is not None:
        spans.append(scope)
    if choosers.target is not None and choosers.target[0] == path:
        spans.append(choosers.target[1:])
    if choosers.agreed_line is not None:
        spans.append((choosers.agreed_line, choosers.agreed_line))
    for first, last in spans:
        starting = [match for match in matches if match.start == first == last]
        inside = [
            match
            for match in matches
            if (first <= match.start and match.start + height - 1 <= last)
            or (match.start <= first and last < match.start + height)
        ]
        for found in (starting, inside):
            if len(found) == 1:
                return found[0]
    return None


def _scope_span(scope: Sequence[str], file: FileLines) -> tuple[int, int] | None:
    """Return the lines of the block that the scope lines open, one inside the other, by indentation."""
    first, last = 0, len(file.contents) - 1
    for wanted in scope:
        stripped = wanted.strip()
        places = [i for i in range(first, last + 1) if file.contents[i].strip() == stripped]
        if len(places) != 1:
            return None
        first = places[0]
        margin = _margin(file.contents[first])
        end = first
        for number in range(first + 1, last + 1):
            line = file.contents[number]
            if line.strip() and _margin(line) <= margin:
                break
            end = number
        last = end
    return (first, last) if scope else None


def _margin(line: str) -> int:
    return len(line.expandtabs(8)) - len(line.expandtabs(8).lstrip())


def _ending_for(file: FileLines, one: Replacement, number: int) -> str:
    """A line that replaces another takes its ending, a further one that of its neighbour."""
    if one.start + number < one.end:
        return file.endings[one.start + number]
    if one.end > one.start:
        return file.endings[one.end - 1] or file.ending
    if one.start > 0:
        return file.endings[one.start - 1] or file.ending
    return file.endings[0] if file.endings else file.ending


def _problem(
    block: Block,
    kind: ProblemKind,
    message: str,
    *,
    line: int | None = None,
    nearest_lines: tuple[str, ...] = (),
) -> Problem:
    return Problem(
        kind=kind, message=message, block=block.index, path=block.path, line=line, nearest=nearest_lines
    )


def _not_found(block: Block, file: FileLines, search: Sequence[str] | None = None) -> Problem:
    wanted = block.search if search is None else search
    if search is None and any(is_numbered(line) for line in wanted):
        return _problem(block, ProblemKind.LINE_NUMBERS, "only some lines carry line-number prefixes")
    found = nearest(file, wanted)
    if found is None:
        return _problem(block, ProblemKind.NOT_FOUND, "no such lines in the file, nor any like them")
    last = found.line + len(found.lines)
    where = f"is line {last}" if len(found.lines) == 1 else f"are lines {found.line + 1}–{last}"
    message = f"no such lines in the file; nearest {where}"
    return _problem(block, ProblemKind.NOT_FOUND, message, line=found.line + 1, nearest_lines=found.lines)


def _ambiguous(block: Block, matches: Sequence[Match]) -> Problem:
    shown = ", ".join(str(match.start + 1) for match in matches[:10])
    more = ", …" if len(matches) > 10 else ""
    message = (
        f"the lines stand in {len(matches)} places, at lines {shown}{more}; give a line hint or more lines"
    )
    return _problem(block, ProblemKind.AMBIGUOUS, message, line=matches[0].start + 1)
