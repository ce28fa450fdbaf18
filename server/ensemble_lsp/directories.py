"""Where the product keeps things, on this machine only."""

import os
from pathlib import Path
from typing import Literal, assert_never

_APPLICATION = "ensemble-lsp"


def state_directory() -> Path:
    """Jobs, transcripts, ledger, consent and trust; `ENSEMBLE_STATE_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_STATE_DIR")
    return Path(override) if override else _of_the_system("state")


def cache_directory() -> Path:
    """Model weights and what can be made again; `ENSEMBLE_CACHE_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_CACHE_DIR")
    return Path(override) if override else _of_the_system("cache")


def documents_directory() -> Path:
    """Diffs, explanations and transcripts that an editor opened as files."""
    return state_directory() / "documents"


def configuration_directory() -> Path:
    """The user's `config.toml`; `ENSEMBLE_CONFIG_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_CONFIG_DIR")
    return Path(override) if override else _of_the_system("config")


def policy_file() -> Path:
    """The organisation's policy, which can only tighten; `ENSEMBLE_POLICY_FILE` overrides it."""
    override = os.environ.get("ENSEMBLE_POLICY_FILE")
    return Path(override) if override else _of_the_system("policy") / "policy.toml"


def _of_the_system(what: Literal["state", "cache", "config", "policy"]) -> Path:
    # Imported where it is needed: it is a fiftieth of the language server's start.
    import platformdirs  # noqa: PLC0415

    match what:
        case "state":
            return platformdirs.user_state_path(_APPLICATION, appauthor=False)
        case "cache":
            return platformdirs.user_cache_path(_APPLICATION, appauthor=False)
        case "config":
            return platformdirs.user_config_path(_APPLICATION, appauthor=False)
        case "policy":
            return platformdirs.site_config_path(_APPLICATION)
        case _:
            assert_never(what)
