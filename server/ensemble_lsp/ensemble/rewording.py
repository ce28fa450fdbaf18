"""The rules of a rewriting: several voices, critics that vote, and not a byte of code changed."""

import re
from collections.abc import Sequence

from ensemble_lsp.core.blocks import Problem, ProblemKind, ReplyForm
from ensemble_lsp.core.edits import EditOutcome
from ensemble_lsp.core.evidence import CheckReport, Strength
from ensemble_lsp.core.panel import EditFormat
from ensemble_lsp.core.proposals import FileChange, Standing
from ensemble_lsp.core.refusals import unwritable
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText, split_lines
from ensemble_lsp.ensemble.checking import Target
from ensemble_lsp.ensemble.clusters import Contender, cluster
from ensemble_lsp.ensemble.deciding import Decision, nothing_survives
from ensemble_lsp.ensemble.ports import CheckPort
from ensemble_lsp.ensemble.prompts.rewriting import REWRITING, passage_form, short_passage_form
from ensemble_lsp.ensemble.prose import changed_beside_prose, is_prose_file
from ensemble_lsp.ensemble.undertaking import Asked, Undertaking, Written, read_blocks

_STANDINGS = {
    (Standing.VERIFIED, False): "prose only",
    (Standing.VERIFIED, True): "prose only",
    (Standing.AGREED, False): "preferred by several families, prose only",
    (Standing.UNVERIFIED, False): "prose only",
}

_ENDINGS = re.compile(r"\r\n|\r|\n")
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_COMMENT_MARK = re.compile(r"^[ \t]*(?:#|//|--|;)+ ?")
_OPENING = re.compile(r"^([ \t]*)([rRuU]?(?:\"\"\"|'''))")
_CLOSING = re.compile(r"(\"\"\"|''')\s*$")
_FENCED = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*)^\1[ \t]*$", re.DOTALL | re.MULTILINE)


def ask_passage(asked: Asked) -> str:
    """Quote the passage and say how it is to be written anew."""
    region = asked.region
    lines = split_lines(asked.source.text)[region.first : region.last + 1]
    if asked.edit_format is EditFormat.WHOLE:
        return short_passage_form("".join(lines), style=asked.style, quoting=asked.quoting)
    place = f"{region.path}, lines {region.first + 1}-{region.last + 1}"
    return passage_form(
        "".join(lines), place, style=asked.style, sentinel=asked.sentinel, quoting=asked.quoting
    )


def read_passage(written: Written) -> EditOutcome:
    """Put the passage between the two lines (or in one fence around it all) in the place of the old one."""
    if written.cut_off:
        return _refused(ProblemKind.TRUNCATED, "the answer was cut off by the token limit")
    body = _marked(written.text, written.sentinel)
    if body is None and not is_prose_file(written.region.path, written.checks):
        # A small model writes the whole function that the passage stands in.
        whole = read_blocks(written)
        if whole.ok and whole.changes:
            return whole
    body = body if body is not None else _fenced(written.text)
    if body is None:
        wanted = f"<<<<<<< TEXT {written.sentinel} and >>>>>>> TEXT {written.sentinel}"
        return _refused(ProblemKind.NOT_FOUND, f"there is no passage between {wanted}")
    region, source = written.region, written.dossier.files[written.region.path]
    lines = split_lines(source.text)
    old = lines[region.first : region.last + 1]
    ending = next((_ending(line) for line in lines if _ending(line)), "\n")
    new = [line + ending for line in with_marks([line.rstrip("\r\n") for line in old], _ENDINGS.split(body))]
    if not "".join(new).strip():
        return _refused(ProblemKind.EMPTIES_FILE, "the new passage is empty")
    if (old and not _ending(old[-1])) or not lines:
        new[-1] = new[-1][: -len(ending)]
    lost = unwritable(new, source)
    if lost is not None:
        return _refused(ProblemKind.BINARY, lost)
    text = "".join([*lines[: region.first], *new, *lines[region.last + 1 :]])
    if text == source.text:
        return _refused(ProblemKind.NO_CHANGE, "the passage is the same as before")
    after = SourceText(text, source.encoding, source.bom)
    return EditOutcome(ReplyForm.WHOLE, (FileChange(path=region.path, before=source, after=after),))


def passage_text(checks: CheckPort, path: str, text: str) -> str:
    """Return the words: versions that differ in line breaks only are the same answer."""
    del checks, path
    return " ".join(text.split())


