"""Whatever is typed, the server's text is the client's: random edits against a model, in each of the encodings."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from ensemble_lsp.core.text import PositionEncoding
from ensemble_lsp.lsp.documents import Document, Documents
from tests.lsp.stage import CART, Stage
from tests.lsp.test_transport import Client
from tests.lsp.text_model import CODES, ClientText
from tests.support.fake_editor import Json

PIECES = [
    "a",
    "total = 0",
    "\n",
    "\r\n",
    "\r",
    "é",
    "日本",
    "🪙",
    "👩‍👧",
    "\u2028",
    "\u2029",
    "\u0085",
    "\x0b",
    "\x0c",
    "\t",
    "",
    "\0",
    "\ufeff",
]

HALVES = ["\ud83e", "\ude99"]
"""Lone surrogates, which meet and part while somebody types in an editor that counts UTF-16."""

TEXTS = st.lists(st.sampled_from(PIECES), max_size=10).map("".join)
PLACES = st.tuples(st.integers(0, 8), st.integers(0, 14))
CHANGES = st.tuples(PLACES, PLACES, TEXTS | st.sampled_from(HALVES)) | TEXTS

Change = tuple[tuple[int, int], tuple[int, int], str] | str


def _wire(change: Change) -> Json:
    if isinstance(change, str):
        return {"text": change}
    start, end = sorted(change[:2])
    return {
        "range": {
            "start": {"line": start[0], "character": start[1]},
            "end": {"line": end[0], "character": end[1]},
        },
        "text": change[2],
    }


def _applied(model: ClientText, change: Change) -> None:
    if isinstance(change, str):
        model.replace_all(change)
    else:
        start, end = sorted(change[:2])
        model.replace(start, end, change[2])


def _lsp(change: Change) -> types.TextDocumentContentChangeEvent:
    if isinstance(change, str):
        return types.TextDocumentContentChangeWholeDocument(text=change)
    start, end = sorted(change[:2])
    span = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(range=span, text=change[2])


@settings(max_examples=400)
@given(
    text=TEXTS,
    notifications=st.lists(st.lists(CHANGES, max_size=4), max_size=5),
    encoding=st.sampled_from(sorted(CODES)),
)
def test_any_notifications_leave_the_server_with_the_clients_text(
    text: str, notifications: list[list[Change]], encoding: str
) -> None:
    if encoding != "utf-16":
        # Only clients that count UTF-16 can hold half a character; others send what they have.
        notifications = [[each for each in changes if not _is_half(each)] for changes in notifications]
    model = ClientText(text, encoding)
    documents = Documents()
    documents.encoding = PositionEncoding(encoding)
    documents.open(types.TextDocumentItem("untitled:a", "text", 0, text))
    for version, changes in enumerate(notifications, 1):
        identifier = types.VersionedTextDocumentIdentifier(version, "untitled:a")
        document, _ = documents.change(
            types.DidChangeTextDocumentParams(identifier, [_lsp(change) for change in changes])
        )
        for change in changes:
            _applied(model, change)
        assert document.text == model.text
        assert document.version == version
        assert document.index.line_count == len(model.lines())


def _is_half(change: Change) -> bool:
    return not isinstance(change, str) and change[2] in HALVES


def _random_change(chance: random.Random, encoding: str) -> Change:
    pieces = [*PIECES, *HALVES] if encoding == "utf-16" else PIECES
    text = "".join(chance.choice(pieces) for _ in range(chance.choice([1, 1, 1, 2, 5])))
    if chance.random() < 0.02:
        return text
    line = chance.choice([0, 1, 2, 3, 4, 5, 6, 40])
    start = (line, chance.choice([0, 1, 2, 3, 5, 8, 13, 400]))
    far = (line + chance.choice([0, 0, 0, 1]), chance.choice([0, 1, 2, 3, 5, 8, 13]))
    return start, far if far >= start and chance.random() < 0.7 else start, text


@pytest.mark.parametrize("encoding", sorted(CODES))
def test_frames_of_a_client(encoding: str) -> None:
    """As JSON on the wire, where half a character is written `\\ud83e`."""
    chance = random.Random(f"frames {encoding}")  # noqa: S311  (the same edits each time)
    client = Client()
    capabilities = {"general": {"positionEncodings": [encoding]}}
    client.send("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
    item = {"uri": "untitled:a", "languageId": "text", "version": 1, "text": CART}
    client.notify("textDocument/didOpen", {"textDocument": item})
    model = ClientText(CART, encoding)
    for version in range(2, 400):
        changes = [_random_change(chance, encoding) for _ in range(chance.choice([1, 1, 2, 4]))]
        params = {
            "textDocument": {"uri": "untitled:a", "version": version},
            "contentChanges": [_wire(change) for change in changes],
        }
        client.notify("textDocument/didChange", json.loads(json.dumps(params)))
        for change in changes:
            _applied(model, change)
        document = client.server.documents.get("untitled:a")
        assert document is not None
        assert document.text == model.text


async def _typed_at_random(stage: Stage, encoding: str, proposal: str, uri: str) -> None:
    """Type, and after each notification have the server say what it holds: the file with no hunk of a fix applied."""
    chance = random.Random(f"stdio {encoding}")  # noqa: S311  (the same edits each time)
    model = ClientText(stage.editor.texts[uri], encoding)
    for version in range(2, 150):
        changes = [_random_change(chance, encoding) for _ in range(chance.choice([1, 1, 3]))]
        stage.editor.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [_wire(change) for change in changes],
            },
        )
        for change in changes:
            _applied(model, change)
        held: Any = await stage.editor.request(
            "ensemble/proposalText", {"proposal": proposal, "uri": uri, "hunks": []}
        )
        assert held["text"] == model.text
        assert held["version"] == version
    stage.editor.drop("ensemble/proposal")


@pytest.mark.asyncio(loop_scope="session")
async def test_over_stdio_in_utf_16(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    proposal = await rich.editor.message("ensemble/proposal")
    await _typed_at_random(rich, "utf-16", proposal["proposal"], uri)


@pytest.mark.asyncio(loop_scope="session")
async def test_over_stdio_in_utf_8(neovim: Stage) -> None:
    neovim.editor.answers["window/showMessageRequest"] = lambda _: None
    uri = neovim.file()
    await neovim.fix(uri)
    await neovim.editor.message("window/showMessage")
    (apply,) = [each for each in await neovim.actions(uri) if "apply fix" in each["title"]]
    (argument,) = apply["command"]["arguments"]
    await _typed_at_random(neovim, "utf-8", argument["proposal"], uri)


def _after(text: str, change: Change, encoding: PositionEncoding = PositionEncoding.UTF16) -> str:
    document = Document("untitled:a", "text", 1, text, encoding)
    document.apply(_lsp(change))
    return document.text


def test_emoji_before_the_range_counts_two_in_utf_16() -> None:
    assert _after("x = '🪙' + old\n", ((0, 11), (0, 14), "new")) == "x = '🪙' + new\n"


def test_line_separator_in_a_line_is_no_line_end() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\nsecond\n"
    assert _after(text, ((1, 0), (1, 6), "2nd")) == text.replace("second", "2nd")


def test_line_feed_typed_behind_a_carriage_return_is_one_line_end() -> None:
    document = Document("untitled:a", "text", 1, "one\rtwo", PositionEncoding.UTF16)
    document.apply(_lsp(((1, 0), (1, 0), "\n")))
    assert document.text == "one\r\ntwo"
    assert document.index.line_count == 2


def test_half_of_an_emoji_is_deleted_and_typed_again() -> None:
    halved = _after("a🪙b", ((0, 2), (0, 3), ""))
    assert halved == "a\ud83eb"
    assert _after(halved, ((0, 2), (0, 2), "\ude99")) == "a🪙b"


def test_byte_order_mark_inside_a_document_is_a_character() -> None:
    assert _after("\ufeffa", ((0, 1), (0, 2), "b")) == "\ufeffb"
