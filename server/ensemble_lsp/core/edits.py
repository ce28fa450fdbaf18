"""From a member's raw reply to changed files, or to the reasons why not: all blocks of a reply or none.

The rule is to refuse rather than to guess (docs/architecture.md). Blocks are placed against the original text,
so that none shifts another, and only the lines that a block changes are written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ensemble_lsp.core.blocks import (
    Block,
    BlockKind,
    Enclosing,
    JudgePath,
    ParseErrors,
    Problem,
    ProblemKind,
    ReplyForm,
    Target,
)
from ensemble_lsp.core.matching import FileLines
from ensemble_lsp.core.placing import Placement, Replacement, place, rewritten
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.refusals import numbered_line_in, placeholder_in, unwritable
from ensemble_lsp.core.replies import read_indexed
from ensemble_lsp.core.reply_paths import leaves_workspace
from ensemble_lsp.core.text import SourceText

__all__ = [
    "Block",
    "BlockKind",
    "EditOutcome",
    "Placement",
    "Problem",
    "ProblemKind",
    "Replacement",
    "ReplyForm",
    "apply_reply",
    "place",
]


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """What a reply comes to. With any problem there are no changes."""

    form: ReplyForm
    changes: tuple[FileChange, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the reply can be applied."""
        return not self.problems


def apply_reply(
    text: str,
    files: Mapping[str, SourceText],
    *,
    default_path: str | None = None,
    sentinel: str | None = None,
    cut_off: bool = False,
    target: Target | None = None,
    parse_errors: ParseErrors | None = None,
    enclosing: Enclosing | None = None,
    agreed_lines: Mapping[int, int] | None = None,
    judge_path: JudgePath | None = None,
) -> EditOutcome:
    """Read a reply and place all its blocks; raises nothing, whatever the text.

    `files` are the files that were shown, by their path in the workspace. `agreed_lines` maps a block's number
    to the 0-based line on which members agree. `judge_path` is asked about every path outside `files` that the
    reply names: it knows the disk (symbolic links, ignored files, files that exist and were not shown);
    without it any path inside the workspace may be created.
    """
    indexed = {path: FileLines(source) for path, source in files.items()}
    reply = read_indexed(
        text,
        indexed,
        default_path=default_path,
        sentinel=sentinel,
        cut_off=cut_off,
        target=target,
    )
    if cut_off:
        return EditOutcome(reply.form, (), reply.problems)
    problems = list(reply.problems)
    by_path: dict[str, list[Block]] = {}
    for block in reply.blocks:
        problem = _path_problem(block, indexed, judge_path)
        if problem is not None:
            problems.append(problem)
        elif block.path is not None:
            by_path.setdefault(block.path, []).append(block)
    changes: list[FileChange] = []
    for path, blocks in by_path.items():
        file = indexed.get(path)
        if file is None:
            made, refused = _created(path, blocks)
        else:
            made, refused = _changed(
                path, blocks, file, target=target, enclosing=enclosing, agreed_lines=agreed_lines
            )
        changes.extend(made)
        problems.extend(refused)
    if not problems:
        problems.extend(_result_problems(changes, by_path, parse_errors))
    if problems:
        problems.sort(key=lambda problem: -1 if problem.block is None else problem.block)
        return EditOutcome(reply.form, (), tuple(problems))
    return EditOutcome(reply.form, tuple(change for change in changes if change.before != change.after))


def _path_problem(
    block: Block, files: Mapping[str, FileLines], judge_path: JudgePath | None
) -> Problem | None:
    if block.path is None:
        message = "the block names no file, and the request showed several"
        return Problem(kind=ProblemKind.AMBIGUOUS, message=message, block=block.index)
    creates = [block.path] if block.kind is BlockKind.CREATE else []
    for path in [block.path, *([block.move_to] if block.move_to else [])]:
        if leaves_workspace(path):
            kind: ProblemKind | None = ProblemKind.OUTSIDE_WORKSPACE
        elif path in files and path != block.move_to:
            source = files[path].source
            kind = ProblemKind.BINARY if "\0" in source.text else None
        elif path not in files and not _VERSION_CONTROL.isdisjoint(path.lower().split("/")):
            kind = ProblemKind.NOT_SHOWN
        else:
            kind = judge_path(path) if judge_path else None
            if kind is None and path not in creates and path != block.move_to:
                kind = ProblemKind.NOT_SHOWN
            if kind is None and path == block.move_to and path in files:
                kind = ProblemKind.NOT_SHOWN
        if kind is not None:
            return Problem(kind=kind, message=_PATH_MESSAGES[kind], block=block.index, path=path)
    return None


_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj"})
"""Folders whose files can run commands: never created, whatever the caller says."""
_PATH_MESSAGES = {
    ProblemKind.OUTSIDE_WORKSPACE: "the path leaves the workspace",
    ProblemKind.NOT_SHOWN: "the request did not show this file, so the reply may not touch it",
    ProblemKind.BINARY: "the file is binary",
}


