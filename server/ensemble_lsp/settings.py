"""The settings model: one source for the docs, the schemas and the checks on what a workspace may say.

Settings come, later ones winning, from: the defaults, the user's `config.toml` in the configuration
directory, the editor, `ensemble.toml` or `[tool.ensemble]` in the workspace, the environment, and the command
line; an organisation's policy has the last word (see `settings_sources`, `settings_policy`). What a workspace
says under a *restricted* key counts only when its folder is trusted (docs/protocol.md, "Start").
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class MemberTable(_Table):
    """One `[[panel]]` entry; a string alone is the model."""

    id: str = Field(default="", description="Short name; the model's name when empty.")
    model: str = Field(description='litellm model string ("openai/gpt-5-mini"), or "embedded/NAME".')
    api_base: str | None = Field(
        default=None, description="Base URL of an OpenAI-compatible or Ollama server."
    )
    api_key_env: str | None = Field(default=None, description="Name of the variable that holds the key.")
    family: str | None = Field(
        default=None, description="Lineage, where the built-in table does not know it."
    )
    edit_format: Literal["search-replace", "whole"] | None = Field(
        default=None, description="How changes are asked for; by the model's size when unset."
    )
    price_in: float | None = Field(default=None, ge=0, description="USD per million prompt tokens.")
    price_out: float | None = Field(default=None, ge=0, description="USD per million output tokens.")
    context_tokens: int | None = Field(default=None, ge=1024, description="Context window in tokens.")
    max_output_tokens: int | None = Field(default=None, ge=64, description="Output tokens per call at most.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="Sampling temperature.")

    @model_validator(mode="before")
    @classmethod
    def _model_alone(cls, data: object) -> object:
        return {"model": data} if isinstance(data, str) else data


class CheckTable(_Table):
    """One `[[checks]]` entry: a command that decides whether a change is right."""

    id: str = Field(description="Name to call it by: `--check ID`.")
    command: str = Field(description="Command line, run in the shadow copy at the workspace's root.")
    timeout: float = Field(default=60.0, gt=0, description="Seconds.")


class BudgetTable(_Table):
    """Caps; nothing is sent past one."""

    usd: float = Field(default=0.50, ge=0, description="USD per job.")
    seconds: float = Field(default=120.0, ge=0, description="Seconds per job.")
    calls: int | None = Field(
        default=None, ge=0, description="Calls per job; the mode's own bound when unset."
    )
    day_usd: float = Field(default=5.0, ge=0, description="USD per day, all jobs together.")


class EmbeddedTable(_Table):
    """The model that runs in the engine itself when there is nothing else."""

    model: str = Field(default="qwen2.5-coder-1.5b", description="Name in the table of known weights.")
    path: Path | None = Field(default=None, description="A GGUF file of your own.")
    mirror: bool = Field(default=False, description="Allow the registry packages that mirror the weights.")
    members: Annotated[int, Field(ge=1, le=4)] = Field(
        default=2, description="How many differently prompted members the embedded model seats."
    )


class ContextTable(_Table):
    """What goes in front of the models."""

    include: tuple[str, ...] = Field(default=(), description="Globs that bring ignored files back in.")
    exclude: tuple[str, ...] = Field(default=(), description="Globs that are never sent.")
    max_tokens: int = Field(default=12_000, ge=500, description="Tokens of context per call at most.")


class ReviewTable(_Table):
    """What reviews run, and how they remember what a person said of them."""

    tests: bool = Field(
        default=True,
        description="Run the tests that have to do with the reviewed file (pytest, 20 seconds at most), and report "
        "the lines that those that fail point to.",
    )

    dismissals: Literal["private", "shared"] = Field(
        default="private",
        description="Where dismissed findings are kept: on this machine, or in `.ensemble/dismissed.json`.",
    )


class SearchTable(_Table):
    """What is tried without asking a model."""

    repair: bool = Field(
        default=True,
        description="Where a test of pytest's fails, in a review and in a fix that no draft settles, try small changes "
        "of the suspicious lines until it passes.",
    )


class StoreTable(_Table):
    """What is kept, on this machine only."""

    transcripts: bool = Field(
        default=True, description="Keep what jobs asked and answered; else only one line per job."
    )
    keep_days: int = Field(default=30, ge=0, description="Days a job is kept.")
    replies: bool = Field(
        default=True, description="Keep models' answers, so that the same question is not paid for twice."
    )


class TimeoutTable(_Table):
    """How long single steps may take, inside the job's own `budget.seconds`."""

    call: float = Field(
        default=60.0, gt=0, description="Seconds for one call of a model, from sending to the last token."
    )
    check: float = Field(default=60.0, gt=0, description="Seconds for one run of one witness.")


class ExecutionTable(_Table):
    """How the project's code is run, always in a shadow copy."""

    python: Path | None = Field(
        default=None, description="Interpreter that runs the tests; the workspace's own when unset."
    )
    sandbox: Literal["required", "ask"] = Field(
        default="ask",
        description="Where no sandbox can be enforced: `ask` for consent once a workspace, or never run.",
    )


class Settings(_Table):
    """All settings."""

    panel: tuple[MemberTable, ...] = Field(default=(), description="Members; found by themselves when empty.")
    anchor: str | None = Field(default=None, description="Id of the member trusted most; learned when unset.")
    strong: MemberTable | None = Field(
        default=None, description="Who is asked once when a question stays open."
    )
    local: bool = Field(default=False, description="Nothing but loopback servers and the embedded model.")
    mode: Literal["quick", "panel", "debate"] = Field(
        default="panel", description="The loop's default setting."
    )
    rounds: int = Field(default=1, ge=1, le=5, description="Critique rounds in `debate`.")
    budget: BudgetTable = Field(default=BudgetTable(), description="Caps.")
    checks: tuple[CheckTable, ...] = Field(default=(), description="Checks of your own.")
    check: str | None = Field(default=None, description="Id of the check that decides by default.")
    embedded: EmbeddedTable = Field(default=EmbeddedTable(), description="The embedded model.")
    context: ContextTable = Field(default=ContextTable(), description="What is sent.")
    review: ReviewTable = Field(default=ReviewTable(), description="What reviews leave out.")
    search: SearchTable = Field(default=SearchTable(), description="What is tried without a model.")
    store: StoreTable = Field(default=StoreTable(), description="What is kept.")
    timeouts: TimeoutTable = Field(default=TimeoutTable(), description="How long single steps may take.")
    execution: ExecutionTable = Field(default=ExecutionTable(), description="How code is run.")


RESTRICTED_KEYS: frozenset[str] = frozenset(
    {
        "panel",
        "anchor",
        "strong",
        "checks",
        "check",
        "budget",
        "context.include",
        "context.max_tokens",
        "embedded",
        "mode",
        "rounds",
        "review",
        "search",
        "store",
        "local",
        "timeouts",
        "execution",
    }
)
"""Dotted keys that could spend money, send code elsewhere, run a command or loosen a cap.

A workspace's word on these counts only when its folder is trusted.
"""
