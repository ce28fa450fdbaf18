"""Work that a cancelled caller still brings to its end: keeping what was paid for."""

import asyncio
from collections.abc import Coroutine


async def kept_even_if_cancelled(work: Coroutine[object, object, None]) -> None:
    """Run `work` to its end, also when the caller is cancelled meanwhile; the cancellation is then passed on."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
