"""The quick answer to `initialize` is the one that the full server gives, for whatever client."""

import json
import random
from collections.abc import Iterator
from typing import Any, cast

import pytest
from lsprotocol import types
from pygls.protocol import LanguageServerProtocol

from ensemble_lsp.lsp.greeting import FILE_OPERATIONS, answer_to, greeting
from ensemble_lsp.lsp.server import EnsembleServer
from tests.lsp.test_transport import Client
from tests.support.fake_editor import ANNOTATING, BARE, NEOVIM, RICH, Json

CLIENTS: dict[str, Json] = {"bare": BARE, "neovim": NEOVIM, "annotating": ANNOTATING, "rich": RICH}


def _full_server(client: Json) -> Json:
    """Return the result of `initialize` as the full server gives it."""
    own = Client()
    own.send("initialize", {"processId": None, "rootUri": None, "capabilities": client})
    (answer,) = own.answers()
    result: Json = answer["result"]
    return result


def _pygls(client: Json) -> Json:
    """Return the capabilities that pygls makes of the registered handlers."""
    server = EnsembleServer()
    converter = server.protocol._converter  # pyright: ignore[reportPrivateUsage]
    params = converter.structure(
        {"processId": None, "rootUri": None, "capabilities": client}, types.InitializeParams
    )
    work = LanguageServerProtocol.lsp_initialize(server.protocol, params)
    with pytest.raises(StopIteration) as ended:
        next(work)
    result = cast("types.InitializeResult", ended.value.value)
    plain: Json = json.loads(json.dumps(converter.unstructure(result.capabilities)))
    return plain


@pytest.mark.parametrize("name", CLIENTS)
def test_both_stages_give_the_same_answer(name: str) -> None:
    client = CLIENTS[name]
    assert _full_server(client) == greeting({"capabilities": client})


def _as_pygls_would(announced: Json) -> Json:
    """Leave away what pygls's builder cannot announce."""
    workspace = {key: value for key, value in announced["workspace"].items() if key != "textDocumentContent"}
    return {
        **{key: value for key, value in announced.items() if key != "experimental"},
        "workspace": workspace,
    }


def _for_all_clients(handled: Json, announced: Json) -> Json:
    """Leave away what only some clients are told of, where this one is not."""
    return {key: value for key, value in handled.items() if key != "diagnosticProvider" or key in announced}


ASKING: Json = {
    **RICH,
    "workspace": {
        **RICH["workspace"],
        "diagnostics": {"refreshSupport": True},
        "textDocumentContent": {},
        "fileOperations": dict.fromkeys(FILE_OPERATIONS, True),
    },
    "textDocument": {**RICH["textDocument"], "diagnostic": {}},
}
"""A client that asks for everything that can be asked for, and is told of every file."""


@pytest.mark.parametrize("client", [*CLIENTS.values(), ASKING], ids=[*CLIENTS, "asking"])
def test_what_is_announced_is_what_has_a_handler(client: Json) -> None:
    announced = cast("Json", greeting({"capabilities": client})["capabilities"])
    handled = _for_all_clients(_pygls(client), announced)
    assert _as_pygls_would(announced) == handled, "say in lsp/greeting.py what the handlers can do, no more"


def test_only_clients_that_can_be_told_to_ask_again_are_asked_to_ask() -> None:
    told = cast("Json", greeting({"capabilities": ASKING})["capabilities"])
    assert "diagnosticProvider" in told
    assert told["workspace"]["textDocumentContent"] == {"schemes": ["ensemble"]}
    never = {**ASKING, "workspace": {**ASKING["workspace"], "diagnostics": {"refreshSupport": False}}}
    assert "diagnosticProvider" not in cast("Json", greeting({"capabilities": never})["capabilities"])
    assert types.WORKSPACE_TEXT_DOCUMENT_CONTENT in EnsembleServer().protocol.fm.features


def _random_value(draw: random.Random, depth: int) -> object:
    plain: list[object] = [None, True, False, 0, -1, 2**70, 1.5, "", "utf-8", "\ud800", [], {}, [1, "utf-8"]]
    if depth and draw.random() < 0.3:
        return {draw.choice(NAMES): _random_value(draw, depth - 1) for _ in range(draw.randrange(4))}
    return draw.choice(plain)


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("Json", value).items():
            yield name
            yield from _names(inner)


MORE = (
    "fileOperations didRename willDelete diagnostic diagnostics refreshSupport notebookDocument synchronization "
    "willSave textDocumentContent rename prepareSupport"
)
"""Capabilities that none of the clients has, and that change what a server may announce."""

NAMES = sorted({*MORE.split(), *(name for client in CLIENTS.values() for name in _names(client))})


def _mutated(draw: random.Random, value: object, chance: float) -> object:
    """Return a value with some of what is in it replaced by something that no client should send."""
    if draw.random() < chance:
        return _random_value(draw, 3)
    if isinstance(value, dict):
        return {name: _mutated(draw, inner, chance) for name, inner in cast("Json", value).items()}
    return value


def _random_params(draw: random.Random) -> Json:
    client = draw.choice(list(CLIENTS.values()))
    params: Json = {
        "processId": draw.choice([None, 7]),
        "rootUri": draw.choice([None, "file:///w", "untitled:x", "file://[", "http://h/x", "", "\0"]),
        "capabilities": client,
        "workspaceFolders": draw.choice(
            [None, [], [{"uri": "file:///w", "name": "w"}], [{"uri": "%", "name": ""}]]
        ),
        "initializationOptions": draw.choice([None, {}, {"trustedFolders": ["file://[", 7]}, [1], "x"]),
        "clientInfo": draw.choice([None, {"name": "x"}, {"name": "x", "version": "1"}]),
    }
    for _ in range(draw.choice([0, 0, 1, 2])):
        params[draw.choice(["processId", "trace", "locale", "clientInfo", "rootPath", "workDoneToken"])] = (
            _random_value(draw, 1)
        )
    changed = _mutated(draw, params["capabilities"], draw.choice([0.0, 0.05, 0.2]))
    return {**params, "capabilities": changed}


def test_random_clients_get_the_same_answer_from_both_and_can_be_followed() -> None:
    draw = random.Random(31)  # noqa: S311  (not for secrets)
    quick = 0
    for number in range(120):
        params = _random_params(draw)
        message: Any = json.loads(
            json.dumps({"jsonrpc": "2.0", "id": number, "method": "initialize", "params": params})
        )
        quick_answer = answer_to(message)
        if quick_answer is None:
            continue
        quick += 1
        told = Client()
        told.send("initialize", message["params"], number)
        (answer,) = told.answers()
        assert answer == quick_answer, params
        followed = Client()
        assert followed.server.protocol.follow(message), params
        assert followed.answers() == []
        capabilities = cast("Json", greeting(message["params"])["capabilities"])
        assert followed.server.documents.encoding.value == capabilities["positionEncoding"], params
    assert quick > 40
