"""What `gather` puts in front of the models, and what it refuses."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ensemble_lsp.context.definition_index import DefinitionIndex
from ensemble_lsp.context.gather import gather, redacted_task, review_ranges
from ensemble_lsp.core.errors import UsageError
from ensemble_lsp.core.events import Action
from ensemble_lsp.core.evidence import Diagnostic, Severity
from ensemble_lsp.core.results import LineRange, Task
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.ensemble.ports import Dossier
from ensemble_lsp.settings import ContextTable
from tests.context.repository import repository, words, write_files

LONG = "import os\n\nLIMIT = 3\n\n" + "".join(
    f"def step_{n}(value):\n"
    + "".join(f"    value = value * {line} + {n}\n" for line in range(8))
    + "    return value\n\n\n"
    for n in range(250)
)
"""A file of 3,004 lines, 12 for each function."""

DEFAULTS = ContextTable()


async def gathered(
    folder: Path,
    path: str | None,
    *,
    action: Action = Action.FIX,
    lines: tuple[int, int] | None = None,
    instruction: str = "",
    diagnostics: tuple[Diagnostic, ...] = (),
    overlays: Mapping[str, SourceText] = {},
    table: ContextTable = DEFAULTS,
    trusted: bool = False,
    max_tokens: int | None = None,
    index: DefinitionIndex | None = None,
) -> Dossier:
    task = Task(
        action=action,
        path=path,
        range=LineRange(start=lines[0], end=lines[1]) if lines else None,
        instruction=instruction,
        diagnostics=diagnostics,
    )
    return await gather(
        task, folder, overlays=overlays, settings=table, trusted=trusted, count_tokens=words,
        max_tokens=max_tokens, index=index,
    )  # fmt: skip


def tokens_of(dossier: Dossier) -> int:
    excerpts = [*([dossier.focus] if dossier.focus else []), *dossier.related]
    return sum(words(excerpt.text) for excerpt in excerpts) + words(dossier.instructions)


def whys(dossier: Dossier) -> list[str]:
    return [f"{excerpt.path}: {excerpt.why}" for excerpt in dossier.related]


def diagnostic(path: str, line: int, message: str = "wrong") -> Diagnostic:
    return Diagnostic(
        path=path, line=line, end_line=line, severity=Severity.WARNING, source="t", code="c", message=message
    )


async def test_a_small_file_is_shown_whole(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "def f():\n    return 1\n"})

    dossier = await gathered(tmp_path, "a.py")

    assert dossier.focus is not None
    assert (dossier.focus.text, dossier.focus.start_line) == ("def f():\n    return 1\n", 0)
    assert dossier.whole_file
    assert dossier.language == "python"
    assert dict(dossier.files) == {"a.py": SourceText("def f():\n    return 1\n")}


async def test_of_3000_lines_the_function_and_an_outline_are_shown(tmp_path: Path) -> None:
    repository(tmp_path, {"big.py": LONG})
    line = LONG[: LONG.index("def step_140")].count("\n") + 3

    dossier = await gathered(tmp_path, "big.py", lines=(line, line + 1))

    assert len(split_lines(LONG)) == 3_004
    assert dossier.focus is not None
    assert dossier.focus.text.startswith("def step_140(value):\n")
    assert dossier.focus.start_line == line - 3
    assert dossier.symbol == "step_140"
    assert not dossier.whole_file
    assert dossier.files["big.py"].text == LONG
    assert "   1: import os\n" in dossier.related[0].text
    assert f"{line - 2 - 12}: def step_139(value):\n" in dossier.related[0].text
    assert tokens_of(dossier) <= ContextTable().max_tokens


async def test_a_diagnostic_chooses_the_focus_when_there_is_no_range(tmp_path: Path) -> None:
    repository(tmp_path, {"big.py": LONG})
    line = LONG[: LONG.index("def step_77(")].count("\n") + 2

    dossier = await gathered(tmp_path, "big.py", diagnostics=(diagnostic("big.py", line),))

    assert dossier.symbol == "step_77"


async def test_a_function_named_in_the_instruction_is_the_focus(tmp_path: Path) -> None:
    repository(tmp_path, {"big.py": LONG})

    assert (await gathered(tmp_path, "big.py", instruction="step_99 overflows")).symbol == "step_99"


async def test_a_function_longer_than_the_budget_is_cut_around_the_range(tmp_path: Path) -> None:
    body = "".join(f"    total += {n}\n" for n in range(3_000))
    repository(tmp_path, {"big.py": f"def huge():\n{body}\n\ndef other():\n    pass\n"})

    dossier = await gathered(tmp_path, "big.py", lines=(1_500, 1_501))

    assert dossier.focus is not None
    first, count = dossier.focus.start_line, len(split_lines(dossier.focus.text))
    assert first <= 1_500 < first + count
    assert count > 500
    assert dossier.symbol == "huge"


async def test_a_file_of_an_unknown_language_gives_the_lines_around(tmp_path: Path) -> None:
    repository(tmp_path, {"notes.txt": "".join(f"line number {n}\n" for n in range(9_000))})

    dossier = await gathered(tmp_path, "notes.txt", lines=(5_000, 5_002))

    assert dossier.focus is not None
    assert "line number 5000\n" in dossier.focus.text
    assert dossier.focus.why == "lines around the selection"
    assert dossier.related == ()


async def test_the_ranges_of_a_review_cover_the_file_between_its_functions(tmp_path: Path) -> None:
    repository(tmp_path, {"big.py": LONG, "small.py": "x = 1\n"})

    async def ranges(path: str) -> list[tuple[int, int]]:
        found = await review_ranges(
            path, tmp_path, settings=ContextTable(), trusted=False, count_tokens=words
        )
        return [(r.start, r.end) for r in found]

    parts = await ranges("big.py")

    assert await ranges("small.py") == [(0, 1)]
    assert len(parts) > 2
    assert [end for _, end in parts[:-1]] == [start for start, _ in parts[1:]]
    assert (parts[0][0], parts[-1][1]) == (0, len(split_lines(LONG)))
    lines = split_lines(LONG)
    assert all(lines[start].startswith("def ") for start, _ in parts[1:])
    for part in parts:
        dossier = await gathered(tmp_path, "big.py", lines=part)
        assert dossier.focus is not None
        shown = len(split_lines(dossier.focus.text))
        assert dossier.focus.start_line <= part[0] < part[1] <= dossier.focus.start_line + shown


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tokens=st.integers(500, 12_000), start=st.integers(0, 2_900), length=st.integers(0, 90))
async def test_the_budget_is_kept_and_the_range_is_in_sight(
    tmp_path: Path, tokens: int, start: int, length: int
) -> None:
    if not (tmp_path / "big.py").exists():
        repository(
            tmp_path,
            {"big.py": LONG, "AGENTS.md": "Be exact. " * 900, "t/test_big.py": "from big import step_9\n"},
        )

    dossier = await gathered(tmp_path, "big.py", lines=(start, start + length), max_tokens=tokens)

    assert tokens_of(dossier) <= tokens
    assert dossier.focus is not None
    shown = len(split_lines(dossier.focus.text))
    assert dossier.focus.start_line <= start < dossier.focus.start_line + shown
    assert dossier.focus.text in LONG


async def test_the_same_files_give_the_same_dossier(tmp_path: Path) -> None:
    repository(
        tmp_path, {"big.py": LONG, "AGENTS.md": "Tabs.\n", "test_big.py": "import big\nbig.step_3(1)\n"}
    )
    index = DefinitionIndex()

    dossiers = [
        await gathered(tmp_path, "big.py", lines=(40, 41), index=chosen) for chosen in (index, index, None)
    ]

    pictures = [(d.focus, d.related, d.instructions, d.redactions) for d in dossiers]
    assert pictures[0] == pictures[1] == pictures[2]


async def test_the_unsaved_text_wins_over_the_file(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "old = 1\n", "b.py": "def helper():\n    return 'old'\n"})
    overlays = {
        "a.py": SourceText("from b import helper\nnew = helper()\n"),
        "b.py": SourceText("def helper():\n    return 'unsaved'\n"),
    }

    dossier = await gathered(tmp_path, "a.py", overlays=overlays)

    assert dossier.focus is not None
    assert dossier.focus.text == "from b import helper\nnew = helper()\n"
    assert "unsaved" in dossier.related[0].text


async def test_an_unsaved_file_that_is_not_on_the_disk_yet_is_read_from_the_editor(tmp_path: Path) -> None:
    dossier = await gathered(tmp_path, "new.py", overlays={"new.py": SourceText("x = 1\n")})

    assert dossier.focus is not None
    assert dossier.focus.text == "x = 1\n"


async def test_utf16_and_crlf_files_come_as_text_and_keep_their_form(tmp_path: Path) -> None:
    text = "def f():\r\n    return 'é'\r\n"
    repository(tmp_path, {"wide.py": b"\xff\xfe" + text.encode("utf-16-le"), "crlf.py": text})

    wide, crlf = await gathered(tmp_path, "wide.py"), await gathered(tmp_path, "crlf.py")

    assert wide.focus is not None
    assert crlf.focus is not None
    assert wide.focus.text == crlf.focus.text == text
    assert wide.files["wide.py"].encoding == "utf-16-le"


async def test_secrets_are_taken_out_and_restored_for_edits(tmp_path: Path) -> None:
    key = "ghp" + "_" + "a1B2" * 9
    repository(tmp_path, {"a.py": f"KEY = '{key}'\n", "AGENTS.md": f"Use {key}.\n"})

    dossier = await gathered(tmp_path, "a.py")

    assert dossier.focus is not None
    assert key not in dossier.focus.text + dossier.instructions
    assert dossier.restore(dossier.focus.text) == f"KEY = '{key}'\n"
    assert dossier.files["a.py"].text == f"KEY = '{key}'\n"
    assert {(r.path, r.line) for r in dossier.redactions} == {("a.py", 0), ("AGENTS.md", 0)}
    assert key not in repr(dossier.redactions)


async def test_a_key_that_starts_above_the_excerpt_is_taken_out(tmp_path: Path) -> None:
    body = "".join(f"{'mZ9' * 20}{n:04}\n" for n in range(3_000))
    repository(
        tmp_path,
        {
            "k.txt": f"-----BEGIN PRIVATE KEY-----\n{body[:30_000]}-----END PRIVATE KEY-----\n"
            + "x\n" * 60_000
        },
    )

    dossier = await gathered(tmp_path, "k.txt", lines=(200, 201))

    assert dossier.focus is not None
    assert "mZ9" not in dossier.focus.text


async def test_the_words_of_the_task_are_redacted_too(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "x = 1\n"})
    dossier = await gathered(tmp_path, "a.py")
    key = "sk-" + "ant-" + "Ab1" * 9
    task = Task(
        action=Action.FIX,
        path="a.py",
        instruction=f"it fails with key {key}",
        diagnostics=(diagnostic("a.py", 0, f"bad {key}"),),
    )

    assert key not in repr(redacted_task(task, dossier))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.py", "no such file: gone.py"),
        ("folder", "folder is a directory"),
        ("binary.png", "binary.png is not text"),
        ("empty.py", "empty.py is empty"),
        ("blank.py", "blank.py is empty"),
        ("huge.txt", "huge.txt is too large: 2.5 MB, at most 2 MB"),
        ("../outside.py", "../outside.py is outside the workspace"),
        ("escape.py", "escape.py is a link out of the workspace"),
        ("folder-link/outside.py", "folder-link/outside.py is a link out of the workspace"),
        ("loop.py", "loop.py"),
        ("pipe", "pipe cannot be read"),
        ("skipped.log", "skipped.log is not sent to any model: .gitignore names it"),
        (".env", ".env is not sent to any model: files of this name hold secrets"),
        ("innocent.py", "innocent.py is not sent to any model: files of this name hold secrets"),
        ("a\0b", "the path is empty or holds a NUL"),
        ("", "the path is empty or holds a NUL"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_a_way_out(tmp_path: Path, path: str, message: str) -> None:
    outside = write_files(tmp_path / "elsewhere", {"outside.py": "x = 1\n"})
    folder = repository(
        tmp_path / "workspace",
        {
            ".gitignore": "*.log\n", "folder/a.py": "x = 1\n", "binary.png": b"\x89PNG\0\1\2", "empty.py": "",
            "blank.py": "\n \n", "huge.txt": "x" * 2_500_000, "skipped.log": "x\n", ".env": "K=1\n",
        },
    )  # fmt: skip
    write_files(tmp_path, {"outside.py": "x = 1\n"})
    (folder / "escape.py").symlink_to(outside / "outside.py")
    (folder / "folder-link").symlink_to(outside)
    (folder / "innocent.py").symlink_to(".env")
    (folder / "loop.py").symlink_to("loop.py")
    os.mkfifo(folder / "pipe")

    with pytest.raises(UsageError) as caught:
        await gathered(folder, path)

    assert caught.value.message.startswith(message)
    assert caught.value.field == "path"
    assert caught.value.hint


@pytest.mark.parametrize("lines", [(2, 3), (0, 9), (-1, 1), (1, 0)])
async def test_a_range_outside_the_file_is_refused(tmp_path: Path, lines: tuple[int, int]) -> None:
    repository(tmp_path, {"a.py": "x = 1\ny = 2"})

    with pytest.raises(UsageError, match=r"outside a\.py, which has 2 lines") as caught:
        await gathered(tmp_path, "a.py", lines=lines)

    assert caught.value.field == "range"


async def test_a_cursor_on_the_empty_line_behind_the_last_one_is_in_the_file(tmp_path: Path) -> None:
    repository(tmp_path, {"a.py": "x = 1\n"})

    assert (await gathered(tmp_path, "a.py", lines=(1, 1))).focus is not None


async def test_one_endless_line_is_refused_when_it_does_not_fit(tmp_path: Path) -> None:
    repository(tmp_path, {"a.js": "f(" + "1," * 60_000 + ")\n"})

    with pytest.raises(UsageError, match="line 1 alone is longer"):
        await gathered(tmp_path, "a.js", lines=(0, 1))


async def test_an_included_secret_file_is_sent_redacted(tmp_path: Path) -> None:
    repository(tmp_path, {"conf/.env": "API_TOKEN=abc123def456ghi\nDEBUG=1\n"})

    dossier = await gathered(tmp_path, "conf/.env", table=ContextTable(include=("conf/.env",)), trusted=True)

    assert dossier.focus is not None
    assert "abc123" not in dossier.focus.text
    assert "DEBUG=1" in dossier.focus.text


async def test_a_debate_without_a_file_has_the_notes_and_the_readme(tmp_path: Path) -> None:
    repository(
        tmp_path, {"AGENTS.md": "Use tabs.\n", "README.md": "# Shop\n" + "text\n" * 90, "a.py": "x = 1\n"}
    )

    dossier = await gathered(tmp_path, None, action=Action.DEBATE)

    assert dossier.focus is None
    assert dossier.files == {}
    assert "AGENTS.md says:\n> Use tabs." in dossier.instructions
    assert dossier.instructions.count("> text") == 59


async def test_all_other_actions_need_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="explain needs a file"):
        await gathered(tmp_path, None, action=Action.EXPLAIN)


async def test_a_workspace_without_git_works(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"a.py": "from b import f\nf()\n", "b.py": "def f_():\n    pass\ndef f():\n    pass\n"}
    )

    assert (await gathered(tmp_path, "a.py")).focus is not None
