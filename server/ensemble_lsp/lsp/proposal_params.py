"""A proposal as clients get it: every file against the live text, every hunk with what stands behind it."""

from ensemble_lsp.core.evidence import Outcome
from ensemble_lsp.core.proposals import Candidate
from ensemble_lsp.lsp.live_files import LiveFile
from ensemble_lsp.lsp.messages import (
    CandidateCheck,
    ProposalCandidate,
    ProposalFile,
    ProposalHunk,
    ProposalParams,
)
from ensemble_lsp.lsp.proposals import KeptProposal, ProposalBook


def proposal_params(kept: KeptProposal, book: ProposalBook, candidate: str | None = None) -> ProposalParams:
    """Return the parameters of `ensemble/proposal`, seen with the named candidate or the chosen one.

    Raises `UnknownItem` for a candidate that is not there.
    """
    proposal = kept.proposal
    shown = kept.candidate(candidate)
    return ProposalParams(
        proposal=proposal.id,
        revision=max(kept.revision, 0),
        job=proposal.job,
        finding=proposal.finding,
        title=proposal.title,
        status=proposal.standing,
        weak=proposal.weak,
        candidate=shown.id,
        files=tuple(_file(kept, shown, file) for file in book.live_files(kept, shown.id)),
        candidates=tuple(
            _candidate(each, chosen=each.id == proposal.chosen.id)
            for each in (proposal.chosen, *proposal.alternatives)
        ),
        dissent=proposal.dissent,
        would_settle=proposal.would_settle,
        spend=proposal.spend,
    )


def _candidate(candidate: Candidate, *, chosen: bool) -> ProposalCandidate:
    return ProposalCandidate(
        id=candidate.id,
        members=candidate.members,
        families=candidate.families,
        checks=tuple(
            CandidateCheck(witness=item.witness, outcome=item.outcome, summary=item.summary)
            for item in candidate.evidence
            if item.outcome is not Outcome.NOT_RUN
        ),
        cost=candidate.spend.usd,
        changed_lines=candidate.changed_lines,
        chosen=chosen,
        rejected=candidate.rejected,
    )


def _file(kept: KeptProposal, candidate: Candidate, file: LiveFile) -> ProposalFile:
    support = kept.support_of(candidate, file.path)
    return ProposalFile(
        uri=file.uri,
        version=file.version,
        kind=file.kind,
        conflict=file.conflict,
        hunks=tuple(
            ProposalHunk(
                id=each.id,
                old_start=each.old_start,
                old_lines=each.old_lines,
                new_lines=each.new_lines,
                conflict=each.conflict,
                why=support[each.id].why if each.id in support else "",
                evidence=support[each.id].evidence if each.id in support else (),
            )
            for each in file.hunks
        ),
    )
