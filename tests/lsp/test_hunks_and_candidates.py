"""A proposal hunk by hunk: what stands behind each, other candidates, several files, and what comes after."""

import asyncio

import pytest

from tests.lsp.stage import BUG, CART, MEMBERS, REPAIR, Stage, block
from tests.support.fake_editor import Json, ServerError, file_of
from tests.support.fake_model_server import Answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

FIXED = CART.replace(BUG, REPAIR)
FIVE = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"
UNDEFINED = FIVE.replace("a = 1", "a = prise")
"""What ruff has something to say about: two changes that silence it are two candidates."""
CONTENT_MODIFIED, INVALID_PARAMS = -32801, -32602


async def _proposal(stage: Stage, uri: str, **argument: object) -> Json:
    await stage.fix(uri, **argument)
    return await stage.editor.message("ensemble/proposal")


async def _apply(stage: Stage, proposal: Json, **argument: object) -> Json:
    answer: Json = await stage.editor.command(
        "ensemble.apply", {"proposal": proposal["proposal"], **argument}
    )
    return answer


def _hunks(proposal: Json) -> list[Json]:
    return [hunk for file in proposal["files"] for hunk in file["hunks"]]


# -- what stands behind a hunk ------------------------------------------------------------------------------


async def test_hunk_says_who_wrote_it_why_and_what_it_answers(rich: Stage) -> None:
    uri = rich.file(FIVE)
    path = rich.voices.path
    ours, theirs = block(path, "a = 1\n", "a = 10\n"), block(path, "e = 5\n", "e = 50\n")
    reply = f"Two values are off.\n\nTens were meant here.\n\n{ours}\nAnd fifty there.\n\n{theirs}"
    rich.voices.changes = dict.fromkeys(MEMBERS, reply)
    span = {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 5}}
    diagnostic = {"range": span, "message": "e is too small\nvery", "source": "lint", "code": "X1"}
    first, second = _hunks(await _proposal(rich, uri, diagnostics=[diagnostic]))
    assert (first["why"], second["why"]) == ("Tens were meant here.", "And fifty there.")
    families = {"kind": "families", "source": "alpha, beta", "text": "2 families wrote this"}
    assert [each for each in first["evidence"] if each["kind"] != "check"] == [families]
    assert [each for each in second["evidence"] if each["kind"] != "check"] == [
        families,
        {"kind": "diagnostic", "source": "lint X1", "text": "e is too small"},
    ]
    assert not rich.editor.unexpected()


async def test_hunk_that_one_family_alone_wrote(rich: Stage) -> None:
    proposal, other = await _two_candidates(
        rich, [("e = 5\n", "e = 50\n")], [("e = 5\n", "e = 50\n"), ("c = 3\n", "c = 30\n")]
    )
    seen = {proposal["candidate"]: proposal, other: await _seen_with(rich, proposal, other)}
    longer = max(seen.values(), key=lambda each: len(_hunks(each)))
    texts = {hunk["newLines"][0]: hunk["evidence"][0]["text"] for hunk in _hunks(longer)}
    assert texts["e = 50\n"] == "2 families wrote this"
    assert texts["c = 30\n"] == "one family wrote this"
    assert not rich.editor.unexpected()


async def test_static_check_of_the_changed_file_stands_behind_its_hunk(rich: Stage) -> None:
    proposal = await _proposal(rich, rich.file())
    (hunk,) = _hunks(proposal)
    checks = {each["source"]: each["outcome"] for each in hunk["evidence"] if each["kind"] == "check"}
    assert checks["syntax"] == "passed"


# -- candidates ---------------------------------------------------------------------------------------------


Edits = list[tuple[str, str]]
TENS: Edits = [("e = 5\n", "e = 50\n")]
ELEVENS: Edits = [("e = 5\n", "e = 55\n")]


async def _two_candidates(stage: Stage, one: Edits = TENS, two: Edits = ELEVENS) -> tuple[Json, str]:
    """Return a proposal, and the id of its other candidate; both also mend the undefined name, each in its way."""
    uri = stage.file(UNDEFINED)
    path = stage.voices.path
    stage.voices.changes = {
        name: "".join(block(path, old, new) for old, new in [("a = prise\n", mended), *edits])
        for name, mended, edits in zip(MEMBERS, ("a = 10\n", "a = 11\n"), (one, two), strict=True)
    }
    span = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}}
    told = {
        "range": span,
        "message": "Undefined name `prise`",
        "source": "ruff",
        "code": "F821",
        "severity": 1,
    }
    proposal = await _proposal(stage, uri, diagnostics=[told])
    (other,) = [each["id"] for each in proposal["candidates"] if each["id"] != proposal["candidate"]]
    return proposal, other


