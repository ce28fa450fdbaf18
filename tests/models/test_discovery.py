"""Who sits, from what is there."""

import pytest

from ensemble_lsp.core.errors import (
    AuthenticationFailed,
    ConfigurationError,
    EnsembleError,
    NoModelReachable,
    UnknownItem,
)
from ensemble_lsp.core.panel import EditFormat, Panel
from ensemble_lsp.models.discovery import MOST_SEATS, find_panel
from ensemble_lsp.settings import EmbeddedTable, MemberTable, Settings
from tests.support.fake_model_server import FakeModelServer, ServedModel

NOWHERE = {"ENSEMBLE_LOCAL_SERVERS": ""}
SECRET = "sk-very-secret-0123456789"
OPENAI = {**NOWHERE, "OPENAI_API_KEY": SECRET}
TWO = {**OPENAI, "ANTHROPIC_API_KEY": SECRET}
MANY = {**TWO, "GEMINI_API_KEY": SECRET, "MISTRAL_API_KEY": SECRET, "GROQ_API_KEY": SECRET}


def _models(panel: Panel) -> list[str]:
    return [member.model for member in panel.members]


async def test_one_key_seats_two_models_of_its_family_and_says_so() -> None:
    panel = await find_panel(Settings(), OPENAI)
    assert panel.families == {"gpt"}
    assert [member.style for member in panel.members] == [0, 1]
    assert panel.strong is not None
    assert panel.strong.model not in _models(panel)
    assert any("one family only" in note for note in panel.notes)


async def test_two_keys_seat_two_families_the_anchor_dearer_than_the_other() -> None:
    panel = await find_panel(Settings(), TWO)
    anchor, other = panel.members
    assert panel.families == {"claude", "gpt"}
    assert panel.anchor == anchor.id
    assert (anchor.price_out or 0) > (other.price_out or 0)
    assert [member.recipient for member in panel.members] == ["Anthropic", "OpenAI"]


async def test_many_keys_seat_three_families() -> None:
    panel = await find_panel(Settings(), MANY)
    assert len(panel.members) == len(panel.families) == 3


async def test_one_key_that_reaches_several_lineages_seats_them() -> None:
    panel = await find_panel(Settings(), {**NOWHERE, "GROQ_API_KEY": SECRET})
    assert len(panel.families) >= 2


@pytest.mark.parametrize("environment", [OPENAI, TWO, MANY])
async def test_no_key_is_in_what_is_found(environment: dict[str, str]) -> None:
    assert SECRET not in repr(await find_panel(Settings(), environment))


async def test_a_provider_without_default_models_is_mentioned() -> None:
    panel = await find_panel(Settings(), {**OPENAI, "OPENROUTER_API_KEY": SECRET})
    assert any("--panel openrouter/MODEL" in note for note in panel.notes)


async def test_local_servers_join_with_a_new_family() -> None:
    models = [ServedModel(name="llama3.2:3b"), ServedModel(name="qwen2.5-coder:7b")]
    async with FakeModelServer(models=models) as server:
        panel = await find_panel(Settings(), {**MANY, "OLLAMA_HOST": server.base_url})
    assert len(panel.members) == MOST_SEATS
    joined = panel.members[-1]
    assert (joined.model, joined.local, joined.recipient) == ("ollama_chat/qwen2.5-coder:7b", True, "")
    assert joined.edit_format is EditFormat.WHOLE


async def test_a_single_local_model_sits_twice_differently_asked() -> None:
    async with FakeModelServer(models=[ServedModel(name="qwen2.5-coder:7b")]) as server:
        panel = await find_panel(Settings(), {**NOWHERE, "OLLAMA_HOST": server.base_url})
    first, second = panel.members
    assert first.model == second.model
    assert first.id != second.id
    assert (first.style, first.temperature) != (second.style, second.temperature)


async def test_openai_api_base_on_loopback_is_a_local_server() -> None:
    async with FakeModelServer(models=[ServedModel(name="my-model-32b")]) as server:
        panel = await find_panel(Settings(), {**OPENAI, "OPENAI_API_BASE": server.openai_base})
    member = panel.members[0]
    assert (member.model, member.api_base, member.local) == ("openai/my-model-32b", server.openai_base, True)
    assert member.api_key_env == "OPENAI_API_KEY"
    assert member.edit_format is EditFormat.SEARCH_REPLACE
    assert panel.strong is None


