"""Ctrl-C while a job runs: the first ends the job in its own order, the second the process at once."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType, TracebackType

from rich.console import Console

from ensemble_lsp.cli.failures import INTERRUPTED

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """Holds the signals while its context is open; outside the main thread it does nothing.

    Enter it before the event loop is made, so that a second Ctrl-C also ends a process whose loop is closing.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._count = 0
        self._before: dict[signal.Signals, object] = {}
        self._job: tuple[asyncio.AbstractEventLoop, Callable[[], None]] | None = None

    def __enter__(self) -> "Interrupts":
        if threading.current_thread() is threading.main_thread():
            self._before = {each: signal.signal(each, self._on_signal) for each in _SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)  # pyright: ignore[reportArgumentType]

    @property
    def interrupted(self) -> bool:
        """Whether the person has asked to stop."""
        return self._count > 0

    def guard(self, on_first: Callable[[], None]) -> None:
        """Cancel the current task at the first signal, after calling `on_first` on its loop."""
        task = asyncio.current_task()
        loop = asyncio.get_running_loop()

        def stop() -> None:
            on_first()
            if task is not None:
                task.cancel()

        self._job = (loop, stop)

    @contextmanager
    def question(self) -> Generator[None]:
        """Let Ctrl-C break off a question that waits for a line: reading goes on after any other handler."""
        if not self._before:
            yield
            return
        held = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, held)

    def stop(self) -> None:
        """Do what the first Ctrl-C does."""
        self._on_signal(signal.SIGINT, None)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._count += 1
        if self._count > 1:
            self._end_now()
        if self._job is None:
            raise KeyboardInterrupt
        loop, stop = self._job
        if loop.is_closed():
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop)

    def _end_now(self) -> None:
        # No unwinding: it is what the person has been waiting for. Helpers end with our end of their pipes.
        if self._console.is_terminal:
            self._console.show_cursor(True)
        os._exit(INTERRUPTED)
