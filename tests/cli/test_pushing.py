"""With which credentials a branch is pushed, and who never sees the token."""

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ensemble_lsp.cli.branching.opening import token_for
from ensemble_lsp.cli.branching.pushing import Push, push
from ensemble_lsp.cli.branching.remotes import Destination, destination, repository_at
from ensemble_lsp.core.errors import UsageError
from tests.cli.branches import Repository, repository

TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"


class Gate(ThreadingHTTPServer):
    """A server that asks who pushes, keeps what it was told, and lets nobody in."""

    def __init__(self) -> None:
        self.told: list[str] = []
        super().__init__(("127.0.0.1", 0), _handler(self.told))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


def _handler(told: list[str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = self.headers.get("authorization")
            if said is not None:
                told.append(said)
            self.send_response(401 if said is None else 403)
            self.send_header("www-authenticate", 'Basic realm="gate"')
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    return Handler


@pytest.fixture
def gate() -> Iterator[Gate]:
    server = Gate()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    found = repository(tmp_path)
    found.git("branch", "patch")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("GIT_ASKPASS", "SSH_ASKPASS", "XDG_CONFIG_HOME", "http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return found


def pushed_to(gate: Gate, shop: Repository, api: str, token: str = TOKEN) -> Push:
    url = f"{gate.url}/shop/cart.git"
    shop.git("remote", "add", "origin", url)
    return push(shop.root, "patch", Destination("origin", url, "github.example", "shop/cart", api), token)


def test_the_token_reaches_the_server_and_neither_the_message_nor_the_arguments_nor_a_helper(
    gate: Gate, shop: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    programs, arguments, kept = tmp_path / "bin", tmp_path / "arguments", tmp_path / "kept"
    programs.mkdir()
    (programs / "git").write_text(f'#!/bin/sh\necho "$@" >> {arguments}\nexec /usr/bin/git "$@"\n')
    (programs / "git").chmod(0o755)
    shop.git("config", "credential.helper", f"!cat >> {kept}; true")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")

    ended = pushed_to(gate, shop, gate.url)

    assert gate.told == [f"Basic {base64.b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"]
    assert ended.problem.startswith("you may not push to shop/cart: ")
    assert "contents: write" in ended.hint
    assert TOKEN not in ended.problem
    assert " push " in arguments.read_text()
    assert TOKEN not in arguments.read_text()
    assert TOKEN not in kept.read_text()


def test_a_server_that_is_not_githubs_gets_no_token(gate: Gate, shop: Repository):
    ended = pushed_to(gate, shop, "https://api.github.com")

    assert gate.told == []
    assert "you may not push" in ended.problem


def test_credentials_in_an_address_are_not_repeated(shop: Repository):
    url = "http://ada:secret@127.0.0.1:9/shop/cart.git"
    shop.git("remote", "add", "origin", url)

    ended = push(shop.root, "patch", Destination("origin", url, "github.com", "shop/cart", ""), "")

    assert "could not be reached" in ended.problem
    assert "secret" not in ended.problem


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/shop/cart.git",
        "https://github.com/shop/cart",
        "https://x:y@github.com/shop/cart.git",
        "git@github.com:shop/cart.git",
        "ssh://git@github.com/shop/cart.git",
        "ssh://git@ssh.github.com:443/shop/cart.git",
    ],
)
def test_a_repository_is_known_in_every_spelling_of_its_address(url: str):
    assert repository_at(url, "github.com") == "shop/cart"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com.evil.example/shop/cart.git",
        "https://evil.example/github.com/shop/cart",
        "/srv/shop/cart.git",
        "ext::sh -c evil",
        "https://github.com/shop",
        "https://github.com/shop/cart/../../x/y",
    ],
)
def test_other_addresses_are_no_repository_there(url: str):
    assert repository_at(url, "github.com") == ""


def test_the_remote_is_the_one_that_git_would_push_to(shop: Repository):
    for name in ("origin", "mine", "other"):
        shop.git("remote", "add", name, f"git@github.com:{name}/cart.git")
    assert destination(shop.root, "main", None, {}).repository == "origin/cart"
    shop.git("config", "remote.pushDefault", "mine")
    assert destination(shop.root, "main", None, {}).repository == "mine/cart"
    shop.git("config", "branch.main.pushRemote", "other")
    assert destination(shop.root, "main", None, {}).repository == "other/cart"
    assert destination(shop.root, "main", "origin", {}).api == "https://api.github.com"


@pytest.mark.parametrize("named", ["nowhere", "--upload-pack=evil", None])
def test_a_remote_that_is_not_there_is_refused(shop: Repository, named: str | None):
    with pytest.raises(UsageError, match="there is no remote"):
        destination(shop.root, "main", named, {})


def test_the_api_of_one_server_never_goes_with_the_repository_of_another(shop: Repository):
    shop.git("remote", "add", "origin", "git@github.com:shop/cart.git")
    environment = {
        "GITHUB_SERVER_URL": "https://github.corp.example",
        "GITHUB_API_URL": "https://github.corp.example/api/v3",
    }

    to = destination(shop.root, "main", None, environment)

    assert to.api == "https://api.github.com"
    assert token_for(to, {**environment, "GITHUB_TOKEN": TOKEN}) == ""
    assert token_for(to, {"GITHUB_TOKEN": TOKEN}) == TOKEN
