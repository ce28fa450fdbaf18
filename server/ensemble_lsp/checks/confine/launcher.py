"""Confine oneself, run one command, end everything it started, and say how it ended."""

import os
import resource
import signal
import sys

# All of it now: once the view of the machine has changed, these files may be out of reach.
from ensemble_lsp.checks.confine import landlock, libc, namespaces, seccomp, supervision
from ensemble_lsp.checks.confine.specification import Specification, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

THREADS_EACH = 8
"""The kernel counts threads where we count processes."""
_BLOCKED = {signal.SIGCHLD, signal.SIGTERM}


def main() -> "NoReturn":
    """Read the specification from standard input and carry it out; does not return."""
    specification = Specification.decode(_read_all(0))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if specification.status >= 0:
        os.set_inheritable(specification.status, False)
    signal.pthread_sigmask(signal.SIG_BLOCK, _BLOCKED)
    try:
        if specification.method == "namespaces":
            _in_namespaces(specification)
        else:
            _supervise(specification, is_first=False)
    except OSError as error:
        _finish(specification, Status(failed=f"cannot confine: {error}"))


def _in_namespaces(specification: Specification) -> "NoReturn":
    libc.die_with_parent(signal.SIGKILL)
    if specification.parent and os.getppid() != specification.parent:
        os._exit(1)  # it died before the line above
    namespaces.enter()
    alive, held = os.pipe()
    child = os.fork()
    if child:
        os.close(alive)
        if specification.status >= 0:
            os.close(specification.status)
        _, result = os.waitpid(child, 0)
        os.close(held)
        os._exit(0 if os.waitstatus_to_exitcode(result) == 0 else 1)
    libc.die_with_parent(signal.SIGKILL)
    os.close(held)
    os.set_blocking(alive, False)
    try:
        os.read(alive, 1)
        os._exit(1)  # end of file: the parent died before the kernel was told to watch it
    except BlockingIOError:
        os.close(alive)
    try:
        namespaces.raise_loopback()
        namespaces.build(specification)
        namespaces.forbid_more(specification.processes)
        libc.leave_keyrings()
        _supervise(specification, is_first=True)
    except OSError as error:
        _finish(specification, Status(failed=f"cannot confine: {error}"))


def _supervise(specification: Specification, *, is_first: bool) -> "NoReturn":
    parent = os.getppid()
    if sys.platform == "linux" and not is_first:
        libc.die_with_parent(signal.SIGTERM)
        libc.adopt_orphans()
    failure_in, failure_out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(failure_in)
        _become(specification, failure_out)
    os.close(failure_out)
    code, stopped = supervision.watch(
        child,
        is_first=is_first,
        limit_processes=specification.processes,
        limit_memory=specification.memory_bytes,
        orphaned=lambda: not is_first and os.getppid() != parent,
    )
    supervision.end_all(is_first, child)
    failed = _read_all(failure_in).decode(errors="replace")
    _finish(specification, Status(code=None if failed else code, stopped=stopped, failed=failed))


def _become(specification: Specification, failure: int) -> "NoReturn":
    """Turn into the command; what prevents it is written to `failure`, which closes itself on success."""
    reason = "the launcher broke"
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _BLOCKED)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        _limit(specification)
        os.chdir(specification.directory)
        os.umask(0o022)
        _confine(specification)
        os.execvpe(specification.argv[0], specification.argv, specification.environment)  # noqa: S606
    except FileNotFoundError:
        reason = f"not found: {specification.argv[0]}"
    except OSError as error:
        reason = f"cannot run {specification.argv[0]}: {error}"
    finally:
        os.write(failure, reason.encode("utf-8", "replace"))
        os._exit(127)


def _confine(specification: Specification) -> None:
    if specification.method not in {"namespaces", "landlock", "bubblewrap"}:
        return

    separate = specification.method != "landlock"
    writable = [target for _, target, allowed in specification.shown if allowed]
    writable += ["/dev/null", "/dev/zero", "/dev/full"]
    if specification.method != "bubblewrap":  # which has done it
        with_root = os.geteuid() == 0
        if with_root or specification.method == "namespaces":
            libc.drop_capabilities()
    if separate:
        writable.append("/dev/shm")  # noqa: S108 - the new root's own
        if landlock.abi() >= landlock.MINIMUM_ABI:  # a second fence behind the first
            landlock.restrict(["/"], writable, tcp=True)
    else:
        readable = [target for _, target, _ in specification.shown]
        # /proc/self is this process: others' memory and environment stay closed by Landlock's own rule
        system = [*namespaces.system_paths(), "/dev/random", "/dev/urandom", "/proc"]
        landlock.restrict([*readable, *system], writable, tcp=False)
    if seccomp.supported():
        seccomp.restrict(namespaces=separate)
    elif not separate:
        raise OSError(38, "no filter on system calls for this kind of machine")


def _limit(specification: Specification) -> None:
    limits = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, specification.file_bytes),
        (resource.RLIMIT_NOFILE, specification.open_files),
    ]
    if specification.method in {"namespaces", "bubblewrap"}:  # counted per namespace there, else per person
        limits.append((resource.RLIMIT_NPROC, specification.processes * THREADS_EACH))
    for kind, wanted in limits:
        hard = resource.getrlimit(kind)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (value, value))


def _finish(specification: Specification, status: Status) -> "NoReturn":
    if specification.status >= 0:
        try:
            os.write(specification.status, status.encode())
        except BrokenPipeError:
            os._exit(1)  # nobody waits for it any more
    os._exit(0)


def _read_all(handle: int) -> bytes:
    parts: list[bytes] = []
    while part := os.read(handle, 65536):
        parts.append(part)
    return b"".join(parts)
