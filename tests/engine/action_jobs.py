"""Whole jobs of the other actions: real context, sandboxed pytest and litellm; only the models are scripted."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ensemble_lsp.core.events import Action, JobEvent, Mode
from ensemble_lsp.core.results import JobResult, LineRange, Task
from ensemble_lsp.engine.local import LocalEngine
from ensemble_lsp.engine.messages import ConsentQuestion, JobOptions, JobStart
from tests.support.fake_model_server import Answer, FakeModelServer, Recorded
from tests.support.shop import members

Said = str | Callable[[Recorded], str]


async def refuse(_question: ConsentQuestion) -> bool:
    """Agree to nothing: everything in these tests is local."""
    return False


def written(root: Path, files: Mapping[str, str]) -> Path:
    """Write a workspace and return its root."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root.resolve()


def block(path: str, old: str, new: str) -> str:
    """Return one change as members write it."""
    return f"{path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


async def job(
    root: Path,
    action: Action,
    said: Mapping[str, Said],
    *,
    path: str,
    instruction: str = "",
    lines: tuple[int, int] | None = None,
    mode: Mode = Mode.PANEL,
    events: list[JobEvent] | None = None,
    prompts: list[str] | None = None,
    check: str | None = None,
    seat: Mapping[str, object] | None = None,
    trusted: bool = True,
    **settings: object,
) -> JobResult:
    """Run a job whose members are the keys of `said`, of a family each; `lines` are 0-based, `end` exclusive."""

    def answer(request: Recorded) -> Answer:
        if prompts is not None:
            prompts.append(request.prompt)
        line = said[request.model]
        return Answer(text=line if isinstance(line, str) else line(request))

    async with FakeModelServer(answer) as server, LocalEngine.open(refuse) as engine:
        fields: dict[str, object] = {"edit_format": "search-replace", **(seat or {})}
        overrides: dict[str, object] = {
            "panel": members(server.openai_base, list(said), **fields),
            "store": {"replies": False},
            **settings,
        }
        start = JobStart(
            job=uuid.uuid4().hex[:12],
            workspace=str(root),
            task=Task(
                action=action,
                path=path,
                instruction=instruction,
                range=LineRange(start=lines[0], end=lines[1]) if lines is not None else None,
                mode=mode,
                check=check,
            ),
            trusted=trusted,
            options=JobOptions(overrides=overrides, check_given=check is not None),
        )
        return await engine.run(start, events.append if events is not None else lambda _event: None)


def after(result: JobResult) -> dict[str, str | None]:
    """Return the proposed text of every file."""
    assert result.proposal is not None, result.reason
    return {
        change.path: change.after.text if change.after is not None else None
        for change in result.proposal.chosen.changes
    }


def replies(*texts: str) -> Callable[[Recorded], str]:
    """Return a member that says the texts one after the other, the last one again and again."""
    left: list[str] = list(texts)

    def say(_request: Recorded) -> str:
        return left.pop(0) if len(left) > 1 else left[0]

    return say


def asked(prompts: Sequence[str], words: str) -> int:
    """Return how many prompts hold the words."""
    return sum(words in prompt for prompt in prompts)
