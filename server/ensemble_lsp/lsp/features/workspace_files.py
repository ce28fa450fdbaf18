"""Files that the editor makes, renames or deletes, files that change on the disk, and folders that come and go."""

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

EVERY_FILE = types.FileOperationRegistrationOptions(
    filters=[types.FileOperationFilter(scheme="file", pattern=types.FileOperationPattern(glob="**/*"))]
)


def register(server: "EnsembleServer") -> None:
    """Register the handlers."""

    @server.feature(types.WORKSPACE_DID_CREATE_FILES, EVERY_FILE)
    def created(ls: "EnsembleServer", params: types.CreateFilesParams) -> None:
        for file in params.files:
            ls.followed_files.made(file.uri)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, EVERY_FILE)
    def renamed(ls: "EnsembleServer", params: types.RenameFilesParams) -> None:
        for file in params.files:
            ls.followed_files.renamed(file.old_uri, file.new_uri)

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, EVERY_FILE)
    def deleted(ls: "EnsembleServer", params: types.DeleteFilesParams) -> None:
        for file in params.files:
            ls.followed_files.deleted(file.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(ls: "EnsembleServer", params: types.DidChangeWatchedFilesParams) -> None:
        files = ls.followed_files
        follow = {
            types.FileChangeType.Created: files.made,
            types.FileChangeType.Changed: files.changed,
            types.FileChangeType.Deleted: files.deleted,
        }
        for change in params.changes:
            follow[change.type](change.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: "EnsembleServer", params: types.DidChangeWorkspaceFoldersParams) -> None:
        ls.followed_files.folders_gone(ls.folders.changed(params))
        ls.configuration.refresh()
