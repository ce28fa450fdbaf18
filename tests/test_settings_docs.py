"""docs/settings.md says what the settings model says, and its examples work."""

import tomllib

from ensemble_lsp.settings import RESTRICTED_KEYS, Settings
from ensemble_lsp.settings_docs import DOCUMENT, EXAMPLE, POLICY_EXAMPLE, document
from ensemble_lsp.settings_policy import Policy
from ensemble_lsp.settings_sources import variables


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
