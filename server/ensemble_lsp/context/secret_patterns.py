"""How secrets look: detect-secrets' detectors, chosen one by one, and patterns of our own.

detect-secrets' scanner works line by line through global settings, baselines and filters, and can verify a
secret over the network. Here only its detectors' regular expressions are used, over whole texts: nothing is
read from a settings file, nothing is sent. Sources of the other formats: the providers' documentation of
their key prefixes.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.jwt import JwtTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

Span = tuple[int, int, str]
"""Start and end offset (code points) and the kind of secret."""


def _always(_found: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """One format. `needles`: without one of these (lower case) in the text, nothing can match."""

    kind: str
    expression: re.Pattern[str]
    needles: tuple[str, ...]
    groups: bool = False
    """Whether the secret is the first group that took part, else the whole match."""
    accept: Callable[[str], bool] = _always
    apart: bool = False
    """Whether no letter or digit may stand before it (checked after the match: a look-behind is slow)."""

    def spans(self, text: str, lowered: str) -> Iterator[Span]:
        """Yield where the secret stands in `text`; `lowered` is the text in lower case."""
        if not any(needle in lowered for needle in self.needles):
            return
        for match in self.expression.finditer(text):
            group = next((n for n, found in enumerate(match.groups(), 1) if found), 0) if self.groups else 0
            start, end = match.span(group)
            if self.apart and start > 0 and text[start - 1].isalnum():
                continue
            if end > start and self.accept(match.group(group)):
                yield start, end, self.kind


# Detector, needles, whether a group is the secret. Not taken: Artifactory and public IPs (too many innocent
# words), basic auth, private keys, keywords and entropy (below and in `secret_literals`, with exact places),
# npm and OpenAI (quadratic on crafted lines; own patterns cover them).
_DETECTORS: tuple[tuple[RegexBasedDetector, tuple[str, ...], bool], ...] = (
    (AWSKeyDetector(), ("akia", "asia", "abia", "acca", "a3t", "aws"), True),
    (AzureStorageKeyDetector(), ("accountkey=",), False),
    (CloudantDetector(), ("cloudant",), True),
    (DiscordBotTokenDetector(), (".",), False),
    (GitHubTokenDetector(), ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), False),
    (
        GitLabTokenDetector(),
        (
            "glpat-",
            "gldt-",
            "glft-",
            "glsoat-",
            "glrt-",
            "gr1348941",
            "glcbt-",
            "glimt-",
            "glptt-",
            "glagent-",
            "gloas-",
        ),
        False,
    ),
    (IbmCloudIamDetector(), ("ibm",), True),
    (IbmCosHmacDetector(), ("ibm", "cos_hmac", "cos-hmac"), True),
    (MailchimpDetector(), ("-us",), False),
    (PypiTokenDetector(), ("pypi-",), False),
    (SendGridDetector(), ("sg.",), False),
    (SlackDetector(), ("xox", "hooks.slack.com"), False),
    (SoftlayerDetector(), ("softlayer",), True),
    (SquareOAuthDetector(), ("sq0csp-",), False),
    (StripeDetector(), ("k_live_",), False),
    (TelegramBotTokenDetector(), (":",), False),
    (TwilioKeyDetector(), ("ac", "sk"), False),
)


_WORDS = re.compile(r"[A-Za-z]+\d{0,2}(?:[_.-][A-Za-z]*\d{0,2})*")


def _unlike_words(found: str) -> bool:
    return any(character.isdigit() for character in found) and not _WORDS.fullmatch(found)


def _not_repeated(found: str) -> bool:
    """Whether it is more than a prefix and one character again and again, as in documentation."""
    return len(set(found[-16:].lower())) > 2


def _jwt_valid(found: str) -> bool:
    return JwtTokenDetector.is_formally_valid(found)


_PLACEHOLDER_WORDS = re.compile(
    r"^(?:[x*.#_-]+|\W*(?:user(?:name)?|pass(?:word)?|pw|pwd|secret|token|redacted|hidden)\W*)$",
    re.IGNORECASE,
)


def _real_password(found: str) -> bool:
    """Whether a connection string's password is one: no variable, no template, no word that stands for one."""
    return not any(mark in found for mark in "${<%") and not _PLACEHOLDER_WORDS.match(found)


def _own(
    kind: str,
    expression: str,
    *needles: str,
    groups: bool = False,
    accept: Callable[[str], bool] = _always,
    flags: int = 0,
) -> SecretPattern:
    return SecretPattern(kind, re.compile(expression, flags), needles, groups, accept)


