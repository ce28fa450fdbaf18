"""The text of a pull request: what was executed, who wrote it, and what was argued against it.

Words of models and repositories are text in it, as in the summary of a review.
"""

from ensemble_lsp.cli.branching.message import (
    Account,
    author_line,
    checks_of,
    seen_beside,
    skipping_nothing,
)
from ensemble_lsp.cli.formats.markdown import words
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.markdown import code_block, code_span

_REASON_AT_MOST = 400
_DISSENT_AT_MOST = 8
_DISSENT_CHARACTERS = 4_000
_RATIONALE_AT_MOST = 1_200


def pull_request_body(account: Account) -> str:
    """Return Markdown, some 40,000 characters at most."""
    proposal, spend = account.proposal, account.spend
    blocks = [f"**{account.standing}**: {words(account.reason, _REASON_AT_MOST)}"]
    if proposal.chosen.rationale.strip():
        blocks.append(f"> {words(proposal.chosen.rationale, _RATIONALE_AT_MOST)}")
    blocks.append(_files(account))
    rows = [f"| {_cell(name)} | {outcome} | {_cell(said)} |" for name, outcome, said in checks_of(account)]
    if rows:
        blocks.append("\n".join(("| check | outcome | what it said |", "|---|---|---|", *rows)))
    else:
        blocks.append("Nothing was executed for this change.")
    strength = proposal.strength
    if strength is not None and strength.share is not None:
        blocks.append(
            f"The check notices {strength.killed} of {strength.total} small mistakes that were tried in this place."
        )
    if account.not_committed:
        blocks.append(f"**Careful:** {words(seen_beside(account.not_committed), _REASON_AT_MOST)}")
    if proposal.would_settle:
        blocks.append(f"What would settle it: {words(proposal.would_settle, _REASON_AT_MOST)}")
    if account.dissent:
        blocks.append(_dissent(account))
    calls = f"{counted(spend.calls, 'call')}, ${spend.usd:.4f}"
    job = f"Job {code_span(account.job)} ({account.action}), ensemble-lsp."
    blocks.append(f"<sub>{words(author_line(proposal))} {calls}. {job}</sub>")
    return skipping_nothing("\n\n".join(blocks)) + "\n"


def _files(account: Account) -> str:
    changes = account.proposal.chosen.changes
    names: list[str] = []
    for change in changes[:20]:
        what = " (new)" if change.before is None else " (deleted)" if change.after is None else ""
        names.append(f"{code_span(change.path)}{what}")
    more = f" and {len(changes) - 20} more" if len(changes) > 20 else ""
    return f"Changes {', '.join(names)}{more}."


def _dissent(account: Account) -> str:
    said = account.dissent[:_DISSENT_AT_MOST]
    count = len(account.dissent)
    lines = [f"<details><summary>Argued otherwise: {count}</summary>", ""]
    for item in said:
        text = item.text if len(item.text) <= _DISSENT_CHARACTERS else f"{item.text[:_DISSENT_CHARACTERS]}…"
        # As code: an argument may hold diffs and anything else, and nothing in it is to be rendered.
        lines += [f"{code_span(item.member)} of {words(item.family, 60)}:", "", code_block(text.rstrip()), ""]
    if count > len(said):
        lines += [
            f"And {count - len(said)} more: {code_span(f'ensemble-lsp show {account.job} --answers')}.",
            "",
        ]
    return "\n".join([*lines, "</details>"])


def _cell(text: str) -> str:
    return words(text, 300).replace("|", "\\|")
