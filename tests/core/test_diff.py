"""Hunks, their ids, undoing them, and diffs that git itself applies."""

import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given

from ensemble_lsp.core.diff import apply_hunks, changed_line_count, hunks_of, reverse, unified_diff
from ensemble_lsp.core.line_diff import line_changes
from ensemble_lsp.core.proposals import FileChange
from ensemble_lsp.core.text import SourceText
from tests.core.strategies import short_line, texts

short_texts = texts(short_line)


def change_of(before: str | None, after: str | None, path: str = "app.py") -> FileChange:
    return FileChange(
        path=path,
        before=None if before is None else SourceText(before),
        after=None if after is None else SourceText(after),
    )


@given(short_texts, short_texts)
def test_applying_gives_the_new_text_and_reversing_the_old(before: str, after: str) -> None:
    hunks = hunks_of(change_of(before, after))

    assert apply_hunks(SourceText(before), hunks).text == after
    assert apply_hunks(SourceText(after), reverse(hunks)).text == before


@given(texts(), texts())
def test_reversing_restores_the_bytes(before: str, after: str) -> None:
    old = SourceText.from_bytes(before.encode("utf-8", "surrogateescape"))
    new = SourceText.from_bytes(after.encode("utf-8", "surrogateescape"))
    hunks = hunks_of(FileChange(path="x", before=old, after=new))

    assert apply_hunks(apply_hunks(old, hunks), reverse(hunks)).to_bytes() == old.to_bytes()


@given(short_texts, short_texts)
def test_hunks_never_touch_and_have_ids_of_their_own(before: str, after: str) -> None:
    hunks = hunks_of(change_of(before, after))

    assert len({hunk.id for hunk in hunks}) == len(hunks)
    assert all(one.old_end < other.old_start for one, other in pairwise(hunks))


def test_an_id_does_not_depend_on_what_stands_elsewhere() -> None:
    one = hunks_of(change_of("a\nb\nc\n", "a\nB\nc\n"))
    moved = hunks_of(change_of("x\ny\na\nb\nc\n", "x\ny\na\nB\nc\n"))

    assert one[0].id == moved[0].id
    assert (one[0].old_start, moved[0].old_start) == (1, 3)


def test_equal_hunks_are_told_apart_by_their_order() -> None:
    hunks = hunks_of(change_of("a\nx\na\n", "b\nx\nb\n"))

    assert hunks[0].old_lines == hunks[1].old_lines
    assert hunks[0].id != hunks[1].id


def test_a_hunk_that_does_not_fit_is_refused() -> None:
    hunks = hunks_of(change_of("a\nb\n", "a\nc\n"))

    with pytest.raises(ValueError, match="does not fit at line 2"):
        apply_hunks(SourceText("a\nx\n"), hunks)


def test_an_insertion_stands_in_the_last_place_that_it_could() -> None:
    changes = line_changes(["a", "}", "", "b"], ["a", "}", "", "a", "}", "", "b"])

    assert [(change.old_start, change.new_start, change.new_end) for change in changes] == [(3, 3, 6)]


def test_texts_without_a_common_line_are_one_change() -> None:
    changes = line_changes([f"a{i % 7}" for i in range(3000)], [f"b{i % 5}" for i in range(3000)])

    assert len(changes) == 1


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [("a\nb\n", "a\nc\n", 2), ("a\n", "a\nb\n", 1), (None, "a\nb\n", 2), ("a\n", None, 1), ("a", "a", 0)],
)
def test_changed_lines_are_those_removed_and_those_added(
    before: str | None, after: str | None, count: int
) -> None:
    assert changed_line_count(change_of(before, after)) == count


def test_a_diff_reads_as_git_writes_it() -> None:
    assert unified_diff([change_of("a\nb\nc", "a\nB\nc")], context=1) == (
        "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
        "\\ No newline at end of file\n"
    )


def test_nothing_changed_gives_no_diff() -> None:
    assert unified_diff([change_of("a\n", "a\n")]) == ""


GIT_CASES: list[tuple[str, dict[str, tuple[bytes | None, bytes | None]]]] = [
    ("carriage returns", {"a.py": (b"a\r\nb\nc\rd\r\n", b"a\r\nB\nc\rD\r\n")}),
    ("a byte order mark in the context", {"a.py": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nc\n")}),
    ("bytes that do not decode", {"a.py": (b"caf\xe9\nb\n", b"caf\xe9\nc\n")}),
    ("a declared encoding", {"a.py": (b"# coding: latin-1\n\xe9\n", b"# coding: latin-1\n\xe8\n")}),
    ("a final newline that goes", {"a.py": (b"a\nb\n", b"a\nb")}),
    ("a final newline that comes", {"a.py": (b"a\nb", b"a\nb\nc\n")}),
    ("a new file and a deleted one", {"n/new.py": (None, b"n\n"), "old.py": (b"o", None)}),
    ("an empty new file and an empty deleted one", {"new.py": (None, b""), "old.py": (b"", None)}),
    ("blanks, quotes, letters in names", {"a b.py": (b"a\n", b"b\n"), 'q"\t.py': (b"a\n", b"b\n"), "é": (None, b"a")}),
    ("line separators in lines", {"a.py": ("x\u2028y\x85\f\n1".encode(), "x\u2028y\x85\f\n2".encode())}),
]  # fmt: skip


@pytest.mark.parametrize("files", [pytest.param(files, id=name) for name, files in GIT_CASES])
def test_git_applies_the_diff(files: dict[str, tuple[bytes | None, bytes | None]], tmp_path: Path) -> None:
    changes: list[FileChange] = []
    for path, (before, after) in files.items():
        if before is not None:
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_bytes(before)
        old, new = (None if data is None else SourceText.from_bytes(data) for data in (before, after))
        changes.append(FileChange(path=path, before=old, after=new))

    _git_apply(tmp_path, unified_diff(changes))

    for path, (_, after) in files.items():
        target = tmp_path / path
        assert (target.read_bytes() if target.exists() else None) == after


def test_git_applies_diffs_of_random_texts(tmp_path: Path) -> None:
    changes: list[FileChange] = []

    @given(short_texts, short_texts)
    def collect(before: str, after: str) -> None:
        if before != after:
            changes.append(change_of(before, after, f"{len(changes)}.txt"))

    collect()
    for change in changes:
        (tmp_path / change.path).write_bytes(change.before.to_bytes() if change.before else b"")

    _git_apply(tmp_path, unified_diff(changes))

    for change in changes:
        assert (tmp_path / change.path).read_bytes() == (change.after.to_bytes() if change.after else b"")


def _git_apply(folder: Path, diff: str) -> None:
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"],
        input=diff.encode("utf-8", "surrogateescape"),
        cwd=folder,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent), "HOME": str(folder)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()


def test_half_of_a_surrogate_pair_in_an_editors_latin_1_file_ended_its_diff() -> None:
    before = SourceText("a = '\ud83d'\nb = 1\n", "iso8859-1")
    change = FileChange(path="app.py", before=before, after=before.with_text("a = '\ud83d'\nb = 2\n"))

    assert "+b = 2\n" in unified_diff((change,))
