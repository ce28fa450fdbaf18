"""The words of a fix."""

from ensemble_lsp.ensemble.prompts.wording import Wording

_REASONING = (
    "Say in two or three sentences what is wrong, then write the change.",
    (
        "Work from the failing check, where there is one: take its input, follow the code by hand until a value "
        "goes wrong, and name that line. Then write the change."
    ),
    "Write only the change, without explanation.",
    (
        "Say what the code does with an empty, a smallest and an extreme input, and where that is wrong. "
        "Then write the change."
    ),
)

_WHOLE = (
    (
        "{what} is wrong. Write the corrected {name} in one code block and nothing else. "
        "A copy without a change is not an answer."
    ),
    (
        "Write {name} anew so that it does what its description and the test say. Keep its signature and docstring, "
        "but do not copy its body: think of the simplest correct way. Reply with one code block and nothing else."
    ),
    (
        "One line of {name} is wrong: an operator, an index, a condition, an argument, or a missing case. "
        "Write {name} with that put right, in one code block and nothing else. "
        "A copy without a change is not an answer."
    ),
    (
        "First name, in one sentence, the line of {name} that is wrong and what it should do. Then write the whole "
        "corrected {name} in one code block, with that line changed. Write nothing after it."
    ),
)
"""For small models, as measured on a 1.5B with tests as the judge: step-by-step tracing and long explanations
ran into the token limit, blocks to be copied came back as the template, and the warning against copies took
unchanged answers from 3 in 8 to none. Naming a line before writing it comes last: it commits a small model to a
wrong one (1 of 4 solved where the first wording solved 4 of 4). Wordings that differ solve different bugs."""

FIXING = Wording(
    opening="Repair the code.",
    unassigned="The code has a bug.",
    failing="This code has a bug. Its test fails with:",
    reasoning=_REASONING,
    limits="Change as little as the task needs, and no tests.",
    whole=_WHOLE,
    try_again="So that change was wrong. Find another one.",
    nobody="Nobody has found a change that works. Write the right one.",
)
