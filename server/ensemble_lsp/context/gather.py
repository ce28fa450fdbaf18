"""From a task to what may be put in front of the models, within a token budget, secrets taken out.

Everything is deterministic and in the same order for the same files, so that the providers' prompt caches hit.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ensemble_lsp.context.allowance import Allowance
from ensemble_lsp.context.definition_index import DefinitionIndex, test_file
from ensemble_lsp.context.editor_places import EditorPlaces
from ensemble_lsp.context.focus import Focus, choose_focus, split_by_focus, target_of
from ensemble_lsp.context.grammars import language_of
from ensemble_lsp.context.home_of_tests import style_of_home
from ensemble_lsp.context.import_targets import FileTable
from ensemble_lsp.context.instructions import repository_instructions
from ensemble_lsp.context.new_files import new_file_judge
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.context.references import FILES_SHOWN, ReferenceSearch
from ensemble_lsp.context.related import RelatedSearch
from ensemble_lsp.context.sheets import Sheet, Sheets
from ensemble_lsp.context.skeleton import Outline
from ensemble_lsp.context.workspace_files import workspace_files
from ensemble_lsp.core.editor_context import EditorContext
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.framework import Framework, NoFramework
from ensemble_lsp.ensemble.ports import Dossier, Excerpt
from ensemble_lsp.frameworks.finding import find_framework
from ensemble_lsp.frameworks.project import ProjectFiles
from ensemble_lsp.settings import ContextTable

# Shares of the budget. A whole file saves the outline, so it may be larger than a part.
_WHOLE_SHARE = 0.70
_PART_SHARE = 0.50
_OUTLINE_SHARE = 0.15
_INSTRUCTIONS_SHARE = 0.10
_INSTRUCTIONS_TOKENS = 1_500
_TESTS_SHARE = 0.35
"""Of what is left for related code: kept for tests while definitions are looked for."""

_LONGEST_TOKEN = 32
"""Characters per token on average, beyond which no text of a program is: code has three to five."""


@dataclass(frozen=True)
class _Request:
    task: Task
    reader: Reader
    redactor: Redactor
    index: DefinitionIndex
    count_tokens: Callable[[str], int]
    tokens: int
    editor: EditorContext
    listed: tuple[str, ...] | None

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the workspace: those listed for all dossiers of the job, else as they are now."""
        return (
            workspace_files(self.reader.workspace, self.reader.rules) if self.listed is None else self.listed
        )


async def gather(
    task: Task,
    workspace: Path,
    *,
    overlays: Mapping[str, SourceText] = {},
    settings: ContextTable,
    trusted: bool,
    count_tokens: Callable[[str], int],
    max_tokens: int | None = None,
    redactor: Redactor | None = None,
    index: DefinitionIndex | None = None,
    editor: EditorContext | None = None,
    rules: Path | None = None,
    files: tuple[str, ...] | None = None,
) -> Dossier:
    """Return what is put in front of the models for `task`; files are read in a thread.

    `overlays` are the editor's texts by relative path and win over files. The budget is the smaller one of
    `max_tokens` and `settings.max_tokens`. Give one `redactor` to all dossiers of a job, so that a secret has
    one placeholder, and one `index` to all jobs of a workspace, so that unchanged files are not read again.
    `editor` is what the editor's other language servers told: where they point to comes before what is found here.
    `rules` stands for the workspace where ignore files and notes are read. `files` are those of the workspace where
    they are known (`workspace_files`): a job about hundreds of files need not list them hundreds of times.
    Raises `UsageError` with `field` `path` or `range`.
    """
    request = _Request(
        task=task,
        reader=Reader.of(workspace, settings, trusted=trusted, overlays=overlays, rules=rules),
        redactor=redactor or Redactor(),
        index=index or DefinitionIndex(),
        count_tokens=count_tokens,
        tokens=min(settings.max_tokens, max_tokens or settings.max_tokens),
        editor=editor or EditorContext(),
        listed=files,
    )
    return await asyncio.to_thread(_gather, request)


