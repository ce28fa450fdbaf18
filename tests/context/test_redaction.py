"""Secrets go out of a text and come back where their placeholders stand.

The samples are put together at run time: as literals they would look like leaked keys to scanners.
"""

import random
import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensemble_lsp.context.redaction import MARKER, Redactor

_RANDOM = random.Random(7)  # noqa: S311  (samples, the same ones each time)


def _random(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    # Ends and begins with what no rule trims.
    return "a7Z" + "".join(_RANDOM.choice(alphabet) for _ in range(length - 6)) + "Q9k"


_HEX = "0123456789abcdef"
_JWT = ".".join(
    ["eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0", _random(43)]
)

PROVIDER_KEYS: dict[str, str] = {
    "OpenAI": "sk-" + _random(48),
    "OpenAI project": "sk-" + "proj-" + _random(60),
    "Anthropic": "sk-" + "ant-api03-" + _random(80),
    "OpenRouter": "sk-" + "or-v1-" + _random(64, _HEX),
    "Stripe": "sk_" + "live_" + _random(24),
    "Stripe restricted": "rk_" + "live_" + _random(40),
    "GitHub": "ghp" + "_" + _random(36),
    "GitHub fine-grained": "github" + "_pat_" + _random(22) + "_" + _random(59),
    "GitLab": "glpat" + "-" + _random(20),
    "AWS id": "AKIA" + "IOSFODNN7ABCDEFG",
    "Slack bot": "xoxb" + "-" + "123456789012-1234567890123-" + _random(24),
    "Slack webhook": "https://hooks.slack" + ".com/services/T0000AAAA/B0000BBBB/" + _random(24),
    "Google": "AIza" + _random(35),
    "Google OAuth": "GOCSPX" + "-" + _random(28),
    "Hugging Face": "hf" + "_" + _random(34),
    "Groq": "gsk" + "_" + _random(52),
    "npm": "npm" + "_" + _random(36),
    "PyPI": "pypi" + "-AgEIcHlwaS5vcmc" + _random(80),
    "SendGrid": "SG" + "." + _random(22) + "." + _random(43),
    "Telegram": "1234567890" + ":" + _random(35),
    "Twilio": "SK" + _random(32, _HEX).lower(),
    "DigitalOcean": "dop" + "_v1_" + "".join(_RANDOM.choice(_HEX) for _ in range(64)),
    "Vault": "hvs" + "." + _random(24),
    "JWT": _JWT,
}


@pytest.mark.parametrize("provider", PROVIDER_KEYS)
@pytest.mark.parametrize(
    "frame", ["{}", "key = '{}'\n", "x({}, 1)", "see {} there", '{{"k": "{}"}}', "URL?k={}&b=1"]
)
def test_the_keys_of_providers_are_known_wherever_they_stand(provider: str, frame: str) -> None:
    secret = PROVIDER_KEYS[provider]
    text = frame.format(secret)
    redactor = Redactor()

    redacted = redactor.redact("a.py", text)

    assert secret not in redacted
    assert secret[4:-4] not in redacted
    assert redactor.restore(redacted) == text


@pytest.mark.parametrize(
    ("path", "text", "secret"),
    [
        ("a.py", "DB_PASSWORD = 'hunter2x'", "hunter2x"),
        ("a.py", 'password: str = "correct-horse7"', "correct-horse7"),
        ("a.py", "login(user, password='s3cr3tly')", "s3cr3tly"),
        ("a.py", "if password == 'letmein':", "letmein"),
        ("a.js", "const apiKey = 'a8f5f167f44f4964e6c998dee827110c';", "a8f5f167f44f4964e6c998dee827110c"),
        ("a.json", '{"client_secret": "9cf14d3aa0"}', "9cf14d3aa0"),
        ("a.go", 'dbPass := "n0tF0rY0u"', "n0tF0rY0u"),
        ("a.rb", "secret => 'kkk9dd8s7'", "kkk9dd8s7"),
        (".env.example", "API_TOKEN=abc123def456ghi", "abc123def456ghi"),
        ("c.yaml", "  password: hunter22  # old\n", "hunter22"),
        ("Dockerfile", "ENV ADMIN_PASSWORD=pw4docker\n", "pw4docker"),
        ("a.py", "url = 'postgres://app:Tr0ub4dor@db.example.com/x'", "Tr0ub4dor"),
        ("a.py", "u = 'redis://:longpassw0rd@localhost:6379'", "longpassw0rd"),
        ("a.py", "s = 'AccountName=x;AccountKey=" + "q8Zr" * 20 + "==;'", "q8Zr" * 20),
        ("a.py", "h = {'Authorization': 'Bearer abcdef0123456789abcdef01'}", "abcdef0123456789abcdef01"),
        ("a.py", "signer = 'Zx81kQpW7vNr2LmT5bYc9HdE'", "Zx81kQpW7vNr2LmT5bYc9HdE"),
    ],
)  # fmt: skip
def test_named_and_random_literals_are_known(path: str, text: str, secret: str) -> None:
    redactor = Redactor()

    redacted = redactor.redact(path, text)

    assert secret not in redacted
    assert redactor.restore(redacted) == text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "password = getpass('Password: ')"),
        ("a.py", "password = os.environ['DB_PASSWORD']"),
        ("a.py", 'parser.add_argument("--password", help="The password to use")'),
        ("a.py", "TOKEN_TYPE = 'bearer'"),
        ("a.py", 'token = "identifier"'),
        ("a.py", "password = 'password'"),
        ("a.py", "url = f'postgres://{user}:{password}@{host}/db'"),
        ("a.py", "sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'"),
        ("a.py", "commit = '5f6c1f0e8c2b7b6c1d2a3e4f5a6b7c8d9e0f1a2b'"),
        ("a.py", "ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'"),
        ("a.py", "name = 'getHTTPResponseCodeForUserAndGroup2'"),
        ("a.py", "path = 'src/main/resources/Templates2/Index3/File4.html'"),
        ("a.py", "id = '123e4567-e89b-12d3-a456-426614174000'"),
        ("package.json", '"integrity": "sha512-Zx81kQpW7vNr2LmT5bYc9HdEZx81kQpW7vNr2LmT5bYc9HdE"'),
        ("c.yaml", "password: ${DB_PASSWORD}\n"),
        ("c.yaml", "secretName: my-secret\n"),
        ("a.ts", "const passwordField = 'new-password';"),
        ("a.py", "bypass('newdomain.com:1234')"),
        ("a.py", "key = get_secret('AI21_API_KEY', 'V0_API_KEY')"),
        ("a.py", "auth_endpoint = 'https://api.example.com/v3/auth/token'"),
        ("a.py", "general.get('enable_auth', 'enable_oauth2_auth')"),
        ("a.py", "SECRET_FOLDERS = ('.ssh', '.aws')"),
        ("a.ts", "fetch(url, { credentials: 'include' });"),
        ("a.py", "if self.secrets_dir_missing == 'warn':"),
        ("a.py", "message = {'id': 'msg_013Zva2CMHLNnXjNJJKqJ2EF'}"),
        ("a.py", "load('HuggingFaceH4/zephyr-7b-beta')"),
        ("a.py", "SECRET = r'(?=[^\\v]*)(?:key|token)'"),
        ("a.js", "key = '-----BEGIN PRIVATE KEY-----\\nXXXX\\nXXXX\\n-----END PRIVATE KEY-----'"),
        ("a.py", "dna = 'TTAAACCAACCAACCATCTCTACCGGTTCGCTTTCACTGG'"),
        ("a.md", "Set the token with `--token`, or the password with `--password`.\n"),
    ],
)  # fmt: skip
def test_innocent_text_stays_as_it_is(path: str, text: str) -> None:
    assert Redactor().redact(path, text) == text


