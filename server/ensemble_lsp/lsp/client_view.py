"""What the connected client can do, read once from its capabilities; never assumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from lsprotocol import types

from ensemble_lsp.core.text import PositionEncoding


@dataclass(frozen=True, slots=True)
class ClientView:
    """The capabilities that change what this server sends."""

    events: bool = False
    proposals: bool = False
    input: bool = False
    context: bool = False
    configuration: bool = False
    configuration_registration: bool = False
    watched_files_registration: bool = False
    relative_patterns: bool = False
    document_changes: bool = False
    annotations: bool = False
    resource_operations: frozenset[str] = frozenset()
    show_document: bool = False
    progress: bool = False
    llm_tag: bool = False
    pulls: bool = False
    """It asks for the diagnostics of open documents, and can be told to ask again."""
    related_information: bool = False
    code_description: bool = False
    diagnostic_tags: frozenset[int] = frozenset()
    hover_markdown: bool = False
    virtual_documents: bool = False
    """It asks for the text of `ensemble:` documents."""
    encoding: PositionEncoding = PositionEncoding.UTF16

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> "ClientView":
        """Read a client's capabilities; absent ones count as no."""
        workspace, window, text = capabilities.workspace, capabilities.window, capabilities.text_document
        edit = workspace.workspace_edit if workspace else None
        action = text.code_action if text else None
        hover = text.hover if text else None
        refreshed = workspace.diagnostics if workspace else None
        pulls = bool(text and text.diagnostic and refreshed and refreshed.refresh_support)
        shown = _diagnostics(text, pulls=pulls)
        watched = workspace.did_change_watched_files if workspace else None
        ours = _ours(capabilities.experimental)
        return cls(
            events=ours.get("events") is True,
            proposals=ours.get("proposals") is True,
            input=ours.get("input") is True,
            context=ours.get("context") is True,
            configuration=bool(workspace and workspace.configuration),
            configuration_registration=bool(
                workspace
                and workspace.did_change_configuration
                and workspace.did_change_configuration.dynamic_registration
            ),
            watched_files_registration=bool(watched and watched.dynamic_registration),
            relative_patterns=bool(watched and watched.relative_pattern_support),
            document_changes=bool(edit and edit.document_changes),
            annotations=bool(edit and edit.change_annotation_support),
            resource_operations=frozenset(
                str(kind.value) for kind in (edit.resource_operations or ()) if edit
            )
            if edit
            else frozenset(),
            show_document=bool(window and window.show_document and window.show_document.support),
            progress=bool(window and window.work_done_progress),
            llm_tag=bool(
                action
                and action.tag_support
                and types.CodeActionTag.LlmGenerated in action.tag_support.value_set
            ),
            pulls=pulls,
            related_information=all(each.related_information for each in shown),
            code_description=all(each.code_description_support for each in shown),
            diagnostic_tags=_tags(shown),
            hover_markdown=bool(
                hover and hover.content_format and types.MarkupKind.Markdown in hover.content_format
            ),
            virtual_documents=bool(workspace and workspace.text_document_content),
            encoding=_encoding(capabilities),
        )


_DiagnosticsShown = types.PublishDiagnosticsClientCapabilities | types.DiagnosticClientCapabilities


def _diagnostics(
    text: types.TextDocumentClientCapabilities | None, *, pulls: bool
) -> Sequence[_DiagnosticsShown]:
    """Return what a client says of diagnostics, by each way in which it gets them."""
    pushed = (text.publish_diagnostics if text else None) or types.PublishDiagnosticsClientCapabilities()
    asked = (text.diagnostic if text else None) or types.DiagnosticClientCapabilities()
    return (pushed, asked) if pulls else (pushed,)


def _tags(shown: Sequence[_DiagnosticsShown]) -> frozenset[int]:
    known = [
        frozenset(int(tag) for tag in each.tag_support.value_set) if each.tag_support else frozenset[int]()
        for each in shown
    ]
    return frozenset[int].intersection(*known)


def _ours(experimental: Any) -> Mapping[str, object]:
    """Return `experimental.ensemble` as a mapping, whatever the client sent there."""
    if not isinstance(experimental, Mapping):
        fields: object = getattr(experimental, "ensemble", None)
    else:
        fields = cast("Mapping[str, object]", experimental).get("ensemble")
    return cast("Mapping[str, object]", fields) if isinstance(fields, Mapping) else {}


def _encoding(capabilities: types.ClientCapabilities) -> PositionEncoding:
    # The same choice as pygls announces: the first of the client's that we know.
    for offered in (capabilities.general and capabilities.general.position_encodings) or ():
        value = getattr(offered, "value", offered)
        if value in set(PositionEncoding):
            return PositionEncoding(value)
    return PositionEncoding.UTF16
