"""Pushes one branch, never by force, without a hook, and without the token in an address or among arguments."""

import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ensemble_lsp.cli.branching.remotes import Destination
from ensemble_lsp.cli.terminal import one_line
from ensemble_lsp.context.git import GitAnswer, call_git

_SECONDS = 180.0
_PROTOCOLS = "file:http:https:ssh"
_OWN_WAYS = (
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_ASKPASS",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
)
"""Variables of git's with which a person says how they connect."""
_WORD = "ENSEMBLE_GIT_TOKEN"
_ASKED = f"""\
#!/bin/sh
case "$1" in
  Username*) echo x-access-token ;;
  *) printf '%s\\n' "${_WORD}" ;;
esac
"""
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_DENIED = re.compile(
    r"\b40[13]\b|could not read (?:Username|Password)|terminal prompts disabled|Authentication failed"
    r"|Permission (?:to \S+ )?denied|Write access",
    re.IGNORECASE,
)
_UNREACHED = re.compile(
    r"Could not resolve host|Failed to connect|Connection (?:refused|timed out|reset)|took longer than"
    r"|unable to access",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Push:
    """How a push ended: `problem` is "" when the branch is there."""

    problem: str = ""
    hint: str = ""


def push(workspace: Path, branch: str, to: Destination, token: str) -> Push:
    """Push a new branch as the person's git would; where that has no credentials, with the token.

    The token is given to the host of GitHub's alone, over an encrypted connection, through GIT_ASKPASS; no credential
    helper gets to keep it.
    """
    answer = _push(workspace, branch, to, (), _own_ways())
    if answer.status != 0 and token and _DENIED.search(answer.complaint) and _may_have_token(to):
        with tempfile.TemporaryDirectory(prefix="ensemble-askpass-") as folder:
            program = Path(folder) / "askpass"
            program.write_text(_ASKED, encoding="ascii")
            program.chmod(stat.S_IRWXU)
            ways = _own_ways() | {"GIT_ASKPASS": program.as_posix(), _WORD: token}
            answer = _push(workspace, branch, to, ("-c", "credential.helper="), ways)
    if answer.status == 0:
        return Push()
    return _refused(answer, branch, to, token)


def _push(
    workspace: Path, branch: str, to: Destination, options: tuple[str, ...], ways: Mapping[str, str]
) -> GitAnswer:
    ref = f"refs/heads/{branch}"
    return call_git(
        workspace,
        *options,
        "-c",
        "push.followTags=false",
        "push",
        "--porcelain",
        "--no-recurse-submodules",
        # The empty value: only where there is no such branch yet.
        f"--force-with-lease={ref}:",
        "--",
        to.remote,
        f"{ref}:{ref}",
        environment={"GIT_ALLOW_PROTOCOL": _PROTOCOLS, **ways},
        seconds=_SECONDS,
    )


def _own_ways() -> dict[str, str]:
    return {name: os.environ[name] for name in _OWN_WAYS if name in os.environ}


def _may_have_token(to: Destination) -> bool:
    address = urlsplit(to.url)
    host = (address.hostname or "").lower()
    loopback = host in {"127.0.0.1", "localhost", "::1"} and urlsplit(to.api).hostname == host
    return (address.scheme == "https" and host == to.host) or (address.scheme == "http" and loopback)


def _refused(answer: GitAnswer, branch: str, to: Destination, token: str) -> Push:
    # With --porcelain git prints what became of the branch to standard output.
    said = f"{answer.complaint}\n{os.fsdecode(answer.out)}"
    words = _said(said, token)
    if "stale info" in said or "already exists" in said:
        return Push(f"{to.remote} has a branch {branch} already", "choose another name, or delete it there")
    if "[remote rejected]" in said or "GH006" in said:
        return Push(
            f"{to.remote} refused the branch: {words}", "a rule or a hook of the repository may forbid it"
        )
    if _DENIED.search(said):
        return Push(
            f"you may not push to {to.repository}: {words}",
            "the token needs contents: write and pull-requests: write; `gh auth login` sets up git's credentials",
        )
    if _UNREACHED.search(said):
        return Push(f"{to.remote} could not be reached: {words}", "try again when the network is there")
    return Push(f"the branch could not be pushed: {words}")


def _said(text: str, token: str) -> str:
    """Return git's words without anything secret."""
    without = text.replace(token, "[token]") if token else text
    return one_line(_CREDENTIALS.sub("//", without), 400)
