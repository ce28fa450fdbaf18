"""What a Rust project is checked by: cargo check and cargo test."""

import json
from pathlib import PurePosixPath
from typing import cast

from ensemble_lsp.checks.run_outcomes import cargo_tests, of_exit_code
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.toolchains import Toolchain
from ensemble_lsp.checks.witness import Project, Targets, Verdict, cut_short, evidence, of_diagnostics
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Outcome, Rank, Severity


def crate_folder(project: Project, path: str) -> str | None:
    """Return the nearest folder above `path` that has a Cargo.toml, ending in a slash or empty; None without one."""
    for folder in PurePosixPath(path).parents:
        name = "" if str(folder) == "." else f"{folder}/"
        if f"{name}Cargo.toml" in project.files:
            return name
    return None


class _CargoWitness:
    executes = True

    def __init__(self, toolchain: Toolchain, folder: str) -> None:
        self._toolchain = toolchain
        self._folder = folder

    def applies(self, project: Project, targets: Targets) -> bool:
        """Whether there is a Rust file."""
        return project.trusted and bool(targets.of("rust"))

    def target(self, targets: Targets) -> str:  # noqa: ARG002
        """Return the crate's folder."""
        return self._folder or "."


class CargoCheckWitness(_CargoWitness):
    """Reports what the compiler says."""

    name = "cargo check"
    rank = Rank.STATIC

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Check what the shadow holds."""
        argv = ["cargo", "check", "--offline", "--quiet", "--message-format=json"]
        ran = await site.run(argv, limits, folder=self._folder, toolchain=self._toolchain)
        verdict = cut_short(ran.completed)
        if verdict is None:
            verdict = of_diagnostics(compiler_diagnostics(ran.stdout, self._folder))
            if ran.completed.code and not verdict.diagnostics:
                verdict = Verdict(Outcome.ERROR, ran.output.strip()[-300:])
        return evidence(self, targets, verdict, ran, site.label)


def compiler_diagnostics(output: str, folder: str) -> list[Diagnostic]:
    """Read cargo's JSON lines; messages without a place are left out."""
    found: list[Diagnostic] = []
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        try:
            entry = cast("dict[str, object]", json.loads(line))
        except ValueError:
            continue
        message = cast("dict[str, object]", entry.get("message") or {})
        spans = cast("list[dict[str, object]]", message.get("spans") or [])
        span = next((item for item in spans if item.get("is_primary")), None)
        if entry.get("reason") != "compiler-message" or span is None:
            continue
        code = cast("dict[str, object]", message.get("code") or {})
        found.append(
            Diagnostic(
                path=f"{folder}{span['file_name']}",
                line=cast("int", span["line_start"]) - 1,
                end_line=cast("int", span["line_end"]) - 1,
                severity=Severity.CRITICAL if message.get("level") == "error" else Severity.INFO,
                source="cargo",
                code=str(code.get("code") or message.get("level")),
                message=str(message.get("message")),
            )
        )
    return found


class CargoTestWitness(_CargoWitness):
    """Runs the crate's tests."""

    name = "cargo test"
    rank = Rank.EXECUTED

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:
        """Run the tests."""
        keep_going = [] if targets.stop_at_first else ["--no-fail-fast"]
        argv = ["cargo", "test", "--offline", *keep_going]
        ran = await site.run(argv, limits, folder=self._folder, toolchain=self._toolchain, merge_output=True)
        tests = cargo_tests(ran.output)
        verdict = of_exit_code(ran, tests)
        if verdict.outcome is Outcome.PASSED and not tests:
            verdict = Verdict(Outcome.NOT_RUN, "the crate has no tests")
        return evidence(self, targets, verdict, ran, site.label)
