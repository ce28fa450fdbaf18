"""Which lines of a commit message are a person's words."""

import pytest

from ensemble_lsp.core.commit_messages import (
    is_commit_message,
    is_message_in_git_folder,
    kept_lines,
    repository_of_message,
    room_for_message,
    said_lines,
)

MESSAGE = """\
Add the prices up

The loop forgot the sum.
Note: it does not now.

Signed-off-by: Ada <ada@example.org>
Change-Id: I0123
# Please enter the commit message for your changes.
#
# ------------------------ >8 ------------------------
# Do not modify or remove the line above.
diff --git a/cart.py b/cart.py
+x
"""


def test_trailers_comments_and_what_is_below_the_scissors_are_not_said():
    assert said_lines(MESSAGE) == (0, 3)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Fix\n", (0, 0)),
        ("fix: the sum\n", (0, 0)),
        ("\n\nFix\n\nBody.\n", (2, 4)),
        ("Fix\n\nBody.\n# a comment\nMore.\n", (0, 2)),
        ("Fix\n\nReviewed-by: A\n continued\n", (0, 0)),
        ("# only\n# comments\n", None),
        ("", None),
    ],
)
def test_where_the_words_begin_and_end(text: str, lines: tuple[int, int] | None):
    assert said_lines(text) == lines


def test_who_signed_and_what_is_closed_is_kept():
    kept = kept_lines("Fix\n\nNote: words\nFixes: #12\nCo-authored-by: A <a@b>\n# comment\n")

    assert set(kept) == {"Fixes: #12", "Co-authored-by: A <a@b>", "# comment"}


def test_only_the_messages_of_the_git_folder_may_be_looked_at():
    assert is_commit_message(".git/COMMIT_EDITMSG")
    assert is_message_in_git_folder(".git/COMMIT_EDITMSG")
    assert is_message_in_git_folder("libs/shop/.git/COMMIT_EDITMSG")
    assert is_message_in_git_folder(".git/worktrees/hotfix/COMMIT_EDITMSG")
    assert not is_message_in_git_folder(".git/config")
    assert not is_message_in_git_folder(".git/modules/shop/.git/COMMIT_EDITMSG")
    assert not is_message_in_git_folder(".git/hooks/COMMIT_EDITMSG")
    assert not is_commit_message("COMMIT_EDITMSG.md")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", (0, 0)),
        ("\n# comment\n", (0, 0)),
        ("# comment\n", (0, -1)),
        ("\n\nSigned-off-by: A <a@b>\n", (0, 0)),
    ],
)
def test_a_message_that_nobody_has_begun_goes_to_the_top(text: str, lines: tuple[int, int]):
    assert said_lines(text) is None
    assert room_for_message(text) == lines


def test_a_subject_that_looks_like_a_trailer_is_said():
    assert said_lines("Fixes: the sum\n# comment\n") == (0, 0)


@pytest.mark.parametrize(
    ("path", "asked_in", "inner"),
    [
        ("COMMIT_EDITMSG", "", ""),
        ("libs/shop/COMMIT_EDITMSG", "libs/shop", "libs/shop"),
        (".git/COMMIT_EDITMSG", "", ""),
        ("libs/shop/.git/MERGE_MSG", "libs/shop", "libs/shop"),
        (".git/worktrees/hotfix/COMMIT_EDITMSG", ".git/worktrees/hotfix", ""),
        ("libs/.git/worktrees/hotfix/COMMIT_EDITMSG", "libs/.git/worktrees/hotfix", "libs"),
    ],
)
def test_the_repository_of_a_message_is_told_from_its_place(path: str, asked_in: str, inner: str):
    assert repository_of_message(path) == (asked_in, inner)
