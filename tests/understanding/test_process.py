"""The offline adapter in the process that reads, as services have it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from backbone import packs
from services.cognitive.reading_process import ReadingProcess
from tests.understanding.conformance import UnderstanderConformance
from understanding.port import Understander

pytestmark = [pytest.mark.timeout(240), pytest.mark.asyncio(loop_scope="module"), pytest.mark.processes]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def process() -> AsyncIterator[ReadingProcess]:
    process = ReadingProcess(tuple(packs.load().packs), "")
    yield process
    await process.close()


class TestInAProcess(UnderstanderConformance):
    @pytest.fixture
    def understander(self, process: ReadingProcess) -> Understander:
        return process
