"""Dismissed findings: on this machine, and in a file that a team commits."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from ensemble_lsp.core.dismissals import Dismissal, Dismissals
from ensemble_lsp.core.errors import ConfigurationError
from ensemble_lsp.store.database import Database
from ensemble_lsp.store.dismissals import DismissalStore
from ensemble_lsp.store.dismissals_file import (
    BYTES_AT_MOST,
    PLACE,
    add_to_file,
    read_file,
    remove_from_file,
)


def entry(number: int = 1, path: str = "src/cart.py", **fields: object) -> Dismissal:
    return Dismissal.model_validate(
        {
            "fingerprint": f"{number:032x}",
            "path": path,
            "title": "The loop overwrites the sum",
            "category": "bug",
            "reason": "wontfix",
            "date": "2026-11-30",
            **fields,
        }
    )


def place(workspace: Path, text: str | bytes) -> Path:
    path = workspace / PLACE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# -- which findings are meant --------------------------------------------------------------------------------


def test_a_dismissal_counts_in_its_file_only() -> None:
    known = Dismissals([entry()])
    assert known.reason_for("src/cart.py", entry().fingerprint) == "wontfix"
    assert known.reason_for("src/pay.py", entry().fingerprint) is None
    assert known.reason_for("src/cart.py", entry(2).fingerprint) is None


def test_a_dismissal_follows_a_renamed_file() -> None:
    known = Dismissals([entry()], exists=lambda path: path != "src/cart.py")
    assert known.reason_for("shop/basket.py", entry().fingerprint) == "wontfix"
    assert known.reason_for("shop/basket.js", entry().fingerprint) is None


# -- on this machine -----------------------------------------------------------------------------------------


async def test_dismissals_of_one_workspace_are_not_those_of_another(database: Database) -> None:
    store = DismissalStore(database)
    await store.add("/w", entry())
    await store.add("/w", entry(2, "a.py"))
    assert await store.of("/w") == (entry(2, "a.py"), entry())
    assert await store.of("/v") == ()


async def test_the_last_word_on_a_finding_counts_and_can_be_taken_back(database: Database) -> None:
    store = DismissalStore(database)
    await store.add("/w", entry())
    await store.add("/w", entry(reason="wrong"))
    assert [item.reason for item in await store.of("/w")] == ["wrong"]
    await store.remove("/w", entry())
    assert await store.of("/w") == ()


# -- in the workspace ----------------------------------------------------------------------------------------


def test_no_file_is_no_dismissal(tmp_path: Path) -> None:
    assert read_file(tmp_path) == ()


def test_entries_are_sorted_and_one_field_a_line_so_that_merges_are_easy(tmp_path: Path) -> None:
    for item in (entry(3), entry(1, "z.py"), entry(2), entry(4, "a.py", title="Überschrift", reason="")):
        add_to_file(tmp_path, item)
    text = (tmp_path / PLACE).read_text(encoding="utf-8")
    assert text.endswith("]\n}\n")
    assert "Überschrift" in text
    content = json.loads(text)
    assert content["version"] == 1
    assert [(item["path"], item["fingerprint"][-1]) for item in content["dismissed"]] == [
        ("a.py", "4"),
        ("src/cart.py", "2"),
        ("src/cart.py", "3"),
        ("z.py", "1"),
    ]
    assert sum("fingerprint" in line for line in text.splitlines()) == 4
    assert set(content["dismissed"][0]) == {"fingerprint", "path", "title", "category", "reason", "date"}
    assert read_file(tmp_path) == (
        entry(4, "a.py", title="Überschrift", reason=""),
        entry(2),
        entry(3),
        entry(1, "z.py"),
    )


def test_adding_again_replaces_and_removing_takes_out(tmp_path: Path) -> None:
    add_to_file(tmp_path, entry())
    add_to_file(tmp_path, entry(reason="wrong"))
    assert read_file(tmp_path) == (entry(reason="wrong"),)
    remove_from_file(tmp_path, entry())
    assert read_file(tmp_path) == ()


def test_a_path_that_is_no_utf_8_comes_back_as_it_was(tmp_path: Path) -> None:
    odd = entry(path=os.fsdecode(b"caf\xe9.py"))
    add_to_file(tmp_path, odd)
    assert read_file(tmp_path) == (odd,)


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    items = [entry(number) for number in range(1, 25)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(partial(add_to_file, tmp_path), items))
    assert set(read_file(tmp_path)) == set(items)
    assert os.listdir(tmp_path / ".ensemble") == ["dismissed.json"]  # noqa: PTH208


GOOD = json.dumps({"version": 1, "dismissed": [entry().to_wire()]})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{\n<<<<<<< HEAD\n", "line 2 is not JSON (a merge is not finished)"),
        ("", "line 1 is not JSON"),
        (b"\xff{}", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "the file: "),
        ('{"version": 2, "dismissed": []}', "version: "),
        ('{"version": 1, "dismissed": [{"path": "a.py"}]}', "dismissed.0.fingerprint: "),
        (GOOD.replace('"bug"', f'"{"x" * 81}"'), "dismissed.0.category: "),
        (GOOD.replace('"bug"', '"bug", "by": "me"'), "dismissed.0.by: "),
        (b" " * (BYTES_AT_MOST + 1), "it is larger than 2048 KB"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "bytes",
)
def test_a_file_that_cannot_be_used_is_named_and_left_as_it_is(
    tmp_path: Path, content: str | bytes, says: str
) -> None:
    path = place(tmp_path, content)
    before = path.read_bytes()
    for attempt in (lambda: read_file(tmp_path), lambda: add_to_file(tmp_path, entry())):
        with pytest.raises(ConfigurationError) as caught:
            attempt()
        assert caught.value.message.startswith(f"{PLACE} cannot be used: ")
        assert says in caught.value.message
    assert path.read_bytes() == before


def test_a_link_in_the_repository_is_neither_followed_nor_written_through(tmp_path: Path) -> None:
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    workspace.mkdir()
    outside.mkdir()
    secret = outside / "dismissed.json"
    secret.write_text(GOOD, encoding="utf-8")
    (workspace / ".ensemble").symlink_to(outside)
    with pytest.raises(ConfigurationError, match="symbolic link"):
        add_to_file(workspace, entry(2))
    (workspace / ".ensemble").unlink()
    (workspace / ".ensemble").mkdir()
    (workspace / PLACE).symlink_to(secret)
    for attempt in (lambda: read_file(workspace), lambda: add_to_file(workspace, entry(2))):
        with pytest.raises(ConfigurationError, match="symbolic link"):
            attempt()
    assert secret.read_text(encoding="utf-8") == GOOD


def test_what_is_no_file_does_not_hang_a_review(tmp_path: Path) -> None:
    (tmp_path / ".ensemble").mkdir()
    os.mkfifo(tmp_path / PLACE)
    with pytest.raises(ConfigurationError, match="no regular file"):
        read_file(tmp_path)


def test_the_rights_of_the_file_stay(tmp_path: Path) -> None:
    path = place(tmp_path, GOOD)
    path.chmod(0o664)
    add_to_file(tmp_path, entry(2))
    assert path.stat().st_mode & 0o777 == 0o664
