"""Making a job's stream of events small without losing a word of it."""

from collections.abc import Iterable


def coalesce(events: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Join the text that a member streamed within one call into one `memberDelta`.

    Events are in the protocol's flat form. The joined event keeps the place, number and time of its first
    piece, so numbers have gaps afterwards; what a member wrote keeps its order, and pieces are never joined
    across a `memberStarted` or `memberFinished` of that member. Doing it again changes nothing.
    """
    joined: list[dict[str, object]] = []
    open_deltas: dict[object, tuple[int, list[str]]] = {}

    def close(member: object) -> None:
        index, pieces = open_deltas.pop(member, (-1, []))
        if index >= 0:
            joined[index] = {**joined[index], "text": "".join(pieces)}

    for event in events:
        kind, member = event.get("kind"), event.get("member")
        if kind == "memberDelta" and isinstance(text := event.get("text"), str):
            if member in open_deltas:
                open_deltas[member][1].append(text)
                continue
            open_deltas[member] = (len(joined), [text])
        elif kind in {"memberStarted", "memberFinished"}:
            close(member)
        joined.append(event)
    for member in list(open_deltas):
        close(member)
    return joined
