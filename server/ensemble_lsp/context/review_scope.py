"""Which files a review is about, and which of their lines: a change, what is staged, the whole workspace."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ensemble_lsp.context.git_changes import (
    Comparison,
    base_of,
    blob_at,
    changes_between,
    changes_since,
    ends_of,
    read_blobs,
    require_work_tree,
    staged_changes,
    texts_at,
    unstaged_texts,
)
from ensemble_lsp.context.grammars import grammar_of, language_of
from ensemble_lsp.context.import_targets import FileTable, files_imported
from ensemble_lsp.context.reading import FILE_BYTES, Reader
from ensemble_lsp.context.review_order import FileRisk, churn_of, fan_in_of, riskiest_first
from ensemble_lsp.context.symbols import imports_of
from ensemble_lsp.context.workspace_files import workspace_files
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText, content_of, is_binary, split_lines

MOST_FILES = 100
"""Files of one change: with more, what a person wants to know is not in its lines."""
MOST_IN_WORKSPACE = 5_000
"""Files of one review of a whole repository. Each is read when its turn comes, and not held meanwhile."""
_REASONS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ReviewScope:
    """The files to look at: of a change in the order of their paths, of a workspace the riskiest first."""

    paths: tuple[str, ...]
    changed_lines: dict[str, tuple[LineRange, ...]] = field(default_factory=dict[str, tuple[LineRange, ...]])
    texts: dict[str, SourceText] = field(default_factory=dict[str, SourceText])
    """Texts to look at instead of the work tree's: those of the index, or of the commit that is reviewed."""
    notes: tuple[str, ...] = ()
    recorded: bool = False
    """Whether the change is one that git holds: then neither the work tree nor an unsaved text is a part of it."""
    contents: dict[str, "Content"] = field(default_factory=dict[str, "Content"])
    """Of a workspace: what each file held when it was listed."""
    listed: tuple[str, ...] | None = None
    """Of a workspace: all of its files, whatever they hold, those outside of the scope among them."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds, without holding it."""

    digest: str
    """SHA-256 of its text, in hexadecimal digits."""
    characters: int


def review_scope(task: Task, reader: Reader) -> ReviewScope:
    """Return what a review with a `scope` is about; `task.paths` limit it to files and folders.

    `reader` holds the editor's unsaved texts: they count as changed too, except for what is staged. Files that no
    model may see are left out, with a note. Raises `UsageError` (field `scope` or `base`) where git cannot tell.
    """
    if task.scope == "workspace":
        return _workspace(task, reader)
    require_work_tree(reader.workspace)
    ends = None if task.base is None else ends_of(reader.workspace, task.base)
    if ends is not None:
        return _between(task, reader, *ends)
    base = base_of(reader.workspace, task.base)
    if task.scope == "staged":
        return _staged(task, reader, base)
    return _changed(task, reader, base)


def _changed(task: Task, reader: Reader, base: str) -> ReviewScope:
    compared = changes_since(reader.workspace, base)
    old = {change.path: change.old_blob for change in compared.changes}
    for path in reader.unignored_overlays:
        if path not in old:
            # Saved it may be as it was; what the person sees is what counts.
            old[path] = blob_at(reader.workspace, base, path)
    before = _texts(reader, [blob for blob in old.values() if blob is not None])
    changed: dict[str, tuple[LineRange, ...]] = {}
    skipped: list[str] = []
    for path in _within(sorted(old), task.paths):
        try:
            _, source = reader.focus(path)
        except UsageError as problem:
            skipped.append(problem.message)
            continue
        lines = changed_line_ranges(_before(before, old[path]), source.text)
        if lines:
            changed[path] = lines
    return _bounded(changed, {}, skipped, compared)


def _staged(task: Task, reader: Reader, base: str) -> ReviewScope:
    compared = staged_changes(reader.workspace, base)
    # What is not staged is not looked at, and not run either.
    return _as_recorded(task, reader, compared, unstaged_texts(reader.workspace))


def _between(task: Task, reader: Reader, base: str, end: str) -> ReviewScope:
    compared = changes_between(reader.workspace, base, end)
    # What the work tree holds beyond the commit is no part of it: a file that a build left, an edit not committed.
    return _as_recorded(task, reader, compared, texts_at(reader.workspace, end))


