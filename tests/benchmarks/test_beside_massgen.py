"""Calls and tokens are counted alike for both systems, the members answer each in its form, and quality is judged."""

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from benchmarks.counting_server import CountingServer, Exchange, Reply, Traffic, sent_text, tokens_of
from benchmarks.massgen import Decision, ratios, summary
from benchmarks.massgen_cases import (
    FAULT,
    MISTAKE,
    PATH,
    QUESTIONS,
    REPAIR,
    Question,
    answer_is_right,
    passes,
    result_is_right,
)
from benchmarks.massgen_members import members_of

FIX, LONG, REVIEW = QUESTIONS
TOOLS: list[dict[str, object]] = [
    {"type": "function", "function": {"name": name, "parameters": {}}} for name in ("new_answer", "vote")
]
FORM = "<<<<<<< SEARCH k7f2 orders.py:6\nlines\n======= k7f2\nnew\n>>>>>>> REPLACE k7f2"


def asked(text: str, model: str = "one", **rest: object) -> dict[str, object]:
    messages = [{"role": "system", "content": "Be exact."}, {"role": "user", "content": text}]
    return {"model": model, "messages": messages, **rest}


def exchange(arrived: float, sent: int = 100, received: int = 10) -> Exchange:
    return Exchange("one", arrived, arrived + 0.5, sent, received)


# -- counting


def test_tool_descriptions_and_schemas_count_as_sent() -> None:
    bare = tokens_of(sent_text(asked("fix it")))
    assert tokens_of(sent_text(asked("fix it", tools=TOOLS))) > bare
    assert tokens_of(sent_text(asked("fix it", response_format={"type": "json_object"}))) > bare


def test_text_that_looks_like_a_control_token_is_counted_as_text() -> None:
    assert tokens_of("<|endoftext|>") > 1


@pytest.mark.parametrize("stream", [False, True])
async def test_what_went_over_the_wire_is_counted(stream: bool) -> None:
    body = asked("what is wrong?", stream=stream)
    async with CountingServer(lambda _: Reply("the loop"), latency=0.0) as server:
        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{server.openai_base}/chat/completions", json=body)
        traffic = server.taken()
        assert server.taken().calls == 0
    assert "the loop" in answer.text
    assert (traffic.calls, traffic.received) == (1, tokens_of("the loop"))
    assert traffic.sent == tokens_of("Be exact.\nwhat is wrong?")


