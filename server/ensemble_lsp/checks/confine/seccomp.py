"""A filter on system calls, written as classic BPF. Linux on x86-64 and 64-bit ARM.

Two uses: always, calls that a test has no business making (the kernel's keyrings, BPF, io_uring, …) are
refused; and where there are no namespaces, sockets are refused too, and changes of metadata, which Landlock
does not cover, are answered with success and not done.
"""

import ctypes
import os
import struct

from ensemble_lsp.checks.confine import libc

_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_KILL = 0x80000000
_EPERM = 1
_ENOSYS = 38
_EAFNOSUPPORT = 97

_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_AT_LEAST = 0x35
_RETURN = 0x06
_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_X32_BIT = 0x40000000

_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# name: (x86_64, aarch64); None where the architecture has no such call
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "kexec_load": (246, 104),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "socket": (41, 198),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "unshare": (272, 97),
    "setns": (308, 268),
}
_ALWAYS = [
    "add_key",
    "request_key",
    "keyctl",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "kexec_load",
    "init_module",
    "finit_module",
    "open_by_handle_at",
]
_IO_URING = ["io_uring_setup", "io_uring_enter", "io_uring_register"]
_METADATA = [
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
]
_ALONE = ["ptrace", "process_vm_readv", "process_vm_writev", "unshare", "setns"]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def supported() -> bool:
    """Whether the numbers of this machine's system calls are known here."""
    return os.uname().machine in _ARCHITECTURE


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def program(machine: str, *, namespaces: bool) -> bytes:
    """Return the filter for `machine`; without `namespaces` sockets are refused and metadata is left alone."""
    column = 0 if machine == "x86_64" else 1
    answers = dict.fromkeys(_ALWAYS, _ERRNO | _EPERM) | dict.fromkeys(_IO_URING, _ERRNO | _ENOSYS)
    if not namespaces:
        answers |= dict.fromkeys(_METADATA, _ERRNO) | dict.fromkeys(_ALONE, _ERRNO | _EPERM)
        answers["socket"] = _ERRNO | _EAFNOSUPPORT
    parts = [
        _instruction(_LOAD, _OFFSET_ARCHITECTURE),
        _instruction(_JUMP_EQUAL, _ARCHITECTURE[machine], 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _OFFSET_NUMBER),
    ]
    if machine == "x86_64":
        parts += [_instruction(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _instruction(_RETURN, _ERRNO | _ENOSYS)]
    for name, answer in answers.items():
        number = _NUMBERS[name][column]
        if number is not None:
            parts += [_instruction(_JUMP_EQUAL, number, 0, 1), _instruction(_RETURN, answer)]
    parts.append(_instruction(_RETURN, _ALLOW))
    return b"".join(parts)


def restrict(*, namespaces: bool) -> None:
    """Put the filter on this process and its children; raises `OSError`."""
    filter_bytes = program(os.uname().machine, namespaces=namespaces)
    buffer = ctypes.create_string_buffer(filter_bytes, len(filter_bytes))
    wrapped = _Program(len(filter_bytes) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(wrapped))
