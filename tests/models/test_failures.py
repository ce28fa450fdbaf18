"""Providers' failures as errors that a person can act on, without a key in them."""

import httpx
import pytest

from ensemble_lsp.core.errors import (
    AuthenticationFailed,
    ContextOverflow,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    Refused,
    UnknownModel,
)
from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.calls import CallFailure, FailureKind, failure_of_status, seconds_of_retry_after
from ensemble_lsp.models.failures import SchemaRejected, model_error, scrub

HOSTED = Member(id="m", model="openai/x", family="gpt", api_key_env="OPENAI_API_KEY", recipient="OpenAI")
LOCAL = Member(id="q", model="ollama_chat/qwen:7b", family="qwen", local=True, api_base="http://127.0.0.1:1")


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefgh12345678",
        "sk-proj-A1b2C3d4_E5f6-G7h8",
        "sk-ant-api03-abcdefgh",
        "AIzaSyA1234567890abcdefghij",
        "gsk_abcdefghijklmnop1234",
        "xai-abcdefgh1234",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "0123456789abcdef0123456789abcdef",
        "sk-ab***********cd12",
    ],
)
@pytest.mark.parametrize("around", ["bad key: {}", "Incorrect API key provided: {}.", "{}", "url?key={}&x=1"])
def test_nothing_that_looks_like_a_key_gets_through(secret: str, around: str) -> None:
    assert secret not in scrub(around.format(secret))


def test_a_key_that_looks_like_nothing_is_taken_out_when_it_is_the_one_that_was_sent() -> None:
    assert scrub("no such user: hunter2", ["hunter2"]) == "no such user: [key]"


def test_common_words_stay() -> None:
    text = "The model gpt-6-luna-2026-09-22 does not support max_completion_tokens above 128000"
    assert scrub(text) == text


@pytest.mark.parametrize(
    ("status", "message", "error"),
    [
        (401, "bad key", AuthenticationFailed),
        (403, "not for you", AuthenticationFailed),
        (402, "pay first", AuthenticationFailed),
        (429, "insufficient_quota", AuthenticationFailed),
        (404, "no such model", UnknownModel),
        (429, "slow down", RateLimited),
        (408, "too slow", ModelTimeout),
        (500, "oops", ModelUnavailable),
        (502, "bad gateway", ModelUnavailable),
        (529, "overloaded", ModelUnavailable),
        (400, "prompt is too long: 9 > 8", ContextOverflow),
        (413, "maximum context length", ContextOverflow),
        (400, "content_policy_violation", Refused),
        (400, "temperature must be 1", ModelError),
    ],
)
def test_each_answer_has_its_error_and_says_what_to_do(
    status: int, message: str, error: type[ModelError]
) -> None:
    raised = model_error(failure_of_status(status, message), HOSTED)
    assert type(raised) is error
    assert raised.member == "m"
    assert raised.hint


def test_a_refused_schema_is_told_apart_only_when_one_was_sent() -> None:
    failure = failure_of_status(400, "response_format is not supported")
    assert isinstance(model_error(failure, HOSTED, with_schema=True), SchemaRejected)
    assert not isinstance(model_error(failure, HOSTED), SchemaRejected)


def test_a_wrong_key_is_named_by_its_variable() -> None:
    assert "OPENAI_API_KEY" in model_error(failure_of_status(401, "no"), HOSTED).hint


def test_an_ollama_model_that_is_absent_says_how_to_fetch_it() -> None:
    assert "ollama pull qwen:7b" in model_error(failure_of_status(404, "not found"), LOCAL).hint


def test_a_server_that_does_not_run_says_how_to_start_it() -> None:
    assert "ollama serve" in model_error(CallFailure(FailureKind.UNREACHABLE, "refused"), LOCAL).hint


def test_litellms_own_words_are_left_out() -> None:
    failure = CallFailure(FailureKind.BROKEN, "litellm.InternalServerError: OpenAIException - it broke")
    assert model_error(failure, HOSTED).message.endswith("failed: it broke")


def test_a_long_answer_is_cut() -> None:
    assert len(model_error(failure_of_status(500, "<html>" * 1000), HOSTED).message) < 500


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2.0), ("0.5", 0.5), ("-1", None), ("inf", None), ("Wed, 21 Oct 2026", None), (None, None)],
)
def test_retry_after_in_seconds(value: str | None, seconds: float | None) -> None:
    assert seconds_of_retry_after(value) == seconds


@pytest.mark.parametrize("kind", list(FailureKind))
def test_only_what_may_have_cost_something_is_charged(kind: FailureKind) -> None:
    assert CallFailure(kind, "").charged_nothing == (kind not in {FailureKind.BROKEN, FailureKind.TIMEOUT})


def test_an_error_in_the_middle_of_a_stream_is_a_broken_answer() -> None:
    from ensemble_lsp.models.litellm_calls import failure_of

    class MidStreamFallbackError(Exception):
        """As litellm names it."""

        original_exception = RuntimeError("connection reset")

    assert failure_of(MidStreamFallbackError()).kind is FailureKind.BROKEN
    assert failure_of(MidStreamFallbackError()).message == "connection reset"


def test_an_error_before_the_first_word_of_a_stream_is_the_one_beneath() -> None:
    from ensemble_lsp.models.litellm_calls import failure_of

    class RateLimitError(Exception):
        """As litellm names it."""

        status_code = 429

    class MidStreamFallbackError(Exception):
        """As litellm names it."""

        original_exception = RateLimitError("slow down")
        is_pre_first_chunk = True

    assert failure_of(MidStreamFallbackError()).kind is FailureKind.RATE_LIMITED


def test_a_refused_connection_is_found_beneath_what_wraps_it() -> None:
    from ensemble_lsp.models.litellm_calls import failure_of

    error = RuntimeError("Connection error.")
    error.__cause__ = httpx.ConnectError("refused")
    assert failure_of(error).kind is FailureKind.UNREACHABLE
