"""Joining streamed text loses nothing and keeps each member's order."""

from hypothesis import given
from hypothesis import strategies as st

from ensemble_lsp.store.coalescing import coalesce

Event = dict[str, object]


def delta(member: str, text: str) -> Event:
    return {"kind": "memberDelta", "member": member, "text": text}


def other(kind: str, member: str) -> Event:
    return {"kind": kind, "member": member}


events = st.lists(
    st.one_of(
        st.builds(delta, st.sampled_from("abc"), st.text(max_size=3)),
        st.builds(
            other, st.sampled_from(["memberStarted", "memberFinished", "phase"]), st.sampled_from("abc")
        ),
    ),
    max_size=30,
)


def calls(stream: list[Event], member: str) -> list[str]:
    """Return what a member wrote, one text per call."""
    texts = [""]
    for event in stream:
        if event.get("member") != member:
            continue
        if event["kind"] == "memberDelta":
            texts[-1] += str(event["text"])
        elif event["kind"] != "phase":
            texts.append("")
    return texts


@given(events)
def test_every_call_keeps_its_text(stream: list[Event]) -> None:
    for member in "abc":
        assert calls(coalesce(stream), member) == calls(stream, member)


@given(events)
def test_other_events_keep_their_order(stream: list[Event]) -> None:
    def others(some: list[Event]) -> list[Event]:
        return [event for event in some if event["kind"] != "memberDelta"]

    assert others(coalesce(stream)) == others(stream)


@given(events)
def test_joining_again_changes_nothing(stream: list[Event]) -> None:
    assert coalesce(coalesce(stream)) == coalesce(stream)


@given(events, st.integers(0, 30))
def test_joining_in_batches_equals_joining_at_once(stream: list[Event], cut: int) -> None:
    assert coalesce(coalesce(stream[:cut]) + coalesce(stream[cut:])) == coalesce(stream)


def test_the_joined_event_keeps_the_place_of_its_first_piece() -> None:
    first: Event = {"kind": "memberDelta", "member": "a", "text": "1", "seq": 4, "time": 0.5}
    later: Event = {"kind": "memberDelta", "member": "a", "text": "2", "seq": 9, "time": 0.9}
    assert coalesce([first, {"kind": "spend"}, later]) == [{**first, "text": "12"}, {"kind": "spend"}]
    assert first["text"] == "1"


def test_what_one_member_writes_in_two_calls_at_once_is_not_mixed() -> None:
    pieces = [("The loop", 0), ("It must", 1), (" forgets.", 0), (" add.", 1)]
    joined = coalesce([{**delta("a", text), "sample": sample} for text, sample in pieces])
    assert [(event["sample"], event["text"]) for event in joined] == [
        (0, "The loop forgets."),
        (1, "It must add."),
    ]
