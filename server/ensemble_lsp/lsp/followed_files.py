"""Files that are made, renamed, deleted or changed beside the open documents: results follow them."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import from_fs_path

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.lsp.documents import path_of

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

WATCHED = 200
"""Files that a client is asked to watch at most: those that findings and proposals speak of, and no others."""

_REGISTRATION = "ensemble-watched-files"

_GLOB_CHARACTERS = re.compile(r"[*?{}\[\]!,]")
"""LSP's globs know no escape; `?` stands for any one character, so for these too."""


class FollowedFiles:
    """What is to be done when the editor tells of files."""

    def __init__(self, server: "EnsembleServer") -> None:
        self._server = server
        self._watched: frozenset[str] = frozenset()

    def renamed(self, old: str, new: str) -> None:
        """A file or a folder has another URI: findings go with it, proposals are for its new place."""
        before, after = _path(old), _path(new)
        if before is None or after is None:
            return
        self._server.moves.renamed(before, after)
        for uri in self._of(before, self._server.findings.uris()):
            path = _path(uri)
            if path is None:
                continue
            place = after if path == before else after / path.relative_to(before)
            document = self._server.documents.at(place)
            target = document.uri if document is not None else _uri(place)
            if self._server.findings.renamed(uri, target):
                if document is not None:
                    self._server.findings.reopened(document)
                self._server.diagnostics.publish(uri)
                self._server.diagnostics.publish(target)
        self._proposals_in(after)

    def deleted(self, uri: str) -> None:
        """A file or a folder is gone: so are its findings, and proposals for it are conflicts."""
        path = _path(uri)
        if path is None:
            return
        self._server.moves.deleted(path)
        for known in self._of(path, self._server.findings.uris()):
            if self._server.findings.forget(known):
                self._server.diagnostics.publish(known)
        self._proposals_in(path)

    def made(self, uri: str) -> None:
        """A file is there that was not."""
        path = _path(uri)
        if path is not None:
            self._server.moves.made(path)
            self._proposals_in(path)

    def changed(self, uri: str) -> None:
        """A file has other bytes; what is open counts as the editor shows it, so only closed ones matter."""
        path = _path(uri)
        if path is None or self._server.documents.at(path) is not None:
            return
        for known in self._of(path, self._server.findings.uris()):
            self._server.findings.reopened(
                self._server.folders.read_document(known, self._server.view.encoding)
            )
            self._server.diagnostics.publish(known)
        self._proposals_in(path)

    def folders_gone(self, roots: Iterable[Path]) -> None:
        """Folders left the workspace: their jobs are cancelled, and the findings of closed files go."""
        for root in roots:
            for job in self._server.jobs.within(root):
                self._server.jobs.cancel(job)
            for uri in self._of(root, self._server.findings.uris()):
                if self._server.documents.get(uri) is None and self._server.findings.forget(uri):
                    self._server.diagnostics.publish(uri)

    def watch(self) -> None:
        """Have the client watch the files that results speak of, where it can be asked to."""
        if not self._server.view.watched_files_registration:
            return
        named = self._server.findings.uris() | self._server.proposals.uris()
        wanted = frozenset(sorted(uri for uri in named if _path(uri) is not None)[:WATCHED])
        if wanted != self._watched:
            before, self._watched = self._watched, wanted
            self._server.in_background(self._register(wanted, again=bool(before)))

    async def _register(self, uris: frozenset[str], *, again: bool) -> None:
        ask = self._server.protocol.ask_client
        if again:
            gone = types.Unregistration(_REGISTRATION, types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
            await ask(types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams([gone]))
        watchers = [
            types.FileSystemWatcher(glob_pattern=pattern)
            for uri in sorted(uris)
            if (pattern := self._pattern(uri)) is not None
        ]
        if watchers:
            registration = types.Registration(
                _REGISTRATION,
                types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                types.DidChangeWatchedFilesRegistrationOptions(watchers),
            )
            await ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))

    def _pattern(self, uri: str) -> str | types.RelativePattern | None:
        path = _path(uri)
        if path is None:
            return None
        if self._server.view.relative_patterns:
            return types.RelativePattern(_uri(path.parent), _GLOB_CHARACTERS.sub("?", path.name))
        return _GLOB_CHARACTERS.sub("?", path.as_posix())

    def _proposals_in(self, path: Path) -> None:
        for uri in self._of(path, self._server.proposals.uris()):
            self._server.presenter.moved(uri)

    def _of(self, path: Path, uris: Iterable[str]) -> list[str]:
        """Return those that are the file, or in the folder."""
        return [
            uri
            for uri in sorted(uris)
            if (known := _path(uri)) is not None and path in {known, *known.parents}
        ]


def _path(uri: str) -> Path | None:
    try:
        return path_of(uri).resolve()
    except (UsageError, OSError, RuntimeError, ValueError):
        return None


def _uri(path: Path) -> str:
    return from_fs_path(str(path)) or ""