async def test_a_tool_call_is_what_a_client_reads_it_as() -> None:
    vote = Reply(tool="vote", arguments={"agent_id": "agent1", "reason": "right"})
    async with CountingServer(lambda _: vote, latency=0.0) as server, httpx.AsyncClient() as client:
        answer = await client.post(f"{server.openai_base}/chat/completions", json=asked("vote", tools=TOOLS))
    choice = answer.json()["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    function = choice["message"]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])["agent_id"]) == ("vote", "agent1")


async def test_a_question_that_the_members_do_not_understand_is_no_measurement() -> None:
    async with (
        CountingServer(members_of(FIX), latency=0.0) as server,
        httpx.AsyncClient() as client,
    ):
        answer = await client.post(f"{server.openai_base}/chat/completions", json=asked("hello"))
        assert answer.status_code == 400
        assert "hello" in server.failure
        assert server.taken().calls == 0


async def test_replies_that_come_at_once_are_one_wait() -> None:
    async with CountingServer(lambda _: Reply("ok"), latency=0.05) as server, httpx.AsyncClient() as client:
        url = f"{server.openai_base}/chat/completions"
        await asyncio.gather(*(client.post(url, json=asked("a", name)) for name in ("one", "two", "three")))
        traffic = server.taken()
    assert traffic.calls == 3
    assert traffic.steps(10.0) == 1


def test_waits_are_replies_one_after_the_other() -> None:
    traffic = Traffic((exchange(1.0), exchange(1.1), exchange(1.6), exchange(2.2)))
    assert traffic.steps(0.5) == 3
    assert (traffic.calls, traffic.sent, traffic.received, traffic.first) == (4, 400, 40, 1.0)


def test_figures_are_medians_and_ratios_take_tokens_both_ways() -> None:
    small = [Decision(wall, 1.0, 2.0, Traffic((exchange(0.0),)), right=True) for wall in (1.0, 2.0, 9.0)]
    large = [Decision(10.0, 2.0, 8.0, Traffic(tuple(exchange(float(n)) for n in range(5))), right=False)]
    figures = summary(small)
    assert (figures["calls"], figures["wall s"], figures["right"]) == (1, 2.0, "3 of 3")
    assert ratios(small, large) == {
        "tokens of MassGen's": 0.2,
        "cpu of MassGen's": 0.25,
        "wall of MassGen's": 0.2,
        "wall of MassGen's from its first call": 1.0,
    }


def test_where_nobody_knows_the_processors_time_none_is_given() -> None:
    asked_in_an_editor = [Decision(1.0, 1.0, None, Traffic((exchange(0.0),)), right=True, verified=True)]
    large = [Decision(10.0, 2.0, 8.0, Traffic((exchange(0.0),)), right=False)]
    figures = summary(asked_in_an_editor)
    assert "cpu s" not in figures
    assert figures["verified"] == "1 of 1"
    assert "cpu of MassGen's" not in ratios(asked_in_an_editor, large)


# -- the members


def test_massgens_members_answer_first_then_vote_for_a_right_answer_then_present() -> None:
    say = members_of(FIX)
    none_yet = asked("<CURRENT ANSWERS from the agents>\n(no answers available yet)", tools=TOOLS)
    first = say(none_yet)
    assert (first.tool, REPAIR in first.arguments["content"]) == ("new_answer", True)
    wrong = say(asked("(no answers available yet)", "two", tools=TOOLS))
    assert MISTAKE in wrong.arguments["content"]
    shown = f"<agent1.1> {MISTAKE} <end of agent1.1>\n<agent3.1> {REPAIR} <end of agent3.1>"
    vote = say(asked(shown, "two", tools=TOOLS))
    assert (vote.tool, vote.arguments["agent_id"]) == ("vote", "agent3")
    final = say(asked("present", "two", tools=TOOLS[:1]))
    assert answer_is_right(FIX, final.arguments["content"])


def test_our_members_write_blocks_and_give_way_to_evidence_only() -> None:
    say = members_of(FIX)
    assert f"{FAULT}\n======= k7f2\n{REPAIR}" in say(asked(FORM)).text
    assert f"{FAULT}\n======= k7f2\n{MISTAKE}" in say(asked(FORM, "two")).text
    round_one = f"POSITION: KEEP or\nPOSITION: REVISE\n{FORM}"
    assert "POSITION: KEEP" in say(asked(round_one, "two")).text
    hit = say(asked(f"found against your change: a test fails\n{round_one}", "two")).text
    assert "POSITION: REVISE" in hit
    assert REPAIR in hit


def test_our_members_attack_what_is_wrong_with_a_test_that_shows_it() -> None:
    shown = (
        f"candidate A\n{REPAIR}\ncandidate B\n{MISTAKE}\nFor a candidate without a fault write `NO FAULT:`"
    )
    text = members_of(FIX)(asked(shown)).text
    assert "NO FAULT: A" in text
    assert "TARGET: B" in text


def test_our_reviewers_answer_in_json() -> None:
    say = members_of(REVIEW)
    found = json.loads(say(asked("Task: review this code")).text)["findings"][0]
    assert (found["path"], found["line"], found["quote"]) == (PATH, REVIEW.line, FAULT)
    verdicts = json.loads(say(asked("try to refute: claim 1 ... claim 2")).text)["verdicts"]
    assert [(each["number"], each["verdict"]) for each in verdicts] == [(1, "stands"), (2, "stands")]


# -- judging


@pytest.mark.parametrize("question", [FIX, LONG], ids=["short", "long"])
def test_only_the_repair_passes(question: Question) -> None:
    assert not passes(question.code)
    assert not passes(question.code.replace(FAULT, MISTAKE))
    assert passes(question.code.replace(FAULT, REPAIR))


def test_both_systems_are_held_to_the_same(tmp_path: Path) -> None:
    first, last = FIX.lines
    function = "\n".join(FIX.code.splitlines()[first - 1 : last])
    assert answer_is_right(FIX, f"So:\n```python\n{function.replace(FAULT, REPAIR)}\n```")
    assert not answer_is_right(FIX, f"So:\n```python\n{function}\n```")
    assert not answer_is_right(FIX, "It has to be added.")
    workspace = tmp_path / "workspace"
    FIX.lay_out(workspace)
    assert not result_is_right(FIX, workspace, {})
    (workspace / PATH).write_text(FIX.code.replace(FAULT, REPAIR))
    assert result_is_right(FIX, workspace, {})


def test_a_review_is_right_when_it_names_the_fault(tmp_path: Path) -> None:
    assert answer_is_right(REVIEW, f"Line {REVIEW.line}, `{FAULT.strip()}`: overwritten.")
    assert not answer_is_right(REVIEW, "Looks good to me.")
    assert result_is_right(REVIEW, tmp_path, {"findings": [{"quote": FAULT, "line": 9}]})
    assert not result_is_right(REVIEW, tmp_path, {"findings": [{"quote": "return result", "line": 10}]})
