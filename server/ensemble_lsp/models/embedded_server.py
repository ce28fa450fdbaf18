"""The process that holds the embedded model: llama.cpp with its OpenAI-compatible server, on loopback.

Run as `python -P -m ensemble_lsp.models.embedded_server --model PATH --slots N --context N --threads N`
with the key that callers must present in the variable `ENSEMBLE_EMBEDDED_KEY`. Prints one JSON line
`{"address": "http://127.0.0.1:PORT", "loadSeconds": S}` on standard output when it is ready, llama.cpp's own
words on standard error, and ends when its standard input closes: it cannot outlive the process that started
it, however that one died. Exit: 0 input closed; 3 xllamacpp is not installed; 4 the model did not load.
"""

import argparse
import importlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

from ensemble_lsp.models.embedded_protocol import KEY_VARIABLE, LOAD_FAILED, NOT_INSTALLED

_UNWIND_SECONDS: Final = 2.0
"""How long llama.cpp may take to stop a running generation before the process ends regardless."""
_QUIET: Final = 2
"""llama.cpp's verbosity: errors and warnings."""


def serve(model: Path, *, slots: int, context: int, threads: int) -> int:
    """Load the model, announce the address, wait for standard input to close; return the exit code."""
    key = os.environ.pop(KEY_VARIABLE, "")
    if not key:
        sys.stderr.write(f"{KEY_VARIABLE} is not set\n")
        return LOAD_FAILED
    # Whatever llama.cpp prints goes to standard error: standard output carries our one line only.
    announcements = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    started = time.monotonic()
    try:
        xllamacpp = importlib.import_module("xllamacpp")
    except ImportError as problem:
        sys.stderr.write(f"{problem}\n")
        return NOT_INSTALLED
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.n_parallel = slots
    parameters.n_ctx = context * slots
    parameters.kv_unified = False
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    # Everything that only a browser or a curious neighbour would use is off.
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.cors_origins = "http://127.0.0.1"
    parameters.cors_credentials = False
    parameters.use_jinja = True
    parameters.cache_ram_mib = 0
    parameters.fit_params = False
    parameters.offline = True
    parameters.verbosity = _QUIET
    try:
        server = xllamacpp.Server(parameters)
    except RuntimeError as problem:
        sys.stderr.write(f"{problem}\n")
        return LOAD_FAILED
    line = {"address": server.listening_address, "loadSeconds": round(time.monotonic() - started, 3)}
    announcements.write(json.dumps(line) + "\n")
    announcements.flush()
    _wait_for_end_of_input()
    threading.Timer(_UNWIND_SECONDS, os._exit, (0,)).start()
    del server
    os._exit(0)


def _wait_for_end_of_input() -> None:
    while os.read(0, 4096):  # whatever is written is ignored; the end is what counts
        pass


def _main() -> int:
    parser = argparse.ArgumentParser(
        prog="embedded_server", description="Serves one local model on loopback."
    )
    parser.add_argument("--model", type=Path, required=True, help="GGUF file")
    parser.add_argument("--slots", type=int, required=True, help="answers at once")
    parser.add_argument("--context", type=int, required=True, help="tokens of context per slot")
    parser.add_argument("--threads", type=int, required=True, help="CPU threads")
    given = parser.parse_args()
    return serve(given.model, slots=given.slots, context=given.context, threads=given.threads)


if __name__ == "__main__":
    sys.exit(_main())
