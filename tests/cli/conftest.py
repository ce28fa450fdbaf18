"""The command line in this process, in a small shop with a bug, with members on one fake server for all tests."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ensemble_lsp.cli.app import invoke
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.shop import BUGGY, make_shop, whole_answer

KEY = "sk-test-0123456789abcdef0123456789abcdef"

WRONG = BUGGY.replace("result = price", "result -= price")
OTHER = BUGGY.replace("result = price", "result = result + price * 1")

ESCAPES = "\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b1m\u202e"
"""A title, a colour, a cleared screen, an eight-bit sequence, and text turned round."""

FINDING = {
    "path": "cart.py",
    "line": 8,
    "endLine": 8,
    "end_line": 8,
    "quote": "result = price",
    "severity": "critical",
    "category": "bug",
    "title": "The sum is overwritten in each turn",
    "detail": "Only the last price is returned.",
    "confidence": 0.9,
}
CLAIM = {
    "kind": "behaviour",
    "text": "Returns only the last price, not the sum.",
    "line": 8,
    "symbol": "result",
}
POSITION = {
    "stance": "The loop is wrong",
    "argument": "It overwrites result.",
    "line": 8,
    "quote": "result = price",
}
TURN = {
    "target": 1,
    "objection": "None.",
    "line": 0,
    "quote": "",
    "test": "",
    "decision": "keep",
    "adopt": 0,
    "stance": "",
    "argument": "",
    "because": "",
}


def scripted(request: Recorded) -> Answer:
    """Answer as the model's name says; a question with a schema gets an object that fits it."""
    name = request.model
    match name:
        case "denied":
            return Answer(
                status=401,
                error=f"Incorrect API key provided: {KEY}",
                error_code="invalid_api_key",
                error_type="invalid_request_error",
            )
        case "unknown":
            return Answer(
                status=404, error="The model `unknown` does not exist", error_code="model_not_found"
            )
        case "wrong" | "wrong2":
            return Answer(text=whole_answer(WRONG))
        case "other":
            return Answer(text=whole_answer(OTHER))
        case "slow":
            return Answer(text=whole_answer(), tokens_per_second=4)
        case "hang":
            return Answer(text=whole_answer(), hang="within", tokens_per_second=50)
        case "escapes":
            return Answer(text=f"{ESCAPES}\n{whole_answer()}")
        case "rude":
            return Answer(status=400, error=f"no {ESCAPES}")
        case _:
            return Answer(text=_by_schema(request) or whole_answer())


def _by_schema(request: Recorded) -> str:
    schema = json.dumps(request.body.get("response_format", ""))
    answers: tuple[tuple[str, Mapping[str, object]], ...] = (
        ('"findings"', {"findings": [FINDING]}),
        ('"claims"', {"claims": [CLAIM]}),
        ('"verdicts"', {"verdicts": []}),
        ('"decision"', TURN),
        ('"recommendation"', {"recommendation": "Use +=.", "why": "It adds up."}),
        ('"stance"', POSITION),
    )
    return next((json.dumps(value) for word, value in answers if word in schema), "")


class ServerThread:
    """The fake server on a loop of its own, beside the loops that commands make."""

    def __init__(self) -> None:
        self.server = FakeModelServer(scripted)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.server.__aenter__(), self._loop).result(10)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    @property
    def base(self) -> str:
        """What OPENAI_API_BASE is set to."""
        return self.server.openai_base


@pytest.fixture(scope="session")
def model_server() -> Iterator[ServerThread]:
    """One server for all tests of the command line."""
    thread = ServerThread()
    thread.start()
    yield thread
    thread.stop()


@pytest.fixture
def models(model_server: ServerThread, monkeypatch: pytest.MonkeyPatch) -> FakeModelServer:
    """Point litellm's own variables at the server; `--panel openai/NAME` then reaches it."""
    monkeypatch.setenv("OPENAI_API_BASE", model_server.base)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model_server.server.requests.clear()
    return model_server.server


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a bug and its test; the working directory is its folder."""
    root = make_shop(tmp_path)
    monkeypatch.chdir(root)
    return root


@dataclass(frozen=True, slots=True)
class Ran:
    """How one command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, object]:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Runs commands as the entry point does, in this process: litellm is imported once."""

    capture: pytest.CaptureFixture[str] = field(repr=False)

    def __call__(self, *arguments: str) -> Ran:
        self.capture.readouterr()
        code = invoke(list(arguments))
        out, err = self.capture.readouterr()
        return Ran(code, out, err)


@pytest.fixture
def ensemble(capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """The command `ensemble-lsp`."""
    return CommandLine(capsys)


def panel(*names: str) -> tuple[str, str]:
    """Return the option that seats members of the fake server."""
    return "--panel", ",".join(f"openai/{name}" for name in names)


def member_tables(base: str, *names: str) -> str:
    """Return `[[panel]]` tables of a settings file: members of different families, with prices."""
    return "".join(
        f'[[panel]]\nid = "{name}"\nmodel = "openai/{name}"\napi_base = "{base}"\nfamily = "family-{name}"\n'
        f"price_in = 1.0\nprice_out = 2.0\n"
        for name in names
    )


@pytest.fixture
def seated(models: FakeModelServer, own_directories: Path) -> Path:
    """The person's own settings with two paid members, `first` and `second`; returns the file."""
    folder = own_directories / "config"
    folder.mkdir(exist_ok=True)
    file = folder / "config.toml"
    file.write_text(member_tables(models.openai_base, "first", "second"), encoding="utf-8")
    return file


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment for a command in a process of its own."""
    return {**os.environ, **more}
