"""Credentials in the code, as a tool's messages: what was taken out before anything is sent, without its value."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.ensemble.ports import Dossier

SOURCE = "secrets"
_GUESSED = frozenset({"high-entropy literal"})
"""Known by looking random alone: enough to keep it from leaving, and to back a member's word, not for a finding."""


@dataclass(frozen=True, slots=True)
class Credential:
    """One credential in a text. `line` is 0-based."""

    line: int
    kind: str
    value: str = field(repr=False)


class SecretScan(Protocol):
    """What knows the secrets of a job."""

    def credentials(self, path: str, text: str) -> Sequence[Credential]:
        """Return what looks like a credential, or is known to be one, in the order of the text."""
        ...

    def redact_quoted(self, where: str, text: str) -> str:
        """Return what somebody said without the secrets in it; `where` is a word like "check"."""
        ...


def as_diagnostic(path: str, line: int, kind: str) -> Diagnostic:
    """Return the message about a credential (CWE-798), without its value."""
    return Diagnostic(
        path=path,
        line=line,
        end_line=line,
        severity=Severity.INFO if kind in _GUESSED else Severity.WARNING,
        source=SOURCE,
        code=kind.replace(" ", "-").lower(),
        message=f"A hard-coded credential: {kind} (CWE-798)",
    )


def credentials_in(dossier: Dossier, path: str) -> list[Diagnostic]:
    """Return a message for every line on which a credential stands; its value is in none of them."""
    kinds = {(item.line, item.kind) for item in dossier.redactions if item.path == path}
    return [as_diagnostic(path, line, kind) for line, kind in sorted(kinds)]
