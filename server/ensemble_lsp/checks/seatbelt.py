"""The profile of macOS's sandbox-exec for one confined run."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from ensemble_lsp.checks.confine.specification import Specification


def find() -> str | None:
    """Return the path of sandbox-exec, or None."""
    return shutil.which("sandbox-exec", path="/usr/bin")


def _quoted(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'


def profile(specification: Specification, launcher_paths: Iterable[str], *, home: Path | None = None) -> str:
    """Return a profile in which the last rule that matches counts.

    Everything may be read but the person's folders (`home` and its siblings), of which only what is shown;
    writing is possible in what is shown as writable alone; no network, no other process.
    """
    homes = (home or Path.home()).resolve().parent
    readable = [path for _, path, _ in specification.shown] + list(launcher_paths)
    writable = [path for _, path, allowed in specification.shown if allowed]
    lines = [
        "(version 1)",
        "(allow default)",
        "(deny network*)",
        "(deny file-write*)",
        "(deny signal (target others))",
        "(allow signal (target children))",
        "(deny process-info* (target others))",
        "(deny mach-lookup)",
        '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
        '(allow mach-lookup (global-name "com.apple.system.notification_center"))',
        f"(deny file-read-data (subpath {_quoted(str(homes))}))",
        '(deny file-read-data (subpath "/private/tmp"))',
        '(deny file-read-data (subpath "/private/var/folders"))',
        '(deny file-read-data (subpath "/Volumes"))',
    ]
    lines += [f"(allow file-read-data (subpath {_quoted(str(Path(path).resolve()))}))" for path in readable]
    lines += [f"(allow file-write* (subpath {_quoted(str(Path(path).resolve()))}))" for path in writable]
    lines += [
        '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper"))'
    ]
    return "\n".join(lines)
