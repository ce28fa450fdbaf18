"""Who sits: the panel of one job, the gateway that calls it, and the person's word before anything leaves."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.errors import ConsentRequired, NoModelReachable
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.engine.client import ConsentAsker
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, PanelDescription, PanelSeat
from ensemble_lsp.models.discovery import find_panel
from ensemble_lsp.models.embedded import EmbeddedModels
from ensemble_lsp.models.families import PROVIDERS
from ensemble_lsp.models.gateway import Gateway
from ensemble_lsp.models.litellm_calls import warm
from ensemble_lsp.models.weights import DownloadOffer
from ensemble_lsp.settings import EmbeddedTable
from ensemble_lsp.settings_sources import LoadedSettings
from ensemble_lsp.store.cache import NoReplies, StoredReplies
from ensemble_lsp.store.consent import ConsentStore
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.outcomes import OutcomeStore

EMBEDDED = "embedded/"

MEGABYTE = 1_000_000

PROGRESS_STEP = 5
"""Percent of a download between two lines about it."""


@dataclass(frozen=True, slots=True)
class Seated:
    """The panel of one job and the gateway that calls its members."""

    panel: Panel
    gateway: Gateway


@dataclass(slots=True)
class _Voice:
    """Who is asked and told while the embedded model is fetched: the job that needs it at the time."""

    workspace: Path = Path()
    ask: ConsentAsker | None = None
    say: Callable[[str], None] | None = None
    told_percent: int = -PROGRESS_STEP


class Seating:
    """All gateways of one engine process, one per configuration of the embedded model and kind of cache."""

    def __init__(self, database: Database, consent: ConsentStore, outcomes: OutcomeStore) -> None:
        self._database = database
        self._consent = consent
        self._outcomes = outcomes
        self._replies = StoredReplies(database)
        self._embedded: dict[EmbeddedTable, EmbeddedModels] = {}
        self._gateways: dict[tuple[EmbeddedTable, bool], Gateway] = {}
        self._voice = _Voice()

    async def warm(self) -> None:
        """Import litellm and pay the costs of its first call, in a thread, where a provider's key is at hand.

        Without one perhaps nobody needs it: whoever does then pays with the first call.
        """
        names = [name for provider in PROVIDERS for name in provider.variables]
        if any(os.environ.get(name, "").strip() for name in names):
            await asyncio.to_thread(warm)

    async def close(self) -> None:
        """End the embedded models' processes."""
        for gateway in self._gateways.values():
            await gateway.close()
        for embedded in self._embedded.values():
            await embedded.stop()

    async def seat(
        self,
        loaded: LoadedSettings,
        options: JobOptions,
        action: Action,
        language: str,
        *,
        workspace: Path,
        ask: ConsentAsker,
        say: Callable[[str], None],
    ) -> Seated:
        """Find the panel, ask for consent, and make sure that an embedded member can answer.

        Raises `NoModelReachable`, `ConsentRequired`, `WeightsUnavailable` or `ConfigurationError`.
        """
        panel, _ = await self._panel(loaded, options, action, language, keep=True)
        await self._agree(panel, loaded, workspace, ask)
        keep = loaded.settings.store.replies and not options.no_cache
        gateway = self._gateway(loaded.settings.embedded, keep=keep)
        self._voice = _Voice(workspace, ask, say)
        names = {member.model.removeprefix(EMBEDDED) for member in panel.members if _is_embedded(member)}
        for name in sorted(names):
            embedded = self._embedded_models(loaded.settings.embedded)
            if embedded.ready(name):
                say(f"starting the embedded model {name}")
            await embedded.base_url(name)
        return Seated(panel, gateway)

    async def describe(
        self, loaded: LoadedSettings, options: JobOptions, spent_today: float
    ) -> PanelDescription:
        """Say who would sit, why, at what price; the anchor is that of a fix."""
        panel, why = await self._panel(loaded, options, Action.FIX, "", keep=False)
        seats = [_seat(panel, member, why) for member in panel.members]
        if panel.strong is not None and panel.strong not in panel.members:
            seats.append(_seat(panel, panel.strong, why))
        return PanelDescription(
            seats=tuple(seats),
            notes=(*panel.notes, *loaded.notices),
            spent_today_usd=spent_today,
            day_usd=loaded.settings.budget.day_usd,
        )

    def describe_embedded(self) -> str:
        """Say whether the embedded model could answer, and with which weights."""
        table = EmbeddedTable()
        if not EmbeddedModels.available():
            return 'not installed: pip install "ensemble-lsp[embedded]"'
        here = self._embedded_models(table).ready(table.model)
        return f"{table.model}, {'weights are here' if here else 'weights are fetched on first use, after asking'}"

    async def _panel(
        self, loaded: LoadedSettings, options: JobOptions, action: Action, language: str, *, keep: bool
    ) -> tuple[Panel, str]:
        """Return the panel with its anchor, and why it is that one; `keep`: a learned one holds the place."""
        panel = await self._allowed(loaded, options)
        if loaded.settings.anchor == panel.anchor:
            return panel, "anchor by your settings"
        learned = await self._outcomes.reliabilities()
        ids = [member.id for member in panel.members]
        choice = await self._outcomes.anchor(learned, ids, action.value, language, keep=keep)
        if not choice.outcomes:
            return panel, ""
        count = round(choice.outcomes)
        why = f"anchor: learned from {counted(count, 'outcome')}"
        return panel.model_copy(update={"anchor": choice.member}), why

    async def _allowed(self, loaded: LoadedSettings, options: JobOptions) -> Panel:
        """Return who is found and allowed by the organisation's policy."""
        panel = await find_panel(
            loaded.settings,
            os.environ,
            requested=options.panel,
            local_only=loaded.settings.local or options.local,
            embedded_available=EmbeddedModels.available(),
        )
        allowed = tuple(member for member in panel.members if loaded.policy.allows(member.recipient))
        strong = panel.strong if panel.strong and loaded.policy.allows(panel.strong.recipient) else None
        if len(allowed) == len(panel.members) and strong == panel.strong:
            return panel
        if not allowed:
            raise NoModelReachable(
                "the organisation's policy allows none of the panel's recipients",
                hint="ask who keeps the policy, or use --local",
            )
        everyone = (*panel.members, *((panel.strong,) if panel.strong else ()))
        left = sorted({each.recipient for each in everyone if not loaded.policy.allows(each.recipient)})
        anchor = panel.anchor if panel.anchor in {member.id for member in allowed} else allowed[0].id
        note = f"left out by the organisation's policy: {', '.join(left)}"
        return panel.model_copy(
            update={"members": allowed, "anchor": anchor, "strong": strong, "notes": (*panel.notes, note)}
        )

    async def _agree(self, panel: Panel, loaded: LoadedSettings, workspace: Path, ask: ConsentAsker) -> None:
        everyone = (*panel.members, *((panel.strong,) if panel.strong else ()))
        recipients = sorted({member.recipient for member in everyone if member.recipient})
        missing = await self._consent.missing(recipients, workspace)
        if not missing:
            return
        budget = loaded.settings.budget
        question = ConsentQuestion(
            workspace=str(workspace),
            kind="send",
            recipients=missing,
            text=(
                f"Send the code in question, related excerpts of this workspace and what it imports, and the "
                f"output of its checks (secrets taken out) to {', '.join(missing)}? "
                f"At most ${budget.usd:.2f} a job and ${budget.day_usd:.2f} a day."
            ),
        )
        if not await ask(question):
            raise ConsentRequired(
                f"nothing was sent: nobody agreed to send code to {', '.join(missing)}",
                recipients=missing,
                hint="agree when asked, choose other members with --panel, or use --local",
            )
        await self._consent.grant(missing)

    def _embedded_models(self, table: EmbeddedTable) -> EmbeddedModels:
        key = table.model_copy(update={"members": 1})
        if key not in self._embedded:
            self._embedded[key] = EmbeddedModels(
                table, consent=self._may_download, progress=self._downloading, say=self._tell
            )
        return self._embedded[key]

    def _gateway(self, table: EmbeddedTable, *, keep: bool) -> Gateway:
        key = (table.model_copy(update={"members": 1}), keep)
        if key not in self._gateways:
            self._gateways[key] = Gateway(
                embedded=self._embedded_models(table), cache=self._replies if keep else NoReplies()
            )
        return self._gateways[key]

    async def _may_download(self, offer: DownloadOffer) -> bool:
        if await self._consent.may_download(offer.name):
            return True
        if self._voice.ask is None:
            return False
        question = ConsentQuestion(
            workspace=str(self._voice.workspace),
            kind="download",
            text=(
                f"Download {offer.title} ({offer.size / MEGABYTE:,.0f} MB, {offer.licence}) "
                f"from {' or '.join(offer.sources)}?"
            ),
        )
        if not await self._voice.ask(question):
            return False
        await self._consent.allow_download(offer.name)
        return True

    def _downloading(self, done: int, total: int) -> None:
        # Parts come in side by side and one may start again: only what is further than before is news.
        percent = 100 * done // max(1, total)
        if percent < self._voice.told_percent + PROGRESS_STEP:
            return
        self._voice.told_percent = percent
        self._tell(f"fetching the embedded model: {done / MEGABYTE:,.0f} of {total / MEGABYTE:,.0f} MB")

    def _tell(self, line: str) -> None:
        if self._voice.say is not None:
            self._voice.say(line)


def _is_embedded(member: Member) -> bool:
    return member.model.startswith(EMBEDDED)


def _seat(panel: Panel, member: Member, why_anchor: str) -> PanelSeat:
    if member.api_key_env:
        state = "is set" if os.environ.get(member.api_key_env) else "is missing"
        key = f"{member.api_key_env} {state}"
    else:
        key = "not needed"
    inside = member in panel.members
    is_anchor = inside and member.id == panel.anchor
    return PanelSeat(
        id=member.id,
        model=member.model,
        family=member.family,
        role="anchor" if is_anchor else "member" if inside else "strong",
        local=member.local,
        price_in=member.price_in,
        price_out=member.price_out,
        key=key,
        recipient=member.recipient,
        why="; ".join(part for part in (member.why, why_anchor if is_anchor else "") if part),
    )
