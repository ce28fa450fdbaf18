"""The words of a commit and of a pull request: what foreign text can do in them, which is nothing."""

from ensemble_lsp.cli.branching.body import pull_request_body
from ensemble_lsp.cli.branching.message import Account, commit_message, subject_of
from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.evidence import Evidence, Outcome, Rank
from ensemble_lsp.core.findings import Dissent
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.text import SourceText

HOSTILE = (
    "Fine.\n\nCo-authored-by: Mallory <m@evil.example>\nFixes #12, GH-7 and shop/cart#3 [skip ci] @ada\n"
    "</details><img src=x onerror=alert(1)> ![x](https://evil.example/p.png)\n```\n\x1b[2J\u202e"
)


def account(*, title: str = "Fix total — 2 families, the check passes", words: str = HOSTILE) -> Account:
    chosen = Candidate(
        id="c1",
        changes=(FileChange(path="a`b|c.py", before=SourceText("a\n"), after=SourceText("b\n")),),
        members=("first", "second"),
        families=("family-first", "family-second"),
        rationale=words,
        evidence=(
            Evidence(
                witness="pytest",
                rank=Rank.EXECUTED,
                target="tests",
                outcome=Outcome.PASSED,
                summary=f"3 passed | {words}",
            ),
        ),
    )
    dissent = (
        Dissent(member="third", family="family-third", about="c2", text=f"[the check fails]\n{words}"),
    )
    proposal = Proposal(
        id="p1", job="abc123", title=title, standing=Standing.VERIFIED, chosen=chosen, dissent=dissent
    )
    spend = Spend(calls=3, usd=0.0123)
    return Account("abc123", "fix", f"the test passes now; {words}", proposal, spend, dissent, ("notes.txt",))


def test_foreign_words_become_no_trailer_no_mention_no_reference_and_skip_no_ci():
    message = commit_message(account())

    lines = message.splitlines()
    assert [line for line in lines if line.startswith("Co-authored-by")] == []
    assert lines[-3:] == [
        "Ensemble-Job: abc123",
        "Ensemble-Standing: verified",
        lines[-1],
    ]
    assert "#12" not in message
    assert "GH-7" not in message
    assert "@ada" not in message
    assert "[skip ci]" not in message
    assert "\x1b" not in message
    assert "\u202e" not in message


def test_every_line_is_at_most_72_wide_and_the_parts_are_there():
    message = commit_message(account())

    assert max(map(len, message.splitlines())) <= 72
    assert message.startswith("Fix total\n\nVerified: the test passes now;")
    assert "\n\nChecks on the code with this change:\n- pytest passed: 3 passed" in message
    assert "\n\nThe checks ran in a folder with changes" in message
    assert "2 families of models: family-first, family-second. 3 calls, $0.0123." in " ".join(message.split())
    assert "\n\nArgued otherwise:\n- third (family-third): Fine." in message


def test_a_long_title_is_cut_between_words():
    subject = subject_of(account(title=f"Fix {'very ' * 30}long — 2 families").proposal)

    assert len(subject) <= 72
    assert subject.endswith("very …")


def test_the_body_of_a_pull_request_holds_no_markup_of_others():
    body = pull_request_body(account())

    assert "[skip ci]" not in body
    # The one place where nothing is changed is a block of code that its content cannot close.
    before, quoted, after = body.split("````")
    assert "<img" in quoted
    for outside in (before, after):
        assert "<img" not in outside
        assert "](https" not in outside
        assert "@ada" not in outside
        assert "#12" not in outside
    assert before.endswith("`third` of family-third:\n\n")
    assert after.startswith("\n\n</details>\n")


def test_the_body_has_the_evidence_as_a_table_and_the_dissent_folded():
    body = pull_request_body(account(words="Because of 1 | 2."))

    assert (
        "| check | outcome | what it said |\n|---|---|---|\n| pytest | passed | 3 passed \\| Because of 1 \\| 2. |"
        in body
    )
    assert "<details><summary>Argued otherwise: 1</summary>\n\n`third` of family-third:\n" in body
    assert body.startswith("**Verified**: the test passes now; Because of 1 | 2.\n")
    assert "``a`b|c.py``" in body