def _as_recorded(task: Task, reader: Reader, compared: Comparison, others: Mapping[str, str]) -> ReviewScope:
    """Return the scope of a change whose texts git holds; `others`: path → object of more such texts."""
    new = {change.path: change.new_blob for change in compared.changes if change.new_blob is not None}
    wanted = [
        *new.values(),
        *(change.old_blob for change in compared.changes if change.old_blob),
        *others.values(),
    ]
    blobs = _texts(reader, wanted)
    texts = {path: blobs[blob] for path, blob in others.items() if blob in blobs}
    recorded = Reader(
        reader.workspace, reader.rules, {**texts, **{p: blobs[b] for p, b in new.items() if b in blobs}}
    )
    changed: dict[str, tuple[LineRange, ...]] = {}
    skipped: list[str] = []
    by_path = {change.path: change for change in compared.changes}
    for path in _within(sorted(new), task.paths):
        if new[path] not in blobs:
            skipped.append(f"{path} is not text, or too large")
            continue
        try:
            _, source = recorded.focus(path)
        except UsageError as problem:
            skipped.append(problem.message)
            continue
        lines = changed_line_ranges(_before(blobs, by_path[path].old_blob), source.text)
        if lines:
            changed[path] = lines
            texts[path] = source
    return replace(_bounded(changed, texts, skipped, compared), recorded=True)


def changed_line_ranges(before: str | None, after: str) -> tuple[LineRange, ...]:
    """Return the lines of `after` that a change touched; beside lines that were taken out, those around the gap.

    Line endings do not count: git may store others than the work tree has. None: the file is new.
    """
    new = [content_of(line) for line in split_lines(after)]
    if before is None:
        return (LineRange(start=0, end=len(new)),) if new else ()
    old = [content_of(line) for line in split_lines(before)]
    ranges: list[LineRange] = []
    for change in line_changes(old, new):
        start, end = change.new_start, change.new_end
        if start == end:
            start, end = max(0, start - 1), min(len(new), start + 1)
        if ranges and start <= ranges[-1].end:
            start, end = ranges.pop().start, max(end, start)
        if start < end:
            ranges.append(LineRange(start=start, end=end))
    return tuple(ranges)


def _workspace(task: Task, reader: Reader) -> ReviewScope:
    listed = workspace_files(reader.workspace, reader.rules)
    table = FileTable(listed)
    contents: dict[str, Content] = {}
    lines: dict[str, int] = {}
    imported: dict[str, Sequence[str]] = {}
    skipped: list[str] = []
    for path in _within(listed, task.paths):
        language = language_of(path)
        if grammar_of(language) is None:
            continue  # no programming language that is known here
        try:
            _, source = reader.focus(path)
        except UsageError as problem:
            skipped.append(problem.message)
            continue
        text = source.text
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        contents[path] = Content(digest, len(text))
        lines[path] = text.count("\n") + 1
        imported[path] = files_imported(path, language, imports_of(path, text), table)
    churn, fan_in = churn_of(reader.workspace), fan_in_of(imported)
    ordered = riskiest_first(
        FileRisk(path, lines[path], fan_in.get(path, 0), churn.get(path, 0)) for path in contents
    )
    scope = _bounded(
        dict[str, tuple[LineRange, ...]](dict.fromkeys(ordered, ())), {}, skipped, None, MOST_IN_WORKSPACE
    )
    chosen = {path: contents[path] for path in scope.paths}
    return ReviewScope(scope.paths, notes=scope.notes, contents=chosen, listed=listed)


def _bounded(
    changed: dict[str, tuple[LineRange, ...]],
    texts: dict[str, SourceText],
    skipped: Sequence[str],
    compared: Comparison | None,
    most: int = MOST_FILES,
) -> ReviewScope:
    paths = tuple(changed)[:most]
    notes: list[str] = []
    if len(changed) > most:
        notes.append(f"{len(changed) - most} files were left out: a review takes {most} at most")
    if skipped:
        more = "" if len(skipped) <= _REASONS_SHOWN else f"; and {len(skipped) - _REASONS_SHOWN} more"
        notes.append(f"not looked at: {'; '.join(skipped[:_REASONS_SHOWN])}{more}")
    if compared is not None and compared.deleted:
        files = "file is" if compared.deleted == 1 else "files are"
        notes.append(f"{compared.deleted} {files} gone, with nothing left to look at")
    if compared is not None and compared.submodules:
        what = "submodule points" if compared.submodules == 1 else "submodules point"
        notes.append(f"{compared.submodules} {what} elsewhere now: what they hold is not looked at")
    return ReviewScope(paths, {path: changed[path] for path in paths}, texts, tuple(notes))


def _texts(reader: Reader, blobs: Iterable[str]) -> dict[str, SourceText]:
    contents = read_blobs(reader.workspace, blobs, limit=FILE_BYTES)
    return {blob: SourceText.from_bytes(data) for blob, data in contents.items() if not is_binary(data)}


def _before(texts: Mapping[str, SourceText], blob: str | None) -> str | None:
    found = None if blob is None else texts.get(blob)
    return None if found is None else found.text


def _within(paths: Iterable[str], limits: Sequence[str]) -> list[str]:
    """Return the paths that are one of `limits`, or below one of them; all without limits."""
    wanted = [PurePosixPath(limit) for limit in limits]
    return [
        path
        for path in paths
        if not wanted or any(PurePosixPath(path).is_relative_to(limit) for limit in wanted)
    ]
