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
_SUBMODULE = b"160000"
_DEEPEN = "fetch its history: `fetch-depth: 0` for actions/checkout, or `git fetch --unshallow`"


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
    submodules: int = 0
    """Submodules that point elsewhere; only comparisons without the work tree count them."""


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
    named = commit_of(workspace, base)
    return named if head is None else _fork(workspace, named, head, base)


def commit_of(workspace: Path, name: str, *, field: str = "base") -> str:
    """Return the commit that a name means; raises `UsageError` with this field for what names none."""
    found = _commit(workspace, name) if names_commit(workspace, name) else None
    if found is None:
        shallow = _shallow(workspace)
        raise UsageError(
            f"{name!r} names no commit of this {'shallow clone' if shallow else 'repository'}",
            field=field,
            hint=_DEEPEN if shallow else "name a branch, a tag or a commit",
        )
    return found


def ends_of(workspace: Path, span: str) -> tuple[str, str] | None:
    """Return the two commits of `A...B` (from where B left A) or `A..B`; None for a name of one commit.

    An end that is left out is HEAD. Raises `UsageError` (field `base`) for ends that name no commit.
    """
    dots = "..." if "..." in span else ".."
    first, found, last = span.partition(dots)
    if not found:
        return None
    start, end = commit_of(workspace, first or "HEAD"), commit_of(workspace, last or "HEAD")
    return (_fork(workspace, start, end, first or "HEAD") if dots == "..." else start), end


def files_at(workspace: Path, commit: str) -> Iterable[tuple[str, str]]:
    """Yield (path from the root of the repository, object) of every regular file in a commit.

    Raises `UsageError` when git cannot list them.
    """
    listed = run_git(workspace, "ls-tree", "-r", "-z", "--full-tree", commit)
    if listed is None:
        raise UsageError(
            f"git cannot list the files of {commit[:12]}", hint="run `git ls-tree -r` on it: it says why"
        )
    for entry in listed.split(b"\0"):
        head, _, name = entry.partition(b"\t")
        fields = head.split()
        if len(fields) == 3 and fields[0] in _FILE_MODES:
            yield os.fsdecode(name), fields[2].decode("ascii")


def names_commit(workspace: Path, name: str) -> bool:
    """Whether a name means a commit there."""
    return not name.startswith("-") and "\0" not in name and _commit(workspace, name) is not None


def changes_since(workspace: Path, base: str) -> Comparison:
    """Return what of the work tree differs from a commit: tracked files, and new ones that are not ignored."""
    found = _compared(workspace, base)
    # Bounded like the comparison: a folder of a hundred thousand new files is no change either.
    new = list_with_git(workspace, "--others", "--exclude-standard", limit=MOST_CHANGES) or ()
    untracked = [GitChange(path, None, None) for path in new if not path.endswith("/")]
    return Comparison(base, (*found.changes, *untracked), found.deleted, found.submodules)


def staged_changes(workspace: Path, base: str) -> Comparison:
    """Return what of the index differs from a commit."""
    return _compared(workspace, base, "--cached")


def changes_between(workspace: Path, base: str, end: str) -> Comparison:
    """Return what differs between two commits, whatever the work tree holds."""
    return _compared(workspace, base, "--ignore-submodules=none", end=end)


def unstaged_texts(workspace: Path) -> Mapping[str, str]:
    """Return path → object of the files whose index differs from the work tree: their text as it would be committed."""
    raw = _raw(workspace, "--no-renames")
    return {path: old for _, _, old, _, path in _entries(raw) if old is not None}


def texts_at(workspace: Path, commit: str) -> Mapping[str, str]:
    """Return path → object of the files that the work tree holds otherwise than a commit: their text there."""
    found = _compared(workspace, commit)
    return {change.path: change.old_blob for change in found.changes if change.old_blob is not None}


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
    """Return the contents of objects; those larger than `limit` bytes are left out.

    Raises `UsageError` where git lacks some of them, as in a partial clone (nothing is fetched), or cannot give them.
    """
    wanted = list(dict.fromkeys(blobs))
    sizes = run_git(
        workspace,
        "cat-file",
        "--batch-check=%(objectname) %(objecttype) %(objectsize)",
        stdin="".join(f"{blob}\n" for blob in wanted).encode("ascii"),
    )
    if sizes is None and wanted:
        # Of a partial clone git refuses the whole list for one object that it would have to fetch.
        raise UsageError(
            "git lacks the text of some files that changed: this may be a partial clone",
            field="scope",
            hint="clone without --filter: a review fetches nothing by itself",
        )
    small: list[str] = []
    for line in (sizes or b"").decode("ascii", "replace").splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1] == "blob" and int(fields[2]) <= limit:
            small.append(fields[0])
    printed = run_git(
        workspace, "cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in small).encode("ascii")
    )
    if printed is None and small:
        raise UsageError(
            "git cannot give the text of the files that changed, or it is too much to hold",
            field="base",
            hint="compare with a nearer commit",
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


def _fork(workspace: Path, start: str, end: str, name: str) -> str:
    """Return where one commit left the line of another; of unrelated ones the first."""
    found = run_git(workspace, "merge-base", start, end)
    if found is None and _shallow(workspace):
        raise UsageError(
            f"this shallow clone does not reach back to where the change left {name!r}",
            field="base",
            hint=_DEEPEN,
        )
    return start if found is None else found.decode("ascii").split("\n", 1)[0]


def _shallow(workspace: Path) -> bool:
    return run_git(workspace, "rev-parse", "--is-shallow-repository") == b"true\n"


def _compared(workspace: Path, base: str, *options: str, end: str | None = None) -> Comparison:
    raw = _raw(workspace, "-M", *options, base, *(() if end is None else (end,)))
    changes: dict[str, GitChange] = {}
    deleted = submodules = 0
    for status, mode, old, new, path in _entries(raw):
        if mode == _SUBMODULE:
            submodules += 1
        elif status == "D":
            deleted += 1
        elif mode in _FILE_MODES:
            changes.setdefault(path, GitChange(path, old, new))
        if len(changes) > MOST_CHANGES:
            raise UsageError(
                f"more than {MOST_CHANGES} files differ", field="base", hint="compare with a nearer commit"
            )
    return Comparison(base, tuple(changes.values()), deleted, submodules)


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
