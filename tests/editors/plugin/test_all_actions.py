"""Locate, test, secure, rewrite, debate and a review of a branch, as a person asks for them, in a trusted folder."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.editors.plugin.stage import ModelThread, PluginEditor, plugin_editor
from tests.lsp.stage import BUG, CART, REPAIR, block, finding
from tests.support.fake_model_server import Answer, Recorded

Saying = Callable[[Recorded], object]

TEST = "from cart import total\n\n\ndef test_several():\n    assert total([1, 2]) == 3\n"
DONE = "require('ensemble').jobs()[1].status ~= nil"


@pytest.fixture(scope="module")
def trusted_editor(
    model_thread: ModelThread, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PluginEditor]:
    """An editor of its own, on a folder whose tests may be run."""
    with plugin_editor(tmp_path_factory.mktemp("actions").resolve(), model_thread) as editor:
        (editor.workspace / "ensemble.toml").write_text('mode = "quick"\n', encoding="utf-8")
        editor.open(name="first.py")
        editor.command("Ensemble trust allow")
        yield editor


@pytest.fixture
def here(trusted_editor: PluginEditor) -> Iterator[PluginEditor]:
    """The editor, with the files of each test gone after it."""
    yield trusted_editor
    trusted_editor.clear()
    for path in trusted_editor.workspace.glob("*.*"):
        if path.suffix in {".py", ".md"}:
            path.unlink()


def says(editor: PluginEditor, answer: Saying) -> None:
    """Let both members say what a function makes of the question; a string is said as it is."""

    def script(request: Recorded) -> Answer:
        said = answer(request)
        return Answer(text=said if isinstance(said, str) else json.dumps(said))

    editor.models.voices.script = script


def documents(editor: PluginEditor, kind: str) -> str:
    """Return the text of the document of that kind that a job wrote; "" without one."""
    return str(
        editor.lua(
            "for _, buf in ipairs(vim.api.nvim_list_bufs()) do\n"
            "  if vim.api.nvim_buf_get_name(buf):find('ensemble:/' .. ..., 1, true) then\n"
            "    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n')\n"
            "  end\nend\nreturn ''",
            kind,
        )
    )


def test_places_of_a_fault_are_a_quickfix_list_and_one_is_fixed_from_there(here: PluginEditor) -> None:
    cart = here.open(name="cart.py")
    here.command("bwipeout")
    here.open(TEST, "test_cart.py")
    place = finding(4, BUG.strip(), "The sum is set anew", path="cart.py")
    says(here, lambda _: {"findings": [place]})
    here.command("5 | Ensemble locate")
    here.wait("vim.bo.buftype == 'quickfix'")
    listed = here.lua("return vim.fn.getqflist({ title = 0, items = 0 })")
    assert listed["title"].startswith("Ensemble: most likely total, line 4: 2 members first, coverage")
    assert listed["items"][0]["lnum"] == 4
    assert listed["items"][0]["text"].startswith("Place 1: total — 2 members first")
    here.wait("#vim.diagnostic.get(vim.fn.bufnr('/cart.py$')) == 1")

    says(here, lambda _: block("cart.py", BUG, REPAIR))
    here.command("Ensemble fix")
    here.in_review()
    assert here.side("right") == CART.replace(BUG, REPAIR).splitlines()
    assert "the check passes" in here.lua("return require('ensemble').proposals()[1].title")
    here.keys("A")
    here.wait("vim.fn.tabpagenr('$') == 1")
    assert here.nvim.current.buffer.name == str(cart)
    assert here.lines == CART.replace(BUG, REPAIR).splitlines()


def test_any_quickfix_entry_is_repaired_from_its_list(here: PluginEditor) -> None:
    path = here.open(name="cart.py")
    entry = {"filename": str(path), "lnum": 4, "text": "only the last price counts"}
    here.lua("vim.fn.setqflist({}, ' ', { items = { ... } })", entry)
    here.command("copen")
    here.command("Ensemble fix")
    here.in_review()
    assert any("only the last price counts" in prompt for prompt in here.models.voices.asked)


def test_written_tests_are_a_file_of_their_own_and_a_failing_one_a_suspected_bug(here: PluginEditor) -> None:
    here.open(name="cart.py")
    written = TEST.replace("[1, 2]) == 3", "[2]) == 2").replace("several", "one")
    says(here, lambda _: f"```python\n{written}\n\ndef test_two():\n    assert total([1, 2]) == 3\n```\n")
    here.command("2 | Ensemble test")
    here.in_review()
    assert here.lua("return require('ensemble').proposals()[1].files[1].kind") == "create"
    assert here.side("left") == [""]
    right = here.side("right")
    assert "def test_one():" in right
    assert "def test_two():" not in right, "it fails on the code as it is"
    here.wait("#vim.diagnostic.get(vim.fn.bufnr('/cart.py$')) == 1")
    (bug,) = here.lua("return vim.diagnostic.get(vim.fn.bufnr('/cart.py$'))")
    assert bug["message"].startswith("A written test fails on the code as it is: test_two")
    assert bug["code"] == "suspected-bug"


HOLE = '    return subprocess.run("ls " + name, shell=True).returncode\n'
SAFE = '    return subprocess.run(["ls", name], check=False).returncode\n'


def test_a_hole_has_its_number_and_the_patch_a_review(here: PluginEditor) -> None:
    here.open(f"import subprocess\n\n\ndef show(name):\n{HOLE}", "shell.py")

    def answer(request: Recorded) -> object:
        if "review this code for security holes" in request.prompt:
            return {"findings": []}
        return (
            "NO FAULT: A"
            if "Try to break each candidate" in request.prompt
            else block("shell.py", HOLE, SAFE)
        )

    says(here, answer)
    here.command("5 | Ensemble secure")
    here.in_review()
    assert here.side("right")[4] == SAFE.rstrip("\n")
    here.wait("#vim.diagnostic.get(vim.fn.bufnr('/shell.py$')) == 1")
    (hole,) = here.lua("return vim.diagnostic.get(vim.fn.bufnr('/shell.py$'))")
    assert (hole["code"], hole["lnum"]) == ("CWE-78", 4)
    assert "bandit reports it" in hole["message"]


def test_a_rewriting_shows_which_words_changed(here: PluginEditor) -> None:
    text = "# Shop\n\nThe shop it does sum the prices.\n"
    here.open(text, "README.md")

    def answer(request: Recorded) -> object:
        mark = re.search(r"<<<<<<< TEXT (\w+)", request.prompt)
        if mark is None:
            return "NO FAULT: A\nBEST: A"
        return f"<<<<<<< TEXT {mark[1]}\nThe shop adds the prices.\n>>>>>>> TEXT {mark[1]}\n"

    says(here, answer)
    here.command("3 | Ensemble rewrite correct the grammar")
    here.in_review()
    assert here.side("right") == ["# Shop", "", "The shop adds the prices."]
    names = here.lua(
        "local found = {}\n"
        "for column = 1, 25 do\n"
        "  found[column] = vim.fn.synIDattr(vim.fn.diff_hlID(3, column), 'name')\n"
        "end\nreturn found"
    )
    changed = "".join(
        letter
        for letter, name in zip("The shop adds the prices.", names, strict=True)
        if name.startswith("DiffText")
    )
    assert changed.strip() == "adds"


def debater(request: Recorded) -> object:
    """Take a stance, object to the other's, and stay with it."""
    is_alpha = request.model == "alpha"
    if "Task: sum up" in request.prompt:
        return {"summary": "The loop must add.", "would_settle": ""}
    if "of a debate." in request.prompt or "evidence brought against" in request.prompt:
        return {
            "target": 1,
            "objection": "It hides the loop." if is_alpha else "It is one character away from wrong.",
            "line": 4,
            "quote": "        result = price",
            "test": "",
            "adopt": 0,
            "decision": "keep",
            "stance": "",
            "argument": "",
            "because": "",
        }
    stance = "Add every price: use +=." if is_alpha else "Return sum(prices)."
    return {"stance": stance, "argument": "Only the last one is kept.", "line": 4, "quote": BUG.rstrip("\n")}


