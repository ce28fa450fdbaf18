"""What code inside a sandbox cannot do, each claim tried by a script that wants to."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ensemble_lsp.checks.detection import try_out
from ensemble_lsp.checks.environment import package_root
from ensemble_lsp.checks.sandbox import Limits, Sandbox
from tests.checks.confined import Booth, alive, sandboxes

# ruff: noqa: ASYNC220, ASYNC240, ASYNC110 - nothing else runs in the loop while these tests wait
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the scripts read /proc")


_problems: dict[Sandbox, str] = {}


@pytest.fixture(params=sandboxes(), ids=lambda sandbox: sandbox.method)
async def booth(request: pytest.FixtureRequest, tmp_path: Path) -> Booth:
    """Every kind of sandbox that holds on this machine."""
    sandbox: Sandbox = request.param
    if sandbox not in _problems:
        _problems[sandbox] = await try_out(sandbox)
    if _problems[sandbox]:
        pytest.skip(f"{sandbox.method}: {_problems[sandbox]}")
    return Booth.make(sandbox, tmp_path)


async def test_a_command_runs_and_writes_its_own_folder(booth: Booth) -> None:
    done = await booth.python("open('made', 'w').write('x'); print('hello')")
    assert (done.code, done.stdout) == (0, b"hello\n")
    assert (booth.work / "made").read_text() == "x"


async def test_exit_codes_and_signals_are_told_apart(booth: Booth) -> None:
    assert (await booth.python("raise SystemExit(3)")).code == 3
    assert (await booth.python("import os; os.kill(os.getpid(), 11)")).code == -11


async def test_a_program_that_does_not_exist_is_named(booth: Booth) -> None:
    done = await booth.run("no-such-program")
    assert (done.code, done.failed) == (None, "not found: no-such-program")


@pytest.mark.parametrize(
    "attempt",
    [
        "open(target, 'w').write('changed')",
        "os.truncate(target, 0)",
        "os.unlink(target)",
        "os.rename(target, target + '.gone')",
        "os.symlink(target, 'link'); open('link', 'w').write('changed')",
        "os.link(target, 'hard'); open('hard', 'w').write('changed')",
        "os.chmod(target, 0o000)",
        "os.utime(target, (0, 0))",
        "os.mkdir(os.path.dirname(target) + '/new')",
    ],
)
async def test_nothing_outside_is_changed(booth: Booth, attempt: str) -> None:
    target = booth.outside / "precious"
    target.write_text("kept")
    before = target.stat()
    await booth.python(f"import os, sys\ntarget = sys.argv[1]\n{attempt}", str(target))
    after = target.stat()
    assert target.read_text() == "kept"
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)
    assert {path.name for path in booth.outside.iterdir()} == {"precious", "booth"}


async def test_secrets_of_the_home_folder_cannot_be_read(booth: Booth) -> None:
    key = booth.outside / ".ssh" / "id"
    key.parent.mkdir()
    key.write_text("private")
    done = await booth.python("import sys; print(open(sys.argv[1]).read())", str(key))
    assert done.code == 1
    assert b"private" not in done.stdout


async def test_the_persons_own_home_cannot_be_listed(booth: Booth) -> None:
    script = "import os, sys; print(sorted(os.listdir(sys.argv[1])))"
    done = await booth.python(script, str(Path.home()))
    readable = {"work", ".pyenv", ".local", ".venv"}  # folders on the way to the interpreter may show
    names = set(eval(done.stdout.decode())) if done.code == 0 else set[str]()  # noqa: S307 - our own list
    assert names <= readable


async def test_the_environment_holds_no_key(booth: Booth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/tmp/agent")
    done = await booth.python("import os; print(dict(os.environ))")
    assert b"sk-secret" not in done.stdout
    assert b"SSH_AUTH_SOCK" not in done.stdout


async def test_the_environment_of_the_process_that_started_it_cannot_be_read(booth: Booth) -> None:
    with subprocess.Popen(["sleep", "30"], env={"SOME_API_KEY": "sk-secret"}) as other:
        try:
            script = "import sys; print(open('/proc/' + sys.argv[1] + '/environ').read())"
            done = await booth.python(script, str(other.pid))
        finally:
            other.kill()
    assert b"sk-secret" not in done.stdout


async def test_other_processes_cannot_be_signalled(booth: Booth) -> None:
    with subprocess.Popen(["sleep", "30"]) as other:
        await booth.python("import os, sys; os.kill(int(sys.argv[1]), 9)", str(other.pid))
        assert other.poll() is None
        other.kill()


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
async def test_the_network_is_out_of_reach(booth: Booth, kind: str) -> None:
    with socket.socket(type=getattr(socket, kind)) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0)
        if kind == "SOCK_STREAM":
            server.listen()
        script = f"""
import socket, sys
with socket.socket(type=socket.{kind}) as client:
    client.connect(("127.0.0.1", int(sys.argv[1])))
    client.send(b"code")
"""
        await booth.python(script, str(server.getsockname()[1]))
        with pytest.raises(BlockingIOError):
            server.accept() if kind == "SOCK_STREAM" else server.recv(10)


@pytest.mark.parametrize("abstract", [False, True])
async def test_unix_sockets_of_others_are_out_of_reach(booth: Booth, abstract: bool) -> None:
    """Docker, D-Bus and key agents listen on such sockets."""
    address = f"\0ensemble-test-{os.getpid()}" if abstract else str(booth.outside / "docker.sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        server.settimeout(0)
        script = """
