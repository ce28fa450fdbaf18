"""What `locate` and `secure` find is shown like findings of a review, in whichever file, and beside those."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.lsp.stage import CART, Stage, finding
from tests.support.fake_editor import Json
from tests.support.fake_model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEST = "from {module} import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
LOOP = "        result = price"
START = "    result = 0"


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def no_places_left(rich: Stage) -> AsyncIterator[None]:
    """Pass over the files of earlier tests, which lose their places to a later search."""
    yield
    rich.editor.drop("textDocument/publishDiagnostics")


def _found(stage: Stage, *found: Json) -> None:
    """Let all members name these, whatever they are asked."""
    stage.voices.answer = Answer(text=json.dumps({"findings": list(found)}))


async def _shown(stage: Stage, uri: str, count: int) -> list[tuple[int, str]]:
    """Wait until so many diagnostics of a document are shown; their lines and codes."""
    published = await stage.editor.message(
        "textDocument/publishDiagnostics",
        lambda params: params["uri"] == uri and len(params["diagnostics"]) == count,
    )
    return [(each["range"]["start"]["line"], each["code"]) for each in published["diagnostics"]]


def _stand(stage: Stage) -> tuple[str, str, str]:
    """Open a file and a test that imports it: the file's URI and path, the test's URI."""
    uri = stage.file()
    path = stage.voices.path
    module = path.removesuffix(".py")
    test = stage.file(TEST.format(module=module), f"test_{module}.py")
    stage.voices.path = path
    return uri, path, test


async def _locate(stage: Stage, path: str, test: str, line: int = 4, quote: str = LOOP) -> None:
    _found(stage, finding(line, quote, "It is set anew", path=path))
    await stage.editor.command("ensemble.locate", {"uri": test})


async def test_places_of_a_fault_are_shown_in_the_files_where_they_are(rich: Stage) -> None:
    uri, path, test = _stand(rich)
    await _locate(rich, path, test)
    assert await _shown(rich, uri, 1) == [(3, "fault-location")]


async def test_the_last_search_for_a_fault_has_the_last_word(rich: Stage) -> None:
    uri, path, test = _stand(rich)
    other, other_path, other_test = _stand(rich)
    await _locate(rich, path, test)
    await _shown(rich, uri, 1)
    await _locate(rich, other_path, other_test, 2, START)
    assert await _shown(rich, uri, 0) == []
    assert await _shown(rich, other, 1) == [(1, "fault-location")]


async def test_findings_of_a_review_stay_beside_the_places_of_a_fault(rich: Stage) -> None:
    uri, path, test = _stand(rich)
    _found(rich, finding(2, START, "It starts at zero", path=path))
    await rich.editor.command("ensemble.review", {"uri": uri})
    await _shown(rich, uri, 1)
    await _locate(rich, path, test)
    assert await _shown(rich, uri, 2) == [(1, "bug"), (3, "fault-location")]


async def test_a_place_is_offered_to_be_fixed(rich: Stage) -> None:
    uri, path, test = _stand(rich)
    await _locate(rich, path, test)
    await _shown(rich, uri, 1)
    (fix,) = [each for each in await rich.actions(uri, 3) if "Place 1" in each["title"]]
    rich.voices.answer = None
    await rich.run(fix)
    proposal = await rich.editor.message("ensemble/proposal")
    assert [file["uri"] for file in proposal["files"]] == [uri]


async def test_holes_are_shown_although_no_patch_was_found(rich: Stage) -> None:
    uri = rich.file(CART)
    hole = {**finding(4, LOOP, "Anybody sets the sum", path=rich.voices.path), "category": "CWE-20"}
    _found(rich, hole)
    await rich.editor.command("ensemble.secure", {"uri": uri})
    assert await _shown(rich, uri, 1) == [(3, "CWE-20")]
    _found(rich)
    await rich.editor.command("ensemble.secure", {"uri": uri})
    assert await _shown(rich, uri, 0) == []
    await rich.editor.message("window/showMessage", lambda params: "no findings" in params["message"])