async def _seen_with(stage: Stage, proposal: Json, candidate: str) -> Json:
    seen: Json = await stage.editor.request(
        "ensemble/candidate", {"proposal": proposal["proposal"], "candidate": candidate}
    )
    return seen


def _written(seen: Json, text: str) -> str:
    for hunk in _hunks(seen):
        text = text.replace("".join(hunk["oldLines"]), "".join(hunk["newLines"]))
    return text


async def test_other_candidate_is_shown_without_changing_anything(rich: Stage) -> None:
    proposal, other = await _two_candidates(rich)
    seen = await _seen_with(rich, proposal, other)
    assert seen["candidate"] == other
    assert {hunk["id"] for hunk in _hunks(seen)}.isdisjoint(hunk["id"] for hunk in _hunks(proposal))
    assert seen["revision"] == proposal["revision"]
    assert await _seen_with(rich, proposal, proposal["candidate"]) == proposal
    assert not rich.editor.unexpected()


async def test_accepting_after_switching_takes_the_candidate_on_the_screen(rich: Stage) -> None:
    proposal, other = await _two_candidates(rich)
    seen = await _seen_with(rich, proposal, other)
    hunks = [hunk["id"] for hunk in _hunks(seen)]
    assert await _apply(rich, proposal, candidate=other, hunks=hunks) == {"applied": True}
    assert rich.editor.texts[proposal["files"][0]["uri"]] == _written(seen, UNDEFINED)
    assert not rich.editor.unexpected()


async def test_text_of_the_other_candidate_for_its_diff(rich: Stage) -> None:
    proposal, other = await _two_candidates(rich)
    seen = await _seen_with(rich, proposal, other)
    uri = proposal["files"][0]["uri"]
    preview = await rich.editor.request(
        "ensemble/proposalText", {"proposal": proposal["proposal"], "uri": uri, "candidate": other}
    )
    assert preview["text"] == _written(seen, UNDEFINED)


async def test_hunks_of_one_candidate_are_not_those_of_another(rich: Stage) -> None:
    proposal, other = await _two_candidates(rich)
    with pytest.raises(ServerError, match="no hunk") as refused:
        await _apply(rich, proposal, candidate=other, hunks=[_hunks(proposal)[0]["id"]])
    assert refused.value.code == INVALID_PARAMS
    assert rich.editor.texts[proposal["files"][0]["uri"]] == UNDEFINED


async def test_rest_of_the_candidate_that_was_taken_in_part_is_what_is_shown_next(rich: Stage) -> None:
    proposal, other = await _two_candidates(rich)
    first, second = _hunks(await _seen_with(rich, proposal, other))
    assert (await _apply(rich, proposal, candidate=other, hunks=[first["id"]]))["applied"]
    again = await rich.editor.message("ensemble/proposal")
    assert again["candidate"] == other
    assert [hunk["id"] for hunk in _hunks(again)] == [second["id"]]
    assert not rich.editor.unexpected()


async def test_candidate_that_is_not_there(rich: Stage) -> None:
    proposal = await _proposal(rich, rich.file())
    with pytest.raises(ServerError, match="no candidate") as refused:
        await _seen_with(rich, proposal, "cffffffff")
    assert (refused.value.code, (refused.value.data or {})["field"]) == (INVALID_PARAMS, "candidate")


# -- accepting, again and back ------------------------------------------------------------------------------


async def _two_hunks(stage: Stage, uri: str) -> tuple[Json, str, str]:
    stage.voices.blocks = [("a = 1\n", "a = 10\n"), ("e = 5\n", "e = 50\n")]
    proposal = await _proposal(stage, uri)
    first, second = (hunk["id"] for hunk in _hunks(proposal))
    return proposal, first, second


