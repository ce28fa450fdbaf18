"""A repository on a "server" (a bare one on disk), its fork, pull requests between them, and their checkouts."""

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.context.repository import write_files

HOSTILE_BRANCH = 'x";touch${IFS}$CANARY/branch;"$(touch${IFS}$CANARY/branch2)`touch${IFS}$CANARY/branch3`\''
HOSTILE_TITLE = '"; touch $CANARY/title; $(touch $CANARY/title2)\n::add-mask::x\n##[error]owned'


def git(folder: Path, *arguments: str) -> str:
    """Run git there, as somebody; returns what it prints."""
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@dataclass(frozen=True, slots=True)
class PullRequest:
    """One pull request: ids of its commits, and whether it comes from a fork."""

    number: int
    base: str
    head: str
    branch: str
    fork: bool

    def event(self, file: Path) -> Path:
        """Write what GITHUB_EVENT_PATH points to."""
        owner = "stranger/cart" if self.fork else "shop/cart"
        pull = {
            "number": self.number,
            "title": HOSTILE_TITLE,
            "body": HOSTILE_TITLE,
            "base": {"sha": self.base, "ref": "main", "repo": {"full_name": "shop/cart"}},
            "head": {"sha": self.head, "ref": self.branch, "repo": {"full_name": owner, "fork": self.fork}},
        }
        file.write_text(json.dumps({"action": "opened", "number": self.number, "pull_request": pull}))
        return file


class Origin:
    """The bare repository that checkouts are made from."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self.folder = folder
        self.bare = folder / "origin.git"
        folder.mkdir(parents=True, exist_ok=True)
        git(folder, "init", "-q", "--bare", "-b", "main", str(self.bare))
        self._work = folder / "author"
        git(folder, "clone", "-q", str(self.bare), str(self._work))
        git(self._work, "checkout", "-q", "-b", "main")
        write_files(self._work, files)
        self.base = self._commit("as it was")
        git(self._work, "push", "-q", "origin", "main")

    def open_pull(
        self, number: int, files: Mapping[str, str], *, branch: str = "work", fork: bool = False
    ) -> PullRequest:
        """Push a branch with these files, to a fork if asked to, and the reference that the server makes of it."""
        author = self._work
        if fork:
            author = self.folder / "stranger"
            git(self.folder, "clone", "-q", str(self.bare), str(author))
        git(author, "checkout", "-q", "-b", branch)
        write_files(author, files)
        git(author, "add", "-A", "-f")
        git(author, "commit", "-q", "-m", HOSTILE_TITLE)
        git(author, "push", "-q", str(self.bare), f"HEAD:refs/pull/{number}/head")
        return PullRequest(number, self.base, git(author, "rev-parse", "HEAD"), branch, fork)

    def check_out(self, pull: PullRequest, name: str, *, depth: int = 0) -> Path:
        """Return a checkout of the head, as actions/checkout makes it; `depth` 0 is the whole history."""
        folder = self.folder / name
        git(self.folder, "init", "-q", str(folder))
        git(folder, "remote", "add", "origin", self.bare.as_uri())
        limit = ("--depth", str(depth)) if depth else ()
        wanted = ("+refs/heads/*:refs/remotes/origin/*",) if not depth else ()
        git(
            folder,
            "fetch",
            "-q",
            *limit,
            "origin",
            *wanted,
            f"+refs/pull/{pull.number}/head:refs/remotes/pull/head",
        )
        git(folder, "checkout", "-q", "--detach", pull.head)
        return folder

    def _commit(self, message: str) -> str:
        git(self._work, "add", "-A", "-f")
        git(self._work, "commit", "-q", "-m", message)
        return git(self._work, "rev-parse", "HEAD")
