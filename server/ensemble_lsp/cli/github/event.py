"""What a workflow runs for: the event, the pull request, and whose code was checked out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ensemble_lsp.core.errors import UsageError

_OWN_CODE = frozenset({"push", "pull_request", "merge_group", "schedule", "workflow_dispatch"})
"""Events that run with the code of people who may write to the repository, unless a pull request is a fork's.

`pull_request_target`, `issue_comment` and `workflow_run` are none: their workflows have secrets, and may have checked
out a stranger's code.
"""
_EVENT_BYTES = 16 * 1024 * 1024
_NOTHING = "0" * 40


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `base` and `head` are commit ids, "" where the event has none."""

    name: str
    repository: str
    """"owner/name"."""
    number: int | None
    """Of the pull request."""
    base: str
    """What is compared with: the tip of the branch that a pull request goes to, or what a push started from."""
    head: str
    own_code: bool
    """Whether the code was written by people who may write to the repository."""


def read_event(environment: Mapping[str, str]) -> Event:
    """Read what the runner says of the event; raises `UsageError` outside of a workflow."""
    name, path = environment.get("GITHUB_EVENT_NAME", ""), environment.get("GITHUB_EVENT_PATH", "")
    repository = environment.get("GITHUB_REPOSITORY", "")
    if not name or not repository:
        raise UsageError("this is for GitHub workflows: GITHUB_EVENT_NAME and GITHUB_REPOSITORY are not set")
    data = _read(Path(path)) if path else {}
    pull = _table(data.get("pull_request"))
    if not pull:
        base = _text(data.get("before")) or _text(_table(data.get("merge_group")).get("base_sha"))
        return Event(
            name=name,
            repository=repository,
            number=None,
            base="" if base == _NOTHING else base,
            head=environment.get("GITHUB_SHA", ""),
            own_code=name in _OWN_CODE,
        )
    base, head = _table(pull.get("base")), _table(pull.get("head"))
    # A fork that was deleted meanwhile has no repository any more: not ours.
    of_ours = _text(_table(head.get("repo")).get("full_name")).lower() == repository.lower()
    number = pull.get("number")
    return Event(
        name=name,
        repository=repository,
        number=number if isinstance(number, int) else None,
        base=_text(base.get("sha")),
        head=_text(head.get("sha")),
        own_code=name in _OWN_CODE and of_ours,
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return _table(json.loads(file.read(_EVENT_BYTES)))
    except (OSError, ValueError) as problem:
        raise UsageError(f"the event in GITHUB_EVENT_PATH cannot be read: {problem}") from problem


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
