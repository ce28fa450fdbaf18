"""The words of a rewriting of prose: Markdown, plain text, docstrings, comments."""

from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.wording import Wording

_VOICES = (
    "Write it as plainly as you can: short words, one thought a sentence.",
    "Write it for a reader who has one minute: what matters most comes first.",
    "Write it for a reader who will look for mistakes: be exact, and leave no term unexplained.",
    "Read it aloud in your mind: join what belongs together, and cut what says nothing.",
)
"""One per style: several voices for the same passage."""

_ATTACK = """\
Compare each version with the passage as it is. A fault is a fact that was lost, added or changed, an instruction of
the person that was not followed, or a sentence that a reader can take in two ways. For every real fault write:

TARGET: the letter
CLAIM: what is wrong, in one sentence
CITE: path:line: the line of the passage whose meaning is changed, or the line of the version that is wrong

For a version without a fault write `NO FAULT:` and its letter.
Last, if you were shown several, write one line `BEST: ` and the letter of the one that a reader is served best by."""

_SHORT_ATTACK = """\
Does one of these lose, add or change a fact? Write:
TARGET: the letter
CLAIM: what is wrong
CITE: path:line: the line that is wrong
If none does write NO FAULT. Last write BEST: and the letter of the best one."""

REWRITING = Wording(
    opening="Rewrite the passage below. Its meaning and every fact in it stay.",
    unassigned="Rewrite the passage below so that it reads better. Its meaning and every fact in it stay.",
    failing="",
    reasoning=_VOICES,
    limits="",
    whole=_VOICES,
    try_again="That version was faulty. Write another one.",
    nobody="Nobody has written a version that can be taken. Write one.",
    attack=_ATTACK,
    short_attack=_SHORT_ATTACK,
)

_FORM = """\
{voice}

{passage}

Change prose only: code, code in fences, links, names and options stay as they are, and so do indentation and comment
marks at the start of lines. Keep the language it is written in. Write the whole new passage, from its first line to
its last, between these two lines, and nothing after them:

<<<<<<< TEXT {sentinel}
the new passage
>>>>>>> TEXT {sentinel}"""


_SHORT_FORM = """\
{voice}

{passage}

Reply with the new passage in one code block and nothing else: its own lines only, not the code around it. Keep
indentation, quotation marks and comment marks at the start of lines."""


def short_passage_form(passage: str, *, style: int, quoting: Quoting) -> str:
    """Return the same for a small model: few words, the passage in a plain fence."""
    return _SHORT_FORM.format(voice=_VOICES[style % len(_VOICES)], passage=quoting.code(passage))


def passage_form(passage: str, place: str, *, style: int, sentinel: str, quoting: Quoting) -> str:
    """Return how a passage is to be rewritten; `place` says where it stands."""
    return _FORM.format(
        voice=_VOICES[style % len(_VOICES)],
        passage=quoting.block(f"the passage: {place}", passage),
        sentinel=sentinel,
    )
