"""The menu: what is offered where, under which kind, for which filter."""

import pytest

from tests.lsp.stage import Stage, finding
from tests.support.fake_editor import Json, ServerError

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_PARAMS = -32602

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


async def test_top_level_line_without_a_selection_can_only_be_reviewed(rich: Stage) -> None:
    actions = await rich.actions(rich.file("x = 1\ny = 2\n"), 0)
    assert {each["title"] for each in actions} == {"Ensemble: review function", "Ensemble: review file"}
    assert not rich.editor.unexpected()


async def test_selection_of_top_level_code_can_be_worked_on(rich: Stage) -> None:
    actions = await rich.actions(rich.file("x = 1\ny = 2\n"), 0, end=(1, 5))
    assert {each["command"]["command"] for each in actions} == {
        "ensemble.fix",
        "ensemble.review",
        "ensemble.explain",
        "ensemble.secure",
    }


async def test_failing_test_is_located_and_gets_no_tests_of_its_own(rich: Stage) -> None:
    actions = await rich.actions(rich.file("def test_total():\n    assert total([1, 2]) == 3\n"), 1)
    (locate,) = [each for each in actions if each["kind"] == "refactor.ensemble.locate"]
    assert locate["title"] == "Ensemble: locate the bug of a failing test"
    assert locate["command"]["command"] == "ensemble.locate"
    assert "refactor.ensemble.test" not in _kinds(actions)


async def test_method_is_named_in_the_offer_of_tests(rich: Stage) -> None:
    uri = rich.file("class Cart:\n    def add(self, item):\n        self.items.append(item)\n")
    titles = [each["title"] for each in await rich.actions(uri, 2)]
    assert "Ensemble: write tests for `add`" in titles
    titles = [each["title"] for each in await rich.actions(uri, 0)]
    assert "Ensemble: write tests for `Cart`" in titles


async def test_offers_follow_the_text_as_it_is_typed(rich: Stage) -> None:
    uri = rich.file("x = 1\ny = 2\n")
    rich.editor.type(uri, 0, 0, "def mean(prices):\n    ")
    titles = [each["title"] for each in await rich.actions(uri, 1)]
    assert "Ensemble: write tests for `mean`" in titles


@pytest.mark.parametrize(
    ("name", "text"),
    [("notes.md", "# Carts\n\nA cart hold prices.\n"), ("cart_words.py", "# a cart hold prices\nx = 1\n")],
)
async def test_prose_can_be_rewritten(full: Stage, name: str, text: str) -> None:
    actions = await full.actions(full.file(text, name), 0)
    (rewrite,) = [each for each in actions if each["kind"] == "refactor.rewrite.ensemble.rewrite"]
    assert rewrite["title"] == "Ensemble: rewrite this text"


async def test_commit_message_can_be_rewritten(full: Stage) -> None:
    message = full.editor.open_buffer("untitled:COMMIT_EDITMSG", "fixd sum\n\n# comment\n", "gitcommit")
    (rewrite,) = [each for each in await full.actions(message, 0) if "rewrite" in each["command"]["command"]]
    assert rewrite["title"] == "Ensemble: rewrite this text"


async def test_line_far_behind_the_end_has_a_menu(rich: Stage) -> None:
    assert _kinds(await rich.actions(rich.file("def f():\n    x()\n"), 5_000_000))


async def test_stale_fix_of_a_finding_that_was_dismissed(rich: Stage) -> None:
    uri = rich.file()
    rich.voices.findings = [finding(4, "        result = price", path=rich.voices.path)]
    await rich.editor.command("ensemble.review", {"uri": uri})
    (shown,) = await rich.diagnostics(uri)
    fix, dismiss = await rich.actions(uri, diagnostics=[shown], only=["quickfix"])
    await rich.run(dismiss)
    assert await rich.diagnostics(uri) == []
    for stale in (fix, dismiss):
        with pytest.raises(ServerError, match="no finding") as refused:
            await rich.run(stale)
        assert refused.value.code == INVALID_PARAMS
    assert not rich.editor.unexpected()
