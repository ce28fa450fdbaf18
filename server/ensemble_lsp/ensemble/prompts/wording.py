"""What differs in the questions of the actions that change something: the same phases, other words."""

from collections.abc import Sequence
from dataclasses import dataclass

ATTACK = """\
Try to break each candidate: find an input for which it gives a wrong result. Agreement is worth nothing here.
For every real fault write, with nothing around it:

TARGET: the letter
CLAIM: what is wrong, in one sentence
TEST:
```python
a complete pytest module with one test that a correct program passes and this candidate fails
```

The test is run against all candidates. Assert only what the task, the documentation or the existing tests fix;
compute the expected value by hand. {importing}
Where no test can show it, write instead of TEST one line `CITE: path:line: the line of code`.
For a candidate without a fault write `NO FAULT:` and its letter."""

SHORT_ATTACK = """\
Does one of these give a wrong result for some input? Write:
TARGET: the letter
CLAIM: what is wrong
TEST:
```python
one pytest test that fails for it and passes for correct code
```
{importing}
If none is wrong write NO FAULT."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The sentences of one action. `{name}` and `{what}` in `whole` are the symbol; `{importing}` in the attacks
    says how a test reaches the code."""

    opening: str
    """The task in one sentence, where there is an assignment below it."""
    unassigned: str
    """The task where nobody said more."""
    failing: str
    """What stands before the log of a failing check, for small models."""
    reasoning: Sequence[str]
    """How to begin, one per style: different wordings find different answers."""
    limits: str
    """The last sentence of the block form: what not to do."""
    whole: Sequence[str]
    """The whole question to a small model, one per style."""
    try_again: str
    """To a small model whose change was hit by evidence."""
    nobody: str
    """To the strong member where nothing stands."""
    attack: str = ATTACK
    short_attack: str = SHORT_ATTACK
