"""pytest and unittest, in the project's own Python."""

from collections.abc import Sequence
from pathlib import PurePosixPath

from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.test_runners.runner import Setting, not_possible
from ensemble_lsp.checks.witness import Targets
from ensemble_lsp.checks.witnesses.pytest import ProbeWitness, UnittestWitness
from ensemble_lsp.core.evidence import Evidence, Outcome
from ensemble_lsp.ensemble.framework import Unit


class PytestRunner:
    """Runs tests by pytest."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def refused(self, said: Evidence) -> bool:  # noqa: ARG002 - nothing is compiled
        """Never: Python loads what parses, and a module that fails then was noticed."""
        return False

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Choose tests by their names; others whose names hold these run too."""
        told = await _by_pytest(self._setting, site, units, limits)
        if not _has_no_pytest(told):
            return told
        python = self._setting.interpreter.executable
        return not_possible(
            self._setting,
            f"not run: pytest is not installed for {python}; `{python} -m pip install pytest` does it",
        )


class UnittestRunner(PytestRunner):
    """Runs cases of unittest by pytest where it is installed, else by unittest itself."""

    async def run(self, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
        """Ask pytest first: the project's own settings and plugins count there."""
        told = await _by_pytest(self._setting, site, units, limits)
        if not _has_no_pytest(told):
            return told
        setting = self._setting
        witness = UnittestWitness(
            setting.path,
            str(PurePosixPath(setting.code).parent),
            only=tuple(unit.id_in.replace("::", ".") for unit in units if unit.group),
        )
        return await witness.run(site, Targets(paths=(setting.path,)), limits)


async def _by_pytest(setting: Setting, site: Site, units: Sequence[Unit], limits: Limits) -> Evidence:
    witness = ProbeWitness(
        setting.project,
        setting.interpreter,
        setting.path,
        str(PurePosixPath(setting.code).parent),
        only=tuple(dict.fromkeys(unit.name for unit in units)),
    )
    return await witness.run(site, Targets(paths=(setting.path,)), limits)


def _has_no_pytest(told: Evidence) -> bool:
    return told.outcome is Outcome.ERROR and told.log.strip().endswith("No module named pytest")
