"""The explanation as a document: one Markdown text, every word of a model sanitised."""

from collections.abc import Sequence

from ensemble_lsp.core.budget import Spend
from ensemble_lsp.core.markdown import code_span, sanitise_inline
from ensemble_lsp.core.panel import Member
from ensemble_lsp.ensemble.claims import ClaimKind, Made, Topic
from ensemble_lsp.ensemble.settling import Settled, Standing

_HEADINGS = {
    ClaimKind.FLOW: "What it does",
    ClaimKind.BEHAVIOUR: "How it behaves",
    ClaimKind.CAVEAT: "What to watch out for",
}


def explanation(
    *,
    title: str,
    settled: Sequence[tuple[Topic, Sequence[Settled]]],
    voices: int,
    footer: Sequence[str],
) -> str:
    """Return the document: summary, flow, behaviour, caveats, what stays contested, and who spoke at what cost.

    `voices` is the number of blind answers; `title` is plain text.
    """
    parts = [f"# {sanitise_inline(title)}"]
    purpose = [
        item
        for topic, items in settled
        if topic.kind is ClaimKind.PURPOSE
        for item in items
        if item.standing.stated or item.standing is Standing.SINGLE
    ]
    # Agreed statements make the summary; one member's word only where there is nothing better.
    summary = [item for item in purpose if item.standing.stated] or purpose
    parts.append(
        " ".join(_sentence(item, voices) for item in summary[:3])
        or "No statement of its purpose was agreed on."
    )
    for kind, heading in _HEADINGS.items():
        listed = [
            f"- {_sentence(item, voices)}"
            for topic, items in settled
            if topic.kind is kind
            for item in items
            if item.standing.stated
        ]
        if listed:
            parts.append("\n".join((f"## {heading}", "", *listed)))
    contested = [_contested(items) for _, items in settled if any(_open(item) for item in items)]
    if contested:
        parts.append("\n".join(("## What stays contested", "", *contested)))
    single = [
        f"- {_sentence(item, voices)}"
        for _, items in settled
        for item in items
        if item.standing is Standing.SINGLE and item not in summary[:3]
    ]
    if single:
        parts.append("\n".join(("## Said by one member, not checked by another", "", *single)))
    parts.append("\n".join(("---", "", *(f"{line}  " for line in footer))))
    return "\n\n".join(parts) + "\n"


def panel_line(members: Sequence[Member], spend: Spend) -> str:
    """Return who spoke and what it cost, in one line of Markdown."""
    seats = ", ".join(f"{code_span(member.id)} ({sanitise_inline(member.family)})" for member in members)
    calls = "1 call" if spend.calls == 1 else f"{spend.calls} calls"
    tokens = spend.tokens_in + spend.tokens_out
    return f"Panel: {seats or 'nobody answered'} · {calls} · {tokens:,} tokens · ${spend.usd:.4f}"


def cited(made: Made) -> str:
    """Return a claim's citations that exist, in parentheses; empty when it has none."""
    parts = [code_span(made.symbol)] if made.symbol else []
    parts += [f"line {made.line + 1}"] if made.line is not None else []
    return f" ({', '.join(parts)})" if parts else ""


def _open(item: Settled) -> bool:
    return item.standing is Standing.CONTESTED


def _sentence(item: Settled, voices: int) -> str:
    version = item.version
    text = _stated(version.first)
    if item.standing is Standing.TESTED:
        return f"{text} *Shown by a test that was run.*"
    if item.standing is Standing.SURVIVED:
        return f"{text} *One member; an attempt to refute it failed.*"
    if item.standing is Standing.SINGLE:
        return f"{text} *One member.*"
    return text if version.voices >= voices else f"{text} *{version.voices} of {voices}.*"


def _contested(items: Sequence[Settled]) -> str:
    lines: list[str] = []
    shown = [item for item in items if _open(item)]
    for number, item in enumerate(shown):
        label = f"**Version {chr(ord('A') + number)}** " if len(shown) > 1 else ""
        count = "one member" if item.version.voices == 1 else f"{item.version.voices} members"
        text = _stated(item.version.first)
        lines.append(
            f"{'- ' if number == 0 else '  '}{label}{text} *{count}*{'  ' if len(shown) > 1 else ''}"
        )
        for made in item.version.challenges:
            if made.refutes and not made.own:
                backed = f" ({sanitise_inline(made.evidence.summary)})" if made.evidence else " (no evidence)"
                lines.append(f"  - Against it: {_ended(sanitise_inline(made.reason))}{backed}")
    return "\n".join(lines)


def _stated(made: Made) -> str:
    """Return a claim with its citations, inside the sentence where that ends with a full stop."""
    words, citations = _ended(sanitise_inline(made.text)), cited(made)
    return f"{words[:-1]}{citations}." if words.endswith(".") else f"{words}{citations}"


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":", "`")) else f"{text}."
