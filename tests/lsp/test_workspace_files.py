"""Files renamed, deleted, made or changed while a job runs or a result waits: results follow, nothing returns."""

from pathlib import Path

import pytest

from tests.lsp.stage import BUG, CART, REPAIR, Stage, finding
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)


def _renamed(stage: Stage, old: Path, new: Path) -> str:
    """Rename a file as an editor does: on the disk, its document closed and opened anew, the server told."""
    new.parent.mkdir(parents=True, exist_ok=True)
    old.rename(new)
    text = stage.editor.texts[old.as_uri()]
    stage.editor.close(old.as_uri())
    uri = stage.editor.open(new, text)
    stage.editor.notify(
        "workspace/didRenameFiles", {"files": [{"oldUri": old.as_uri(), "newUri": new.as_uri()}]}
    )
    return uri


def _deleted(stage: Stage, path: Path) -> None:
    path.unlink()
    stage.editor.notify("workspace/didDeleteFiles", {"files": [{"uri": path.as_uri()}]})


async def _thinking(stage: Stage, uri: str) -> None:
    stage.voices.gate.clear()
    calls = len(stage.server.calls)
    await stage.fix(uri)
    await stage.server.wait_for_calls(calls + 2)


async def _reviewed(stage: Stage, uri: str) -> Json:
    stage.voices.findings = [finding(4, BUG.strip(), path=stage.voices.path)]
    await stage.editor.command("ensemble.review", {"uri": uri, "mode": "quick"})
    (shown,) = await stage.diagnostics(uri)
    return shown