async def review_ranges(
    path: str,
    workspace: Path,
    *,
    overlays: Mapping[str, SourceText] = {},
    settings: ContextTable,
    trusted: bool,
    count_tokens: Callable[[str], int],
    max_tokens: int | None = None,
) -> tuple[LineRange, ...]:
    """Return ranges that cover the file, each one a focus of its own when given as `task.range`.

    One range when the whole file fits. For reviews of files that are longer than the budget.
    """
    reader = Reader.of(workspace, settings, trusted=trusted, overlays=overlays)
    tokens = min(settings.max_tokens, max_tokens or settings.max_tokens)

    def split() -> tuple[LineRange, ...]:
        name, source = reader.focus(path)
        sheet = Sheet(name, source, Redactor())
        if _within(sheet.redacted, int(tokens * _WHOLE_SHARE), count_tokens):
            return (LineRange(start=0, end=len(sheet.lines)),)
        share = int(tokens * _PART_SHARE)

        def fits(start: int, end: int) -> bool:
            return _within(sheet.text(start, end), share, count_tokens)

        return split_by_focus(source.text, sheet.symbols, fits)

    return await asyncio.to_thread(split)


def redacted_task(task: Task, dossier: Dossier) -> Task:
    """Return the task with the secrets of its words, finding and diagnostics taken out, fit for a prompt."""
    return task.model_copy(
        update={
            "instruction": dossier.redact("instruction", task.instruction),
            "finding": task.finding
            and task.finding.model_copy(
                update={
                    "title": dossier.redact("finding", task.finding.title),
                    "detail": dossier.redact("finding", task.finding.detail),
                    "quote": dossier.redact(task.finding.path, task.finding.quote),
                }
            ),
            "diagnostics": tuple(
                item.model_copy(update={"message": dossier.redact(item.path, item.message)})
                for item in task.diagnostics
            ),
        }
    )


def _gather(request: _Request) -> Dossier:
    if request.task.path is None:
        return _without_file(request)
    path, source = request.reader.focus(request.task.path)
    many = request.task.action is Action.REFACTOR
    sheets = Sheets(request.reader, request.redactor, limit=FILES_SHOWN if many else 48)
    sheet = sheets.add(path, source)
    focus = _focus(request, sheet)
    excerpt = sheet.excerpt(focus.start, focus.end, focus.why)
    allowance = Allowance(request.count_tokens, request.tokens)
    allowance.left -= allowance.cost(excerpt)
    instructions = _instructions(request, path, allowance)
    related = [] if focus.whole else _outline(request, sheet, focus, allowance)
    framework: Framework | NoFramework | None = None
    if request.task.action is Action.TEST:
        files = frozenset({*request.files, *request.reader.unignored_overlays})
        framework = find_framework(language_of(path), ProjectFiles(path, files, _reading(request.reader)))
        if not isinstance(framework, NoFramework):
            related += style_of_home(sheets, framework, files, allowance)
    related += _beside(request, sheets, sheet, focus, allowance)
    dossier = Dossier(
        files=_editable(path, source, sheets, related, tests=many),
        focus=excerpt,
        related=tuple(related),
        instructions=instructions,
        language=language_of(path),
        symbol=focus.symbol.name if focus.symbol else "",
        redactions=request.redactor.redactions,
        whole_file=focus.whole,
        restore=request.redactor.restore,
        redact=request.redactor.redact_quoted,
        read=request.reader.related,
    )
    if framework is not None:
        return _with_framework(dossier, framework, sheets, request.reader)
    return replace(dossier, judge_path=new_file_judge(request.reader)) if many else dossier


def _with_framework(
    dossier: Dossier, framework: Framework | NoFramework, sheets: Sheets, reader: Reader
) -> Dossier:
    """Let the members' tests go to the framework's place: into the file there, or into one that may be created."""
    dossier = replace(dossier, framework=framework)
    if isinstance(framework, NoFramework):
        return dossier
    home = framework.home
    sheet = sheets.related(home)
    if sheet is not None:
        return replace(dossier, test_home=home, files={**dossier.files, home: sheet.source})
    return replace(dossier, test_home=home if new_file_judge(reader)(home) is None else "")


def _reading(reader: Reader) -> Callable[[str], str]:
    def read(name: str) -> str:
        source = reader.related(name)
        return source.text if source is not None else ""

    return read


def _without_file(request: _Request) -> Dossier:
    if request.task.action is not Action.DEBATE:
        raise UsageError(f"{request.task.action.value} needs a file", hint="Name one file.", field="path")
    allowance = Allowance(request.count_tokens, request.tokens)
    instructions = _instructions(request, None, allowance)
    return Dossier(
        files={},
        focus=None,
        instructions=instructions,
        redactions=request.redactor.redactions,
        whole_file=False,
        restore=request.redactor.restore,
        redact=request.redactor.redact_quoted,
    )


