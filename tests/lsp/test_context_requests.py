"""What the editor's other language servers know: asked for once a job, put in front of the models, never trusted."""

import json
from pathlib import Path

import pytest
from lsprotocol import types

from ensemble_lsp.core.events import Action
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import PositionEncoding
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.lsp.client_view import ClientView
from ensemble_lsp.lsp.context_requests import POSITIONS, ContextRequests, positions_of
from ensemble_lsp.lsp.documents import Document
from ensemble_lsp.lsp.server import EnsembleServer
from tests.lsp.stage import CART, Stage
from tests.support.fake_editor import Json

over_stdio = pytest.mark.asyncio(loop_scope="session")

USING = """import tax


def total(articles):
    result = 0
    for article in articles:
        result = tax.rate_for(article)
    return result
"""

WANT = ["definition", "references", "hover", "diagnostics"]


def _span(first: int, last: int) -> Json:
    return {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}


async def _prompt(stage: Stage, uri: str, answer: object, **argument: object) -> str:
    """Let the editor's other servers answer, run a fix, and return what the first member was sent."""
    stage.editor.answers["ensemble/context"] = lambda _: answer
    calls = len(stage.server.calls)
    await stage.fix(uri, **argument)
    await stage.editor.message("ensemble/proposal")
    return stage.server.calls[calls].prompt


@over_stdio
async def test_definition_that_a_server_points_to_is_in_the_prompt(full: Stage) -> None:
    """Nothing in the code says where `rates` is from: only the editor's server knows."""
    hidden = full.workspace / "rates_table.py"
    hidden.write_text("def unlisted(kind):\n    return kind.rate  # percent\n", encoding="utf-8")
    uri = full.file()
    told = {"definitions": [{"uri": hidden.as_uri(), "range": _span(0, 1)}]}
    prompt = await _prompt(full, uri, told, range=_span(0, 4))
    assert "return kind.rate  # percent" in prompt
    assert "definition of unlisted" in prompt
    without = await _prompt(full, uri, None, range=_span(0, 4))
    assert "kind.rate" not in without


@over_stdio
async def test_positions_are_those_of_the_names_in_the_range(full: Stage) -> None:
    uri = full.file(USING)
    full.voices.blocks = [("    result = 0\n", "    result = 1\n")]
    before = len(full.editor.asked)
    await _prompt(full, uri, None, range=_span(3, 7))
    asked = [params for method, params in full.editor.asked[before:] if method == "ensemble/context"]
    assert len(asked) == 1, "at most once a job"
    lines = USING.splitlines()
    places: list[Json] = asked[0]["positions"]
    names = [lines[int(place["line"])][int(place["character"]) :].split("(")[0] for place in places[:2]]
    assert names == ["total", "rate_for"]
    assert (asked[0]["uri"], asked[0]["want"]) == (uri, WANT)


@over_stdio
async def test_hovers_references_and_messages_are_in_the_prompt(full: Stage) -> None:
    user = full.workspace / "till.py"
    user.write_text("def receipt(basket):\n    print(total(basket))\n", encoding="utf-8")
    uri = full.file()
    told = {
        "references": [{"uri": user.as_uri(), "range": _span(1, 1)}],
        "hovers": ["```python\n(function) total: (prices: list[Decimal]) -> Decimal\n```\n---\nSums up."],
        "diagnostics": [
            {"range": _span(3, 3), "message": "result is never read", "source": "pyright", "severity": 2},
            {"range": _span(3, 3), "message": "ours comes back", "source": "ensemble"},
            {"range": "odd"},
            {
                "range": _span(2, 2),
                "message": "price is shadowed",
                "code": {"value": "W1", "target": "https://x"},
            },
        ],
    }
    prompt = await _prompt(full, uri, told, range=_span(0, 5))
    assert "print(total(basket))" in prompt
    assert "(prices: list[Decimal]) -> Decimal" in prompt
    assert "```python\n(function)" not in prompt
    assert "result is never read" in prompt
    assert "price is shadowed [editor W1]" in prompt, "one odd item does not cost the others"
    assert "ours comes back" not in prompt


@over_stdio
async def test_what_may_not_be_sent_is_not_sent_because_a_server_points_to_it(full: Stage) -> None:
    secret = full.workspace / ".env"
    secret.write_text("TOKEN_OF_THE_SHOP=hunter2hunter2\n", encoding="utf-8")
    outside = full.home / "diary.py"
    outside.write_text("dear = 'diary'\n", encoding="utf-8")
    uri = full.file()
    ways_out = [
        secret.as_uri(),
        outside.as_uri(),
        f"{full.workspace.as_uri()}/../diary.py",
        f"{full.workspace.as_uri()}/%2e%2e/diary.py",
        "file:///etc/passwd",
    ]
    places = [{"uri": way, "range": _span(0, 9), "text": "dear diary, root:x:0 hunter2"} for way in ways_out]
    told = {"definitions": places, "references": places}
    prompt = await _prompt(full, uri, told, range=_span(0, 4))
    for word in ("diary", "hunter2", "root:x"):
        assert word not in prompt


