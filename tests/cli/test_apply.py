"""`ensemble-lsp apply` on real files: what it prints, what it writes, what it refuses."""

import json
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from ensemble_lsp.cli.commands.apply import apply
from ensemble_lsp.core.errors import UsageError

app = typer.Typer()
app.command()(apply)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with one file of mixed endings, and a folder beside it."""
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "app.py").write_bytes(b"a = 1\r\nb = 2\nc = '\xe9'\n")
    return root


def block(search: str, replace: str, path: str = "app.py") -> str:
    return f"<<<<<<< SEARCH k7f2 {path}\n{search}======= k7f2\n{replace}>>>>>>> REPLACE k7f2\n"


def run(reply: str, file: Path, *options: str) -> Result:
    return CliRunner().invoke(app, ["-", "--file", str(file), *options], input=reply)


def test_it_prints_a_diff_that_git_applies_and_writes_nothing(workspace: Path) -> None:
    before = (workspace / "app.py").read_bytes()

    result = run(block("a = 1\n", "a = 10\n"), workspace / "app.py")

    assert result.exit_code == 0
    assert (workspace / "app.py").read_bytes() == before
    subprocess.run(["git", "apply", "-"], input=result.stdout_bytes, cwd=workspace, check=True)
    assert (workspace / "app.py").read_bytes() == b"a = 10\r\nb = 2\nc = '\xe9'\n"


def test_write_changes_the_lines_and_keeps_mode_and_bytes(workspace: Path) -> None:
    (workspace / "app.py").chmod(0o750)

    result = run(block("a = 1\n", "a = 10\n"), workspace / "app.py", "--write")

    assert result.exit_code == 0
    assert (workspace / "app.py").read_bytes() == b"a = 10\r\nb = 2\nc = '\xe9'\n"
    assert (workspace / "app.py").stat().st_mode & 0o777 == 0o750
    assert [entry.name for entry in workspace.iterdir() if entry.name != ".git"] == ["app.py"]


def test_json_is_one_document(workspace: Path) -> None:
    result = run(block("b = 2\n", "b = 3\n"), workspace / "app.py", "--json")

    document = json.loads(result.stdout)
    assert document.keys() == {"ok", "path", "diff", "problems"}
    assert (document["ok"], document["path"], document["problems"]) == (True, "app.py", [])
    assert "-b = 2\n+b = 3\n" in document["diff"]


def test_json_of_a_refusal_names_kind_block_message_and_line(workspace: Path) -> None:
    reply = block("b = 2\n", "b = 3\n") + block("a = 11\n", "a = 2\n")

    result = run(reply, workspace / "app.py", "--json", "--write")

    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert (document["ok"], document["diff"]) == (False, "")
    assert document["problems"] == [
        {
            "kind": "not-found",
            "block": 1,
            "message": "no such lines in the file; nearest is line 1",
            "line": 1,
        }
    ]
    assert b"b = 2\n" in (workspace / "app.py").read_bytes()


def test_a_refusal_is_shown_with_the_nearest_lines(workspace: Path) -> None:
    result = run(block("a = 11\n", "a = 2\n"), workspace / "app.py")

    assert result.exit_code == 1
    assert result.stdout == (
        "block 1 of app.py: not-found: no such lines in the file; nearest is line 1\n      1 | a = 1\n"
    )


def test_the_reply_can_be_a_file(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "reply.txt").write_text(block("b = 2\n", "b = 3\n"))

    result = CliRunner().invoke(app, [str(tmp_path / "reply.txt"), "--file", str(workspace / "app.py")])

    assert result.exit_code == 0


def test_a_file_can_be_created_where_none_is(workspace: Path) -> None:
    result = run(block("", "n = 1\n", "lib/new.py"), workspace / "app.py", "--write")

    assert result.exit_code == 0
    assert (workspace / "lib" / "new.py").read_bytes() == b"n = 1\n"


def refused_kinds(result: Result) -> list[str]:
    assert result.exit_code == 1
    return [problem["kind"] for problem in json.loads(result.stdout)["problems"]]


def test_an_existing_file_that_was_not_shown_is_not_overwritten(workspace: Path) -> None:
    (workspace / "other.py").write_text("x = 1\n")

    result = run(block("", "n = 1\n", "other.py"), workspace / "app.py", "--json", "--write")

    assert refused_kinds(result) == ["not-shown"]
    assert (workspace / "other.py").read_text() == "x = 1\n"


def test_a_link_that_leaves_the_workspace_is_refused(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("a = 1\n")
    (workspace / "link.py").symlink_to(tmp_path / "outside.py")

    result = run(block("a = 1\n", "a = 2\n", "link.py"), workspace / "link.py", "--json", "--write")

    assert refused_kinds(result) == ["outside-workspace"]
    assert (tmp_path / "outside.py").read_text() == "a = 1\n"


def test_a_new_file_behind_a_link_that_leaves_the_workspace_is_refused(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace / "lib").symlink_to(tmp_path / "elsewhere")

    result = run(block("", "n = 1\n", "lib/new.py"), workspace / "app.py", "--json", "--write")

    assert refused_kinds(result) == ["outside-workspace"]
    assert not list((tmp_path / "elsewhere").iterdir())


def test_an_ignored_file_is_refused(workspace: Path) -> None:
    (workspace / ".gitignore").write_text("build/\n")

    shown = run(block("", "n = 1\n", "build/new.py"), workspace / "app.py", "--json")

    assert refused_kinds(shown) == ["not-shown"]


def test_a_file_that_holds_secrets_is_refused(workspace: Path) -> None:
    (workspace / ".env").write_text("KEY=1\n")

    assert refused_kinds(run(block("KEY=1\n", "KEY=2\n", ".env"), workspace / ".env", "--json")) == [
        "not-shown"
    ]


def test_a_binary_file_is_refused(workspace: Path) -> None:
    (workspace / "app.bin").write_bytes(b"a\0b\n")

    assert refused_kinds(run(block("a\n", "b\n"), workspace / "app.bin", "--json")) == ["binary"]


def test_an_edit_that_breaks_the_syntax_is_refused(workspace: Path) -> None:
    (workspace / "f.py").write_text("def f():\n    return 1\n")

    result = run(block("    return 1\n", "    return (1\n", "f.py"), workspace / "f.py", "--json")

    assert refused_kinds(result) == ["syntax"]


def test_without_a_repository_the_workspace_is_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("a = 1\n")

    result = run(block("a = 1\n", "a = 2\n", "../app.py"), tmp_path / "app.py", "--json")

    assert refused_kinds(result) == ["outside-workspace"]


def test_an_escape_sequence_does_not_reach_the_terminal(workspace: Path) -> None:
    (workspace / "esc.txt").write_text("x\x1b]0;title\x07 = 1\n")

    result = run(block("x]0;title = 1\n", "y\n", "esc.txt"), workspace / "esc.txt")

    assert result.exit_code == 1
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("name", "message"),
    [("nope.py", "no such file"), (".", "is a directory"), ("app.py/x", "cannot be read|no such")],
)
def test_a_file_that_cannot_be_used_is_a_usage_error(workspace: Path, name: str, message: str) -> None:
    result = run(block("a = 1\n", "a = 2\n"), workspace / name)

    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    import re

    assert re.search(message, str(result.exception))


def test_a_reply_that_is_not_there_is_a_usage_error(workspace: Path) -> None:
    result = CliRunner().invoke(app, ["nope.txt", "--file", str(workspace / "app.py")])

    assert isinstance(result.exception, UsageError)
    assert "nope.txt cannot be read" in str(result.exception)


def test_a_missing_option_is_a_usage_error() -> None:
    assert CliRunner().invoke(app, ["-"]).exit_code == 2


def test_half_of_a_surrogate_pair_in_a_reply_is_refused_and_not_written(workspace: Path) -> None:
    reply = block("b = 2\n", "b = '\ud83d'\n").encode("utf-8", "surrogatepass")

    result = CliRunner().invoke(app, ["-", "--file", str(workspace / "app.py"), "--write"], input=reply)

    assert result.exit_code == 1
    assert "half of a surrogate pair" in result.output
    assert (workspace / "app.py").read_bytes() == b"a = 1\r\nb = 2\nc = '\xe9'\n"
