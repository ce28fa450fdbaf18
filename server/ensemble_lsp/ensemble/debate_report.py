"""The report of a debate as a document: one Markdown text, every word of a member sanitised."""

from collections.abc import Sequence

from ensemble_lsp.core.markdown import code_span, sanitise_inline
from ensemble_lsp.ensemble.positions import Floor, Position, Synthesis
from ensemble_lsp.ensemble.recommending import Recommendation


def report(
    *,
    question: str,
    floor: Floor,
    recommendation: Recommendation,
    synthesis: tuple[str, Synthesis] | None,
    footer: Sequence[str],
) -> str:
    """Return the document: recommendation, positions with the strongest objection to each, moves, dissent.

    `synthesis`: (member id, its summary), where one was asked. `question` is the person's own text.
    """
    chosen = recommendation.position
    parts = [f"# {sanitise_inline(question) or 'What should change here?'}"]
    if chosen is not None:
        parts.append(f"**Recommendation: {chosen.id}. {_ended(sanitise_inline(chosen.stance))}**")
        parts.append(f"Decided by rule: {recommendation.why}.")
    else:
        parts.append(f"**No recommendation:** {recommendation.why}.")
    if synthesis is not None:
        by, said = synthesis
        parts.append(f"{sanitise_inline(said.summary)} *(in the words of {code_span(by)})*")
        if said.would_settle.strip():
            parts.append(f"What would settle the rest: {_ended(sanitise_inline(said.would_settle))}")
    parts.append("## Positions")
    parts += [_position(floor, position) for position in _in_order(floor, chosen)]
    parts.append("## What moved whom\n\n" + (_moves(floor) or "Nobody moved."))
    dissent = [position for position in floor.held() if position is not chosen]
    if chosen is not None and dissent:
        lines = [
            f"- {_holders(floor, position)}: {_ended(sanitise_inline(position.stance))}"
            for position in dissent
        ]
        parts.append("## Dissent from the recommendation\n\n" + "\n".join(lines))
    parts.append("\n".join(("---", "", *(f"{line}  " for line in footer))))
    return "\n\n".join(parts) + "\n"


def plain(floor: Floor, recommendation: Recommendation) -> str:
    """Return the debate in nameless plain text, for the member who sums it up."""
    lines: list[str] = []
    for position in floor.positions:
        families = len(floor.families(position))
        lines.append(f"Position {position.id} ({families} families at the end): {position.stance}")
        lines.append(position.argument)
        objection = position.strongest_objection
        if objection is not None:
            evidence = objection.evidence.summary if objection.evidence else "no evidence"
            lines.append(f"Strongest objection: {objection.text} ({evidence})")
    chosen = recommendation.position
    lines.append(f"Recommendation: {chosen.id if chosen else 'none'}, because {recommendation.why}")
    return "\n".join(lines)


def _in_order(floor: Floor, chosen: Position | None) -> list[Position]:
    return sorted(
        floor.positions,
        key=lambda position: (position is not chosen, -len(floor.families(position)), position.id),
    )


def _position(floor: Floor, position: Position) -> str:
    lines = [
        f"### {position.id}. {sanitise_inline(position.stance)}",
        "",
        f"Held by {_holders(floor, position) or 'nobody any more'}.",
        "",
        _ended(sanitise_inline(position.argument)) if position.argument.strip() else "",
        "",
    ]
    lines += [f"- Cited for it: {sanitise_inline(item.summary)}" for item in position.support]
    objection = position.strongest_objection
    if objection is None:
        lines.append("- Nobody objected.")
    else:
        backed = "no evidence"
        if objection.evidence is not None:
            kind = "a test that was run" if objection.weight[0] == 2 else "cited"
            backed = f"{kind}: {sanitise_inline(objection.evidence.summary)}"
        lines.append(f"- Strongest objection: {_ended(sanitise_inline(objection.text))} ({backed})")
    return "\n".join(lines)


def _holders(floor: Floor, position: Position) -> str:
    names = [
        f"{code_span(seat.voice.id)} ({sanitise_inline(seat.voice.member.family)}"
        f"{', by conformity: not counted' if seat.conformed else ''})"
        for seat in floor.holders(position)
    ]
    return ", ".join(names)


def _moves(floor: Floor) -> str:
    lines: list[str] = []
    for move in floor.moves:
        start = f"- Round {move.round}: {code_span(move.voice.id)} moved from {move.source} to {move.target}"
        if move.because:
            lines.append(f"{start} because of {sanitise_inline(move.because)}")
        else:
            said = f" It said: {_ended(sanitise_inline(move.said))}" if move.said.strip() else ""
            lines.append(f"{start} **without new evidence** (conformity, not counted as support).{said}")
    return "\n".join(lines)


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":", "`")) else f"{text}."
