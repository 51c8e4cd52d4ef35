"""Warm, killable worker processes for CPU tools. A call has a process to itself for as long as it runs."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from backbone.scratch import Scratch
from contracts.errors import Code
from contracts.tools import ToolError
from services.execution.tools.bytecode import compiled
from services.execution.tools.confinement import WorkerKind
from services.execution.tools.faults import ToolFault, said
from services.execution.tools.shares import Shares
from services.execution.tools.workers import (
    DISK_LOOKS,
    LOOK_SECONDS,
    MOST_DISK,
    MOST_PROCESSES,
    Kept,
    Sandbox,
    Worker,
    descendants,
    kill_group,
    resident,
    start,
)

log = logging.getLogger(__name__)

IDLE_BYTES = 1024**3
"""What all processes that wait may hold together; of more, those end that have waited for longest. A process that has
loaded its models has some 400 MB, and loading them takes longer than most calls."""
IDLE_SECONDS = 60.0
"""A process that has had nothing to do for so long ends: its libraries hold hundreds of MB."""
WARM_TIMES = 5
"""A process that was warmed waits so many times longer: whoever has brought a file reads an answer before asking on."""
WARM_SECONDS = 30.0
SWEEP_AFTER = 0.05
"""Seconds after a call until its files are removed: what follows from the answer is decided first, by the same
interpreter."""

MOST_MEANINGS = 512
"""Texts of which one call may have vectors: a second of the encoder, which all people share."""
Meanings = Callable[[Sequence[str]], Awaitable[Sequence[Sequence[float]]]]


class Listener(Protocol):
    """Hears what a tool says while it works."""

    async def progress(self, fraction: float, message: str) -> None: ...
    def log(self, line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Unheard:
    """Nobody watches the work; what the tool says goes to our own log."""

    work: str

    async def progress(self, fraction: float, message: str) -> None: ...

    def log(self, line: str) -> None:
        log.debug(self.work, extra={"line": line})


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use of time; the rest is that of its kind of worker."""

    seconds: float


