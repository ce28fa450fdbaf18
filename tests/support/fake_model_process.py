"""The fake model server as a process of its own, so that its work does not count as the product's."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.fake_model_script import Answer

ROOT = Path(__file__).parents[2]


class FakeModelProcess:
    """Serves while the context is open; ends with its standard input."""

    def __init__(self, script: Mapping[str, Sequence[Answer]]) -> None:
        self._script = script
        self._process: asyncio.subprocess.Process | None = None
        self.base_url = ""

    @property
    def openai_base(self) -> str:
        """The API base of an OpenAI-compatible client."""
        return f"{self.base_url}/v1"

    async def __aenter__(self) -> Self:
        answers = {name: [item.model_dump() for item in items] for name, items in self._script.items()}
        path = _written(json.dumps({"script": answers}))
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.support.fake_model_server",
            "--script",
            str(path),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        self.base_url = json.loads(await self._process.stdout.readline())["base_url"]
        path.unlink()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


def _written(text: str) -> Path:
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        file.write(text)
    return Path(file.name)
