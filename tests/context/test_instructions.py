"""The repository's own notes: found, quoted, bounded."""

from pathlib import Path

from ensemble_lsp.context.instructions import repository_instructions
from ensemble_lsp.context.reading import Reader
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.settings import ContextTable
from tests.context.repository import words, write_files


def notes(folder: Path, path: str | None, max_tokens: int = 1_000, exclude: tuple[str, ...] = ()) -> str:
    reader = Reader.of(folder, ContextTable(exclude=exclude), trusted=False, overlays={})
    return repository_instructions(reader, Redactor(), path, count_tokens=words, max_tokens=max_tokens)


def test_the_nearest_notes_come_first_and_each_line_is_quoted(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"AGENTS.md": "Root.\n", "web/AGENTS.md": "Web.\n\nTabs.\n", "other/AGENTS.md": "No.\n"}
    )

    assert notes(tmp_path, "web/src/a.ts") == (
        "web/AGENTS.md says:\n> Web.\n>\n> Tabs.\nAGENTS.md says:\n> Root."
    )


def test_all_known_files_are_read_and_a_copy_is_given_once(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "AGENTS.md": "A.\n",
            ".cursorrules": "C.\n",
            ".github/copilot-instructions.md": "G.\n",
            "CONTRIBUTING.md": "B.\n",
        },
    )
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    titles = [line for line in notes(tmp_path, "a.py").splitlines() if line.endswith("says:")]

    assert titles == [
        "AGENTS.md says:",
        ".cursorrules says:",
        ".github/copilot-instructions.md says:",
        "CONTRIBUTING.md says:",
    ]


def test_long_notes_are_cut_at_a_line_within_the_budget(tmp_path: Path) -> None:
    write_files(tmp_path, {"AGENTS.md": "".join(f"Rule number {n}.\n" for n in range(500))})

    text = notes(tmp_path, "a.py", max_tokens=100)

    assert words(text) <= 100
    assert text.endswith("> [cut here]")
    assert "> Rule number 9.\n" in text


def test_notes_that_are_excluded_or_lead_outside_are_left_out(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "w", {"AGENTS.md": "Mine.\n"})
    write_files(tmp_path, {"secret.md": "Outside.\n"})
    (folder / "CLAUDE.md").symlink_to("../secret.md")

    assert notes(folder, "a.py", exclude=("AGENTS.md",)) == ""


def test_no_notes_give_an_empty_text(tmp_path: Path) -> None:
    assert notes(tmp_path, "a.py") == ""