async def test_second_hunk_accepted_before_the_first_has_arrived(rich: Stage) -> None:
    uri = rich.file(FIVE)
    proposal, first, second = await _two_hunks(rich, uri)
    both = await asyncio.gather(_apply(rich, proposal, hunks=[first]), _apply(rich, proposal, hunks=[second]))
    assert both == [{"applied": True}, {"applied": True}]
    assert rich.editor.texts[uri] == FIVE.replace("a = 1", "a = 10").replace("e = 5", "e = 50")


async def test_same_hunk_accepted_twice_at_once_is_applied_once(bare: Stage) -> None:
    # This client knows no versions: nothing but the server keeps the second edit from being made.
    bare.editor.answers["window/showMessageRequest"] = lambda _: None
    uri = bare.file("a = 1\n")
    bare.voices.blocks = [("a = 1\n", "a = 1\nb = 2\n")]
    await bare.fix(uri)
    await bare.editor.message("window/showMessage")
    (offer,) = [each for each in await bare.actions(uri, 0) if "apply fix" in each["title"]]
    once, twice = await asyncio.gather(bare.run(offer), bare.run(offer), return_exceptions=True)
    assert once == {"applied": True}
    assert isinstance(twice, ServerError)
    assert twice.code == CONTENT_MODIFIED
    assert bare.editor.texts[uri] == "a = 1\nb = 2\n"
    assert not bare.editor.unexpected()


async def test_hunk_that_was_accepted_already(rich: Stage) -> None:
    uri = rich.file(FIVE)
    proposal, first, _ = await _two_hunks(rich, uri)
    assert (await _apply(rich, proposal, hunks=[first]))["applied"]
    with pytest.raises(ServerError, match="already is as proposed") as refused:
        await _apply(rich, proposal, hunks=[first])
    assert refused.value.code == CONTENT_MODIFIED


async def test_undo_brings_the_hunk_back(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)
    assert (await _apply(rich, proposal))["applied"]
    assert not any("apply fix" in action["title"] for action in await rich.actions(uri))
    rich.editor.type(uri, 3, 0, BUG, until=(4, 0))
    assert rich.editor.texts[uri] == CART
    again = await rich.editor.message("ensemble/proposal")
    assert again["revision"] > proposal["revision"]
    assert _hunks(again) == _hunks(proposal)
    assert any("apply fix" in action["title"] for action in await rich.actions(uri))
    assert (await _apply(rich, proposal))["applied"]
    assert rich.editor.texts[uri] == FIXED
    assert not rich.editor.unexpected()


async def test_lines_rewritten_after_they_were_accepted_are_no_conflict_that_is_shown(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)
    assert (await _apply(rich, proposal))["applied"]
    rich.editor.type(uri, 3, 0, "        result = result - price\n", until=(4, 0))
    rich.editor.type(uri, 0, 0, "# x\n")
    assert not any("apply fix" in action["title"] for action in await rich.actions(uri, 4))
    other = await _proposal(rich, rich.file())
    assert other["proposal"] != proposal["proposal"]
    assert not rich.editor.unexpected(), "nothing more was said of the one that is done"


async def test_apply_of_a_proposal_that_was_discarded_meanwhile(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)
    (offer,) = [each for each in await rich.actions(uri) if "apply fix" in each["title"]]
    await rich.editor.command("ensemble.reject", {"proposal": proposal["proposal"]})
    with pytest.raises(ServerError, match="no proposal") as refused:
        await rich.run(offer)
    assert (refused.value.code, (refused.value.data or {})["field"]) == (INVALID_PARAMS, "proposal")
    assert rich.editor.texts[uri] == CART


async def test_rejecting_a_hunk_that_never_was(rich: Stage) -> None:
    proposal = await _proposal(rich, rich.file())
    with pytest.raises(ServerError, match="no hunk"):
        await rich.editor.command(
            "ensemble.reject", {"proposal": proposal["proposal"], "hunks": ["0123456789abcdef"]}
        )


# -- what editors do with an edit ---------------------------------------------------------------------------


async def test_typing_that_is_sent_together_with_the_edit_still_counts_as_applied(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)

    def applied_and_typed(_: Json) -> Json:
        # One notification with both, as an editor that collects changes sends it: the text proposed never is seen.
        rich.editor.replace_text(uri, f"# and on\n{FIXED}")
        return {"applied": True}

    rich.editor.answers["workspace/applyEdit"] = applied_and_typed
    assert await _apply(rich, proposal) == {"applied": True}
    assert not rich.editor.unexpected()