@over_stdio
async def test_dependency_is_quoted_as_the_editor_has_it_without_secrets(full: Stage) -> None:
    site = "file:///usr/lib/python3.12/site-packages/pricing/core.py"
    uri = full.file()
    text = "def price(article):\n    key = 'AKIAIOSFODNN7EXAMPLF'\n    return lookup(article)\n"
    told = {
        "definitions": [
            {"uri": site, "range": _span(9, 11), "text": text},
            {"uri": site.replace("core.py", ".env"), "range": _span(0, 0), "text": "A=1"},
        ]
    }
    prompt = await _prompt(full, uri, told, range=_span(0, 4))
    assert "return lookup(article)" in prompt
    assert "dependency: pricing/core.py" in prompt
    assert "AKIAIOSFODNN7EXAMPLF" not in prompt
    assert "pricing/.env" not in prompt


HOSTILE: dict[str, object] = {
    "a number": 7,
    "a text": "text",
    "a list": [],
    "no lists": {"definitions": 7, "references": "x", "hovers": {}, "diagnostics": None},
    "half a range": {"definitions": [{"uri": "file:///x", "range": {"start": -1}}]},
    "no objects": {"definitions": [None, 3, "x"]},
    "no paths": {
        "definitions": [{"uri": uri, "range": _span(0, 0)} for uri in ("untitled:x", "\0", "file:///%00")]
    },
    "too much": {
        "hovers": ["x" * 500_000] * 3 + ["y"] * 5_000,
        "diagnostics": [{"range": _span(10**9, 10**9), "message": "m" * 50_000, "code": 1}] * 70,
    },
    "far lines": {
        "definitions": [
            {"uri": "file:///cart.py", "range": _span(10**9, 5)},
            {"uri": "file:///cart.py", "range": _span(3, 10**9)},
        ]
    },
}


@over_stdio
@pytest.mark.parametrize("kind", HOSTILE)
async def test_hostile_answers_end_no_job(full: Stage, kind: str) -> None:
    uri = full.file()
    answer = json.loads(json.dumps(HOSTILE[kind]).replace("file:///cart.py", uri))
    full.editor.answers["ensemble/context"] = lambda _: answer
    await full.fix(uri, range=_span(0, 4))
    proposal = await full.editor.message("ensemble/proposal")
    await full.editor.command("ensemble.reject", {"proposal": proposal["proposal"]})
    assert not full.editor.unexpected()


@over_stdio
async def test_client_that_does_not_offer_it_is_not_asked(rich: Stage) -> None:
    await rich.fix(rich.file())
    await rich.editor.message("ensemble/proposal")
    assert not [method for method, _ in rich.editor.asked if method == "ensemble/context"]


def _start(path: Path) -> JobStart:
    task = Task(action=Action.FIX, path=path.name, range=LineRange(start=0, end=4))
    return JobStart(job="j", workspace=str(path.parent.resolve()), task=task)


async def test_client_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    server = EnsembleServer()
    server.view = ClientView(context=True)
    sent: list[bytes] = []

    class Wire:
        def write(self, data: bytes) -> None:
            sent.append(data)

        def close(self) -> None:
            pass

    server.protocol.set_writer(Wire())
    path = tmp_path / "cart.py"
    server.documents.open(types.TextDocumentItem(path.as_uri(), "python", 1, CART))
    assert await ContextRequests(server, seconds=0.0).ask(_start(path)) is None
    assert b"ensemble/context" in b"".join(sent)


def test_no_more_names_than_are_allowed_and_each_once() -> None:
    text = "def all_of_it():\n" + "".join(f"    name_{n}(name_{n})\n" for n in range(50))
    document = Document("file:///a.py", "python", 1, text, PositionEncoding.UTF16)
    places = list(positions_of(document, "a.py", LineRange(start=0, end=51)))
    assert len(places) == POSITIONS
    assert len({(place.line, place.character) for place in places}) == POSITIONS


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 15), ("utf-16", 13), ("utf-32", 12)])
def test_positions_count_as_was_negotiated(encoding: str, character: int) -> None:
    document = Document("file:///a.py", "python", 1, 'x = "🪙" and run(1)\n', PositionEncoding(encoding))
    (place,) = positions_of(document, "a.py", LineRange(start=0, end=1))
    assert (place.line, place.character) == (0, character)


def test_words_of_strings_and_comments_are_no_names() -> None:
    text = "run('quoted words') # remarks here\n// other remarks\n"
    document = Document("file:///a.py", "python", 1, text, PositionEncoding.UTF16)
    assert [place.character for place in positions_of(document, "a.py", None)] == [0]


def test_cursor_stands_for_the_definition_around_it() -> None:
    text = "def tally(\n    rows,\n):\n    start = opening(rows)\n\n    return closing(start)\n\n\nother(1)\n"
    document = Document("file:///a.py", "python", 1, text, PositionEncoding.UTF16)
    places = list(positions_of(document, "a.py", LineRange(start=3, end=4)))
    lines = text.splitlines()
    names = [lines[place.line][place.character :].split("(")[0].split()[0] for place in places]
    assert names[:3] == ["tally", "opening", "closing"]
    assert "other" not in names
