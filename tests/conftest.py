"""What every test gets: no network beyond loopback, and directories of its own."""

import ipaddress
import socket
from pathlib import Path

import pytest

_real_connect = socket.socket.connect
_real_connect_ex = socket.socket.connect_ex


class NetworkRefused(RuntimeError):
    """A test tried to reach something outside this machine."""


def _is_loopback(address: object) -> bool:
    if not isinstance(address, tuple):
        return True  # a Unix socket's path
    host = str(address[0])  # pyright: ignore[reportUnknownArgumentType]
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.split("%", maxsplit=1)[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections of this process to anything but loopback."""

    def connect(self: socket.socket, address: object) -> None:
        if not _is_loopback(address):
            raise NetworkRefused(f"tests may not reach {address!r}")
        _real_connect(self, address)  # pyright: ignore[reportArgumentType]

    def connect_ex(self: socket.socket, address: object) -> int:
        if not _is_loopback(address):
            raise NetworkRefused(f"tests may not reach {address!r}")
        return _real_connect_ex(self, address)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)


@pytest.fixture(autouse=True)
def own_directories(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point state, cache and configuration into a temporary folder, and drop every provider's key."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("ENSEMBLE_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("ENSEMBLE_CACHE_DIR", str(home / "cache"))
    monkeypatch.setenv("ENSEMBLE_CONFIG_DIR", str(home / "config"))
    for name in list(__import__("os").environ):
        if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL")) or name.startswith(("OPENAI_", "OLLAMA_")):
            monkeypatch.delenv(name)
    return home
