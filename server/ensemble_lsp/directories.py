"""Where the product keeps things, on this machine only."""

import os
from pathlib import Path

import platformdirs

_APPLICATION = "ensemble-lsp"


def state_directory() -> Path:
    """Jobs, transcripts, ledger, consent and trust; `ENSEMBLE_STATE_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_STATE_DIR")
    return Path(override) if override else Path(platformdirs.user_state_path(_APPLICATION, appauthor=False))


def cache_directory() -> Path:
    """Model weights and what can be made again; `ENSEMBLE_CACHE_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_CACHE_DIR")
    return Path(override) if override else Path(platformdirs.user_cache_path(_APPLICATION, appauthor=False))


def configuration_directory() -> Path:
    """The user's `config.toml`; `ENSEMBLE_CONFIG_DIR` overrides it."""
    override = os.environ.get("ENSEMBLE_CONFIG_DIR")
    return Path(override) if override else Path(platformdirs.user_config_path(_APPLICATION, appauthor=False))


def policy_file() -> Path:
    """The organisation's policy, which can only tighten; `ENSEMBLE_POLICY_FILE` overrides it."""
    override = os.environ.get("ENSEMBLE_POLICY_FILE")
    return Path(override) if override else Path(platformdirs.site_config_path(_APPLICATION)) / "policy.toml"
