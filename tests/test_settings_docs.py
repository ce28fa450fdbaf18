"""docs/settings.md says what the settings model says, and its examples work."""

import re
import tomllib

from ensemble_lsp.settings import RESTRICTED_KEYS, Settings
from ensemble_lsp.settings_docs import DOCUMENT, EXAMPLE, POLICY_EXAMPLE, document
from ensemble_lsp.settings_policy import Policy
from ensemble_lsp.settings_sources import NOT_SETTINGS, variables


def test_the_document_is_current() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "write it anew: python -m ensemble_lsp.settings_docs"
    )


def test_the_examples_are_valid() -> None:
    settings = Settings.model_validate(tomllib.loads(EXAMPLE))
    assert settings.check in {check.id for check in settings.checks}
    assert not Policy.model_validate(tomllib.loads(POLICY_EXAMPLE)).allows("openai")


def test_every_variable_is_in_the_document() -> None:
    assert [name for name in variables() if f"`{name}`" not in document()] == []


def test_restricted_keys_exist() -> None:
    tables = {
        f"{name}.{inner}"
        for name, found in Settings.model_fields.items()
        for inner in getattr(found.annotation, "model_fields", {})
    }
    assert set(Settings.model_fields) | tables >= RESTRICTED_KEYS


def test_every_setting_has_a_meaning() -> None:
    for model in (Settings, Policy):
        for name, found in model.model_fields.items():
            for inner, inner_found in {
                name: found,
                **getattr(found.annotation, "model_fields", {}),
            }.items():
                assert inner_found.description, f"{name}.{inner}"


def test_variables_that_are_no_settings_are_in_the_document() -> None:
    shown = document().partition("## Directories")[2]
    assert [name for name in sorted(NOT_SETTINGS) if f"`{name}`" not in shown] == []


def test_the_document_says_which_keys_a_workspace_needs_trust_for() -> None:
    """Each key of its own row; a table's word holds for its keys."""
    rows = {
        match["key"]: match["restricted"]
        for match in re.finditer(
            r"^\| `(?P<key>[a-z_.]+)` \|.*\| (?P<restricted>yes|no) \| [^|]+ \|$", document(), re.MULTILINE
        )
    }
    for key, restricted in rows.items():
        assert (restricted == "yes") is bool({key, key.partition(".")[0]} & RESTRICTED_KEYS), key
    assert {key for key, restricted in rows.items() if restricted == "no"} == {"context.exclude"}
