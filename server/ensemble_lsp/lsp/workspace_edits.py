"""A proposal as LSP's `WorkspaceEdit`, in the form that the client understands."""

from collections.abc import Callable, Sequence

from lsprotocol import types

from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.text import LineIndex, SourceText
from ensemble_lsp.lsp.client_view import ClientView
from ensemble_lsp.lsp.convert import text_edit
from ensemble_lsp.lsp.live_files import LiveFile
from ensemble_lsp.lsp.moved_on import MovedOn

ANNOTATION = "ensemble"

NOT_BY_EDITOR = "apply it with `ensemble-lsp fix --apply`, which writes the files itself"

Operation = types.TextDocumentEdit | types.CreateFile | types.DeleteFile | types.RenameFile


def workspace_edit(
    files: Sequence[LiveFile],
    new_text: Callable[[LiveFile], SourceText | None],
    view: ClientView,
    *,
    hunks: frozenset[str] | None = None,
    label: str | None = None,
) -> types.WorkspaceEdit:
    """Return one edit over all files: versioned where the client can, minimal ranges, each file's hunks together.

    `hunks` None takes all that do not conflict; with `label` every change is annotated and needs confirmation.
    Raises `MovedOn` when nothing can be applied any more, and `UsageError` for what this client cannot do and
    for text that holds bytes which no editor would give back unchanged.
    """
    annotation = None if label is None else ANNOTATION
    operations: list[Operation] = []
    for file in files:
        chosen = file.applicable(hunks)
        if not chosen:
            continue
        if file.kind != "change":
            _require(view, file)
        if file.kind == "delete":
            operations.append(types.DeleteFile(uri=file.uri, annotation_id=annotation))
            continue
        if file.kind == "create" or file.live is None:
            text = new_text(file)
            operations.append(types.CreateFile(uri=file.uri, annotation_id=annotation))
            origin = types.Range(types.Position(0, 0), types.Position(0, 0))
            edits = [types.TextEdit(origin, text.text)] if text is not None and text.text else []
        else:
            index = LineIndex(file.live.text)
            edits = [text_edit(hunk, index, view.encoding) for hunk in chosen]
        if edits:
            operations.append(_document_edit(file, edits, annotation))
    if not operations:
        _refuse(files, hunks)
    if not view.document_changes:
        return types.WorkspaceEdit(changes=_plain(operations))
    edit = types.WorkspaceEdit(document_changes=operations)
    if label is not None:
        edit.change_annotations = {
            ANNOTATION: types.ChangeAnnotation(label=label, needs_confirmation=True, description="Ensemble")
        }
    return edit


def _document_edit(
    file: LiveFile, edits: Sequence[types.TextEdit], annotation: str | None
) -> types.TextDocumentEdit:
    for edit in edits:
        if any("\ud800" <= character <= "\udfff" for character in edit.new_text):
            raise UsageError(
                f"{file.path} holds bytes that are no text in its encoding; an editor would not keep them",
                field="proposal",
                hint=NOT_BY_EDITOR,
            )
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=file.version)
    annotated = [
        edit if annotation is None else types.AnnotatedTextEdit(annotation, edit.range, edit.new_text)
        for edit in edits
    ]
    return types.TextDocumentEdit(text_document=identifier, edits=annotated)


def _require(view: ClientView, file: LiveFile) -> None:
    if not view.document_changes or file.kind not in view.resource_operations:
        raise UsageError(
            f"this editor cannot {file.kind} {file.path} by an edit", field="proposal", hint=NOT_BY_EDITOR
        )


def _refuse(files: Sequence[LiveFile], hunks: frozenset[str] | None) -> None:
    waiting = [
        file
        for file in files
        if (file.hunks or file.conflict) and (hunks is None or any(each.id in hunks for each in file.hunks))
    ]
    if not waiting:
        raise MovedOn("nothing is left to apply: the text already is as proposed", field="proposal")
    reasons = "; ".join(
        f"{file.path}: {file.conflict or 'these lines were changed since'}" for file in waiting
    )
    raise MovedOn(
        f"nothing can be applied: {reasons}", field="proposal", hint="ask again on the text as it is now"
    )


def _plain(operations: Sequence[Operation]) -> dict[str, list[types.TextEdit]]:
    """Return the old form of an edit, without versions, for clients that know no other."""
    return {
        operation.text_document.uri: [edit for edit in operation.edits if isinstance(edit, types.TextEdit)]
        for operation in operations
        if isinstance(operation, types.TextDocumentEdit)
    }
