"""Talking to GitHub: limits are waited for, nothing is posted twice, and the token stays where it belongs."""

from collections.abc import Iterator

import pytest

from ensemble_lsp.cli.formats.suggestions import Suggestion
from ensemble_lsp.cli.github.api import ATTEMPTS, GitHub, GitHubError
from ensemble_lsp.cli.github.comments import Posted, put_suggestions, put_summary
from tests.support.fake_github import FakeGitHub, Trouble

MARKER = "<!-- ensemble-lsp:review -->"


@pytest.fixture
def server() -> Iterator[FakeGitHub]:
    with FakeGitHub() as github:
        github.add_pull(head="f" * 40, base="0" * 40)
        yield github


@pytest.fixture
def number(server: FakeGitHub) -> int:
    return next(iter(server.pulls))


@pytest.fixture
def waits() -> list[float]:
    """The seconds that the client would have waited."""
    return []


@pytest.fixture
def client(server: FakeGitHub, waits: list[float]) -> Iterator[GitHub]:
    with GitHub(
        "shop/cart", server.token, api=server.url, sleep=waits.append, clock=lambda: 1_000.0
    ) as github:
        yield github


def bodies(server: FakeGitHub) -> list[str]:
    return [comment["body"] for comment in server.issue_comments]


def suggestion(line: int, name: str = "one") -> Suggestion:
    marker = f"<!-- ensemble-lsp:fix:{name} -->"
    return Suggestion("cart.py", line, line, marker, f"{marker}\nbody of {name}")


def test_first_summary_is_a_new_comment_and_the_next_takes_its_place(
    server: FakeGitHub, client: GitHub, number: int
):
    first = put_summary(client, number, MARKER, f"{MARKER}\none")
    second = put_summary(client, number, MARKER, f"{MARKER}\ntwo")
    assert first == second
    assert bodies(server) == [f"{MARKER}\ntwo"]


def test_summary_that_says_the_same_is_not_written_again(server: FakeGitHub, client: GitHub, number: int):
    put_summary(client, number, MARKER, f"{MARKER}\none")
    put_summary(client, number, MARKER, f"{MARKER}\none")
    assert [request.method for request in server.requests if request.method != "GET"] == ["POST"]


def test_our_comment_is_found_on_a_later_page(server: FakeGitHub, client: GitHub, number: int):
    for count in range(250):
        server.add_comment(number, f"comment {count}", login="somebody")
    server.add_comment(number, f"{MARKER}\nold", login="github-actions[bot]", kind="Bot")
    put_summary(client, number, MARKER, f"{MARKER}\nnew")
    assert bodies(server)[-1] == f"{MARKER}\nnew"
    assert len(server.issue_comments) == 251


def test_comment_of_somebody_else_with_our_marker_is_left_alone(
    server: FakeGitHub, client: GitHub, number: int
):
    server.add_comment(number, f"{MARKER}\nmine", login="stranger")
    put_summary(client, number, MARKER, f"{MARKER}\nours")
    assert bodies(server) == [f"{MARKER}\nmine", f"{MARKER}\nours"]


def test_person_with_a_token_of_their_own_keeps_one_comment(server: FakeGitHub, client: GitHub, number: int):
    server.user = "maintainer"
    server.add_comment(number, f"{MARKER}\na bot's", login="github-actions[bot]", kind="Bot")
    put_summary(client, number, MARKER, f"{MARKER}\none")
    put_summary(client, number, MARKER, f"{MARKER}\ntwo")
    assert bodies(server) == [f"{MARKER}\na bot's", f"{MARKER}\ntwo"]


def test_answer_that_got_lost_does_not_make_a_second_comment(server: FakeGitHub, client: GitHub, number: int):
    server.trouble.append(Trouble("POST", "/issues/.*/comments", 502, after=True))
    put_summary(client, number, MARKER, f"{MARKER}\none")
    assert bodies(server) == [f"{MARKER}\none"]


def test_server_error_is_tried_again(server: FakeGitHub, client: GitHub, number: int, waits: list[float]):
    server.trouble.append(Trouble("GET", "/issues/.*/comments", 503, times=2))
    put_summary(client, number, MARKER, f"{MARKER}\none")
    assert waits == [1.0, 2.0]
    assert bodies(server) == [f"{MARKER}\none"]


