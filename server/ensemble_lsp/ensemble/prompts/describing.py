"""The words of writing a commit message that nobody has begun, from the change alone."""

import dataclasses

from ensemble_lsp.ensemble.prompts.rewriting import REWRITING

_VOICES = (
    "Say what the change does for whoever uses the code, then why, as far as the change shows it.",
    "Write it for a reader who goes through a hundred subjects: the subject alone must tell this change apart.",
    "Write it for a reviewer who will compare every word with the change: claim nothing that it does not show.",
    "Write it as short as it can be: a subject alone, if that says it all.",
)
"""One per style."""

_FORM = """\
{voice}

First line: the subject, at most 60 characters, in the imperative ("Add …", "Fix …"), without a full stop. If the change
needs more than that: an empty line, then short paragraphs of lines of at most 72 characters. No list of the files, no
trailers, no numbers of issues, no praise.{reply}"""

_MARKED = """ Write the whole message between these two lines, and nothing after them:

<<<<<<< TEXT {sentinel}
the message
>>>>>>> TEXT {sentinel}"""

_FENCED = " Reply with the message in one code block and nothing else."

_ATTACK = """\
Compare each message with the change. A fault is something that it says and the change does not do, the main point of
the change that is missing, an instruction of the person that was not followed, or a subject that could stand over
another change as well. For every real fault write:

TARGET: the letter
CLAIM: what is wrong, in one sentence
CITE: path:line: the line of the change, or of the message, that shows it

For a message without a fault write `NO FAULT:` and its letter.
Last, if you were shown several, write one line `BEST: ` and the letter of the one that serves a later reader best."""

_SHORT_ATTACK = """\
Does one of these messages say something that the change does not do? Write:
TARGET: the letter
CLAIM: what is wrong
CITE: path:line: the line that is wrong
If none does write NO FAULT. Last write BEST: and the letter of the best one."""

DESCRIBING = dataclasses.replace(
    REWRITING,
    opening="Write the message of the commit that makes the change above.",
    unassigned="Write the message of the commit that makes the change above.",
    reasoning=_VOICES,
    whole=_VOICES,
    try_again="That message was faulty. Write another one.",
    nobody="Nobody has written a message that can be taken. Write one.",
    attack=_ATTACK,
    short_attack=_SHORT_ATTACK,
)


def short_message_form(*, style: int) -> str:
    """Return how a small model is to write the message: in a plain fence."""
    return _FORM.format(voice=_VOICES[style % len(_VOICES)], reply=_FENCED)


def message_form(*, style: int, sentinel: str) -> str:
    """Return how the message is to be written: between two lines."""
    return _FORM.format(voice=_VOICES[style % len(_VOICES)], reply=_MARKED.format(sentinel=sentinel))
