"""A pytest that has started and waits: every run is a fork of it, which goes on as if it had just been started.

It is a plugin of the project's own pytest, in the project's own Python, in the sandbox: standard library only,
nothing newer than Python 3.7, Linux. `ENSEMBLE_ORDERS` holds the number of an inherited socket and a mark, with a
colon between. When pytest has read its settings and loaded its plugins, and before it looks at any conftest, the
mark is printed, and `{"loaded": [PATH, ...]}` is sent: the files of the working directory that are imported by then.
An order is `{"arguments": [...]}`, options that stand before the others, and the file that the run prints to. The
answer is `{"code": CODE}` once the fork has ended by itself and nothing that it started is left; negative for a
signal. Where anything else happens the process ends, and nothing counts that was not answered.

A run cannot answer for the server: it does not hold the socket, and it may not look into the server's memory.

PYTEST_DONT_REWRITE: there is no assertion here, and looking for one takes longer than the import.
"""

from __future__ import annotations

import array
import ctypes
import gc
import json
import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

_ORDERS = "ENSEMBLE_ORDERS"
_OWN_NAME = "ensemble_fork_server"
_END_WITHIN = 5.0
"""Seconds in which all that a run started is gone: SIGKILL cannot be resisted, only the machine can be slow."""
_SET_DUMPABLE = 4
"""Of prctl: whether processes of the same user may look into this one."""
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - the sandbox's own


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(args: list[str]) -> Generator[None, object, None]:
    """Serve, before pytest turns the outputs away and imports a first file of the project."""
    orders = os.environ.pop(_ORDERS, "")
    if orders:
        plugins = os.environ.get("PYTEST_PLUGINS", "").split(",")
        os.environ["PYTEST_PLUGINS"] = ",".join(name for name in plugins if name != _OWN_NAME)
        handle, _, mark = orders.partition(":")
        _serve(int(handle), mark, args)
    yield


def _serve(handle: int, mark: str, args: list[str]) -> None:
    """Answer orders; returns in a fork alone."""
    if not _is_alone():
        os._exit(1)
    ancestors, kept = _ancestors(), _kept()
    _let_look(False)
    orders = socket.socket(fileno=handle)
    if hasattr(gc, "freeze"):
        gc.collect()
        gc.freeze()  # no fork looks through what pytest itself is made of
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(1, mark.encode())
    orders.send(json.dumps({"loaded": _loaded()}).encode())
    while True:
        said, output = _next_order(orders)
        if not said:
            os._exit(0)
        if _kept() != kept:
            os._exit(1)  # a run has moved the folder above a mount, or left memory or a queue for others
        child = os.fork()
        if child == 0:
            orders.close()
            os.setsid()
            _let_look(True)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.close(output)
            args[:0] = said["arguments"]
            return
        os.close(output)
        _, status = os.waitpid(child, 0)
        if not _end_all_but(ancestors):
            os._exit(1)
        _empty(_SHARED_MEMORY)
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        orders.send(json.dumps({"code": code}).encode())


def _next_order(orders: socket.socket) -> tuple[dict[str, list[str]], int]:
    handles = array.array("i")
    data, extra, _flags, _address = orders.recvmsg(1 << 16, socket.CMSG_SPACE(handles.itemsize))
    if not data:
        return {}, -1
    for level, kind, content in extra:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            handles.frombytes(content[: handles.itemsize])
    os.set_inheritable(handles[0], False)
    return json.loads(data.decode()), handles[0]


def _is_alone() -> bool:
    """Whether a fork is this process whole, without threads, and it sees its own processes and no others."""
    return len(list(Path("/proc/self/task").iterdir())) == 1 and Path("/proc/self").resolve().name == str(
        os.getpid()
    )


def _ancestors() -> set[int]:
    """Return this process and those above it: the launcher, which watches over all, is among them."""
    found: set[int] = set()
    pid = os.getpid()
    while pid > 0:
        found.add(pid)
        pid = int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    return found


def _kept() -> list[bytes]:
    """Return what outlives processes and is no file: where things are mounted, System V's memory and queues."""
    places = [Path("/proc/self/mountinfo"), *(Path("/proc/sysvipc", name) for name in ("msg", "sem", "shm"))]
    return [place.read_bytes() for place in places if place.exists()]


def _end_all_but(ancestors: set[int]) -> bool:
    end = time.monotonic() + _END_WITHIN
    while time.monotonic() < end:
        numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
        others = [pid for pid in numbers if pid not in ancestors]
        if not others:
            return True
        for pid in others:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # it has ended
        time.sleep(0.001)
    return False


def _empty(folder: Path) -> None:
    for place in list(folder.iterdir()):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(str(place), ignore_errors=True)
        else:
            place.unlink()


def _let_look(allowed: bool) -> None:
    if ctypes.CDLL(None).prctl(_SET_DUMPABLE, int(allowed), 0, 0, 0):
        os._exit(1)


def _loaded() -> list[str]:
    """Return the files below the working directory that stand for modules: a fork has them as they are now."""
    root = os.path.realpath(".") + os.sep
    files = {
        os.path.realpath(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())
    }
    return sorted(file[len(root) :] for file in files if file.startswith(root))
