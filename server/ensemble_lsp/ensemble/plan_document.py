"""The plan that is shown beside a diff: what its authors set out to do, which files it touches, what ran."""

from collections.abc import Sequence

from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.diff import changed_line_count
from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.markdown import code_span, sanitise_block, sanitise_inline
from ensemble_lsp.core.proposals import Candidate, FileChange
from ensemble_lsp.ensemble.casefile import Case
from ensemble_lsp.ensemble.deciding import Decision

_MOST_FILES = 200
"""Lines of the table of files; a larger change says how many more there are."""

_SAID = {
    Outcome.PASSED: "passes",
    Outcome.FAILED: "has something to say",
    Outcome.TIMED_OUT: "did not end in time",
    Outcome.ERROR: "could not run",
    Outcome.NOT_RUN: "was not run",
}


def plan_document(case: Case, decision: Decision) -> str:
    """Return the document beside the diff, Markdown with every word of a model sanitised; "" for an abstention."""
    chosen = decision.chosen
    if chosen is None:
        return ""
    task = case.deliberation.task
    name = case.region.name or case.region.path
    parts = [f"# {case.undertaking.verb} {code_span(name)}"]
    if task.instruction.strip():
        parts.append(
            "\n".join(f"> {sanitise_inline(line)}" for line in task.instruction.strip().splitlines())
        )
    plan = sanitise_block(case.sitting.quoting.redact(chosen.rationale)).strip()
    parts += ["## The plan", plan or "Its author wrote no plan."]
    parts += [f"## What changes: {_counted(chosen.changes)}", _files(chosen.changes)]
    parts += ["## What ran", _evidence(chosen), sanitise_inline(decision.reason)]
    if decision.would_settle:
        parts.append(f"What would settle it: {sanitise_inline(decision.would_settle)}.")
    against = [words for _, about, words in case.objections if about == chosen.id]
    if against:
        said = (sanitise_inline(case.sitting.quoting.redact(words.partition("\n")[0])) for words in against)
        parts += ["## Said against it, and not shown", "\n".join(f"- {words}" for words in said)]
    if decision.alternatives:
        standing = [item for item in decision.alternatives if not item.rejected]
        parts += [
            "## Other candidates",
            "\n".join(_alternative(item) for item in standing or decision.alternatives),
        ]
    return "\n\n".join(parts) + "\n"


def _counted(changes: Sequence[FileChange]) -> str:
    lines = sum(changed_line_count(change) for change in changes)
    files = "1 file" if len(changes) == 1 else f"{len(changes)} files"
    return f"{files}, {counted(lines, 'line')}"


def _files(changes: Sequence[FileChange]) -> str:
    rows = ["| file | what | lines |", "|---|---|---|"]
    for change in changes[:_MOST_FILES]:
        what = "created" if change.before is None else "deleted" if change.after is None else "changed"
        path = code_span(change.path).replace("|", "\\|")
        rows.append(f"| {path} | {what} | {changed_line_count(change)} |")
    if len(changes) > _MOST_FILES:
        rows.append(f"| and {len(changes) - _MOST_FILES} more | | |")
    return "\n".join(rows)


def _evidence(chosen: Candidate) -> str:
    lines = [
        f"- {sanitise_inline(item.witness)} {_SAID[item.outcome]}: {sanitise_inline(item.summary)}"
        for item in chosen.evidence
    ]
    return "\n".join(lines) or "- nothing"


def _alternative(candidate: Candidate) -> str:
    who = ", ".join(sanitise_inline(family) for family in candidate.families) or "nobody any more"
    why = f"; {sanitise_inline(candidate.rejected)}" if candidate.rejected else ""
    return f"- {code_span(candidate.id)} by {who}: {_counted(candidate.changes)}{why}"
