"""Which messages speak of security, and the CWE numbers in them."""

import re

from ensemble_lsp.core.evidence import Diagnostic

_SOURCES = frozenset({"bandit", "secrets", "semgrep"})
_SAME_KIND = {"CWE-259": "CWE-798", "CWE-321": "CWE-798"}
"""Hard-coded passwords and keys are hard-coded credentials (MITRE lists both as children of CWE-798)."""
_CWE = re.compile(r"\bCWE[-_ ]?0*(\d{1,5})\b", re.IGNORECASE)


def is_security(item: Diagnostic) -> bool:
    """Whether a tool's message is looked at in a security review: of semgrep all that the project's rules say."""
    return item.source.lower() in _SOURCES or (
        item.source.lower() == "ruff" and bool(re.match(r"S\d", item.code))
    )


def kind_of_weakness(cwe: str) -> str:
    """Return the id under which tools that number one weakness differently meet."""
    return _SAME_KIND.get(cwe, cwe)


def cwe_of(text: str) -> str:
    """Return the first CWE id that a text names, as `CWE-89`, or ""."""
    match = _CWE.search(text)
    return f"CWE-{match.group(1)}" if match else ""
