"""What holds of every message that the server sends, whatever a test is about."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


class ProtocolRules:
    """Follows progress and job events of one session, and says which message breaks a rule of docs/protocol.md."""

    def __init__(self) -> None:
        self._created: set[object] = set()
        self._percentages: dict[object, int] = {}
        self._ended: set[object] = set()
        self._sequences: dict[str, int] = {}
        self._finished: set[str] = set()

    def broken_by(self, message: Mapping[str, Any]) -> str:
        """Return the rule that a request or notification of the server breaks, or ""."""
        params: Json = message.get("params") or {}
        match message["method"]:
            case "window/workDoneProgress/create":
                self._created.add(params["token"])
            case "$/progress":
                return self._progress(params["token"], params["value"])
            case "ensemble/event":
                return self._event(params["job"], params["seq"], params["kind"])
            case _:
                pass
        return ""

    def _progress(self, token: object, value: Json) -> str:
        kind = value["kind"]
        if token not in self._created:
            return "progress on a token that was never made"
        if token in self._ended:
            return "progress after its end"
        if (kind == "begin") == (token in self._percentages):
            return "progress begins once, and first"
        before = self._percentages.get(token, 0)
        self._percentages[token] = value.get("percentage") or before
        if kind == "end":
            self._ended.add(token)
        return "a percentage that falls" if self._percentages[token] < before else ""

    def _event(self, job: str, sequence: int, kind: str) -> str:
        if job in self._finished:
            return "an event of a job that has finished"
        if kind == "finished":
            self._finished.add(job)
        due = self._sequences.get(job, -1) + 1
        self._sequences[job] = sequence
        return "" if sequence == due else f"an event with number {sequence} where {due} was due"
