"""What a review of a whole repository needs beside that of a file: how many at once, at what price, what is kept."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from ensemble_lsp import __version__
from ensemble_lsp.context.review_scope import Content
from ensemble_lsp.core.budget import Budget, Limits, Spend
from ensemble_lsp.core.counting import counted
from ensemble_lsp.core.dismissals import Dismissals
from ensemble_lsp.core.events import Estimate
from ensemble_lsp.core.findings import Finding
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.engine.messages import JobStart
from ensemble_lsp.models.local_queue import OLLAMA_AT_ONCE, SERVER_AT_ONCE
from ensemble_lsp.settings import Settings
from ensemble_lsp.store.reviewed import ReviewedFiles

HOSTED_AT_ONCE = 8
"""Files at once where every member is hosted: a call a member and file, below the request limits of a first tier."""
LEAST_AT_ONCE = 2
"""While the calls of one file wait for their server, the context of the next is gathered and its tools are run."""

ASK_ABOVE_USD = 1.0
ASK_ABOVE_SECONDS = 900.0
"""What a review of a whole repository may take before somebody is asked."""

_CHARACTERS_PER_TOKEN = 3.5
"""Of code; English has about four."""
_TOKENS_BESIDE = 1_500
"""What a typical dossier holds beside the file: definitions, tests, the repository's notes."""