@dataclass(slots=True)
class ToolPool:
    """At most `size` processes at work (and one for a person who has none), started when needed, and as many that wait
    for calls of other kinds."""

    size: int
    idle_seconds: float = IDLE_SECONDS
    sandbox: Sandbox = field(default_factory=Sandbox)
    _shares: Shares = field(init=False)
    _idle: list[Worker] = field(init=False, default_factory=list)
    _scratch: Scratch | None = field(init=False, default=None)
    _calls: int = field(init=False, default=0)
    _begun: int = field(init=False, default=0)
    _closed: bool = field(init=False, default=False)
    _warming: "dict[WorkerKind, asyncio.Task[None]]" = field(init=False, default_factory=dict)
    _compiling: "asyncio.Task[None] | None" = field(init=False, default=None)
    _sweeping: "set[asyncio.Task[None]]" = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        self._shares = Shares(self.size)

    @property
    def idle(self) -> int:
        """Processes that wait for work."""
        return len(self._idle)

    @property
    def scratch(self) -> Path:
        """Where calls have their folders; made when the first one needs it."""
        if self._scratch is None:
            self._scratch = Scratch.made()
        return self._scratch.path

    @asynccontextmanager
    async def call(
        self,
        kind: WorkerKind,
        request: dict[str, Any],
        limits: Limits,
        listener: Listener,
        meanings: Meanings | None = None,
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Runs one tool call. Gives {"done", "saved"}; the saved files are there within the context.

        Raises ToolError. Cancelling it kills the process. Waiting for a free process is not counted as time."""
        kept = self._kept()
        try:
            async with self._shares.place(str(request.get("user", ""))):
                answer = await self._answer(kind, request, limits, _Ears(listener, meanings), kept)
            yield answer
        finally:
            sweeping = self._swept(kept)
            if self._closed:
                await asyncio.wait([sweeping])

    def _swept(self, kept: Kept) -> "asyncio.Task[None]":
        """In a task of its own: whoever cancels a call, or a warming, cancels no cleaning."""
        sweeping = asyncio.create_task(self._sweep(kept), name=f"sweep:{kept.mark}")
        self._sweeping.add(sweeping)
        sweeping.add_done_callback(self._sweeping.discard)
        return sweeping

    def _kept(self) -> Kept:
        """Begins a call, or what else leaves files."""
        self._calls += 1
        self._begun += 1
        return Kept(self.scratch, self._begun)

    async def _sweep(self, kept: Kept) -> None:
        """Ends a call whose files nobody wants any more; who has called waits for it in a pool that closes alone."""
        if not self._closed:
            await asyncio.sleep(SWEEP_AFTER)
        await asyncio.to_thread(kept.sweep)
        self._calls -= 1
        self._clear_up()

    async def _answer(
        self, kind: WorkerKind, request: dict[str, Any], limits: Limits, ears: "_Ears", kept: Kept
    ) -> dict[str, Any]:
        worker = await self._take(kind, str(request.get("loads", "")))
        guard = asyncio.create_task(_guard(worker))
        try:
            laid_out = await worker.laid_out(request)
            answer = await self._within(limits.seconds, worker, laid_out, ears)
            answer["saved"] = worker.taken_out(Path(laid_out["workdir"]), answer.get("saved", ()), kept)
        except ToolFault as fault:
            await worker.kill()
            if guard.done() and not guard.cancelled():
                raise _exceeded(guard.result(), request["entry"], kind) from fault
            raise
        except BaseException:
            await worker.kill()
            raise
        finally:
            guard.cancel()
        await self._give_back(worker, kept)
        failed = answer.get("failed")
        if failed is None:
            return answer
        if trace := answer.get("trace"):
            log.error("tool %s failed in its process: %s", request["entry"], trace)
        error_of = ToolError if failed["spoken"] else ToolFault
        error = error_of(Code(failed["code"]), failed["message"], retryable=failed["retryable"])
        raise said(error, detail=failed["detail"])

    def warm(self, kind: WorkerKind, entry: str) -> None:
        """Has a process of the kind wait that has loaded what the entry loads, if there is room for one."""
        there = any(one.kind == kind and one.warmed == entry for one in self._idle)
        if self._closed or there or kind in self._warming or self._shares.full:
            return
        task = self._warming[kind] = asyncio.create_task(self._warmed(kind, entry), name=f"warm:{entry}")
        task.add_done_callback(lambda _: self._warming.pop(kind, None))

    async def _warmed(self, kind: WorkerKind, entry: str) -> None:
        worker = await self._take(kind)
        try:
            async with asyncio.timeout(WARM_SECONDS):
                await _tell(worker, {"warm": entry})
                while (raw := await worker.answers.readline()) and "warm" not in json.loads(raw):
                    pass
        except BaseException:
            await worker.kill()
            raise
        worker.warmed = entry
        left = self._kept()
        try:
            await self._give_back(worker, left)
        finally:
            self._swept(left)

    async def _take(self, kind: WorkerKind, loads: str = "") -> Worker:
        """One that waits, or a new one. Only a call that loads what a process is just loading waits for that one."""
        warming = self._warming.get(kind)
        if warming is not None and loads and warming.get_name() == f"warm:{loads}":
            await asyncio.wait([warming])
        for worker in reversed(self._idle):
            if worker.kind == kind:
                self._idle.remove(worker)
                if worker.alive:
                    return worker
                await worker.kill()  # it died while it waited
                return await self._take(kind, loads)
        if len(self._idle) > self.size:
            await self._idle.pop(0).kill()  # one of another kind, idle for longest
        return await start(kind, self.scratch, self.sandbox)

    async def _give_back(self, worker: Worker, left: Kept) -> None:
        """It waits for the next call, with nothing of this one; `left` takes what there is, which is swept later."""
        pid = worker.process.pid
        if self._closed or resident(pid) > IDLE_BYTES or descendants(pid):
            await worker.kill()
            if worker.warmed:
                self.warm(worker.kind, worker.warmed)  # the next question is as quick
            return
        try:
            worker.clear(left)
        except OSError as error:
            log.warning("a tool's process cannot be cleaned, so it ends: %s", error)
            await worker.kill()
            return
        worker.since_idle = asyncio.get_running_loop().time()
        self._idle.append(worker)
        while sum(resident(one.process.pid) for one in self._idle) > IDLE_BYTES:
            await self._idle.pop(0).kill()

    async def _within(self, seconds: float, worker: Worker, request: dict[str, Any], ears: "_Ears") -> dict[str, Any]:
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await self._converse(worker, request, ears)
        except TimeoutError:
            if not scope.expired():
                raise
            why = f"{request['entry']} did not end within {seconds:g} s"
            raise ToolFault(Code.TOOL_TIMEOUT, why, retryable=True, seconds=seconds) from None

    async def _converse(self, worker: Worker, request: dict[str, Any], ears: "_Ears") -> dict[str, Any]:
        await _tell(worker, request)
        while raw := await worker.answers.readline():
            answer: dict[str, Any] = json.loads(raw)
            if "progress" in answer:
                await ears.listener.progress(answer["progress"], answer["message"])
            elif "log" in answer:
                ears.listener.log(answer["log"])
            elif "meanings" in answer:
                await _tell(worker, {"vectors": await ears.vectors(answer["meanings"])})
            elif "uncompiled" in answer:
                self._compile(worker.kind, answer["uncompiled"])
            else:
                return answer
        code = await worker.process.wait()
        why = f"the process of {request['entry']} ended with {code}"
        raise ToolFault(Code.TOOL_CRASHED, why, retryable=True, exit_code=code)

    def _compile(self, kind: WorkerKind, files: Sequence[object]) -> None:
        """One at a time: what is left over is told by the next worker."""
        if self._compiling is None or self._compiling.done():
            self._compiling = asyncio.create_task(compiled(files, kind.pack))

    async def retire_idle(self) -> None:
        """Ends processes that have been idle for long; runs until cancelled, then closes the pool."""
        try:
            while True:
                await asyncio.sleep(min(5.0, self.idle_seconds / 2))
                now = asyncio.get_running_loop().time()
                old = [worker for worker in self._idle if now - worker.since_idle >= self._patience(worker)]
                # all of them before the first await: a call must not be given a process that is about to end
                self._idle = [worker for worker in self._idle if worker not in old]
                for worker in old:
                    await worker.kill()
        finally:
            await self.close()

    def _patience(self, worker: Worker) -> float:
        return self.idle_seconds * (WARM_TIMES if worker.warmed else 1)

    async def settled(self) -> None:
        """Returns when no file of a call that is over is left."""
        while self._sweeping:
            await asyncio.wait(self._sweeping)

    async def close(self) -> None:
        """Ends the idle processes; the others when their calls are over."""
        self._closed = True
        for warming in list(self._warming.values()):
            warming.cancel()
        await asyncio.gather(*self._warming.values(), return_exceptions=True)
        await self.settled()
        if self._compiling is not None:
            self._compiling.cancel()
            await asyncio.gather(self._compiling, return_exceptions=True)
        while self._idle:
            await self._idle.pop().kill()
        self._clear_up()

    def _clear_up(self) -> None:
        if self._closed and not self._calls and self._scratch is not None:
            self._scratch.remove()
            self._scratch = None


@dataclass(slots=True)
class _Ears:
    """What a call is heard with: its words go to the listener, its texts to whoever makes vectors."""

    listener: Listener
    meanings: Meanings | None
    asked: int = 0

    async def vectors(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked += len(texts)
        if self.meanings is None or self.asked > MOST_MEANINGS:
            return ()
        return await self.meanings(texts)


async def _tell(worker: Worker, said: dict[str, Any]) -> None:
    line = json.dumps(said, ensure_ascii=False)
    with suppress(ConnectionError):  # the process is gone: its end of the conversation says so to whoever reads it
        worker.requests.write(line.encode() + b"\n")
        await worker.requests.drain()


async def _guard(worker: Worker) -> str:
    """Kills a process that takes more than it may, with all that it has started, and says of what: the system would
    kill somebody, and perhaps another."""
    looks = 0
    while True:
        await asyncio.sleep(LOOK_SECONDS)  # nothing tells us: we have to look
        looks += 1
        disk = looks % DISK_LOOKS == 0
        excess = await asyncio.to_thread(worker.excess, disk=True) if disk else worker.excess(disk=False)
        if excess:
            kill_group(worker.process.pid)
            return excess


def _exceeded(what: str, entry: str, kind: WorkerKind) -> ToolFault:
    match what:
        case "memory":
            why = f"{entry} took more than {kind.memory_mb} MiB of memory"
            return ToolFault(Code.TOOL_OUT_OF_MEMORY, why, memory_mb=kind.memory_mb)
        case "disk":
            return ToolFault(Code.TOOL_OUTPUT_TOO_LARGE, f"{entry} wrote more than {MOST_DISK:,} bytes")
        case _:
            return ToolFault(Code.TOOL_CRASHED, f"{entry} started more than {MOST_PROCESSES} processes")
