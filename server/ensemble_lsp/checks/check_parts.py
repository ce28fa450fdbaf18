"""What all checks of one workspace share, whether of one file or of hundreds."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.checks.detection import detect
from ensemble_lsp.checks.interpreters import Interpreter, find_interpreter
from ensemble_lsp.checks.planning import project_of
from ensemble_lsp.checks.sandbox import Sandbox
from ensemble_lsp.checks.shadow_pool import ShadowPool
from ensemble_lsp.checks.witness import Project
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.ensemble.credentials import SecretScan
from ensemble_lsp.settings import Settings

MOST_TOGETHER = 4
"""Copies in use at once; fewer on machines with fewer cores."""

NO_TRUST = "not run: the folder is not trusted"
NO_SANDBOX = "not run: no sandbox can be enforced on this system, and nobody agreed to run code without one"


@dataclass(frozen=True, slots=True)
class CheckParts:
    """What all checks of one workspace share: the project, its copies, and under which confinement code runs."""

    project: Project
    pool: ShadowPool
    sandbox: Sandbox
    interpreter: Interpreter
    refusal: str
    """Why nothing of the project may be run; "" when it may."""
    secrets: SecretScan | None = None
    """What knows the job's secrets: it keeps them out of what tools say."""

    @classmethod
    async def of(
        cls,
        workspace: Path,
        overlays: Mapping[str, SourceText],
        *,
        trusted: bool,
        check_given: bool,
        unconfined: bool,
        settings: Settings,
        scratch: Path | None = None,
        sandbox: Sandbox | None = None,
        secrets: SecretScan | None = None,
    ) -> "CheckParts":
        """Look at the workspace; nothing is copied or run yet. Raises `CheckError` where it cannot be listed."""
        workspace = await asyncio.to_thread(workspace.resolve)
        sandbox = sandbox or await detect()
        pool = ShadowPool(
            workspace,
            overlays,
            scratch or cache_directory() / "shadows",
            size=max(1, min(MOST_TOGETHER, os.cpu_count() or 1)),
            link_dependencies=not sandbox.moves_paths,
        )
        listing = await pool.listing()
        interpreter = await asyncio.to_thread(
            find_interpreter, workspace, configured=settings.execution.python, trusted=trusted
        )
        refusal = "" if trusted or check_given else NO_TRUST
        if not refusal and not sandbox.enforced and not unconfined:
            refusal = NO_SANDBOX
        project = project_of(workspace, listing, overlays, trusted=trusted)
        return cls(project, pool, sandbox, interpreter, refusal, secrets)
