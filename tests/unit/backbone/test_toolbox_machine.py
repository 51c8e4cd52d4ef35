"""The toolbox in memory does what the rules say, whatever happens to it in whatever order."""

from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import settings

from backbone.toolbox.port import Toolbox
from tests.conformance.toolbox_machine import T, ToolboxMachine
from tests.fakes.toolbox import MemoryToolbox


class MemoryMachine(ToolboxMachine):
    def opened(self) -> Toolbox:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        return MemoryToolbox(lambda: self.now)

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            work.send(None)
        except StopIteration as over:
            answer: T = over.value
            return answer
        raise AssertionError("it waits for something, and there is nothing to wait for")


TestMemoryToolbox = MemoryMachine.TestCase
TestMemoryToolbox.settings = settings(max_examples=80, stateful_step_count=40)
