"""Secrets known by the name that they are assigned to, or by looking random: rules with care for innocents."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from ensemble_lsp.context.secret_patterns import Span

# Every repetition has a bound, here and in `secret_patterns`: a crafted line must not take for ever.
# The words are looked for first and the rest only around them: one expression for all is forty times slower.
_WORD = re.compile(
    r"(?P<strong>password|passwd|passphrase|passcode|pwd|contrase[nñ]a|secrets?(?![a-z_-]))"
    r"|(?P<weak>secret|token|credential|api[_-]?key|(?<![a-z])(?:auth|pass)(?![a-z])|(?-i:(?<=[a-z])Pass(?![a-z]))"
    r"|(?:access|private|signing|encryption|account|service|client|master|session)[_-]?key)",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w.-]{0,40}\Z")
_ASSIGNMENT = re.compile(
    # The rest of the name, a closing quote or bracket, a type, an operator, the opening of a string.
    r"(?P<rest>[\w-]{0,40})[\"'`]?\]?[ \t]{0,20}(?::[ \t]{0,20}[A-Za-z_][\w\[\]. |]{0,30}?[ \t]{0,20}(?==))?"
    r"(?P<operator>:=|=>|===?|!==?|[=:,(])[ \t]{0,20}\(?[ \t]{0,20}[rbufRBUF@$]{0,2}"
    r"(?P<quote>[\"'`])(?P<value>[^\"'`\r\n]{4,400})(?P=quote)"
)
_UNQUOTED = re.compile(
    r"(?P<rest>[\w.-]{0,40})[ \t]{0,20}(?P<operator>[=:])[ \t]{0,20}"
    r"(?P<value>[^\s\"'`#;,][^\s\"'`#;,]{3,400})[ \t]{0,20}(?:[#;].*)?$",
    re.MULTILINE,
)
_LINE_BEFORE = re.compile(r"(?:^|[\r\n])[ \t]{0,20}(?:(?:export|set|ENV|ARG|-)[ \t]+)?[\w.-]{0,40}\Z")
_LITERAL = re.compile(r"(?P<quote>[\"'`])(?P<value>[A-Za-z0-9+/=_-]{24,400})(?P=quote)")
_ASSIGNED_BEFORE = re.compile(r"(?P<name>[^\r\n\"'`]*)[\"'`]?\]?[ \t]{0,20}[=:(][ \t]{0,20}[rbuRBU@]{0,2}\Z")
_CONTEXT = 90
"""Characters looked at before a literal."""

_CONFIGURATION = frozenset(
    {
        ".env", ".ini", ".cfg", ".conf", ".config", ".properties", ".yaml", ".yml", ".toml", ".sh", ".bash",
        ".zsh", ".fish", ".ps1", ".tf", ".hcl", ".txt", ".log", ".md", ".rst", "",
    }
)  # fmt: skip
_INNOCENT_NAMES = re.compile(
    r"hash|digest|checksum|integrity|sha\d|md5|etag|fingerprint|alphabet|charset|letters|digits|commit|revision|"
    r"public|uuid|guid|version|\bid\b|_id\b|[a-z]Id\b|_(?:name|type|field|url|path|file|folder|pattern|prefix)s?\b",
    re.IGNORECASE,
)
_WORDS_FOR_SECRETS = re.compile(
    r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credentials?|auth|cookie|session|salt|bearer|basic|"
    r"string|str|text|hidden|none|null|nil|true|false|undefined|required|optional|unset|empty|example|changeme|"
    r"redacted|placeholder|your|insert|todo|dummy|test|foo|bar|baz|abc|value|name|field|type|id|user|new|old|"
    r"current|confirm|reset|forgot|invalid|wrong|missing|my|the|x|api|aws|access|client|private|public|bad|some)s?",
    re.IGNORECASE,
)
_SPLIT = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TEMPLATE = re.compile(r"[{}<>$%]|\.\.\.|\*\*\*|xxx+|\(\?|\\[swdbv]|\[\^|^\w+://", re.IGNORECASE)
_ADDRESS = re.compile(r"[\w-]\.[A-Za-z]{2,}(?::\d+|/|$)|^\w+[+:]")
_QUOTED_REFERENCE = re.compile(
    r"\.[A-Za-z-]+|[./~]?[\w-]+(?:[./][\w-]+)+|[a-z]+(?:[_-][a-z]+)+|[A-Z]+(?:_[A-Z]+)+"
)
_UNQUOTED_REFERENCE = re.compile(r"[A-Za-z_][\w.]*\(.*|[a-z_]+(?:\.[a-z_]+)+|/[\w./-]+|[A-Z]+(?:_[A-Z]+)+")
_IDENTIFIER = re.compile(
    r"_*(?:[A-Za-z]+\d{0,2}|\d{1,2}[A-Za-z]+)(?:[_.-](?:[A-Za-z]*\d{0,2}|\d{1,2}[A-Za-z]+))+"
)
"""A name of several words, which may end in a digit or two: `enable_oauth2_auth`, `V0_API_KEY`."""
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f-]+")
_LETTERS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_SERIES = "0123456789abcdefghijklmnopqrstuvwxyz"


def literal_spans(path: str, text: str) -> Iterator[Span]:
    """Yield secrets of named literals, random-looking assigned ones, and `NAME=value` lines of settings."""
    file = PurePosixPath(path)
    name = file.name.lower()
    settings = file.suffix.lower() in _CONFIGURATION or name.startswith((".env", "dockerfile"))
    yield from _named_spans(text, settings)
    if not name.endswith((".lock", ".sum", "-lock.json", "-lock.yaml", ".snap", ".svg")):
        yield from _random_spans(text)


def _named_spans(text: str, settings: bool) -> Iterator[Span]:
    for word in _WORD.finditer(text):
        start = max(0, word.start() - _CONTEXT)
        before = text[start : word.start()]
        found = _ASSIGNMENT.match(text, word.end())
        quoted = found is not None
        if found is None and settings and _LINE_BEFORE.search(before):
            found = _UNQUOTED.match(text, word.end())
        if found is None:
            continue
        prefix = _NAME_BEFORE.search(before)
        name = (prefix.group() if prefix else "") + word.group() + found["rest"]
        if not _INNOCENT_NAMES.search(name) and _is_secret(found, strong=bool(word["strong"]), quoted=quoted):
            yield found.start("value"), found.end("value"), "assigned secret"


def _is_secret(found: re.Match[str], *, strong: bool, quoted: bool) -> bool:
    value = found["value"]
    if " " in value or _TEMPLATE.search(value):
        return False
    words = [word for word in _SPLIT.split(value) if word]
    if not words or all(_WORDS_FOR_SECRETS.fullmatch(word) for word in words):
        return False
    if (_QUOTED_REFERENCE if quoted else _UNQUOTED_REFERENCE).fullmatch(value):
        return False
    # A password may be one plain word; a token is none.
    unlike_a_name = len(value) >= 8 and _mixed(value) and not is_identifier(value)
    if found["operator"] in {",", "("}:
        # An argument after a word, not an assignment to it: only what can hardly be anything else.
        unlike_a_name = unlike_a_name and len(value) >= 10 and not _CONSTANT.fullmatch(value)
        return unlike_a_name and "\\" not in value and not _ADDRESS.search(value)
    return strong or unlike_a_name


def is_identifier(value: str) -> bool:
    """Whether a value is made of words as names are, digits only at a word's end or beginning."""
    return _IDENTIFIER.fullmatch(value) is not None


