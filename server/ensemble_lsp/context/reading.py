"""Files as they are read for a job: the editor's text first, never out of the workspace, bounded."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from ensemble_lsp.context.ignore import IgnoreRules
from ensemble_lsp.context.regular_files import read_regular
from ensemble_lsp.core.commit_messages import is_commit_message
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import SourceText, is_binary
from ensemble_lsp.settings import ContextTable

FILE_BYTES = 2_000_000
"""A larger file is refused: at four bytes a token no model could hold a part of it that matters."""


@dataclass(frozen=True)
class Reader:
    """Reads files of one workspace; `overlays` are the texts that the editor holds, by relative path."""

    workspace: Path
    rules: IgnoreRules
    overlays: Mapping[str, SourceText] = field(default_factory=dict[str, SourceText])

    notes_folder: Path | None = None
    """What the repository's own notes are read from where that is not the workspace."""

    @classmethod
    def of(
        cls,
        workspace: Path,
        settings: ContextTable,
        *,
        trusted: bool,
        overlays: Mapping[str, SourceText],
        rules: Path | None = None,
    ) -> "Reader":
        """Return the reader of a workspace under its settings.

        With `rules` that folder's ignore files and notes count, as a trusted one's, and not the workspace's.
        """
        root = workspace.resolve()
        ignored = IgnoreRules.load(root, settings, trusted or rules is not None, rules)
        return cls(root, ignored, overlays, rules)

    @property
    def notes(self) -> "Reader":
        """What reads the repository's notes (AGENTS.md and the like)."""
        return self if self.notes_folder is None else Reader(self.notes_folder.resolve(), self.rules)

    @cached_property
    def unignored_overlays(self) -> dict[str, SourceText]:
        """The editor's texts that may be sent: an ignored file does not become visible by being open."""
        return {path: text for path, text in self.overlays.items() if self.rules.ignored(path) is None}

    def focus(self, path: str) -> tuple[str, SourceText]:
        """Return the normal form of the path and the file in front of the person.

        Raises `UsageError` (field `path`) for what cannot or must not be read, with what to do about it.
        """
        path = self._relative(path)
        real = self._inside(path)
        for name in dict.fromkeys((path, real)):
            reason = self.rules.ignored(name)
            if reason is not None:
                raise _refused(f"{path} is not sent to any model: {reason}", _ignored_hint(name))
        overlay = self.overlays.get(path)
        source = overlay if overlay is not None else self._read_or_explain(path)
        if len(source.text) > FILE_BYTES:
            raise _too_large(path, len(source.text))
        if not source.text.strip() and not is_commit_message(path):
            raise _refused(f"{path} is empty", "There is nothing in it to work on.")
        return path, source

    def related(self, path: str, *, limit: int = 400_000) -> SourceText | None:
        """Return another file of the workspace, or None when it is gone, binary, larger than `limit` bytes,
        ignored, or a link to something outside.
        """
        overlay = self.unignored_overlays.get(path)
        if overlay is not None:
            return overlay if len(overlay.text) <= limit else None
        try:
            real = (self.workspace / path).resolve().relative_to(self.workspace).as_posix()
            if real != path and self.rules.ignored(real) is not None:
                return None
            data = read_regular(self.workspace / path, limit)
        except (OSError, ValueError):
            return None
        return None if data is None or is_binary(data) else SourceText.from_bytes(data)

    def installed(self, path: str, *, limit: int = 400_000) -> SourceText | None:
        """Return a dependency's file that is installed inside the workspace, or None; `path` is relative.

        Such files are ignored for everything else: a language server has to point to one, and the rules to allow it.
        """
        if self.rules.dependency(path) is None:
            return None
        try:
            (self.workspace / path).resolve().relative_to(self.workspace)
            data = read_regular(self.workspace / path, limit)
        except (OSError, ValueError, RuntimeError):
            return None
        return None if data is None or is_binary(data) else SourceText.from_bytes(data)

    def _relative(self, path: str) -> str:
        if "\0" in path or not path.strip():
            raise _refused("the path is empty or holds a NUL", "Name a file of the workspace.")
        full = Path(os.path.normpath(self.workspace / path))
        if not full.is_relative_to(self.workspace):
            raise _refused(f"{path} is outside the workspace", f"The workspace is {self.workspace}.")
        relative = full.relative_to(self.workspace).as_posix()
        return str(PurePosixPath(relative))

    def _inside(self, path: str) -> str:
        try:
            real = (self.workspace / path).resolve()
        except (OSError, RuntimeError) as error:
            raise _refused(f"{path} cannot be followed: {error}", "It may be a link to itself.") from error
        if not real.is_relative_to(self.workspace):
            raise _refused(
                f"{path} is a link out of the workspace, to {real}",
                "Open the folder that holds the file itself.",
            )
        return real.relative_to(self.workspace).as_posix()

    def _read_or_explain(self, path: str) -> SourceText:
        full = self.workspace / path
        try:
            data = read_regular(full, FILE_BYTES)
        except FileNotFoundError as error:
            raise _refused(f"no such file: {path}", f"Paths are relative to {self.workspace}.") from error
        except IsADirectoryError as error:
            raise _refused(f"{path} is a directory", "Name one file in it.") from error
        except OSError as error:
            raise _refused(
                f"{path} cannot be read: {error.strerror or error}", "Check the file and its permissions."
            ) from error
        if data is None:
            raise _too_large(path, full.stat().st_size)
        if is_binary(data):
            raise _refused(f"{path} is not text", "Only text files can be worked on.")
        return SourceText.from_bytes(data)


def _refused(message: str, hint: str) -> UsageError:
    return UsageError(message, hint=hint, field="path")


def _too_large(path: str, size: int) -> UsageError:
    return _refused(
        f"{path} is too large: {size / 1e6:.1f} MB, at most {FILE_BYTES / 1e6:.0f} MB",
        "Split the file, or work on a smaller one.",
    )


def _ignored_hint(path: str) -> str:
    return (
        f"If it should be, add {path!r} to context.include in the settings"
        " (exactly this path where files hold secrets); in a workspace's own settings that counts once the"
        " folder is trusted."
    )
