"""Versions of a workspace: what makes two the same, and which messages were there before."""

import hashlib
from collections.abc import Sequence

from ensemble_lsp.core.evidence import Diagnostic, Evidence
from ensemble_lsp.core.proposals import FileChange


def identity(changes: Sequence[FileChange]) -> str:
    """Return a name that is the same for the same versions of the same files only."""
    digest = hashlib.sha256()
    for change in sorted(changes, key=lambda item: item.path):
        after = b"deleted" if change.after is None else b"is " + change.after.to_bytes_for_tools()
        for part in (change.path.encode("utf-8", "surrogatepass"), after):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def without_known(evidence: Evidence, paths: set[str], known: Sequence[Diagnostic]) -> Evidence:
    """Take out messages about `paths` that were there before, as often as they were there before."""
    left = [item.fingerprint() for item in known]
    kept: list[Diagnostic] = []
    for item in evidence.diagnostics:
        if item.path in paths and item.fingerprint() in left:
            left.remove(item.fingerprint())
        else:
            kept.append(item)
    return evidence.model_copy(update={"diagnostics": tuple(kept)})
