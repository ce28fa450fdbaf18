"""Where a branch is pushed to, and which repository of GitHub that is."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ensemble_lsp.cli.github.api import PUBLIC_API
from ensemble_lsp.context.git import call_git
from ensemble_lsp.core.errors import UsageError

_PUBLIC_HOST = "github.com"
_SSH_HOSTS = {"ssh.github.com": _PUBLIC_HOST, "www.github.com": _PUBLIC_HOST}
_SCP = re.compile(r"^(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+):(?!//)(?P<path>.+)$")
_REPOSITORY = re.compile(r"^/?(?P<owner>[A-Za-z0-9_.-]+)/(?P<name>[A-Za-z0-9_.-]+?)(?:\.git)?/?$")


@dataclass(frozen=True, slots=True)
class Destination:
    """A remote that is a repository of GitHub's."""

    remote: str
    url: str
    """What git pushes to; it may hold credentials, so it is not shown."""
    host: str
    repository: str
    """"owner/name"."""
    api: str

    @property
    def owner(self) -> str:
        """The first half of the repository's name."""
        return self.repository.partition("/")[0]


def destination(workspace: Path, on: str, named: str | None, environment: Mapping[str, str]) -> Destination:
    """Return the remote to push to; raises `UsageError` (field `--remote`) where there is none on GitHub.

    `on` is the branch that is checked out, "" for none. Which host is GitHub's, GITHUB_SERVER_URL or GH_HOST says.
    """
    remote = named or _usual(workspace, on)
    listed = _lines(workspace, "remote")
    if remote is None or remote not in listed:
        known = f"there are {', '.join(listed)}" if listed else "git remote add origin URL"
        raise UsageError(
            f"there is no remote {remote!r}" if remote else "there is no remote to push to",
            field="--remote",
            hint=known,
        )
    url = next(iter(_lines(workspace, "remote", "get-url", "--push", "--", remote)), "")
    written = next(iter(_lines(workspace, "config", "--get", f"remote.{remote}.pushurl")), "") or next(
        iter(_lines(workspace, "config", "--get", f"remote.{remote}.url")), ""
    )
    for host in _hosts(environment):
        # The person's own abbreviations (url.….insteadOf) may stand on either side.
        for text in (url, written):
            repository = repository_at(text, host)
            if repository:
                return Destination(remote, url, host, repository, _api(host, environment))
    raise UsageError(
        f"the remote {remote} is no repository at {' or '.join(_hosts(environment))}",
        field="--remote",
        hint="push the branch with git, and open the pull request there; GITHUB_SERVER_URL names another server",
    )


def repository_at(url: str, host: str) -> str:
    """Return "owner/name" of an address on a host, in any of git's spellings; "" for an address elsewhere."""
    address = urlsplit(url) if "://" in url else None
    if address is not None:
        if address.scheme not in {"https", "http", "ssh", "git"}:
            return ""
        place, path = (address.hostname or "").lower(), address.path
    else:
        found = _SCP.match(url)
        if found is None:
            return ""
        place, path = found["host"].lower(), found["path"]
    name = _REPOSITORY.match(path)
    if _SSH_HOSTS.get(place, place) != host or name is None:
        return ""
    return f"{name['owner']}/{name['name']}"


def _usual(workspace: Path, on: str) -> str | None:
    """Return the remote that `git push` would take."""
    keys = [f"branch.{on}.pushRemote"] if on else []
    keys += ["remote.pushDefault", *([f"branch.{on}.remote"] if on else [])]
    for key in keys:
        for name in _lines(workspace, "config", "--get", key):
            return name
    listed = _lines(workspace, "remote")
    return "origin" if "origin" in listed else listed[0] if len(listed) == 1 else None


def token_host(environment: Mapping[str, str]) -> str:
    """Return the server that a token of the environment is for: the workflow's, the one named, else github.com."""
    server = urlsplit(environment.get("GITHUB_SERVER_URL", "")).hostname
    return server or environment.get("GH_HOST", "").strip().lower() or _PUBLIC_HOST


def _hosts(environment: Mapping[str, str]) -> tuple[str, ...]:
    server = urlsplit(environment.get("GITHUB_SERVER_URL", "")).hostname
    named = (server, environment.get("GH_HOST", "").strip().lower() or None, _PUBLIC_HOST)
    return tuple(dict.fromkeys(host for host in named if host))


def _api(host: str, environment: Mapping[str, str]) -> str:
    """Return the API that belongs to a host: GITHUB_API_URL goes with GITHUB_SERVER_URL, or with neither set."""
    server = urlsplit(environment.get("GITHUB_SERVER_URL", "")).hostname or _PUBLIC_HOST
    given = environment.get("GITHUB_API_URL", "")
    if given and host == server:
        return given
    return PUBLIC_API if host == _PUBLIC_HOST else f"https://{host}/api/v3"


def _lines(workspace: Path, *arguments: str) -> list[str]:
    answer = call_git(workspace, *arguments)
    return os.fsdecode(answer.out).splitlines() if answer.status == 0 else []
