"""What the launcher is told on its standard input, and what it answers.

Plain classes and `marshal`: `dataclasses`, `typing` and `json` would double what a confined run costs. The same
interpreter is at both ends, and what is read by `marshal` comes from the engine only.
"""

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    Method = Literal["bubblewrap", "namespaces", "landlock", "seatbelt", "none"]
    """How a run is confined: by bubblewrap; by namespaces and Landlock; by Landlock and a filter on system
    calls where namespaces are not to be had; by macOS's sandbox-exec; or not at all."""


class Specification:
    """One confined run. All paths are absolute and, apart from targets, as the engine sees them."""

    def __init__(
        self,
        *,
        method: "Method",
        argv: "Sequence[str]",
        environment: dict[str, str],
        directory: str,
        shown: "Sequence[tuple[str, str, bool]]" = (),
        staging: str = "",
        status: int = -1,
        parent: int = 0,
        processes: int = 256,
        memory_bytes: int = 4 << 30,
        file_bytes: int = 1 << 30,
        open_files: int = 4096,
    ) -> None:
        self.method: Method = method
        self.argv = list(argv)
        self.environment = environment
        self.directory = directory
        """Working directory as the command sees it."""
        self.shown = list(shown)
        """(source, where the command sees it, writable), parents before children."""
        self.staging = staging
        """An empty directory of this run, where the new root is put together."""
        self.status = status
        """File descriptor for the `Status`, -1 for none."""
        self.parent = parent
        """Process id of who started it: the run ends with it."""
        self.processes = processes
        self.memory_bytes = memory_bytes
        self.file_bytes = file_bytes
        self.open_files = open_files

    def encode(self) -> bytes:
        """Return the bytes that `decode` reads."""
        return marshal.dumps(self.__dict__)

    @classmethod
    def decode(cls, data: bytes) -> "Specification":
        """Read it back; raises `ValueError`, `EOFError` or `TypeError` for anything else."""
        return cls(**marshal.loads(data))  # noqa: S302 - from the engine, see above


class Status:
    """How a confined run ended."""

    def __init__(self, *, code: int | None = None, stopped: str = "", failed: str = "") -> None:
        self.code = code
        """Exit code; negative for a signal, as `subprocess` has it. None when the command was ended or never ran."""
        self.stopped = stopped
        """Why the launcher ended it: "processes", "memory" or "cancelled"."""
        self.failed = failed
        """Why it could not be run; "not found: NAME" when there is no such program."""

    def encode(self) -> bytes:
        """Return three lines of text."""
        code = "" if self.code is None else str(self.code)
        return f"{code}\n{self.stopped}\n{self.failed}".encode("utf-8", "replace")

    @classmethod
    def decode(cls, data: bytes) -> "Status":
        """Read it back; nothing (the launcher was killed) is a status without a code."""
        if not data:
            return cls(failed="the run was ended from outside")
        code, stopped, failed = data.decode("utf-8", "replace").split("\n", 2)
        return cls(code=int(code) if code else None, stopped=stopped, failed=failed)
