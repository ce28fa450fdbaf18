"""One commit made of a patch alone: on a branch of its own, without the work tree, the index or a hook.

The commit is the base's tree with the patch's files in it, put together in an index in a temporary folder. What is
staged, what is not committed and the branch that is checked out are not touched, and no program that the repository
names runs: no hook, no filter; a signing program only where the person's own configuration names it.
"""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.context.git import GitAnswer, call_git
from ensemble_lsp.context.git_blobs import Blob, blobs_of
from ensemble_lsp.context.git_changes import require_work_tree
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import Unwritable

_IDENTITY = tuple(
    f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")
)
_OWN_SCOPES = frozenset({"global", "system", "command"})
_SIGNING_SECONDS = 120.0
"""A passphrase may have to be typed."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a branch is to begin: asked for before a job is paid for."""

    workspace: Path
    branch: str
    commit: str
    on: str
    """The branch that is checked out; "" for a detached HEAD."""


@dataclass(frozen=True, slots=True)
class Committed:
    """A commit on a branch of its own."""

    branch: str
    commit: str
    unsigned: bool
    """The configuration asks for signed commits, and this one is not."""


def start_of(workspace: Path, branch: str) -> Start:
    """Return the last commit as the beginning of a new branch; raises `UsageError` for what no branch can come of.

    Outside of git, before the first commit, without an identity, for a name that cannot be used or is taken.
    """
    require_work_tree(workspace)
    head = call_git(workspace, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if head.status != 0:
        raise UsageError("there is no commit yet to begin a branch at", field="--branch", hint="commit first")
    _require_name(workspace, branch)
    _require_identity(workspace)
    on = call_git(workspace, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Start(workspace, branch, _text(head), _text(on) if on.status == 0 else "")


def require_committed(start: Start, paths: Sequence[str]) -> None:
    """Raise `UsageError` for files that are not, byte for byte, what the base has: a patch on top would hold more.

    Paths are relative to the workspace. A file that is in no commit yet counts among them.
    """
    for path in paths:
        file = start.workspace / path
        data = file.read_bytes() if file.is_file() else None
        blobs_of(start.workspace, start.commit, [(path, data, data)])


def _file_bytes(change: FileChange) -> bytes | None:
    try:
        return change.after.to_bytes_for_a_file() if change.after is not None else None
    except Unwritable as problem:
        raise UsageError(f"{change.path}: {problem}; there is no new branch", field="--branch") from problem


def commit_changes(start: Start, changes: Sequence[FileChange], message: str) -> Committed:
    """Commit exactly these changes on the new branch; raises `UsageError`, and then there is no new branch.

    Refused where a change was not made on top of what the base has. Modes stay; new files are not executable.
    """
    workspace = start.workspace
    blobs = blobs_of(
        workspace,
        start.commit,
        [
            (
                change.path,
                change.before.to_bytes_for_tools() if change.before is not None else None,
                _file_bytes(change),
            )
            for change in changes
        ],
    )
    signs, unsigned = _signing(workspace)
    tree = _tree(start, blobs)
    if tree == _text(call_git(workspace, "rev-parse", f"{start.commit}^{{tree}}")):
        raise UsageError("as git stores it, the patch changes nothing", field="--branch")
    made = call_git(
        workspace,
        "commit-tree",
        *(("-S",) if signs else ()),
        "-p",
        start.commit,
        "-F",
        "-",
        tree,
        stdin=message.encode("utf-8", "replace"),
        environment=_identity(),
        seconds=_SIGNING_SECONDS,
    )
    commit = _text(_well(made, "the commit cannot be made"))
    _well(
        call_git(
            workspace,
            "update-ref",
            "-m",
            "branch: Created by ensemble-lsp",
            f"refs/heads/{start.branch}",
            commit,
            "",  # the old value: the branch must not be there
            environment=_identity(),
        ),
        f"the branch {start.branch} cannot be made",
    )
    return Committed(start.branch, commit, unsigned)


def _tree(start: Start, blobs: Sequence[Blob]) -> str:
    with tempfile.TemporaryDirectory(prefix="ensemble-index-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        # Whatever kind of index the repository has: this one is read once and thrown away.
        plain = ("-c", "core.splitIndex=false", "-c", "index.sparse=false")
        _well(
            call_git(start.workspace, *plain, "read-tree", start.commit, environment=index),
            "the last commit cannot be read",
        )
        entries = b"".join(
            f"{blob.mode} {blob.object}\t".encode("ascii") + os.fsencode(blob.path) + b"\0" for blob in blobs
        )
        _well(
            call_git(
                start.workspace,
                *plain,
                "update-index",
                "-z",
                "--add",
                "--index-info",
                stdin=entries,
                environment=index,
            ),
            "the patch does not fit into the last commit",
        )
        # Of a partial clone some objects are missing, which nothing here needs.
        tree = call_git(start.workspace, *plain, "write-tree", "--missing-ok", environment=index)
        return _text(_well(tree, "the tree cannot be written"))


def _require_name(workspace: Path, branch: str) -> None:
    ref = f"refs/heads/{branch}"
    well_formed = not branch.startswith("-") and branch != "HEAD" and "\0" not in branch
    if not well_formed or call_git(workspace, "check-ref-format", ref).status != 0:
        raise UsageError(
            f"{branch!r} cannot be the name of a branch",
            field="--branch",
            hint="letters, digits, - and /: --branch fix/cart-total",
        )
    listed = _text(call_git(workspace, "for-each-ref", "--format=%(refname)", ref)).splitlines()
    above = branch.split("/")[:-1]
    parents = [f"refs/heads/{'/'.join(above[: count + 1])}" for count in range(len(above))]
    taken = [*listed, *(name for name in parents if _exists(workspace, name))]
    if ref in taken:
        raise UsageError(
            f"there is a branch {branch} already", field="--branch", hint="choose a name that is not taken"
        )
    if taken:
        other = taken[0].removeprefix("refs/heads/")
        raise UsageError(
            f"a branch {branch} cannot stand beside the branch {other}",
            field="--branch",
            hint="choose another",
        )


def _exists(workspace: Path, ref: str) -> bool:
    return call_git(workspace, "show-ref", "--verify", "--quiet", ref).status == 0


def _require_identity(workspace: Path) -> None:
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        known = call_git(workspace, "-c", "user.useConfigOnly=true", "var", who, environment=_identity())
        if known.status != 0:
            raise UsageError(
                "git does not know whose commit it would be",
                field="--branch",
                hint='git config --global user.name "Your Name"; git config --global user.email you@example.org',
            )


def _identity() -> dict[str, str]:
    """Return what the person set for this call: all other variables of git's are kept away from it."""
    return {name: os.environ[name] for name in _IDENTITY if name in os.environ}


def _signing(workspace: Path) -> tuple[bool, bool]:
    """Return (sign, the configuration asks and we do not).

    A signing program that the repository itself names is not run: whoever wrote its configuration chose it.
    """
    asked = call_git(workspace, "config", "--show-scope", "--type=bool", "--get", "commit.gpgSign")
    scope, _, value = _text(asked).partition("\t")
    if value != "true":
        return False, False
    listed = call_git(
        workspace, "config", "--show-scope", "--name-only", "--get-regexp", r"^(gpg\.|user\.signingkey)"
    )
    scopes = {scope, *(line.partition("\t")[0] for line in _text(listed).splitlines())}
    ours = scopes <= _OWN_SCOPES
    return ours, not ours


def _well(answer: GitAnswer, what: str) -> GitAnswer:
    if answer.status != 0:
        said = " ".join(answer.complaint.split())[:400]
        raise UsageError(f"{what}{f': {said}' if said else ''}", field="--branch")
    return answer


def _text(answer: GitAnswer) -> str:
    return os.fsdecode(answer.out).strip()
