"""`ensemble-lsp apply`: what a model's raw reply would change, or why it is refused."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ensemble_lsp.cli.examples import examples
from ensemble_lsp.cli.terminal import printable
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.context.git import git_root
from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.core.edits import EditOutcome, Problem, ProblemKind, ReplyForm, apply_reply
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import SourceText, is_binary, utf8_of
from ensemble_lsp.core.unified import unified_diff
from ensemble_lsp.settings import ContextTable

EPILOG = examples(
    "apply reply.txt --file src/pay.py",
    "apply - --file src/pay.py --write < reply.txt",
)
_REFUSED = 1
_LARGEST = 20_000_000
"""Bytes of a file or a reply that are read; a larger one is no source code and no reply."""


def apply(
    reply: Annotated[
        str,
        typer.Argument(metavar="REPLY", help="A file with the raw reply; - reads it from standard input."),
    ],
    file: Annotated[Path, typer.Option("--file", metavar="PATH", help="The file that the model was shown.")],
    json_: Annotated[
        bool, typer.Option("--json", help="One JSON document on standard output, nothing else.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="Write the change; else nothing is written.")
    ] = False,
) -> None:
    """Show the diff that a model's raw reply would make, or the problems it has, one per block.

    Reads search/replace blocks, unified diffs, apply_patch envelopes and whole files or functions in a fence.
    All blocks are applied or none. Ends with 1 when the reply is refused.
    """
    place = _place_of(file)
    text = _read_reply(reply)
    outcome = _outcome(text, place)
    if outcome.ok and write:
        write_changes(place.workspace, outcome.changes)
    if json_:
        sys.stdout.write(json.dumps(_document(outcome, place)) + "\n")
    elif outcome.ok:
        _print_diff(unified_diff(outcome.changes))
    else:
        sys.stdout.write("".join(_described(problem) for problem in outcome.problems))
    if not outcome.ok:
        raise typer.Exit(_REFUSED)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the file stands: `path` is relative to the workspace, `data` None when there is no such file."""

    workspace: Path
    path: str
    data: bytes | None
    inside: bool
    rules: IgnoreRules

    def judge(self, path: str) -> ProblemKind | None:
        """Say whether a file that was not shown may be created at `path`."""
        full = self.workspace / path
        try:
            real = full.resolve()
        except (OSError, ValueError):  # a loop of links; a name that no file can have
            return ProblemKind.OUTSIDE_WORKSPACE
        if not real.is_relative_to(self.workspace):
            return ProblemKind.OUTSIDE_WORKSPACE
        exists = os.path.lexists(full) and path != self.path
        return ProblemKind.NOT_SHOWN if exists or self.ignored(path) else None

    def ignored(self, path: str) -> str | None:
        """Say why a path may not be edited, by its own name or by the name of what it links to."""
        real = (self.workspace / path).resolve().relative_to(self.workspace).as_posix()
        return self.rules.ignored(path) or self.rules.ignored(real)


def _place_of(file: Path) -> _Place:
    # Not `resolve`: a link is followed only after the workspace around the name given is known.
    absolute = Path(os.path.abspath(file))  # noqa: PTH100
    if absolute.is_dir():
        raise UsageError(f"{file} is a directory", field="--file", hint="name one file in it")
    top = git_root(absolute.parent) or absolute.parent
    path = absolute.relative_to(top).as_posix()
    workspace = top.resolve()
    try:
        inside = absolute.resolve().is_relative_to(workspace)
        data = _read_bytes(absolute) if inside and os.path.lexists(absolute) else None
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}", field="--file") from problem
    return _Place(workspace, path, data, inside, IgnoreRules.load(workspace, ContextTable(), trusted=False))


def _read_reply(reply: str) -> str:
    try:
        data = sys.stdin.buffer.read(_LARGEST + 1) if reply == "-" else _read_bytes(Path(reply))
    except OSError as problem:
        raise UsageError(f"{reply} cannot be read: {problem.strerror}", field="REPLY") from problem
    if len(data) > _LARGEST:
        raise UsageError(f"the reply is larger than {_LARGEST // 1_000_000} MB", field="REPLY")
    return SourceText.from_bytes(data).text


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise UsageError(f"{path} is larger than {_LARGEST // 1_000_000} MB", field=str(path))
    return data


def _outcome(text: str, place: _Place) -> EditOutcome:
    # Imported here: the grammars are of no use to a reply that is refused before anything is placed.
    from ensemble_lsp.checks.witnesses.syntax import enclosing, parse_errors  # noqa: PLC0415

    if not place.inside:
        return _refusal(place, ProblemKind.OUTSIDE_WORKSPACE, "the file is a link that leaves the workspace")
    reason = place.ignored(place.path)
    if reason is not None:
        return _refusal(place, ProblemKind.NOT_SHOWN, f"the file may not be edited: {reason}")
    if place.data is not None and is_binary(place.data):
        return _refusal(place, ProblemKind.BINARY, "the file is binary")
    files = {} if place.data is None else {place.path: SourceText.from_bytes(place.data)}
    outcome = apply_reply(
        text,
        files,
        default_path=place.path,
        parse_errors=parse_errors,
        enclosing=enclosing,
        judge_path=place.judge,
    )
    # A mistyped name must not become a new file: only a reply that creates this very file may go on.
    creates = outcome.form is not ReplyForm.WHOLE and any(
        change.path == place.path and change.before is None for change in outcome.changes
    )
    if place.data is None and not creates:
        raise UsageError(f"{place.path}: no such file in {place.workspace}", field="--file")
    return outcome


def _refusal(place: _Place, kind: ProblemKind, message: str) -> EditOutcome:
    return EditOutcome(ReplyForm.NONE, (), (Problem(kind=kind, message=message, path=place.path),))


def _document(outcome: EditOutcome, place: _Place) -> dict[str, object]:
    return {
        "ok": outcome.ok,
        "path": place.path,
        "diff": unified_diff(outcome.changes),
        "problems": [
            {
                "kind": problem.kind.value,
                "block": problem.block,
                "message": problem.message,
                "line": problem.line,
            }
            for problem in outcome.problems
        ],
    }


def _print_diff(diff: str) -> None:
    """Write the diff byte for byte, so that git can apply it; to a terminal without control characters."""
    if sys.stdout.isatty():
        sys.stdout.write(printable(diff))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(utf8_of(diff))
    sys.stdout.buffer.flush()


def _described(problem: Problem) -> str:
    where = "reply" if problem.block is None else f"block {problem.block + 1}"
    name = f" of {problem.path}" if problem.path and problem.block is not None else ""
    lines = [f"{where}{name}: {problem.kind.value}: {problem.message}"]
    first = problem.line or 1
    lines.extend(_numbered(problem.nearest, first))
    return printable("\n".join(lines)) + "\n"


def _numbered(lines: Sequence[str], first: int) -> list[str]:
    return [f"  {number:>5} | {line}" for number, line in enumerate(lines, first)]
