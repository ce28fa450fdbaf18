"""httpx, imported when it is first used: with what it works with it is a fifth of all that a command imports."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx
else:

    class _Deferred:
        def __getattr__(self, name: str) -> object:
            return getattr(import_module("httpx"), name)

    httpx = _Deferred()

__all__ = ["httpx"]
