"""`textDocument/codeAction`: menus, not meals. Answers from memory, calls no model, reads no disk."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lsprotocol import types

from ensemble_lsp.core.commit_messages import is_commit_message
from ensemble_lsp.core.proposals import Standing
from ensemble_lsp.core.surroundings import Surroundings, surroundings
from ensemble_lsp.core.tracebacks import is_of_traceback
from ensemble_lsp.lsp.convert import SOURCE
from ensemble_lsp.lsp.presenting import headline

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

REVIEW_FILE = "source.ensemble.review"
REVIEW_RANGE = "refactor.ensemble.review"
FIX = "refactor.rewrite.ensemble.fix"
EXPLAIN = "refactor.ensemble.explain"
TEST = "refactor.ensemble.test"
SECURE = "refactor.rewrite.ensemble.secure"
LOCATE = "refactor.ensemble.locate"
REFACTOR = "refactor.rewrite.ensemble.refactor"
DEBATE = "refactor.ensemble.debate"
REWRITE = "refactor.rewrite.ensemble.rewrite"

KINDS = (
    types.CodeActionKind.QuickFix,
    REVIEW_FILE,
    REVIEW_RANGE,
    FIX,
    EXPLAIN,
    TEST,
    SECURE,
    LOCATE,
    REFACTOR,
    DEBATE,
    REWRITE,
)

TITLE_LENGTH = 60
"""Characters of a diagnostic's message in a title: menus are narrow."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One action, before it is decided whether the client wants its kind."""

    title: str
    kind: str
    command: str
    argument: dict[str, object]
    diagnostics: Sequence[types.Diagnostic] = ()
    preferred: bool = False


def register(server: "EnsembleServer") -> None:
    """Offer the actions to the client."""

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=False),
    )
    def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        return actions(server, params)


def actions(server: "EnsembleServer", params: types.CodeActionParams) -> list[types.CodeAction]:
    """Return what can be done here, filtered by `context.only`."""
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    automatic = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
    tags = [types.CodeActionTag.LlmGenerated] if server.view.llm_tag else None
    return [
        types.CodeAction(
            title=offer.title,
            kind=offer.kind,
            diagnostics=list(offer.diagnostics) or None,
            is_preferred=True if offer.preferred else None,
            command=types.Command(title=offer.title, command=offer.command, arguments=[offer.argument]),
            tags=tags,
        )
        for offer in _offers(server, params)
        if _wanted(offer.kind, only) and not (automatic and offer.kind == REVIEW_FILE)
    ]


def _wanted(kind: str, only: Sequence[str]) -> bool:
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") or not wanted for wanted in only)


def _offers(server: "EnsembleServer", params: types.CodeActionParams) -> Iterator[Offer]:
    uri = params.text_document.uri
    span = params.range
    ours = [item for item in params.context.diagnostics if item.source == SOURCE]
    others = [item for item in params.context.diagnostics if item.source != SOURCE]
    for kept, file in server.proposals.touching(uri):
        if not (applicable := file.applicable()):
            continue
        here = any(
            hunk.old_start <= span.end.line and span.start.line <= max(hunk.old_start, hunk.old_end - 1)
            for hunk in applicable
        )
        verified = kept.proposal.standing is Standing.VERIFIED and not kept.proposal.weak
        yield Offer(
            f"Ensemble: apply fix — {headline(kept.proposal)}",
            types.CodeActionKind.QuickFix.value,
            "ensemble.apply",
            {"proposal": kept.proposal.id},
            preferred=here and verified,
        )
    for diagnostic in others:
        yield Offer(
            f'Ensemble: fix "{_short(diagnostic.message)}"',
            types.CodeActionKind.QuickFix.value,
            "ensemble.fix",
            {"uri": uri, "range": _range(diagnostic.range), "diagnostics": [_diagnostic(diagnostic)]},
            (diagnostic,),
        )
    for tracked in server.findings.of(uri):
        if tracked.touches(span.start.line, span.end.line):
            mine = [item for item in ours if item.data == tracked.finding.id]
            yield Offer(
                f'Ensemble: fix "{_short(tracked.finding.title)}"',
                types.CodeActionKind.QuickFix.value,
                "ensemble.fix",
                {"uri": uri, "range": _lines(tracked.start, tracked.end), "finding": tracked.finding.id},
                mine,
            )
            yield Offer(
                "Ensemble: dismiss this finding",
                types.CodeActionKind.QuickFix.value,
                "ensemble.dismiss",
                {"finding": tracked.finding.id},
                mine,
            )
    yield from _jobs(server, uri, span)


