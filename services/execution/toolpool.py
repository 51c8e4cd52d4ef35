"""Warm, killable worker processes for CPU tools. A call has a process to itself for as long as it runs."""

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.errors import Code
from contracts.tools import ToolError

log = logging.getLogger(__name__)

Progress = Callable[[float, str], Awaitable[None]]
LINE_LIMIT = 4 * 1024 * 1024
IDLE_SECONDS = 60.0
"""A process that has had nothing to do for so long ends: its libraries hold hundreds of MB."""


@dataclass(slots=True)
class _Worker:
    process: asyncio.subprocess.Process
    requests: asyncio.StreamWriter | Any
    answers: asyncio.StreamReader
    since_idle: float = 0.0


@dataclass(slots=True)
class ToolPool:
    """At most `size` processes, started when needed."""

    size: int
    _slots: asyncio.Semaphore = field(init=False)
    _idle: list[_Worker] = field(init=False, default_factory=list)
    _scratch: Path = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.size)
        self._scratch = Path(tempfile.mkdtemp(prefix="dream-tools-"))

    async def call(self, request: dict[str, Any], timeout: float, progress: Progress) -> dict[str, Any]:
        """Runs one tool call. Returns {"done", "saved", "workdir"}; raises ToolError. Cancelling it kills the process."""
        async with self._slots:
            worker = self._idle.pop() if self._idle else await self._start()
            healthy = False
            try:
                answer = await asyncio.wait_for(self._converse(worker, request, progress), timeout)
                healthy = True
            except TimeoutError:
                raise ToolError(
                    Code.TOOL_TIMEOUT, f"{request['entry']} did not end within {timeout:g} s", retryable=True, seconds=timeout
                ) from None
            finally:
                if healthy:
                    worker.since_idle = asyncio.get_running_loop().time()
                    self._idle.append(worker)
                else:
                    await self._kill(worker)
        if "failed" in answer:
            failed = answer["failed"]
            raise ToolError(Code(failed["code"]), failed["message"], retryable=failed["retryable"], **failed["detail"])
        return answer

    async def _converse(self, worker: _Worker, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        line = json.dumps({**request, "scratch": str(self._scratch)}, ensure_ascii=False)
        worker.requests.write(line.encode() + b"\n")
        await worker.requests.drain()
        while raw := await worker.answers.readline():
            answer: dict[str, Any] = json.loads(raw)
            if "progress" in answer:
                await progress(answer["progress"], answer["message"])
            elif "log" in answer:
                log.debug("tool log", extra={"entry": request["entry"], "line": answer["log"]})
            else:
                return answer
        code = await worker.process.wait()
        raise ToolError(Code.TOOL_CRASHED, f"the process of {request['entry']} ended with {code}", retryable=True, exit_code=code)

    async def _start(self) -> _Worker:
        read_requests, write_requests = os.pipe()
        read_answers, write_answers = os.pipe()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "services.execution.toolhost", str(read_requests), str(write_answers),
            stdin=asyncio.subprocess.DEVNULL, pass_fds=(read_requests, write_answers),
            # its own group, so that Ctrl-C in the terminal reaches us and not the middle of a tool
            start_new_session=True,
            env=_child_environment(),
        )  # fmt: skip
        os.close(read_requests)
        os.close(write_answers)
        loop = asyncio.get_running_loop()
        answers = asyncio.StreamReader(limit=LINE_LIMIT)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(answers), os.fdopen(read_answers, "rb"))
        transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(write_requests, "wb"))
        worker = _Worker(process, asyncio.StreamWriter(transport, protocol, None, loop), answers)
        return worker

    async def _kill(self, worker: _Worker) -> None:
        with suppress(ProcessLookupError):
            worker.process.kill()
        worker.requests.close()
        await worker.process.wait()

    async def retire_idle(self) -> None:
        """Ends processes that have been idle for long; runs until cancelled, then ends them all."""
        try:
            while True:
                await asyncio.sleep(5)
                now = asyncio.get_running_loop().time()
                old = [worker for worker in self._idle if now - worker.since_idle > IDLE_SECONDS]
                for worker in old:
                    self._idle.remove(worker)
                    await self._kill(worker)
        finally:
            for worker in self._idle:
                await self._kill(worker)
            self._idle.clear()
            shutil.rmtree(self._scratch, ignore_errors=True)


_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "SYSTEMROOT")


def _child_environment() -> dict[str, str]:
    """Tools see nothing of our settings or anybody's keys: an address or a password is not theirs to read."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # one tool per core is enough; libraries that spin up a thread per core on top only fight each other
    return kept | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
