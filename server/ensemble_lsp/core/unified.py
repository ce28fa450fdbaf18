"""Unified diffs in the form that `git apply` takes.

unidiff can parse and print such diffs but not make one, and its model has no creation, deletion or quoting of
paths; the writer is forty lines.
"""

from collections.abc import Sequence

from ensemble_lsp.core.line_diff import LineChange, line_changes
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText

_NO_NEWLINE = "\\ No newline at end of file\n"
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def unified_diff(changes: Sequence[FileChange], context: int = 3) -> str:
    r"""Return one diff of all changes, empty when nothing changed.

    Encoded as UTF-8 with `surrogateescape` it is the diff of the files' bytes: a byte order mark stands in it,
    and a character of another 8-bit encoding is the lone surrogate of its byte. UTF-16 and UTF-32 files are
    shown as text, which git cannot apply. Lines end at ``\n`` only, as git has it.
    """
    return "".join(part for change in changes for part in _file_diff(change, context))


def _file_diff(change: FileChange, context: int) -> list[str]:
    old, new = _lines(change.before), _lines(change.after)
    found = line_changes(old, new)
    created, deleted = change.before is None, change.after is None
    if not found and not created and not deleted:
        return []
    old_name, new_name = _quoted("a/" + change.path), _quoted("b/" + change.path)
    parts = [f"diff --git {old_name} {new_name}\n"]
    if created:
        parts.append("new file mode 100644\n")
    if deleted:
        parts.append("deleted file mode 100644\n")
    if found:
        parts.append(f"--- {'/dev/null' if created else _ended(old_name)}\n")
        parts.append(f"+++ {'/dev/null' if deleted else _ended(new_name)}\n")
    for group in _grouped(found, context):
        parts.extend(_hunk(old, new, group, context))
    return parts


def _grouped(changes: Sequence[LineChange], context: int) -> list[list[LineChange]]:
    groups: list[list[LineChange]] = []
    for change in changes:
        if groups and change.old_start - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[LineChange], context: int) -> list[str]:
    lead = min(context, group[0].old_start)
    tail = min(context, len(old) - group[-1].old_end)
    old_from, old_to = group[0].old_start - lead, group[-1].old_end + tail
    new_from, new_to = group[0].new_start - lead, group[-1].new_end + tail
    parts = [f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@\n"]
    done = old_from
    for change in group:
        parts.extend(_marked(" ", old[done : change.old_start]))
        parts.extend(_marked("-", old[change.old_start : change.old_end]))
        parts.extend(_marked("+", new[change.new_start : change.new_end]))
        done = change.old_end
    parts.extend(_marked(" ", old[done:old_to]))
    return parts


def _marked(mark: str, lines: Sequence[str]) -> list[str]:
    return [mark + line if line.endswith("\n") else f"{mark}{line}\n{_NO_NEWLINE}" for line in lines]


def _range(start: int, end: int) -> str:
    count = end - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _lines(text: SourceText | None) -> list[str]:
    if text is None:
        return []
    shown = text.text
    if text.encoding == "utf-8":
        shown = "\ufeff" + shown if text.bom else shown
    elif not text.encoding.startswith(("utf-16", "utf-32")):
        shown = text.to_bytes_for_tools().decode("utf-8", "surrogateescape")
    lines = shown.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _quoted(name: str) -> str:
    if not any(char < " " or char in '"\\\x7f' for char in name):
        return name
    quoted = (
        _ESCAPES.get(char) or (f"\\{ord(char):03o}" if char < " " or char == "\x7f" else char)
        for char in name
    )
    return f'"{"".join(quoted)}"'


def _ended(name: str) -> str:
    # git ends a name that holds a blank with a tab, else it would be read up to the blank.
    return name + "\t" if " " in name and not name.startswith('"') else name