def _jobs(server: "EnsembleServer", uri: str, span: types.Range) -> Iterator[Offer]:
    """Offer what starts a job on the lines of the range, by what stands there."""
    where: dict[str, object] = {"uri": uri, "range": _range(span)}
    around = _surroundings(server, uri, span)
    selected = span.start != span.end
    somewhere = selected or around.definition is not None
    asks = server.view.input
    if somewhere:
        yield Offer("Ensemble: fix…", FIX, "ensemble.fix", where)
    yield Offer(
        "Ensemble: review selection" if selected else "Ensemble: review function",
        REVIEW_RANGE,
        "ensemble.review",
        {**where, "scope": "range"},
    )
    yield Offer("Ensemble: review file", REVIEW_FILE, "ensemble.review", {"uri": uri, "scope": "file"})
    if somewhere:
        yield Offer("Ensemble: explain", EXPLAIN, "ensemble.explain", where)
        yield Offer("Ensemble: secure", SECURE, "ensemble.secure", where)
    if around.definition is not None and not around.in_test:
        name = _short(around.definition.name)
        yield Offer(f"Ensemble: write tests for `{name}`", TEST, "ensemble.test", where)
    if around.in_test:
        yield Offer("Ensemble: locate the bug of a failing test", LOCATE, "ensemble.locate", where)
    if selected and _is_report(server, uri, span):
        report: dict[str, object] = {**where, "report": "selection"}
        yield Offer("Ensemble: locate the bug of this traceback", LOCATE, "ensemble.locate", report)
    if asks and somewhere:
        yield Offer("Ensemble: refactor…", REFACTOR, "ensemble.refactor", where)
    if asks:
        yield Offer("Ensemble: ask the panel…", DEBATE, "ensemble.debate", where)
    if around.prose and (asks or is_commit_message(urlsplit(uri).path)):
        yield Offer("Ensemble: rewrite this text", REWRITE, "ensemble.rewrite", where)


def _surroundings(server: "EnsembleServer", uri: str, span: types.Range) -> Surroundings:
    """Return what the range stands in, from the open document alone."""
    document = server.documents.get(uri)
    if document is None:
        return Surroundings()
    last = document.index.line_count - 1
    first = min(span.start.line, last)
    end = span.end.line - 1 if span.end.character == 0 and span.end.line > span.start.line else span.end.line
    return surroundings(document.line, first, min(max(first, end), last), uri, document.language)


def _is_report(server: "EnsembleServer", uri: str, span: types.Range) -> bool:
    """Whether a selection holds a traceback or what a test runner printed; looks at its last lines."""
    document = server.documents.get(uri)
    if document is None:
        return False
    last = min(span.end.line, document.index.line_count - 1)
    return any(
        is_of_traceback(document.line(number)) for number in range(max(span.start.line, last - 80), last + 1)
    )


def _short(message: str) -> str:
    line = message.strip().splitlines()[0] if message.strip() else "this"
    return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"


def _range(span: types.Range) -> dict[str, object]:
    return {
        "start": {"line": span.start.line, "character": span.start.character},
        "end": {"line": span.end.line, "character": span.end.character},
    }


def _lines(start: int, end: int) -> dict[str, object]:
    return {"start": {"line": start, "character": 0}, "end": {"line": end + 1, "character": 0}}


def _diagnostic(diagnostic: types.Diagnostic) -> dict[str, object]:
    return {
        "range": _range(diagnostic.range),
        "message": diagnostic.message,
        "severity": int(diagnostic.severity) if diagnostic.severity else None,
        "source": diagnostic.source,
        "code": diagnostic.code,
    }
