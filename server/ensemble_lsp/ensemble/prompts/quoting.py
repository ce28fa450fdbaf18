"""Quoting what others wrote, so that it cannot end its own quotation.

A quotation is fenced by a boundary that does not occur in the text. The boundary is a hash of what is quoted
and of the whole dossier, not a random number: nobody who writes into a repository can foresee it, the same
question has the same bytes twice (the response cache and the providers' prompt caches depend on that), and a
text that happens to contain it gets another one.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ensemble_lsp.ensemble.ports import Dossier

BOUNDARY_LENGTH = 8
"""Hexadecimal digits; a collision is looked for and avoided, so that few are enough."""

_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Quoting:
    """Quotes texts under one salt; `redact` takes out secrets that edits have put back."""

    salt: str
    take_out: Callable[[str, str], str] = field(default=lambda _where, text: text, repr=False)
    """(where it is from, text) → the text without secrets: those that edits put back, and new ones in logs."""

    @classmethod
    def of(cls, dossier: Dossier) -> "Quoting":
        """Return the quoting of one job."""
        digest = hashlib.sha256()
        for excerpt in (*((dossier.focus,) if dossier.focus else ()), *dossier.related):
            digest.update(f"{excerpt.path}:{excerpt.start_line}\n".encode(errors="surrogatepass"))
            digest.update(excerpt.text.encode(errors="surrogatepass"))
        digest.update(dossier.instructions.encode(errors="surrogatepass"))
        return cls(digest.hexdigest(), dossier.redact)

    def redact(self, text: str) -> str:
        """Return `text` with every secret replaced by its placeholder."""
        return self.take_out("quoted text", text)

    def block(self, title: str, text: str) -> str:
        """Return `text` between two tags that it cannot contain; `title` says what it is, on one line."""
        text = self.redact(text)
        boundary = self._boundary(text)
        name = _one_line(self.redact(title))
        body = text if text.endswith("\n") else text + "\n"
        return f'<data-{boundary} what="{name}">\n{body}</data-{boundary}>'

    def code(self, text: str, language: str = "") -> str:
        """Return `text` in a Markdown fence that is longer than any run of backticks in it.

        The plainest quotation, for small models: by Markdown's rule nothing shorter closes it.
        """
        text = self.redact(text)
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        body = text if text.endswith("\n") else text + "\n"
        return f"{fence}{language}\n{body}{fence}"

    def _boundary(self, text: str) -> str:
        seed = f"{self.salt}\n{text}".encode(errors="surrogatepass")
        # A text holds at most len(text) different boundaries, and each turn draws another one.
        for turn in range(len(text) + 1):
            boundary = hashlib.sha256(seed + str(turn).encode()).hexdigest()[:BOUNDARY_LENGTH]
            if boundary not in text:
                return boundary
        raise AssertionError("unreachable: a text cannot contain more boundaries than characters")


def tail(text: str, characters: int) -> str:
    """Return the end of a log, whole lines, marked where something was left out."""
    if len(text) <= characters:
        return text
    kept = text[-characters:]
    _, newline, rest = kept.partition("\n")
    return "[…]\n" + (rest if newline else kept)


def _one_line(title: str) -> str:
    plain = re.sub(r"[\x00-\x1f\x7f<>\"\u0085\u2028\u2029]+", " ", title)
    return plain[:_LONGEST_TITLE].strip()
