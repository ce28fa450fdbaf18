"""What the connected client can do, read once from its capabilities; never assumed."""

from collections.abc import Mapping
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
    document_changes: bool = False
    annotations: bool = False
    resource_operations: frozenset[str] = frozenset()
    show_document: bool = False
    progress: bool = False
    llm_tag: bool = False
    related_information: bool = False
    encoding: PositionEncoding = PositionEncoding.UTF16

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> "ClientView":
        """Read a client's capabilities; absent ones count as no."""
        workspace, window, text = capabilities.workspace, capabilities.window, capabilities.text_document
        edit = workspace.workspace_edit if workspace else None
        action = text.code_action if text else None
        published = text.publish_diagnostics if text else None
        ours = _ours(capabilities.experimental)
        return cls(
            events=ours.get("events") is True,
            proposals=ours.get("proposals") is True,
            input=ours.get("input") is True,
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
            related_information=bool(published and published.related_information),
            encoding=_encoding(capabilities),
        )


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
