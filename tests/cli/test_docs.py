"""docs/cli.md names every command and option that there is."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = (
    "fix",
    "review",
    "explain",
    "debate",
    "locate",
    "refactor",
    "rewrite",
    "secure",
    "test",
    "apply",
    "panel",
    "bench",
    "jobs",
    "dismissed",
    "show",
    "watch",
    "doctor",
    "trust",
    "consent",
    "demo",
    "serve",
)
BELOW = (
    ("panel", "stats"),
    ("panel", "reset"),
    ("bench", "fix"),
    ("bench", "review"),
    ("jobs", "purge"),
    ("dismissed", "add"),
    ("dismissed", "restore"),
)

_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+|-[a-zA-Z])(?![\w-])")


def options_of(help_text: str) -> set[str]:
    """Return the options in the first columns of a help page: prose may speak of those of other commands."""
    found: set[str] = set()
    for line in help_text.splitlines():
        if line.startswith("│ ") and line.lstrip("│* ").startswith("-"):
            found.update(_OPTION.findall(re.split(r"\s{2,}[A-Z]", line)[0]))
    return found


def test_the_list_above_is_complete(ensemble: CommandLine):
    shown = ensemble("--help").out
    listed = re.findall(r"^│ ([a-z]+)  ", shown.partition("Commands")[2], re.MULTILINE)

    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("command", [*((name,) for name in COMMANDS), *BELOW], ids=" ".join)
def test_every_option_of_a_command_is_on_the_page(ensemble: CommandLine, command: tuple[str, ...]):
    ran = ensemble(*command, "--help")

    assert ran.code == 0
    assert f"ensemble-lsp {' '.join(command)}" in PAGE
    assert "--help" in options_of(ran.out)
    missing = {option for option in options_of(ran.out) if not re.search(rf"{option}\b", PAGE)}
    assert not missing


@pytest.mark.parametrize(
    "command", [*((name,) for name in COMMANDS if name != "serve"), *BELOW], ids=" ".join
)
def test_every_help_has_examples(ensemble: CommandLine, command: tuple[str, ...]):
    assert "Examples:" in ensemble(*command, "--help").out


def test_the_options_of_the_command_itself_are_on_the_page(ensemble: CommandLine):
    assert options_of(ensemble("-h").out) >= {"--version", "--help", "-h"}
    assert all(option in PAGE for option in options_of(ensemble("-h").out))


@pytest.mark.parametrize("command", [*((name,) for name in COMMANDS), *BELOW], ids=" ".join)
def test_an_example_with_a_pipe_was_shown_with_the_programs_name_before_both_halves(
    ensemble: CommandLine, command: tuple[str, ...]
):
    shown = ensemble(*command, "--help").out.partition("Examples:")[2]

    assert set(re.findall(r"ensemble-lsp ([\w-]+)", shown)) <= {*COMMANDS}
