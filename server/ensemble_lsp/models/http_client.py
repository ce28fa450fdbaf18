"""The HTTP client of the calls that go without litellm."""

import functools
import logging
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

from ensemble_lsp.models.calls import CallFailure, FailureKind
from ensemble_lsp.models.http_library import httpx

_CONNECT_SECONDS = 5.0
_AT_THE_FIRST_CALL = ("httpcore", "httpcore._backends.anyio", "anyio._backends._asyncio")
"""What httpx imports only then; where another version of it has others, the first call imports them."""


@asynccontextmanager
async def connected(
    base: str, key: str | None, seconds: float, *, proxies: bool
) -> "AsyncGenerator[httpx.AsyncClient]":
    """Lend a client for one call of at most `seconds`; what fails within is raised as `CallFailure`.

    A client per call: what is cancelled closes its socket at once, and nothing is left open. `proxies`: those
    that the environment names count. The key goes into the header and nowhere else.
    """
    # URLs may carry what a person put there, and httpx logs every one.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        async with httpx.AsyncClient(
            timeout=httpx.Timeout(seconds, connect=min(_CONNECT_SECONDS, seconds)),
            trust_env=proxies,
            verify=_usual_trust() if base.startswith("https:") else _trust_in_nobody(),
            headers={"Authorization": f"Bearer {key}"} if key else {},
        ) as client:
            yield client
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise CallFailure(FailureKind.UNREACHABLE, str(error) or "no connection") from error
    except httpx.TimeoutException as error:
        raise CallFailure(FailureKind.TIMEOUT, str(error) or "timed out") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CallFailure(FailureKind.BROKEN, str(error) or type(error).__name__) from error


def get_ready() -> None:
    """Import all that a first call imports, and make what it needs. Blocks: call it in a thread."""
    for name in ("httpx", *_AT_THE_FIRST_CALL):
        with suppress(ImportError):
            import_module(name)
    _trust_in_nobody()


@functools.cache
def _usual_trust() -> ssl.SSLContext:
    return httpx.create_ssl_context()


@functools.cache
def _trust_in_nobody() -> ssl.SSLContext:
    """Return what plain HTTP needs: httpx would read all of the system's certificates for every client."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
