"""Workspace folders, which of them are trusted, and where a document belongs."""

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import cast

from lsprotocol import types

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import PositionEncoding, SourceText
from ensemble_lsp.directories import state_directory
from ensemble_lsp.lsp.arguments import TrustArgument
from ensemble_lsp.lsp.buffer_paths import folder_of, free_path, name_of
from ensemble_lsp.lsp.documents import Document, Documents, path_of

MESSAGE_FILE = "COMMIT_EDITMSG"
"""The name by which the message of a commit is known that git has no file of."""


class Folders:
    """The workspace as the client sees it."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._folders: dict[str, Path] = {}
        self._trusted: set[Path] = set()
        self.client_trusts = False
        """Whether the client has a say in trust; else what the person told the terminal counts."""

    def read(self, params: types.InitializeParams, options: Mapping[str, object]) -> None:
        """Take the folders of `initialize`, and `initializationOptions.trustedFolders`."""
        uris = [folder.uri for folder in params.workspace_folders or ()]
        if not uris and params.root_uri:
            uris = [params.root_uri]
        for uri in uris:
            self._add(uri)
        trusted = options.get("trustedFolders")
        self.client_trusts = "trustedFolders" in options
        if isinstance(trusted, Sequence) and not isinstance(trusted, str):
            for uri in cast("Sequence[object]", trusted):
                path = _folder_of(uri) if isinstance(uri, str) else None
                if path is not None:
                    self._trusted.add(path)

    def changed(self, params: types.DidChangeWorkspaceFoldersParams) -> tuple[Path, ...]:
        """Follow folders that come and go; returns those that are in no workspace folder any more."""
        gone = [self._folders.pop(folder.uri, None) for folder in params.event.removed]
        for folder in params.event.added:
            self._add(folder.uri)
        left = set(self._folders.values())
        return tuple(root for root in gone if root is not None and left.isdisjoint({root, *root.parents}))

    def trust(self, params: object) -> None:
        """Follow the client's word on one folder."""
        argument = TrustArgument.model_validate(params)
        self.client_trusts = True
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
        return self._around(path) or path.parent

    def _around(self, path: Path) -> Path | None:
        around = [root for root in self._folders.values() if root == path or root in path.parents]
        return max(around, key=lambda root: len(root.parts)) if around else None

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
        """Return a document's root and its path below it; raises `UsageError` for what is neither file nor open."""
        if not uri.startswith("file:"):
            return self._buffer_in(uri)
        root = self.root_of(uri)
        path = self.relative(uri, root)
        if path is None:
            raise UsageError(f"{uri} is not in the workspace", field="uri")
        return root, path

    def _buffer_in(self, uri: str) -> tuple[Path, str]:
        """Return where an open document that is no file stands for a job: a place where no file is."""
        document = self._documents.get(uri)
        if document is None:
            raise UsageError(
                f"{uri} is neither a file nor open", field="uri", hint="open it, or save it to a file first"
            )
        path = self._documents.place_of(uri)
        if path is None:
            folder = folder_of(uri)
            if folder is None or self._around(folder) is None:
                folder = next(iter(self._folders.values()), None) or _own_folder()
            path = free_path(folder, name_of(uri, document.language), self._documents.paths())
            self._documents.place(uri, path)
        root = self._around(path) or path.parent
        return root, path.relative_to(root).as_posix()

    def place_message(self, uri: str, repository: str) -> None:
        """Have an open document that is no file count as the message of a repository's next commit.

        `repository` is the URI of its folder; of one around a workspace folder that folder's changes count. Raises
        `UsageError` for a file, for what is not open, and where another message is in the way.
        """
        if uri.startswith("file:") or self._documents.get(uri) is None:
            raise UsageError(
                f"{uri} is no open document without a file", field="uri", hint="leave out `commit`"
            )
        folder = path_of(repository).resolve()
        if self._around(folder) is None:
            folder = next((root for root in self._folders.values() if folder in root.parents), folder)
        path = folder / MESSAGE_FILE
        if path.exists() or self._documents.at(path) not in {None, self._documents.get(uri)}:
            raise UsageError(f"{path} is in the way", field="commit", hint="give that file another name")
        self._documents.place(uri, path)

    def read_document(self, uri: str, encoding: PositionEncoding) -> Document:
        """Return a file that is not open as a document with version -1; empty when it is gone or was never a file."""
        try:
            text = SourceText.from_bytes(path_of(uri).read_bytes()).text
        except (OSError, UsageError):
            text = ""
        return Document(uri, "", -1, text, encoding)

    def _add(self, uri: str) -> None:
        path = _folder_of(uri)
        if path is not None:
            self._folders[uri] = path


def _folder_of(uri: str) -> Path | None:
    """Return the folder of a URI; None for what is no file, which a client may well have as a folder."""
    try:
        path = path_of(uri).resolve()
        path.exists()  # raises for what can be no path here, as one that is too long
    except (UsageError, OSError):
        return None
    return path


def _own_folder() -> Path:
    """Return an empty folder of ours: the workspace of a buffer while no folder is open."""
    folder = state_directory() / "buffers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder.resolve()