async def test_openai_api_base_elsewhere_is_the_recipient() -> None:
    environment = {**OPENAI, "OPENAI_BASE_URL": "https://models.example.org/v1/"}
    panel = await find_panel(Settings(), environment)
    assert {member.recipient for member in panel.members} == {"models.example.org"}


async def test_a_base_url_that_litellm_would_obey_is_shown_as_the_recipient() -> None:
    environment = {**TWO, "ANTHROPIC_BASE_URL": "https://relay.example.org"}
    panel = await find_panel(Settings(), environment)
    assert [member.recipient for member in panel.members] == ["relay.example.org", "OpenAI"]


async def test_with_nothing_else_the_embedded_model_sits() -> None:
    panel = await find_panel(Settings(), NOWHERE, embedded_available=True)
    assert _models(panel) == ["embedded/qwen2.5-coder-1.5b"] * 2
    first, second = panel.members
    assert (first.temperature, first.style) != (second.temperature, second.style)
    assert all(member.local and not member.recipient for member in panel.members)
    assert first.edit_format is EditFormat.WHOLE


async def test_the_embedded_model_seats_as_many_as_the_settings_say() -> None:
    settings = Settings(embedded=EmbeddedTable(members=4))
    panel = await find_panel(settings, NOWHERE, embedded_available=True)
    assert len({(member.id, member.style) for member in panel.members}) == 4


async def test_with_nothing_at_all_it_says_what_to_set() -> None:
    with pytest.raises(NoModelReachable) as caught:
        await find_panel(Settings(), NOWHERE)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert "Ollama" in caught.value.hint
    assert "ensemble-lsp[embedded]" in caught.value.hint


async def test_local_only_lets_no_key_count() -> None:
    panel = await find_panel(Settings(), MANY, local_only=True, embedded_available=True)
    assert all(member.local for member in panel.members)
    assert panel.strong is None
    assert await find_panel(Settings(local=True), MANY, embedded_available=True) == panel


async def test_the_settings_panel_is_taken_as_it_is() -> None:
    table = MemberTable(
        id="mine",
        model="openai/gpt-6-luna",
        family="special",
        edit_format="whole",
        price_in=1,
        price_out=2,
        context_tokens=9_000,
        max_output_tokens=700,
        temperature=0.5,
    )
    panel = await find_panel(Settings(panel=(table,)), OPENAI)
    (member,) = panel.members
    assert (member.id, member.family, member.edit_format) == ("mine", "special", EditFormat.WHOLE)
    assert (member.price_in, member.price_out, member.context_tokens) == (1, 2, 9_000)
    assert (member.max_output_tokens, member.temperature, member.recipient) == (700, 0.5, "OpenAI")


async def test_a_member_without_its_key_is_left_out_with_a_note() -> None:
    settings = Settings(panel=(MemberTable(model="xai/grok-4.7"), MemberTable(model="openai/gpt-6-luna")))
    panel = await find_panel(settings, OPENAI)
    assert _models(panel) == ["openai/gpt-6-luna"]
    assert "grok-4.7 is left out: XAI_API_KEY is not set" in panel.notes


async def test_a_settings_panel_that_cannot_sit_names_the_variables() -> None:
    settings = Settings(panel=(MemberTable(model="xai/grok-4.7"),))
    with pytest.raises(NoModelReachable, match="XAI_API_KEY is not set"):
        await find_panel(settings, OPENAI, embedded_available=True)


async def test_a_base_url_of_a_file_gets_no_key_that_the_file_does_not_name() -> None:
    table = MemberTable(model="openai/x", api_base="https://collector.example/v1")
    (member,) = (await find_panel(Settings(panel=(table,)), OPENAI)).members
    assert member.api_key_env is None
    assert member.recipient == "collector.example"


async def test_a_price_that_nobody_knows_is_said() -> None:
    panel = await find_panel(Settings(), OPENAI, requested=["openai/brand-new"])
    assert any("price unknown for brand-new" in note for note in panel.notes)


