"""Which messages speak of security, and the CWE numbers in them."""

import re

from ensemble_lsp.core.evidence import Diagnostic

_SOURCES = frozenset({"bandit", "secrets", "semgrep"})
_CWE = re.compile(r"\bCWE[-_ ]?0*(\d{1,5})\b", re.IGNORECASE)


def is_security(item: Diagnostic) -> bool:
    """Whether a tool's message speaks of security."""
    return item.source.lower() in _SOURCES or (
        item.source.lower() == "ruff" and bool(re.match(r"S\d", item.code))
    )


def cwe_of(text: str) -> str:
    """Return the first CWE id that a text names, as `CWE-89`, or ""."""
    match = _CWE.search(text)
    return f"CWE-{match.group(1)}" if match else ""
