"""`consent`: what was agreed to can be seen, and taken back."""

import asyncio
from pathlib import Path

import pytest

from ensemble_lsp.store.consent import ConsentStore
from ensemble_lsp.store.database import Database
from tests.cli.conftest import CommandLine


@pytest.fixture
def agreed(tmp_path: Path) -> Path:
    """Agree to one of each kind, as jobs do; returns the folder whose checks may run without a sandbox."""

    async def agree() -> None:
        with Database() as database:
            store = ConsentStore(database)
            await store.grant(["OpenAI"])
            await store.allow_download("qwen2.5-coder-1.5b")
            await store.allow_unsandboxed(tmp_path)

    asyncio.run(agree())
    return tmp_path


def test_nothing_at_first(ensemble: CommandLine):
    assert ensemble("consent").err == "nothing was agreed to yet\n"


def test_everything_agreed_to_is_listed(ensemble: CommandLine, agreed: Path):
    _, *rows = ensemble("consent").out.splitlines()
    assert [row.split("\t")[:3] for row in rows] == [
        ["recipient", "openai", "everywhere"],
        ["weights", "qwen2.5-coder-1.5b", "everywhere"],
        ["unsandboxed", "checks", str(agreed)],
    ]


def test_each_can_be_taken_back(ensemble: CommandLine, agreed: Path):
    for name in ("OpenAI", "qwen2.5-coder-1.5b", str(agreed)):
        assert "the next job asks again" in ensemble("consent", "--remove", name).err
    assert ensemble("consent").out == ""


def test_what_was_never_agreed_to_is_named(ensemble: CommandLine):
    ran = ensemble("consent", "--remove", "nobody")
    assert ran.code == 2
    assert "nothing was agreed to under 'nobody'" in ran.err
