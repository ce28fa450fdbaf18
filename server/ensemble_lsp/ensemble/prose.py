"""What is prose in a file and what is not: a rewriting may change the one and not a byte of the other."""

import ast
import doctest
import io
import re
import tokenize
from collections import Counter

from ensemble_lsp.core.commit_messages import is_commit_message, kept_lines
from ensemble_lsp.ensemble.ports import CheckPort

MARKDOWN = (".md", ".markdown", ".mdx", ".qmd", ".rmd")
_RESTRUCTURED = (".rst",)
_PLAIN = (".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex")

_FENCE = re.compile(
    r"^([ \t]*)(`{3,}|~{3,})([^\n]*)\n(.*?)(?:^[ \t]*\2[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)\r?\n.*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|^[ \t]*\[[^\]]+\]:[ \t]*(\S+)|<(https?://[^>\s]+)>", re.MULTILINE)
_LITERAL = re.compile(r"^([ \t]*)(?:\.\. (?:code|code-block|sourcecode|literalinclude)::.*|.*::)[ \t]*$")
_DIRECTIVE = re.compile(
    r"(?:#|//|/\*|--|;)[ \t]*(?:!|type:[ \t]*ignore|noqa|nosec|pragma|pylint:|pyright:|mypy:|ruff:|fmt:|isort:|yapf:"
    r"|flake8:|-\*-|vim?:|coding[:=]|eslint|prettier-ignore|@ts-|tslint:|go:|nolint|\+build|region\b|endregion\b"
    r"|cspell:|NOLINT|clang-format|rubocop:|shellcheck|istanbul|c8|v8)[^\n]*"
)
"""Comments that tools obey."""


def is_prose_file(path: str, checks: CheckPort) -> bool:
    """Whether a file as a whole is prose: by its ending, or since no parser knows its language."""
    lowered = path.lower()
    if lowered.endswith((*MARKDOWN, *_RESTRUCTURED, *_PLAIN)):
        return True
    return checks.parse_errors(path, "") is None


def changed_beside_prose(path: str, before: str, after: str, checks: CheckPort) -> str:
    """Say what a rewriting changes that is no prose; "" when it changes prose only.

    Markdown: fenced code, front matter and the targets of links stay. Python: everything outside comments and
    strings that stand alone, byte for byte, and the examples of doctests. Other languages: the tree of tokens.
    Comments that tools obey stay everywhere.
    """
    if is_commit_message(path):
        return (
            "" if kept_lines(before) == kept_lines(after) else "changes a trailer or a comment of the message"
        )
    if is_prose_file(path, checks):
        return _in_text(path, before, after)
    lost = Counter(_DIRECTIVE.findall(before)) - Counter(_DIRECTIVE.findall(after))
    made = Counter(_DIRECTIVE.findall(after)) - Counter(_DIRECTIVE.findall(before))
    if lost or made:
        return f"changes a comment that tools obey: {next(iter(lost or made)).strip()}"
    if path.lower().endswith((".py", ".pyi")):
        return _in_python(before, after)
    if checks.normal_form(path, before) != checks.normal_form(path, after):
        return "changes code, not only comments"
    return ""


def _in_text(path: str, before: str, after: str) -> str:
    lowered = path.lower()
    if lowered.endswith(_RESTRUCTURED):
        return "" if _literal_blocks(before) == _literal_blocks(after) else "changes a block of code"
    if not lowered.endswith(MARKDOWN):
        return ""
    if _front_matter(before) != _front_matter(after):
        return "changes the front matter"
    if [match.groups() for match in _FENCE.finditer(before)] != [
        match.groups() for match in _FENCE.finditer(after)
    ]:
        return "changes a block of code"
    lost = _links(before) - _links(after)
    if lost:
        return f"loses the link to {min(lost)}"
    return ""


def _front_matter(text: str) -> str:
    match = _FRONT_MATTER.match(text)
    return match.group(0) if match else ""


def _links(text: str) -> set[str]:
    bare = _FENCE.sub("", text)
    return {next(part for part in match.groups() if part) for match in _LINK.finditer(bare)}


def _literal_blocks(text: str) -> list[str]:
    """Return the indented blocks that reStructuredText shows as they are."""
    blocks: list[str] = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = _LITERAL.match(lines[number])
        number += 1
        if opening is None:
            continue
        indent = len(opening.group(1).expandtabs())
        block: list[str] = []
        while number < len(lines):
            line = lines[number].expandtabs()
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            block.append(line.rstrip())
            number += 1
        blocks.append("\n".join(block).strip("\n"))
    return blocks


def _in_python(before: str, after: str) -> str:
    old, new = _skeleton(before), _skeleton(after)
    if old is None or new is None:
        return "leaves code that cannot be read"
    if old != new:
        changed = next(
            (line for line in new if line not in old), next((line for line in old if line not in new), "")
        )
        return f"changes code, not only prose: {changed.strip()}".rstrip(": ")
    return "" if _examples(before) == _examples(after) else "changes an example that is run as a doctest"


def _skeleton(text: str) -> list[str] | None:
    """Return the lines of code without comments, blank lines and strings that stand alone; None: not Python."""
    lines = re.split(r"\r\n|\r|\n", text)
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO("\n".join(lines)).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for token in tokens:
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    for first, last in _lone_strings(tree, lines):
        lines[first : last + 1] = [""] * (last - first + 1)
    return [line for line in lines if line.strip()]


def _lone_strings(tree: ast.Module, lines: list[str]) -> list[tuple[int, int]]:
    """Return first and last line (0-based) of every string that is a statement and alone on its lines."""
    found: list[tuple[int, int]] = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        if not isinstance(node.value.value, str) or node.end_lineno is None or node.end_col_offset is None:
            continue
        first, last = node.lineno - 1, node.end_lineno - 1
        # Columns count bytes.
        ahead = lines[first].encode("utf-8", "surrogatepass")[: node.col_offset]
        behind = lines[last].encode("utf-8", "surrogatepass")[node.end_col_offset :]
        if not ahead.strip() and not behind.strip():
            found.append((first, last))
    return found


def _examples(text: str) -> list[tuple[str, str]]:
    parser = doctest.DocTestParser()
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            try:
                examples = parser.get_examples(ast.get_docstring(node) or "")
            except ValueError:
                continue  # no doctest: its indentation is not one
            found += [(example.source, example.want) for example in examples]
    return found
