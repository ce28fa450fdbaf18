"""A transcript as a document, of jobs that no test over stdio has: a debate, a fix, one that was cut short."""

from collections.abc import Sequence

import pytest

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.events import (
    Action,
    CheckFinished,
    CritiqueMade,
    EventBody,
    JobEvent,
    MemberDelta,
    MemberFinished,
    MemberStarted,
    Phase,
    PhaseEntered,
    PositionTaken,
    RevisionMade,
    Status,
)
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import DraftRecord, JobResult, Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.messages import JobSummary, Transcript
from ensemble_lsp.lsp.document_uris import DocumentUri, read_uri
from ensemble_lsp.lsp.transcript_document import transcript_document

SPEND = Spend(calls=1, tokens_in=900, tokens_out=100, usd=0.0125)


def _document(
    bodies: Sequence[EventBody] = (),
    result: JobResult | None = None,
    *,
    action: Action = Action.FIX,
    status: Status | str = Status.DONE,
) -> str:
    summary = JobSummary.model_validate(
        {
            "job": "j1",
            "action": action,
            "title": "cart.py:4",
            "workspace": "/w",
            "status": status,
            "started": 0.0,
            "seconds": 61.0,
            "usd": 0.0125,
            "calls": 1,
        }
    )
    events = tuple(
        JobEvent(job="j1", seq=number, time=0.0, body=body).flat() for number, body in enumerate(bodies)
    )
    task = Task(action=action, path="cart.py", instruction="the sum is wrong")
    return transcript_document(Transcript(summary=summary, task=task, events=events, result=result))


def _said(member: str, *pieces: str, purpose: str = "draft", error: str | None = None) -> list[EventBody]:
    started = MemberStarted(member=member, family=f"family-{member}", purpose=purpose)
    deltas = [MemberDelta(member=member, text=piece) for piece in pieces]
    finished = MemberFinished(member=member, purpose=purpose, spend=SPEND, seconds=2.0, error=error)
    return [started, *deltas, finished]


def test_a_fix_shows_its_diff_and_what_stands_behind_it() -> None:
    change = FileChange(path="cart.py", before=SourceText("a = 1\n"), after=SourceText("a = 2\n"))
    chosen = Candidate(id="c1", changes=(change,), members=("a",), families=("f", "g"))
    proposal = Proposal(
        id="p", job="j1", title="Set it to two", standing=Standing.VERIFIED, weak=True, chosen=chosen
    )
    text = _document(result=JobResult(status=Status.DONE, reason="2 families", proposal=proposal))
    assert "# Fix: cart.py:4\n" in text
    assert "- Instruction: the sum is wrong" in text
    assert "**Set it to two** (verified, by a check that would miss most changes here; by f, g)" in text
    assert "```diff\n" in text
    assert "-a = 1\n+a = 2\n```" in text


def test_answers_stand_where_they_were_complete_and_checks_below_them() -> None:
    check = CheckFinished(
        witness="pytest", target="t", outcome=Outcome.FAILED, summary="1 failed", about="c1"
    )
    text = _document([PhaseEntered(phase=Phase.DRAFT), *_said("a", "one ", "two"), check])
    assert (
        "### Blind answers\n\n`a` (family-a), draft: 2.0 s · 1,000 tokens · $0.0125\n\n```\none two\n```\n\n"
        "- `pytest` `c1` ✗ failed: 1 failed\n"
    ) in text


def test_who_moved_and_by_what_is_told() -> None:
    text = _document(
        [
            PositionTaken(
                member="a", stance="Use a lock", round=1, moved=True, because="a test that was run"
            ),
            PositionTaken(member="b", stance="Use a lock", round=1, moved=True),
            RevisionMade(member="b", about="c2", outcome="withdrawn", conformity=True),
            CritiqueMade.model_validate(
                {
                    "from": "a",
                    "about": "c2",
                    "claim": "It loses a line",
                    "evidence": "1 failed",
                    "broke": True,
                }
            ),
        ],
        action=Action.DEBATE,
    )
    assert "- `a` holds: Use a lock, moved by a test that was run" in text
    assert "- `b` holds: Use a lock, moved by nothing new (conformity, not counted)" in text
    assert "- `b` withdrawn `c2` without new evidence (conformity, not counted)" in text
    assert "- `a` attacks `c2` (broke it): It loses a line Evidence: 1 failed" in text


def test_an_answer_that_was_cut_off_and_one_that_failed_are_marked() -> None:
    bodies = [
        *_said("a", error="the connection was cut"),
        MemberStarted(member="b", family="g", purpose="draft"),
    ]
    text = _document([*bodies, MemberDelta(member="b", text="half a")], status="running")
    assert "· the connection was cut" in text
    assert "`b` (g), not finished:\n\n```\nhalf a\n```" in text


def test_a_draft_that_no_event_shows_is_taken_from_what_was_kept() -> None:
    result = JobResult(
        status=Status.DONE, reason="", drafts=(DraftRecord(member="a", family="f", text="kept"),)
    )
    assert "```\nkept\n```" in _document(_said("a"), result)


def test_dissent_is_quoted_word_for_word() -> None:
    dissent = Dissent(member="a", family="f", about="c1", text="No.\n```\n# not a heading")
    text = _document(result=JobResult(status=Status.ABSTAINED, reason="", dissent=(dissent,)))
    assert "`a` (f) on `c1`:\n\n````\nNo.\n```\n# not a heading\n````" in text


def test_a_job_of_which_only_its_line_was_kept_says_so() -> None:
    assert "only this much was kept" in _document()


def test_an_event_of_another_version_is_passed_over() -> None:
    transcript = Transcript(
        summary=JobSummary(
            job="j",
            action=Action.FIX,
            title="t",
            workspace="/",
            status="lost",
            started=0,
            seconds=1,
            usd=0,
            calls=0,
        ),
        task=Task(action=Action.FIX),
        events=({"kind": "of the future", "job": "j"},),
    )
    assert transcript_document(transcript).startswith("# Fix: t\n\n**lost**")


@pytest.mark.parametrize(
    ("action", "about", "uri"),
    [
        (Action.EXPLAIN, "src/cart.py", "ensemble:/explanation/j1/cart.md"),
        (
            Action.DEBATE,
            "Is this cache safe? (two processes)",
            "ensemble:/debate/j1/Is-this-cache-safe-two-processes.md",
        ),
        (Action.EXPLAIN, "src/größe.py", "ensemble:/explanation/j1/gr%C3%B6%C3%9Fe.md"),
        (Action.EXPLAIN, "../..", "ensemble:/explanation/j1/document.md"),
        (Action.DEBATE, "x" * 100, f"ensemble:/debate/j1/{'x' * 40}.md"),
    ],
)
def test_a_document_has_a_name_that_people_can_read(action: Action, about: str, uri: str) -> None:
    assert str(DocumentUri.of_document("j1", action, about)) == uri
    assert read_uri(uri).job == "j1"
    assert str(read_uri(uri)) == uri


def test_a_uri_is_read_in_the_spellings_of_clients() -> None:
    assert read_uri("ensemble:///transcript/j1.md").is_transcript
    assert read_uri("ensemble:/explanation/j1/gr%c3%b6%c3%9fe.md").name == "größe"
    with pytest.raises(UnknownItem):
        read_uri("ensemble:/explanation/j%2F1/x.md")
