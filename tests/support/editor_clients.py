"""What editors say they can do: the capabilities of the clients that the tests play."""

from typing import Any

Json = dict[str, Any]

BARE: Json = {"workspace": {"applyEdit": True}, "window": {}}

NEOVIM: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {"resourceOperations": ["rename", "create", "delete"], "documentChanges": True},
        "configuration": True,
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}, "showMessage": {}},
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}},
            "isPreferredSupport": True,
        },
        "publishDiagnostics": {"relatedInformation": True},
    },
}

ANNOTATING: Json = {
    "workspace": {
        "applyEdit": True,
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["rename", "create", "delete"],
            "changeAnnotationSupport": {"groupsOnLabel": True},
        },
    },
    "window": {"workDoneProgress": True, "showDocument": {"support": True}},
    "textDocument": {"codeAction": {"tagSupport": {"valueSet": [1]}}},
}

RICH: Json = {**ANNOTATING, "experimental": {"ensemble": {"events": True, "proposals": True}}}

FULL: Json = {
    **RICH,
    "workspace": {
        **RICH["workspace"],
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "fileOperations": {"didCreate": True, "didRename": True, "didDelete": True},
    },
    "experimental": {"ensemble": {"events": True, "proposals": True, "context": True, "input": True}},
}
"""A client with everything that a workspace can tell."""

_SHOWN: Json = {
    "relatedInformation": True,
    "codeDescriptionSupport": True,
    "dataSupport": True,
    "tagSupport": {"valueSet": [1, 2]},
}

VSCODE: Json = {
    **FULL,
    "workspace": {
        **FULL["workspace"],
        "diagnostics": {"refreshSupport": True},
        "textDocumentContent": {"dynamicRegistration": True},
    },
    "textDocument": {
        **FULL["textDocument"],
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": _SHOWN,
        "diagnostic": _SHOWN,
    },
}
"""A client that asks for diagnostics and for the text of virtual documents, as vscode-languageclient 11 does."""
