"""The front stays small: what the editor starts must not import what only the engine needs."""

import subprocess
import sys

import pytest

HEAVY = {"litellm", "openai", "tiktoken", "tree_sitter", "bandit", "detect_secrets", "httpx", "rich", "typer"}


@pytest.mark.parametrize(
    "module",
    ["ensemble_lsp.lsp.server", "ensemble_lsp.engine.client", "ensemble_lsp.engine.messages"],
)
def test_the_front_imports_nothing_heavy(module: str) -> None:
    assert _loaded_by(module) & HEAVY == set()


def test_initialize_is_answered_from_the_standard_library_alone() -> None:
    later = {"pygls", "lsprotocol", "attr", "attrs", "cattrs", "pydantic", "pydantic_core", "asyncio"}
    assert _loaded_by("ensemble_lsp.lsp.start") & (HEAVY | later) == set()


def test_the_command_line_starts_without_litellm() -> None:
    assert _loaded_by("ensemble_lsp.cli.app") & {"litellm", "openai", "tiktoken"} == set()


def _loaded_by(module: str) -> set[str]:
    code = f"import sys, {module}; print(' '.join({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())
