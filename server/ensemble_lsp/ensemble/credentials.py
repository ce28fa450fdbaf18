"""Credentials in the code, as a tool's messages: what was taken out before anything is sent, without its value."""

from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.ensemble.ports import Dossier

SOURCE = "secrets"
_GUESSED = frozenset({"high-entropy literal"})
"""Known by looking random alone: enough to keep it from leaving, and to back a member's word, not for a finding."""


def credentials_in(dossier: Dossier, path: str) -> list[Diagnostic]:
    """Return a message for every line on which a credential stands (CWE-798); its value is in none of them."""
    kinds = {(item.line, item.kind) for item in dossier.redactions if item.path == path}
    return [
        Diagnostic(
            path=path,
            line=line,
            end_line=line,
            severity=Severity.INFO if kind in _GUESSED else Severity.WARNING,
            source=SOURCE,
            code=kind.replace(" ", "-").lower(),
            message=f"A hard-coded credential: {kind} (CWE-798)",
        )
        for line, kind in sorted(kinds)
    ]
