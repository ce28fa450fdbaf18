"""GitHub's REST API for one repository: patient with its limits, and never saying the token."""

import ipaddress
import json
import time
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import urlsplit

from ensemble_lsp import __version__
from ensemble_lsp.core.errors import EnsembleError
from ensemble_lsp.core.markdown import visible
from ensemble_lsp.models.http_library import httpx

Json = dict[str, Any]
"""One object as the API gives it; who takes a field out of it checks what it is."""

PUBLIC_API = "https://api.github.com"
ATTEMPTS = 5
LONGEST_WAIT = 60.0
"""Seconds that one answer may make us wait; a limit that lasts longer is an error, with the time in it."""
PAGE_SIZE = 100
PAGES_AT_MOST = 50
_SECONDS, _CONNECT_SECONDS = 30.0, 10.0
_TOO_MANY = frozenset({403, 429})
_SAFE_TO_REPEAT = frozenset({"GET", "PATCH", "PUT", "DELETE"})


class GitHubError(EnsembleError):
    """GitHub refused or did not answer; `status` is the HTTP status, 0 without an answer."""

    def __init__(self, message: str, *, status: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status

    @property
    def may_have_happened(self) -> bool:
        """Whether the request may have been carried out all the same: look before asking again."""
        return self.status == 0 or self.status >= 500


class GitHub:
    """A client of one repository ("owner/name"). A context manager; not for several threads at once."""

    def __init__(
        self,
        repository: str,
        token: str,
        *,
        api: str = PUBLIC_API,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raise `GitHubError` for a server that the token would reach unencrypted."""
        _require_secrecy(api)
        self.repository = repository
        self._sleep = sleep
        self._clock = clock
        # Another origin that it is sent to gets no token: httpx drops the header there.
        self._client = httpx.Client(
            base_url=api.rstrip("/"),
            headers={
                "Authorization": f"Bearer {token}",
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": "2022-11-28",
                "User-Agent": f"ensemble-lsp/{__version__}",
            },
            timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
            follow_redirects=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def get(self, path: str, query: Mapping[str, str | int] | None = None) -> Json:
        """Return one object; `path` is below the repository, without a slash in front ("pulls/7")."""
        return _object(self.request("GET", self._of_repository(path), query=query))

    def pages(self, path: str, query: Mapping[str, str | int] | None = None) -> Iterator[Json]:
        """Yield the objects of a list, page by page, `PAGES_AT_MOST` pages at most."""
        for page in range(1, PAGES_AT_MOST + 1):
            whole = {**(query or {}), "per_page": PAGE_SIZE, "page": page}
            answer = self.request("GET", self._of_repository(path), query=whole)
            items = cast("list[object]", answer) if isinstance(answer, list) else []
            yield from (cast("Json", item) for item in items if isinstance(item, dict))
            if len(items) < PAGE_SIZE:
                return

    def post(self, path: str, body: Mapping[str, object]) -> Json:
        """Create something. It is not asked for twice where the first time may have worked."""
        return _object(self.request("POST", self._of_repository(path), body=body))

    def patch(self, path: str, body: Mapping[str, object]) -> Json:
        """Change something."""
        return _object(self.request("PATCH", self._of_repository(path), body=body))

    def login(self) -> str | None:
        """Return whose token this is; None for an app's, as a workflow has it, which may not ask."""
        try:
            name = _object(self.request("GET", "/user")).get("login")
        except GitHubError as problem:
            if problem.status in {401, 403, 404}:
                return None
            raise
        return name if isinstance(name, str) else None

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> object:
        """Return the answer's JSON; waits for limits, and repeats what can be repeated, `ATTEMPTS` times at most.

        Raises `GitHubError`.
        """
        problem = GitHubError(f"GitHub did not answer {method} {path}")
        for attempt in range(ATTEMPTS):
            try:
                answer = self._client.request(
                    method, path, params=dict(query or {}), json=None if body is None else dict(body)
                )
            except httpx.HTTPError as cause:
                problem = GitHubError(f"GitHub did not answer {method} {path}: {type(cause).__name__}")
                if method not in _SAFE_TO_REPEAT and not isinstance(cause, httpx.ConnectError):
                    raise problem from cause
                self._pause(attempt, 2.0**attempt)
                continue
            if answer.is_success:
                return _parsed(answer)
            problem = _refusal(method, path, answer)
            wait = self._wait_for(answer, attempt)
            if wait is None or (answer.status_code >= 500 and method not in _SAFE_TO_REPEAT):
                raise problem
            if wait > LONGEST_WAIT:
                raise GitHubError(
                    f"{problem.message}; its limit ends in {wait:.0f} s", status=answer.status_code
                )
            self._pause(attempt, wait)
        raise problem

    def _pause(self, attempt: int, seconds: float) -> None:
        if attempt + 1 < ATTEMPTS:
            self._sleep(seconds)

    def _wait_for(self, answer: "httpx.Response", attempt: int) -> float | None:
        """Return the seconds after which asking again may help, or None when it will not."""
        after = answer.headers.get("retry-after", "")
        if answer.status_code >= 500:
            return float(after) if after.isdigit() else 2.0**attempt
        if answer.status_code not in _TOO_MANY:
            return None
        if after.isdigit():
            return float(after)
        if answer.headers.get("x-ratelimit-remaining") == "0":
            reset = answer.headers.get("x-ratelimit-reset", "")
            return max(1.0, float(reset) - self._clock()) if reset.isdigit() else LONGEST_WAIT
        limited = answer.status_code == 429 or "secondary rate limit" in answer.text.lower()
        return 2.0 ** (attempt + 1) if limited else None

    def _of_repository(self, path: str) -> str:
        return f"/repos/{self.repository}/{path}" if path else f"/repos/{self.repository}"


def _require_secrecy(api: str) -> None:
    address = urlsplit(api)
    if address.scheme == "https" or (address.scheme == "http" and _is_loopback(address.hostname or "")):
        return
    raise GitHubError(f"{visible(api)!r} is no https address: the token would travel unencrypted")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parsed(answer: "httpx.Response") -> object:
    if not answer.content:
        return {}
    try:
        return answer.json()
    except json.JSONDecodeError as problem:
        raise GitHubError("GitHub's answer is not JSON", status=answer.status_code) from problem


def _object(value: object) -> Json:
    if not isinstance(value, dict):
        raise GitHubError("GitHub answered something else than an object")
    return cast("Json", value)


def _refusal(method: str, path: str, answer: "httpx.Response") -> GitHubError:
    said = ""
    try:
        found = answer.json()
        said = str(cast("Json", found).get("message", "")) if isinstance(found, dict) else ""
    except json.JSONDecodeError:
        said = ""
    hint = ""
    if answer.status_code in {401, 403, 404}:
        hint = (
            "the token may lack a permission: pull-requests: write for comments, contents: write for branches"
        )
    words = " ".join(visible(said).split())[:300]
    message = f"GitHub refused {method} {path}: {answer.status_code}{f' {words}' if words else ''}"
    return GitHubError(message, status=answer.status_code, hint=hint)
