"""Any command that the person gives as the check that decides."""

import re
import shlex
from collections.abc import Sequence

from ensemble_lsp.checks.interpreters import Interpreter
from ensemble_lsp.checks.run_outcomes import cargo_tests, go_tests, of_exit_code, of_pytest, read_results
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import Project, Targets, Verdict, evidence
from ensemble_lsp.checks.witnesses.pytest import plugin_environment
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank

_SHELL = re.compile(r"[|&;<>()$`*?\[\]#~\n]|^\s*\w+=")
"""What only a shell understands; a command without it is split into words and run as it is."""
_PLAIN_OPTION = re.compile(r"^-([qvxsmklr]\w*|-tb=\w+|-maxfail=\d+|-lf|-ff|-no-header)$")
"""Options of Python and pytest that no plugin has to be loaded for."""


class CommandWitness:
    """Passes when the command ends with 0. If it runs pytest, whichever way, its tests are known by id."""

    name = "command"
    executes = True
    rank = Rank.EXECUTED

    def __init__(
        self, command: str, project: Project, interpreter: Interpreter, toolchain: Toolchain | None
    ) -> None:
        self._command = command
        self._toolchain = toolchain
        self._argv = split_command(command)
        plain = all(_PLAIN_OPTION.match(word) for word in command.split() if word.startswith("-"))
        named = [word.partition("::")[0] for word in command.split() if ".py" in word]
        self._environment = plugin_environment(project, interpreter, named) if plain else {}

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Always: the person asked for it."""
        return True

    def target(self, targets: Targets) -> str:  # noqa: ARG002
        """Return the command line as it was given."""
        return self._command

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the command at the root of the shadow."""
        ran = await site.run_pytest(
            self._argv,
            limits,
            toolchain=self._toolchain,
            environment=self._environment,
            stop_at_first=targets.stop_at_first,
        )
        tests = read_results(ran.results)
        if not ran.results:
            verdict = of_exit_code(ran, cargo_tests(ran.output) or go_tests(ran.output))
            if ran.completed.code == 127:
                verdict = Verdict(Outcome.ERROR, verdict.summary)
        else:
            verdict = of_pytest(ran)
            # The command decides, not the tests that it ran on the way.
            if verdict.outcome is Outcome.PASSED and ran.completed.code != 0:
                verdict = Verdict(Outcome.FAILED, of_exit_code(ran).summary, tests.tests)
            elif verdict.outcome is Outcome.FAILED and ran.completed.code == 0:
                verdict = Verdict(Outcome.PASSED, verdict.summary, tests.tests)
        return evidence(self, targets, verdict, ran, site.label)


def split_command(command: str) -> Sequence[str]:
    """Return the words of a command line, or a shell to run it where it needs one.

    Raises `UsageError` for an empty line or an open quotation mark.
    """
    if not command.strip():
        raise UsageError("the check's command is empty", field="check")
    if _SHELL.search(command):
        return ["/bin/sh", "-c", command]
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the check's command cannot be read: {error}", field="check") from error
    if not words[0]:
        raise UsageError("the check's command names no program", field="check")
    return words
