"""Runs the same tests over many versions of one file, fast: pytest starts once, and every version gets a fork of it.

    python -m ensemble_trials SPECIFICATION

It runs in the project's own Python, in the sandbox: standard library and pytest only, nothing newer than Python
3.7. The specification is a JSON file: `path` of the file, its `versions` (bytes, as Latin-1), pytest's `arguments`,
the `least` and the `most` seconds of the processor that a version gets, and what all get `together`, `further`: how
many versions are still tried after one that passed. Between least and most, a version gets twice what the file as
it stands needs for all of the tests. To the file that `ENSEMBLE_RESULTS` names it writes one line for each version:
`{"version": N, "passed": true, "used": SECONDS}`, the seconds being those of all so far. A version may lie about
itself: whoever asked runs what passed here once more, as any change.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_QUICK = ("-x", "--tb=native", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:unraisableexception")
"""Only whether tests pass is asked, so that a failure need not be explained: five times as fast."""

_LOOK_SECONDS = 0.002
_WAITING = 20
"""How many times its processor time a version may take on the clock: it may sleep, or others are busy."""


class Trials:
    """The plugin that forks: where pytest has read its settings and begins to collect."""

    def __init__(self, wanted: dict[str, Any], results: str) -> None:
        self._wanted = wanted
        self._results = results

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Try every version in a fork, which returns from here and goes on as pytest does; then end."""
        wanted = self._wanted
        path = os.path.realpath(wanted["path"])
        # What a conftest has imported would be the version that was there before.
        stale = any(
            os.path.realpath(getattr(module, "__file__", None) or "") == path
            for module in list(sys.modules.values())
        )
        child = _forked(wanted["most"])
        if not child:
            session.config.option.maxfail = 0
            return
        _ends_well(child, wanted["most"])
        used = _used()
        # As it stands it may never end: then nothing is known, and most versions will not end either.
        seconds = max(wanted["least"], 2 * used if used < wanted["most"] / 2 else 0.0)
        last = len(wanted["versions"])
        with Path(self._results).open("w", encoding="utf-8") as told:
            for number, text in enumerate(wanted["versions"]):
                if stale or number > last or _used() > wanted["together"]:
                    break
                Path(path).write_bytes(text.encode("latin-1"))
                child = _forked(seconds)
                if not child:
                    return
                passed = _ends_well(child, seconds)
                if passed:
                    last = min(last, number + wanted["further"])
                told.write(json.dumps({"version": number, "passed": passed, "used": _used()}) + "\n")
                told.flush()
        os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_keyboard_interrupt(self) -> None:
        """End a version whose tests cannot be collected: pytest would go on to tell at length why."""
        os._exit(2)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """End a version whose tests have run; nobody reads the summary."""
        os._exit(int(exitstatus))


def _forked(seconds: float) -> int:
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.setitimer(signal.ITIMER_PROF, seconds)
    return child


def _used() -> float:
    """Return the seconds of the processor that all versions so far took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ends_well(child: int, seconds: float) -> bool:
    end = time.monotonic() + _WAITING * seconds
    # A version ends by itself, or by one of its limits.
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0
        time.sleep(_LOOK_SECONDS)
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main() -> None:
    """Run what the specification says."""
    wanted: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    results = os.environ.pop("ENSEMBLE_RESULTS")
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    code = 1
    try:
        code = int(pytest.main([*_QUICK, *wanted["arguments"]], plugins=[Trials(wanted, results)]))
    finally:
        os._exit(code)  # what a test left running must not hold a fork


if __name__ == "__main__":
    main()
