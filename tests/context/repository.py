"""Temporary repositories for the tests of the context."""

import subprocess
from collections.abc import Mapping
from pathlib import Path


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by relative path and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def git(folder: Path, *arguments: str) -> None:
    """Run git there."""
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a new git repository that tracks those it does not ignore."""
    write_files(folder, files)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    return folder


def words(text: str) -> int:
    """Count tokens as the tests do: four characters each, rounded up."""
    return (len(text) + 3) // 4
