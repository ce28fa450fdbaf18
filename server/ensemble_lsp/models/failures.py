"""Providers' failures as errors of our tree: what happened, to whom, and what to do next. No key gets through."""

import re
from collections.abc import Sequence

from ensemble_lsp.core.errors import (
    AuthenticationFailed,
    ContextOverflow,
    ModelError,
    ModelTimeout,
    ModelUnavailable,
    RateLimited,
    Refused,
    UnknownModel,
)
from ensemble_lsp.core.panel import Member
from ensemble_lsp.models.calls import CallFailure, FailureKind

_LONGEST = 400
"""Characters of a provider's own words that are kept."""

_KEY_LIKE = re.compile(
    r"""(?ix)
    \b(?: (?:sk|pk|rk|xai|gsk|csk|fw|tgp|pplx|key|org|proj|hf|nvapi) [-_] [a-z0-9*._\-]{6,}  # prefixed keys
        | AIza [a-z0-9_\-]{10,}                                                   # Google
        | AKIA [a-z0-9]{12,}                                                      # AWS
        | eyJ [a-z0-9_\-]{8,} (?:\.[a-z0-9_\-]+)*                                 # JSON web tokens
    )
    | (?<=bearer\s) [a-z0-9._~+/=\-]{6,}
    | (?<=key=) [^\s&"']{4,}
    | (?<=key:\s) [^\s"',]{6,}
    | (?<=provided:\s) [^\s"',]{4,}
    | \b (?=[a-z0-9_\-]*[0-9]) (?=[a-z0-9_\-]*[a-z]) [a-z0-9_\-]{32,} \b          # long random words
    """
)
_WRAPPERS = re.compile(r"^(?:litellm\.)?(?:\w+(?:Error|Exception)(?: -|:)\s*)+")


class SchemaRejected(ModelError):
    """The provider refuses the JSON schema itself; the same question can be asked with it in the prompt."""


def scrub(text: str, secrets: Sequence[str] = ()) -> str:
    """Return the text without `secrets`, without anything that looks like a key, and on one line."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "[key]")
    return " ".join(_KEY_LIKE.sub("[key]", text).split())


def model_error(
    failure: CallFailure, member: Member, *, secrets: Sequence[str] = (), with_schema: bool = False
) -> ModelError:
    """Return the error of our tree for a failed call of `member`."""
    said = _said(failure.message, secrets)
    who = member.id
    match failure.kind:
        case FailureKind.AUTHENTICATION:
            return AuthenticationFailed(f"{who}: {said}", member=who, hint=_key_hint(member))
        case FailureKind.NO_CREDIT:
            return AuthenticationFailed(
                f"{who}: no credit left: {said}",
                member=who,
                hint=f"add credit at {member.recipient or 'the provider'}, or choose others with --panel",
            )
        case FailureKind.UNKNOWN_MODEL:
            return UnknownModel(
                f"{who}: {member.model} is not known there: {said}", member=who, hint=_name_hint(member)
            )
        case FailureKind.RATE_LIMITED:
            return RateLimited(
                f"{who}: too many requests: {said}",
                member=who,
                retry_after=failure.retry_after,
                hint="wait a little, or choose other members with --panel",
            )
        case FailureKind.TIMEOUT:
            return timed_out(member, None)
        case FailureKind.CONTEXT:
            return ContextOverflow(
                f"{who}: the prompt does not fit: {said}",
                member=who,
                hint="select less code, lower context.max_tokens, or choose a member with a larger context",
            )
        case FailureKind.REFUSED:
            return Refused(
                f"{who}: declined: {said}", member=who, hint="reword the instruction, or ask another member"
            )
        case FailureKind.BAD_REQUEST:
            if with_schema and re.search(
                r"response_format|json_schema|schema|grammar|format", said, re.IGNORECASE
            ):
                return SchemaRejected(f"{who}: refuses the schema: {said}", member=who)
            return ModelError(
                f"{who}: the request was refused: {said}",
                member=who,
                hint="check the member's model, api_base and limits in the settings",
            )
        case FailureKind.UNREACHABLE:
            return ModelUnavailable(
                f"{who}: nothing answers at {_where(member)}", member=who, hint=_start_hint(member)
            )
        case FailureKind.OVERLOADED | FailureKind.BROKEN:
            return ModelUnavailable(
                f"{who}: {_where(member)} failed: {said}",
                member=who,
                hint="try again; if it stays, choose other members with --panel",
            )


def timed_out(member: Member, seconds: float | None) -> ModelTimeout:
    """Return the error for a call that took longer than it may."""
    within = "in time" if seconds is None else f"within {seconds:.0f} s"
    hint = "allow more time with --seconds"
    if member.local:
        hint += ", or use a smaller local model"
    return ModelTimeout(f"{member.id}: no complete answer {within}", member=member.id, hint=hint)


def missing_key(member: Member) -> AuthenticationFailed:
    """Return the error for a member whose key is not in the environment."""
    return AuthenticationFailed(
        f"{member.id}: no key for {member.recipient or member.model}",
        member=member.id,
        hint=_key_hint(member),
    )


def _said(message: str, secrets: Sequence[str]) -> str:
    text = _WRAPPERS.sub("", scrub(message, secrets)).strip()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _where(member: Member) -> str:
    return member.api_base or member.recipient or member.model


def _key_hint(member: Member) -> str:
    if member.api_key_env:
        return f"set the environment variable {member.api_key_env} to a valid key"
    return f"name the variable that holds the key: api_key_env in the [[panel]] table of {member.id}"


def _name_hint(member: Member) -> str:
    if member.model.startswith(("ollama_chat/", "ollama/")):
        return f"fetch it with: ollama pull {member.model.partition('/')[2]}"
    return "see what can sit with: ensemble-lsp panel; or name another model with --panel"


def _start_hint(member: Member) -> str:
    if member.model.startswith(("ollama_chat/", "ollama/")):
        return "start Ollama (ollama serve), or set OLLAMA_HOST"
    if member.local:
        return "start the local server, or correct api_base"
    return "check the network connection and api_base"