def _mixed(value: str) -> bool:
    """Whether there are digits among letters, and some variety."""
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and entropy(value) >= 2.5


def _random_spans(text: str) -> Iterator[Span]:
    for literal in _LITERAL.finditer(text):
        before = _ASSIGNED_BEFORE.search(text[max(0, literal.start() - _CONTEXT) : literal.start()])
        if before and not _INNOCENT_NAMES.search(before["name"]) and looks_random(literal["value"]):
            yield literal.start("value"), literal.end("value"), "high-entropy literal"


def entropy(value: str) -> float:
    """Return Shannon's entropy in bits per character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def looks_random(value: str) -> bool:
    """Whether a literal of base64's characters has all classes, no words in it, and high entropy.

    Hexadecimal literals do not count: they are hashes far more often than keys.
    """
    body = value.rstrip("=")
    digits = sum(c.isdigit() for c in body)
    upper = sum(c.isupper() for c in body)
    lower = sum(c.islower() for c in body)
    if digits < 2 or upper < 3 or lower < 3 or body.count("/") > len(body) / 12 + 1:
        return False
    if value.startswith(("sha1-", "sha256-", "sha384-", "sha512-", "md5-")) or _HEXADECIMAL.fullmatch(body):
        return False
    folded = value.lower()
    if any(_SERIES[i : i + 6] in folded for i in range(len(_SERIES) - 5)):
        return False
    runs = _LETTERS.findall(body)
    # Letters between changes of case: 2.1 in random text (3.2 in one of a hundred), 4 in names run together.
    # log2(24) = 4.58 bits is the most that 24 characters can have; random ones have about 4.2.
    return sum(map(len, runs)) <= 3.2 * len(runs) and entropy(body) >= 3.9
