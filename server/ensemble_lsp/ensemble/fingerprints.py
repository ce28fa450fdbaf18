"""What a finding is known by in later reviews: the code that it speaks of, not the words that a model chose."""

from ensemble_lsp.core.findings import fingerprint_of
from ensemble_lsp.ensemble.grounding import lines_of
from ensemble_lsp.ensemble.ports import Deliberation

_SECRET = "(a secret)"  # noqa: S105


def fingerprint_at(deliberation: Deliberation, path: str, line: int, quote: str, category: str) -> str:
    """Return the fingerprint of a finding on a line (0-based) of a file; `quote` is that line, secrets taken out.

    Of equal lines in one symbol it counts which one it is of how many: when one is added or goes, what was
    dismissed on them is shown again, rather than something left out that nobody dismissed.
    """
    source = deliberation.dossier.files.get(path)
    symbol, occurrence = "", ""
    if source is not None:
        lines = lines_of(source.text)
        around = deliberation.checks.enclosing(path, source.text, line)
        symbol, first, last = around or ("", 0, len(lines) - 1)
        here = _plain(lines[line]) if line < len(lines) else ""
        equal = [
            number for number in range(first, min(last + 1, len(lines))) if _plain(lines[number]) == here
        ]
        if len(equal) > 1 and line in equal:
            occurrence = f"{equal.index(line) + 1} of {len(equal)}"
    # The placeholders of secrets are numbered anew in each job.
    for redaction in deliberation.dossier.redactions:
        quote = quote.replace(redaction.placeholder, _SECRET)
    return fingerprint_of(category, quote, symbol, occurrence)


def _plain(line: str) -> str:
    return " ".join(line.split())
