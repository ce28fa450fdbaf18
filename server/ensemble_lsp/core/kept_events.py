"""Events of a job as they were kept, perhaps by another version of the product."""

from collections.abc import Mapping

from pydantic import ValidationError

from ensemble_lsp.core.events import JobEvent


def read_event(data: Mapping[str, object]) -> JobEvent | None:
    """Return a kept event, or None for one that another version wrote in another form."""
    try:
        return JobEvent.from_flat(dict(data))
    except ValidationError:
        return None
