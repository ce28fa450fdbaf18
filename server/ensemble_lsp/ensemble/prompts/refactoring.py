"""The words of a refactoring."""

from ensemble_lsp.ensemble.prompts.wording import Wording

_PLAN = (
    "First write the plan: at most eight numbered steps of one line, each naming what moves or changes, and where. "
    "Then write the whole change, in every file that it takes."
)

_REASONING = (
    _PLAN,
    f"List every place that uses what you change, the tests' included; none may be forgotten. {_PLAN}",
    f"Think of who calls this code from outside: what must they still be able to do? {_PLAN}",
    f"Prefer the smallest set of steps that does all that was asked. {_PLAN}",
)

_WHOLE = (
    (
        "Rewrite {name} as asked. It must do exactly what it does now. Write the whole new {name} in one code block "
        "and nothing else."
    ),
    (
        "Do what was asked with {name}; results, exceptions and side effects stay the same for every input. Reply "
        "with the whole {name} in one code block."
    ),
    (
        "Keep the name and the parameters of {name} unless they are what is to change. Write {name} anew as asked, in "
        "one code block and nothing else."
    ),
    (
        "Name in one sentence what changes in {name} and what stays. Then write the whole {name} in one code block. "
        "Write nothing after it."
    ),
)

_ATTACK = """\
Each candidate is to do what was asked and nothing else: behaviour must stay as it is. Look for a use of the code
that behaves differently afterwards, and for what was asked and left undone. For every real fault write, with
nothing around it:

TARGET: the letter
CLAIM: what is wrong, in one sentence
TEST:
```python
a complete pytest module with one test that passes on the code as it is and fails with this candidate
```

The test is run on the code as it is and on all candidates. Use only names that the task leaves alone.
{importing} Where no test can show it, write instead of TEST one line `CITE: path:line: the line of code`.
For a candidate without a fault write `NO FAULT:` and its letter.
Last, if you were shown several, write one line `BEST: ` and the letter of the one that does best what was asked."""

_SHORT_ATTACK = """\
Does one of these behave differently from the code as it is? Write:
TARGET: the letter
CLAIM: what is different
TEST:
```python
one pytest test that passes on the code as it is and fails for it
```
{importing}
If none does write NO FAULT. Last write BEST: and the letter of the one that does best what was asked."""

REFACTORING = Wording(
    opening="Refactor the code: do what is asked below, everywhere that it takes, and keep behaviour as it is.",
    unassigned="Refactor the code so that it is easier to read; its behaviour stays as it is.",
    failing="This test fails already and may go on failing:",
    reasoning=_REASONING,
    limits=(
        "A block with an empty SEARCH part and a new path creates a file. Adapt tests only where a name that they "
        "use changes; what they assert stays."
    ),
    whole=_WHOLE,
    try_again="That version behaves differently. Write another one.",
    nobody="Nobody has found a version that keeps the behaviour. Write one.",
    attack=_ATTACK,
    short_attack=_SHORT_ATTACK,
)
