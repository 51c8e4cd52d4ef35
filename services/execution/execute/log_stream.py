"""What tools write while they work, on its way to whoever watches: so many lines a second of each attempt."""

import asyncio
from datetime import UTC, datetime

from backbone.live import Live
from contracts.envelope import Message
from contracts.execution import TodoDispatched
from contracts.live import LogLine
from contracts.tools import LINE_LIMIT

PER_SECOND = 50
"""Lines that one attempt may show in a second; the rest are counted, and the count is shown."""
SECOND = 1.0


class LogStream(Live):
    """The lines of all attempts of a process."""

    def of_attempt(self, message: Message, dispatched: TodoDispatched) -> "AttemptLog":
        """The lines of one attempt."""
        return AttemptLog(self, message, dispatched)


class AttemptLog:
    """Shows the first lines of every second, and says how many more there were."""

    def __init__(self, live: LogStream, message: Message, dispatched: TodoDispatched) -> None:
        self._live = live
        self._session_id = message.session_id
        self._run_id = message.run_id
        self._dispatched = dispatched
        self._loop = asyncio.get_running_loop()
        self._second = float("-inf")
        self._said = 0
        self._left_out = 0
        self._count: asyncio.TimerHandle | None = None

    def say(self, text: str) -> None:
        """A text may have several lines; a traceback has."""
        for line in shown(text):
            self._say(line)

    def _say(self, line: str) -> None:
        now = self._loop.time()
        if now - self._second >= SECOND:
            self.end()
            self._second, self._said = now, 0
        if self._said < PER_SECOND:
            self._said += 1
            self._publish(line)
            return
        self._left_out += 1
        if self._count is None:  # the tool may write nothing more for long
            self._count = self._loop.call_at(self._second + SECOND, self.end)

    def end(self) -> None:
        """Says how many lines were left out until now."""
        if self._count is not None:
            self._count.cancel()
            self._count = None
        left_out, self._left_out = self._left_out, 0
        if left_out:
            self._publish("", left_out)

    def _publish(self, line: str, left_out: int = 0) -> None:
        if self._run_id is None:
            return
        todo_id, attempt = self._dispatched.todo.id, self._dispatched.attempt
        at = datetime.now(UTC)
        said = LogLine(run_id=self._run_id, todo_id=todo_id, attempt=attempt, line=line, left_out=left_out, at=at)
        self._live.publish(self._session_id, said)


def shown(text: str) -> list[str]:
    """The lines of a text as a terminal may show them: cut, and without control characters, also those of colours."""
    lines = ("".join(one if one.isprintable() else " " for one in line).rstrip() for line in text.splitlines())
    return [line[:LINE_LIMIT] for line in lines if line]
