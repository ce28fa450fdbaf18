"""The words of a security review, of an exploit test, and of the patch."""

from ensemble_lsp.core.results import Task
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.ensemble.prompts.attacking import importing
from ensemble_lsp.ensemble.prompts.quoting import Quoting
from ensemble_lsp.ensemble.prompts.shared import assignment
from ensemble_lsp.ensemble.prompts.wording import Wording

_ANGLES = (
    "Follow every value that comes from outside (arguments, files, the network, the environment) to where it is used.",
    "Look at each call that starts a process, builds a query or a path, parses, deserialises or renders.",
    "Ask who may call this, with which rights, and what an unauthenticated caller reaches.",
    "Look at secrets, randomness, hashes, certificates, permissions and temporary files.",
)
"""One per style: different wordings find different holes, also with the same model."""


def find_holes_task(task: Task, dossier: Dossier, quoting: Quoting, style: int, at_most: int) -> str:
    """Ask for security findings, blind."""
    opening = (
        "Task: review this code for security holes that somebody can use: injection, path traversal, unsafe "
        "deserialisation, broken access control, leaked secrets, weak cryptography, races with consequences. "
        "Nothing else: no style, no ordinary bugs, no hardening without an attack."
    )
    form = (
        f"Report at most {at_most} findings, the worst first; an empty list if there are none. Of each: path; line "
        "and end line; quote = the one source line it is about, copied exactly, without its number; severity = "
        "critical (an attacker gains something), warning, info or hint; category = the CWE id that fits best, as "
        "CWE-89; title = the hole in at most twelve words; detail = what an attacker sends, how it reaches the line, "
        "and what is gained; confidence = 0 to 1. Answer in JSON."
    )
    parts = (opening, assignment(task, dossier, quoting), _ANGLES[style % len(_ANGLES)], form)
    return "\n\n".join(part for part in parts if part)


def exploit_task(hole: str, quoting: Quoting, path: str) -> str:
    """Ask for a test that shows whether a hole can be used."""
    return "\n\n".join(
        (
            "Task: show whether this hole can be used.",
            quoting.block("the hole", hole),
            (
                "Write one pytest module in one code block and nothing else. Its one test plays the attacker with a "
                "harmless payload (a file in tmp_path, a value in memory) and asserts that the attack did not work: "
                "it fails on code that has the hole and passes on code that is safe, whatever way it was made safe "
                "(an exception counts as safe: catch it). No network, no real commands beyond `echo` and `touch`. "
                f"{importing(path)}"
            ),
        )
    )


_REASONING = (
    "Say in two or three sentences how the attack works and why your change ends it, then write the change.",
    "Name the value that the attacker controls and the line where it does harm. Then write the change.",
    "Write only the change, without explanation.",
    "Say which inputs that are used today must go on working. Then write the change.",
)

_WHOLE = (
    (
        "{name} has the security hole that is reported above. Write {name} without it in one code block and nothing "
        "else. What it does for honest input stays."
    ),
    (
        "Write {name} anew so that the reported attack fails and honest input works as before, in one code block and "
        "nothing else."
    ),
    (
        "Use the safe way of the library in place of the unsafe call in {name}. Write the whole {name} in one code "
        "block. Do not silence the tool with a comment."
    ),
    (
        "First name, in one sentence, the unsafe line of {name}. Then write the whole {name} with that line made "
        "safe, in one code block. Write nothing after it."
    ),
)

SECURING = Wording(
    opening="Close the security holes that are reported below. What the code does for honest input stays.",
    unassigned="Close the security holes in this code. What it does for honest input stays.",
    failing="This code has a security hole. This test shows it:",
    reasoning=_REASONING,
    limits="Change as little as it takes, no tests, and no comment that silences a tool.",
    whole=_WHOLE,
    try_again="That did not close it, or it broke something. Find another way.",
    nobody="Nobody has found a change that closes the holes and breaks nothing. Write one.",
)
