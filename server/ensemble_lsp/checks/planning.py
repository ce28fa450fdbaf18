"""Which witnesses have something to say about a task, in this workspace, under this trust."""

import asyncio
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ensemble_lsp.checks import selection, toolchains
from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.listing import Listing
from ensemble_lsp.checks.witness import Project, Targets, Witness
from ensemble_lsp.checks.witnesses import cargo, go, javascript
from ensemble_lsp.checks.witnesses.bandit import BanditWitness
from ensemble_lsp.checks.witnesses.command import CommandWitness, split_command
from ensemble_lsp.checks.witnesses.credentials import CredentialsWitness
from ensemble_lsp.checks.witnesses.pytest import PytestWitness
from ensemble_lsp.checks.witnesses.ruff import RuffWitness
from ensemble_lsp.checks.witnesses.semgrep import SemgrepWitness, rule_places
from ensemble_lsp.checks.witnesses.syntax import enclosing
from ensemble_lsp.checks.witnesses.syntax_witness import SyntaxWitness
from ensemble_lsp.checks.witnesses.types import TypesWitness, used_type_checker
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.credentials import SecretScan

TEST_LIMIT_SECONDS = 40.0
"""For a run of tests that nobody set a time for; a debate of twenty candidates has to end."""
REVIEW_LIMIT_SECONDS = 20.0
"""For the tests beside a review: its members answer in about that time, and nobody asked for a test run."""
_MAX_PATHS = 60
_MAX_READ_BYTES = 2 << 20

_WITHOUT_TESTS = frozenset({Action.EXPLAIN, Action.DEBATE, Action.REWRITE, Action.TEST})
"""Actions that change no behaviour or run tests of their own: the project's run only when a check is named.

A review runs those of pytest, which tell the lines that they run; of others it would learn only that they fail.
"""
_WITH_SECURITY = frozenset({Action.REVIEW, Action.SECURE})


