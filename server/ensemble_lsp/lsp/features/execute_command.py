"""`workspace/executeCommand` and the custom requests: each argument parsed, then one small function a command."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.core.results import Task
from ensemble_lsp.engine.messages import JobContinue, JobListQuery, JobOptions, PanelQuery
from ensemble_lsp.lsp import arguments
from ensemble_lsp.lsp.convert import diagnostic_in, line_range

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

Command = Callable[["EnsembleServer", dict[str, object]], Awaitable[object]]


class ProposalTextArgument(Frozen):
    """`ensemble/proposalText`."""

    proposal: str
    uri: str
    hunks: tuple[str, ...] | None = None
    candidate: str | None = None


def register(server: "EnsembleServer") -> None:
    """Announce the commands; pygls reads their names from here and dispatches to `execute`."""
    for name in COMMANDS:
        server.protocol.fm.commands[name] = execute


async def execute(server: "EnsembleServer", command: str, argument: dict[str, object]) -> object:
    """Run one command; raises `UsageError` for one that does not exist."""
    handler = COMMANDS.get(command)
    if handler is None:
        raise UsageError(f"no command {command!r}", field="command")
    return await handler(server, argument)


async def _review(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.ReviewArgument.model_validate(argument)
    if parsed.scope == "file":
        parsed = parsed.model_copy(update={"range": None})
    return _start(server, Action.REVIEW, parsed)


async def _fix(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.FixArgument.model_validate(argument)
    finding = server.findings.find(parsed.finding).here if parsed.finding else None
    _, path = server.folders.path_in(parsed.uri)
    extra: dict[str, object] = {
        "diagnostics": tuple(diagnostic_in(item, path) for item in parsed.diagnostics),
        "finding": finding,
    }
    return _start(server, Action.FIX, parsed, extra)


async def _explain(server: "EnsembleServer", argument: dict[str, object]) -> object:
    return _start(server, Action.EXPLAIN, arguments.ExplainArgument.model_validate(argument))


async def _debate(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.DebateArgument.model_validate(argument)
    return _start(server, Action.DEBATE, parsed.model_copy(update={"mode": parsed.mode or Mode.DEBATE}))


def _start(
    server: "EnsembleServer",
    action: Action,
    argument: arguments.JobArgument,
    extra: dict[str, object] | None = None,
) -> dict[str, object]:
    root, path = server.folders.path_in(argument.uri)
    fields: dict[str, object] = {
        "action": action,
        "path": path,
        "range": line_range(argument.range),
        "instruction": argument.instruction,
        "check": argument.check,
        **(extra or {}),
    }
    if argument.mode is not None:
        fields["mode"] = argument.mode
    if argument.rounds is not None:
        fields["rounds"] = argument.rounds
    overrides: dict[str, object] = {}
    if argument.budget is not None:
        overrides["budget"] = argument.budget.model_dump(by_alias=False, exclude_none=True)
    options = JobOptions(panel=argument.panel, overrides=overrides)
    return {"job": server.jobs.start(Task.model_validate(fields), root, options)}


async def _continue(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.ContinueArgument.model_validate(argument)
    kept = await server.engine.transcript(parsed.job)
    task = kept.task.model_copy(update={"mode": Mode(parsed.mode)})
    request = JobContinue(job=parsed.job, new_job=server.jobs.new_id(), mode=Mode(parsed.mode))
    return {"job": server.jobs.go_on(request, task, Path(kept.summary.workspace))}


async def _decide(server: "EnsembleServer", argument: dict[str, object]) -> object:
    job = arguments.JobReference.model_validate(argument).job
    server.jobs.find(job)
    await server.engine.decide(job)
    return {"job": job}


async def _cancel(server: "EnsembleServer", argument: dict[str, object]) -> object:
    job = arguments.JobReference.model_validate(argument).job
    server.jobs.cancel(job)
    return {"job": job}


async def _apply(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.ApplyArgument.model_validate(argument)
    kept = server.proposals.find(parsed.proposal)
    hunks = None if parsed.hunks is None else frozenset(parsed.hunks)
    if hunks is not None:
        known = {
            each.id for file in server.proposals.live_files(kept, parsed.candidate) for each in file.hunks
        }
        if unknown := sorted(hunks - known):
            raise UnknownItem(f"no hunk {unknown[0]!r} in this proposal", field="hunks")
    return (await server.applier.apply(kept, hunks, parsed.candidate)).to_wire()


async def _reject(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.RejectArgument.model_validate(argument)
    hunks = None if parsed.hunks is None else frozenset(parsed.hunks)
    server.applier.reject(server.proposals.find(parsed.proposal), hunks)
    return {}


async def _dismiss(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.DismissArgument.model_validate(argument)
    server.dismiss(parsed.finding, parsed.reason)
    return {}


async def _panel(server: "EnsembleServer", argument: dict[str, object]) -> object:
    arguments.NoArgument.model_validate(argument)
    root = server.folders.first()
    query = PanelQuery(workspace=str(root), trusted=server.is_trusted(root), settings=server.settings)
    return (await server.engine.panel(query)).to_wire()


async def _jobs(server: "EnsembleServer", argument: dict[str, object]) -> object:
    arguments.NoArgument.model_validate(argument)
    return (await server.engine.jobs(JobListQuery())).to_wire()


COMMANDS: dict[str, Command] = {
    "ensemble.review": _review,
    "ensemble.fix": _fix,
    "ensemble.explain": _explain,
    "ensemble.debate": _debate,
    "ensemble.continue": _continue,
    "ensemble.decide": _decide,
    "ensemble.cancel": _cancel,
    "ensemble.apply": _apply,
    "ensemble.reject": _reject,
    "ensemble.dismiss": _dismiss,
    "ensemble.panel": _panel,
    "ensemble.jobs": _jobs,
}


def proposal_text(server: "EnsembleServer", params: object) -> dict[str, object]:
    """Answer `ensemble/proposalText`: the whole file as it would be."""
    parsed = ProposalTextArgument.model_validate(params)
    kept = server.proposals.find(parsed.proposal)
    for file in server.proposals.live_files(kept, parsed.candidate):
        if file.uri == parsed.uri:
            text = server.proposals.text_after(kept, file, parsed.candidate, parsed.hunks)
            return {
                "text": "" if text is None else text.text,
                "version": file.version,
                "revision": kept.revision,
            }
    raise UnknownItem(f"the proposal does not touch {parsed.uri}", field="uri")


async def transcript(server: "EnsembleServer", params: object) -> dict[str, object]:
    """Answer `ensemble/job`: everything kept of one job."""
    return (await server.engine.transcript(arguments.JobReference.model_validate(params).job)).to_wire()
