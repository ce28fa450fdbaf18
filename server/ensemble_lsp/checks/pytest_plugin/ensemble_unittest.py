"""Runs one file of unittest's cases and writes each test's outcome to a file, in the form of `ensemble_results`.

    python -m ensemble_unittest PATH [CLASS.METHOD…]

For a project whose Python has no pytest: standard library only, nothing newer than Python 3.7. Ids are pytest's
(`PATH::Class::method`). A test is ended after `ENSEMBLE_TEST_SECONDS`; what went wrong is printed as unittest does,
without how long it took.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
import unittest
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType
    from typing import TextIO

    _Problem = tuple[type[BaseException], BaseException, TracebackType]

_NO_TESTS = 5
"""pytest's exit code for it."""


class _TookTooLongError(Exception):
    """A test did not end in time."""


class _Result(unittest.TestResult):
    """Tells the outcome of each test as soon as it has ended."""

    def __init__(self, results: TextIO, path: str, seconds: float) -> None:
        super().__init__()
        self._results = results
        self._path = path
        self._seconds = seconds
        self._before = (0, 0, 0)

    def say(self, **line: object) -> None:
        """Write one line."""
        self._results.write(json.dumps(line) + "\n")
        self._results.flush()

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        """Tell that it begins, and set its clock."""
        super().startTest(test)
        self._before = self._counts()
        self.say(start=self._id(test))
        if self._seconds:
            signal.signal(signal.SIGALRM, _ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        """Tell how it ended: failing subtests and what was to fail and did not are among the failures."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        failed, late, skipped = (now - then for now, then in zip(self._counts(), self._before))  # noqa: B905 - newer than 3.7
        outcome = "timedOut" if late else "failed" if failed else "skipped" if skipped else "passed"
        self.say(id=self._id(test), outcome=outcome, when="call")
        super().stopTest(test)

    def print_problems(self) -> None:
        """Print what went wrong as unittest does."""
        for word, problems in (("ERROR", self.errors), ("FAIL", self.failures)):
            for test, text in problems:
                sys.stderr.write(f"{'=' * 70}\n{word}: {test}\n{'-' * 70}\n{text}\n")

    def _counts(self) -> tuple[int, int, int]:
        late = sum(_TookTooLongError.__name__ in text for _, text in self.errors)
        failed = len(self.failures) + len(self.errors) + len(self.unexpectedSuccesses)
        return failed, late, len(self.skipped)

    def _id(self, test: unittest.TestCase) -> str:
        return f"{self._path}::{_name_of(test).replace('.', '::')}"


def _ring(_number: int, _frame: FrameType | None) -> None:
    raise _TookTooLongError("no end in time")


def _loaded(path: str) -> unittest.TestSuite:
    """Import the file by its own name, from the folder where its packages begin."""
    file = Path(path).resolve()
    parts = [file.stem]
    folder = file.parent
    # At most one turn per folder.
    while (folder / "__init__.py").exists() and folder != folder.parent:
        parts.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    return unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(".".join(parts)))


def _cases(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from _cases(item)
        else:
            yield item


def _name_of(case: unittest.TestCase) -> str:
    return ".".join(case.id().split(".")[-2:])


def _is_wanted(case: unittest.TestCase, wanted: set[str]) -> bool:
    return not wanted or _name_of(case) in wanted


def main() -> int:
    """Run what the command line names."""
    path, wanted = sys.argv[1], set(sys.argv[2:])
    handle = os.open(os.environ.pop("ENSEMBLE_RESULTS"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    seconds = float(os.environ.get("ENSEMBLE_TEST_SECONDS", "0"))
    with os.fdopen(handle, "w") as results:
        result = _Result(results, path, seconds)
        try:
            suite = _loaded(path)
        except BaseException as problem:  # noqa: BLE001 - whatever a module does when it is imported
            traceback.print_exc()
            result.say(broken=path, text=f"{type(problem).__name__}: {problem}")
            result.say(exit=2)
            return 2
        chosen = unittest.TestSuite(case for case in _cases(suite) if _is_wanted(case, wanted))
        chosen.run(result)
        result.print_problems()
        code = 1 if not result.wasSuccessful() else 0 if result.testsRun else _NO_TESTS
        result.say(exit=code)
    return code


if __name__ == "__main__":
    sys.exit(main())
