"""GitHub's REST API for one repository on loopback: pull requests, branches, comments and reviews, kept in memory.

In a test::

    with FakeGitHub("shop/cart") as github:
        pull = github.add_pull(head="f" * 40, base="0" * 40)
        GitHub("shop/cart", github.token, api=github.url)
        assert [comment["body"] for comment in github.issue_comments] == [...]

`trouble` makes the next matching requests fail as GitHub does; `requests` are all that were made, in order.
"""

import json
import re
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST_BODY = 65_536
"""Characters of a comment."""

Json = dict[str, Any]
_Answer = tuple[int, object]


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    body: Json
    headers: dict[str, str] = field(repr=False)


@dataclass(slots=True)
class Trouble:
    """What the next `times` requests of a method and a path (a pattern) get instead of an answer.

    With `after` the request is carried out all the same: the answer alone is lost.
    """

    method: str
    path: str
    status: int
    headers: dict[str, str] = field(default_factory=dict[str, str])
    message: str = "trouble"
    times: int = 1
    after: bool = False


class FakeGitHub:
    """Serves while the context is open. `user` is whose token it is; None: a workflow's, which has no user."""

    def __init__(self, repository: str = "shop/cart", *, token: str = TOKEN, user: str | None = None) -> None:
        self.repository = repository
        self.token = token
        self.user = user
        self.requests: list[Request] = []
        self.trouble: list[Trouble] = []
        self.pulls: dict[int, Json] = {}
        self.issue_comments: list[Json] = []
        self.review_comments: list[Json] = []
        self.reviews: list[Json] = []
        self.refs: dict[str, str] = {}
        """"heads/main" → commit."""
        self.bare: Path | None = None
        """The repository that branches are pushed to; its branches count beside `refs`."""
        self.shown_lines: dict[str, set[int]] | None = None
        """Path → lines that review comments may be on; None: any."""
        self._next = 1
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """What GITHUB_API_URL is set to."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    def add_pull(
        self, *, head: str, base: str, head_ref: str = "work", base_ref: str = "main", title: str = "A change"
    ) -> Json:
        """Open a pull request; returns it, `number` included."""
        number = self._id()
        pull: Json = {
            "number": number,
            "state": "open",
            "title": title,
            "body": "",
            "head": {"sha": head, "ref": head_ref},
            "base": {"sha": base, "ref": base_ref},
            "html_url": f"https://github.example/{self.repository}/pull/{number}",
        }
        self.pulls[number] = pull
        return pull

    def add_comment(self, number: int, body: str, *, login: str, kind: str = "User") -> Json:
        """Let somebody comment on a pull request."""
        comment: Json = {
            "id": self._id(),
            "issue": number,
            "body": body,
            "user": {"login": login, "type": kind},
        }
        self.issue_comments.append(comment)
        return comment

    # -- what a request does ----------------------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, object, dict[str, str]]:
        """Return status, JSON and headers for one request."""
        with self._lock:
            self.requests.append(request)
            met = next((item for item in self.trouble if _meets(item, request)), None)
            if met is not None:
                # Failing comes before asking who it is, as at the real one's gates.
                met.times -= 1
                if met.times <= 0:
                    self.trouble.remove(met)
                if met.after:
                    self._carry_out(request)
                return met.status, {"message": met.message}, met.headers
            if request.headers.get("authorization") != f"Bearer {self.token}":
                return 401, {"message": "Bad credentials"}, {}
            status, content = self._carry_out(request)
            return status, content, {}

    def _carry_out(self, request: Request) -> _Answer:
        if request.path == "/user":
            if self.user is None:
                return 403, {"message": "Resource not accessible by integration"}
            return 200, {"login": self.user, "type": "User"}
        home = f"/repos/{self.repository}"
        if not request.path.startswith(home):
            return 404, {"message": "Not Found"}
        below = request.path.removeprefix(home).strip("/")
        routes: tuple[tuple[str, str, Callable[..., _Answer]], ...] = (
            ("GET", r"", self._about),
            ("GET", r"issues/(\d+)/comments", self._list_comments),
            ("POST", r"issues/(\d+)/comments", self._comment),
            ("PATCH", r"issues/comments/(\d+)", self._change_comment),
            ("GET", r"pulls", self._list_pulls),
            ("POST", r"pulls", self._open_pull),
            ("GET", r"pulls/(\d+)", self._pull),
            ("PATCH", r"pulls/(\d+)", self._change_pull),
            ("GET", r"pulls/(\d+)/comments", self._list_review_comments),
            ("POST", r"pulls/(\d+)/comments", self._review_comment),
            ("GET", r"pulls/(\d+)/reviews", self._list_reviews),
            ("POST", r"pulls/(\d+)/reviews", self._review),
            ("GET", r"git/ref/(.+)", self._ref),
            ("POST", r"git/refs", self._make_ref),
            ("PATCH", r"git/refs/(.+)", self._move_ref),
        )
        for method, pattern, act in routes:
            found = re.fullmatch(pattern, below)
            if found and method == request.method:
                return act(request, *found.groups())
        return 404, {"message": "Not Found"}

    def _about(self, request: Request) -> _Answer:
        del request
        return 200, {"full_name": self.repository, "default_branch": "main"}

    def _pull(self, request: Request, number: str) -> _Answer:
        del request
        return self._found(self.pulls.get(int(number)))

    def _list_reviews(self, request: Request, number: str) -> _Answer:
        return _page(request, [item for item in self.reviews if item["pull"] == int(number)])

    def _list_comments(self, request: Request, number: str) -> _Answer:
        return _page(request, [item for item in self.issue_comments if item["issue"] == int(number)])

    def _comment(self, request: Request, number: str) -> _Answer:
        if int(number) not in self.pulls:
            return 404, {"message": "Not Found"}
        if len(str(request.body.get("body", ""))) > LONGEST_BODY:
            return 422, {"message": "Validation Failed: body is too long (maximum is 65536 characters)"}
        comment = {"id": self._id(), "issue": int(number), "body": request.body["body"], "user": self._me()}
        self.issue_comments.append(comment)
        return 201, comment

    def _change_comment(self, request: Request, ident: str) -> _Answer:
        found = next((item for item in self.issue_comments if item["id"] == int(ident)), None)
        if found is not None:
            found["body"] = request.body["body"]
        return self._found(found)

    def _list_pulls(self, request: Request) -> _Answer:
        head, base = request.query.get("head", ""), request.query.get("base", "")
        owner = self.repository.partition("/")[0]
        return _page(
            request,
            [
                pull
                for pull in self.pulls.values()
                if pull["state"] == request.query.get("state", "open")
                and head in {"", f"{owner}:{pull['head']['ref']}"}
                and base in {"", pull["base"]["ref"]}
            ],
        )

    def _open_pull(self, request: Request) -> _Answer:
        head, base = str(request.body["head"]), str(request.body["base"])
        self._see_what_was_pushed()
        if f"heads/{head}" not in self.refs:
            return 422, {"message": "Validation Failed: head is invalid"}
        if any(pull["head"]["ref"] == head and pull["state"] == "open" for pull in self.pulls.values()):
            return 422, {"message": f"Validation Failed: A pull request already exists for {head}."}
        pull = self.add_pull(
            head=self.refs[f"heads/{head}"],
            base=self.refs.get(f"heads/{base}", ""),
            head_ref=head,
            base_ref=base,
            title=str(request.body["title"]),
        )
        pull["body"] = request.body.get("body", "")
        pull["draft"] = bool(request.body.get("draft", False))
        return 201, pull

    def _see_what_was_pushed(self) -> None:
        if self.bare is not None:
            command = ["git", "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads"]
            listed = subprocess.run(command, cwd=self.bare, capture_output=True, text=True, check=True)
            for line in listed.stdout.splitlines():
                name, _, commit = line.partition(" ")
                self.refs[name.removeprefix("refs/")] = commit

    def _change_pull(self, request: Request, number: str) -> _Answer:
        pull = self.pulls.get(int(number))
        if pull is not None:
            pull.update({key: request.body[key] for key in ("title", "body", "state") if key in request.body})
        return self._found(pull)

    def _list_review_comments(self, request: Request, number: str) -> _Answer:
        return _page(request, [item for item in self.review_comments if item["pull"] == int(number)])

    def _review_comment(self, request: Request, number: str) -> _Answer:
        if not self._is_shown(request.body):
            return 422, {
                "message": "Validation Failed: pull_request_review_thread.line must be part of the diff"
            }
        return 201, self._keep_review_comment(int(number), request.body)

    def _review(self, request: Request, number: str) -> _Answer:
        comments = cast("list[Json]", request.body.get("comments", []))
        if not all(self._is_shown(comment) for comment in comments):
            return 422, {"message": "Unprocessable Entity: Line could not be resolved"}
        for comment in comments:
            self._keep_review_comment(int(number), {**comment, "commit_id": request.body.get("commit_id")})
        review = {
            "id": self._id(),
            "user": self._me(),
            "event": request.body["event"],
            "count": len(comments),
        }
        self.reviews.append(review)
        return 200, review

    def _keep_review_comment(self, number: int, comment: Json) -> Json:
        kept = {**comment, "id": self._id(), "pull": number, "user": self._me()}
        self.review_comments.append(kept)
        return kept

    def _is_shown(self, comment: Json) -> bool:
        if self.shown_lines is None:
            return True
        lines = self.shown_lines.get(str(comment["path"]), set())
        return {int(comment.get("start_line", comment["line"])), int(comment["line"])} <= lines

    def _ref(self, request: Request, name: str) -> _Answer:
        del request
        commit = self.refs.get(name)
        return self._found(None if commit is None else {"ref": f"refs/{name}", "object": {"sha": commit}})

    def _make_ref(self, request: Request) -> _Answer:
        name = str(request.body["ref"]).removeprefix("refs/")
        if name in self.refs:
            return 422, {"message": "Reference already exists"}
        self.refs[name] = str(request.body["sha"])
        return 201, {"ref": f"refs/{name}", "object": {"sha": self.refs[name]}}

    def _move_ref(self, request: Request, name: str) -> _Answer:
        if name not in self.refs:
            return 422, {"message": "Reference does not exist"}
        self.refs[name] = str(request.body["sha"])
        return 200, {"ref": f"refs/{name}", "object": {"sha": self.refs[name]}}

    def _me(self) -> Json:
        return (
            {"login": self.user, "type": "User"}
            if self.user
            else {"login": "github-actions[bot]", "type": "Bot"}
        )

    def _id(self) -> int:
        self._next += 1
        return self._next

    @staticmethod
    def _found(item: object) -> _Answer:
        return (404, {"message": "Not Found"}) if item is None else (200, item)


def _meets(trouble: Trouble, request: Request) -> bool:
    return trouble.method == request.method and re.search(trouble.path, request.path) is not None


def _page(request: Request, items: list[Json]) -> _Answer:
    size, page = int(request.query.get("per_page", "30")), int(request.query.get("page", "1"))
    return 200, items[size * (page - 1) : size * page]


def _handler(github: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body: Json = json.loads(self.rfile.read(length)) if length else {}
            address = urlsplit(self.path)
            query = {key: values[-1] for key, values in parse_qs(address.query).items()}
            headers = {key.lower(): value for key, value in self.headers.items()}
            status, content, more = github.answer(Request(self.command, address.path, query, body, headers))
            data = json.dumps(content).encode()
            self.send_response(status)
            for key, value in {"content-type": "application/json", **more}.items():
                self.send_header(key, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            self.respond()

        def do_POST(self) -> None:
            self.respond()

        def do_PATCH(self) -> None:
            self.respond()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: `requests` has it."""

    return Handler
