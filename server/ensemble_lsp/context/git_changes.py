"""What changed in a work tree: which files, from which text, into which."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.context.git import comparing, list_with_git, run_git
from ensemble_lsp.core.errors import UsageError

MOST_CHANGES = 5_000
"""Files of one comparison; more is an import of code, not a change that anybody reads."""
_FILE_MODES = (b"100644", b"100755")


@dataclass(frozen=True, slots=True)
class GitChange:
    """One file that differs. Paths are relative to the workspace, with forward slashes."""

    path: str
    old_blob: str | None
    """The object that holds the old text; None for a new file."""
    new_blob: str | None
    """The object that holds the new text; None where it is what the work tree holds."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The files that differ from a base, and how many there were that hold nothing to look at any more."""

    base: str
    """The tree or commit compared with."""
    changes: tuple[GitChange, ...]
    deleted: int = 0


def require_work_tree(workspace: Path) -> None:
    """Raise `UsageError` unless the workspace lies in a git work tree that this user may use."""
    if run_git(workspace, "rev-parse", "--is-inside-work-tree") != b"true\n":
        raise UsageError(
            f"{workspace} is not in a git work tree",
            field="scope",
            hint="review files by name; git may also refuse a folder of another owner (see its safe.directory)",
        )


def base_of(workspace: Path, base: str | None) -> str:
    """Return the commit to compare with: HEAD, or where HEAD left the named commit; the empty tree before any.

    Raises `UsageError` (field `base`) for what names no commit.
    """
    head = _commit(workspace, "HEAD")
    if base is None:
        return head if head is not None else _empty_tree(workspace)
    named = _commit(workspace, base) if names_commit(workspace, base) else None
    if named is None:
        raise UsageError(
            f"{base!r} names no commit of this repository",
            field="base",
            hint="name a branch, a tag or a commit",
        )
    if head is None:
        return named
    fork = run_git(workspace, "merge-base", named, head)
    return named if fork is None else fork.decode("ascii").split("\n", 1)[0]


def names_commit(workspace: Path, name: str) -> bool:
    """Whether a name means a commit there."""
    return not name.startswith("-") and "\0" not in name and _commit(workspace, name) is not None


def changes_since(workspace: Path, base: str) -> Comparison:
    """Return what of the work tree differs from a commit: tracked files, and new ones that are not ignored."""
    found = _compared(workspace, base)
    # Bounded like the comparison: a folder of a hundred thousand new files is no change either.
    new = list_with_git(workspace, "--others", "--exclude-standard", limit=MOST_CHANGES) or ()
    untracked = [GitChange(path, None, None) for path in new if not path.endswith("/")]
    return Comparison(base, (*found.changes, *untracked), found.deleted)


def staged_changes(workspace: Path, base: str) -> Comparison:
    """Return what of the index differs from a commit."""
    return _compared(workspace, base, "--cached")


def unstaged_texts(workspace: Path) -> Mapping[str, str]:
    """Return path → object of the files whose index differs from the work tree: their text as it would be committed."""
    raw = _raw(workspace, "--no-renames")
    return {path: old for _, _, old, _, path in _entries(raw) if old is not None}


def blob_at(workspace: Path, base: str, path: str) -> str | None:
    """Return the object of a file in a commit, or None when it has none there."""
    listed = run_git(workspace, "ls-tree", "-z", base, "--", path) or b""
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        fields = head.split()
        if os.fsdecode(name) == path and len(fields) == 3 and fields[0] in _FILE_MODES:
            return fields[2].decode("ascii")
    return None


def read_blobs(workspace: Path, blobs: Iterable[str], *, limit: int) -> dict[str, bytes]:
    """Return the contents of objects; those larger than `limit` bytes, or missing, are left out."""
    wanted = list(dict.fromkeys(blobs))
    sizes = run_git(
        workspace,
        "cat-file",
        "--batch-check=%(objectname) %(objecttype) %(objectsize)",
        stdin="".join(f"{blob}\n" for blob in wanted).encode("ascii"),
    )
    small: list[str] = []
    for line in (sizes or b"").decode("ascii", "replace").splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] == "blob" and int(fields[2]) <= limit:
            small.append(fields[0])
    printed = run_git(
        workspace, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in small).encode("ascii")
    )
    found: dict[str, bytes] = {}
    at = 0
    data = printed or b""
    for blob in small:
        header_end = data.find(b"\n", at)
        if header_end < 0:
            break
        size = int(data[at:header_end].rsplit(b" ", 1)[1])
        found[blob] = data[header_end + 1 : header_end + 1 + size]
        at = header_end + 1 + size + 1
    return found


def _commit(workspace: Path, name: str) -> str | None:
    found = run_git(workspace, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return None if found is None else found.decode("ascii").strip()


def _empty_tree(workspace: Path) -> str:
    # Its name depends on the repository's hash; git computes it and writes nothing.
    found = run_git(workspace, "hash-object", "-t", "tree", "--stdin")
    if found is None:
        raise UsageError("git cannot read this repository", field="scope", hint="review files by name")
    return found.decode("ascii").strip()


def _compared(workspace: Path, base: str, *options: str) -> Comparison:
    raw = _raw(workspace, "-M", *options, base)
    changes: dict[str, GitChange] = {}
    deleted = 0
    for status, mode, old, new, path in _entries(raw):
        if status == "D":
            deleted += 1
        elif mode in _FILE_MODES:
            changes.setdefault(path, GitChange(path, old, new))
        if len(changes) > MOST_CHANGES:
            raise UsageError(
                f"more than {MOST_CHANGES} files differ", field="base", hint="compare with a nearer commit"
            )
    return Comparison(base, tuple(changes.values()), deleted)


def _raw(workspace: Path, *options: str) -> bytes:
    raw = run_git(
        workspace,
        *comparing(workspace),
        "diff",
        "--raw",
        "-z",
        "--no-abbrev",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
        "--relative",
        *options,
        "--",
    )
    if raw is None:
        raise UsageError(
            "git cannot say what changed",
            field="scope",
            hint="run `git diff --stat` in the folder: it says why",
        )
    return raw


def _entries(raw: bytes) -> Iterable[tuple[str, bytes, str | None, str | None, str]]:
    """Yield (status letter, new mode, old object, new object, path) of `git diff --raw -z`."""
    fields: Sequence[bytes] = raw.split(b"\0")
    at = 0
    # Each turn takes at least two fields.
    while at + 1 < len(fields):
        head = fields[at].lstrip(b":").split()
        if len(head) != 5:
            break
        status = head[4][:1].decode("ascii")
        at += 1
        if status in {"R", "C"}:
            at += 1  # the old path: the old text is found by its object
        path = os.fsdecode(fields[at])
        at += 1
        yield status, head[1], _object(head[0], head[2]), _object(head[1], head[3]), path


def _object(mode: bytes, name: bytes) -> str | None:
    text = name.decode("ascii")
    return text if mode in _FILE_MODES and text.strip("0") else None
