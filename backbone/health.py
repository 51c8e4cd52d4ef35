"""What a process tells its cluster: whether it lives (itself alone), and whether it is ready (what it needs as well).

`live` never looks outside: what is started again because its database is away comes back into the same outage.
`ready` does, and names each thing that is missing in one sentence with its code."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from backbone.telemetry import metrics
from contracts.errors import Code
from contracts.shape import JsonObject

BEAT = 0.5
"""Seconds between two looks at the event loop."""
WINDOW = 15.0
"""Seconds: the gauge shows the worst lag of the last one to two windows, so that no scrape misses a short one."""
CHECK_SECONDS = 2.0
"""A check that has not answered by then is a problem itself."""

Look = Callable[[], Awaitable[str]]
"""Looks now; one sentence that says what is missing, or an empty one. It may raise and may take its time: both are
told as a problem. It must not hold a password."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a process does not live, or is not ready: who says so, the code, one sentence for the operator."""

    check: str
    code: Code
    message: str

    def told(self) -> JsonObject:
        return {"check": self.check, "code": int(self.code), "message": self.message}


class Checks:
    """Named checks of what has to be there before a service may be given work."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[Code, Look]] = {}

    def add(self, name: str, code: Code, look: Look) -> None:
        """From now on readiness asks `look`; a check of the same name is replaced."""
        self._looks[name] = (code, look)

    async def problems(self) -> list[Problem]:
        """Asks all at once; takes no longer than CHECK_SECONDS."""
        looks = list(self._looks.items())
        said = await asyncio.gather(*(_said(look) for _, (_, look) in looks))
        return [Problem(name, code, message) for (name, (code, _)), message in zip(looks, said, strict=True) if message]


async def _said(look: Look) -> str:
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return await look()
    except TimeoutError:
        return f"no answer within {CHECK_SECONDS:.0f} s"
    except Exception as error:  # noqa: BLE001  # whatever a check fails with, the others are to be heard
        return f"it cannot be looked at: {type(error).__name__}: {error}"


class Pulse:
    """How late the event loop is. Read from any thread, as one that is stuck cannot tell by itself."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = 0.0
        self._worst = [0.0, 0.0]
        self._window_ends = 0.0

    def start(self) -> None:
        """Begins to beat on the running loop; one that beats there already goes on."""
        loop = asyncio.get_running_loop()
        if self._loop is loop:
            return
        self._loop = loop
        self._due = time.monotonic() + BEAT
        loop.call_later(BEAT, self._beat, loop)
        metrics.LOOP_LAG.set_function(self.worst)

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._loop is not loop:
            return
        self._keep(self.lag)
        self._due = time.monotonic() + BEAT
        loop.call_later(BEAT, self._beat, loop)

    def _keep(self, lag: float) -> None:
        now = time.monotonic()
        if now > self._window_ends:
            self._worst = [self._worst[1] if now < self._window_ends + WINDOW else 0.0, 0.0]
            self._window_ends = now + WINDOW
        self._worst[1] = max(self._worst[1], lag)

    @property
    def lag(self) -> float:
        """Seconds for which the loop should have turned and has not; 0 before it was started."""
        return max(0.0, time.monotonic() - self._due) if self._due else 0.0

    def worst(self) -> float:
        """Seconds: the longest lag lately, that which goes on included."""
        return max(self.lag, *self._worst)


class Probed(Protocol):
    """A service, as its probes see it."""

    def ended(self) -> list[Problem]:
        """Loops of its own that are over. Asked from other threads."""

    async def unready(self) -> list[Problem]:
        """What it lacks to take work."""

    async def unwell(self) -> list[str]:
        """What GET /health says."""


@dataclass(slots=True)
class Probes:
    """The answers of one process. Before there is a service, it waits for something."""

    name: str
    pulse: Pulse
    stuck_seconds: float = 30.0
    """The process counts as dead when its event loop has not turned for so long."""
    service: Probed | None = None
    waits_for: Problem = field(default=Problem("start", Code.STARTING, "it is starting"))
    stopping: bool = False

    def live(self) -> list[Problem]:
        """What only a new start can mend. Asked from other threads."""
        found = self.service.ended() if self.service else []
        if (lag := self.pulse.lag) > self.stuck_seconds:
            found.append(Problem("loop", Code.LOOP_STUCK, f"the event loop has not turned for {lag:.0f} s"))
        return found

    async def ready(self) -> list[Problem]:
        """Why it must not be given work now."""
        if self.stopping:
            return [Problem("stop", Code.STOPPING, "it is stopping")]
        if self.service is None:
            return [self.waits_for]
        return self.live() + await self.service.unready()

    async def unwell(self) -> list[str]:
        """For GET /health."""
        return await self.service.unwell() if self.service else [self.waits_for.message]

    def told(self, what: str, problems: Sequence[Problem]) -> JsonObject:
        """The body of an answer; `what` is live or ready."""
        return {"service": self.name, what: not problems, "problems": [problem.told() for problem in problems]}
