"""System calls that Python's standard library does not offer, by ctypes. Linux only."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_ulong,
    ctypes.c_char_p,
)

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_NOSUID = 2
MS_NODEV = 4
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MNT_DETACH = 2

_PR_SET_PDEATHSIG = 1
_PR_CAPBSET_DROP = 24
_PR_SET_SECUREBITS = 28
_PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_SECURE_NOROOT_AND_LOCKED = 0b11

# The same on every architecture: they are younger than the unified table of system calls.
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_MOUNT_ATTR_RDONLY = 1
_MOUNT_ATTR_NOSUID = 2
_MOUNT_ATTR_NODEV = 4

_BY_MACHINE = {
    "x86_64": {"pivot_root": 155, "capset": 126, "keyctl": 250},
    "aarch64": {"pivot_root": 41, "capset": 91, "keyctl": 219},
}
_NUMBERS = _BY_MACHINE.get(os.uname().machine, {})


def _raise(what: str) -> None:
    number = ctypes.get_errno()
    raise OSError(number, f"{what}: {os.strerror(number)}")


def syscall(number: int, *arguments: object) -> int:
    """Call by number; -1 with `errno` becomes `OSError`."""
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        _raise(f"system call {number}")
    return result


def prctl(option: int, first: int = 0, second: int = 0, third: int = 0, fourth: int = 0) -> None:
    """Call prctl(2); raises `OSError`."""
    arguments = (ctypes.c_ulong(value) for value in (first, second, third, fourth))
    if _libc.prctl(ctypes.c_int(option), *arguments) < 0:
        _raise(f"prctl {option}")


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send `signal_number` to this process when its parent's thread ends."""
    prctl(_PR_SET_PDEATHSIG, signal_number)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)


def unshare(flags: int) -> None:
    """Call unshare(2); raises `OSError`."""
    if _libc.unshare(ctypes.c_int(flags)) < 0:
        _raise("unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Call mount(2); raises `OSError`."""
    if _libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, data.encode()) < 0:
        _raise(f"mount {target}")


class _MountAttributes(ctypes.Structure):
    _fields_ = [
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    ]


def bind(source: str, target: str, *, writable: bool) -> None:
    """Show `source` at `target` too, without set-user-id bits and devices, and with its submounts."""
    if _libc.mount(os.fsencode(source), os.fsencode(target), None, MS_BIND | MS_REC, None) < 0:
        _raise(f"bind {source}")
    restrict_mount(target, writable=writable)


def restrict_mount(target: str, *, writable: bool, devices: bool = False) -> None:
    """Take set-user-id bits, devices and (unless `writable`) writing from a mount and its submounts."""
    attributes = _MOUNT_ATTR_NOSUID | (0 if devices else _MOUNT_ATTR_NODEV)
    attributes |= 0 if writable else _MOUNT_ATTR_RDONLY
    change = _MountAttributes(attributes, 0, 0, 0)
    syscall(
        _SYS_MOUNT_SETATTR,
        ctypes.c_int(_AT_FDCWD),
        ctypes.c_char_p(os.fsencode(target)),
        ctypes.c_uint(_AT_RECURSIVE),
        ctypes.byref(change),
        ctypes.c_size_t(ctypes.sizeof(change)),
    )


def pivot_root(new_root: str, put_old: str) -> None:
    """Call pivot_root(2); raises `OSError`, also on an architecture whose number is not known here."""
    if "pivot_root" not in _NUMBERS:
        raise OSError(38, f"pivot_root: not known for {os.uname().machine}")
    syscall(
        _NUMBERS["pivot_root"],
        ctypes.c_char_p(os.fsencode(new_root)),
        ctypes.c_char_p(os.fsencode(put_old)),
    )


def unmount(target: str) -> None:
    """Detach a mount and what is below it."""
    if _libc.umount2(os.fsencode(target), MNT_DETACH) < 0:
        _raise(f"umount {target}")


def leave_keyrings() -> None:
    """Start an empty session keyring, so that the person's keys in the kernel are not inherited."""
    if "keyctl" in _NUMBERS:
        try:
            syscall(_NUMBERS["keyctl"], ctypes.c_int(1), ctypes.c_void_p(None))
        except OSError:
            return  # a kernel without keyrings has none to leave


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def drop_capabilities() -> None:
    """Give up every capability for good: with no new privileges, running as root brings none back."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    try:
        prctl(_PR_SET_SECUREBITS, _SECURE_NOROOT_AND_LOCKED)
        for capability in range(64):  # more than any kernel has; the first unknown one ends the loop
            prctl(_PR_CAPBSET_DROP, capability)
    except OSError:
        pass  # already without the right to do even that, or past the last capability
    header = _CapabilityHeader(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if "capset" in _NUMBERS:
        syscall(_NUMBERS["capset"], ctypes.byref(header), ctypes.byref(nothing))