async def test_typing_elsewhere_while_the_edit_is_on_its_way(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)
    apply = rich.editor.answers["workspace/applyEdit"]

    def typed_first(params: Json) -> Json:
        rich.editor.type(uri, 0, 0, "# mine\n")
        rich.editor.answers["workspace/applyEdit"] = apply
        answer: Json = apply(params)
        return answer

    rich.editor.answers["workspace/applyEdit"] = typed_first
    assert await _apply(rich, proposal) == {"applied": False, "failureReason": "stale version"}
    again = await rich.editor.message("ensemble/proposal")
    assert again["files"][0]["version"] == 2
    assert (await _apply(rich, again))["applied"]
    assert rich.editor.texts[uri] == f"# mine\n{FIXED}"
    assert not rich.editor.unexpected()


async def _two_files(stage: Stage) -> tuple[Json, str, str]:
    first = stage.file("from pair_two import price\ntotal = price\n", "pair_one.py")
    second = stage.file("price = 1\n", "pair_two.py")
    stage.voices.changes = dict.fromkeys(
        MEMBERS,
        block("pair_one.py", "total = price\n", "total = price * 2\n")
        + block("pair_two.py", "price = 1\n", "price = 10\n"),
    )
    return await _proposal(stage, first), first, second


async def test_editor_that_skips_one_file_and_says_applied(rich: Stage) -> None:
    proposal, first, second = await _two_files(rich)
    apply = rich.editor.answers["workspace/applyEdit"]

    def skips_the_first(params: Json) -> Json:
        params["edit"]["documentChanges"] = params["edit"]["documentChanges"][1:]
        answer: Json = apply(params)
        return answer

    rich.editor.answers["workspace/applyEdit"] = skips_the_first
    answer = await _apply(rich, proposal)
    assert answer["applied"] is False
    assert "changed pair_two.py and not pair_one.py" in answer["failureReason"]
    assert "total = price\n" in rich.editor.texts[first]
    again = await rich.editor.message("ensemble/proposal")
    assert [len(file["hunks"]) for file in again["files"]] == [1, 0]
    rich.editor.answers["workspace/applyEdit"] = apply
    assert (await _apply(rich, again))["applied"]
    assert "price * 2" in rich.editor.texts[first]
    assert rich.editor.texts[second] == "price = 10\n"
    assert not rich.editor.unexpected()


async def test_editor_that_writes_a_file_without_opening_it(rich: Stage) -> None:
    uri = rich.file()
    proposal = await _proposal(rich, uri)
    rich.editor.close(uri)
    await rich.editor.message("ensemble/proposal")

    def writes(_: Json) -> Json:
        file_of(uri).write_text(FIXED, encoding="utf-8")
        return {"applied": True}

    rich.editor.answers["workspace/applyEdit"] = writes
    assert await _apply(rich, proposal) == {"applied": True}
    assert not rich.editor.unexpected()


def _edits(stage: Stage) -> int:
    return sum(method == "workspace/applyEdit" for method, _ in stage.editor.asked)


async def _refactored(stage: Stage, uri: str, **argument: object) -> Json:
    """Return the proposal of a refactoring, which may touch many files and create some."""
    await stage.editor.command("ensemble.refactor", {"uri": uri, "instruction": "take it apart", **argument})
    proposal: Json = await stage.editor.message("ensemble/proposal")
    return proposal


def _patch(body: str) -> Answer:
    """Return an answer in the form that can create and delete files."""
    return Answer(text=f"*** Begin Patch\n{body}*** End Patch\n")


async def test_file_is_created_in_the_same_edit(rich: Stage) -> None:
    uri = rich.file(FIVE)
    rich.voices.answer = _patch(
        f"*** Update File: {rich.voices.path}\n@@\n-a = 1\n+from made import a\n b = 2\n"
        "*** Add File: made.py\n+a = 10\n"
    )
    proposal = await _refactored(rich, uri)
    assert [file["kind"] for file in proposal["files"]] == ["change", "create"]
    edits = _edits(rich)
    assert (await _apply(rich, proposal))["applied"]
    assert _edits(rich) == edits + 1
    assert rich.editor.texts[(rich.workspace / "made.py").as_uri()] == "a = 10\n"
    assert rich.editor.texts[uri].startswith("from made import a\n")
    assert not rich.editor.unexpected()


