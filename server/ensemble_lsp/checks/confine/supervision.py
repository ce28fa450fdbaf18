"""Watching over a confined run: limits that the kernel does not keep, and an end for every descendant."""

# pathlib would add a third to the launcher's start
# ruff: noqa: PTH123, PTH208

import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_INTERVAL = 0.1
"""Seconds between two looks at the processes."""
_END_WITHIN = 5.0
"""Seconds in which all descendants are to be gone; they cannot resist SIGKILL, only the machine can be slow."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


def processes() -> dict[int, tuple[int, int]]:
    """Return process id → (parent's id, resident bytes) of all processes that /proc shows."""
    found: dict[int, tuple[int, int]] = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return found
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                found[int(name)] = (int(fields[1]), int(fields[21]) * _PAGE)
            except (OSError, IndexError, ValueError):
                continue  # it ended while we looked
    return found


def descendants(of: int) -> dict[int, int]:
    """Return process id → resident bytes of all processes below `of`."""
    everything = processes()
    children: dict[int, list[int]] = {}
    for pid, (parent, _) in everything.items():
        children.setdefault(parent, []).append(pid)
    found: dict[int, int] = {}
    pending = list(children.get(of, ()))
    while pending:
        pid = pending.pop()
        if pid not in found:
            found[pid] = everything[pid][1]
            pending.extend(children.get(pid, ()))
    return found


def end_all(is_first: bool, group: int) -> None:
    """Kill every descendant of this process: all there are for the first process of a namespace."""
    deadline = time.monotonic() + _END_WITHIN
    while time.monotonic() < deadline:
        if is_first:
            _kill(-1, signal.SIGKILL)
        else:
            _kill(-group, signal.SIGKILL)
            below = descendants(os.getpid())
            for pid in below:  # stopped first, so that none can start another while the rest is killed
                _kill(pid, signal.SIGSTOP)
            for pid in below:
                _kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            if is_first or not descendants(os.getpid()):
                return
        time.sleep(0.002)


def _kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        return  # already gone


def watch(
    child: int, *, is_first: bool, limit_processes: int, limit_memory: int, orphaned: "Callable[[], bool]"
) -> tuple[int | None, str]:
    """Wait for `child`; return its exit code (None if ended here) and why it was ended.

    SIGCHLD and SIGTERM must be blocked. SIGTERM and `orphaned()` mean that nobody wants the result.
    """
    while True:
        pid, result = _reap(child)
        if pid == child:
            return os.waitstatus_to_exitcode(result), ""
        if _next_signal() == signal.SIGTERM or orphaned():
            return None, "cancelled"
        if sys.platform == "linux":
            used = dict[int, int]()
            if is_first:
                used = {pid: memory for pid, (_, memory) in processes().items() if pid != os.getpid()}
            else:
                used = descendants(os.getpid())
            if len(used) > limit_processes:
                return None, "processes"
            if sum(used.values()) > limit_memory:
                return None, "memory"


def _reap(child: int) -> tuple[int, int]:
    while True:
        try:
            pid, result = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return child, 0
        if pid in {0, child}:
            return pid, result


def _next_signal() -> int:
    if hasattr(signal, "sigtimedwait"):
        received = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, _INTERVAL)
        return received.si_signo if received else 0
    time.sleep(0.01)  # macOS has no sigtimedwait
    pending = signal.sigpending()
    return signal.SIGTERM if signal.SIGTERM in pending else 0
