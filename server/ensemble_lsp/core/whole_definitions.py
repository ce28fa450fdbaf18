"""Which lines of a file the code of one fence replaces: the whole file, or the definitions it names."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ensemble_lsp.core.blocks import ProblemKind, Target
from ensemble_lsp.core.matching import FileLines
from ensemble_lsp.core.outline import (
    Item,
    ItemKind,
    definitions_named,
    indent_width,
    member_names,
    outline,
)

Ranges = tuple[tuple[int, int, tuple[str, ...]], ...]
"""(first line, last line inclusive, new lines) in the original text; last = first - 1 inserts."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Why it cannot be told what a fence replaces."""

    message: str
    kind: ProblemKind = ProblemKind.NO_EDIT


_NAMED = frozenset({ItemKind.DEFINITION, ItemKind.ASSIGNMENT})


def whole_file_ranges(content: Sequence[str], file: FileLines, path: str, *, explicit: bool) -> Ranges | None:
    """Take the fence for the whole file, if it has everything that the file has at its outermost level.

    Everything: all names, the methods of its classes, its statements, and imports if the file has any. What
    stands above the first of these (licence, docstring, shebang) is kept where the fence leaves it out. Text
    that defines nothing counts as the whole file when it has half of its lines, or when the reply says so by
    naming the file (`explicit`).
    """
    have, given = outline(file.contents, path), outline(content, path)
    names = {item.name for item in have if item.kind in _NAMED}
    if not names:
        shared = _common_share(content, file)
        enough = 0.5 if not explicit else 0.2
        lonely = len([line for line in file.contents if line.strip()]) <= 2 and explicit
        return _everything(content, file, have, given) if shared >= enough or lonely else None
    counts = Counter(item.name for item in given if item.kind in _NAMED)
    if not names <= counts.keys():
        return None
    single = sum(item.kind is ItemKind.DEFINITION for item in have) == 1
    imports = [_text(file.contents, item) for item in have if item.kind is ItemKind.IMPORT]
    given_imports = [_text(content, item) for item in given if item.kind is ItemKind.IMPORT]
    if imports and (not given_imports or (single and not set(imports) <= set(given_imports))):
        return None
    statements = sum(item.kind is ItemKind.STATEMENT for item in have)
    if statements > sum(item.kind is ItemKind.STATEMENT for item in given):
        return None
    remarks = sum(item.kind is ItemKind.COMMENT for item in have[1:])
    if remarks > sum(item.kind is ItemKind.COMMENT for item in given):
        return None  # placed by its definitions it leaves the file's remarks alone
    if not member_names(file.contents, path) <= member_names(content, path):
        return None
    extra = [item for item in given if item.kind is ItemKind.STATEMENT]
    if not statements and extra and extra[-1] is given[-1] and not explicit:
        return None  # an example of use at the end: the definitions are placed without it
    return _everything(content, file, have, given)


def definition_ranges(
    content: Sequence[str], file: FileLines, path: str, target: Target | None
) -> Ranges | Unclear | None:
    """Take the fence for the definitions it holds; each must stand in the file exactly once.

    The target says which one is meant where a name stands several times. Definitions that are new go along
    with the one below them, else with the one above. Imports that the file lacks go to its imports. Outermost
    statements (examples of use) are left out. Returns the reason when it cannot be told.
    """
    items = outline(content, path)
    definitions = [item for item in items if item.kind is ItemKind.DEFINITION]
    if not definitions:
        return None
    places = {item: _place_of(item, content, file, path, target) for item in items if item.kind in _NAMED}
    several = [item.name for item, place in places.items() if place == "several"]
    if several:
        return Unclear(f"{several[0]} is defined in several places of the file", ProblemKind.AMBIGUOUS)
    if not any(isinstance(places[item], Item) for item in definitions):
        names = ", ".join(item.name for item in definitions[:5])
        return Unclear(f"the fence defines {names}, which the file does not have")
    if target is None and _other_statements(content, items, file, path):
        return Unclear("the fence changes statements outside of definitions, but is not the whole file")
    inner = _inside_class(content, file, path, target, definitions)
    if inner is not None:
        return inner
    ranges: list[tuple[int, int, tuple[str, ...]]] = []
    pending: list[Item] = []
    previous: tuple[Item, Item] | None = None
    for item in items:
        place = places.get(item)
        if item.kind not in _NAMED:
            continue
        if not isinstance(place, Item):
            pending.append(item)
            continue
        dropped = _dropped_members(item, content, place, file, path)
        if dropped:
            return Unclear(f"the class {item.name} in the fence lacks {dropped}")
        if pending and indent_width(file.contents[place.head]) and not _may_be_member(pending, content, path):
            return _homeless(pending[0])
        ranges.append(_range(pending, item, content, place, file))
        pending = []
        previous = (item, place)
    if pending and previous is not None and not indent_width(file.contents[previous[1].head]):
        first, last, lines = ranges[-1]
        following = [line for item in pending for line in ["", "", *content[item.first : item.last + 1]]]
        ranges[-1] = (first, last, (*lines, *following))
    elif pending:
        return _homeless(pending[0])
    return (*_missing_imports(content, items, file, path), *ranges)