async def test_members_are_asked_for_by_id_model_string_or_bare_name() -> None:
    settings = Settings(panel=(MemberTable(id="mine", model="openai/gpt-6-luna"),))
    requested = ["mine", "openai/gpt-6.1-sol", "gpt-5.4-mini"]
    panel = await find_panel(settings, OPENAI, requested=requested)
    assert [member.id for member in panel.members] == ["mine", "gpt-6.1-sol", "gpt-5.4-mini"]
    assert panel.members[2].model == "openai/gpt-5.4-mini"
    assert panel.strong is None


async def test_an_installed_ollama_model_is_asked_for_by_its_name() -> None:
    async with FakeModelServer(models=[ServedModel(name="tiny:1b", context_length=4_096)]) as server:
        environment = {**NOWHERE, "OLLAMA_HOST": server.base_url}
        for name in ("tiny:1b", "ollama/tiny:1b", "ollama_chat/tiny:1b"):
            (member,) = (await find_panel(Settings(), environment, requested=[name])).members
            assert (member.model, member.context_tokens) == ("ollama_chat/tiny:1b", 4_096)


async def test_a_model_in_ollamas_cloud_is_not_taken_for_local() -> None:
    (member,) = (await find_panel(Settings(), NOWHERE, requested=["ollama/glm-5:cloud"])).members
    assert not member.local
    assert member.recipient == "ollama.com"


async def test_an_ollama_server_elsewhere_costs_nothing_and_is_a_recipient() -> None:
    environment = {**NOWHERE, "OLLAMA_HOST": "gpu-box"}
    (member,) = (await find_panel(Settings(), environment, requested=["ollama/qwen3:8b"])).members
    assert (member.price_in, member.price_out, member.local, member.recipient) == (0, 0, False, "gpu-box")


async def test_the_embedded_model_can_be_asked_for() -> None:
    panel = await find_panel(Settings(), OPENAI, requested=["embedded/smollm2-135m"])
    assert _models(panel) == ["embedded/smollm2-135m"] * 2


@pytest.mark.parametrize(
    ("requested", "error"),
    [("nobody", UnknownItem), ("xai/grok-4.7", AuthenticationFailed), (" ", UnknownItem)],
)
async def test_whoever_cannot_be_found_is_named(requested: str, error: type[EnsembleError]) -> None:
    with pytest.raises(error):
        await find_panel(Settings(), OPENAI, requested=[requested], embedded_available=True)


async def test_an_unknown_member_is_told_who_is_known() -> None:
    settings = Settings(panel=(MemberTable(id="mine", model="openai/gpt-6-luna"),))
    with pytest.raises(UnknownItem, match="known here: mine"):
        await find_panel(settings, OPENAI, requested=["yours"])


async def test_asking_for_a_hosted_member_locally_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="not on this machine"):
        await find_panel(Settings(), OPENAI, requested=["openai/gpt-6-luna"], local_only=True)


async def test_the_anchor_is_the_settings_one_then_the_first() -> None:
    ids = [member.id for member in (await find_panel(Settings(), TWO)).members]
    assert (await find_panel(Settings(), TWO)).anchor == ids[0]
    assert (await find_panel(Settings(anchor=ids[1]), TWO)).anchor == ids[1]


async def test_an_anchor_that_is_nobody_is_a_mistake_in_the_settings() -> None:
    settings = Settings(panel=(MemberTable(model="openai/gpt-6-luna"),), anchor="nobody")
    with pytest.raises(ConfigurationError, match="anchor"):
        await find_panel(settings, OPENAI)


async def test_members_of_one_name_get_ids_of_their_own() -> None:
    settings = Settings(panel=(MemberTable(model="openai/gpt-6-luna"), MemberTable(model="azure/gpt-6-luna")))
    panel = await find_panel(settings, OPENAI)
    assert [member.id for member in panel.members] == ["gpt-6-luna", "gpt-6-luna-2"]


async def test_the_settings_strong_member_is_asked_on_escalation() -> None:
    settings = Settings(strong=MemberTable(model="openai/gpt-6-astra"))
    panel = await find_panel(settings, OPENAI)
    assert panel.strong is not None
    assert panel.strong.model == "openai/gpt-6-astra"
