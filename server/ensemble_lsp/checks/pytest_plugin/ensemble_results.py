"""A pytest plugin that writes each test's outcome to a file as soon as it is known.

It runs in the project's own Python, together with the project's own pytest: standard library only, nothing
newer than Python 3.7. The file's lines are JSON objects: `{"start": ID}`, `{"id": ID, "outcome": …}` with
`passed`, `failed`, `skipped` or `timedOut`, `{"broken": ID, "text": …}` for a file that cannot be collected,
and at the end `{"exit": CODE}`. A run that is cut off leaves what it got to.

A single test is ended after `ENSEMBLE_TEST_SECONDS`, so that one that hangs does not hide the others; a
project that sets time limits of its own (pytest-timeout) is left alone.

PYTEST_DONT_REWRITE: there is no assertion here, and looking for one takes longer than the import.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import threading

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType
    from typing import Any, TextIO


class _Recorder:
    def __init__(self, file: TextIO, seconds: float) -> None:
        self._file = file
        self._seconds = seconds
        self._late: set[str] = set()
        self._failed: set[str] = set()

    def say(self, **line: object) -> None:
        """Write one line."""
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.say(start=nodeid)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, None]:
        """End a test that takes too long, where signals can reach it."""
        if not self._seconds or threading.current_thread() is not threading.main_thread():
            yield
            return

        def ring(_number: int, _frame: FrameType | None) -> None:
            self._late.add(item.nodeid)
            pytest.fail(f"no end after {self._seconds:g} s")

        before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            text = str(report.longrepr).strip().splitlines()
            self.say(broken=report.nodeid, text=text[-1] if text else "")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome: str = report.outcome
        if report.nodeid in self._failed or (report.when != "call" and outcome == "passed"):
            return
        if outcome == "skipped" and hasattr(report, "wasxfail"):
            outcome = "passed"  # it failed as it was expected to
        if outcome == "failed":
            self._failed.add(report.nodeid)
            if report.nodeid in self._late:
                outcome = "timedOut"
        self.say(id=report.nodeid, outcome=outcome, when=str(report.when))

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self.say(exit=int(exitstatus))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a fork be told to record lines: its environment is that of the pytest that it was made from."""
    parser.addoption("--ensemble-lines", action="store_true", help="record which lines each test runs")


def pytest_configure(config: pytest.Config) -> None:
    """Start recording, unless this is a worker of pytest-xdist or a pytest inside a pytest."""
    path = os.environ.get("ENSEMBLE_RESULTS")
    if not path or "PYTEST_XDIST_WORKER" in os.environ:
        return
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        return
    seconds = (
        0.0
        if config.pluginmanager.has_plugin("timeout")
        else float(os.environ.get("ENSEMBLE_TEST_SECONDS", "0"))
    )
    recorder = _Recorder(os.fdopen(handle, "w"), seconds)
    config.pluginmanager.register(recorder, "ensemble-recorder")
    if os.environ.get("ENSEMBLE_LINES") or config.getoption("ensemble_lines", False):
        # It stands beside this file, where only pytest's own Python finds it.
        lines: Any = importlib.import_module("ensemble_lines")
        config.pluginmanager.register(lines.LineRecorder(recorder.say), "ensemble-lines")
