"""Warm, killable worker processes for CPU tools. A call has a process to itself for as long as it runs."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from backbone.scratch import Scratch
from contracts.errors import Code
from contracts.tools import ToolError
from services.execution.faults import ToolFault, said
from services.execution.outputs import sweep

LINE_LIMIT = 4 * 1024 * 1024
HEAVY_BYTES = 320 * 1024**2
"""A process that is larger after a call ends at once: a warm start is not worth keeping a language model in memory."""
MEMORY_LOOK = 0.2
"""Seconds between two looks at how much memory a call has taken."""
IDLE_SECONDS = 60.0
"""A process that has had nothing to do for so long ends: its libraries hold hundreds of MB."""


class Listener(Protocol):
    """Hears what a tool says while it works."""

    async def progress(self, fraction: float, message: str) -> None: ...
    def log(self, line: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may use: wall time and resident memory."""

    seconds: float
    memory_mb: int = 2048


@dataclass(slots=True)
class _Worker:
    process: asyncio.subprocess.Process
    requests: asyncio.StreamWriter
    answers: asyncio.StreamReader
    answers_pipe: asyncio.BaseTransport
    since_idle: float = 0.0

    async def kill(self) -> None:
        """Its whole group: what a tool has started ends with it."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.requests.close()
        self.answers_pipe.close()
        await self.process.wait()


@dataclass(slots=True)
class ToolPool:
    """At most `size` processes, started when needed."""

    size: int
    idle_seconds: float = IDLE_SECONDS
    _slots: asyncio.Semaphore = field(init=False)
    _idle: list[_Worker] = field(init=False, default_factory=list)
    _scratch: Scratch | None = field(init=False, default=None)
    _calls: int = field(init=False, default=0)
    _closed: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.size)

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
        self, request: dict[str, Any], limits: Limits, listener: Listener
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Runs one tool call. Gives {"done", "saved"}; the saved files are there within the context.

        Raises ToolError. Cancelling it kills the process. Waiting for a free process is not counted as time."""
        workdir = tempfile.mkdtemp(prefix="call-", dir=self.scratch)
        self._calls += 1
        try:
            async with self._slots:
                answer = await self._answer({**request, "workdir": workdir}, limits, listener)
            yield answer
        finally:
            self._calls -= 1
            await asyncio.to_thread(sweep, workdir)
            self._clear_up()

    async def _answer(self, request: dict[str, Any], limits: Limits, listener: Listener) -> dict[str, Any]:
        worker = await self._take()
        guard = asyncio.create_task(_guard(worker, limits.memory_mb))
        try:
            answer = await self._within(limits.seconds, worker, request, listener)
        except ToolFault as fault:
            await worker.kill()
            if guard.done() and not guard.cancelled():
                why = f"{request['entry']} took more than {limits.memory_mb} MiB of memory"
                raise ToolFault(Code.TOOL_OUT_OF_MEMORY, why, memory_mb=limits.memory_mb) from fault
            raise
        except BaseException:
            await worker.kill()
            raise
        finally:
            guard.cancel()
        await self._give_back(worker)
        failed = answer.get("failed")
        if failed is None:
            return answer
        kind = ToolError if failed["spoken"] else ToolFault
        error = kind(Code(failed["code"]), failed["message"], retryable=failed["retryable"])
        raise said(error, detail=failed["detail"])

    async def _take(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.process.returncode is None:
                return worker
            await worker.kill()  # it died while it waited
        return await self._start()

    async def _give_back(self, worker: _Worker) -> None:
        if self._closed or _resident(worker.process.pid) > HEAVY_BYTES:
            await worker.kill()
        else:
            worker.since_idle = asyncio.get_running_loop().time()
            self._idle.append(worker)

    async def _within(
        self, seconds: float, worker: _Worker, request: dict[str, Any], listener: Listener
    ) -> dict[str, Any]:
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await self._converse(worker, request, listener)
        except TimeoutError:
            if not scope.expired():
                raise
            why = f"{request['entry']} did not end within {seconds:g} s"
            raise ToolFault(Code.TOOL_TIMEOUT, why, retryable=True, seconds=seconds) from None

    async def _converse(self, worker: _Worker, request: dict[str, Any], listener: Listener) -> dict[str, Any]:
        line = json.dumps(request, ensure_ascii=False)
        with suppress(ConnectionError):  # the process is gone: its end of the conversation says so below
            worker.requests.write(line.encode() + b"\n")
            await worker.requests.drain()
        while raw := await worker.answers.readline():
            answer: dict[str, Any] = json.loads(raw)
            if "progress" in answer:
                await listener.progress(answer["progress"], answer["message"])
            elif "log" in answer:
                listener.log(answer["log"])
            else:
                return answer
        code = await worker.process.wait()
        why = f"the process of {request['entry']} ended with {code}"
        raise ToolFault(Code.TOOL_CRASHED, why, retryable=True, exit_code=code)

    async def _start(self) -> _Worker:
        read_requests, write_requests = os.pipe()
        read_answers, write_answers = os.pipe()
        requests, answers = os.fdopen(write_requests, "wb"), os.fdopen(read_answers, "rb")
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "services.execution.toolhost", str(read_requests), str(write_answers),
                stdin=asyncio.subprocess.DEVNULL, pass_fds=(read_requests, write_answers),
                # its own group, so that Ctrl-C in the terminal reaches us and not the middle of a tool
                start_new_session=True,
                env=_child_environment(),
            )  # fmt: skip
        except BaseException as error:
            requests.close()
            answers.close()
            if isinstance(error, OSError):
                raise ToolFault(Code.TOOL_CRASHED, f"no process can be started: {error}", retryable=True) from error
            raise
        finally:
            os.close(read_requests)
            os.close(write_answers)
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=LINE_LIMIT)
        try:
            pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
            transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, requests)
        except BaseException:
            process.kill()  # cancelled between the two
            raise
        return _Worker(process, asyncio.StreamWriter(transport, protocol, None, loop), reader, pipe)

    async def retire_idle(self) -> None:
        """Ends processes that have been idle for long; runs until cancelled, then closes the pool."""
        try:
            while True:
                await asyncio.sleep(min(5.0, self.idle_seconds / 2))
                now = asyncio.get_running_loop().time()
                old = [worker for worker in self._idle if now - worker.since_idle >= self.idle_seconds]
                # all of them before the first await: a call must not be given a process that is about to end
                self._idle = [worker for worker in self._idle if worker not in old]
                for worker in old:
                    await worker.kill()
        finally:
            await self.close()

    async def close(self) -> None:
        """Ends the idle processes; the others when their calls are over."""
        self._closed = True
        while self._idle:
            await self._idle.pop().kill()
        self._clear_up()

    def _clear_up(self) -> None:
        if self._closed and not self._calls and self._scratch is not None:
            self._scratch.remove()
            self._scratch = None


async def _guard(worker: _Worker, memory_mb: int) -> None:
    """Kills a process that takes more memory than it may: the system would kill somebody, and perhaps another."""
    while _resident(worker.process.pid) <= memory_mb * 1024**2:  # noqa: ASYNC110  # nothing tells us: we have to look
        await asyncio.sleep(MEMORY_LOOK)
    with suppress(ProcessLookupError):
        os.killpg(worker.process.pid, signal.SIGKILL)


def _resident(pid: int) -> int:
    """Memory of a process, bytes; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


_PASSED_ON = (
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "DREAM_PACK_PATH", "SYSTEMROOT",
)  # fmt: skip


def _child_environment() -> dict[str, str]:
    """Tools see nothing of our settings or anybody's keys: an address or a password is not theirs to read."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # one tool per core is enough; libraries that spin up a thread per core on top only fight each other
    return kept | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
