"""A panel on a fake server of its own process, and the set-up that docs/editors.md tells people to copy."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.lsp.stage import BUG, CART, MEMBERS, REPAIR, block, environment_of, finding

REPOSITORY = Path(__file__).resolve().parents[2]

SCRIPT = {
    "script": {
        "*": [
            {"text": block("cart.py", BUG, REPAIR), "latency": 0.2},
            {
                "contains": "review this code",
                "text": json.dumps({"findings": [finding(4, "        result = price")]}),
            },
            {
                "contains": "explain this code",
                "text": json.dumps(
                    {
                        "claims": [
                            {"kind": "purpose", "text": "Sums the prices.", "line": 1, "symbol": "total"}
                        ]
                    }
                ),
            },
            {"contains": "Try to break each candidate", "text": "NO FAULT: A"},
        ]
    }
}


@dataclass(frozen=True, slots=True)
class EditorStage:
    """A workspace with a file, the person's `init.lua`, and an environment of its own."""

    home: Path
    file: Path
    init: Path
    environment: dict[str, str]


def documented_snippet() -> str:
    """Return the Lua that docs/editors.md gives for Neovim."""
    text = (REPOSITORY / "docs" / "editors.md").read_text(encoding="utf-8")
    match = re.search(r"^## Neovim.*?```lua\n(.*?)```", text, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match.group(1)


@pytest.fixture(scope="session")
def panel_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a fake model server for the whole session."""
    script = tmp_path_factory.mktemp("panel") / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fake_model_server", "--script", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=REPOSITORY,
    )
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["base_url"])
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def editor_stage(panel_address: str, tmp_path: Path) -> EditorStage:
    """A workspace with the buggy file, and Neovim's configuration as documented."""
    home = tmp_path.resolve()
    workspace = home / "shop"
    workspace.mkdir()
    (workspace / "ensemble.toml").touch()
    file = workspace / "cart.py"
    file.write_text(CART, encoding="utf-8")
    panel = [
        {
            "id": name,
            "model": f"openai/{name}",
            "api_base": f"{panel_address}/v1",
            "family": name,
            "edit_format": "search-replace",
        }
        for name in MEMBERS
    ]
    settings = json.dumps({"panel": panel, "store": {"replies": False}})
    init = home / "init.lua"
    init.write_text(
        f"{documented_snippet()}\n"
        f"vim.lsp.config('ensemble', {{ init_options = {{ settings = vim.json.decode([[{settings}]]) }} }})\n",
        encoding="utf-8",
    )
    environment = environment_of(home)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        environment[f"XDG_{name}_HOME"] = str(home / name.lower())
    environment.pop("NVIM", None)
    return EditorStage(home, file, init, environment)
