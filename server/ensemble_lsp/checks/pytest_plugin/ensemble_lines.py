"""Which lines of the project each test runs, for pytest in the project's own Python.

Standard library only, nothing newer than Python 3.7. From Python 3.12 on by `sys.monitoring`, which costs a line
once per test; before that by `sys.settrace`. Only files below the working directory count, without installed
packages. A test's lines are told as `{"lines": ID, "of": {PATH: "1-3,5"}}`.
"""

from __future__ import annotations

import os
import sys
import threading

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from types import CodeType, FrameType
    from typing import Any

_TOOL = 4
"""One of the two tool numbers that are free for anybody."""
_MOST_FILES = 300


class LineRecorder:
    """Tells of every test which lines ran from its setup to its teardown."""

    def __init__(self, say: Callable[..., None]) -> None:
        self._say = say
        self._root = os.path.realpath(".") + os.sep
        self._known: dict[str, str] = {}
        self._lines: dict[str, set[int]] = {}

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, None]:
        """Record while the test runs."""
        self._lines = {}
        stop = self._begin()
        try:
            yield
        finally:
            stop()
            of = {path: _ranges(lines) for path, lines in list(self._lines.items())[:_MOST_FILES]}
            self._say(lines=item.nodeid, of=of)

    def _begin(self) -> Callable[[], None]:
        monitoring: Any = getattr(sys, "monitoring", None)
        if monitoring is not None and monitoring.get_tool(_TOOL) is None:
            return self._monitored(monitoring)
        before = sys.gettrace()
        sys.settrace(self._called)
        threading.settrace(self._called)

        def stop() -> None:
            sys.settrace(before)
            threading.settrace(before)

        return stop

    def _monitored(self, monitoring: Any) -> Callable[[], None]:
        monitoring.use_tool_id(_TOOL, "ensemble")

        def line(code: CodeType, number: int) -> object:
            path = self._path(code.co_filename)
            if path:
                self._lines.setdefault(path, set()).add(number)
            return monitoring.DISABLE

        monitoring.register_callback(_TOOL, monitoring.events.LINE, line)
        monitoring.restart_events()
        monitoring.set_events(_TOOL, monitoring.events.LINE)

        def stop() -> None:
            monitoring.set_events(_TOOL, 0)
            monitoring.free_tool_id(_TOOL)

        return stop

    def _called(self, frame: FrameType, _event: str, _argument: object) -> Any:
        path = self._path(frame.f_code.co_filename)
        if not path:
            return None
        lines = self._lines.setdefault(path, set())

        def ran(inner: FrameType, event: str, _argument: object) -> Any:
            if event == "line":
                lines.add(inner.f_lineno)
            return ran

        return ran

    def _path(self, name: str) -> str:
        known = self._known.get(name)
        if known is None:
            full = os.path.realpath(name)
            inside = full.startswith(self._root) and "site-packages" not in full and not name.startswith("<")
            known = full[len(self._root) :].replace(os.sep, "/") if inside else ""
            self._known[name] = known
        return known


def _ranges(lines: Iterable[int]) -> str:
    """Return numbers as "1-3,5"."""
    parts: list[str] = []
    start = end = -1
    for number in sorted(lines):
        if number == end + 1:
            end = number
            continue
        if start > 0:
            parts.append(str(start) if start == end else f"{start}-{end}")
        start = end = number
    if start > 0:
        parts.append(str(start) if start == end else f"{start}-{end}")
    return ",".join(parts)
