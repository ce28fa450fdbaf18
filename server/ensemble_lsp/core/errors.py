"""One tree of errors, each with a message a person can act on.

::

    EnsembleError
    ├── UsageError                 a wrong argument, path or range                    exit 2
    │   └── UnknownItem            no such job, proposal or finding
    ├── ConfigurationError         a settings file or value                           exit 3
    ├── ConsentRequired            code would leave the machine, nobody agreed yet    exit 3
    ├── TrustRequired              the folder is not trusted and the step needs it    exit 3
    ├── BudgetExceeded             a cap was reached; nothing was sent                exit 4
    ├── ModelError                 a member could not answer                          exit 3
    │   ├── NoModelReachable       nobody can sit on the panel
    │   ├── AuthenticationFailed   the key is missing or refused
    │   ├── UnknownModel           the provider does not know the model
    │   ├── RateLimited            too many requests; `retry_after` in seconds
    │   ├── ModelUnavailable       connection refused, cut, or a 5xx answer
    │   ├── ModelTimeout           no answer in time
    │   ├── ContextOverflow        the prompt does not fit the model
    │   ├── Refused                the provider's filter or the model declined
    │   ├── MalformedReply         not the form asked for, also after the repair turn
    │   └── WeightsUnavailable     the embedded model's file is absent and was not fetched
    ├── CheckError                 a check could not be run
    │   └── SandboxUnavailable     nothing on this system can enforce the sandbox
    ├── StoreError                 the database cannot be used
    └── EngineError                the engine process died or did not answer

Cancellation is not an error: it is `asyncio.CancelledError`, and a normal path.
"""

from typing import ClassVar


class EnsembleError(Exception):
    """The root; `hint` says what to do next and is shown below the message."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(EnsembleError):
    """A wrong argument, path or range; `field` names the argument where one is at fault."""

    exit_code = 2

    def __init__(self, message: str, *, hint: str = "", field: str = "") -> None:
        super().__init__(message, hint=hint)
        self.field = field


class UnknownItem(UsageError):
    """No such job, proposal, finding, member or check."""


class ConfigurationError(EnsembleError):
    """A settings source that cannot be used; `source` is a file or variable, `line` 1-based or None."""

    exit_code = 3

    def __init__(
        self, message: str, *, hint: str = "", source: str = "", line: int | None = None, field: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.source = source
        self.line = line
        self.field = field


class ConsentRequired(EnsembleError):
    """Code would go to `recipients` and nobody has agreed to that yet."""

    exit_code = 3

    def __init__(self, message: str, *, recipients: tuple[str, ...] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.recipients = recipients


class TrustRequired(EnsembleError):
    """The step would run or obey something of a folder that is not trusted."""

    exit_code = 3


class BudgetExceeded(EnsembleError):
    """A cap was reached and the call was not sent; `cap` is `job-usd`, `day-usd`, `calls` or `seconds`."""

    exit_code = 4

    def __init__(self, message: str, *, cap: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.cap = cap


class ModelError(EnsembleError):
    """A member (`member` is its id) could not answer; `retryable`: the same call may succeed later."""

    exit_code = 3
    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, member: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.member = member


class NoModelReachable(ModelError):
    """Nobody can sit on the panel."""


class AuthenticationFailed(ModelError):
    """The key is missing or was refused."""


class UnknownModel(ModelError):
    """The provider does not know the model."""


class RateLimited(ModelError):
    """Too many requests; `retry_after` in seconds where the provider said so."""

    retryable = True

    def __init__(
        self, message: str, *, member: str = "", hint: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message, member=member, hint=hint)
        self.retry_after = retry_after


class ModelUnavailable(ModelError):
    """Connection refused, connection cut, or a 5xx answer."""

    retryable = True


class ModelTimeout(ModelError):
    """No answer in time."""


class ContextOverflow(ModelError):
    """The prompt does not fit the model's context."""


class Refused(ModelError):
    """The provider's filter or the model declined to answer."""


class MalformedReply(ModelError):
    """The answer is not of the form asked for, also after the one repair turn."""


class WeightsUnavailable(ModelError):
    """The embedded model's file is not here and was not fetched."""


class CheckError(EnsembleError):
    """A check could not be run at all (a check that ran and failed is evidence, not an error)."""


class SandboxUnavailable(CheckError):
    """Nothing on this system can enforce the sandbox and nobody consented to run without it."""


class StoreError(EnsembleError):
    """The database cannot be used."""


class EngineError(EnsembleError):
    """The engine process died or did not answer."""