def _created(path: str, blocks: Sequence[Block]) -> tuple[list[FileChange], list[Problem]]:
    if len(blocks) > 1:
        message = "several blocks create the same file"
        return [], [Problem(kind=ProblemKind.OVERLAP, message=message, block=blocks[1].index, path=path)]
    block = blocks[0]
    stand_in = placeholder_in(block.replace, (), lambda _line: False)
    if stand_in is not None:
        message = f"a comment stands where code should be: {stand_in[:80]}"
        return [], [_about(block, ProblemKind.PLACEHOLDER, message)]
    text = "".join(line + "\n" for line in block.replace)
    lost = unwritable(block.replace, SourceText(""))
    if lost is not None:
        return [], [_about(block, ProblemKind.BINARY, lost)]
    return [FileChange(path=path, before=None, after=SourceText(text))], []


def _changed(
    path: str,
    blocks: Sequence[Block],
    file: FileLines,
    *,
    target: Target | None,
    enclosing: Enclosing | None,
    agreed_lines: Mapping[int, int] | None,
) -> tuple[list[FileChange], list[Problem]]:
    if any(block.kind is BlockKind.DELETE for block in blocks):
        if len(blocks) == 1:
            return [FileChange(path=path, before=file.source, after=None)], []
        message = "one block deletes the file that another one edits"
        return [], [Problem(kind=ProblemKind.OVERLAP, message=message, block=blocks[1].index, path=path)]
    placements: list[Placement] = []
    problems: list[Problem] = []
    for block in blocks:
        if block.move_to is not None and not block.search and not block.replace:
            continue  # moves the file and leaves its text
        agreed = agreed_lines.get(block.index) if agreed_lines else None
        placed = place(block, file, target=target, enclosing=enclosing, agreed_line=agreed)
        if isinstance(placed, Problem):
            problems.append(placed)
            continue
        same = [other for other in placements if other.span == placed.span]
        if any(other.replacements == placed.replacements for other in same):
            continue  # the same block said twice
        clash = next((other for other in placements if _overlap(placed, other)), None)
        if clash is not None:
            message = f"the block overlaps another one at line {placed.start + 1}"
            problems.append(_about(block, ProblemKind.OVERLAP, message, placed.start + 1))
            continue
        placements.append(placed)
        problems.extend(_refused(placed, file))
    if problems:
        return [], problems
    after = rewritten(file, placements)
    moved = next((block.move_to for block in blocks if block.move_to), None)
    if moved is not None and moved != path:
        return [
            FileChange(path=path, before=file.source, after=None),
            FileChange(path=moved, before=None, after=after),
        ], []
    if file.source.text.strip() and not after.text.strip():
        message = "the file would be left empty"
        return [], [_about(blocks[0], ProblemKind.EMPTIES_FILE, message)]
    return [FileChange(path=path, before=file.source, after=after)], []


def _overlap(one: Placement, other: Placement) -> bool:
    """Whether two blocks share a line, or insert at the same point."""
    return one.span == other.span or (one.start < other.end and other.start < one.end)


def _refused(placed: Placement, file: FileLines) -> list[Problem]:
    for one in placed.replacements:
        removed = file.contents[one.start : one.end]
        stand_in = placeholder_in(one.lines, removed, file.has_line)
        if stand_in is not None:
            message = f"a comment stands where code should be: {stand_in[:80]}"
            return [_about(placed.block, ProblemKind.PLACEHOLDER, message, one.start + 1)]
        numbered = numbered_line_in(one.lines, file.contents)
        if numbered is not None:
            message = f"a line-number prefix would be written: {numbered[:80]}"
            return [_about(placed.block, ProblemKind.LINE_NUMBERS, message, one.start + 1)]
        lost = unwritable(one.lines, file.source)
        if lost is not None:
            return [_about(placed.block, ProblemKind.BINARY, lost, one.start + 1)]
    return []


def _about(block: Block, kind: ProblemKind, message: str, line: int | None = None) -> Problem:
    return Problem(kind=kind, message=message, block=block.index, path=block.path, line=line)


def _result_problems(
    changes: Sequence[FileChange],
    blocks: Mapping[str, Sequence[Block]],
    parse_errors: ParseErrors | None,
) -> list[Problem]:
    if all(change.before == change.after for change in changes):
        return [Problem(kind=ProblemKind.NO_CHANGE, message="the reply changes nothing")]
    problems: list[Problem] = []
    for change in changes:
        if parse_errors is None or change.after is None or change.before == change.after:
            continue
        before = parse_errors(change.path, change.before.text) if change.before else 0
        after = parse_errors(change.path, change.after.text)
        if before == 0 and after:
            of_file = blocks.get(change.path, ())
            message = "the file parsed before and would not parse any more"
            if change.before is None:
                message = "the new file does not parse"
            problems.append(
                Problem(
                    kind=ProblemKind.SYNTAX,
                    message=message,
                    block=of_file[0].index if len(of_file) == 1 else None,
                    path=change.path,
                )
            )
    return problems
