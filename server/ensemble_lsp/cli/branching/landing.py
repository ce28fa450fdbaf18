"""From a patch to a branch, and to a pull request: what is asked before the job, and what is done after it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ensemble_lsp.cli.branching.body import pull_request_body
from ensemble_lsp.cli.branching.message import Account, commit_message, subject_of
from ensemble_lsp.cli.branching.opening import Draft, Opener, open_once, opener, token_for
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.branching.pushing import push
from ensemble_lsp.cli.branching.remotes import Destination, destination
from ensemble_lsp.cli.failures import NotApplied
from ensemble_lsp.cli.github.api import GitHubError
from ensemble_lsp.cli.github.event import read_event
from ensemble_lsp.context.git import call_git
from ensemble_lsp.context.git_changes import changes_since
from ensemble_lsp.context.git_commits import Start, commit_changes, require_committed, start_of
from ensemble_lsp.core.errors import TrustRequired, UsageError
from ensemble_lsp.core.proposals import Proposal, Standing

_ON_PULL_REQUESTS = frozenset({"pull_request", "pull_request_target", "issue_comment", "workflow_run"})


class NotPublished(NotApplied):
    """The commit stands on its branch, and the branch was not pushed or has no pull request."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to become of the patch, found possible before anything was paid for."""

    start: Start
    allow_unverified: bool
    to: Destination | None = None
    """Where it is pushed to; None: nowhere."""
    way: Opener | None = None
    base: str = ""
    draft: bool = False


@dataclass(frozen=True, slots=True)
class Landed:
    """What became of the patch. `problem` is what went wrong behind the commit."""

    branch: str
    commit: str
    parent: str
    unsigned: bool = False
    pushed: bool = False
    url: str = ""
    existed: bool = False
    problem: NotPublished | None = None

    def to_wire(self) -> dict[str, object]:
        """Return the value of `branch` in a JSON document."""
        found: dict[str, object] = {
            "name": self.branch,
            "commit": self.commit,
            "parent": self.parent,
            "signed": not self.unsigned,
            "pushed": self.pushed,
        }
        return found | ({"pullRequest": self.url} if self.url else {})


def plan(workspace: Path, branching: Branching, paths: tuple[str, ...], *, may_push: bool) -> Plan | None:
    """Return what is to be done with the patch, None for nothing; raises before anything is paid for.

    `paths` are the files that the job starts from; `may_push` is False where the folder is not trusted and cannot
    become so. Raises `UsageError` and `TrustRequired`.
    """
    if branching.branch is None:
        return None
    if branching.pull_request:
        _require_own_code()
        if not may_push:
            raise TrustRequired(
                "pushing runs what the repository's configuration names, and this folder is not trusted",
                hint="ensemble-lsp trust, or --trust for this job",
            )
    start = start_of(workspace, branching.branch)
    require_committed(start, paths)
    if not branching.pull_request:
        return Plan(start, branching.allow_unverified)
    to = destination(workspace, start.on, branching.remote, os.environ)
    way = opener(workspace, to, os.environ)
    base = branching.base or (start.on if _is_at(workspace, to, start.on) else "")
    if base == branching.branch:
        raise UsageError(
            "a branch cannot be merged into itself", field="--base", hint="choose another --base"
        )
    return Plan(start, branching.allow_unverified, to, way, base, branching.draft)


def require_standing(wanted: Plan, proposal: Proposal) -> None:
    """Raise `NotApplied` for a patch that nothing verified, unless the person allowed that."""
    if wanted.allow_unverified or (proposal.standing is Standing.VERIFIED and not proposal.weak):
        return
    why = "its check would miss most mistakes here" if proposal.weak else "nothing verified this patch"
    raise NotApplied(
        f"not committed: {why}", hint="--allow-unverified commits it all the same, and the message says so"
    )


def beside(wanted: Plan, proposal: Proposal) -> tuple[str, ...]:
    """Return the files that the checks saw otherwise than the base has them, the patch's own left out."""
    own = {change.path for change in proposal.chosen.changes}
    found = changes_since(wanted.start.workspace, wanted.start.commit)
    return tuple(sorted(change.path for change in found.changes if change.path not in own))


