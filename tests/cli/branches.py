"""The shop as a git repository, and what tests ask it: its branches, what is staged, what a commit holds."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.support.shop import make_shop


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository with a work tree."""

    root: Path

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git as a person would and return what it prints."""
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout.strip("\n")

    def commit_all(self, message: str = "The shop") -> str:
        """Commit everything there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def content(self, revision: str, path: str) -> bytes:
        """Return a file's bytes as a commit holds them."""
        done = subprocess.run(
            ["git", "show", f"{revision}:{path}"], cwd=self.root, capture_output=True, check=True, timeout=60
        )
        return done.stdout

    @property
    def state(self) -> tuple[str, str, str]:
        """The checked out branch with its commit, what is staged, and the status of all files."""
        return (
            self.git("rev-parse", "--symbolic-full-name", "HEAD") + self.git("rev-parse", "HEAD"),
            self.git("ls-files", "--stage"),
            self.git("status", "--porcelain"),
        )


def repository(folder: Path, *, ending: str = "\n") -> Repository:
    """Make the shop a repository with one commit."""
    found = Repository(make_shop(folder, ending=ending))
    (found.root / ".gitignore").write_text(".pytest_cache/\n__pycache__/\n")
    found.git("init", "-q", "-b", "main")
    found.git("config", "user.name", "Ada Example")
    found.git("config", "user.email", "ada@example.org")
    found.git("config", "core.autocrlf", "false")
    found.commit_all()
    return found