_OWN: tuple[SecretPattern, ...] = (
    _own("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{16,}", "sk-ant-"),
    _own("OpenRouter key", r"\bsk-or-(?:v1-)?[A-Za-z0-9_-]{16,}", "sk-or-"),
    _own("provider key", r"\bsk-(?:[a-z]+-){0,2}[A-Za-z0-9_-]{20,}", "sk-", accept=_unlike_words),
    _own("Stripe key", r"\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{10,}", "k_live_", "k_test_"),
    _own("Stripe webhook secret", r"\bwhsec_[0-9A-Za-z+/=]{24,}", "whsec_"),
    _own("GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{22,}", "github_pat_"),
    _own("GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{30,}", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _own("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}", "xox"),
    _own("Slack token", r"\bxapp-\d-[A-Za-z0-9-]{10,}", "xapp-"),
    _own("Google API key", r"\bAIza[0-9A-Za-z_-]{35}", "aiza"),
    _own("Google OAuth secret", r"\bGOCSPX-[0-9A-Za-z_-]{20,}", "gocspx-"),
    _own("Google OAuth token", r"\bya29\.[0-9A-Za-z_-]{20,}", "ya29."),
    _own("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,}", "hf_"),
    _own("Groq key", r"\bgsk_[A-Za-z0-9]{30,}", "gsk_"),
    _own("xAI key", r"\bxai-[A-Za-z0-9]{30,}", "xai-"),
    _own("Perplexity key", r"\bpplx-[A-Za-z0-9]{30,}", "pplx-"),
    _own("Replicate token", r"\br8_[A-Za-z0-9]{30,}", "r8_"),
    _own("npm token", r":_authToken[ \t]{0,9}=[ \t]{0,9}([^\s\"'${}]{8,400})", "_authtoken", groups=True),
    _own("npm token", r"\bnpm_[A-Za-z0-9]{36}", "npm_"),
    _own("PyPI token", r"\bpypi-[A-Za-z0-9_-]{40,}", "pypi-"),
    _own("DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{64}", "_v1_"),
    _own("Shopify token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}", "shp"),
    _own("Linear key", r"\blin_api_[A-Za-z0-9]{30,}", "lin_api_"),
    _own("Notion token", r"\b(?:secret|ntn)_[A-Za-z0-9]{40,}", "secret_", "ntn_"),
    _own("Vault token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.", "hvb.", "hvr."),
    _own("age key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}", "age-secret-key-"),
    _own(
        "Azure key",
        r"(?:SharedAccessKey|AccountKey)=([A-Za-z0-9+/=]{40,})",
        "accesskey=",
        "accountkey=",
        groups=True,
    ),
    _own("Azure SAS", r"[?&]sig=([A-Za-z0-9%+/=]{40,})", "sig=", groups=True),
    _own(
        "JWT",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_.+/=-]*)?",
        "eyj",
        accept=_jwt_valid,
    ),
    _own(
        "connection string",
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/?#\[\]@'\"`<>]{0,80}:([^\s/?#@'\"`<>]{2,200})@(?=[\w\[$\{(])",
        "://",
        groups=True,
        accept=_real_password,
    ),
    _own(
        "authorization header",
        r"\b(?:Bearer|Basic|token)[ \t]+([A-Za-z0-9_.~+/-]{20,}=*)",
        "bearer",
        "basic",
        "token",
        groups=True,
        accept=_unlike_words,
        flags=re.IGNORECASE,
    ),
)


def _of_detectors() -> Iterator[SecretPattern]:
    for detector, needles, in_group in _DETECTORS:
        for expression in cast("Iterable[re.Pattern[str]]", detector.denylist):
            in_first_group = in_group and expression.groups > 0
            yield SecretPattern(
                detector.secret_type,
                expression,
                needles,
                groups=in_first_group,
                accept=_not_repeated,
                apart=not in_first_group,
            )


PATTERNS: tuple[SecretPattern, ...] = (*_OWN, *_of_detectors())
"""All formats that are known by their own shape, wherever they stand."""

_KEY_MARK = re.compile(
    r"(?P<begin>-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d:)"
    r"|-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-MAC:"
)
_KEY_LENGTH = 40_000
"""Characters of a key's body at most; a 16,384-bit RSA key has about 13,000."""
_UNFINISHED = re.compile(
    r"(?:[\s\"'`+,\\]*(?:\\n)?[A-Za-z0-9+/=_-]{16,}[\"'`,+\\; \t]*(?:\\n)?[\"'`,+\\; \t]*\r?\n?){1,600}"
)
_ELIDED = re.compile(r"[nr]?(?:\\+[nr]|[Xx.*\s-])*")
_WRAPPING = " \t\f\"'`,+\\;()#*/"


def private_key_spans(text: str) -> Iterator[Span]:
    """Yield the bodies of private keys, one span per line, so that no line's number changes."""
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    marks = list(_KEY_MARK.finditer(text))
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        if not mark["begin"]:
            continue
        start = mark.end()
        stop = following.start() if following else len(text)
        if following is None or following["begin"] or stop - start > _KEY_LENGTH:
            # Cut off: what looks like the lines of a key.
            unfinished = _UNFINISHED.match(text, start, stop)
            stop = unfinished.end() if unfinished else start
        yield from _key_lines(text, start, stop)


def _key_lines(text: str, start: int, stop: int) -> Iterator[Span]:
    for line in re.finditer(r"[^\r\n]+", text[start:stop]):
        body = line.group().strip(_WRAPPING)
        if len(body) >= 2 and not _ELIDED.fullmatch(body):
            at = start + line.start() + line.group().index(body)
            yield at, at + len(body), "private key"