async def test_created_file_can_be_left_out(rich: Stage) -> None:
    uri = rich.file(FIVE)
    rich.voices.answer = _patch(
        f"*** Update File: {rich.voices.path}\n@@\n-a = 1\n+a = 10\n b = 2\n"
        "*** Add File: left_out.py\n+x = 1\n"
    )
    proposal = await _refactored(rich, uri)
    _, create = proposal["files"]
    await rich.editor.command(
        "ensemble.reject", {"proposal": proposal["proposal"], "hunks": [create["hunks"][0]["id"]]}
    )
    assert (await _apply(rich, proposal))["applied"]
    assert rich.editor.texts[uri].startswith("a = 10\n")
    assert not (rich.workspace / "left_out.py").exists()
    assert not rich.editor.unexpected()


async def test_file_is_deleted_in_the_same_edit(rich: Stage) -> None:
    gone = rich.workspace / "gone_helper.py"
    gone.write_text("VALUE = 1\n", encoding="utf-8")
    uri = rich.file("from gone_helper import VALUE\nprint(VALUE)\n")
    rich.voices.answer = _patch(
        f"*** Delete File: gone_helper.py\n*** Update File: {rich.voices.path}\n@@\n"
        "-from gone_helper import VALUE\n+VALUE = 1\n print(VALUE)\n"
    )
    proposal = await _proposal(rich, uri)
    assert {file["kind"] for file in proposal["files"]} == {"change", "delete"}
    edits = _edits(rich)
    assert (await _apply(rich, proposal))["applied"]
    assert _edits(rich) == edits + 1
    assert not gone.exists()
    assert rich.editor.texts[uri] == "VALUE = 1\nprint(VALUE)\n"
    assert not rich.editor.unexpected()


async def test_forty_files_are_one_edit_and_typing_in_one_of_them_is_few_messages(rich: Stage) -> None:
    uses = [f"use_{number:02}.py" for number in range(39)]
    before = "from forty import total\n\nprint(total([1]))\n"
    for name in uses:
        (rich.workspace / name).write_text(before, encoding="utf-8")
    uri = rich.file("def total(prices):\n    return sum(prices)\n", "forty.py")
    after = before.replace("total", "sum_of")
    rich.voices.changes = dict.fromkeys(
        MEMBERS,
        block("forty.py", "def total(prices):\n", "def sum_of(prices):\n")
        + "".join(block(name, before, after) for name in uses),
    )
    span = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}}
    proposal = await _refactored(rich, uri, range=span)
    assert len(proposal["files"]) == 40
    for number in range(30):
        rich.editor.type(uri, 0, 0, f"# {number}\n")
    last = await rich.editor.message("ensemble/proposal", lambda each: each["files"][0]["version"] == 31)
    assert last["revision"] - proposal["revision"] < 30
    assert last["files"][0]["hunks"][0]["oldStart"] == 30
    edits = _edits(rich)
    assert (await _apply(rich, proposal))["applied"]
    assert _edits(rich) == edits + 1
    assert [rich.editor.texts[(rich.workspace / name).as_uri()] for name in uses] == [after] * 39
    assert rich.editor.texts[uri].endswith("def sum_of(prices):\n    return sum(prices)\n")
    rich.editor.drop("ensemble/proposal")


@pytest.mark.parametrize(
    "text",
    [
        "a = 1\r\nb = 2\nc = 3\rd = 4\r\ne = 5",
        "\ufeffa = 1\nb = 2\n\n\td = '\u2028' \n",
        "label = '🛒𝒙é'; a = 1\na = 1\nb = 2\n",
    ],
    ids=[
        "mixed line ends and none at the end",
        "byte order mark, trailing blanks",
        "characters of two units",
    ],
)
async def test_everything_around_an_accepted_hunk_stays_as_it_was(rich: Stage, text: str) -> None:
    uri = rich.file(text)
    rich.voices.blocks = [("b = 2\n", "b = 20\n")]
    proposal = await _proposal(rich, uri)
    assert (await _apply(rich, proposal, hunks=[_hunks(proposal)[0]["id"]]))["applied"]
    assert rich.editor.texts[uri] == text.replace("b = 2", "b = 20")
    assert not rich.editor.unexpected()
