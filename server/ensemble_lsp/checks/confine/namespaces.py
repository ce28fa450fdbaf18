"""A view of the machine in which only what is shown exists: user, mount, process and network namespaces.

Linux, without root. Nothing of the person's home, no socket with a path (Docker, D-Bus, agents), no other
process, and a network that consists of its own loopback.
"""

# pathlib would add a third to the launcher's start
# ruff: noqa: PTH102, PTH103, PTH106, PTH110, PTH112, PTH114, PTH115, PTH120, PTH208, PTH211

import fcntl
import os
import struct

from ensemble_lsp.checks.confine import libc
from ensemble_lsp.checks.confine.specification import Specification

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_CONFIGURATION = [
    "alternatives",
    "ca-certificates",
    "fonts",
    "group",
    "hosts",
    "java-*-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki",
    "protocols",
    "services",
    "ssl",
    "timezone",
]
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1


def system_paths() -> list[str]:
    """Return what of the system is shown: programs, libraries, and the harmless part of `/etc`."""
    paths = [path for path in _SYSTEM if os.path.lexists(path)]
    present = set(os.listdir("/etc")) if os.path.isdir("/etc") else set[str]()
    for name in _CONFIGURATION:
        head, star, tail = name.partition("*")
        paths += [
            f"/etc/{entry}"
            for entry in present
            if entry == name or (star and entry.startswith(head) and entry.endswith(tail))
        ]
    return paths


def enter() -> None:
    """Leave the machine's namespaces; the next child is the first process of its own."""
    user, group = os.getuid(), os.getgid()
    libc.unshare(
        libc.CLONE_NEWUSER | libc.CLONE_NEWNS | libc.CLONE_NEWPID | libc.CLONE_NEWNET | libc.CLONE_NEWIPC
    )
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def build(specification: Specification) -> None:
    """Put the new root together and move into it. To be called by the first process of the namespaces."""
    libc.mount("none", "/", "", libc.MS_REC | libc.MS_PRIVATE)
    root = specification.staging
    libc.mount("tmpfs", root, "tmpfs", libc.MS_NOSUID | libc.MS_NODEV, "mode=755,size=4m")
    for path in system_paths():
        if os.path.islink(path):
            os.symlink(os.readlink(path), _below(root, path))
        else:
            _show(root, path, path, writable=False)
    _make_devices(root)
    os.makedirs(f"{root}/proc")
    for source, target, writable in specification.shown:
        _show(root, source, target, writable=writable)
    _make_proc(f"{root}/proc")
    os.mkdir(f"{root}/.old")
    libc.pivot_root(root, f"{root}/.old")
    os.chdir("/")
    libc.unmount("/.old")
    os.rmdir("/.old")
    libc.mount("none", "/", "", 32 | libc.MS_BIND | 1 | libc.MS_NOSUID | libc.MS_NODEV)  # remount read-only


def _below(root: str, path: str) -> str:
    target = f"{root}{path}"
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    return target


def _show(root: str, source: str, target: str, *, writable: bool) -> None:
    place = _below(root, target)
    if os.path.isdir(source):
        os.makedirs(place, mode=0o755, exist_ok=True)
    elif not os.path.exists(place):
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    libc.bind(source, place, writable=writable)


def _make_devices(root: str) -> None:
    os.makedirs(f"{root}/dev/shm")  # noqa: S108 - a device folder of the new root
    for name in _DEVICES:
        place = f"{root}/dev/{name}"
        os.close(os.open(place, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o666))
        libc.mount(f"/dev/{name}", place, "", libc.MS_BIND)
        libc.restrict_mount(place, writable=True, devices=True)
    shared_memory = f"{root}/dev/shm"  # noqa: S108
    libc.mount("tmpfs", shared_memory, "tmpfs", libc.MS_NOSUID | libc.MS_NODEV, "mode=1777,size=256m")
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{root}/dev/{name}")


def _make_proc(place: str) -> None:
    try:
        libc.mount(
            "proc", place, "proc", libc.MS_NOSUID | libc.MS_NODEV | 8
        )  # 8: nothing there is executable
    except OSError:
        # A container that masks parts of its own /proc cannot be given a fresh one. The outer one shows other
        # processes' names; their memory and environment stay closed by Landlock.
        libc.bind("/proc", place, writable=False)


def forbid_more(processes: int) -> None:
    """Allow no namespaces below this one and, where the kernel can, no more than so many processes.

    The kernel counts threads, of which a process may have several, and keeps the first 300 numbers to itself.
    """
    for path, value in (
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/pid_max", str(310 + 8 * processes)),
    ):
        try:
            _write(path, value)
        except OSError:
            continue  # an older kernel: the watch over the processes remains


def raise_loopback() -> None:
    """Switch on the namespace's own loopback device, for tests that serve and connect themselves."""
    import _socket  # noqa: PLC0415 - the whole `socket` module costs several milliseconds

    with_device = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM, 0)
    try:
        fcntl.ioctl(with_device.fileno(), _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", _IFF_UP))
    finally:
        with_device.close()


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
