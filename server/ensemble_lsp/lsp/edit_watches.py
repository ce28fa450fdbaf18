"""What an edit that was sent is to bring about, and whether it has been seen: an editor's answer proves nothing."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Mapping

from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.live_files import LiveFile
from ensemble_lsp.lsp.proposals import KeptProposal, ProposalBook

LOOKED_AGAIN = 0.1
"""Seconds between two looks at files that are not open: some editors write those without opening them."""


class EditWatch(ABC):
    """Looks at every text that a document ever has, until what is waited for has been seen."""

    def __init__(self, book: ProposalBook, kept: KeptProposal, candidate: str | None) -> None:
        self._book = book
        self._kept = kept
        self._candidate = candidate
        self._news = asyncio.Event()
        self.waiting: set[str] = set()
        """The URIs of files in which nothing has been seen yet."""

    def look(self, document: Document) -> None:
        """A document has a new text."""
        del document
        self.look_at_files()
        self._news.set()

    @abstractmethod
    def look_at_files(self) -> None:
        """Look at all files that are still waited for, open or not."""

    async def until_seen(self) -> None:
        """Return when nothing is waited for any more; who calls it bounds the time."""
        self.look_at_files()
        while self.waiting:
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOKED_AGAIN)
            self.look_at_files()

    def _files(self) -> tuple[LiveFile, ...]:
        return self._book.live_files(self._kept, self._candidate)


class ExpectedTexts(EditWatch):
    """Waits for the text proposed in every file that the edit touches.

    A file counts as changed when it has that text, or when none of the hunks sent is left to do in it: who types on
    at once may never leave the exact text to be seen.
    """

    def __init__(
        self,
        book: ProposalBook,
        kept: KeptProposal,
        candidate: str | None,
        texts: Mapping[str, str | None],
        hunks: frozenset[str] | None,
    ) -> None:
        super().__init__(book, kept, candidate)
        self._texts = texts
        self._ids = {
            file.uri: frozenset(each.id for each in file.applicable(hunks)) for file in self._files()
        }
        self.waiting = set(texts)

    def look(self, document: Document) -> None:
        """A document has a new text."""
        if document.uri in self.waiting and self._texts[document.uri] == document.text:
            self.waiting.discard(document.uri)
        super().look(document)

    def look_at_files(self) -> None:
        """Look at all files that are still waited for, open or not."""
        if not self.waiting:
            return
        for file in self._files():
            if file.uri in self.waiting and self._ids[file.uri].isdisjoint(each.id for each in file.hunks):
                self.waiting.discard(file.uri)


class FirstOfConfirmed(EditWatch):
    """Waits until a first hunk of an edit that the person confirms has been seen: what they take is up to them."""

    def __init__(self, book: ProposalBook, kept: KeptProposal) -> None:
        super().__init__(book, kept, None)
        self._before = self._left()
        self.waiting = {uri for uri, left in self._before.items() if left}

    def look_at_files(self) -> None:
        """Look whether any file has less left to do."""
        now = self._left()
        if any(now.get(uri, 0) < left for uri, left in self._before.items()):
            self.waiting.clear()

    def _left(self) -> dict[str, int]:
        return {file.uri: len(file.hunks) for file in self._files()}
