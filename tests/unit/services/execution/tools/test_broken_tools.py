"""A tool that cannot be imported is broken: that is said as such, and the log tells why and where."""

import logging

import pytest

from backbone import packs
from contracts.errors import Code
from services.execution.tools.faults import ToolFault, told
from services.execution.tools.toolpool import ToolPool
from tests.fakes.artifacts import MemoryArtifacts
from tests.unit.services.execution.tool_caller import ToolCaller

pytestmark = pytest.mark.processes

BROKEN = "tests.unit.services.execution.broken_for_tests:work"
ABSENT = "tests.unit.services.execution.tools_for_tests:not_there"


@pytest.mark.parametrize("function", ["work", "async_work"])
@pytest.mark.parametrize(
    ("entry", "why"),
    [(BROKEN, "RuntimeError: the model file is missing"), (ABSENT, "AttributeError"), ("no.such:work", "no module")],
)
async def test_a_tool_that_cannot_be_imported_is_broken_whatever_it_is_given(
    function: str, entry: str, why: str, artifacts: MemoryArtifacts, caplog: pytest.LogCaptureFixture
) -> None:
    pool = ToolPool(1)
    with pytest.raises(ToolFault) as caught, caplog.at_level(logging.ERROR):
        await ToolCaller(pool, artifacts).run(function, {"entry": entry})
    await pool.close()
    assert (caught.value.code, caught.value.retryable) == (Code.TOOL_BROKEN, False)
    logged = caplog.text
    assert f"tool test.{function} is broken" in logged
    assert entry in logged and why.casefold() in logged.casefold()
    if entry == BROKEN:
        assert "broken_for_tests.py:3" in logged


@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_the_person_is_not_told_that_the_input_was_at_fault(language: str) -> None:
    say = packs.load().say
    broken = told(ToolFault(Code.TOOL_BROKEN, "x:y cannot be imported"), language, say).message
    assert broken == say(language, "error.6013") != say(language, "error.6000")
