"""Members, families and the panel: who answers, and why they sit there."""

from collections.abc import Iterable
from enum import StrEnum

from pydantic import Field

from ensemble_lsp.core.errors import UnknownItem
from ensemble_lsp.core.frozen import Frozen


class EditFormat(StrEnum):
    """How a member is asked to write a change (see `core.replies` for what is read)."""

    SEARCH_REPLACE = "search-replace"
    WHOLE = "whole"


class Member(Frozen):
    """One model on the panel.

    Prices are US dollars per million tokens; 0 for local and embedded members, None when nobody knows.
    """

    id: str
    model: str
    """litellm's model string ("openai/gpt-5-mini"), or "embedded/NAME" or "scripted/NAME"."""
    family: str
    """The lineage whose mistakes correlate: vendor and base model."""
    api_base: str | None = None
    api_key_env: str | None = None
    """The *name* of the environment variable that holds the key; never the key."""
    edit_format: EditFormat = EditFormat.SEARCH_REPLACE
    price_in: float | None = None
    price_out: float | None = None
    context_tokens: int = 32_768
    max_output_tokens: int = 4_096
    temperature: float | None = None
    """None leaves the provider's default; some models refuse any other value."""
    style: int = 0
    """Which wording of the prompt this member gets; members of one family get different ones."""
    local: bool = False
    """Answers on this machine: nothing leaves it, nothing is paid."""
    recipient: str = ""
    """Who receives what is sent, for consent: a provider's name or a host; empty for local members."""
    structured: bool = True
    """Whether the model can be held to a JSON schema by its provider."""
    why: str = ""
    """Why it sits: shown by `ensemble-lsp panel`."""

    @property
    def is_small(self) -> bool:
        """Whether it is a small model on this machine: one that is asked for whole functions, not for blocks."""
        return self.local and self.edit_format is EditFormat.WHOLE


class Panel(Frozen):
    """The members of one job, the trusted one among them, and who is asked on escalation."""

    members: tuple[Member, ...] = Field(min_length=1)
    anchor: str
    strong: Member | None = None
    """May sit outside `members`; asked at most once, in `panel` mode, when the question stays open."""
    notes: tuple[str, ...] = ()
    """What a person should know: one family only, a local server that did not answer."""

    def member(self, member_id: str) -> Member:
        """Return the member (the strong one included); raises `UnknownItem`."""
        for member in (*self.members, *((self.strong,) if self.strong else ())):
            if member.id == member_id:
                return member
        raise UnknownItem(f"no member {member_id!r} on this panel", field="member")

    @property
    def families(self) -> frozenset[str]:
        """The distinct families among the members."""
        return frozenset(member.family for member in self.members)


def families_of(members: Iterable[Member]) -> tuple[str, ...]:
    """Return the distinct families, sorted."""
    return tuple(sorted({member.family for member in members}))
