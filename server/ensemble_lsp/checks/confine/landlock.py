"""Landlock: a process gives up, for itself and its children, what it will not need. Linux ≥ 5.13.

Numbers are those of `linux/landlock.h`. What Landlock does not cover: changes of metadata (mode, owner,
times, attributes), UDP, and connecting to sockets that have a path.
"""

# pathlib would add a third to the launcher's start
# ruff: noqa: PTH112

import ctypes
import os

from ensemble_lsp.checks.confine import libc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_SYS_CREATE_RULESET = 444
_SYS_ADD_RULE = 445
_SYS_RESTRICT_SELF = 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE = 1 << 0
_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_REMOVE_AND_MAKE = 0b1_1111_1111 << 4
_REFER = 1 << 13
_TRUNCATE = 1 << 14
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_TCP = 0b11
_SCOPES = 0b11

MINIMUM_ABI = 3
"""Before it, files outside could still be truncated."""


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def abi() -> int:
    """Return the version of Landlock that the kernel offers, 0 for none."""
    try:
        return libc.syscall(
            _SYS_CREATE_RULESET,
            ctypes.c_void_p(None),
            ctypes.c_size_t(0),
            ctypes.c_uint(_CREATE_RULESET_VERSION),
        )
    except OSError:
        return 0


def restrict(readable: "Iterable[str]", writable: "Iterable[str]", *, tcp: bool) -> None:
    """Allow reading and running below `readable`, everything below `writable`, and nothing else.

    `tcp` leaves TCP alone (inside a network namespace of its own). Other processes cannot be signalled,
    traced, or reached by abstract sockets. Paths that do not exist are skipped. Raises `OSError` when the
    kernel's Landlock is older than `MINIMUM_ABI`.
    """
    version = abi()
    if version < MINIMUM_ABI:
        raise OSError(95, f"Landlock {version} cannot protect files from being truncated")
    everything = _READ | _WRITE_FILE | _REMOVE_AND_MAKE | _REFER | _TRUNCATE
    attributes = _Ruleset(everything, _TCP if version >= 4 and not tcp else 0, _SCOPES if version >= 6 else 0)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(
        _SYS_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint(0)
    )
    try:
        for path in readable:
            _allow(ruleset, path, _READ)
        for path in writable:
            _allow(ruleset, path, everything)
        libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
        libc.syscall(_SYS_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_directory = os.path.isdir(f"/proc/self/fd/{handle}") or os.path.isdir(path)
        rule = _PathBeneath(access if is_directory else access & _FILE_ONLY, handle)
        libc.syscall(
            _SYS_ADD_RULE,
            ctypes.c_int(ruleset),
            ctypes.c_int(_RULE_PATH_BENEATH),
            ctypes.byref(rule),
            ctypes.c_uint(0),
        )
    finally:
        os.close(handle)
