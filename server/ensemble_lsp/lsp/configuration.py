"""The editor's settings, live: `initializationOptions.settings`, and `workspace/configuration` for each folder."""

import asyncio
import contextlib
import importlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from lsprotocol import types

if TYPE_CHECKING:
    from ensemble_lsp.lsp.server import EnsembleServer

_log = logging.getLogger(__name__)

SECTION = "ensemble"

WAIT_SECONDS = 2.0
"""How long a job waits for a client that was asked for settings and did not answer yet."""

MAXIMUM_FOLDERS = 64
"""Folders whose settings are asked for one by one; documents elsewhere get those of no folder in particular."""

Scope = Path | None
"""A workspace folder, or None for what holds everywhere."""


class Configuration:
    """What the editor says, by folder. A wrong value never takes the place of a good one.

    Jobs get a copy when they start, so that a change never reaches one that runs. Nothing waits for the client
    longer than `wait_seconds`.
    """

    def __init__(self, server: "EnsembleServer", *, wait_seconds: float = WAIT_SECONDS) -> None:
        self._server = server
        self._wait_seconds = wait_seconds
        self._given: Mapping[str, object] = {}
        self._initial: Mapping[str, object] | None = None
        self._scopes: dict[Scope, Mapping[str, object]] = {}
        self._said: set[str] = set()
        self._asked = 0
        self._settled = asyncio.Event()
        self._settled.set()

    # -- what comes in --------------------------------------------------------------------------------------

    def initialize(self, options: Mapping[str, object]) -> None:
        """Take `initializationOptions.settings`: the person's own, so that no trust is asked for."""
        self._given = _mapping(options.get("settings"))
        self._initial = None

    def initialized(self) -> None:
        """Ask for more where the client has more, and check what came with `initialize`."""
        self._server.in_background(self._check_initial())
        if self._server.view.configuration_registration:
            self._server.in_background(self._register())
        self.refresh()

    def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """The person changed settings: ask what they are now, or take what an old client sent along."""
        if self._server.view.configuration:
            self.refresh()
            return
        settings = cast("object", params.settings)
        section = (
            cast("Mapping[str, object]", settings).get(SECTION) if isinstance(settings, Mapping) else None
        )
        self._take(None, section)

    def refresh(self) -> None:
        """Ask the client anew, for every folder; answers to earlier questions do not count any more."""
        if not self._server.view.configuration:
            return
        self._asked += 1
        self._settled.clear()
        self._server.in_background(self._pull(self._asked))

    # -- what counts ----------------------------------------------------------------------------------------

    async def settled(self) -> None:
        """Wait until the client has answered, but not for one that does not."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._wait_seconds):
                await self._settled.wait()
        # Whoever did not answer once is not waited for again; the answer counts whenever it comes.
        self._settled.set()

    def settings_for(self, root: Path) -> dict[str, object]:
        """Return the section `ensemble` for a folder, nested, as jobs take it.

        What `workspace/configuration` says under a restricted key is left out where the folder is not trusted,
        since clients merge the values of user and workspace; the person is told which, once.
        """
        from ensemble_lsp.settings_editor import merged, nested, unrestricted  # noqa: PLC0415  (as below)

        told = self._scopes.get(root, self._scopes.get(None, {}))
        if not self._server.is_trusted(root):
            told, dropped = unrestricted(told)
            self._tell_dropped(root, dropped)
        return nested(merged(self._checked_initial(), told))

    # -- the rest -------------------------------------------------------------------------------------------

    async def _check_initial(self) -> None:
        # Beside the loop: the settings model takes a quarter of a second to build, when the editor is busiest.
        await asyncio.to_thread(importlib.import_module, "ensemble_lsp.settings_editor")
        self._checked_initial()

    def _checked_initial(self) -> Mapping[str, object]:
        from ensemble_lsp.settings_editor import checked  # noqa: PLC0415  (not at start: see above)

        if self._initial is None:
            taken = checked(self._given, {})
            self._initial = taken.values
            self._complain(taken.problems)
        return self._initial

    async def _register(self) -> None:
        registration = types.Registration(
            id="ensemble-configuration",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options=types.DidChangeConfigurationRegistrationOptions(section=SECTION),
        )
        await self._server.protocol.ask_client(
            types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration])
        )

    async def _pull(self, number: int) -> None:
        roots = self._server.folders.roots()
        scopes: list[tuple[Scope, str | None]] = [(None, None)]
        scopes += [(root, uri) for uri, root in tuple(roots.items())[:MAXIMUM_FOLDERS]]
        items = [types.ConfigurationItem(scope_uri=uri, section=SECTION) for _, uri in scopes]
        answer = await self._server.protocol.ask_client_for(
            types.WORKSPACE_CONFIGURATION, types.ConfigurationParams(items)
        )
        if number != self._asked:
            return
        if answer is not None:
            found = answer[0]
            if isinstance(found, Sequence) and not isinstance(found, str):
                values = cast("Sequence[object]", found)
                if len(values) == len(scopes):
                    for (scope, _), value in zip(scopes, values, strict=True):
                        self._take(scope, value)
                    self._forget_gone(roots.values())
                else:
                    _log.warning("the client answered %s settings for %s folders", len(values), len(scopes))
        self._settled.set()

    def _take(self, scope: Scope, received: object) -> None:
        from ensemble_lsp.settings_editor import NAME, checked, merged  # noqa: PLC0415

        if received is not None and not isinstance(received, Mapping):
            self._complain((f"{NAME}: {SECTION} must be an object; what was set before stays",))
            return
        before = merged(self._checked_initial(), self._scopes.get(scope, {}))
        taken = checked(_mapping(cast("object", received)), before)
        self._scopes[scope] = taken.values
        self._complain(taken.problems)

    def _forget_gone(self, roots: "Sequence[Path] | object") -> None:
        known = set(cast("Sequence[Path]", roots))
        self._scopes = {
            scope: told for scope, told in self._scopes.items() if scope is None or scope in known
        }

    def _tell_dropped(self, root: Path, dropped: Sequence[str]) -> None:
        if dropped:
            self._say_once(
                f"{', '.join(dropped)} from the editor's settings ignored, because {root} is not trusted"
            )

    def _complain(self, problems: Sequence[str]) -> None:
        for problem in problems:
            self._say_once(problem)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._server.say(types.MessageType.Warning, f"Ensemble: {text}")


def _mapping(value: object) -> Mapping[str, object]:
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else {}