def test_a_debate_without_a_selection_ends_in_a_document(here: PluginEditor) -> None:
    here.open(name="cart.py")
    says(here, debater)
    here.command("Ensemble debate --mode=debate --rounds=2 How should total be repaired?")
    here.wait("vim.api.nvim_buf_get_name(0):find('ensemble:/debate', 1, true) ~= nil")
    here.wait("vim.api.nvim_buf_line_count(0) > 5")
    text = documents(here, "debate")
    for part in (
        "No recommendation:",
        "Add every price",
        "Return sum(prices)",
        "hides the loop",
        "What moved whom",
    ):
        assert part in text


def test_a_refactoring_has_its_plan_beside_the_file(here: PluginEditor) -> None:
    good = CART.replace(BUG, REPAIR)
    user = "from prices import total\n\n\ndef order(prices):\n    return total(prices)\n"
    (here.workspace / "order.py").write_text(user, encoding="utf-8")
    here.open(good, "prices.py")

    line = "def total(prices):\n"
    blocks = block("prices.py", line, line.replace("total", "summed")) + block(
        "order.py", user, user.replace("total", "summed")
    )
    says(here, lambda _: f"1. Rename the function where it is defined.\n2. Follow it.\n\n{blocks}")
    here.command("1 | Ensemble refactor call it summed")
    here.in_review()
    assert {"order.py", "prices.py"} == {line.split()[-1] for line in here.side("files")}
    here.wait("vim.fn.bufnr('ensemble:/refactor') > 0")
    here.wait("vim.api.nvim_buf_line_count(vim.fn.bufnr('ensemble:/refactor')) > 1")
    assert "2. Follow it." in documents(here, "refactor")


def test_a_review_since_a_branch_finds_what_changed_there(here: PluginEditor) -> None:
    # A file of its own: what other jobs found in the cart is still shown there.
    here.open(CART.replace(BUG, REPAIR), "till.py")
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "till.py"),
        ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "Begin"),
        ("switch", "-qc", "feature"),
    ):
        subprocess.run(["git", *arguments], cwd=here.workspace, check=True, capture_output=True)
    here.open(CART, "till.py")
    for arguments in (
        ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qam", "Break it"),
    ):
        subprocess.run(["git", *arguments], cwd=here.workspace, check=True, capture_output=True)
    here.models.voices.findings = [finding(4, BUG.rstrip("\n"), path="till.py")]
    here.command("Ensemble review changes")
    here.wait(DONE)
    assert here.lua("return vim.diagnostic.get(0)") == [], "nothing changed since the last commit"
    here.command("Ensemble review changes main")
    here.wait("#vim.diagnostic.get(0) == 1")
