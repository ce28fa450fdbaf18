"""A bounded search for a small change that turns failing tests green: found by running, without any model."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.languages import language_of
from ensemble_lsp.checks.repairs import Repair, repairs_of
from ensemble_lsp.checks.sandbox import Limits, Sandbox
from ensemble_lsp.checks.shadow_pool import ShadowPool
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.checks.witnesses.pytest import plugin_environment, quiet_options
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.ensemble.ports import FoundRepair, RepairsFound

ROUNDS = (40, 80, 180)
"""Versions that are tried before it is looked whether one passed; all that are tried at most."""
MOST_VERSIONS = sum(ROUNDS)
MOST_FOUND = 3
FURTHER = 8
"""How many more versions a process tries after one that passes: a smaller one may, or tools object to the first."""
PROCESSOR_SECONDS = 15.0
"""Of each of the processes that try: what counts is work done, so that a busy machine finds the same."""
LONGEST_SECONDS = 120.0
"""On the clock, for one round."""
LEAST_VERSION_SECONDS = 0.4
MOST_VERSION_SECONDS = 2.0
"""Of the processor, for one version: an endless loop is a frequent version."""
_MOST_FIRST = 20
"""Failing tests that are named to run before the others."""
_TOGETHER = 2
_SPECIFICATION = "ensemble_trials.json"


@dataclass(frozen=True, slots=True)
class RepairSearch:
    """Searches one Python file; `refusal` says why nothing may be run."""

    project: Project
    pool: ShadowPool
    sandbox: Sandbox
    interpreter: Interpreter
    refusal: str

    async def run(
        self,
        path: str,
        suspicion: Mapping[int, float],
        failing: Sequence[str],
        tests: Sequence[str],
    ) -> RepairsFound:
        """Try versions of `path`, until one passes `failing` and `tests` and some further ones were tried.

        `suspicion`: 0-based line → how much the failing tests run it and passing ones do not; others stay.
        Nothing is found where this system has no `fork`.
        """
        if self.refusal or not hasattr(os, "fork") or language_of(path) != "python":
            return RepairsFound()
        named = list(failing) if len(failing) <= _MOST_FIRST else []
        arguments = list(dict.fromkeys((*named, *(tests or _files_of(failing)))))
        arguments = [item for item in arguments if item.partition("::")[0] in self.project.files]
        if not arguments:
            return RepairsFound()
        source = self.project.source(path)
        repairs = await asyncio.to_thread(repairs_of, path, source.text, suspicion, most=MOST_VERSIONS)
        tried, passing, left, begun = 0, list[int](), PROCESSOR_SECONDS, 0
        for size in ROUNDS:
            place = range(begun, min(begun + size, len(repairs)))
            if passing or not place or left <= 0:
                break
            trials = await self._round(path, source, [repairs[number] for number in place], arguments, left)
            tried += len(trials.outcomes)
            passing += [place[number] for number, passed in trials.outcomes.items() if passed]
            begun, left = begun + size, left - trials.used
        # The smallest of those that pass: the more is written, the likelier it passes by chance.
        best = sorted(passing, key=lambda number: (repairs[number].size, number))
        found = [repairs[number] for number in best[:MOST_FOUND]]
        return RepairsFound(
            tried=tried,
            repairs=tuple(FoundRepair(what=str(item), change=_change(path, source, item)) for item in found),
        )

    async def _round(
        self, path: str, source: SourceText, repairs: Sequence[Repair], arguments: Sequence[str], left: float
    ) -> "Trials":
        """Try versions in processes side by side, each for `left` seconds of the processor."""
        processes = max(1, min(_TOGETHER, os.cpu_count() or 1))
        shares = [range(first, len(repairs), processes) for first in range(min(processes, len(repairs)))]
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._tried(path, source, [repairs[n] for n in share], arguments, left))
                for share in shares
            ]
        told = [(share, task.result()) for share, task in zip(shares, tasks, strict=True)]
        return Trials(
            {share[number]: passed for share, each in told for number, passed in each.outcomes.items()},
            max((each.used for _share, each in told), default=0.0),
        )

    async def _tried(
        self, path: str, source: SourceText, repairs: Sequence[Repair], arguments: Sequence[str], left: float
    ) -> "Trials":
        """Try versions one after the other in one process."""
        wanted = {
            "path": path,
            "versions": [
                source.with_text(item.text).to_bytes_for_tools().decode("latin-1") for item in repairs
            ],
            "arguments": [*quiet_options(self.project), *arguments],
            "least": LEAST_VERSION_SECONDS,
            "most": MOST_VERSION_SECONDS,
            "together": left,
            "further": FURTHER,
        }
        specification = FileChange(path=_SPECIFICATION, before=None, after=SourceText(json.dumps(wanted)))
        # The file itself is among the changes, so that it is put back afterwards.
        async with self.pool.borrow(
            (specification, FileChange(path=path, before=source, after=source))
        ) as lease:
            site = Site(lease, self.sandbox, self.interpreter)
            ran = await site.run(
                [str(self.interpreter.executable), "-m", "ensemble_trials", _SPECIFICATION],
                Limits(seconds=LONGEST_SECONDS),
                environment=plugin_environment(self.project, self.interpreter, arguments),
                import_from=(str(PurePosixPath(path).parent),),
                merge_output=True,
            )
        return read_trials(ran.results, len(repairs))


@dataclass(frozen=True, slots=True)
class Trials:
    """What became of the versions that were tried. `used`: seconds of the processor."""

    outcomes: Mapping[int, bool]
    """Place of a version → whether it passed; those that were not tried are left out."""
    used: float = 0.0


def read_trials(text: str, versions: int) -> Trials:
    """Read the lines that the trials left; what is no such line is passed over."""
    found: dict[int, bool] = {}
    used = 0.0
    for line in text.splitlines()[: 2 * MOST_VERSIONS]:
        try:
            entry = cast("object", json.loads(line))
        except ValueError:
            continue
        if not isinstance(entry, dict):
            continue
        told = cast("dict[str, object]", entry)
        number, passed, seconds = told.get("version"), told.get("passed"), told.get("used")
        if isinstance(number, int) and isinstance(passed, bool) and 0 <= number < versions:
            found[number] = passed
            used = max(used, seconds) if isinstance(seconds, float) else used
    return Trials(found, used)


def _files_of(tests: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(test.partition("::")[0] for test in tests))


def _change(path: str, source: SourceText, repair: Repair) -> FileChange:
    return FileChange(path=path, before=source, after=source.with_text(repair.text))