def test_one_secret_has_one_placeholder_in_all_texts_of_a_job() -> None:
    redactor = Redactor()
    secret = PROVIDER_KEYS["GitHub"]

    first = redactor.redact("a.py", f"a = '{secret}'")
    second = redactor.redact("b.py", f"# {secret}")

    assert first == f"a = '{MARKER}1'"
    assert second == f"# {MARKER}1"


def test_a_known_secret_is_taken_out_of_logs_where_no_rule_would_see_it() -> None:
    redactor = Redactor()
    redactor.redact("settings.py", "PASSWORD = 'tr0ub4dor'")

    assert redactor.redact("check log", "login failed for tr0ub4dor\n") == f"login failed for {MARKER}1\n"


def test_a_private_key_leaves_no_line_and_moves_no_line() -> None:
    body = "\n".join(_random(64) for _ in range(12)) + "\nQ9k="
    text = f"KEY = '''\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n'''\nx = 1\n"
    redactor = Redactor()

    redacted = redactor.redact("a.py", text)

    assert not any(line in redacted for line in body.splitlines())
    assert redacted.count("\n") == text.count("\n")
    assert redacted.splitlines()[-1] == "x = 1"
    assert redactor.restore(redacted) == text


@pytest.mark.parametrize(
    "header", ["EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]
)
def test_a_private_key_in_one_string_or_cut_off_is_taken_out(header: str) -> None:
    body = _random(64)
    inline = f'k = "-----BEGIN {header}-----\\n{body}\\n-----END {header}-----\\n"\n'
    cut_off = f"-----BEGIN {header}-----\n{body}\n"

    assert body not in Redactor().redact("a.py", inline)
    assert body not in Redactor().redact("a.py", cut_off)


def test_the_rest_of_a_key_longer_than_its_format_is_taken_out_too() -> None:
    secret = "sk_" + "live_" + _random(24) + "MORE5OFIT"

    assert "MORE5OFIT" not in Redactor().redact("a.py", f"'{secret}'")


def test_redactions_and_representations_never_hold_the_secret() -> None:
    redactor = Redactor()
    secret = PROVIDER_KEYS["Anthropic"]
    redactor.redact("src/a.py", f"x = 1\nk = '{secret}'\n")

    (redaction,) = redactor.redactions

    assert (redaction.path, redaction.line, redaction.kind) == ("src/a.py", 1, "Anthropic key")
    assert secret not in repr(redactor) + str(redactor) + repr(redactor.redactions)


def test_a_text_that_holds_a_placeholder_of_its_own_comes_back_unharmed() -> None:
    redactor = Redactor()
    text = f"a = '{MARKER}1' + '{PROVIDER_KEYS['GitHub']}'\n"

    redacted = redactor.redact("a.py", text)

    assert redactor.restore(redacted) == text


def test_threads_that_share_a_redactor_never_share_a_placeholder() -> None:
    redactor = Redactor()
    texts = [f"password = 'hunter{thread}x{n}'\n" for thread in range(4) for n in range(50)]

    def redact(text: str) -> str:
        return redactor.redact("a.py", text)

    with ThreadPoolExecutor(4) as pool:
        redacted = list(pool.map(redact, texts))

    assert len(set(redacted)) == len(texts)
    assert [redactor.restore(text) for text in redacted] == texts


def test_a_reply_without_the_placeholder_is_not_changed() -> None:
    redactor = Redactor()
    redactor.redact("a.py", f"k = '{PROVIDER_KEYS['GitHub']}'")
    reply = f"k = os.environ['KEY']  # {MARKER}99 and {MARKER}\n"

    assert redactor.restore(reply) == reply


_PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [*PROVIDER_KEYS.values(), "password = 'hunter2x'", "\r\n", "\r", "'", '"', " = ", "-----", "1"]
    ),
    st.sampled_from([MARKER, f"{MARKER}1", f"{MARKER}2", "ENSEMBLE_", "_REDACTED_", "a://b:cde@f", "\udcff"]),
)


