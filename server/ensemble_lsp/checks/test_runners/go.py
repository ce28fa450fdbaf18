"""Go's own tests: compiled in one run, run in another.

A cache of compiled packages is kept from one job to the next, since without it the standard library alone takes a
minute. Only the compiler ever sees it writable: no code of a project or a model runs there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from ensemble_lsp.checks import toolchains
from ensemble_lsp.checks.sandbox import Limits, Shown
from ensemble_lsp.checks.site import TEST_SECONDS, Ran, Site
from ensemble_lsp.checks.test_runners.runner import Setting, Told, counted, not_possible, told
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import cut_short
from ensemble_lsp.checks.witnesses.go import module_folder
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.ensemble.framework import Unit

COMPILE_SECONDS = 180.0
"""With an empty cache, on a busy machine, the standard library takes one of these three minutes."""

_BINARY = ".ensemble.test"
_MOST_DEATHS = 5
"""Tests that end the whole process: after each, those that have not run yet are run again."""

_FRAME = re.compile(
    r"^\s*\x16(?:=== (?P<word>[A-Z]+) +(?P<test>\S*)|--- (?P<end>[A-Z]+): (?P<ended>\S+) \(.*)$"
)
_GOROUTINE = re.compile(r"goroutine \d+ .*\[")
_PLACE = re.compile(r"\t([^/\s]\S*:\d+)")
_OUTCOMES = {"PASS": Outcome.PASSED, "FAIL": Outcome.FAILED}
_OLD = 'invalid boolean value "test2json"'
_LINES = 40
"""Of what one test prints; a panic's other goroutines come after its own."""


class GoRunner:
    """Runs the tests of one file's package by name."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._go = toolchains.go(setting.project.workspace)
        self._module = module_folder(setting.project, setting.path) or ""

    def refused(self, said: Evidence) -> bool:
        """Whether it did not compile."""
        return said.outcome is Outcome.ERROR

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Compile the package with its tests, and run the tests of this file."""
        if self._go is None:
            return not_possible(self._setting, "not run: Go (`go`) is not on the PATH")
        compiled = await self._compile(site, self._go)
        early = cut_short(compiled.completed)
        if early is not None or compiled.completed.code or not site.has(f"{self._module}{_BINARY}"):
            summary = early.summary if early else f"it does not compile: {_first_error(compiled.output)}"
            outcome = Outcome.NOT_RUN if early else Outcome.ERROR
            return told(self._setting, Told(outcome, summary, {}, compiled.output), compiled, site)
        names = [unit.name for unit in units] or _TESTS.findall(
            (site.root / self._setting.path).read_text("utf-8", "replace")
        )
        return await self._execute(site, self._go, names, limits)

    async def _compile(self, site: Site, go: Toolchain) -> Ran:
        cache = cache_directory() / "go-build"
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        shown = (*go.shown, Shown(cache, cache, writable=True))
        package = f"./{PurePosixPath(self._setting.path).parent.relative_to(self._module or '.')}"
        return await site.run(
            ["go", "test", "-c", "-vet=off", "-o", _BINARY, package.removesuffix("/.")],
            Limits(seconds=COMPILE_SECONDS),
            folder=self._module,
            toolchain=replace(go, shown=shown, environment={**go.environment, "GOCACHE": str(cache)}),
            merge_output=True,
        )

    async def _execute(self, site: Site, go: Toolchain, names: Sequence[str], limits: Limits) -> Evidence:
        heard = Heard()
        folder = str(PurePosixPath(self._setting.path).parent)
        argv = [str(site.seen_root / f"{self._module}{_BINARY}"), "-test.v=test2json"]
        argv += [f"-test.timeout={TEST_SECONDS:g}s"]
        ran: Ran | None = None
        # A test that dies takes the others with it: at most so many turns.
        for _ in range(_MOST_DEATHS):
            left = [name for name in names if name not in heard.began]
            if not left:
                break
            ran = await site.run(
                [*argv, f"-test.run=^({'|'.join(left)})$"],
                limits,
                folder="" if folder == "." else folder,
                toolchain=go,
                merge_output=True,
            )
            before = len(heard.began)
            if _OLD in ran.output:
                return not_possible(self._setting, "not run: written tests need Go 1.20 or newer")
            heard.take(ran.output)
            if cut_short(ran.completed) is not None or len(heard.began) == before:
                break
        if ran is None:
            return not_possible(self._setting, "no test of the file is to be run")
        return told(self._setting, heard.told(self._setting.path, ran), ran, site)


_TESTS = re.compile(r"^func (Test(?![a-z])\w*)\s*\(", re.MULTILINE)


@dataclass(slots=True)
class Heard:
    """What the test binary said in the form that `test2json` reads: its own lines begin with a control character."""

    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    began: dict[str, None] = field(default_factory=dict[str, None])
    """Tests at the top that began, skipped ones too."""
    skipped: set[str] = field(default_factory=set[str])
    printed: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def take(self, output: str) -> None:
        """Read one run; a test that has no end was ended by a panic or by its time."""
        current = ""
        began: dict[str, None] = {}
        for line in output.splitlines():
            frame = _FRAME.match(line)
            if frame is None:
                top = current.partition("/")[0]
                if top:
                    self.printed.setdefault(top, []).append(line.replace("\x0f", "").replace("\x0e", ""))
                continue
            if frame.group("word"):
                current = frame.group("test")
                if frame.group("word") == "RUN":
                    began.setdefault(current.partition("/")[0])
                continue
            test = frame.group("ended")
            if "/" in test:
                continue
            outcome = _OUTCOMES.get(frame.group("end"))
            if outcome is None:
                self.skipped.add(test)
            else:
                self.outcomes[test] = outcome
        self.began |= began
        late = "panic: test timed out after" in output
        for test in began:
            if test not in self.outcomes and test not in self.skipped:
                self.outcomes[test] = Outcome.TIMED_OUT if late else Outcome.FAILED

    def told(self, path: str, ran: Ran) -> Told:
        """Return what all runs amount to; each failing test has its section, without how long it took."""
        early = cut_short(ran.completed)
        words = {Outcome.FAILED: "FAIL", Outcome.TIMED_OUT: "TIMED OUT"}
        sections = [
            "\n".join((f"--- {words[outcome]}: {test}", *_own(self.printed.get(test, []))[:_LINES]))
            for test, outcome in self.outcomes.items()
            if outcome in words
        ]
        tests = {f"{path}::{test}": outcome for test, outcome in self.outcomes.items()}
        log = "\n".join(sections)
        if early is not None:
            return Told(early.outcome, early.summary, tests, log or ran.output)
        if not tests:
            outcome = Outcome.FAILED if ran.completed.code else Outcome.NOT_RUN
            return Told(outcome, "no test ran", tests, ran.output)
        passed = all(outcome is Outcome.PASSED for outcome in tests.values())
        return Told(Outcome.PASSED if passed else Outcome.FAILED, counted(tests), tests, log)


def _own(lines: Sequence[str]) -> list[str]:
    """Return what a test printed, of a panic's stack the project's own places: the others name no cause."""
    kept: list[str] = []
    stack = False
    for number, line in enumerate(lines):
        stack = stack or _GOROUTINE.match(line) is not None
        if not stack:
            kept.append(line)
            continue
        place = _PLACE.match(lines[number + 1]) if number + 1 < len(lines) else None
        if place is not None and line.strip() and not line.startswith("\t"):
            kept += [f"{line.rpartition('(')[0]}", f"\t{place.group(1)}"]
    return kept


def _first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip() and not line.startswith("#")]
    return lines[0][:240] if lines else "go test -c failed"
