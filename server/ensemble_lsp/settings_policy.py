"""An organisation's policy: it stands above everybody's settings and can only tighten them."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ensemble_lsp.core.budget import Limits
from ensemble_lsp.settings import Settings
from ensemble_lsp.settings_files import read_toml, validate

N = TypeVar("N", int, float)


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PolicyCaps(_Table):
    """Caps that nobody can raise."""

    usd: float | None = Field(default=None, ge=0, description="USD per job at most.")
    seconds: float | None = Field(default=None, ge=0, description="Seconds per job at most.")
    calls: int | None = Field(default=None, ge=0, description="Calls per job at most.")
    day_usd: float | None = Field(default=None, ge=0, description="USD per person and day at most.")


class Policy(_Table):
    """What `policy.toml` may say; what is not said leaves settings as they are."""

    recipients: tuple[str, ...] | None = Field(
        default=None,
        description="Providers and hosts that may get code, `*` standing for any characters; others are "
        "never asked. An empty list allows none.",
    )
    local: bool = Field(default=False, description="`true`: nothing but this machine.")
    transcripts: bool = Field(
        default=True, description="`false`: neither transcripts nor models' answers are kept."
    )
    sandbox: Literal["required", "ask"] = Field(
        default="ask", description="`required`: no code runs where no sandbox can be enforced."
    )
    caps: PolicyCaps = Field(default=PolicyCaps(), description="Caps that nobody can raise.")

    def allows(self, recipient: str) -> bool:
        """Return whether code may go to a recipient; the empty one is this machine.

        Compared without case, as `Member.recipient` names it: a provider or a host.
        """
        if not recipient:
            return True
        if self.local:
            return False
        if self.recipients is None:
            return True
        name = recipient.casefold()
        return any(fnmatchcase(name, pattern.casefold()) for pattern in self.recipients)

    def limits(self, limits: Limits) -> Limits:
        """Return the limits of one job, none above the caps; for those that come with a command."""
        return Limits(
            usd=_least(limits.usd, self.caps.usd),
            seconds=_least(limits.seconds, self.caps.seconds),
            calls=_least(limits.calls, self.caps.calls),
        )

    def day_usd(self, usd: float | None) -> float | None:
        """Return the day's cap, not above the policy's."""
        return _least(usd, self.caps.day_usd)

    def tightened(self, settings: Settings) -> tuple[Settings, dict[str, object]]:
        """Return the settings as the policy leaves them, and what it changed: dotted key → new value."""
        wanted: dict[str, object] = {
            "local": settings.local or self.local or self.recipients == (),
            "store.transcripts": settings.store.transcripts and self.transcripts,
            "store.replies": settings.store.replies and self.transcripts,
            "execution.sandbox": "required" if self.sandbox == "required" else settings.execution.sandbox,
            "budget.usd": _least(settings.budget.usd, self.caps.usd),
            "budget.seconds": _least(settings.budget.seconds, self.caps.seconds),
            "budget.calls": _least(settings.budget.calls, self.caps.calls),
            "budget.day_usd": _least(settings.budget.day_usd, self.caps.day_usd),
        }
        values = settings.model_dump()
        changed: dict[str, object] = {}
        for key, value in wanted.items():
            table, _, name = key.rpartition(".")
            place = values[table] if table else values
            if place[name] != value:
                place[name] = value
                changed[key] = value
        return Settings.model_validate(values), changed


def load_policy(path: Path) -> Policy:
    """Read the policy; an absent file allows everything.

    A file that is there and cannot be read or understood raises `ConfigurationError`: a policy is never
    skipped.
    """
    source = read_toml(path)
    return Policy() if source is None else validate(Policy, source.values, source)


def _least(value: N | None, cap: N | None) -> N | None:
    """Return the smaller; None is no cap."""
    if value is None or cap is None:
        return cap if value is None else value
    return min(value, cap)
