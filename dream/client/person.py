"""The person at the terminal, or the lines of a script on standard input. Questions go to standard error."""

import asyncio
import os
import shlex
import sys
import tempfile
import threading
from pathlib import Path
from typing import Protocol

SCRIPT_SECONDS = 300.0
"""A pipe that nobody writes to must not hold a run for ever: after this, there is nobody."""


class NobodyThere(Exception):
    """Standard input is at its end, or silent for too long, and somebody was asked."""


class Person(Protocol):
    """Whoever answers."""

    @property
    def at_terminal(self) -> bool:
        """Whether somebody sits there who can be asked something unforeseen."""

    @property
    def is_script(self) -> bool:
        """Whether the answers were written before the questions."""

    async def line(self, prompt: str) -> str:
        """One line, without its end. Raises NobodyThere."""

    async def edit(self, text: str, suffix: str) -> str:
        """The text after an editor."""


class Terminal:
    """Reads standard input line by line.

    A daemon thread reads the descriptor itself: a blocked read can neither keep the loop from ending nor, as one on
    sys.stdin would, hold a lock that the interpreter needs at its end."""

    def __init__(self, descriptor: int = 0, *, silent: bool = False) -> None:
        self._descriptor = descriptor
        self._silent = silent
        self._buffer = b""
        self._reading: asyncio.Future[bytes] | None = None

    @property
    def at_terminal(self) -> bool:
        return not self._silent and os.isatty(self._descriptor) and sys.stderr.isatty()

    @property
    def is_script(self) -> bool:
        return not os.isatty(self._descriptor)

    async def line(self, prompt: str) -> str:
        if not self._silent:
            print(prompt, end="", file=sys.stderr, flush=True)
        while b"\n" not in self._buffer:
            data = await self._more()
            if not data:
                break
            self._buffer += data
        if not self._buffer:
            raise NobodyThere
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    async def _more(self) -> bytes:
        if self._reading is None:
            self._reading = asyncio.get_running_loop().create_future()
            threading.Thread(target=self._read, args=(asyncio.get_running_loop(), self._reading), daemon=True).start()
        patience = None if os.isatty(self._descriptor) else SCRIPT_SECONDS
        try:
            # shielded: a question that is withdrawn leaves the read to the next one
            data = await asyncio.wait_for(asyncio.shield(self._reading), patience)
        except TimeoutError:
            raise NobodyThere from None
        self._reading = None
        return data

    def _read(self, loop: asyncio.AbstractEventLoop, reading: "asyncio.Future[bytes]") -> None:
        try:
            data = os.read(self._descriptor, 65536)
        except OSError:
            data = b""  # closed, or a terminal we may not read from in the background
        try:
            loop.call_soon_threadsafe(_settle, reading, data)
        except RuntimeError:
            return  # the loop has ended meanwhile: nobody waits for the line

    async def edit(self, text: str, suffix: str) -> str:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        with tempfile.TemporaryDirectory(prefix="dream-") as folder:
            file = Path(folder) / f"plan{suffix}"
            await asyncio.to_thread(file.write_text, text, encoding="utf-8")
            process = await asyncio.create_subprocess_exec(*shlex.split(editor), str(file))
            await process.wait()
            return await asyncio.to_thread(file.read_text, encoding="utf-8")


def _settle(reading: "asyncio.Future[bytes]", data: bytes) -> None:
    if not reading.done():
        reading.set_result(data)
