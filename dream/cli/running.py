"""Runs a command's coroutine: uvloop, signals in order, and nothing of ours left behind."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import psutil

from dream.failures import Exit

T = TypeVar("T")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):
    """A person or the system wants us to end; what was going on has been cancelled and cleaned up."""


class Interrupts:
    """Counts signals. The first cancels the work, whose clean-up then runs in peace; each further one calls `hurry`.

    A Ctrl-C while `ask` is set calls that instead, once: the person is asked what is meant, and a second one counts."""

    def __init__(self) -> None:
        self.hurry: Callable[[], None] = lambda: None
        self.ask: Callable[[], None] | None = None
        self._first = asyncio.Event()

    def listen(self) -> None:
        """Takes SIGINT, SIGTERM and SIGHUP over."""
        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._arrived, number)

    def _arrived(self, number: signal.Signals = signal.SIGINT) -> None:
        if number == signal.SIGINT and self.ask is not None and not self._first.is_set():
            ask, self.ask = self.ask, None
            ask()
            return
        if self._first.is_set():
            self.hurry()
        self._first.set()

    async def guard(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work; raises Interrupted, after the work has cleaned up, when a signal comes first."""
        task = asyncio.ensure_future(work)
        signalled = asyncio.ensure_future(self._first.wait())
        await asyncio.wait({task, signalled}, return_when=asyncio.FIRST_COMPLETED)
        signalled.cancel()
        if task.done():
            return task.result()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        raise Interrupted


def run(command: Callable[[Interrupts], Awaitable[int]]) -> int:
    """Runs a command to its exit code, the last thing a process does. What its parts forgot to end, is ended here."""

    async def guarded() -> int:
        interrupts = Interrupts()
        interrupts.listen()
        try:
            return await command(interrupts)
        finally:
            # only leaving is left: one more Ctrl-C must not hit us when the loop has given its handlers back
            signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return int(runner.run(guarded()))
    except KeyboardInterrupt:  # before the handlers stood
        return Exit.INTERRUPTED
    finally:
        end_descendants()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if os.name == "nt":
        return None
    import uvloop

    return uvloop.new_event_loop


def end_descendants() -> None:
    """Kills every process that still descends from this one: tool workers of a service that did not get to stop."""
    left = psutil.Process().children(recursive=True)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, 3)
