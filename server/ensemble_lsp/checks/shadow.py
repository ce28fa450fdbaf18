"""The shadow copy: a folder like the workspace, with the unsaved buffers in it, that checks may spoil.

The workspace is only ever read. A shadow is made anew from what changed since it was last used, and restored
after each use: what a run left behind or altered does not reach the next one. A file that was altered is known
by the time of its last change of status, which nobody can set.
"""

import contextlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ensemble_lsp.checks.copying import Copier, remove
from ensemble_lsp.checks.listing import Listing, Signature, is_secret, list_workspace
from ensemble_lsp.core.errors import CheckError
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText

_Written = tuple[int, int, int]
"""Inode, size, and time of the last change of status in nanoseconds, of a file in the shadow."""
_FORMAT = 1


class Shadow:
    """One copy of one workspace. Not for two runs at once: `pool.ShadowPool` has several of them."""

    def __init__(self, listing: Listing, folder: Path, overlays: Mapping[str, bytes], *, links: bool) -> None:
        self._listing = listing
        self._folder = folder
        self._root = folder / "tree"
        self._tree = str(self._root)
        self._overlays = dict(overlays)
        self._sources: dict[str, Signature | None] = {}
        self._written: dict[str, _Written] = {}
        self._folders: set[str] = set()
        self._base: dict[str, bytes | None] = {}
        self._links = links
        self._copier = Copier()
        self._made: set[str] = set()
        self._stamp = time.time_ns()

    @classmethod
    def create(
        cls,
        workspace: Path,
        overlays: Mapping[str, SourceText],
        scratch: Path,
        *,
        listing: Listing | None = None,
        reference: "Shadow | None" = None,
        link_dependencies: bool = False,
    ) -> "Shadow":
        """Make (or bring up to date) the copy in the folder `scratch`, which must belong to this call alone.

        `overlays` are unsaved buffers: relative path → text. `reference` is a shadow of the same job; files of
        the workspace that were changed since it was made are taken from it. With `link_dependencies` the places
        of ignored dependencies hold links to them, else empty folders to show them in. Blocks: call it in a thread.
        Raises `CheckError` for an overlay outside the workspace and for a full disk.
        """
        listing = listing or list_workspace(workspace.resolve())
        texts = {
            path: text.to_bytes_for_tools()
            for path, text in overlays.items()
            if path in listing.files or not is_secret(path)
        }
        shadow = cls(listing, scratch, texts, links=link_dependencies)
        try:
            shadow._update(reference)
        except OSError as error:
            raise CheckError(
                f"cannot make the shadow copy in {scratch}: {error.strerror}",
                hint="Free some space, or set ENSEMBLE_CACHE_DIR to a folder that has it.",
            ) from error
        return shadow

    @property
    def root(self) -> Path:
        """The copy of the workspace's root."""
        return self._root

    @property
    def workspace(self) -> Path:
        """The workspace it is a copy of, absolute and resolved."""
        return self._listing.workspace

    @property
    def listing(self) -> Listing:
        """What the copy consists of, without the overlays."""
        return self._listing

    @property
    def files(self) -> frozenset[str]:
        """The relative paths of all files, overlays included."""
        return frozenset(self._sources)

    def _update(self, reference: "Shadow | None") -> None:
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        known, written = self._load()
        self._written = written
        self._sources = {**self._listing.files, **dict.fromkeys(self._overlays)}
        self._folders = {
            folder
            for path in (*self._sources, *self._listing.dependencies)
            for folder in _folders_above(path)
        }
        present = self._present()
        wanted = self._sources
        for path, there in present.items():
            if path not in wanted or known.get(path) != wanted[path] or written.get(path) != there:
                remove(f"{self._tree}/{path}")
                self._written.pop(path, None)
        for path in [path for path in self._written if path not in present]:
            del self._written[path]
        self._manifest.unlink(missing_ok=True)  # until it is whole again, the copy counts as none
        for path in wanted:
            if path not in self._written:
                self._copy(path, reference)
        for path in [path for path in wanted if path not in self._written]:
            del self._sources[path]  # it vanished meanwhile
        self._place_dependencies()
        self._save()

    def _copy(self, path: str, reference: "Shadow | None" = None) -> None:
        target = self._make_parent(path)
        if path in self._overlays:
            self._put(path, self._overlays[path])
            return
        source = f"{self.workspace}/{path}"
        if reference is not None and _signature(source) != self._listing.files.get(path):
            source = f"{reference.root}/{path}"
        made = self._copier.copy(source, target)
        if made is not None:
            self._written[path] = _written(made)

    def _make_parent(self, path: str) -> str:
        """Make the folders above `path`, all of them real ones, and return where `path` goes."""
        parts = path.split("/")
        if path.startswith("/") or not {"", ".", ".."}.isdisjoint(parts) or "\0" in path:
            raise CheckError(f"{path!r} is no path inside the workspace")
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            here = self._tree
            for part in parts[:-1]:
                here = f"{here}/{part}"
                if not _is_real_folder(here):
                    remove(here)
                    Path(here).mkdir(0o755)
            self._made.add(folder)
        return f"{self._tree}/{path}"

    def _place_dependencies(self) -> None:
        """Make an empty folder where each dependency is shown, or a link to it where none can be shown."""
        for path, source in self._listing.dependencies.items():
            place = Path(self._make_parent(path))
            if self._links:
                if not place.is_symlink() or place.readlink() != source:
                    remove(str(place))
                    place.symlink_to(source)
            elif not _is_real_folder(str(place)):
                remove(str(place))
                place.mkdir(0o755)

    def apply(self, changes: Sequence[FileChange]) -> None:
        """Put `changes` in place. Raises `CheckError` for a path outside the workspace."""
        for change in changes:
            self.write(change.path, change.after.to_bytes_for_tools() if change.after is not None else None)

    def write(self, path: str, data: bytes | None) -> None:
        """Write one file until `restore`; None deletes it. Raises `CheckError` for a path that is not ours."""
        if any(f"{path}/".startswith(f"{folder}/") for folder in self._listing.dependencies):
            raise CheckError(f"{path} is an installed dependency, not a file of the workspace")
        target = self._make_parent(path)
        if path not in self._base:
            self._base[path] = self._read(target) if path in self._sources else None
        if data is None:
            remove(target)
        else:
            self._put(path, data)

    @staticmethod
    def _read(target: str) -> bytes | None:
        try:
            return Path(target).read_bytes() if not Path(target).is_symlink() else None
        except OSError:
            return None

    def _put(self, path: str, data: bytes) -> None:
        target = f"{self._tree}/{path}"
        mode = 0o644
        if os.path.lexists(target):
            mode = stat.S_IMODE(os.lstat(target).st_mode) | 0o600
            remove(target)  # never written through: what is there could be a link
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        # Compilers and caches tell versions apart by whole seconds and size: every version gets its own second.
        self._stamp = max(self._stamp + 1_000_000_000, time.time_ns())
        os.utime(target, ns=(self._stamp, self._stamp))
        self._written[path] = _written(os.lstat(target))

    def restore(self) -> None:
        """Undo `apply` and whatever a run did. Blocks for some milliseconds per thousand files."""
        changed, self._base = self._base, {}
        self._made.clear()
        present = self._present()
        for path, there in present.items():
            if path not in self._sources or path in changed or self._written.get(path) != there:
                remove(f"{self._tree}/{path}")
        for path in self._sources:
            if path in changed or self._written.get(path) != present.get(path):
                before = changed.get(path)
                if before is not None:
                    self._make_parent(path)
                    self._put(path, before)
                else:
                    self._copy(path)
        for path in [path for path in self._written if path not in self._sources]:
            del self._written[path]
        self._place_dependencies()

    def _present(self) -> dict[str, _Written]:
        """Return all files of the copy; folders that are neither ours nor needed are removed on the way."""
        found: dict[str, _Written] = {}
        pending = [""]
        while pending:
            folder = pending.pop()
            place = f"{self._tree}/{folder}" if folder else self._tree
            for name, is_folder, there in _entries(place):
                path = f"{folder}/{name}" if folder else name
                if path in self._listing.dependencies:
                    continue  # where a dependency is shown; `_place_dependencies` sees to it
                if not is_folder:
                    found[path] = there
                elif path in self._folders:
                    pending.append(path)
                else:
                    remove(f"{self._tree}/{path}")
        return found

    @property
    def _manifest(self) -> Path:
        return self._folder / "manifest.json"

    def _load(self) -> tuple[dict[str, Signature | None], dict[str, _Written]]:
        try:
            data = json.loads(self._manifest.read_bytes())
            if data["format"] != _FORMAT or data["workspace"] != str(self.workspace):
                return {}, {}
            known = {path: (a, b, c, d) for path, (a, b, c, d, *_) in data["files"].items()}
            written = {path: (e, f, g) for path, (_, _, _, _, e, f, g) in data["files"].items()}
        except (OSError, ValueError, KeyError, TypeError):
            return {}, {}  # none yet, or not whole: everything is copied
        return dict[str, Signature | None](known), written

    def close(self) -> None:
        """Leave the copy as a good start for the next job."""
        self.restore()
        self._save()

    def _save(self) -> None:
        files = {
            path: (*signature, *self._written[path])
            for path, signature in self._sources.items()
            if signature is not None  # an overlay is written anew by the next job
        }
        data = {"format": _FORMAT, "workspace": str(self.workspace), "files": files}
        partial = self._manifest.with_suffix(".partial")
        partial.write_text(json.dumps(data), encoding="ascii")
        partial.replace(self._manifest)


def _entries(place: str) -> Iterator[tuple[str, bool, _Written]]:
    """Yield name, whether it is a folder, and what a file is known by."""
    with contextlib.suppress(OSError):
        if not os.access(place, os.R_OK | os.X_OK):
            Path(place).chmod(0o700)  # a run made it unreadable
    with os.scandir(place) as entries:
        for entry in entries:
            found = entry.stat(follow_symlinks=False)
            yield entry.name, stat.S_ISDIR(found.st_mode), _written(found)


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]


def _written(found: os.stat_result) -> _Written:
    return (found.st_ino, found.st_size, found.st_ctime_ns)


def _signature(source: str) -> Signature | None:
    try:
        found = os.lstat(source)
    except OSError:
        return None
    return (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)


def _is_real_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
