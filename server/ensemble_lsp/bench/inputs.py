"""What a run is about: its cases, kept beside the record, and the head that says how it was run."""

import hashlib
import json
import platform
import random
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import ensemble_lsp
from ensemble_lsp.bench.appended import append_line, whole_lines
from ensemble_lsp.bench.cases import BenchCase
from ensemble_lsp.bench.outcomes import Subject
from ensemble_lsp.bench.record import HeadMember
from ensemble_lsp.bench.sets import Seen, clean_controls, read_set
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.panel import Member
from ensemble_lsp.core.text import SourceText

CASES_FILE = "cases.jsonl"
GIT_SECONDS = 5.0


def drawn(path: Path, subject: Subject, seen: Seen, count: int | None, seed: int) -> tuple[BenchCase, ...]:
    """Draw `count` bugs of a set (all when None) in an order that the seed fixes.

    A review gets the same programs without their bugs, too: its controls. Raises `UsageError` for a file that is
    no set.
    """
    found = list(read_set(path, seen))
    if not found:
        raise UsageError(f"{path}: no case has a visible part of its tests", field="--check")
    random.Random(seed).shuffle(found)  # noqa: S311  (a drawing of lots)
    bugs = tuple(found[:count])
    return bugs if subject is Subject.FIX else (*bugs, *clean_controls(bugs))


def keep_cases(directory: Path, cases: Iterable[BenchCase]) -> None:
    """Write down the cases, so that a run that goes on has the same."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / CASES_FILE
    path.unlink(missing_ok=True)
    for case in cases:
        append_line(path, case)


def kept_cases(directory: Path) -> tuple[BenchCase, ...]:
    """Return the cases of an earlier run, none where there was none.

    Raises `UsageError` when the code that they were made from has changed since.
    """
    path = directory / CASES_FILE
    try:
        cases = tuple(BenchCase.model_validate(json.loads(line)) for line in whole_lines(path))
    except ValueError as problem:
        raise UsageError(f"{path}: no cases of this version", field="--out") from problem
    for case in cases:
        file = Path(case.base) / case.path
        if case.base and _text(file) != case.original:
            raise UsageError(
                f"{case.path} has changed since {directory} was begun: its cases were made of another text",
                field="--out",
                hint="begin anew: name another folder with --out",
            )
    return cases


def digest_of(cases: Iterable[BenchCase]) -> str:
    """Return the SHA-256 (hex) of the cases, wherever their repository lies."""
    digest = hashlib.sha256()
    for case in cases:
        digest.update(json.dumps({**case.to_wire(), "base": ""}, sort_keys=True).encode())
    return digest.hexdigest()


def key_of(parts: Sequence[object]) -> str:
    """Return twelve digits that tell runs of different inputs apart: the name of a run's default folder."""
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:12]


def file_digest(path: Path) -> str:
    """Return the SHA-256 (hex) of a file; raises `UsageError` when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}", field="SET") from problem


def head_member(member: Member) -> HeadMember:
    """Return a member as the report names it."""
    return HeadMember(
        id=member.id,
        model=member.model,
        family=member.family,
        local=member.local,
        price_in=member.price_in,
        price_out=member.price_out,
    )


def product_commit() -> str:
    """Return the commit of the checkout that the product runs from, `+` behind it if changed; "" without one."""
    here = Path(ensemble_lsp.__file__).parent

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=here,
            capture_output=True,
            text=True,
            timeout=GIT_SECONDS,
            check=True,
        )
        return done.stdout.strip()

    try:
        if not git("ls-files", "--", "__init__.py"):
            return ""
        return git("rev-parse", "--short=12", "HEAD") + (
            "+" if git("status", "--porcelain", "--", ".") else ""
        )
    except (OSError, subprocess.SubprocessError):
        return ""


def now() -> str:
    """Return the time: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def python_version() -> str:
    """Return the interpreter's version."""
    return platform.python_version()


def machine() -> str:
    """Return what the run was on."""
    return f"{platform.system()} {platform.machine()} ({sys.implementation.name})"


def _text(path: Path) -> str:
    try:
        return SourceText.from_bytes(path.read_bytes()).text
    except OSError:
        return ""
