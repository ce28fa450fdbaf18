"""Making a job's stream of events small without losing a word of it."""

from collections.abc import Iterable


def coalesce(events: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Join the text that a member streamed within one call into one `memberDelta`.

    Events are in the protocol's flat form. The joined event keeps the place, number and time of its first
    piece, so numbers have gaps afterwards; what a member wrote keeps its order, and pieces are never joined
    across a `memberStarted` or `memberFinished` of that call. Doing it again changes nothing.
    """
    joined: list[dict[str, object]] = []
    open_deltas: dict[object, tuple[int, list[str]]] = {}

    def close(call: object) -> None:
        index, pieces = open_deltas.pop(call, (-1, []))
        if index >= 0:
            joined[index] = {**joined[index], "text": "".join(pieces)}

    for event in events:
        kind, call = event.get("kind"), (event.get("member"), event.get("sample", 0))
        if kind == "memberDelta" and isinstance(text := event.get("text"), str):
            if call in open_deltas:
                open_deltas[call][1].append(text)
                continue
            open_deltas[call] = (len(joined), [text])
        elif kind in {"memberStarted", "memberFinished"}:
            close(call)
        joined.append(event)
    for call in list(open_deltas):
        close(call)
    return joined