async def test_file_renamed_during_the_job_gets_the_proposal_under_its_new_name(full: Stage) -> None:
    uri = full.file()
    old = full.path
    await _thinking(full, uri)
    new_uri = _renamed(full, old, full.workspace / "till" / "totals.py")
    full.voices.gate.set()
    proposal = await full.editor.message("ensemble/proposal")
    assert [file["uri"] for file in proposal["files"]] == [new_uri]
    assert (await full.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert full.editor.texts[new_uri] == FIXED
    assert not old.exists()
    assert not full.editor.unexpected()


async def test_another_file_at_the_old_name_is_not_the_one_that_was_renamed(full: Stage) -> None:
    uri = full.file()
    old = full.path
    await _thinking(full, uri)
    new_uri = _renamed(full, old, full.workspace / "moved_away.py")
    old.write_text(CART, encoding="utf-8")
    other = full.editor.open(old)
    full.voices.gate.set()
    proposal = await full.editor.message("ensemble/proposal")
    await full.editor.command("ensemble.apply", {"proposal": proposal["proposal"]})
    assert (full.editor.texts[new_uri], full.editor.texts[other]) == (FIXED, CART)


async def test_waiting_proposal_follows_its_folder(full: Stage) -> None:
    full.number += 1
    uri = full.file(name=f"shop_{full.number}/cart.py")
    folder = full.path.parent
    await full.fix(uri)
    first = await full.editor.message("ensemble/proposal")
    full.editor.close(uri)
    moved = folder.rename(full.workspace / f"store_{full.number}")
    full.editor.notify(
        "workspace/didRenameFiles", {"files": [{"oldUri": folder.as_uri(), "newUri": moved.as_uri()}]}
    )
    again = await full.editor.message(
        "ensemble/proposal", lambda params: params["files"][0]["uri"] == (moved / "cart.py").as_uri()
    )
    assert again["revision"] > first["revision"]
    assert again["files"][0]["hunks"][0]["id"] == first["files"][0]["hunks"][0]["id"]
    full.editor.drop("ensemble/proposal")


async def test_findings_follow_a_rename(full: Stage) -> None:
    uri = full.file()
    shown = await _reviewed(full, uri)
    new_uri = _renamed(full, full.path, full.workspace / "renamed_cart.py")
    assert await full.diagnostics(uri) == []
    (there,) = await full.diagnostics(new_uri)
    assert (there["data"], there["range"]) == (shown["data"], shown["range"])
    full.voices.path = "renamed_cart.py"
    (fix,) = [each for each in await full.actions(new_uri, only=["quickfix"]) if "fix" in each["title"]]
    await full.run(fix)
    proposal = await full.editor.message("ensemble/proposal")
    assert proposal["files"][0]["uri"] == new_uri
    await full.editor.command("ensemble.reject", {"proposal": proposal["proposal"]})


async def test_proposal_for_a_deleted_file_is_a_conflict_though_its_text_is_still_open(full: Stage) -> None:
    uri = full.file()
    await full.fix(uri)
    first = await full.editor.message("ensemble/proposal")
    _deleted(full, full.path)
    again = await full.editor.message(
        "ensemble/proposal", lambda params: params["revision"] > first["revision"]
    )
    assert again["files"][0]["conflict"] == "the file is gone"
    with pytest.raises(ServerError, match="the file is gone"):
        await full.editor.command("ensemble.apply", {"proposal": first["proposal"]})
    assert not full.path.exists()
    assert full.editor.texts[uri] == CART
    assert not full.editor.unexpected()


async def test_file_made_again_can_be_changed_again(full: Stage) -> None:
    uri = full.file()
    await full.fix(uri)
    proposal = await full.editor.message("ensemble/proposal")
    _deleted(full, full.path)
    full.path.write_text(CART, encoding="utf-8")
    full.editor.notify("workspace/didCreateFiles", {"files": [{"uri": uri}]})
    assert (await full.editor.command("ensemble.apply", {"proposal": proposal["proposal"]}))["applied"]
    assert full.editor.texts[uri] == FIXED
    full.editor.drop("ensemble/proposal")


async def test_findings_of_a_deleted_file_go(full: Stage) -> None:
    uri = full.file()
    await _reviewed(full, uri)
    _deleted(full, full.path)
    assert await full.diagnostics(uri) == []
    assert not full.editor.unexpected()


async def test_closed_file_that_changed_on_the_disk_is_merged_and_shown_anew(full: Stage) -> None:
    uri = full.file()
    await full.fix(uri)
    first = await full.editor.message("ensemble/proposal")
    full.editor.close(uri)
    full.path.write_text(f"# by a formatter\n{CART}", encoding="utf-8")
    full.editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 2}]})
    again = await full.editor.message(
        "ensemble/proposal", lambda params: params["files"][0]["hunks"][0]["oldStart"] == 4
    )
    assert again["revision"] > first["revision"]
    full.editor.drop("ensemble/proposal")


async def test_only_files_that_results_speak_of_are_watched(full: Stage) -> None:
    before = len(full.editor.asked)

    def watched() -> list[Json]:
        return [
            watcher["globPattern"]
            for method, params in full.editor.asked[before:]
            if method == "client/registerCapability"
            for registration in params["registrations"]
            if registration["method"] == "workspace/didChangeWatchedFiles"
            for watcher in registration["registerOptions"]["watchers"]
        ]

    uri = full.file(name="odd[1].py")
    await full.fix(uri)
    await full.editor.message("ensemble/proposal")
    await full.editor.until(lambda: bool(watched()))
    assert {"baseUri": full.workspace.as_uri(), "pattern": "odd?1?.py"} in watched()
    assert not any("*" in str(pattern["pattern"]) for pattern in watched())


async def test_removed_folder_takes_its_jobs_along(full: Stage) -> None:
    second = full.home / "second"
    uri = full.file(folder=second)
    await _thinking(full, uri)
    folder = {"uri": second.as_uri(), "name": second.name}
    full.editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    ended = await full.editor.message("ensemble/event", lambda params: params["kind"] == "finished")
    assert ended["status"] == "cancelled"
    full.editor.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
    full.voices.gate.set()
    await full.fix(uri)
    assert await full.editor.message("ensemble/proposal")
    assert not full.editor.unexpected()
