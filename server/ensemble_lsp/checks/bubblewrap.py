"""The command line of bubblewrap for one confined run."""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from ensemble_lsp.checks.confine.specification import Specification

_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin")
"""Where an administrator puts it; one in a folder of the person's PATH could come from a workspace."""

PACKAGE_ROOT = "/.ensemble"


def find() -> str | None:
    """Return the path of the system's bubblewrap, or None."""
    return shutil.which("bwrap", path=os.pathsep.join(_FOLDERS))


def arguments(specification: Specification, launcher_paths: Iterable[str], package: str) -> list[str]:
    """Return bubblewrap's options: new namespaces, the system read-only, and what is shown.

    `launcher_paths` are what our own launcher needs, which runs inside and keeps the limits there; `package` is
    this package, shown where no workspace can cover it.
    """
    from ensemble_lsp.checks.confine.namespaces import system_paths  # noqa: PLC0415 - Linux only

    options = ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for path in system_paths():
        if Path(path).is_symlink():
            options += ["--symlink", str(Path(path).readlink()), path]
        else:
            options += ["--ro-bind", path, path]
    options += ["--proc", "/proc", "--dev", "/dev"]
    for path in launcher_paths:
        options += ["--ro-bind", path, path]
    for source, target, writable in specification.shown:
        options += ["--bind" if writable else "--ro-bind", source, target]
    options += ["--ro-bind", package, f"{PACKAGE_ROOT}/{Path(package).name}"]
    return [*options, "--remount-ro", "/", "--chdir", "/"]
