"""`workspace/executeCommand` and the custom requests: each argument parsed, then one small function a command."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ensemble_lsp.core.commit_messages import is_commit_message
from ensemble_lsp.core.errors import UnknownItem, UsageError
from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.results import Task
from ensemble_lsp.engine.messages import JobContinue, JobListQuery, JobOptions, PanelQuery
from ensemble_lsp.lsp import arguments
from ensemble_lsp.lsp.convert import diagnostic_in, line_range
from ensemble_lsp.lsp.document_uris import DocumentUri
from ensemble_lsp.lsp.messages import (
    CandidateParams,
    ListedJob,
    ListedJobs,
    ProposalText,
    ProposalTextParams,
    Shown,
)
from ensemble_lsp.lsp.proposal_params import proposal_params

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

Command = Callable[["EnsembleServer", dict[str, object]], Awaitable[object]]


QUESTIONS = {
    Action.REFACTOR: "What should be refactored, and how?",
    Action.DEBATE: "What should the panel discuss?",
    Action.REWRITE: "How should this text be rewritten?",
}
"""Actions that need an instruction, and how a person is asked for it."""

REPORT_LINES_AT_MOST = 2_000
"""Lines of a report of a fault that are read."""


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
    if parsed.base is not None and parsed.scope != "changes":
        raise UsageError("only changes are counted from a base", field="base")
    if parsed.scope in {"changes", "staged", "workspace"}:
        where: dict[str, object] = {"path": None, "range": None, "scope": parsed.scope, "base": parsed.base}
        return _start(server, Action.REVIEW, parsed, where, root=server.folders.root_of(parsed.uri))
    if parsed.scope == "range" and parsed.range is None:
        raise UsageError("the lines to review are missing", field="range")
    if parsed.scope == "file":
        parsed = parsed.model_copy(update={"range": None})
    return _start(server, Action.REVIEW, parsed)


async def _fix(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.FixArgument.model_validate(argument)
    _, path = server.folders.path_in(parsed.uri)
    finding = None
    if parsed.finding:
        tracked = server.findings.find(parsed.finding)
        # Where it is now: its file may have another name since it was found.
        here = {"path": path} if tracked.uri == parsed.uri else {}
        finding = tracked.here.model_copy(update=here)
    extra: dict[str, object] = {
        "diagnostics": tuple(diagnostic_in(item, path) for item in parsed.diagnostics),
        "finding": finding,
    }
    return _start(server, Action.FIX, parsed, extra)


async def _explain(server: "EnsembleServer", argument: dict[str, object]) -> object:
    return _start(server, Action.EXPLAIN, arguments.ExplainArgument.model_validate(argument))


async def _test(server: "EnsembleServer", argument: dict[str, object]) -> object:
    return _start(server, Action.TEST, arguments.TestArgument.model_validate(argument))


async def _secure(server: "EnsembleServer", argument: dict[str, object]) -> object:
    return _start(server, Action.SECURE, arguments.SecureArgument.model_validate(argument))


async def _locate(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.LocateArgument.model_validate(argument)
    if parsed.report is None:
        return _start(server, Action.LOCATE, parsed)
    told = parsed.instruction
    if parsed.report == "selection":
        told = "\n\n".join(part for part in (told, _selected(server, parsed)) if part.strip())
        if not told:
            raise UsageError(
                "there is no text to go by", field="range", hint="select a traceback or a report"
            )
    report = parsed.model_copy(update={"instruction": told, "range": None})
    folders = server.folders
    # Asked again, a search without a file names the folder itself.
    root = folders.root_of(parsed.uri) if parsed.uri.startswith("file:") else folders.path_in(parsed.uri)[0]
    if root not in folders.roots().values():
        # A log that lies elsewhere speaks of the folder that is open.
        root = next(iter(folders.roots().values()), root)
    return _start(server, Action.LOCATE, report, {"path": None}, root=root, question="What goes wrong?")


def _selected(server: "EnsembleServer", argument: arguments.JobArgument) -> str:
    """Return whole lines of a document as it is in the editor, else on the disk."""
    document = server.documents.get(argument.uri)
    if document is None:
        document = server.folders.read_document(argument.uri, server.documents.encoding)
    lines = line_range(argument.range)
    first, end = (lines.start, lines.end) if lines is not None else (0, document.index.line_count)
    last = min(end, document.index.line_count, first + REPORT_LINES_AT_MOST)
    return "\n".join(document.line(number).rstrip("\r\n") for number in range(first, last))


async def _refactor(server: "EnsembleServer", argument: dict[str, object]) -> object:
    return _start(server, Action.REFACTOR, arguments.RefactorArgument.model_validate(argument))


async def _rewrite(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.RewriteArgument.model_validate(argument)
    if parsed.commit is not None:
        server.folders.place_message(parsed.uri, parsed.commit)
    return _start(server, Action.REWRITE, parsed)


async def _debate(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.DebateArgument.model_validate(argument)
    return _start(server, Action.DEBATE, parsed.model_copy(update={"mode": parsed.mode or Mode.DEBATE}))


def _start(
    server: "EnsembleServer",
    action: Action,
    argument: arguments.JobArgument,
    extra: dict[str, object] | None = None,
    *,
    root: Path | None = None,
    question: str | None = None,
) -> dict[str, object]:
    """Start a job on a document, or with `root` on a workspace folder."""
    path: str | None = None
    if root is None:
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
    # How a commit message should read is known without being told.
    is_known = action is Action.REWRITE and is_commit_message(path or "")
    question = None if argument.instruction.strip() or is_known else question or QUESTIONS.get(action)
    if question is not None and not server.view.input:
        raise UsageError(
            f"`ensemble.{action.value}` needs an instruction",
            field="instruction",
            hint="this editor cannot be asked for one",
        )
    return {"job": server.jobs.start(Task.model_validate(fields), root, options, question=question)}


async def _continue(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.ContinueArgument.model_validate(argument)
    kept = await server.engine.transcript(parsed.job)
    task = kept.task.model_copy(update={"mode": Mode(parsed.mode)})
    root = Path(kept.summary.workspace)
    request = JobContinue(
        job=parsed.job,
        new_job=server.jobs.new_id(),
        mode=Mode(parsed.mode),
        # Trust that was taken back since must not live on in what goes on from a trusted job.
        trusted=server.is_trusted(root) if server.folders.client_trusts else None,
        settings=server.configuration.settings_for(root),
    )
    return {"job": server.jobs.go_on(request, task, root)}


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
    return (await server.applier.apply(kept, hunks, parsed.candidate)).to_wire()


async def _reject(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.RejectArgument.model_validate(argument)
    hunks = None if parsed.hunks is None else frozenset(parsed.hunks)
    server.applier.reject(server.proposals.find(parsed.proposal), hunks)
    return {}


async def _dismiss(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.DismissArgument.model_validate(argument)
    await server.dismissals.dismiss(parsed.finding, parsed.reason)
    return {}


async def _dismissals(server: "EnsembleServer", argument: dict[str, object]) -> object:
    arguments.NoArgument.model_validate(argument)
    return (await server.dismissals.listed()).to_wire()


async def _restore(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.RestoreArgument.model_validate(argument)
    return (await server.dismissals.restore(parsed.id)).to_wire()


async def _panel(server: "EnsembleServer", argument: dict[str, object]) -> object:
    arguments.NoArgument.model_validate(argument)
    root = server.folders.first()
    await server.configuration.settled()
    settings = server.configuration.settings_for(root)
    query = PanelQuery(
        workspace=str(root),
        trusted=server.is_trusted(root),
        trust_kept=not server.folders.client_trusts,
        settings=settings,
    )
    return (await server.engine.panel(query)).to_wire()


async def _jobs(server: "EnsembleServer", argument: dict[str, object]) -> object:
    arguments.NoArgument.model_validate(argument)
    found = await server.engine.jobs(JobListQuery())
    listed = [
        ListedJob(**each.model_dump(), uri=str(DocumentUri.of_transcript(each.job))) for each in found.jobs
    ]
    return ListedJobs(jobs=tuple(listed)).to_wire()


async def _show(server: "EnsembleServer", argument: dict[str, object]) -> object:
    parsed = arguments.ShowArgument.model_validate(argument)
    return Shown(uri=await server.shown.show(parsed.job, parsed.document)).to_wire()


COMMANDS: dict[str, Command] = {
    "ensemble.review": _review,
    "ensemble.fix": _fix,
    "ensemble.explain": _explain,
    "ensemble.test": _test,
    "ensemble.secure": _secure,
    "ensemble.locate": _locate,
    "ensemble.refactor": _refactor,
    "ensemble.rewrite": _rewrite,
    "ensemble.debate": _debate,
    "ensemble.continue": _continue,
    "ensemble.decide": _decide,
    "ensemble.cancel": _cancel,
    "ensemble.apply": _apply,
    "ensemble.reject": _reject,
    "ensemble.dismiss": _dismiss,
    "ensemble.dismissals": _dismissals,
    "ensemble.restore": _restore,
    "ensemble.panel": _panel,
    "ensemble.jobs": _jobs,
    "ensemble.show": _show,
}


def proposal_text(server: "EnsembleServer", params: object) -> dict[str, object]:
    """Answer `ensemble/proposalText`: the whole file as it would be."""
    parsed = ProposalTextParams.model_validate(params)
    kept = server.proposals.find(parsed.proposal)
    for file in server.proposals.live_files(kept, parsed.candidate):
        if file.uri == parsed.uri:
            text = server.proposals.text_after(kept, file, parsed.candidate, parsed.hunks)
            return ProposalText(
                text="" if text is None else text.text, version=file.version, revision=kept.revision
            ).to_wire()
    raise UnknownItem(f"the proposal does not touch {parsed.uri}", field="uri")


def candidate(server: "EnsembleServer", params: object) -> dict[str, object]:
    """Answer `ensemble/candidate`: the proposal as it would be sent if that candidate were the chosen one."""
    parsed = CandidateParams.model_validate(params)
    kept = server.proposals.find(parsed.proposal)
    return proposal_params(kept, server.proposals, parsed.candidate).to_wire()


async def transcript(server: "EnsembleServer", params: object) -> dict[str, object]:
    """Answer `ensemble/job`: everything kept of one job."""
    return (await server.engine.transcript(arguments.JobReference.model_validate(params).job)).to_wire()