def test_secondary_rate_limit_is_waited_for(
    server: FakeGitHub, client: GitHub, number: int, waits: list[float]
):
    limited = "You have exceeded a secondary rate limit."
    server.trouble += [
        Trouble("POST", "comments", 403, {"retry-after": "7"}, limited),
        Trouble("POST", "comments", 403, {}, limited),
        Trouble(
            "POST", "comments", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, "limit"
        ),
    ]
    put_summary(client, number, MARKER, f"{MARKER}\none")
    assert waits == [7.0, 4.0, 30.0]
    assert bodies(server) == [f"{MARKER}\none"]


def test_limit_that_lasts_longer_than_a_minute_ends_it(
    server: FakeGitHub, client: GitHub, waits: list[float]
):
    server.trouble.append(
        Trouble("GET", "pulls", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4600"}, "limit")
    )
    with pytest.raises(GitHubError, match="ends in 3600 s"):
        client.get("pulls/1")
    assert waits == []


def test_attempts_are_bounded(server: FakeGitHub, client: GitHub, waits: list[float]):
    server.trouble.append(Trouble("GET", "pulls", 500, times=100))
    with pytest.raises(GitHubError, match="500"):
        client.get("pulls/1")
    assert len(server.requests) == ATTEMPTS
    assert len(waits) == ATTEMPTS - 1


def test_permission_that_lacks_is_not_waited_for_and_is_named(
    server: FakeGitHub, client: GitHub, number: int, waits: list[float]
):
    server.trouble.append(Trouble("POST", "comments", 403, message="Resource not accessible by integration"))
    with pytest.raises(GitHubError, match="Resource not accessible") as refused:
        put_summary(client, number, MARKER, f"{MARKER}\none")
    assert "pull-requests: write" in refused.value.hint
    assert waits == []


def test_no_message_holds_the_token(server: FakeGitHub):
    with GitHub("shop/cart", "ghp_secret", api=server.url) as github, pytest.raises(GitHubError) as refused:
        github.get("pulls/1")
    assert "ghp_secret" not in f"{refused.value!s}{refused.value!r}{github!r}{vars(github)!r}"


@pytest.mark.parametrize("api", ["http://github.example", "ftp://127.0.0.1", "github.example", ""])
def test_token_does_not_travel_unencrypted(api: str):
    with pytest.raises(GitHubError, match="no https address"):
        GitHub("shop/cart", "ghp_secret", api=api)


def test_redirect_to_another_host_gets_no_token(server: FakeGitHub, client: GitHub):
    with FakeGitHub(token="other") as elsewhere:
        server.trouble.append(Trouble("GET", "pulls", 301, {"location": f"{elsewhere.url}/repos/shop/cart"}))
        with pytest.raises(GitHubError, match="401"):
            client.get("pulls/1")
        (request,) = elsewhere.requests
    assert "authorization" not in request.headers


def test_suggestions_are_one_review_and_are_made_once(server: FakeGitHub, client: GitHub, number: int):
    both = [suggestion(8), suggestion(9, "two")]
    assert put_suggestions(client, number, "f" * 40, both) == Posted(made=2)
    assert put_suggestions(client, number, "f" * 40, both) == Posted(known=2)
    assert [(item["path"], item["line"], item["commit_id"]) for item in server.review_comments] == [
        ("cart.py", 8, "f" * 40),
        ("cart.py", 9, "f" * 40),
    ]
    assert len(server.reviews) == 1


def test_suggestion_outside_of_the_diff_does_not_take_the_others_along(
    server: FakeGitHub, client: GitHub, number: int
):
    server.shown_lines = {"cart.py": {8}}
    posted = put_suggestions(client, number, "f" * 40, [suggestion(8), suggestion(90, "two")])
    assert posted == Posted(made=1, refused=1)
    assert [item["line"] for item in server.review_comments] == [8]


def test_suggestion_over_several_lines_names_the_first_too(server: FakeGitHub, client: GitHub, number: int):
    put_suggestions(client, number, "f" * 40, [Suggestion("cart.py", 6, 8, "<!-- x -->", "<!-- x -->")])
    (kept,) = server.review_comments
    assert (kept["start_line"], kept["line"], kept["side"]) == (6, 8, "RIGHT")
