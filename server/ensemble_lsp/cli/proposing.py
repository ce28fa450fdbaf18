"""What the commands that change something share: run the job, show the diff, and write it when asked to."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ensemble_lsp.cli.branching.landing import Landed, Plan, beside, land, plan, require_standing
from ensemble_lsp.cli.branching.message import Account
from ensemble_lsp.cli.branching.options import Branching
from ensemble_lsp.cli.failures import DONE, WITHOUT_RESULT, NotApplied, exit_status, failure_lines
from ensemble_lsp.cli.formats.choosing import Format
from ensemble_lsp.cli.options import Common
from ensemble_lsp.cli.prompts import refuse, there_is_a_terminal
from ensemble_lsp.cli.render import json_document, print_document, print_end, print_findings, print_proposal
from ensemble_lsp.cli.reporting import report_of, show_report
from ensemble_lsp.cli.running import Ended, Request, run_async, run_job
from ensemble_lsp.cli.terminal import consoles, one_line, write_text
from ensemble_lsp.cli.writing import write_changes
from ensemble_lsp.core.events import Status
from ensemble_lsp.core.proposals import Proposal, Standing
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import OutcomeNote

CheckOption = Annotated[
    str | None,
    typer.Option(
        "--check",
        metavar="CMD",
        help="Command, or id of a configured check, that decides. It runs in the sandbox, in any folder.",
    ),
]
ApplyOption = Annotated[bool, typer.Option("--apply", help="Write the chosen patch.")]


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of the patch beside being shown."""

    written: tuple[Path, ...] = ()
    landed: Landed | None = None
    problem: NotApplied | None = None


def propose(
    request: Request,
    common: Common,
    *,
    apply: bool,
    form: Format = "text",
    branching: Branching = Branching(),  # noqa: B008  (frozen)
) -> typer.Exit:
    """Run a job that ends in a patch and return how the command ends: 1 when nothing came out.

    The diff goes to standard output, everything that stands beside it to standard error. In another form than text
    the findings go to standard output, and the patch is the fix of those whose lines it changes.
    """
    branching.require_sense(apply=apply)
    wanted = _planned(request, common, branching)
    ended = run_job(request, common)
    out, err = consoles()
    result = ended.result
    proposal = result.proposal
    code = exit_status(result)
    told = result.status is Status.NOTHING or any(finding.admitted for finding in result.findings)
    if proposal is None and code == DONE and not told:
        code = WITHOUT_RESULT
    if form not in {"text", "json"}:
        show_report(report_of(request, ended, code), ended, form, ())
    elif not common.as_json:
        print_findings(result.findings, err)
        print_document(result.document, err)
        if proposal is not None:
            print_proposal(proposal, out, err)
        print_end(ended, err)
    done = _Done()
    if proposal is not None and (apply or wanted is not None):
        done = _carried_out(request, common, proposal, ended, wanted)
        code = done.problem.exit_code if done.problem is not None else code
    _say_what_was_done(done, err)
    if common.as_json:
        write_text(
            out,
            json_document(ended, code=code, written=done.written, problem=done.problem, landed=done.landed),
        )
    return typer.Exit(code)


def _planned(request: Request, common: Common, branching: Branching) -> Plan | None:
    """Return what becomes of the patch; refused here, before anybody is asked or paid."""
    may_push = True
    if branching.pull_request and not common.trust:
        asks = there_is_a_terminal() and not (common.quiet or common.as_json)
        may_push = asks or run_async(_is_trusted(request.workspace))
    return plan(
        request.workspace, branching, tuple(target.path for target in request.targets), may_push=may_push
    )


def _carried_out(
    request: Request, common: Common, proposal: Proposal, ended: Ended, wanted: Plan | None
) -> _Done:
    try:
        if wanted is None:
            done = _Done(written=_apply(request.workspace, proposal, force=common.yes))
        else:
            landed = _land(request, common, proposal, ended, wanted)
            done = _Done(landed=landed, problem=landed.problem)
    except NotApplied as refusal:
        return _Done(problem=refusal)
    run_async(_learn(OutcomeNote(job=ended.job, outcome="accepted", candidate=proposal.chosen.id)))
    return done


def _apply(workspace: Path, proposal: Proposal, *, force: bool) -> tuple[Path, ...]:
    if proposal.standing is Standing.UNVERIFIED and not force:
        raise NotApplied("not applied: nothing verified this patch", hint="--yes applies it all the same")
    return write_changes(workspace, proposal.chosen.changes)


def _land(request: Request, common: Common, proposal: Proposal, ended: Ended, wanted: Plan) -> Landed:
    require_standing(wanted, proposal)
    account = Account(
        job=ended.job,
        action=request.action.value,
        reason=ended.result.reason.partition("\n")[0],
        proposal=proposal,
        spend=ended.result.spend,
        dissent=ended.result.dissent,
        not_committed=beside(wanted, proposal),
    )
    trusted = common.trust or (wanted.to is not None and run_async(_is_trusted(request.workspace)))
    return land(wanted, account, lambda question: _agreed(question, common), trusted=trusted)


def _agreed(question: str, common: Common) -> bool:
    _, err = consoles()
    if common.yes:
        err.print(f"{one_line(question)} yes (--yes)", soft_wrap=True)
        return True
    return there_is_a_terminal() and typer.confirm(one_line(question), default=False, err=True)


async def _is_trusted(workspace: Path) -> bool:
    async with LocalEngine.open(refuse) as engine:
        return await engine.wiring.trust.is_trusted(workspace)


async def _learn(note: OutcomeNote) -> None:
    async with LocalEngine.open(refuse) as engine:
        await engine.wiring.record_outcome(note)


def _say_what_was_done(done: _Done, err: Console) -> None:
    for path in done.written:
        err.print(f"wrote {one_line(str(path))}", style="green", soft_wrap=True)
    if done.landed is not None:
        _say_where_it_landed(done.landed, err)
    if done.problem is not None:
        message, hint = failure_lines(done.problem)
        err.print(message, style="yellow", soft_wrap=True)
        if hint:
            err.print(f"  {hint}", soft_wrap=True)


def _say_where_it_landed(landed: Landed, err: Console) -> None:
    branch = one_line(landed.branch)
    err.print(
        f"committed {landed.commit[:12]} on the new branch {branch}; files and the current branch are as they were",
        style="green",
        soft_wrap=True,
    )
    if landed.unsigned:
        err.print(
            "  not signed: the repository's own configuration names the signing; "
            f"git commit --amend --no-edit -S on {branch} signs it",
            style="yellow",
            soft_wrap=True,
        )
    if landed.url and landed.pushed:
        how = "there was a pull request already" if landed.existed else "opened"
        err.print(f"{how}: {one_line(landed.url)}", style="green", soft_wrap=True)
