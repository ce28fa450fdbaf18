"""What the three models say: like competent ones, each system answered in the form that it asks for.

The same members hold the same opinions in both systems: one may be wrong at first, and gives way when the others'
answer or a failing test is in front of it. Their sentences are as short in one system as in the other.
"""

import json
import re
from collections.abc import Callable

from benchmarks.counting_server import Body, Reply, messages_of
from benchmarks.massgen_cases import FAULT, MISTAKE, PATH, REPAIR, Question

MEMBERS = ("one", "two", "three")

_WHY = "Each item overwrites the total, so that only the last one counts; it has to be added."
_INPUT = "With [(200, 3), (450, 1)] it returns 450 instead of 1050."
_CURRENT = re.compile(r"<(agent\d+)(?:\.\d+)?>(.*?)<end of \1", re.DOTALL)
_BLOCK = re.compile(r"<<<<<<< SEARCH (\S+) (\S+):\d+")
_EXHIBIT = re.compile(r"candidate ([A-Z])\b(.*?)(?=candidate [A-Z]\b|\Z)", re.DOTALL)
_CLAIM = re.compile(r"claim (\d+)")


def members_of(question: Question) -> Callable[[Body], Reply]:
    """Return what is said to a request about this question."""

    def say(body: Body) -> Reply:
        line = MISTAKE if str(body.get("model")) == question.wrong else REPAIR
        if offered := _tools(body):
            return _with_tools(question, body, offered, line)
        return Reply(_in_our_form(question, body, line))

    return say


def _tools(body: Body) -> set[str]:
    return set(re.findall(r'"name": "(new_answer|vote)"', json.dumps(body.get("tools") or [])))


def _with_tools(question: Question, body: Body, offered: set[str], line: str) -> Reply:
    """Answer MassGen: a first answer, then a vote for the best of the answers shown, at last the presentation."""
    texts = messages_of(body)
    answers = dict(_CURRENT.findall("\n".join(texts[1:])))
    right = sorted(label for label, text in answers.items() if _holds(question, text))
    if "vote" in offered and right:
        return Reply(tool="vote", arguments={"agent_id": right[0], "reason": _WHY})
    presents = "vote" not in offered
    return Reply(tool="new_answer", arguments={"content": _in_prose(question, REPAIR if presents else line)})


def _holds(question: Question, text: str) -> bool:
    return (FAULT if question.kind == "review" else REPAIR).strip() in text


def _in_prose(question: Question, line: str) -> str:
    if question.kind == "review":
        return f"Line {question.line}, `{FAULT.strip()}`: {_WHY} {_INPUT}"
    first, last = question.lines
    function = "\n".join(question.code.splitlines()[first - 1 : last]).replace(FAULT, line)
    return f"{_WHY}\n\n```python\n{function}\n```\n"


def _in_our_form(question: Question, body: Body, line: str) -> str:
    """Answer the product: blocks, a critique, a position, or JSON, as the last message asks."""
    texts = messages_of(body)
    prompt = texts[-1]
    if question.kind == "review":
        return _judgement(question, prompt)
    parts: list[str] = []
    if "NO FAULT" in prompt:
        parts += [_attack(letter, shown) for letter, shown in _EXHIBIT.findall(prompt)]
    if "POSITION:" not in prompt:
        return "\n\n".join(parts) or f"{_WHY}\n\n{_block(prompt, line)}"
    if line == MISTAKE and "found against your change" in prompt:
        return "\n\n".join([*parts, f"POSITION: REVISE {_WHY}", _block(prompt, REPAIR)])
    return "\n\n".join([*parts, f"POSITION: KEEP {_WHY}"])


def _block(prompt: str, line: str) -> str:
    found = _BLOCK.search(prompt)
    if found is None:
        raise ValueError(f"no form of a change is named in: {prompt}")
    sentinel, path = found.groups()
    return f"<<<<<<< SEARCH {sentinel} {path}:10\n{FAULT}\n======= {sentinel}\n{line}\n>>>>>>> REPLACE {sentinel}\n"


def _attack(letter: str, shown: str) -> str:
    if MISTAKE.strip() not in shown:
        return f"NO FAULT: {letter}"
    test = "from orders import subtotal\n\n\ndef test_two():\n    assert subtotal([(1, 2), (3, 4)]) == 14\n"
    claim = "it multiplies the total by the price"
    return f"TARGET: {letter}\nCLAIM: {claim}\nTEST:\n```python\n{test}```"


def _judgement(question: Question, prompt: str) -> str:
    if "refute" in prompt:
        numbers = sorted({int(number) for number in _CLAIM.findall(prompt)})
        verdicts = [
            {"number": number, "verdict": "stands", "reason": _WHY, "line": question.line}
            | {"quote": FAULT.strip(), "test": ""}
            for number in numbers
        ]
        return json.dumps({"verdicts": verdicts})
    finding = {
        "path": PATH,
        "line": question.line,
        "end_line": question.line,
        "quote": FAULT,
        "severity": "critical",
        "category": "bug",
        "title": "subtotal keeps the last item only",
        "detail": f"{_WHY} {_INPUT}",
        "confidence": 0.95,
    }
    return json.dumps({"findings": [finding]})
