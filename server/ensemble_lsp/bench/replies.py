"""Every answer of a run, kept in its own folder: the same question is asked and paid for once.

Unlike the product's cache it keeps what an answer cost, lets none go, and keeps answers that were cut off or not of
the form asked for: within a run the same question has the same answer, in every way of answering.
"""

import json
from pathlib import Path

from ensemble_lsp.bench.appended import append_line, whole_lines
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.ensemble.ports import ModelReply

FILE_NAME = "replies.jsonl"


class _Line(Frozen):
    key: str
    reply: ModelReply


class KeptReplies:
    """The answers so far, by the hash of the full request; `open` is its only maker."""

    def __init__(self, path: Path, replies: dict[str, ModelReply]) -> None:
        self._path = path
        self._replies = replies

    @classmethod
    def open(cls, directory: Path) -> "KeptReplies":
        """Read what is kept; a last line that a kill cut off is dropped. Raises `UsageError` for other files."""
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / FILE_NAME
        replies: dict[str, ModelReply] = {}
        for number, line in enumerate(whole_lines(path), start=1):
            try:
                kept = _Line.model_validate(json.loads(line))
            except ValueError as problem:
                raise UsageError(
                    f"{path}, line {number}: no kept answer of this version", field="--out"
                ) from problem
            replies[kept.key] = kept.reply
        return cls(path, replies)

    @property
    def paid(self) -> Spend:
        """What the kept answers cost, all together, when they were made."""
        return sum((reply.spend for reply in self._replies.values()), Spend())

    def get(self, key: str) -> ModelReply | None:
        """Return the answer to a request, with what it cost when it was made."""
        return self._replies.get(key)

    def put(self, key: str, reply: ModelReply) -> None:
        """Keep an answer for good."""
        self._replies[key] = reply
        append_line(self._path, _Line(key=key, reply=reply))
