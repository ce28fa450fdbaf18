"""What is refused although it could be placed: placeholders for code, line numbers, lost characters."""

import re
from collections.abc import Callable, Sequence

from ensemble_lsp.core.matching import is_numbered
from ensemble_lsp.core.text import SourceText, Unwritable, added_surrogates

_COMMENT = re.compile(
    r"^(?:#|//+|/\*+|\{/\*|<!--|--|;+|%+|\*|\"{3}|'{3}|rem\b|\.\.\s)?[ \t]*(.*?)[ \t]*(?:\*/\}?|-->|\"{3}|'{3})?$",
    re.IGNORECASE,
)
_MARKED = re.compile(r"^(?:#|//|/\*|\{/\*|<!--|--|;|%|\*|\"{3}|'{3}|\.\.\.|…|\[|<|\()")
_ELLIPSIS = re.compile(r"^(?:\.{3,}|…)$")
_SPOKEN = (
    r"existing|rest|remaining|remainder|unchanged|same|omitted|previous|original|other|before|snip(?:ped)?|"
    r"truncated|elided|brevity|code|implementation|unmodified"
)
# "... existing code ...", "[rest of the file]", "<existing code>": dots or brackets and one telling word.
_DOTTED = re.compile(
    rf"^(?:\.{{2,}}|…|\[|<|\().*\b(?:{_SPOKEN})\b.*$|^.*\b(?:{_SPOKEN})\b.*(?:\.{{3,}}|…)$", re.IGNORECASE
)
_THING = (
    r"(?:code|function|method|class|file|module|body|implementation|logic|imports?|tests?|methods|functions|"
    r"classes|lines|content|script|component|program|definitions?)"
)
_STATE = (
    r"(?:(?:is|are|remains?|stays?|goes|continues)?\s*(?:the same|unchanged|as (?:is|before)|unmodified|here|"
    r"above|below|omitted(?: for brevity)?|same)?)"
)
_WHOLE_COMMENT = re.compile(
    rf"^(?:(?:the )?(?:rest|remainder) of (?:the |your |this )?(?:\w+ )?{_THING}\s*{_STATE}"
    rf"|(?:the |your )?(?:existing|previous|remaining|unchanged|original|other) (?:\w+ )?{_THING}\s*{_STATE}"
    r"|(?:code |everything (?:else )?)?(?:remains? |stays? )?(?:unchanged|same as (?:before|above|original))"
    r"|no changes?(?: (?:needed|here|required))?"
    r"|(?:code |rest )?omitted(?: for brevity)?|for brevity)\s*[.!:]?$",
    re.IGNORECASE,
)
_UNDECODED = re.compile("[\udc80-\udcff]")
_DECODED = re.compile("[\x80-\ud7ff\ue000-\U0010ffff]")
_CODE_PLACE = re.compile(r"^\s*(?:#|//|/\*|\*|<!--|--|;|%|pass\b|\.\.\.|…|$)")


def is_placeholder(line: str) -> bool:
    """Whether a line is a comment that stands for code ("... existing code ...", "rest unchanged").

    A comment that merely holds such words ("# keep the rest of the list sorted") is none.
    """
    text = line.strip()
    if not text or len(text) > 200 or not _MARKED.match(text):
        return False
    match = _COMMENT.match(text)
    said = match.group(1).strip() if match else text
    if not said or (said == text and not said.startswith(("...", "…", "[", "<", "("))):
        return False
    if said != text and _ELLIPSIS.match(said):
        return True
    if said == text and not re.match(
        r"^(?:\.{3,}|…)\s*\S|^[\[<](?:the )?(?:rest|existing|remaining|unchanged|previous|same)\b[^\])>]*[\])>]$",
        said,
        re.IGNORECASE,
    ):
        return False
    return bool(_DOTTED.match(said) or (said != text and _WHOLE_COMMENT.match(said)))


def placeholder_in(added: Sequence[str], removed: Sequence[str], known: Callable[[str], bool]) -> str | None:
    """Return the first added line that stands for code, unless it is `known`: the original file has the same.

    A bare `...` is one only where it takes the place of code: as the body of a stub it is Python.
    """
    takes_code = any(not _CODE_PLACE.match(line) for line in removed)
    for line in added:
        text = line.strip()
        bare = bool(_ELLIPSIS.match(text)) and takes_code
        if (bare or is_placeholder(line)) and not known(text):
            return text
    return None


def numbered_line_in(added: Sequence[str], original: Sequence[str]) -> str | None:
    """Return the first added line that kept the prefix of a numbered listing, where the file has none such."""
    numbered = [line for line in added if is_numbered(line)]
    if not numbered or any(is_numbered(line) for line in original):
        return None
    return numbered[0].strip()


def unwritable(added: Sequence[str], source: SourceText) -> str | None:
    """Return why the added lines cannot be written in the file's encoding, None when they can.

    A file that is neither UTF-8 nor says what it is takes no new characters beyond ASCII: which bytes they
    would be is a guess.
    """
    text = "\n".join(added)
    if text.isascii():
        return None
    surrogate = added_surrogates(text, source.text)
    if surrogate:
        return str(Unwritable(source.encoding, surrogate))
    try:
        source.with_text(text).to_bytes_for_a_file()
    except Unwritable as problem:
        return str(problem)
    if source.encoding == "utf-8" and _UNDECODED.search(source.text):
        if "\ufffd" in text:
            return "a byte that does not decode would become U+FFFD"
        if not _DECODED.search(source.text):
            return "the file is not UTF-8 and does not say what it is, so it takes no characters beyond ASCII"
    return None