class NamedCheck(Protocol):
    """A check of the settings: `settings.CheckTable`."""

    @property
    def id(self) -> str: ...
    @property
    def command(self) -> str: ...
    @property
    def timeout(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked of whom. `seconds` bounds a run of an executing witness."""

    targets: Targets
    nearby: tuple[str, ...]
    """Test files that have to do with the code, whether they are run or not: a test that a model wrote goes beside."""
    static: tuple[Witness, ...]
    executing: tuple[Witness, ...]
    seconds: float


def project_of(
    workspace: Path, listing: Listing, overlays: Mapping[str, SourceText], *, trusted: bool
) -> Project:
    """Return the project as witnesses see it; files are read once."""
    sources = dict(overlays)

    def source(path: str) -> SourceText:
        if path not in sources:
            sources[path] = _read(workspace / path) if path in listing.files else SourceText("")
        return sources[path]

    files = frozenset((*listing.files, *overlays))
    return Project(workspace, files, frozenset(listing.dependencies), source, trusted)


def _read(path: Path) -> SourceText:
    try:
        if path.stat().st_size > _MAX_READ_BYTES:
            return SourceText("")
        return SourceText.from_bytes(path.read_bytes())
    except OSError:
        return SourceText("")


async def plan(
    project: Project,
    task: Task,
    editable: Iterable[str],
    *,
    checks: Sequence[NamedCheck],
    default_check: str | None,
    interpreter: Interpreter,
    most: int = _MAX_PATHS,
    test_files: bool = True,
    review_tests: bool = True,
    secrets: SecretScan | None = None,
) -> Plan:
    """Decide once per job; `editable` are the files that members may change, `most` how many are looked at.

    Without `test_files` none are looked for: what has to do with hundreds of files is all of them. Without
    `review_tests` a review runs none.
    """
    paths = tuple(dict.fromkeys(path for path in (task.path or "", *task.paths, *editable) if path))[:most]
    given = task.check or default_check
    named = next((check for check in checks if check.id == given), None)
    command = named.command if named is not None else given
    code = [path for path in (task.path, *task.paths) if path] or list(paths)
    if task.action is Action.REFACTOR:
        code = list(paths)
    symbols = [symbol for path in code if (symbol := _symbol(project, task, path))]
    nearby = await asyncio.to_thread(selection.choose_tests, project, code, symbols) if test_files else ()
    reviews = task.action is Action.REVIEW
    runs_tests = not command and task.action not in _WITHOUT_TESTS and (review_tests or not reviews)
    targets = Targets(paths=paths, tests=nearby if runs_tests else ())
    static: list[Witness] = [SyntaxWitness(), RuffWitness(obey_project=project.trusted)]
    if task.action in _WITH_SECURITY:
        static.append(BanditWitness(project))
        static += _semgrep(project, interpreter)
    if task.action is Action.SECURE and secrets is not None:
        static.append(CredentialsWitness(project, secrets))
    if task.action is not Action.REWRITE:
        static += _type_checkers(project, interpreter)
    executing: list[Witness] = []
    if command:
        executing.append(CommandWitness(command, project, interpreter, _toolchain_for(project, command)))
    elif targets.tests:
        executing.append(PytestWitness(project, interpreter, targets.tests))
    for witness in _other_languages(project, paths):
        if witness.rank > SyntaxWitness.rank:
            if runs_tests and not reviews:
                executing.append(witness)
        else:
            static.append(witness)
    return Plan(
        targets,
        nearby,
        tuple(item for item in static if item.applies(project, targets)),
        tuple(item for item in executing if not project.trusted or item.applies(project, targets)),
        named.timeout if named is not None else REVIEW_LIMIT_SECONDS if reviews else TEST_LIMIT_SECONDS,
    )


def _symbol(project: Project, task: Task, path: str) -> str:
    if task.range is None or path != task.path:
        return ""
    found = enclosing(path, project.read(path), task.range.start)
    return found[0] if found else ""


def _type_checkers(project: Project, interpreter: Interpreter) -> list[Witness]:
    program = used_type_checker(project) if project.trusted else None
    if program is None:
        return []
    found = shutil.which(program, path=os.pathsep.join((str(interpreter.programs), os.defpath)))
    if found is None:
        return []
    return [TypesWitness(project, found, toolchains.node(project.workspace) if program != "mypy" else None)]


def _semgrep(project: Project, interpreter: Interpreter) -> list[Witness]:
    """Return semgrep where the project has rules for it, trusted like all that the project's settings make run."""
    if not project.trusted or not rule_places(project.files):
        return []
    program = toolchains.semgrep(project.workspace, interpreter)
    return [SemgrepWitness(project, program)] if program is not None else []


def _toolchain_for(project: Project, command: str) -> toolchains.Toolchain | None:
    workspace = project.workspace
    words = split_command(command)
    return toolchains.together(
        (
            toolchains.of_program(words[0], workspace),
            toolchains.node(workspace) if "package.json" in project.files else None,
            toolchains.go(workspace) if "go.mod" in project.files else None,
            toolchains.cargo(workspace) if "Cargo.toml" in project.files else None,
        )
    )


def home_of(project: Project, path: str) -> str:
    """Return what a file's tools are chosen by: files of one home are looked at together, by one run of each."""
    targets = Targets(paths=(path,))
    if targets.of(*javascript.LANGUAGES):
        return f"javascript {javascript.package_folder(project, path)}"
    if targets.of("go"):
        return f"go {go.module_folder(project, path)}"
    if targets.of("rust"):
        return f"rust {cargo.crate_folder(project, path)}"
    return language_of(path) or ""


def _other_languages(project: Project, paths: Sequence[str]) -> list[Witness]:
    if not project.trusted:
        return []
    targets = Targets(paths=tuple(paths))
    found: list[Witness] = []
    scripts = targets.of(*javascript.LANGUAGES)
    folder = javascript.package_folder(project, scripts[0]) if scripts else None
    if folder is not None and (node := toolchains.node(project.workspace)) is not None:
        if f"{folder}tsconfig.json" in project.files:
            found.append(javascript.TscWitness(project, node, folder, "tsc"))
        found.append(javascript.EslintWitness(project, node, folder, "eslint"))
        runners = [name for name in ("vitest", "jest") if javascript.installed(project, folder, name)]
        found += [javascript.JavascriptTestsWitness(project, node, folder, name) for name in runners[:1]]
    sources = targets.of("go")
    module = go.module_folder(project, sources[0]) if sources else None
    if module is not None and (program := toolchains.go(project.workspace)) is not None:
        found += [go.GoVetWitness(program, module), go.GoTestWitness(program, module)]
    crates = targets.of("rust")
    crate = cargo.crate_folder(project, crates[0]) if crates else None
    if crate is not None and (program := toolchains.cargo(project.workspace)) is not None:
        found += [cargo.CargoCheckWitness(program, crate), cargo.CargoTestWitness(program, crate)]
    return found