def _focus(request: _Request, sheet: Sheet) -> Focus:
    target = target_of(request.task, sheet.path, sheet.source.text, sheet.symbols)
    share = int(request.tokens * _PART_SHARE)

    def fits(start: int, end: int) -> bool:
        return _within(sheet.text(start, end), share, request.count_tokens)

    whole_fits = _within(sheet.redacted, int(request.tokens * _WHOLE_SHARE), request.count_tokens)
    return choose_focus(len(sheet.lines), sheet.symbols, target, fits, whole_fits=whole_fits)


def _within(text: str, tokens: int, count_tokens: Callable[[str], int]) -> bool:
    # Tokenizers need about a second for a megabyte; text that long is beyond any doubt.
    return len(text) <= tokens * _LONGEST_TOKEN and count_tokens(text) <= tokens


def _instructions(request: _Request, path: str | None, allowance: Allowance) -> str:
    share = min(int(request.tokens * _INSTRUCTIONS_SHARE), _INSTRUCTIONS_TOKENS, allowance.left)
    if path is None:
        share = min(allowance.left, _INSTRUCTIONS_TOKENS * 2)
    text = repository_instructions(
        request.reader.notes, request.redactor, path, count_tokens=request.count_tokens, max_tokens=share
    )
    allowance.left -= request.count_tokens(text) if text else 0
    return text


def _outline(request: _Request, sheet: Sheet, focus: Focus, allowance: Allowance) -> list[Excerpt]:
    share = min(int(request.tokens * _OUTLINE_SHARE), allowance.left)

    lines = Outline(sheet.symbols, sheet.imports, sheet.lines, without=(focus.start, focus.end))

    def outline(max_lines: int) -> Excerpt:
        why = "outline of the rest, with its line numbers"
        return Excerpt(path=sheet.path, start_line=0, text=lines.text(max_lines), why=why)

    # A line of an outline has at least three tokens; bisection asks the counter ten times or so.
    low, high = 0, max(1, share // 3)
    while low < high:
        middle = (low + high + 1) // 2
        if allowance.cost(outline(middle)) <= share:
            low = middle
        else:
            high = middle - 1
    best = outline(low)
    return [best] if low and best.text and allowance.take(best) else []


def _beside(
    request: _Request, sheets: Sheets, sheet: Sheet, focus: Focus, allowance: Allowance
) -> list[Excerpt]:
    if allowance.left < 64:
        return []
    files = request.files
    view = request.index.refresh(request.reader.workspace, files, request.reader.unignored_overlays)
    everything = {*files, *request.reader.unignored_overlays}
    search = RelatedSearch(sheets, view, FileTable(everything), allowance)
    if request.task.action is Action.REFACTOR:
        # What uses the code has to follow its change; what the code itself uses comes after that.
        references = ReferenceSearch(sheets, view, allowance)
        names = references.names(sheet, focus, request.task.instruction)
        uses = references.uses(sheet, focus, names, sorted(everything))
        return uses + search.definitions(sheet, focus)
    kept_for_tests = int(allowance.left * _TESTS_SHARE)
    allowance.left -= kept_for_tests
    told = EditorPlaces(search, request.reader.rules, request.redactor)
    found = told.definitions(request.editor, sheet, focus)
    found += search.definitions(sheet, focus)
    found += told.words(request.editor, sheet, request.task)
    allowance.left += kept_for_tests
    found += search.tests(sheet, focus)
    found += told.references(request.editor, sheet, focus)
    return found + search.diagnosed(sheet.path, request.task.diagnostics)


def _editable(
    path: str, source: SourceText, sheets: Sheets, related: Iterable[Excerpt], *, tests: bool = False
) -> dict[str, SourceText]:
    """Return the files that members may edit: the focus's and those of definitions, and with `tests` those too.

    A patch that may change the tests proves nothing by passing them, unless it is known to change names only.
    """
    files = {path: source}
    for excerpt in related:
        sheet = sheets.related(excerpt.path)
        if sheet is not None and (tests or not test_file(excerpt.path)):
            files.setdefault(excerpt.path, sheet.source)
    return files
