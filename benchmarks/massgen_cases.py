"""The questions put to both systems, and whether what came out is right."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

PATH = "orders.py"
TEST_PATH = "test_orders.py"

FAULT = "        result = price * quantity"
REPAIR = "        result += price * quantity"
MISTAKE = "        result = result * price + quantity"
"""What a member that is wrong writes."""

_SHORT = '''\
"""Orders of a small shop; prices are in cents."""

FREE_SHIPPING_FROM = 5_000


def subtotal(items):
    """Return the sum of price times quantity over all (price, quantity) items."""
    result = 0
    for price, quantity in items:
        result = price * quantity
    return result


def shipping(cents):
    """Return what sending an order of this worth costs."""
    return 0 if cents >= FREE_SHIPPING_FROM else 490


def invoice(items):
    """Return what the customer pays."""
    cents = subtotal(items)
    return cents + shipping(cents)
'''
_REGION = '''
def region_{number}(cents):
    """Return the {number}th region's share of a worth in cents, half a cent rounded up."""
    share = cents * {number} // 100
    rest = cents * {number} % 100
    if rest >= 50:
        share += 1
    return share

'''
_LONG = _SHORT + "".join(_REGION.format(number=number) for number in range(1, 29))

VISIBLE_TEST = """\
from orders import subtotal


def test_subtotal_counts_every_item():
    assert subtotal([(200, 3), (450, 1)]) == 1050
"""
HIDDEN_TEST = """\
from orders import invoice, shipping, subtotal

assert subtotal([]) == 0
assert subtotal([(200, 3)]) == 600
assert subtotal([(200, 3), (450, 1)]) == 1050
assert subtotal([(1, 1)] * 40) == 40
assert shipping(4_999) == 490
assert invoice([(2_500, 1), (2_500, 1)]) == 5_000
"""

Kind = Literal["fix", "review"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question: the file it is about, what is asked, and who of the three members is wrong at first."""

    name: str
    kind: Kind
    code: str
    wrong: str = ""

    @property
    def instruction(self) -> str:
        """What both are asked."""
        if self.kind == "review":
            return "Review orders.py for defects that matter."
        return "subtotal is wrong: it should return the sum over all items. test_orders.py fails."

    @property
    def in_full(self) -> str:
        """The question with its material, for a system that is not given files."""
        wanted = "Give the corrected function in one Python code block."
        if self.kind == "review":
            wanted = "Name the line of each defect, and with which input it goes wrong."
        return (
            f"{self.instruction} {wanted}\n\norders.py:\n```python\n{self.code}```\n\n"
            f"test_orders.py:\n```python\n{VISIBLE_TEST}```\n"
        )

    @property
    def line(self) -> int:
        """The faulty line, from 1."""
        return self.code.splitlines().index(FAULT) + 1

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line of the faulty function, from 1."""
        first = self.code.splitlines().index("def subtotal(items):") + 1
        return first, first + 5

    def lay_out(self, folder: Path) -> None:
        """Write the workspace."""
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text(
            '[project]\nname = "orders"\nversion = "1"\n', encoding="utf-8"
        )
        (folder / PATH).write_text(self.code, encoding="utf-8")
        (folder / TEST_PATH).write_text(VISIBLE_TEST, encoding="utf-8")


QUESTIONS = (
    Question("fix, one of three members wrong", "fix", _SHORT, wrong="two"),
    Question("fix in a file of 270 lines, one wrong", "fix", _LONG, wrong="two"),
    Question("review", "review", _SHORT),
)


def passes(code: str) -> bool:
    """Say whether the code passes tests that neither system saw."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / PATH).write_text(code, encoding="utf-8")
        (folder / "hidden.py").write_text(HIDDEN_TEST, encoding="utf-8")
        command = [sys.executable, "hidden.py"]
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
        return done.returncode == 0


def answer_is_right(question: Question, answer: str) -> bool:
    """Judge a final answer in prose: the function that it gives passes, or it names the fault."""
    if question.kind == "review":
        return FAULT.strip() in answer and str(question.line) in answer
    blocks = re.findall(r"```python\n(.*?)```", answer, re.DOTALL)
    return any(passes(_with_function(question.code, block)) for block in blocks)


def result_is_right(question: Question, workspace: Path, result: Mapping[str, object]) -> bool:
    """Judge what the product left: the file that it wrote passes, or a finding lies on the fault."""
    if question.kind == "fix":
        return passes((workspace / PATH).read_text(encoding="utf-8"))
    findings = cast("list[Mapping[str, object]]", result.get("findings") or [])
    return any(FAULT.strip() in json.dumps(finding) for finding in findings)


def _with_function(code: str, function: str) -> str:
    start, end = code.index("def subtotal"), code.index("def shipping")
    return code[:start] + function.rstrip() + "\n\n\n" + code[end:]
