"""The rules that confine, read back: the filter on system calls, and macOS's profile."""

import struct
from pathlib import Path

import pytest

from ensemble_lsp.checks import seatbelt
from ensemble_lsp.checks.confine import seccomp
from ensemble_lsp.checks.confine.specification import Specification, Status
from ensemble_lsp.checks.detection import describe_sandbox
from ensemble_lsp.checks.environment import allowed_environment

ALLOWED, NOT_PERMITTED, NO_FAMILY, PRETENDED, KILLED = 0x7FFF0000, 0x50001, 0x50061, 0x50000, 0x80000000
X86_64, ARM_64 = 0xC000003E, 0xC00000B7


def _decide(program: bytes, architecture: int, number: int) -> int:
    """Run the filter as the kernel would; it has no loops, only jumps ahead."""
    data = {0: number, 4: architecture}
    value, place = 0, 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("=HBBI", program, place * 8)
        place += 1
        if code == 0x20:
            value = data[operand]
        elif code == 0x15:
            place += if_true if value == operand else if_false
        elif code == 0x35:
            place += if_true if value >= operand else if_false
        else:
            assert code == 0x06
            return operand


@pytest.mark.parametrize(
    ("machine", "architecture", "calls"),
    [
        (
            "x86_64",
            X86_64,
            {"read": 0, "socket": 41, "socketpair": 53, "chmod": 90, "ptrace": 101, "keyctl": 250},
        ),
        (
            "aarch64",
            ARM_64,
            {"read": 63, "socket": 198, "socketpair": 199, "chmod": 52, "ptrace": 117, "keyctl": 219},
        ),
    ],
)
def test_without_namespaces_sockets_are_refused_and_metadata_left_alone(
    machine: str, architecture: int, calls: dict[str, int]
) -> None:
    program = seccomp.program(machine, namespaces=False)
    decided = {name: _decide(program, architecture, number) for name, number in calls.items()}
    assert decided == {
        "read": ALLOWED,
        "socket": NO_FAMILY,
        "socketpair": ALLOWED,
        "chmod": PRETENDED,
        "ptrace": NOT_PERMITTED,
        "keyctl": NOT_PERMITTED,
    }


def test_with_namespaces_only_what_no_test_needs_is_refused() -> None:
    program = seccomp.program("x86_64", namespaces=True)
    assert [_decide(program, X86_64, number) for number in (41, 90, 101)] == [ALLOWED] * 3
    assert _decide(program, X86_64, 250) == NOT_PERMITTED


def test_calls_of_another_architecture_do_not_slip_through() -> None:
    """A 64-bit process can make 32-bit and x32 calls, whose numbers mean something else."""
    program = seccomp.program("x86_64", namespaces=False)
    assert _decide(program, 0x40000003, 359) == KILLED
    assert _decide(program, X86_64, 0x40000000 | 41) != ALLOWED


def test_macos_hides_homes_and_opens_only_what_is_shown(tmp_path: Path) -> None:
    work = tmp_path / "work"
    specification = Specification(
        method="seatbelt",
        argv=["true"],
        environment={},
        directory=str(work),
        shown=[(str(work), str(work), True), ("/opt/python", "/opt/python", False)],
    )
    lines = seatbelt.profile(specification, ["/opt/launcher"], home=Path("/Users/me")).splitlines()
    hidden = lines.index('(deny file-read-data (subpath "/Users"))')
    assert hidden < lines.index(f'(allow file-read-data (subpath "{work.resolve()}"))')
    assert hidden < lines.index('(allow file-read-data (subpath "/opt/launcher"))')
    assert "(deny network*)" in lines
    writable = [line for line in lines if line.startswith("(allow file-write*")]
    assert writable == [f'(allow file-write* (subpath "{work.resolve()}"))']


def test_a_path_with_quotes_cannot_add_a_rule() -> None:
    shown = [('/a")(allow network*', '/a")(allow network*', False)]
    specification = Specification(method="seatbelt", argv=[], environment={}, directory="/", shown=shown)
    assert "(allow network*" not in seatbelt.profile(specification, []).replace('\\")(allow network*', "")


def test_what_the_launcher_is_told_and_says_comes_through() -> None:
    told = Specification(
        method="namespaces", argv=["a"], environment={"B": "c"}, directory="/", shown=[("/x", "/y", True)]
    )
    assert Specification.decode(told.encode()).__dict__ == told.__dict__
    said = Status.decode(Status(code=-9, stopped="memory", failed="two\nlines").encode())
    assert (said.code, said.stopped, said.failed) == (-9, "memory", "two\nlines")
    assert Status.decode(b"").failed


def test_only_harmless_variables_are_passed_on() -> None:
    source = {
        "LANG": "de_DE.UTF-8",
        "LC_ALL": "C",
        "AWS_SECRET_ACCESS_KEY": "x",
        "DBUS_SESSION_BUS_ADDRESS": "y",
    }
    passed = allowed_environment(home="/h", temporary="/t", path=("/venv/bin",), source=source)
    assert (passed["LANG"], passed["HOME"], passed["TMPDIR"]) == ("de_DE.UTF-8", "/h", "/t")
    assert passed["PATH"].startswith("/venv/bin:")
    assert not {"AWS_SECRET_ACCESS_KEY", "DBUS_SESSION_BUS_ADDRESS"} & passed.keys()


async def test_what_confines_is_described_in_words() -> None:
    description = await describe_sandbox()
    assert description.enforced == (description.label != "none")
    assert all(description.detail)