def nothing_red(report: CheckReport, task: Task) -> tuple[Target, ...]:
    """Return nothing: prose fails no check."""
    del report, task
    return ()


def refuse_changed_code(
    changes: Sequence[FileChange], targets: Sequence[Target], task: Task, checks: CheckPort
) -> str:
    """Refuse whatever changes more than prose."""
    del targets, task
    for change in changes:
        if change.before is None or change.after is None:
            return f"creates or deletes {change.path}"
        found = changed_beside_prose(change.path, change.before.text, change.after.text, checks)
        if found:
            return f"it {found}"
    return ""


def decide_wording(
    contenders: Sequence[Contender],
    separating: Sequence[str],
    targets: Sequence[Target],
    strength: Strength | None,
) -> Decision:
    """Take the version that most families wrote or prefer, fewest faults shown, then the smallest change."""
    del strength
    alive = [item for item in contenders if not item.candidate.rejected]
    if not alive:
        return nothing_survives(contenders, targets)
    clusters = cluster(alive, separating)
    best = clusters[0].representative
    others = tuple(item.candidate for item in alive if item.candidate.id != best.candidate.id)
    behind = len(best.candidate.families) + best.votes
    of = f" of {len(alive)} versions" if len(alive) > 1 else ""
    if behind > 1:
        reason = f"{behind} families prefer this one{of}; nothing but prose changes"
        return Decision(best.candidate, Standing.AGREED, reason, alternatives=others)
    reason = f"one family's version{of}; nothing but prose changes, and how it reads is for you to judge"
    return Decision(
        best.candidate, Standing.UNVERIFIED, reason, alternatives=others, would_settle="your own reading"
    )


def with_marks(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Put back what a model leaves off: the quotation marks of a docstring, the marks of a comment, indentation.

    Only where every old line has them and no new line does. Lines are without their endings.
    """
    lines = list(new)
    written = [line for line in old if line.strip()]
    said = [line for line in lines if line.strip()]
    if not written or not said:
        return lines
    comment = _COMMENT_MARK.match(written[0])
    if comment is not None and all(line.startswith(comment.group(0).rstrip()) for line in written):
        mark = comment.group(0)
        if not any(line.lstrip().startswith(mark.strip()) for line in said):
            return [f"{mark}{line.strip()}".rstrip() for line in lines]
    opening, closing = _OPENING.match(written[0]), _CLOSING.search(written[-1])
    if opening is not None and closing is not None and not any(opening.group(2) in line for line in said):
        indent = opening.group(1)
        inner = [f"{indent}{line.strip()}".rstrip() for line in lines]
        inner[0] = f"{indent}{opening.group(2)}{lines[0].strip()}"
        alone = written[-1].strip() == closing.group(1)
        return (
            [*inner, f"{indent}{closing.group(1)}"] if alone else [*inner[:-1], inner[-1] + closing.group(1)]
        )
    indent = written[0][: len(written[0]) - len(written[0].lstrip())]
    if indent and not any(line[:1].isspace() for line in said):
        return [f"{indent}{line}".rstrip() for line in lines]
    return lines


def _marked(reply: str, sentinel: str) -> str | None:
    spoken = _THINKING.sub("", reply)
    marks = re.compile(
        rf"^<{{5,}} ?TEXT(?: {re.escape(sentinel)})?[ \t]*\r?\n(.*?)\r?\n?^>{{5,}} ?TEXT\b[^\n]*$",
        re.DOTALL | re.MULTILINE,
    )
    found = marks.search(spoken)
    return found.group(1) if found is not None else None


def _fenced(reply: str) -> str | None:
    """Return what is in the one fence around everything, nested fences inside it and all."""
    found = _FENCED.search(_THINKING.sub("", reply))
    return found.group(2).rstrip("\r\n") if found is not None else None


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def _refused(kind: ProblemKind, message: str) -> EditOutcome:
    return EditOutcome(ReplyForm.NONE, (), (Problem(kind=kind, message=message),))


REWRITE = Undertaking(
    verb="Rewrite",
    wording=REWRITING,
    standing_words=_STANDINGS,
    ask=ask_passage,
    read=read_passage,
    form=passage_text,
    targets=nothing_red,
    refuse=refuse_changed_code,
    decide=decide_wording,
    about_prose=True,
    takes_votes=True,
)
