"""A `go` that plays back what the real one said: compiled or not, and what the test binary printed.

A package's texts name what it said of them. `Recorder` keeps what the real Go says while a test runs.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ensemble_lsp.checks.site import Ran, Site

Recorded = dict[str, dict[str, tuple[int, str]]]
"""Sum of the package's texts → "compile" or sum of the binary's arguments → exit code, output."""

_GO = """\
#!/bin/sh
# go test -c -vet=off -o BINARY PACKAGE
here=$(dirname "$(dirname "$0")")/recorded/$(cat "$6"/*.go | cksum | tr ' ' '-')
cat "$here/compile" || exit 3
test "$(cat "$here/compile.code")" = 0 || exit 1
cp "$0" "$5" # executable from the start: some sandboxes leave modes as they are
cat > "$5" <<END
#!/bin/sh
sum=\\$(printf '%s' "\\$*" | cksum | tr ' ' '-')
cat "$here/\\$sum" || exit 3
exit "\\$(cat "$here/\\$sum.code")"
END
"""


def install(folder: Path, recorded: Recorded) -> Path:
    """Write the program and what it says; returns the folder for PATH."""
    for package, runs in recorded.items():
        place = folder / "recorded" / package
        place.mkdir(parents=True)
        for name, (code, output) in runs.items():
            (place / name).write_text(output, encoding="utf-8")
            (place / f"{name}.code").write_text(str(code), encoding="utf-8")
    programs = folder / "bin"
    programs.mkdir()
    (programs / "go").write_text(_GO, encoding="utf-8")
    (programs / "go").chmod(0o755)
    return programs


def load(path: Path) -> Recorded:
    """Read what was recorded."""
    return json.loads(path.read_text(encoding="utf-8"))


class Recorder:
    """Keeps what every run of the real Go said."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
        self.recorded: Recorded = {}
        self._real = Site.run
        recorder = self

        async def run(site: Site, argv: list[str], *arguments: Any, **named: Any) -> Ran:
            texts = b"".join(path.read_bytes() for path in sorted((site.root / package).glob("*.go")))
            ran = await recorder._real(site, argv, *arguments, **named)
            name = "compile" if argv[0] == "go" else _sum(" ".join(argv[1:]).encode())
            runs = recorder.recorded.setdefault(_sum(texts), {})
            runs[name] = (ran.completed.code or 0, ran.output)
            return ran

        monkeypatch.setattr(Site, "run", run)

    def save(self, path: Path) -> None:
        """Write it."""
        text = json.dumps(self.recorded, indent=1, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")


def _sum(data: bytes) -> str:
    told = subprocess.run(["cksum"], input=data, capture_output=True, check=True)
    return told.stdout.decode().strip().replace(" ", "-")
