"""Rewriting prose: several voices, critics that vote, and no byte of code changed."""

import re
from collections.abc import Callable
from pathlib import Path

from ensemble_lsp.core.events import Action, Status
from ensemble_lsp.core.proposals import Candidate, Standing
from ensemble_lsp.core.results import JobResult
from tests.engine.action_jobs import after, asked, job, replies, written
from tests.support.fake_model_server import Recorded

README = "# Shop\n\nThe shop it does sum the prices.\nPrices is in cents.\n\n```\nmake test\n```\n"
BETTER = "The shop adds prices up.\nPrices are in cents."
OTHER = "This shop sums prices, in cents."
CODE = 'def total(prices):\n    """Return teh sum of the prices."""\n    return sum(prices)\n'
PASSAGE = (2, 4)


def text(passage: str) -> Callable[[Recorded], str]:
    """Return a member that writes the passage between the marks that it was given."""

    def say(request: Recorded) -> str:
        found = re.search(r"<<<<<<< TEXT (\w+)", request.prompt)
        if found is None:
            return "NO FAULT: A\nNO FAULT: B\nBEST: A"
        return f"<<<<<<< TEXT {found[1]}\n{passage}\n>>>>>>> TEXT {found[1]}\n"

    return say


def prefers(passage: str, words: str) -> Callable[[Recorded], str]:
    """Return a member that writes `passage`, and as a critic votes for the version that holds `words`."""
    write = text(passage)

    def say(request: Recorded) -> str:
        for part in request.prompt.split('what="candidate ')[1:]:
            if words in part.split("</data-", maxsplit=1)[0]:
                return f"NO FAULT: {part[0]}\nBEST: {part[0]}"
        return "NO FAULT: A" if "Compare each version" in request.prompt else write(request)

    return say


async def test_the_version_that_another_family_prefers_is_proposed(tmp_path: Path):
    root = written(tmp_path, {"README.md": README})
    result = await job(
        root,
        Action.REWRITE,
        {
            "a": prefers(BETTER, "adds prices up"),
            "b": prefers(OTHER, "adds prices up"),
            "c": prefers("Prices, in cents, are summed.", "adds prices up"),
        },
        path="README.md",
        lines=PASSAGE,
        instruction="correct the grammar",
    )

    assert result.proposal is not None
    assert result.proposal.standing is Standing.AGREED
    assert after(result)["README.md"] == README.replace(
        "The shop it does sum the prices.\nPrices is in cents.", BETTER
    )
    assert {len(item.families) for item in result.proposal.alternatives} == {1}


async def test_a_version_with_half_of_a_surrogate_pair_is_never_proposed(tmp_path: Path):
    root = written(tmp_path, {"README.md": README})
    broken = text("The shop adds \ud83d prices.")
    result = await job(root, Action.REWRITE, {"a": broken}, path="README.md", lines=PASSAGE)

    assert result.proposal is None


async def test_a_version_that_touches_code_is_never_proposed(tmp_path: Path):
    root = written(tmp_path, {"m.py": CODE})
    cheat = text('    """Return the sum of the prices."""\n    return sum(prices) + 1')
    honest = text('    """Return the sum of the prices."""\n    return sum(prices)')
    refused = await job(root, Action.REWRITE, {"a": cheat, "b": cheat}, path="m.py", lines=(1, 3))
    taken = await job(root, Action.REWRITE, {"a": cheat, "b": honest}, path="m.py", lines=(1, 3))

    assert refused.status is Status.ABSTAINED
    assert refused.proposal is None
    assert after(taken)["m.py"] == CODE.replace("teh", "the")


async def test_a_reply_without_the_marks_is_read_from_its_fence(tmp_path: Path):
    root = written(tmp_path, {"README.md": README})
    fenced = f"Here it is:\n\n```markdown\n{BETTER}\n```\n"
    result = await job(
        root,
        Action.REWRITE,
        {"a": fenced, "b": fenced},
        path="README.md",
        lines=PASSAGE,
        seat={"edit_format": "whole"},
    )

    assert after(result)["README.md"] == README.replace(
        "The shop it does sum the prices.\nPrices is in cents.", BETTER
    )


async def test_line_endings_and_a_missing_last_newline_stay(tmp_path: Path):
    root = written(tmp_path, {"notes.txt": "one\r\ntwo\r\nthree"})
    result = await job(
        root, Action.REWRITE, {"a": text("2\n3"), "b": text("2\n3")}, path="notes.txt", lines=(1, 3)
    )

    assert after(result)["notes.txt"] == "one\r\n2\r\n3"


async def test_a_fact_that_was_lost_goes_back_to_the_author_with_the_line_that_shows_it(tmp_path: Path):
    root = written(tmp_path, {"README.md": README})
    prompts: list[str] = []

    def critic(request: Recorded) -> str:
        if "Compare each version" in request.prompt:
            return "TARGET: A\nCLAIM: it loses the unit\nCITE: README.md:4: Prices is in cents.\nBEST: A"
        return text(OTHER)(request)

    result = await job(
        root,
        Action.REWRITE,
        {"a": replies_then(text("The shop adds prices up."), text(BETTER)), "b": critic},
        path="README.md",
        lines=PASSAGE,
        prompts=prompts,
    )

    assert asked(prompts, "it loses the unit")
    texts = {change.after.text for item in proposed(result) for change in item.changes if change.after}
    assert any(BETTER in item for item in texts)


def proposed(result: JobResult) -> list[Candidate]:
    assert result.proposal is not None
    return [result.proposal.chosen, *result.proposal.alternatives]


def replies_then(
    first: Callable[[Recorded], str], then: Callable[[Recorded], str]
) -> Callable[[Recorded], str]:
    """Return a member that answers in its first call with `first`, later with `then`."""
    turn = replies("first", "then")
    return lambda request: (first if turn(request) == "first" else then)(request)


async def test_a_small_model_may_write_the_whole_function_around_the_docstring(tmp_path: Path):
    root = written(tmp_path, {"m.py": CODE})
    whole = f"```python\n{CODE.replace('teh', 'the')}```\n"
    bare = "```\nReturn the sum of the prices.\n```\n"
    result = await job(
        root,
        Action.REWRITE,
        {"a": whole, "b": bare},
        path="m.py",
        lines=(1, 2),
        seat={"edit_format": "whole"},
    )

    assert after(result)["m.py"] == CODE.replace("teh", "the")
    assert result.proposal is not None
    assert len(result.proposal.chosen.families) == 2
