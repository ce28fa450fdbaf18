"""What the deliberations of one job share: one of a file, hundreds of a repository."""

from dataclasses import dataclass

from ensemble_lsp.checks.many_files import ManyFilesChecks
from ensemble_lsp.context.redaction import Redactor
from ensemble_lsp.core.budget import Budget, Limits
from ensemble_lsp.core.events import Estimate
from ensemble_lsp.core.panel import Panel
from ensemble_lsp.core.results import JobResult
from ensemble_lsp.core.text import SourceText
from ensemble_lsp.engine.dismissals import KnownDismissals
from ensemble_lsp.engine.purse import JobPurse
from ensemble_lsp.engine.whole import RoomForFiles
from ensemble_lsp.ensemble.calibration import Calibration
from ensemble_lsp.models.gateway import Gateway
from ensemble_lsp.settings_sources import LoadedSettings


@dataclass(frozen=True, slots=True)
class WholeReview:
    """What the files of one review share."""

    keys: dict[str, str]
    """Path → what its result is kept under; empty where results are not kept."""
    kept: dict[str, JobResult]
    at_once: int
    room: RoomForFiles
    checks: ManyFilesChecks
    listed: tuple[str, ...] | None
    """The files of the workspace, listed once for all dossiers; None: each dossier lists them."""


@dataclass(slots=True)
class JobParts:
    """What all dossiers of one job share."""

    loaded: LoadedSettings
    panel: Panel
    gateway: Gateway
    limits: Limits
    budget: Budget
    purse: JobPurse
    overlays: dict[str, SourceText]
    redactor: Redactor
    calibration: Calibration
    estimate: Estimate
    uri: str
    unconfined: bool
    dismissals: KnownDismissals
    whole: WholeReview | None = None
    """Of a review of several files."""