def _other_statements(content: Sequence[str], items: Sequence[Item], file: FileLines, path: str) -> bool:
    """Whether the fence rewrites statements of the file: ones that begin alike and differ.

    A statement that begins like none of the file's is an example of use.
    """
    have = {
        _text(file.contents, item) for item in outline(file.contents, path) if item.kind is ItemKind.STATEMENT
    }
    given = {_text(content, item) for item in items if item.kind is ItemKind.STATEMENT}
    heads = {re.split(r"[\s(=]", text, maxsplit=1)[0] for text in have}
    return any(re.split(r"[\s(=]", text, maxsplit=1)[0] in heads for text in given - have)


def _homeless(item: Item) -> Unclear:
    return Unclear(f"the fence also defines {item.name}, and it cannot be told where that belongs")


def _everything(
    content: Sequence[str], file: FileLines, have: Sequence[Item], given: Sequence[Item]
) -> Ranges:
    first, last = 0, len(file.contents)
    while last > first and not file.contents[last - 1].strip():
        last -= 1
    while first < last and not file.contents[first].strip():
        first += 1
    if have and have[0].kind is ItemKind.COMMENT and given and given[0].kind is not ItemKind.COMMENT:
        body = next((item.first for item in have if item.kind is not ItemKind.COMMENT), None)
        first = first if body is None else body
    return ((first, last - 1, tuple(content)),)


def _place_of(
    item: Item, content: Sequence[str], file: FileLines, path: str, target: Target | None
) -> Item | str | None:
    """Return where an item stands in the file: the item, "several", or None when it is new."""
    if item.kind is ItemKind.ASSIGNMENT:
        same = [
            other
            for other in outline(file.contents, path)
            if other.kind is ItemKind.ASSIGNMENT and other.name == item.name
        ]
        return same[0] if len(same) == 1 else "several" if same else None
    found = definitions_named(file.contents, path, item.name)
    if len(found) == 1:
        return found[0]
    if target is not None:
        aimed = [one for one in found if one.head <= target[2] and target[1] <= one.last]
        exact = [one for one in aimed if target[1] <= one.head <= target[2]]
        found = aimed if len(aimed) == 1 else exact if len(exact) == 1 else found
    if len(found) == 1:
        return found[0]
    # Without a target a name at the margin is the one at the margin, not a method of the same name.
    margin = [one for one in found if not indent_width(file.contents[one.head])]
    if target is None and len(margin) == 1 and not indent_width(content[item.head]):
        return margin[0]
    return "several" if found else None


def _inside_class(
    content: Sequence[str],
    file: FileLines,
    path: str,
    target: Target | None,
    definitions: Sequence[Item],
) -> Ranges | Unclear | None:
    """Take one method out of the class that a model wrapped around it; None when that is not the case."""
    if target is None or len(definitions) != 1 or not definitions[0].is_class:
        return None
    wrapper = definitions[0]
    aimed = [
        item
        for item in outline(file.contents[target[1] : target[2] + 1], path)
        if item.kind is ItemKind.DEFINITION
    ]
    if len(aimed) != 1 or aimed[0].name == wrapper.name:
        return None
    body = [*content[wrapper.head + 1 : wrapper.last + 1]]
    members = [item for item in outline(body, path) if item.kind is ItemKind.DEFINITION]
    wanted = [item for item in members if item.name == aimed[0].name]
    if len(wanted) != 1:
        return None
    others = [item for item in members if item is not wanted[0]]
    known = [[line.strip() for line in body[item.first : item.last + 1]] for item in others]
    if all(file.stripped.places(lines, 1) for lines in known):
        inner = body[wanted[0].first : wanted[0].last + 1]
        found = definition_ranges(inner, file, path, target)
        if not isinstance(found, tuple):
            return found
        items = outline(content, path)
        return (*_missing_imports(content, items, file, path), *found)
    return None


def _dropped_members(item: Item, content: Sequence[str], place: Item, file: FileLines, path: str) -> str:
    if not (item.is_class and place.is_class):
        return ""
    have = member_names(file.contents[place.first : place.last + 1], path)
    given = member_names(content[item.first : item.last + 1], path)
    return ", ".join(sorted(have - given)[:5])


def _may_be_member(pending: Sequence[Item], content: Sequence[str], path: str) -> bool:
    """Whether new definitions beside a method are methods too: in Python they say so."""
    if not path.endswith((".py", ".pyi")):
        return True
    return all(re.search(r"\(\s*(?:self|cls)\b", content[item.head]) for item in pending)


