"""What of the person's environment a confined run gets to see."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

_ALLOWED = ("LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "SYSTEMROOT")
_SYSTEM_PATH = (
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/opt/homebrew/bin",
)


def allowed_environment(
    *, home: str, temporary: str, path: tuple[str, ...] = (), source: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the variables of a confined run: an allow list, a home and a temporary folder of its own.

    No key, token or agent socket is on the list. `path` comes before the system's own folders; `source` is
    this process's environment unless given.
    """
    source = os.environ if source is None else source
    kept = {
        name: value
        for name, value in source.items()
        if name in _ALLOWED or (name.startswith("LC_") and name.replace("_", "").isalpha())
    }
    return kept | {
        "PATH": os.pathsep.join(dict.fromkeys((*path, *_SYSTEM_PATH))),
        "HOME": home,
        "TMPDIR": temporary,
        "USER": "ensemble",
        "LOGNAME": "ensemble",
        "TERM": "dumb",
        "NO_COLOR": "1",
        # A changed file of equal size within the same second would be taken for the one compiled before.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONHASHSEED": "0",
    }


def own_interpreter_paths() -> tuple[Path, ...]:
    """Return the folders that the Python running this needs to read."""
    return tuple(dict.fromkeys((Path(sys.prefix), Path(sys.base_prefix))))


def package_root() -> Path:
    """Return the folder that holds the package `ensemble_lsp`."""
    return Path(__file__).resolve().parents[2]
