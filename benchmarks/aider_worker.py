"""Places edits with aider's own code; run by aider's interpreter, not by ours.

    python -P benchmarks/aider_worker.py RESULTS < cases.json

Reads a list of cases, `{"files": {path: text}, "reply": text, "repeat": n}`. Of each it writes into RESULTS
`after`, the files as aider's edit-block coder left them on the disk when it was given the reply as it would be in a
chat, and `seconds`, the least time of reading the reply and matching its blocks in memory: without the disk, and
without the second pass that the coder makes to try them first.
"""

# aider is not among what the product is developed with.
# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAny=false, reportExplicitAny=false

import json
import logging
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from aider.coders import Coder
from aider.coders.editblock_coder import do_replace, find_original_update_blocks
from aider.io import InputOutput
from aider.models import Model

FENCE = ("```", "```")


def _say_nothing(*_: object, **__: object) -> None:
    pass


def placed(model: Any, files: dict[str, str], reply: str) -> dict[str, str]:
    """Return the files after the coder's own way from a reply to the disk."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, text in files.items():
            (folder / path).write_bytes(text.encode())
        silent = InputOutput(yes=True, pretty=False, fancy_input=False, dry_run=False)
        silent.tool_output = silent.tool_error = silent.tool_warning = _say_nothing
        names = [str(folder / path) for path in files]
        coder = Coder.create(
            main_model=model, edit_format="diff", io=silent, fnames=names, use_git=False, map_tokens=0
        )
        coder.root = str(folder)
        coder.partial_response_content = reply
        coder.partial_response_function_call = {}
        coder.apply_updates()
        return {path: (folder / path).read_bytes().decode("utf-8", "surrogateescape") for path in files}


def seconds(files: dict[str, str], reply: str, repeat: int) -> float:
    """Return the seconds of reading the reply and matching its blocks; the least, which other work touches least."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        paths = {path: Path(name) / path for path in files}
        for file in paths.values():
            file.touch()  # the matcher asks whether it exists
        for _ in range(repeat):
            began = time.perf_counter()
            texts = dict(files)
            for path, search, replace in find_original_update_blocks(reply, FENCE, list(files)):
                texts[path] = do_replace(str(paths[path]), texts[path], search, replace, FENCE) or texts[path]
            times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Do all cases."""
    logging.disable(logging.CRITICAL)
    model = Model("gpt-4o")
    results: list[dict[str, object]] = []
    for case in json.load(sys.stdin):
        after = placed(model, case["files"], case["reply"])
        results.append({"after": after, "seconds": seconds(case["files"], case["reply"], case["repeat"])})
    # Not to standard output: what aider has to say stands there.
    Path(sys.argv[1]).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