@given(st.lists(_PIECES, max_size=14).map("".join), st.lists(_PIECES, max_size=6).map("".join))
@example(f"{MARKER}1{MARKER}2", f"'sk-{'a1' * 12}'{MARKER}1")
def test_restoring_gives_the_text_back(first: str, second: str) -> None:
    redactor = Redactor()

    redacted = [redactor.redact("a.yaml", first), redactor.redact("b.py", second)]

    assert [redactor.restore(text) for text in redacted] == [first, second]


@given(
    st.text(alphabet=" \n\t=:,.;'\"()[]{}<>#/&?!", max_size=30),
    st.sampled_from(sorted(PROVIDER_KEYS.values())),
    st.text(alphabet=" \n\t=:,;'\"()[]{}<>#&?!", max_size=30),
)
def test_no_known_format_survives_between_any_delimiters(before: str, secret: str, after: str) -> None:
    assert secret not in Redactor().redact("a.txt", before + secret + after)


@given(st.lists(_PIECES, max_size=12).map("".join))
def test_line_numbers_do_not_move(text: str) -> None:
    redacted = Redactor().redact("a.py", text)

    assert redacted.count("\n") == text.count("\n")
    assert redacted.count("\r") == text.count("\r")


def test_a_placeholder_was_taken_for_a_secret_when_the_text_around_it_was_quoted() -> None:
    redactor = Redactor()
    shown = redactor.redact("a.py", "DB_PASSWORD = 'hunter2x'\n")

    quoted = redactor.redact_quoted("quoted text", f"1| {shown}2| TOKEN = '{PROVIDER_KEYS['GitHub']}'\n")

    assert quoted == f"1| DB_PASSWORD = '{MARKER}1'\n2| TOKEN = '{MARKER}2'\n"
    assert redactor.restore(shown) == "DB_PASSWORD = 'hunter2x'\n"


@given(st.lists(_PIECES, max_size=14).map("".join))
def test_a_text_that_was_redacted_and_quoted_can_be_restored(text: str) -> None:
    redactor = Redactor()
    shown = redactor.redact("a.yaml", text)

    quoted = redactor.redact_quoted("quoted text", shown)

    assert redactor.restore(quoted) == text


def test_a_placeholder_that_nobody_handed_out_gets_one_of_its_own_when_it_is_quoted() -> None:
    redactor = Redactor()

    quoted = redactor.redact_quoted("instruction", f"what is {MARKER}1?")

    assert redactor.restore(quoted) == f"what is {MARKER}1?"
