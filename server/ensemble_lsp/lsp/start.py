"""The start of the language server: `initialize` is answered first, then the server is imported.

Importing the protocol's types takes most of a second on a slow machine, and the answer needs none of them. The server
that is imported meanwhile gets the same `initialize`, and every later message waits for it in the pipe, in its order.
"""

import gc

from ensemble_lsp.lsp.frames import FrameWriter, framed, parsed, private_pipes, read_frame
from ensemble_lsp.lsp.greeting import answer_to

CLIENT_WENT = 1
"""Exit status of a server whose client went without `shutdown` and `exit`."""

WHILE_IMPORTING = (20_000, 3, 1_000)
"""The collector's thresholds meanwhile: a tenth of the usual work, and no more memory (without any: 10 MB more)."""


def serve() -> int:
    """Speak LSP on standard input and output until the editor goes; returns the exit status."""
    reading, writing = private_pipes()
    first = read_frame(reading)
    if first is None:
        return CLIENT_WENT
    message = parsed(first)
    answer = answer_to(message)
    if answer is not None:
        FrameWriter(writing).write(framed(answer))
    usual = gc.get_threshold()
    gc.set_threshold(*WHILE_IMPORTING)
    from ensemble_lsp.lsp.session import run  # noqa: PLC0415  (after the answer)

    # What is imported stays, so nobody looks through it again: that would be a pause of some ten milliseconds.
    gc.collect(1)
    gc.freeze()
    gc.set_threshold(*usual)
    return run(reading, writing, message, greeted=answer is not None)