def land(wanted: Plan, account: Account, agree: Callable[[str], bool], *, trusted: bool) -> Landed:
    """Commit the patch, and push it and open the pull request where that is wanted.

    `agree` asks the person before something leaves the machine. Raises `NotApplied` when nothing was committed.
    """
    start = wanted.start
    try:
        made = commit_changes(start, account.proposal.chosen.changes, commit_message(account))
    except UsageError as problem:
        raise NotApplied(f"not committed: {problem.message}", hint=problem.hint) from problem
    landed = Landed(made.branch, made.commit, start.commit, made.unsigned)
    if wanted.to is None:
        return landed
    by_hand = f"git push {wanted.to.remote} {landed.branch}"
    if not trusted:
        return _stopped(landed, "not pushed: this folder is not trusted", by_hand)
    if not agree(_question(wanted, wanted.to)):
        return _stopped(landed, "not pushed: nobody agreed", f"--yes agrees; by hand: {by_hand}")
    return _published(landed, wanted, account, by_hand)


def _published(landed: Landed, wanted: Plan, account: Account, by_hand: str) -> Landed:
    to, way = wanted.to, wanted.way
    if to is None or way is None:
        return landed
    try:
        there = way.existing(landed.branch)
    except GitHubError as problem:
        return _stopped(landed, f"not pushed: {problem.message}", problem.hint or by_hand)
    if there:
        return _stopped(
            landed,
            f"not pushed: {landed.branch} has a pull request already, {there}",
            "choose another name",
            url=there,
        )
    pushed = push(wanted.start.workspace, landed.branch, to, token_for(to, os.environ))
    if pushed.problem:
        return _stopped(
            landed, f"not pushed: {pushed.problem}", f"{pushed.hint or 'try again'}; by hand: {by_hand}"
        )
    title, body = subject_of(account.proposal), pull_request_body(account)
    try:
        url, existed = open_once(way, Draft(landed.branch, wanted.base, title, body, wanted.draft))
    except GitHubError as problem:
        failed = _stopped(
            landed,
            f"pushed, but no pull request was opened: {problem.message}",
            f"{problem.hint + '; ' if problem.hint else ''}by hand: gh pr create --head {landed.branch}",
        )
        return replace(failed, pushed=True)
    return replace(landed, pushed=True, url=url, existed=existed)


def _stopped(landed: Landed, what: str, hint: str, url: str = "") -> Landed:
    told = NotPublished(f"{what}; the commit stands on {landed.branch}", hint=hint)
    return replace(landed, problem=told, url=url)


def _question(wanted: Plan, to: Destination) -> str:
    start = wanted.start
    into = f" into {wanted.base}" if wanted.base else ""
    more = _unpushed(start, to, wanted.base)
    along = f" with {more} commit{'s' if more > 1 else ''} of yours that it does not have yet" if more else ""
    return f"Push {start.branch}{along} to {to.repository} ({to.remote}) and open a pull request{into}?"


def _unpushed(start: Start, to: Destination, base: str) -> int:
    """Return how many commits below ours the pull request would bring along, as far as is known here."""
    there = f"refs/remotes/{to.remote}/{base or 'HEAD'}"
    counted = call_git(start.workspace, "rev-list", "--count", f"{there}..{start.commit}", "--")
    return int(counted.out or b"0") if counted.status == 0 else 0


def _is_at(workspace: Path, to: Destination, branch: str) -> bool:
    ref = f"refs/remotes/{to.remote}/{branch}"
    return bool(branch) and call_git(workspace, "show-ref", "--verify", "--quiet", ref).status == 0


def _require_own_code() -> None:
    """Refuse to push from a workflow that runs for somebody who may not write to the repository."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    event = read_event(os.environ)
    if event.name in _ON_PULL_REQUESTS and not event.own_code:
        raise UsageError(
            f"a workflow for {event.name} of a fork does not push: its code may be a stranger's",
            field="--pr",
            hint="push from a workflow for push, schedule or workflow_dispatch",
        )
