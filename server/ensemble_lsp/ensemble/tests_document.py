"""The document beside written tests: which test notices what, which was left out, and what fails."""

from collections.abc import Sequence

from ensemble_lsp.core.evidence import Strength
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.markdown import code_block, code_span, sanitise_inline
from ensemble_lsp.ensemble.choosing_tests import Choice, survivors_of
from ensemble_lsp.ensemble.trying_tests import Bench


def tests_document(
    bench: Bench, choice: Choice, strength: Strength | None, findings: Sequence[Finding]
) -> str:
    """Return Markdown with every word of a model sanitised."""
    name = bench.region.name or bench.region.path
    scores = {score.test: score for score in bench.scores()}
    authors = {
        unit.id_in: item.voice.member.family for item in bench.contributions for unit in item.module.units
    }
    parts = [f"# Tests for {code_span(name)}"]
    if choice.kept:
        where = code_span(bench.home)
        parts.append(f"They go into {where}{'' if bench.existing is not None else ', a new file'}.")
        rows = ["| test | by | notices |", "|---|---|---|"]
        for test in choice.kept:
            score = scores.get(test)
            noticed = (
                f"{len(score.kills)} of {len(bench.runs)}"
                if score is not None and bench.runs
                else "not measured"
            )
            rows.append(f"| {code_span(test)} | {sanitise_inline(authors.get(test, ''))} | {noticed} |")
        parts.append("\n".join(rows))
    else:
        parts.append("No test came out that could be kept.")
    if strength is not None:
        parts.append(
            f"Together they notice {strength.killed} of {strength.total} small changes of the code. "
            "A change of no consequence cannot be noticed by anybody."
        )
        kept = [scores[test] for test in choice.kept if test in scores]
        unnoticed = survivors_of(kept, bench.runs)
        if unnoticed:
            parts += [
                "## Not noticed by any test",
                "\n".join(f"- {sanitise_inline(item)}" for item in unnoticed),
            ]
    if bench.refusal:
        parts.append(f"They were {sanitise_inline(bench.refusal)}.")
    bugs = [finding for finding in findings if finding.admitted]
    if bugs:
        parts.append("## Suspected bugs")
        for finding in bugs:
            parts += [f"**{sanitise_inline(finding.title)}** {sanitise_inline(finding.reason)}."]
            parts.append(code_block(finding.detail, bench.framework.fence))
    if choice.left_out:
        lines = [f"- {code_span(test)}: {sanitise_inline(why)}" for test, why in choice.left_out.items()]
        parts += ["## Left out", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"
