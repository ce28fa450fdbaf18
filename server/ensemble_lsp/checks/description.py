"""What a job's checks consist of, in words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChecksDescription:
    """What a job's checks consist of, for `ensemble-lsp doctor`."""

    sandbox: str
    enforced: bool
    detail: tuple[str, ...]
    interpreter: str
    witnesses: tuple[str, ...]
    tests: tuple[str, ...]
    left_out: tuple[str, ...]
    """Files of the workspace that are not in the copy: secrets, links out of it, very large files."""