def _range(
    pending: Sequence[Item], item: Item, content: Sequence[str], place: Item, file: FileLines
) -> tuple[int, int, tuple[str, ...]]:
    """Return one definition's lines and what replaces them, the new definitions above it included."""
    first, start = place.first, item.first
    if item.first == item.head and place.first < place.head:
        first = place.head  # the fence leaves the decorators out: they stay
    while start > 0 and _is_comment(content[start - 1]):
        start -= 1
    if start < item.first:  # the comment above is part of what was rewritten, in the file too
        while first > 0 and _is_comment(file.contents[first - 1]):
            first -= 1
    lines: list[str] = []
    for new in pending:
        # Two blank lines around definitions at the margin, one between methods.
        gap = [""] if indent_width(file.contents[place.head]) else ["", ""]
        lines.extend(
            [*content[new.first : new.last + 1], *(gap if new.kind is ItemKind.DEFINITION else [""])]
        )
    lines.extend(content[start : item.last + 1])
    width = indent_width(content[item.head])
    return first, place.last, tuple(_indented(lines, content[item.head][:width], place, file))


def _indented(lines: Sequence[str], given: str, place: Item, file: FileLines) -> list[str]:
    """Shift lines by the one difference of indentation between fence and file.

    Where a model left out the indentation of the defining line only, only that one is shifted.
    """
    head = file.contents[place.head]
    wanted = head[: indent_width(head)]
    if given == wanted:
        return list(lines)
    inside = min(
        (indent_width(line) for line in lines if line.strip() and indent_width(line) > len(given)), default=0
    )
    there = min(
        (
            indent_width(line)
            for line in file.contents[place.head + 1 : place.last + 1]
            if line.strip() and indent_width(line) > len(wanted)
        ),
        default=0,
    )
    only_first = len(given) < len(wanted) and inside == there and inside > 0
    moved: list[str] = []
    for line in lines:
        shifts = (
            line.strip() and line.startswith(given) and not (only_first and indent_width(line) > len(given))
        )
        moved.append(wanted + line[len(given) :] if shifts else line)
    return moved


def _is_comment(line: str) -> bool:
    return re.match(r"[ \t]*(?:#(?![!\[])|//|/\*|\*(?:/|\s|$)|--\s)", line) is not None


def _missing_imports(
    content: Sequence[str], items: Sequence[Item], file: FileLines, path: str
) -> list[tuple[int, int, tuple[str, ...]]]:
    """Return the insertion of the fence's imports that the file lacks, below the file's own imports."""
    have = outline(file.contents, path)
    imports = [item for item in have if item.kind is ItemKind.IMPORT]
    known = {_text(file.contents, item) for item in imports}
    names = _imported(file.contents, imports)
    missing = [
        item
        for item in items
        if item.kind is ItemKind.IMPORT
        and _text(content, item) not in known
        and not (_imported(content, [item]) and _imported(content, [item]) <= names)
    ]
    lines = [line for item in missing for line in content[item.first : item.last + 1]]
    if not lines:
        return []
    future = [item for item in missing if "from __future__" in content[item.first]]
    if imports and not future:
        # Below the imports at the top only: one further down stands there for a reason.
        block = [imports[0]]
        for item in imports[1:]:
            if all(not file.contents[i].strip() for i in range(block[-1].last + 1, item.first)):
                block.append(item)
        at = block[-1].last + 1
        return [(at, at - 1, tuple(lines))]
    at = 0
    if have and have[0].kind is ItemKind.COMMENT:
        at = have[0].last + 1
        return [(at, at - 1, ("", *lines))]
    spaced = lines if imports else [*lines, "", ""]
    return [(at, at - 1, tuple(spaced))]


def _imported(lines: Sequence[str], items: Sequence[Item]) -> frozenset[str]:
    """Return what Python imports bring, one entry a name: "json", "typing.Any"."""
    found: set[str] = set()
    for item in items:
        text = re.sub(r"[()\\]|#.*", " ", " ".join(lines[item.first : item.last + 1]))
        match = re.match(r"\s*from\s+(\S+)\s+import\s+(.+)", text)
        if match:
            found.update(
                f"{match.group(1)}.{name.strip()}" for name in match.group(2).split(",") if name.strip()
            )
        elif re.match(r"\s*import\s+[\w.]+(?:\s*,|\s+as\b|\s*$)", text):
            found.update(name.strip() for name in text.strip()[6:].split(","))
    return frozenset(found)


def _text(lines: Sequence[str], item: Item) -> str:
    return " ".join(" ".join(line.split()) for line in lines[item.first : item.last + 1])


def _common_share(content: Sequence[str], file: FileLines) -> float:
    """Return the share of the file's filled lines that the content has too, in 0..1."""
    have = Counter(line.strip() for line in content if line.strip())
    filled = [line.strip() for line in file.contents if line.strip()]
    return sum((have & Counter(filled)).values()) / len(filled) if filled else 1.0
