"""What a review leaves at a pull request: one summary that is written anew, and suggestions that are made once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from ensemble_lsp.cli.formats.suggestions import Suggestion
from ensemble_lsp.cli.github.api import GitHub, GitHubError, Json

_TRIES = 3
"""Times that a comment is looked for and made, when nobody can tell whether making it worked."""


@dataclass(frozen=True, slots=True)
class Posted:
    """How many suggestions were made, were there already, and could not be made."""

    made: int = 0
    known: int = 0
    refused: int = 0


def put_summary(github: GitHub, number: int, marker: str, body: str) -> int:
    """Write the one summary of a pull request, over an earlier one of ours; returns the comment's id.

    `marker` is the first line of `body`, which it is found again by. A comment of somebody else that begins with the
    marker is left alone. Raises `GitHubError`.
    """
    me = github.login()
    for attempt in range(_TRIES):
        found = next(_ours(github.pages(f"issues/{number}/comments"), marker, me), None)
        if found is not None:
            if found.get("body") != body:
                github.patch(f"issues/comments/{int(found['id'])}", {"body": body})
            return int(found["id"])
        try:
            return int(github.post(f"issues/{number}/comments", {"body": body})["id"])
        except GitHubError as problem:
            if not problem.may_have_happened or attempt + 1 == _TRIES:
                raise
    raise AssertionError  # the last turn returns or raises


def put_suggestions(github: GitHub, number: int, commit: str, found: Sequence[Suggestion]) -> Posted:
    """Suggest changes on lines of a pull request, all in one review; those made before are left as they are.

    `commit` is the one that was reviewed. Raises `GitHubError`.
    """
    me = github.login()
    there = list(github.pages(f"pulls/{number}/comments"))
    new = [item for item in found if next(_ours(iter(there), item.marker, me), None) is None]
    known = len(found) - len(new)
    if not new:
        return Posted(known=known)
    comments = [_placed(item) for item in new]
    try:
        github.post(
            f"pulls/{number}/reviews",
            {"commit_id": commit, "event": "COMMENT", "body": "", "comments": comments},
        )
    except GitHubError as problem:
        if problem.status != 422:
            raise
    else:
        return Posted(made=len(new), known=known)
    # One place outside of the diff spoils the whole review: then each by itself.
    made = 0
    for comment in comments:
        try:
            github.post(f"pulls/{number}/comments", {"commit_id": commit, **comment})
            made += 1
        except GitHubError as problem:
            if problem.status != 422:
                raise
    return Posted(made=made, known=known, refused=len(new) - made)


def _placed(item: Suggestion) -> dict[str, object]:
    place: dict[str, object] = {"path": item.path, "line": item.last, "side": "RIGHT", "body": item.body}
    if item.first < item.last:
        place |= {"start_line": item.first, "start_side": "RIGHT"}
    return place


def _ours(comments: Iterator[Json], marker: str, me: str | None) -> Iterator[Json]:
    """Yield the comments that begin with the marker and were written with a token like ours.

    A workflow's token does not know its own name: then it is a bot's, since no person's comment can be one.
    """
    for comment in comments:
        user = cast("Json", comment.get("user") or {})
        mine = user.get("login") == me if me is not None else user.get("type") == "Bot"
        if mine and str(comment.get("body", "")).startswith(marker):
            yield comment
