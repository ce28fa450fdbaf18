"""Whether the command of `--check` can be there at all: known before any call is paid for."""

import os
import shutil
import sys
from pathlib import Path

from ensemble_lsp.checks.witnesses.command import split_command
from ensemble_lsp.core.errors import UsageError

_PROGRAM_FOLDERS = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin")
"""Where projects keep programs of their own; the sandbox looks there too where the project uses them."""

_SHELL = "/bin/sh"


def refuse_unknown_command(command: str, workspace: Path) -> None:
    """Raise `UsageError` for a command line that cannot be read or whose program is nowhere to be found."""
    program = next(iter(split_command(command)), "")
    if not program:
        raise UsageError("the check's command is empty", field="--check", hint='--check "pytest -q"')
    if program == _SHELL:  # a line with pipes and the like: only the shell can tell
        return
    if os.sep in program:
        found = (workspace / program).exists()
    else:
        own = [str(workspace / folder) for folder in _PROGRAM_FOLDERS]
        places = [os.environ.get("PATH", os.defpath), *own, str(Path(sys.executable).parent)]
        found = shutil.which(program, path=os.pathsep.join(places)) is not None
    if not found:
        raise UsageError(
            f"the check's command was not found: {program}",
            field="--check",
            hint="name a program that is installed, or the id of a check in the settings",
        )
