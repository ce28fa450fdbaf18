"""An engine without work is let go, and the next question has a new one."""

import pytest

from ensemble_lsp.engine.messages import JobListQuery
from ensemble_lsp.lsp.server import EnsembleServer
from tests.support.processes import gone, until

pytestmark = pytest.mark.asyncio


async def test_an_engine_without_work_goes_and_a_new_one_answers_the_next_question() -> None:
    server = EnsembleServer(idle_seconds=0.2)
    server.initialized()
    try:
        await until(lambda: server.engine.pid is not None)
        first = server.engine.pid
        assert first is not None
        await gone(first)
        assert (await server.engine.jobs(JobListQuery())).jobs == ()
        assert server.engine.pid != first
    finally:
        await server.close()
