"""Where one check runs: a shadow, the sandbox around it, and what they make of a command."""

import asyncio
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.checks.environment import allowed_environment, own_interpreter_paths
from ensemble_lsp.checks.fork_server import Surroundings
from ensemble_lsp.checks.forked_runs import ForkedRuns
from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.results_file import read_results_file
from ensemble_lsp.checks.sandbox import Completed, Limits, Sandbox, Shown
from ensemble_lsp.checks.shadow_pool import Lease
from ensemble_lsp.checks.toolchains import Toolchain

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,16}\b")
_TOOK = re.compile(r"(?<= in )\d+\.\d\ds\b(?: \(\d+:\d\d:\d\d\))?")
"""What pytest's last line says."""

LOG_CHARACTERS = 8_000
"""What is kept of a run's output: the head, which says what ran, and the tail, which says how it ended."""
_HEAD_CHARACTERS = 2_000
TEST_SECONDS = 10.0
"""After this a single test of pytest is ended, and the next one has its turn."""
_RECORDING = {"ENSEMBLE_LINES": "1"}
"""The environment in which any pytest with our plugin records lines; a run in which a script starts it has it too."""
_RECORDING_OPTION = "--ensemble-lines"
"""The same as an option, for a pytest that has its environment already."""
PLUGIN_FOLDER = Path(__file__).parent / "pytest_plugin"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and what it left in its results file."""

    completed: Completed
    output: str
    """Both streams, with paths relative to the workspace; whole, see `bounded`."""
    stdout: str
    results: str
    """The text of the file that `ENSEMBLE_RESULTS` names to the command."""


class Site:
    """One shadow with its sandbox. Commands see the shadow where the workspace is, if the sandbox can do that.

    So a package that is installed in place ("editable") is the shadow's, not the workspace's.
    """

    def __init__(
        self,
        lease: Lease,
        sandbox: Sandbox,
        interpreter: Interpreter,
        *,
        records_lines: bool = False,
        forked: ForkedRuns | None = None,
    ) -> None:
        """With `records_lines`, pytest tells of each test which lines it runs."""
        self._lease = lease
        self._sandbox = sandbox
        self._forked = forked
        self._records_lines = records_lines
        self.interpreter = interpreter
        self.results: list[str] = []
        """What every command so far left in its results file."""

    @property
    def root(self) -> Path:
        """The shadow's root, for tools of our own that run outside the sandbox."""
        return self._lease.shadow.root

    @property
    def seen_root(self) -> Path:
        """The root as a command inside the sandbox sees it."""
        return self._lease.shadow.workspace if self._sandbox.moves_paths else self.root

    @property
    def label(self) -> str:
        """How evidence names the sandbox."""
        return self._sandbox.label

    def has(self, path: str) -> bool:
        """Whether the shadow has a file or folder there."""
        return (self.root / path).exists()

    async def run(
        self,
        argv: Sequence[str],
        limits: Limits,
        *,
        folder: str = "",
        environment: Mapping[str, str] | None = None,
        toolchain: Toolchain | None = None,
        import_from: Sequence[str] = (),
        merge_output: bool = False,
    ) -> Ran:
        """Run `argv` in `folder` of the shadow; the process tree is gone when this returns or is cancelled.

        `import_from` are further folders of the shadow that Python imports from.
        """
        place = await asyncio.to_thread(self._lease.new_run_folder)
        around = self._surroundings(
            place, argv, environment, toolchain, folder=folder, import_from=import_from
        )
        completed = await self._sandbox.run(
            argv,
            directory=around.directory,
            environment=around.environment,
            shown=around.shown,
            staging=place / "root",
            limits=limits,
            merge_output=merge_output,
        )
        results = await asyncio.to_thread(read_results_file, place / "home" / ".results")
        return self._ran(completed, results, place)

    async def run_pytest(
        self,
        argv: Sequence[str],
        limits: Limits,
        *,
        environment: Mapping[str, str] | None = None,
        toolchain: Toolchain | None = None,
        stop_at_first: bool = False,
    ) -> Ran:
        """Run a command, both streams in one; where it is pytest and a fork of one can be made, as a fork.

        With `stop_at_first` pytest ends with the first test that fails.
        """
        arguments = ["-x"] if stop_at_first else []

        def around(lease: Lease, place: Path) -> Surroundings:
            # A run that records lines and one that does not are forks of the same server.
            site = Site(lease, self._sandbox, self.interpreter)
            return site._surroundings(place, argv, environment, toolchain)

        if self._forked is not None:
            recording = [_RECORDING_OPTION] if self._records_lines else []
            told = await self._forked.run(self._lease, around, [*recording, *arguments], limits)
            if told is not None:
                return self._ran(*told)
        options = {"PYTEST_ADDOPTS": " ".join(arguments)} if arguments else {}
        return await self.run(
            argv,
            limits,
            environment={**(environment or {}), **options},
            toolchain=toolchain,
            merge_output=True,
        )

    def _surroundings(
        self,
        place: Path,
        argv: Sequence[str],
        environment: Mapping[str, str] | None,
        toolchain: Toolchain | None,
        *,
        folder: str = "",
        import_from: Sequence[str] = (),
    ) -> Surroundings:
        moved = self._sandbox.moves_paths
        home = Path("/home/ensemble") if moved else place / "home"
        temporary = Path("/tmp") if moved else place / "tmp"  # noqa: S108 - the run's own
        python = [str(PLUGIN_FOLDER), str(self.seen_root)]
        if self.has("src"):
            python.append(str(self.seen_root / "src"))
        python += [str(self.seen_root / name) for name in import_from]
        programs = (str(self.interpreter.programs), *(toolchain.programs if toolchain else ()))
        variables = allowed_environment(home=str(home), temporary=str(temporary), path=programs)
        variables |= {
            "PYTHONPATH": os.pathsep.join(python),
            "PYTEST_PLUGINS": "ensemble_results",
            "ENSEMBLE_RESULTS": str(home / ".results"),
            "ENSEMBLE_TEST_SECONDS": f"{TEST_SECONDS:g}",
            **(toolchain.environment if toolchain else {}),
            **(environment or {}),
            **(_RECORDING if self._records_lines else {}),
        }
        shown = self._shown(place, home, temporary, toolchain)
        return Surroundings(tuple(argv), self.seen_root / folder, variables, shown, place)

    def _ran(self, completed: Completed, results: str, place: Path) -> Ran:
        self.results.append(results)
        return Ran(
            completed,
            self.relative(completed.output.replace(str(place), "~")),
            self.relative(completed.stdout.decode("utf-8", "replace").replace(str(place), "~")),
            without_addresses(results),
        )

    def _shown(self, place: Path, home: Path, temporary: Path, toolchain: Toolchain | None) -> list[Shown]:
        shadow = self._lease.shadow
        shown = [Shown.in_place(path) for path in (*self.interpreter.readable, *own_interpreter_paths())]
        shown += [
            Shown.in_place(PLUGIN_FOLDER),
            Shown(place / "home", home, writable=True),
            Shown(place / "tmp", temporary, writable=True),
            Shown(shadow.root, self.seen_root, writable=True),
        ]
        for path, source in shadow.listing.dependencies.items():
            shown.append(Shown(source, self.seen_root / path if self._sandbox.moves_paths else source))
            if not self._sandbox.moves_paths:
                shown.append(Shown.in_place(shadow.workspace / path))
        if toolchain is not None:
            shown += toolchain.shown
            if self._sandbox.moves_paths:
                shown += [Shown(source, home / target) for source, target in toolchain.in_home]
        return shown

    def relative(self, text: str) -> str:
        """Replace the shadow's and the workspace's path in what a tool printed."""
        for root in (str(self.root), str(self._lease.shadow.workspace)):
            text = text.replace(f"{root}/", "").replace(root, ".")
        return without_times(without_addresses(text))


def without_times(text: str) -> str:
    """Take out how long tests took: like addresses, it would make another prompt of the same failure."""
    return _TOOK.sub("…", text)


def without_addresses(text: str) -> str:
    """Take out where objects lay in memory: it differs from run to run, so that the same failure would not be
    the same prompt, and an answer that was paid for would not be found again."""
    return _ADDRESS.sub(" at 0x…", text)


def bounded(text: str) -> str:
    """Return at most `LOG_CHARACTERS`: the head and the tail, with a note of what is left out between."""
    if len(text) <= LOG_CHARACTERS:
        return text
    tail = LOG_CHARACTERS - _HEAD_CHARACTERS - 60
    left_out = len(text) - _HEAD_CHARACTERS - tail
    return f"{text[:_HEAD_CHARACTERS]}\n… {left_out} characters left out …\n{text[-tail:]}"


def command_line(argv: Sequence[str]) -> str:
    """Return `argv` as a person would type it."""
    return shlex.join(argv)
