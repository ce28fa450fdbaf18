"""Secrets out of what tools say: scanners quote what they warn of, and tests print what they compare."""

import functools

from ensemble_lsp.core.evidence import Evidence
from ensemble_lsp.ensemble.credentials import SecretScan


def without_secrets(evidence: Evidence, secrets: SecretScan) -> Evidence:
    """Return the evidence without secrets in its words, log and messages; names of tests stay as they are."""

    @functools.cache
    def clean(text: str) -> str:
        return secrets.redact_quoted("check", text) if text else text

    return evidence.model_copy(
        update={
            "summary": clean(evidence.summary),
            "log": clean(evidence.log),
            "diagnostics": tuple(
                item.model_copy(update={"message": clean(item.message)}) for item in evidence.diagnostics
            ),
        }
    )
