"""Files of a patch as git stores them, compared with a commit: line ends as the repository has them, no filter run.

Git turns line ends around between the work tree and its objects where `core.autocrlf` or an attribute says so. The base
shows whether it did: where it holds the same text with LF, the new text is stored with LF, too. A filter, `ident` or
another encoding is not imitated; files that git converts in such a way are refused.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.context.git import call_git
from ensemble_lsp.context.git_changes import read_blobs
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import is_binary

_EXECUTABLE_OR_NOT = ("100644", "100755")
_LINK, _SUBMODULE = "120000", "160000"
_LARGEST = 64 * 1024 * 1024
_CONVERTED = ("filter", "ident", "working-tree-encoding")
_UNSET = frozenset({"unspecified", "unset"})

Change = tuple[str, bytes | None, bytes | None]
"""Path relative to the workspace, the file before and after; None: no file."""


@dataclass(frozen=True, slots=True)
class Blob:
    """One entry of the new tree. `path` is from the root of the repository; mode "0" takes the file out."""

    path: str
    mode: str
    object: str


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    object: str


def blobs_of(workspace: Path, commit: str, changes: Sequence[Change]) -> tuple[Blob, ...]:
    """Store the new texts as objects and return the entries for them; raises `UsageError` (field `--branch`).

    Refused: a file that is not in the commit or not as it is there, one in a submodule, a link, one that git converts.
    """
    prefix = os.fsdecode(call_git(workspace, "rev-parse", "--show-prefix").out).removesuffix("\n")
    return tuple(_blob(workspace, commit, prefix, change) for change in changes)


def _blob(workspace: Path, commit: str, prefix: str, change: Change) -> Blob:
    path, before, after = change
    entry = _entry(workspace, commit, prefix, path)
    attributes = _attributes(workspace, path)
    converted = [name for name in _CONVERTED if attributes.get(name, "unset") not in _UNSET]
    if converted:
        raise UsageError(
            f"git converts {path} ({converted[0]}: {attributes[converted[0]]}), which is not done here",
            field="--branch",
            hint="--apply writes the patch; commit it with git, which runs what the repository configures",
        )
    whole = f"{prefix}{path}"
    if before is None:
        if entry is not None:
            raise UsageError(
                f"{path} is in the last commit, and not in the folder any more", field="--branch", hint=_CLEAN
            )
        if after is None:
            raise UsageError(f"there is no {path}", field="--branch")
        data = _with_lf(after) if _normalises(workspace, attributes, after) else after
        return Blob(whole, _EXECUTABLE_OR_NOT[0], _store(workspace, data))
    if entry is None:
        raise UsageError(
            f"{path} is in no commit yet; the patch would bring all of it along",
            field="--branch",
            hint="commit the file first, or use --apply",
        )
    held = read_blobs(workspace, [entry.object], limit=_LARGEST).get(entry.object)
    lf = held is not None and held != before and held == _with_lf(before)
    if held != before and not lf:
        raise UsageError(
            f"{path} has changes that are not committed, and the patch would bring them along",
            field="--branch",
            hint=_CLEAN,
        )
    if after is None:
        return Blob(whole, "0", "0" * len(commit))
    return Blob(whole, entry.mode, _store(workspace, _with_lf(after) if lf else after))


_CLEAN = "commit or stash them first, or use --apply"


def _entry(workspace: Path, commit: str, prefix: str, path: str) -> _Entry | None:
    """Return a file's entry, None where there is none; raises `UsageError` for what is no file, or below one."""
    parts = f"{prefix}{path}".split("/")
    for count in range(1, len(parts) + 1):
        part = "/".join(parts[:count])
        listed = call_git(workspace, "ls-tree", "-z", "--full-tree", commit, "--", part)
        head, _, _ = listed.out.partition(b"\t")
        fields = head.decode("ascii", "replace").split()
        if len(fields) != 3:
            return None
        mode, kind, name = fields
        if mode == _SUBMODULE:
            raise UsageError(
                f"{path} belongs to the submodule {part}, which has commits of its own",
                field="--branch",
                hint="run the command in the submodule",
            )
        if mode == _LINK:
            raise UsageError(
                f"{path} is reached through the link {part}", field="--branch", hint="name the file itself"
            )
        if kind == "blob":
            if count < len(parts):
                raise UsageError(f"{part} is a file in the last commit, not a folder", field="--branch")
            return _Entry(mode, name)
    raise UsageError(f"{path} is a folder in the last commit", field="--branch")


def _attributes(workspace: Path, path: str) -> dict[str, str]:
    names = (*_CONVERTED, "text", "eol", "crlf")
    answer = call_git(workspace, "check-attr", "-z", *names, "--", path)
    fields = os.fsdecode(answer.out).split("\0")
    found = dict(zip(fields[1::3], fields[2::3], strict=False))
    name = found.get("filter", "unset")
    # A filter that nothing is configured for does nothing.
    if name not in _UNSET and not _is_configured(workspace, name):
        del found["filter"]
    return found


def _is_configured(workspace: Path, name: str) -> bool:
    return any(
        call_git(workspace, "config", "--get", f"filter.{name}.{key}").out.strip()
        for key in ("clean", "process")
    )


def _normalises(workspace: Path, attributes: dict[str, str], data: bytes) -> bool:
    """Whether git would store a new file with LF, as gitattributes(5) has it."""
    text = attributes.get("text", "unspecified")
    if text == "unspecified":
        text = {"set": "set", "unset": "unset", "input": "set"}.get(attributes.get("crlf", ""), text)
    if text == "unset":
        return False
    if text == "set" or (text == "unspecified" and attributes.get("eol", "unspecified") in {"lf", "crlf"}):
        return True
    if text == "unspecified":
        answer = call_git(workspace, "config", "--get", "core.autocrlf")
        if answer.out.strip().lower() not in {b"true", b"input", b"yes", b"on", b"1"}:
            return False
    return not is_binary(data)


def _with_lf(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _store(workspace: Path, data: bytes) -> str:
    answer = call_git(workspace, "hash-object", "-w", "--no-filters", "--stdin", stdin=data)
    if answer.status != 0:
        raise UsageError(f"the text cannot be stored: {answer.complaint[:300]}", field="--branch")
    return answer.out.decode("ascii").strip()
