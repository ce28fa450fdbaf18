"""Workspace folders, which of them are trusted, and where a document belongs."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import cast

from lsprotocol import types

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import PositionEncoding, SourceText
from ensemble_lsp.lsp.arguments import TrustArgument
from ensemble_lsp.lsp.documents import Document, path_of


class Folders:
    """The workspace as the client sees it."""

    def __init__(self) -> None:
        self._folders: dict[str, Path] = {}
        self._trusted: set[Path] = set()

    def read(self, params: types.InitializeParams, options: Mapping[str, object]) -> None:
        """Take the folders of `initialize`, and `initializationOptions.trustedFolders`."""
        uris = [folder.uri for folder in params.workspace_folders or ()]
        if not uris and params.root_uri:
            uris = [params.root_uri]
        for uri in uris:
            self._add(uri)
        trusted = options.get("trustedFolders")
        if isinstance(trusted, Sequence) and not isinstance(trusted, str):
            for uri in cast("Sequence[object]", trusted):
                path = _folder_of(uri) if isinstance(uri, str) else None
                if path is not None:
                    self._trusted.add(path)

    def changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Follow folders that come and go."""
        for folder in params.event.removed:
            self._folders.pop(folder.uri, None)
        for folder in params.event.added:
            self._add(folder.uri)

    def trust(self, params: object) -> None:
        """Follow the client's word on one folder."""
        argument = TrustArgument.model_validate(params)
        path = path_of(argument.uri).resolve()
        if argument.trusted:
            self._trusted.add(path)
        else:
            self._trusted.discard(path)

    def is_trusted(self, root: Path) -> bool:
        """Whether a folder, or one above it, is trusted."""
        resolved = root.resolve()
        return any(folder == resolved or folder in resolved.parents for folder in self._trusted)

    def root_of(self, uri: str) -> Path:
        """Return the innermost workspace folder around a document, else the document's own folder."""
        path = path_of(uri).resolve()
        around = [root for root in self._folders.values() if root == path or root in path.parents]
        return max(around, key=lambda root: len(root.parts)) if around else path.parent

    def roots(self) -> Mapping[str, Path]:
        """Return the folders by the URIs that the client has for them."""
        return dict(self._folders)

    def first(self) -> Path:
        """Return the first workspace folder; raises `UsageError` without one."""
        for root in self._folders.values():
            return root
        raise UsageError("no folder is open", field="workspace", hint="open a folder first")

    def relative(self, uri: str, root: Path) -> str | None:
        """Return a document's path below `root` with forward slashes, or None when it is elsewhere."""
        if not uri.startswith("file:"):
            return None
        path = path_of(uri).resolve()
        if root not in path.parents:
            return None
        return str(PurePosixPath(path.relative_to(root)))

    def absolute(self, uri: str) -> str:
        """Return a file's absolute path with forward slashes; raises `UsageError` for what is no file."""
        return path_of(uri).resolve().as_posix()

    def path_in(self, uri: str) -> tuple[Path, str]:
        """Return a document's root and its path below it; raises `UsageError` for what is no file."""
        root = self.root_of(uri)
        path = self.relative(uri, root)
        if path is None:
            raise UsageError(f"{uri} is not in the workspace", field="uri")
        return root, path

    def read_document(self, uri: str, encoding: PositionEncoding) -> Document:
        """Return a file that is not open as a document with version -1; empty when it is gone."""
        try:
            text = SourceText.from_bytes(path_of(uri).read_bytes()).text
        except OSError:
            text = ""
        return Document(uri, "", -1, text, encoding)

    def _add(self, uri: str) -> None:
        path = _folder_of(uri)
        if path is not None:
            self._folders[uri] = path


def _folder_of(uri: str) -> Path | None:
    """Return the folder of a URI; None for what is no file, which a client may well have as a folder."""
    try:
        return path_of(uri).resolve()
    except UsageError:
        return None
