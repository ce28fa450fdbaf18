"""A model hub and a package registry on loopback, spoken to by the real huggingface_hub and the real pip."""

import base64
import hashlib
import io
import threading
import zipfile
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class LoopbackRegistry:
    """What is offered, what was asked for, and what goes wrong on purpose."""

    def __init__(self) -> None:
        self.hub_files: dict[str, bytes] = {}
        """`OWNER/REPOSITORY/FILE` → bytes, at revision COMMIT."""
        self.wheels: dict[str, bytes] = {}
        """File name of the wheel → bytes."""
        self.served: Counter[str] = Counter()
        """Last part of the path → number of complete or partial GETs."""
        self.ranges: list[str] = []
        self.cut_hub_after: int | None = None
        """Close the hub's connection after so many bytes, once."""
        self.held: dict[str, threading.Event] = {}
        """Wheels that are held back until their event is set."""
        self.address = ""

    def offer_package(self, package: str, version: str, member: str, data: bytes) -> str:
        """Add a wheel of `package` whose one data file is `member`; return the wheel's file name."""
        stem = package.replace("-", "_")
        information = f"{stem}-{version}.dist-info"
        files = {
            member: data,
            f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n".encode(),
            f"{information}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        record = "".join(
            f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(body).digest()).decode().rstrip('=')},{len(body)}\n"
            for name, body in files.items()
        )
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, body in files.items():
                archive.writestr(name, body)
            archive.writestr(f"{information}/RECORD", record)
        name = f"{stem}-{version}-py3-none-any.whl"
        self.wheels[name] = buffer.getvalue()
        return name


@contextmanager
def running(registry: LoopbackRegistry) -> Generator[LoopbackRegistry]:
    """Serve `registry` on a free port until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = self.path.partition("?")[0].strip("/")
            if path.startswith("simple/"):
                package = path.split("/")[1].replace("-", "_")
                links = "".join(
                    f'<a href="/wheels/{name}">{name}</a>'
                    for name in registry.wheels
                    if name.startswith(f"{package}-")
                )
                return self._send(
                    f"<!DOCTYPE html><html><body>{links}</body></html>".encode(), "text/html", body
                )
            name = path.rsplit("/", maxsplit=1)[-1]
            if path.startswith("wheels/"):
                if body:
                    registry.served[name] += 1
                    if name in registry.held:
                        registry.held[name].wait(60)
                return self._send(registry.wheels[name], "application/octet-stream", body)
            offered = registry.hub_files.get(path.replace(f"/resolve/{COMMIT}", ""))
            if offered is None:
                self.send_response(404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None
            if body:
                registry.served[name] += 1
            return self._send_hub(offered, body)

        def _send(self, data: bytes, kind: str, body: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if body:
                self.wfile.write(data)

        def _send_hub(self, data: bytes, body: bool) -> None:
            start = 0
            if asked := self.headers.get("Range"):
                registry.ranges.append(asked)
                start = int(asked.removeprefix("bytes=").split("-")[0])
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Accept-Ranges", "bytes")
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
            self.send_header("Content-Length", str(len(data) - start))
            self.end_headers()
            if not body:
                return
            cut, registry.cut_hub_after = registry.cut_hub_after, None
            self.wfile.write(data[start:cut])
            if cut is not None:
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        for event in registry.held.values():
            event.set()
        server.shutdown()
        server.server_close()