import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1].replace("@", chr(0)))
"""
        done = await booth.python(script, address.replace("\0", "@"))
        assert done.code == 1
        with pytest.raises(BlockingIOError):
            server.accept()


async def test_a_test_may_serve_and_connect_on_its_own_loopback(booth: Booth) -> None:
    script = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.send(b"x")
print(server.accept()[0].recv(1))
"""
    done = await booth.python(script)
    if booth.sandbox.moves_paths:
        assert done.stdout == b"b'x'\n"
    else:
        # Without a network namespace there would be no telling one loopback from another: no sockets at all.
        assert (done.code, done.stdout) == (1, b"")


async def test_time_is_limited(booth: Booth) -> None:
    done = await booth.run("sleep", "60", limits=Limits(seconds=0.3))
    assert (done.ended, done.code) == ("time", None)


async def test_ignoring_sigterm_does_not_help(booth: Booth) -> None:
    script = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""
    done = await booth.python(script, limits=Limits(seconds=1.5))
    assert done.ended == "time"


async def test_output_without_end_is_stopped_and_kept_up_to_the_limit(booth: Booth) -> None:
    script = "while True: print('y' * 1000)"
    done = await booth.python(script, limits=Limits(seconds=20.0, output_bytes=100_000))
    assert done.ended == "output"
    assert len(done.stdout) == 100_000


async def test_a_fork_bomb_is_bounded(booth: Booth) -> None:
    script = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
    done = await booth.python(script, limits=Limits(seconds=10.0, processes=40))
    assert done.ended in {"processes", "time"}


async def test_memory_is_limited(booth: Booth) -> None:
    script = """
import time
blocks = [bytearray(b"x" * 10_000_000) for _ in range(30)]
time.sleep(20)
"""
    done = await booth.python(script, limits=Limits(seconds=20.0, memory_bytes=100_000_000))
    assert done.ended == "memory"


async def test_files_are_limited_in_size(booth: Booth) -> None:
    script = "open('large', 'wb').truncate(0); open('large', 'wb').write(bytes(3_000_000))"
    await booth.python(script, limits=Limits(seconds=20.0, file_bytes=1_000_000))
    assert (booth.work / "large").stat().st_size <= 1_000_000


_DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (0, 1, 2):
            os.close(number)
        while True:
            with open("beat", "a") as file:
                file.write("x")
            time.sleep(0.01)
    os._exit(0)
while not os.path.exists("beat"):
    time.sleep(0.01)
time.sleep(float(sys.argv[1]))
"""


async def _stops(beat: Path) -> bool:
    """Whether a file stops growing: a daemon that writes it every 10 ms is gone."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        size = beat.stat().st_size
        await asyncio.sleep(0.2)
        if beat.stat().st_size == size:
            return True
    return False


async def test_a_daemon_does_not_outlive_the_command(booth: Booth) -> None:
    done = await booth.python(_DAEMON, "0")
    assert done.code == 0
    assert await _stops(booth.work / "beat")


async def test_cancelling_ends_the_whole_tree(booth: Booth) -> None:
    task = asyncio.create_task(booth.python(_DAEMON, "60"))
    while not (booth.work / "beat").exists():
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await _stops(booth.work / "beat")


_ENGINE = """
import asyncio, sys
sys.path[:0] = [{root!r}, {server!r}]
from pathlib import Path
from ensemble_lsp.checks.sandbox import Sandbox
from tests.checks.confined import Booth
booth = Booth(Sandbox({method!r}, {program!r}), Path({outside!r}), Path({folder!r}))
asyncio.run(booth.python({daemon!r}, "60"))
"""


async def test_the_tree_ends_with_an_engine_that_is_killed(booth: Booth) -> None:
    script = _ENGINE.format(
        root=str(Path(__file__).parents[2]),
        server=str(package_root()),
        method=booth.sandbox.method,
        program=booth.sandbox.program,
        outside=str(booth.outside),
        folder=str(booth.folder),
        daemon=_DAEMON,
    )
    with subprocess.Popen([sys.executable, "-c", script]) as engine:
        while not (booth.work / "beat").exists():
            assert engine.poll() is None
            await asyncio.sleep(0.02)
        engine.send_signal(signal.SIGKILL)
    assert await _stops(booth.work / "beat")


async def test_without_a_sandbox_the_limits_and_the_end_of_the_tree_still_hold(tmp_path: Path) -> None:
    booth = Booth.make(Sandbox("none"), tmp_path)
    done = await booth.python(_DAEMON, "60", limits=Limits(seconds=1.5))
    assert done.ended == "time"
    assert await _stops(booth.work / "beat")
    assert not booth.sandbox.enforced
    assert booth.sandbox.label == "none (consented)"


async def test_a_sandbox_that_confines_nothing_is_found_out() -> None:
    assert await try_out(Sandbox("none")) == "files outside its folder can be written"


async def test_no_descendant_is_left(booth: Booth) -> None:
    done = await booth.python(
        "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True)"
    )
    if not booth.sandbox.moves_paths:  # else the number is of another namespace
        assert not alive(int(done.stdout))
    assert done.code == 0
