"""Nothing leaves before the person agreed, and nothing of a folder counts before it is trusted."""

import os
from pathlib import Path

import pytest

from ensemble_lsp.store.consent import ConsentKind, ConsentStore
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.trust import TrustStore


@pytest.fixture
def consent(database: Database) -> ConsentStore:
    return ConsentStore(database)


@pytest.fixture
def trust(database: Database) -> TrustStore:
    return TrustStore(database)


async def test_everybody_is_missing_at_first_but_this_machine(consent: ConsentStore) -> None:
    assert await consent.missing(["openai", "", "anthropic", "openai"]) == ("openai", "anthropic")


async def test_consent_holds_everywhere_or_in_one_workspace(consent: ConsentStore, tmp_path: Path) -> None:
    await consent.grant(["OpenAI"])
    await consent.grant(["anthropic"], tmp_path / "a")
    assert await consent.missing(["openai", "anthropic"], tmp_path / "a") == ()
    assert await consent.missing(["openai", "anthropic"], tmp_path / "b") == ("anthropic",)
    assert await consent.missing(["openai", "anthropic"]) == ("anthropic",)


async def test_a_new_recipient_is_asked_about(consent: ConsentStore) -> None:
    await consent.grant(["openai"])
    assert await consent.missing(["openai", "llm.corp.example:8443"]) == ("llm.corp.example:8443",)


async def test_a_workspace_reached_by_a_link_is_the_same(consent: ConsentStore, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    await consent.grant(["openai"], tmp_path / "link")
    assert await consent.missing(["openai"], tmp_path / "real") == ()


async def test_consent_can_be_taken_back(consent: ConsentStore, tmp_path: Path) -> None:
    await consent.grant(["a", "b"])
    await consent.grant(["a"], tmp_path)
    assert await consent.revoke(["A"], tmp_path) == 1
    assert await consent.missing(["a"], tmp_path) == ()
    assert await consent.revoke(["a"]) == 1
    assert await consent.missing(["a", "b"], tmp_path) == ("a",)
    assert await consent.revoke() == 1
    assert await consent.list() == ()


async def test_each_kind_of_consent_is_its_own(consent: ConsentStore, tmp_path: Path) -> None:
    await consent.grant(["checks", "qwen"])
    assert not await consent.may_download("qwen")
    assert not await consent.may_run_unsandboxed(tmp_path)
    await consent.allow_download("qwen")
    await consent.allow_unsandboxed(tmp_path)
    assert await consent.may_download("qwen")
    assert await consent.may_run_unsandboxed(tmp_path)
    assert not await consent.may_run_unsandboxed(tmp_path / "other")
    await consent.revoke()
    assert {entry.kind for entry in await consent.list()} == {ConsentKind.WEIGHTS, ConsentKind.UNSANDBOXED}
    await consent.forbid_unsandboxed(tmp_path)
    assert not await consent.may_run_unsandboxed(tmp_path)


async def test_trust_covers_what_lies_below(trust: TrustStore, tmp_path: Path) -> None:
    await trust.trust(tmp_path / "work")
    assert await trust.is_trusted(tmp_path / "work" / "project" / "sub")
    assert not await trust.is_trusted(tmp_path)
    assert not await trust.is_trusted(tmp_path / "workshop")


async def test_a_link_out_of_a_trusted_folder_is_not_trusted(trust: TrustStore, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "work" / "link").symlink_to(tmp_path / "foreign")
    await trust.trust(tmp_path / "work")
    assert not await trust.is_trusted(tmp_path / "work" / "link")


async def test_a_folder_trusted_through_a_link_is_the_real_one(trust: TrustStore, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert await trust.trust(tmp_path / "link") == tmp_path / "real"
    assert await trust.is_trusted(tmp_path / "real")


async def test_dots_do_not_lead_into_a_trusted_folder(trust: TrustStore, tmp_path: Path) -> None:
    await trust.trust(tmp_path / "work")
    assert not await trust.is_trusted(tmp_path / "work" / ".." / "foreign")


async def test_trust_can_be_taken_back_and_listed(trust: TrustStore, tmp_path: Path) -> None:
    for name in ("b", "a"):
        await trust.trust(tmp_path / name)
    await trust.trust(tmp_path / "a")
    assert await trust.list() == (tmp_path / "a", tmp_path / "b")
    assert await trust.untrust(tmp_path / "a")
    assert not await trust.untrust(tmp_path / "a")
    assert not await trust.is_trusted(tmp_path / "a")


async def test_a_folder_whose_name_does_not_decode_can_be_trusted(trust: TrustStore, tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    await trust.trust(odd)
    assert await trust.is_trusted(odd / "below")
    assert await trust.list() == (odd,)
