"""Secrets out of everything that leaves, and back into edits where their placeholders stand."""

import re
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from ensemble_lsp.context.secret_literals import literal_spans
from ensemble_lsp.context.secret_patterns import PATTERNS, Span, private_key_spans
from ensemble_lsp.core.text import split_lines
from ensemble_lsp.ensemble.credentials import Credential
from ensemble_lsp.ensemble.ports import Redaction

MARKER = "ENSEMBLE_REDACTED_"
"""What placeholders begin with; a number follows."""

_PLACEHOLDER = re.compile(rf"{MARKER}([0-9]+)")
_LITERAL = "placeholder in the text itself"
_WORD_REST = re.compile(r"[A-Za-z0-9_]*")
_REPEATED_LENGTH = 8
"""A secret this long is taken out wherever it stands again, also where no rule would see it."""
_REMEMBERED = 32
"""Texts whose redacted form is kept: each is asked for again within moments, once for every member."""
_REPEATED_SECRETS = 1_000
"""As many are looked for again: a generated file of tokens must not make this quadratic."""


class Redactor:
    """Replaces the secrets of one job's texts by placeholders; the same secret gets the same placeholder.

    Lines keep their numbers: a secret over several lines gets a placeholder per line. `restore` undoes
    `redact` exactly, also for a text that contained such a placeholder itself: it gets one of its own.
    Threads may share one; numbers then follow the order of the calls.
    """

    __slots__ = ("_by_placeholder", "_by_secret", "_found", "_lock", "_remembered", "_repeated")

    def __init__(self) -> None:
        self._by_secret: dict[str, str] = {}
        self._by_placeholder: dict[str, str] = {}
        self._repeated: dict[str, str] = {}
        self._found: dict[Redaction, None] = {}
        self._remembered: dict[tuple[str, str, bool], tuple[int, str]] = {}
        """Path, text and whether it is quoted → how many secrets were known then, and the text without them."""
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Redactor: {len(self._by_secret)} secrets>"

    @property
    def redactions(self) -> tuple[Redaction, ...]:
        """What was taken out, without the secrets. Lines are 0-based."""
        with self._lock:
            return tuple(self._found)

    def redact(self, path: str, text: str) -> str:
        """Return `text` without its secrets; `path` (or a word like "instruction") says where it is from."""
        return self._remembering(path, text, quoted=False)

    def redact_quoted(self, where: str, text: str) -> str:
        """Return a text that may hold placeholders of this job without its secrets; the placeholders stay.

        For what is quoted in a prompt, which is partly redacted already. Of a file that edits are placed in take
        `redact`: a placeholder that stood there before is a text like any other.
        """
        return self._remembering(where, text, quoted=True)

    def _remembering(self, path: str, text: str, *, quoted: bool) -> str:
        key = (path, text, quoted)
        with self._lock:
            # A secret found since could stand in the text, too.
            known, redacted = self._remembered.pop(key, (-1, ""))
            if known != len(self._by_secret):
                redacted = self._redacted(path, text, quoted=quoted)
            self._remembered[key] = (len(self._by_secret), redacted)
            if len(self._remembered) > _REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
            return redacted

    def credentials(self, path: str, text: str) -> tuple[Credential, ...]:
        """Return the secrets that `redact` would take out of `text`; nothing is remembered of it."""
        with self._lock:
            spans = _merged(self._spans(path, text), text)
        starts = _line_starts(text)
        return tuple(
            Credential(bisect_right(starts, start) - 1, kind, text[start:end])
            for start, end, kind in spans
            if kind != _LITERAL
        )

    def _redacted(self, path: str, text: str, *, quoted: bool) -> str:
        spans = _merged(self._spans(path, text), text)
        if quoted and spans:
            standing = [m.span() for m in _PLACEHOLDER.finditer(text) if m.group() in self._by_placeholder]
            spans = list(_outside(spans, standing))
        if not spans:
            return text
        starts = _line_starts(text)
        parts: list[str] = []
        at = 0
        for start, end, kind in spans:
            placeholder = self._placeholder(text[start:end], kind)
            parts += [text[at:start], placeholder]
            at = end
            if kind != _LITERAL:
                line = bisect_right(starts, start) - 1
                self._found[Redaction(placeholder=placeholder, kind=kind, path=path, line=line)] = None
        parts.append(text[at:])
        return "".join(parts)

    def restore(self, text: str) -> str:
        """Return `text` with each placeholder that was handed out replaced by its secret."""
        return _PLACEHOLDER.sub(lambda match: self._by_placeholder.get(match.group(), match.group()), text)

    def _spans(self, path: str, text: str) -> list[Span]:
        lowered = text.lower()
        spans: list[Span] = [(m.start(), m.end(), _LITERAL) for m in _PLACEHOLDER.finditer(text)]
        spans += private_key_spans(text)
        for pattern in PATTERNS:
            spans += pattern.spans(text, lowered)
        spans += literal_spans(path, text)
        # First the secrets of this text, then all that are known by now, wherever they stand.
        fresh = [(text[start:end], kind) for start, end, kind in spans if kind != _LITERAL]
        known = {secret: kind for secret, kind in fresh if _unmistakable(secret)} | self._repeated
        for secret, kind in islice(known.items(), _REPEATED_SECRETS):
            at = text.find(secret)
            while at >= 0:
                spans.append((at, at + len(secret), kind))
                at = text.find(secret, at + len(secret))
        return [span for span in spans if not _part_of_marker(text[span[0] : span[1]])]

    def _placeholder(self, secret: str, kind: str) -> str:
        placeholder = self._by_secret.get(secret)
        if placeholder is None:
            placeholder = f"{MARKER}{len(self._by_secret) + 1}"
            self._by_secret[secret] = placeholder
            self._by_placeholder[placeholder] = secret
            if kind != _LITERAL and _unmistakable(secret):
                self._repeated[secret] = kind
        return placeholder


def _line_starts(text: str) -> list[int]:
    return [0, *accumulate(map(len, split_lines(text)))]


def _unmistakable(secret: str) -> bool:
    """Whether the secret is long and odd enough to be the same thing wherever it stands."""
    return len(secret) >= _REPEATED_LENGTH and not secret.isalpha() and "\n" not in secret


def _part_of_marker(secret: str) -> bool:
    return secret in MARKER


def _merged(spans: list[Span], text: str) -> list[Span]:
    """Return disjoint spans in order, each grown to the end of its word and cut at line ends.

    Growing keeps the rest of a key that is longer than its pattern from staying behind, and a digit from
    running into the placeholder's number.
    """
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        rest = _WORD_REST.match(text, end)
        end = rest.end() if rest else end  # noqa: PLW2901
        if merged and start < merged[-1][1]:
            last_start, last_end, last_kind = merged[-1]
            merged[-1] = (last_start, max(last_end, end), kind if last_kind == _LITERAL else last_kind)
        else:
            merged.append((start, end, kind))
    return [piece for span in merged for piece in _by_lines(span, text)]


def _outside(spans: Iterable[Span], standing: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """Yield what of the spans lies outside the stretches `standing`; both are in order and disjoint."""
    for start, end, kind in spans:
        at = start
        for first, last in standing:
            if last <= at or first >= end:
                continue
            if first > at:
                yield at, first, kind
            at = last
        if at < end:
            yield at, end, kind


def _by_lines(span: Span, text: str) -> list[Span]:
    start, end, kind = span
    found = text[start:end]
    if "\n" not in found and "\r" not in found:
        return [span]
    return [(start + line.start(), start + line.end(), kind) for line in re.finditer(r"[^\r\n]+", found)]
