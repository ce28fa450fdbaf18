"""Does each file parse? In this process, for every workspace."""

import time

from tree_sitter import Node

from ensemble_lsp.checks import trees
from ensemble_lsp.checks.sandbox import Limits
from ensemble_lsp.checks.site import Site
from ensemble_lsp.checks.witness import Project, Targets, of_diagnostics
from ensemble_lsp.checks.witnesses.syntax import parse_errors
from ensemble_lsp.core.evidence import Diagnostic, Evidence, Rank, Severity
from ensemble_lsp.core.text import SourceText

_MAX_PER_FILE = 20
_MAX_BYTES = 4 << 20


class SyntaxWitness:
    """Reports places that do not parse, as `syntax` diagnostics."""

    name = "syntax"
    executes = False
    rank = Rank.STATIC

    def applies(self, project: Project, targets: Targets) -> bool:  # noqa: ARG002
        """Whether there is a parser for one of the paths."""
        return any(parse_errors(path, "") is not None for path in targets.paths)

    def target(self, targets: Targets) -> str:
        """Return the paths."""
        return " ".join(targets.paths)

    async def run(self, site: Site, targets: Targets, limits: Limits) -> Evidence:  # noqa: ARG002
        """Parse what the shadow holds."""
        started = time.monotonic()
        found: list[Diagnostic] = []
        for path in targets.paths:
            file = site.root / path
            if file.is_file() and file.stat().st_size <= _MAX_BYTES:
                found += syntax_diagnostics(path, SourceText.from_bytes(file.read_bytes()).text)
        verdict = of_diagnostics(found)
        return Evidence(
            witness=self.name,
            rank=self.rank,
            target=self.target(targets),
            outcome=verdict.outcome,
            summary=verdict.summary,
            seconds=time.monotonic() - started,
            diagnostics=verdict.diagnostics,
        )


def syntax_diagnostics(path: str, text: str) -> list[Diagnostic]:
    """Return where `text` does not parse, at most so many; empty for a language without a parser."""
    if not parse_errors(path, text):
        return []
    tree = trees.parse(path, text)
    nodes = trees.walk(tree.root_node, only_with_errors=True) if tree is not None else iter(())
    broken = [node for node in nodes if node.is_error or node.is_missing]
    if not broken:
        return [_diagnostic(path, *_compiler_says(path, text))]
    return [
        _diagnostic(path, node.start_point.row, node.end_point.row, _words(node))
        for node in broken[:_MAX_PER_FILE]
    ]


def _words(node: Node) -> str:
    if node.is_missing:
        return f"{node.type} is missing"
    return (
        f"cannot be parsed: {trees.node_text(node).strip().splitlines()[0][:60] if node.text else ''}".rstrip(
            ": "
        )
    )


def _compiler_says(path: str, text: str) -> tuple[int, int, str]:
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = max(0, (error.lineno or 1) - 1)
        return line, max(line, (error.end_lineno or 0) - 1), error.msg
    except ValueError as error:
        return 0, 0, str(error)
    return 0, 0, "does not compile"


def _diagnostic(path: str, line: int, end_line: int, message: str) -> Diagnostic:
    return Diagnostic(
        path=path,
        line=line,
        end_line=end_line,
        severity=Severity.CRITICAL,
        source="syntax",
        code="syntax",
        message=message,
    )