def files_at_once(panel: Panel) -> int:
    """Return how many files are looked at together: as many as keep every member's server busy, and no more."""
    places = HOSTED_AT_ONCE
    servers: dict[str, int] = {}
    for member in panel.members:
        if member.local:
            server = member.api_base or member.model.partition("/")[0]
            servers[server] = servers.get(server, 0) + 1
    for member in panel.members:
        if member.local:
            provider = member.model.partition("/")[0]
            open_api = member.api_base is not None and not provider.startswith("ollama")
            at_once = SERVER_AT_ONCE if open_api else OLLAMA_AT_ONCE if provider.startswith("ollama") else 1
            places = min(places, at_once // servers[member.api_base or provider])
    return max(LEAST_AT_ONCE, places)


def typical_tokens(contents: Mapping[str, Content], most: int) -> int:
    """Return how many tokens the dossier of one of the files is likely to have, `most` at most."""
    if not contents:
        return most
    each = [min(most, item.characters / _CHARACTERS_PER_TOKEN + _TOKENS_BESIDE) for item in contents.values()]
    return round(sum(each) / len(each))


class RoomForFiles:
    """Whether the money that is left carries one more file, so that files are finished rather than many begun.

    What calls may cost at worst is held while they run. Files side by side that each hold it could meet the cap
    together while little is spent, so that as many run as the worst first round of each has room for.
    """

    def __init__(
        self, budget: Budget, first_round_usd: float, first_round_calls: int, typical_usd: float
    ) -> None:
        self._budget = budget
        self._first_calls = first_round_calls
        self._first_round = first_round_usd
        self._typical = typical_usd

    def __call__(self, running: int) -> str:
        """Return "" where a file may be begun beside `running` others, else why not."""
        limits, spent = self._budget.limits, self._budget.spent
        if limits.calls is not None and spent.calls + self._first_calls * (running + 1) > limits.calls:
            left = max(0, limits.calls - spent.calls)
            return f"the next file takes {self._first_calls} calls at least, and {left} of {limits.calls} are left"
        cap = limits.usd
        if cap is None:
            return ""
        # A single file is begun on what a file usually takes: what is left is worth a try.
        needed = self._typical if running == 0 else self._first_round * (running + 1)
        if spent.usd + needed <= cap + 1e-9:
            return ""
        left_usd = max(0.0, cap - spent.usd)
        return f"the next file takes about ${needed:.4f}, and ${left_usd:.4f} of ${cap:.2f} are left"


def capped(estimate: Estimate, limits: Limits) -> Estimate:
    """Return an estimate with what the job may spend; it takes no longer than it may."""
    seconds = estimate.seconds_expected
    if seconds is not None and limits.seconds is not None:
        seconds = min(seconds, limits.seconds)
    return estimate.model_copy(update={"usd_cap": limits.usd, "seconds_expected": seconds})


def question_of(estimate: Estimate, files: int, kept: int) -> str:
    """Return what is asked before a long or dear review of `files` files; "" where nothing is to be asked."""
    usd = estimate.usd_expected if estimate.usd_cap is None else min(estimate.usd_expected, estimate.usd_cap)
    seconds = estimate.seconds_expected or 0.0
    if usd <= ASK_ABOVE_USD and seconds <= ASK_ABOVE_SECONDS:
        return ""
    known = f" ({kept} more are kept from an earlier review)" if kept else ""
    cap = "" if estimate.usd_cap is None else f"; never more than ${estimate.usd_cap:.2f}"
    tokens = f"{(estimate.tokens_expected or 0) / 1000:,.0f}k tokens"
    money = f"${estimate.usd_expected:.2f}"
    return (
        f"Review {counted(files, 'file')}{known}: about {estimate.calls_expected:,} calls, {tokens}, {money}, "
        f"{_minutes(seconds)}{cap}. Start?"
    )


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"


def keys_of(
    start: JobStart, panel: Panel, settings: Settings, contents: Mapping[str, Content]
) -> dict[str, str]:
    """Return for every file a hash of what its review depends on: its text, who looks, how, and in which words.

    Other files that are shown beside it are left out: each change would make everything around it new again.
    """
    task = start.task
    common = json.dumps(
        [
            __version__,
            prompt_version(),
            start.workspace,
            start.trusted,
            start.rules,
            [[member.id, member.model, member.family, member.api_base] for member in panel.members],
            panel.anchor,
            panel.strong.model if panel.strong is not None else "",
            [task.mode.value, task.rounds, task.instruction, task.check or settings.check],
            settings.context.model_dump(mode="json"),
        ]
    )
    return {
        path: hashlib.sha256(
            "\0".join((common, path, content.digest)).encode("utf-8", "surrogatepass")
        ).hexdigest()
        for path, content in contents.items()
    }


@cache
def prompt_version() -> str:
    """Return a hash of the modules that hold the prompts: who changes a word need not think of a number."""
    folder = resources.files("ensemble_lsp.ensemble.prompts")
    digest = hashlib.sha256()
    for item in sorted(folder.iterdir(), key=lambda each: each.name):
        if item.name.endswith(".py"):
            digest.update(item.read_bytes())
    return digest.hexdigest()


def as_kept(result: JobResult, dismissals: Dismissals) -> JobResult | None:
    """Return an earlier result as it is to be shown now, or None where the file has to be looked at again.

    What was dismissed since is left out; what is no longer dismissed was never challenged, so the file comes again.
    """
    findings: list[Finding] = []
    for finding in result.findings:
        reason = dismissals.reason_for(finding.path, finding.fingerprint) if finding.fingerprint else None
        if reason is None and finding.dismissed is not None:
            return None
        if reason is not None and finding.dismissed is None:
            shown = f"dismissed: {reason}" if reason else "dismissed"
            finding = finding.model_copy(  # noqa: PLW2901 - the same finding, shown otherwise
                update={"admitted": False, "dismissed": reason, "reason": shown}
            )
        findings.append(finding)
    return result.model_copy(update={"findings": tuple(findings), "spend": Spend(), "drafts": ()})


async def kept_reviews(
    store: ReviewedFiles, keys: Mapping[str, str], dismissals: Dismissals
) -> dict[str, JobResult]:
    """Return what earlier reviews of the same texts said, by path."""
    found = await store.of(keys.values())
    shown = {path: as_kept(found[key], dismissals) for path, key in keys.items() if key in found}
    return {path: result for path, result in shown.items() if result is not None}


def to_keep(result: JobResult) -> JobResult:
    """Return what is kept of a file's result: the answers of members are kept with the job already."""
    return result.model_copy(update={"drafts": ()})
