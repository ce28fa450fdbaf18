"""The menu: what is offered where, under which kind, for which filter."""

import pytest

from tests.lsp.stage import Stage, finding
from tests.support.fake_editor import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

OF_A_LINE = {
    "Ensemble: fix…": ("refactor.rewrite.ensemble.fix", "ensemble.fix"),
    "Ensemble: review function": ("refactor.ensemble.review", "ensemble.review"),
    "Ensemble: review file": ("source.ensemble.review", "ensemble.review"),
    "Ensemble: explain": ("refactor.ensemble.explain", "ensemble.explain"),
    "Ensemble: secure": ("refactor.rewrite.ensemble.secure", "ensemble.secure"),
    "Ensemble: write tests for `total`": ("refactor.ensemble.test", "ensemble.test"),
}


def _kinds(actions: list[Json]) -> set[str]:
    return {action["kind"] for action in actions}


async def test_on_a_line_without_a_selection(rich: Stage) -> None:
    actions = await rich.actions(rich.file())
    assert {each["title"]: (each["kind"], each["command"]["command"]) for each in actions} == OF_A_LINE
    assert all(each["tags"] == [1] for each in actions)
    assert all(each["command"]["title"] == each["title"] for each in actions)
    assert not rich.editor.unexpected()


async def test_selection_is_reviewed_as_one(rich: Stage) -> None:
    uri = rich.file()
    actions = await rich.actions(uri, 2, end=(4, 0))
    (review,) = [each for each in actions if each["title"] == "Ensemble: review selection"]
    (argument,) = review["command"]["arguments"]
    assert argument == {
        "uri": uri,
        "scope": "range",
        "range": {"start": {"line": 2, "character": 0}, "end": {"line": 4, "character": 0}},
    }
    assert not rich.editor.unexpected()


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["quickfix"], set[str]()),
        (["source"], {"source.ensemble.review"}),
        (["source.ensemble"], {"source.ensemble.review"}),
        (["source.fixAll"], set[str]()),
        (["refactor.rewrite"], {"refactor.rewrite.ensemble.fix", "refactor.rewrite.ensemble.secure"}),
        (["refactor.ensemble.explain"], {"refactor.ensemble.explain"}),
        (["refactor.ensemble.explain.more"], set[str]()),
        (["refactor.ens"], set[str]()),
        (
            ["refactor"],
            {kind for kind, _ in OF_A_LINE.values() if kind.startswith("refactor.")},
        ),
        ([""], {kind for kind, _ in OF_A_LINE.values()}),
        ([], {kind for kind, _ in OF_A_LINE.values()}),
    ],
)
async def test_only(rich: Stage, only: list[str], kinds: set[str]) -> None:
    assert _kinds(await rich.actions(rich.file(), only=only)) == kinds
    assert not rich.editor.unexpected()


async def test_automatic_lightbulb_does_not_offer_the_whole_file(rich: Stage) -> None:
    assert "source.ensemble.review" not in _kinds(await rich.actions(rich.file(), trigger=2))


async def test_diagnostic_of_another_server_can_be_fixed(neovim: Stage) -> None:
    uri = neovim.file()
    theirs = {
        "range": {"start": {"line": 3, "character": 8}, "end": {"line": 3, "character": 14}},
        "message": "Variable `result` is overwritten in every turn of the loop and its value is never read\nsecond",
        "source": "pyright",
        "code": 7,
        "severity": 2,
        "data": {"of": ["another", "server"]},
    }
    actions = await neovim.actions(uri, diagnostics=[theirs], only=["quickfix"])
    (fix,) = actions
    assert fix["title"] == 'Ensemble: fix "Variable `result` is overwritten in every turn of the loop …"'
    assert fix["diagnostics"] == [theirs]
    assert "tags" not in fix, "Neovim does not know tags"
    neovim.editor.answers["window/showMessageRequest"] = lambda _: {"title": "Discard"}
    calls = len(neovim.server.calls)
    job = (await neovim.run(fix))["job"]
    await neovim.progress_end(job)
    assert "overwritten in every turn" in neovim.server.calls[calls].prompt
    assert not neovim.editor.unexpected()


async def test_ready_fix_is_preferred_only_when_it_was_verified(rich: Stage) -> None:
    uri = rich.file()
    await rich.fix(uri)
    await rich.editor.message("ensemble/proposal")
    (apply,) = [each for each in await rich.actions(uri) if "apply fix" in each["title"]]
    assert apply["title"] == "Ensemble: apply fix — 2 families agree, nothing was executed"
    assert apply["kind"] == "quickfix"
    assert "isPreferred" not in apply
    assert not rich.editor.unexpected()


async def test_our_own_finding_brings_fix_and_dismiss(rich: Stage) -> None:
    uri = rich.file()
    rich.voices.findings = [finding(4, "        result = price", path=rich.voices.path)]
    await rich.editor.command("ensemble.review", {"uri": uri})
    (shown,) = await rich.diagnostics(uri)
    actions = await rich.actions(uri, diagnostics=[shown], only=["quickfix"])
    assert [(each["title"], each["command"]["command"]) for each in actions] == [
        ('Ensemble: fix "The loop overwrites the sum"', "ensemble.fix"),
        ("Ensemble: dismiss this finding", "ensemble.dismiss"),
    ]
    assert all(each["diagnostics"] == [shown] for each in actions)
    assert await rich.actions(uri, 0, only=["quickfix"]) == []
    assert not rich.editor.unexpected()


async def test_untitled_document_has_a_menu_and_a_clear_refusal(rich: Stage) -> None:
    rich.editor.notify(
        "textDocument/didOpen",
        {"textDocument": {"uri": "untitled:Untitled-1", "languageId": "python", "version": 1, "text": "a"}},
    )
    assert isinstance(await rich.actions("untitled:Untitled-1", 0), list)
    assert not rich.editor.unexpected()
