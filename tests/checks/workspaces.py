"""Small workspaces, as git repositories and without."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText


def write(workspace: Path, files: Mapping[str, str]) -> None:
    """Write files, folders included."""
    for path, text in files.items():
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def repository(workspace: Path, files: Mapping[str, str], *, tracked: tuple[str, ...] = (".",)) -> Path:
    """Make a git repository with `files`, of which `tracked` are added."""
    workspace.mkdir(parents=True, exist_ok=True)
    write(workspace, files)
    git(workspace, "init", "-q")
    git(workspace, "add", "--", *tracked)
    return workspace.resolve()


def git(workspace: Path, *arguments: str) -> None:
    """Run git without the settings of whoever runs the tests."""
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
        cwd=workspace,
        check=True,
        capture_output=True,
    )


def change(path: str, before: str | None, after: str | None) -> FileChange:
    """Return a change of one file from one text to another."""
    return FileChange(
        path=path,
        before=None if before is None else SourceText(before),
        after=None if after is None else SourceText(after),
    )


def tree(root: Path) -> dict[str, str]:
    """Return relative path → content of all files and links below `root`, git's own left out."""
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".git/"):
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_text(encoding="utf-8")
    return found
