"""Opens a pull request for a branch that was pushed: through `gh` where somebody is logged in, else through the API."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from ensemble_lsp.cli.branching.remotes import Destination, token_host
from ensemble_lsp.cli.github.api import GitHub, GitHubError
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.core.errors import UsageError

_SECONDS = 90.0
_AFTER_A_DOUBT = 2
"""Times that a pull request is looked for and opened, when nobody can tell whether opening it worked."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be opened. `base` is "" for the repository's default branch."""

    branch: str
    base: str
    title: str
    body: str
    draft: bool


class Opener(Protocol):
    """One way to talk to GitHub. Both methods raise `GitHubError`."""

    name: str

    def existing(self, branch: str) -> str:
        """Return the address of an open pull request from the branch, or ""."""
        ...

    def open(self, draft: Draft) -> str:
        """Open a pull request and return its address."""
        ...


def token_for(to: Destination, environment: Mapping[str, str]) -> str:
    """Return the token of the environment where it is meant for that server, or ""; the order is gh's."""
    if to.host != token_host(environment):
        return ""
    return environment.get("GH_TOKEN", "").strip() or environment.get("GITHUB_TOKEN", "").strip()


def opener(workspace: Path, to: Destination, environment: Mapping[str, str]) -> Opener:
    """Return how a pull request can be opened there; raises `UsageError` (field `--pr`) where it cannot."""
    program = shutil.which("gh")
    if program is not None and not Path(program).resolve().is_relative_to(workspace):
        found = GhProgram(program, workspace, to)
        if found.is_logged_in():
            return found
    token = token_for(to, environment)
    if token:
        return RestApi(to, token)
    raise UsageError(
        "nothing can open a pull request here",
        field="--pr",
        hint="install gh and log in (gh auth login), or set GH_TOKEN or GITHUB_TOKEN",
    )


class RestApi:
    """GitHub's API with a token of the environment."""

    name = "the API"

    def __init__(self, to: Destination, token: str) -> None:
        self._to = to
        self._token = token

    def existing(self, branch: str) -> str:
        """Return the address of an open pull request from the branch, or ""."""
        with self._client() as github:
            query = {"head": f"{self._to.owner}:{branch}", "state": "open"}
            found = next(github.pages("pulls", query), None)
        return str(found.get("html_url", "")) if found is not None else ""

    def open(self, draft: Draft) -> str:
        """Open a pull request and return its address."""
        with self._client() as github:
            base = draft.base or str(github.get("").get("default_branch", ""))
            made = github.post(
                "pulls",
                {
                    "title": draft.title,
                    "head": draft.branch,
                    "base": base,
                    "body": draft.body,
                    "draft": draft.draft,
                },
            )
        return str(made.get("html_url", ""))

    def _client(self) -> GitHub:
        return GitHub(self._to.repository, self._token, api=self._to.api)


class GhProgram:
    """GitHub's own program, with whatever account it is logged in."""

    name = "gh"

    def __init__(self, program: str, workspace: Path, to: Destination) -> None:
        self._program = program
        self._workspace = workspace
        self._to = to

    def is_logged_in(self) -> bool:
        """Whether it would be let in at the host."""
        try:
            return self._run("auth", "status", "--hostname", self._to.host).returncode == 0
        except GitHubError:
            return False

    def existing(self, branch: str) -> str:
        """Return the address of an open pull request from the branch, or ""."""
        done = self._run("pr", "list", *self._where, "--head", branch, "--state", "open", "--json", "url")
        if done.returncode != 0:
            raise _failed(done.stderr)
        try:
            listed = cast("list[dict[str, Any]]", json.loads(done.stdout or "[]"))
        except json.JSONDecodeError as problem:
            raise GitHubError("gh printed something else than JSON") from problem
        return str(listed[0].get("url", "")) if listed else ""

    def open(self, draft: Draft) -> str:
        """Open a pull request and return its address."""
        options = [*self._where, "--head", draft.branch, f"--title={draft.title}", "--body-file", "-"]
        options += ["--base", draft.base] if draft.base else []
        options += ["--draft"] if draft.draft else []
        done = self._run("pr", "create", *options, text=draft.body)
        if done.returncode != 0:
            raise _failed(done.stderr)
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("https://")]
        return lines[-1] if lines else ""

    @property
    def _where(self) -> tuple[str, ...]:
        return ("--repo", f"{self._to.host}/{self._to.repository}")

    def _run(self, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
        quiet = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1", "GH_PAGER": "cat"}
        try:
            return subprocess.run(
                [self._program, *arguments],
                cwd=self._workspace,
                env={**os.environ, **quiet},
                input=text,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise GitHubError(f"gh could not be run: {type(problem).__name__}") from problem


def open_once(way: Opener, draft: Draft) -> tuple[str, bool]:
    """Return (address, whether it was there already); raises `GitHubError`.

    Where an answer was lost it is looked whether the pull request is there before it is opened again.
    """
    for attempt in range(_AFTER_A_DOUBT):
        try:
            return way.open(draft), False
        except GitHubError as problem:
            there = _looked_for(way, draft.branch)
            if there:
                return there, True
            if not problem.may_have_happened or attempt + 1 == _AFTER_A_DOUBT or way.name == GhProgram.name:
                raise
    raise AssertionError  # the last turn returns or raises


def _looked_for(way: Opener, branch: str) -> str:
    try:
        return way.existing(branch)
    except GitHubError:
        return ""


def _failed(complaint: str) -> GitHubError:
    return GitHubError(f"gh: {one_line(complaint, 300) or 'it failed and said nothing'}")
