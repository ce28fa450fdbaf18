"""How long the front computes for one keystroke and for one menu, in process, on a long document.

    python -m benchmarks.front_work [--json]

A change of one character in a document of 10,000 lines with 200 findings and one pending proposal of 40 hunks, and
`textDocument/codeAction` on a document of 3,000 lines, each 1,000 times; milliseconds of the server's own work: the
thread's processor time, which other processes hardly change, and the time that passed. A new line moves a hundred
findings, and all are sent again. What a change brings forth later (the proposal sent again, at most 20 times a second)
is given apart.
"""

import argparse
import asyncio
import io
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types

from ensemble_lsp.core.events import Action, Mode
from ensemble_lsp.core.evidence import Severity
from ensemble_lsp.core.findings import Band, Finding
from ensemble_lsp.core.proposals import Candidate, FileChange, Proposal, Standing
from ensemble_lsp.core.results import Task
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.lsp.features.code_action import actions
from ensemble_lsp.lsp.findings import Review
from ensemble_lsp.lsp.frames import FrameWriter
from ensemble_lsp.lsp.server import EnsembleServer

ROOT = Path("/nowhere")
TIMES = 1_000


def _lines(count: int) -> list[str]:
    return [f"    value_{number} = compute({number})\n" for number in range(count)]


def _finding(number: int, line: int, quote: str) -> Finding:
    return Finding(
        id=f"f{number}",
        path="long.py",
        line=line,
        end_line=line,
        quote=quote.strip(),
        severity=Severity.WARNING,
        category="bug",
        title=f"finding {number}",
        detail="",
        confidence=0.5,
        band=Band.MEDIUM,
        members=("a",),
        families=("a",),
    )


def stage(lines: int, findings: int, hunks: int) -> tuple[EnsembleServer, str]:
    """Return a server with one open document, findings on it, and a proposal that waits."""
    server = EnsembleServer()
    server.protocol.set_writer(FrameWriter(io.BytesIO()))
    capabilities = types.ClientCapabilities(experimental={"ensemble": {"proposals": True}})
    server.initialize(types.InitializeParams(capabilities=capabilities))
    uri = (ROOT / "long.py").as_uri()
    text = _lines(lines)
    server.opened(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, "".join(text))))
    places = range(0, lines, lines // findings) if findings else ()
    found = [_finding(number, line, text[line]) for number, line in enumerate(places)]
    server.diagnostics.show(uri, Review(job="job"), found, reviewed=None, lines=None)
    if hunks:
        after = list(text)
        for line in range(5, lines, lines // hunks):
            after[line] = after[line].replace("compute", "recompute")
        change = FileChange(
            path="long.py", before=SourceText("".join(text)), after=SourceText("".join(after))
        )
        chosen = Candidate(id="c", changes=(change,), members=("a",), families=("a",))
        server.proposals.keep(
            Proposal(id="p", job="j", title="t", standing=Standing.AGREED, chosen=chosen),
            ROOT,
            Task(action=Action.FIX, path="long.py", mode=Mode.PANEL),
        )
    return server, uri


def _timed(work: Callable[[int], object]) -> dict[str, float]:
    work(0)
    computed: list[float] = []
    passed: list[float] = []
    for number in range(TIMES):
        began, cpu = time.perf_counter(), time.thread_time()
        work(number)
        computed.append(1_000 * (time.thread_time() - cpu))
        passed.append(1_000 * (time.perf_counter() - began))
    own, wall = statistics.quantiles(computed, n=100), statistics.quantiles(passed, n=100)
    return {"p50": round(own[49], 2), "p99": round(own[98], 2), "wall p99": round(wall[98], 2)}


async def measure() -> dict[str, object]:
    """Return milliseconds of a change, of what follows it, and of a menu."""
    server, uri = stage(10_000, 200, 40)

    def change(number: int, text: str = "x") -> None:
        position = types.Position(5_000, 4)
        partial = types.TextDocumentContentChangePartial(types.Range(position, position), text)
        whole = types.VersionedTextDocumentIdentifier(number + 2, uri)
        server.changed(types.DidChangeTextDocumentParams(whole, [partial]))

    (kept,) = server.proposals.naming(uri)
    small, small_uri = stage(3_000, 50, 10)
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(small_uri),
        types.Range(types.Position(1_500, 0), types.Position(1_500, 0)),
        types.CodeActionContext([]),
    )
    return {
        "change_ms": _timed(change),
        "new_line_ms": _timed(lambda number: change(number, "\n")),
        "proposal_again_ms": _timed(lambda _: server.presenter.send(kept)),
        "code_action_ms": _timed(lambda _: actions(small, params)),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = asyncio.run(measure())
    if options.json:
        print(json.dumps(figures))
    else:
        for name, values in figures.items():
            print(f"{name}: {values}")


if __name__ == "__main__":
    main()
