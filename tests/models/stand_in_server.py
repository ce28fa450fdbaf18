"""Stands in for the embedded model's process: same command line, same announcement, same end; no model.

`--model` names a file whose text says how to behave: "good", "slow", "refuses" or "dies on request".
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ensemble_lsp.models.embedded_protocol import KEY_VARIABLE, LOAD_FAILED


class Handler(BaseHTTPRequestHandler):
    """Answers with what the process was given; `POST /v1/die` ends it at once."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def do_POST(self) -> None:
        if self.path == "/v1/die":
            sys.stderr.write("out of memory\n")
            sys.stderr.flush()
            os._exit(9)
        length = int(self.headers.get("Content-Length", 0))
        self.rfile.read(length)
        timings = {"prompt_per_second": 50.0, "predicted_per_second": 10.0}
        body = json.dumps({"pid": os.getpid(), "environment": dict(os.environ), "timings": timings}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> int:
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    behaviour = Path(arguments["--model"]).with_suffix(".behaviour").read_text(encoding="utf-8")
    if behaviour == "refuses":
        sys.stderr.write("llama.cpp: unsupported tensor type\n")
        return LOAD_FAILED
    if behaviour == "slow":
        Path(arguments["--model"]).with_suffix(".pid").write_text(str(os.getpid()), encoding="utf-8")
        sys.stdin.buffer.read()
        return 0
    assert os.environ[KEY_VARIABLE]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    sys.stdout.write(json.dumps({"address": address, "loadSeconds": 0.0}) + "\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
