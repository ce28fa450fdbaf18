"""Broken and hostile messages: each request is answered, with the field named, and the server lives on."""

import pytest

from tests.lsp.stage import NOWHERE, Stage
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
PARSE_ERROR = -32700

URI = "file:///nowhere/a.py"
JOB = ("ensemble.review", "ensemble.fix", "ensemble.explain")


@pytest.mark.parametrize(
    ("command", "argument", "field"),
    [
        ("ensemble.fix", {}, "uri"),
        ("ensemble.fix", {"uri": 7}, "uri"),
        ("ensemble.fix", {"uri": "untitled:Untitled-1"}, "uri"),
        ("ensemble.fix", {"uri": "file:///a%00b"}, "uri"),
        ("ensemble.fix", {"uri": "http://example.org/a.py"}, "uri"),
        ("ensemble.fix", {"uri": URI, "range": {"start": {"line": 1, "character": 0}}}, "range.end"),
        (
            "ensemble.fix",
            {
                "uri": URI,
                "range": {"start": {"line": 2, "character": 0}, "end": {"line": 1, "character": 0}},
            },
            "range",
        ),
        (
            "ensemble.fix",
            {
                "uri": URI,
                "range": {"start": {"line": -1, "character": 0}, "end": {"line": 1, "character": 0}},
            },
            "range.start.line",
        ),
        ("ensemble.fix", {"uri": URI, "mode": "fast"}, "mode"),
        ("ensemble.fix", {"uri": URI, "rounds": 6}, "rounds"),
        ("ensemble.fix", {"uri": URI, "budget": {"usd": -1}}, "budget.usd"),
        ("ensemble.fix", {"uri": URI, "budget": {"usd": "NaN"}}, "budget.usd"),
        ("ensemble.fix", {"uri": URI, "surprise": 1}, "surprise"),
        ("ensemble.fix", {"uri": URI, "finding": "nobody"}, "finding"),
        ("ensemble.fix", {"uri": URI, "diagnostics": [{"message": "m"}]}, "diagnostics.0.range"),
        ("ensemble.review", {"uri": URI, "scope": "galaxy"}, "scope"),
        ("ensemble.debate", {"uri": URI}, "instruction"),
        ("ensemble.debate", {"uri": URI, "instruction": ""}, "instruction"),
        ("ensemble.cancel", {"job": "nobody"}, "job"),
        ("ensemble.decide", {"job": "nobody"}, "job"),
        ("ensemble.apply", {"proposal": "nobody"}, "proposal"),
        ("ensemble.apply", {"proposal": ["a"]}, "proposal"),
        ("ensemble.reject", {"proposal": "nobody"}, "proposal"),
        ("ensemble.dismiss", {"finding": "nobody"}, "finding"),
        ("ensemble.panel", {"who": 1}, "who"),
        ("ensemble.nothing", {}, "command"),
    ],
)
async def test_wrong_argument_is_named(rich: Stage, command: str, argument: Json, field: str) -> None:
    with pytest.raises(ServerError) as refused:
        await rich.editor.command(command, argument)
    assert refused.value.code == INVALID_PARAMS
    assert (refused.value.data or {}).get("field") == field
    assert not rich.editor.unexpected()


@pytest.mark.parametrize("arguments", [["text"], [7], [None], [[]], {"uri": URI}, "text"])
async def test_argument_that_is_no_object(rich: Stage, arguments: object) -> None:
    with pytest.raises(ServerError) as refused:
        await rich.editor.request(
            "workspace/executeCommand", {"command": "ensemble.fix", "arguments": arguments}
        )
    assert refused.value.code == INVALID_PARAMS
    assert not rich.editor.unexpected()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("textDocument/codeAction", None, INVALID_PARAMS),
        ("textDocument/codeAction", [], INVALID_PARAMS),
        ("textDocument/codeAction", {"textDocument": {"uri": URI}}, INVALID_PARAMS),
        ("textDocument/codeAction", {**NOWHERE, "range": {"start": {"line": "x"}}}, INVALID_PARAMS),
        ("ensemble/proposalText", {"proposal": "nobody", "uri": URI}, INVALID_PARAMS),
        ("ensemble/proposalText", None, INVALID_PARAMS),
        ("ensemble/proposalText", [1], INVALID_PARAMS),
        ("ensemble/job", {"class": "Job"}, INVALID_PARAMS),
        ("ensemble/nothing", {}, METHOD_NOT_FOUND),
        ("textDocument/nothing", {}, METHOD_NOT_FOUND),
        ("initialize", {"capabilities": {}}, INVALID_REQUEST),
    ],
)
async def test_request_that_cannot_be_read(rich: Stage, method: str, params: object, code: int) -> None:
    with pytest.raises(ServerError) as refused:
        await rich.editor.request(method, params)
    assert refused.value.code == code
    assert not rich.editor.unexpected()


def _frame(body: bytes) -> bytes:
    return b"content-length:%d\r\nX-Other: 1\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", PARSE_ERROR),
        (b"\xff\xfe", PARSE_ERROR),
        (b"[" * 100_000, PARSE_ERROR),
        (b"[]", INVALID_REQUEST),
        (b'"text"', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "shutdown"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "shutdown"}', INVALID_REQUEST),
    ],
)
async def test_frame_that_is_no_request_is_answered_without_an_id(
    rich: Stage, body: bytes, code: int
) -> None:
    rich.editor.send_bytes(_frame(body))
    answer = await rich.editor.message("an answer nobody waits for")
    assert answer["id"] is None
    assert answer["error"]["code"] == code
    assert not rich.editor.unexpected()


async def test_message_inside_the_parameters_is_not_taken_for_a_message(rich: Stage) -> None:
    inner: Json = {"jsonrpc": "2.0", "id": "inner", "method": "textDocument/codeAction", "params": {}}
    with pytest.raises(ServerError):
        await rich.editor.command("ensemble.fix", {"uri": URI, "instruction": inner})
    await rich.editor.request("textDocument/codeAction", NOWHERE)
    assert not rich.editor.unexpected()


async def test_notifications_that_make_no_sense_are_passed_over(rich: Stage) -> None:
    position = {"line": 0, "character": 0}
    messages: list[tuple[str, object]] = [
        ("textDocument/didOpen", None),
        ("textDocument/didOpen", {"textDocument": {"uri": URI}}),
        (
            "textDocument/didChange",
            {"textDocument": {"uri": "file:///not/open", "version": 1}, "contentChanges": [{"text": ""}]},
        ),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///not/open"}}),
        ("window/workDoneProgress/cancel", {"token": 99}),
        ("window/workDoneProgress/cancel", {}),
        ("$/cancelRequest", {"id": "nobody"}),
        ("$/cancelRequest", []),
        ("ensemble/trust", {"uri": 1}),
        ("ensemble/trust", {"uri": "http://example.org", "trusted": True}),
        ("ensemble/nothing", {"range": {"start": position, "end": position}}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": 5}], "removed": []}}),
        ("notebookDocument/didOpen", {"notebookDocument": {}, "cellTextDocuments": []}),
    ]
    for method, params in messages:
        rich.editor.notify(method, params)
    rich.editor.send_bytes(_frame(b'{"jsonrpc": "2.0", "id": "nobody", "result": 1}'))
    rich.editor.send_bytes(_frame(b'{"jsonrpc": "2.0", "id": [], "error": "no"}'))
    rich.editor.send_bytes(_frame(b'{"jsonrpc": "1.0", "method": "exit?"}'))
    assert await rich.editor.request("textDocument/codeAction", NOWHERE)
    assert not rich.editor.unexpected()
