"""The action's second step: what the review said, as a summary page, one comment and suggestions. It has the token."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from ensemble_lsp.cli.formats.markdown import Link, markdown, marker
from ensemble_lsp.cli.formats.report import Report, prefix_of
from ensemble_lsp.cli.formats.suggestions import suggestions
from ensemble_lsp.cli.formats.workflow_commands import command
from ensemble_lsp.cli.github.api import PUBLIC_API, GitHub, GitHubError
from ensemble_lsp.cli.github.comments import put_suggestions, put_summary
from ensemble_lsp.cli.github.event import Event, read_event
from ensemble_lsp.cli.github.outputs import add_summary
from ensemble_lsp.cli.github.reviewing import results_folder, workspace
from ensemble_lsp.context.git_changes import commit_of
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.proposals import Proposal
from ensemble_lsp.core.results import JobResult


def publish_step(environment: Mapping[str, str]) -> int:
    """Publish what the review left in its folder; returns 0 also when GitHub refuses, with a warning in the log.

    A token that may not write, as a fork's pull request has it, is the usual reason: the review is no worse for it.
    """
    event = read_event(environment)
    place = workspace(environment)
    document = results_folder(environment) / "review.json"
    if not document.is_file():
        _tell("notice", "Nothing to publish: the review ended before it had a result")
        return 0
    report = kept_report(document, place)
    key = environment.get("INPUT_KEY", "").strip()
    head = commit_of(place, "HEAD")
    text = markdown(report, key=key, link=_links(environment, head))
    add_summary(environment, text)
    token = environment.get("INPUT_TOKEN", "")
    if event.number is None or not token:
        return 0
    try:
        api = environment.get("GITHUB_API_URL") or PUBLIC_API
        with GitHub(event.repository, token, api=api) as github:
            if _wanted(environment, "COMMENT"):
                put_summary(github, event.number, marker(key), text)
            if _wanted(environment, "SUGGESTIONS"):
                _suggest(github, event, event.number, head, report)
    except GitHubError as problem:
        _tell("warning", f"{problem.message}. {problem.hint}")
    return 0


def kept_report(document: Path, place: Path) -> Report:
    """Read the document of `review --json` back as a report."""
    data = cast("dict[str, Any]", json.loads(document.read_text(encoding="utf-8")))
    fixes = {
        str(finding): Proposal.model_validate(fix["proposal"])
        for finding, fix in cast("dict[str, Any]", data.get("fixes", {})).items()
    }
    names = {field.alias or name for name, field in JobResult.model_fields.items()} - {"error"}
    result = JobResult.model_validate({key: value for key, value in data.items() if key in names})
    return Report(
        job=str(data["job"]),
        action=Action.REVIEW,
        result=result,
        code=int(data["exitCode"]),
        workspace=place,
        prefix=prefix_of(place),
        fixes=fixes,
    )


def _suggest(github: GitHub, event: Event, number: int, head: str, report: Report) -> None:
    found = suggestions(report)
    if not found:
        return
    if head != event.head:
        _tell(
            "notice",
            "No suggestions: they need the head of the pull request checked out, not its merge "
            "(actions/checkout with ref: ${{ github.event.pull_request.head.sha }})",
        )
        return
    now = github.get(f"pulls/{number}").get("head", {}).get("sha")
    if now != head:
        _tell("notice", "No suggestions: the pull request has moved on since it was checked out")
        return
    posted = put_suggestions(github, number, head, found)
    if posted.refused:
        _tell("notice", f"{posted.refused} suggestions lie outside of what the pull request shows")


def _links(environment: Mapping[str, str], commit: str) -> Link:
    server = environment.get("GITHUB_SERVER_URL") or "https://github.com"
    home = f"{server}/{environment.get('GITHUB_REPOSITORY', '')}/blob/{commit}"

    def link(path: str, first: int, last: int) -> str:
        return f"{home}/{quote(path, safe='/')}#L{first}{f'-L{last}' if last > first else ''}"

    return link


def _wanted(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(f"INPUT_{name}", "").strip().lower() == "true"


def _tell(level: str, text: str) -> None:
    print(command(level, {"title": "Ensemble review"}, text), flush=True)  # noqa: T201  (the runner reads it)
