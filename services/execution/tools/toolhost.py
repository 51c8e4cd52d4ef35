"""The worker process for CPU tools (`python -m services.execution.tools.toolhost REQUESTS ANSWERS KIND`): descriptors
and what kind of worker it is, as JSON.

It reads one JSON request a line and answers with JSON lines: progress, log, done or failed. The parent can kill it at
any time; a tool that prints, leaks or hangs harms only this process."""

import json
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from uuid import UUID

from contracts.errors import Code
from contracts.memory import Memories
from contracts.shape import JsonObject
from contracts.tables import PackDatabase
from contracts.tools import LINE_LIMIT, Reminder, ToolError, ToolInput, Upstream
from services.execution.tools.confinement import WorkerKind, confine, limit
from services.execution.tools.entries import load
from services.execution.tools.faults import ToolFault
from services.execution.tools.outputs import FilesAndTexts, NotJson, Outputs, bounded, encode, encode_result, plain

DETAIL_LIMIT = 16 * 1024
PROGRESS_INTERVAL = 0.05
"""Seconds between two words of progress: a tool may speak after every row."""
MOST_FILES = 5000


@dataclass(slots=True)
class HostContext(FilesAndTexts):
    """See contracts.tools.ToolContext."""

    language: str
    now: datetime
    workdir: Path
    idempotency_key: str
    user: str
    timezone: str
    config: dict[str, str]
    upstream: Sequence[Upstream]
    texts: dict[str, str]
    files: Sequence[ToolInput]
    outputs: Outputs
    requests: IO[bytes]
    answers: IO[bytes]
    last_progress: float = float("-inf")

    @property
    def database(self) -> PackDatabase:
        raise _not_here("tables")

    @property
    def memories(self) -> Memories:
        raise _not_here("memories")

    def meanings(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        say(self.answers, encode({"meanings": [plain(text) for text in texts]}))
        # the parent writes nothing else until the call is over
        vectors: list[list[float]] = json.loads(self.requests.readline() or b'{"vectors": []}')["vectors"]
        return vectors

    def remind(self, reminder: Reminder) -> UUID:
        raise _not_here("reminders")

    def cancel_reminder(self, reminder_id: UUID, at: datetime) -> None:
        raise _not_here("reminders")

    def progress(self, fraction: float, message: str = "") -> None:
        done = bounded(fraction)
        if time.monotonic() - self.last_progress >= PROGRESS_INTERVAL:
            self.last_progress = time.monotonic()
            say(self.answers, encode({"progress": done, "message": plain(message)}))

    def log(self, line: str) -> None:
        say(self.answers, encode({"log": plain(line, LINE_LIMIT)}))


def _not_here(what: str) -> RuntimeError:
    return RuntimeError(f"a tool in a process of its own has no {what}: its specification must say isolated: false")


def say(answers: IO[bytes], line: bytes) -> None:
    answers.write(line + b"\n")
    answers.flush()


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answers requests until the parent closes its end."""
    home = Path.cwd()
    known = 0
    texts: dict[str, dict[str, str]] = {}
    for line in requests:
        request = json.loads(line)
        if "warm" in request:
            _warm(str(request["warm"]))
            say(answers, b'{"warm": true}')
            continue
        said = texts.setdefault(str(request["texts_of"]), request.get("texts", {}))
        answer = _call(request, _context(request, said, requests, answers))
        if len(sys.modules) != known:
            known = len(sys.modules)
            if files := _uncompiled():
                say(answers, encode({"uncompiled": files}))
        say(answers, answer)
        with suppress(OSError):
            os.chdir(home)  # the next call starts where this one did, whatever the tool has done


def _uncompiled() -> list[str]:
    """Files of this process's modules that somebody might compile."""
    if sys.dont_write_bytecode:
        return []
    found = []
    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        cached, origin = getattr(spec, "cached", None), getattr(spec, "origin", None)
        if cached and origin and origin.endswith(".py") and not os.path.exists(cached):  # noqa: PTH110  # two thousand
            found.append(origin)
    return found[:MOST_FILES]


def _warm(entry: str) -> None:
    """What fails here fails again in the call, which says so."""
    with suppress(Exception):
        load(entry)()


def _context(request: dict[str, Any], texts: dict[str, str], requests: IO[bytes], answers: IO[bytes]) -> HostContext:
    return HostContext(
        language=request["language"],
        now=datetime.fromisoformat(request["now"]),
        workdir=Path(request["workdir"]),
        idempotency_key=request["idempotency_key"],
        user=request["user"],
        timezone=request["timezone"],
        config=request["config"],
        upstream=[Upstream.model_validate(one) for one in request["upstream"]],
        texts=texts,
        files=[ToolInput.model_validate(one) for one in request["inputs"]],
        outputs=Outputs(),
        requests=requests,
        answers=answers,
    )


def _call(request: JsonObject, context: HostContext) -> bytes:
    try:
        result = load(str(request["entry"]))(request["params"], context)
    except ToolFault as fault:
        trace = "".join(traceback.format_exception(fault))[-LINE_LIMIT:]
        context.log(trace)
        return _failed(fault.code, fault.message, trace=trace)
    except ToolError as error:
        return _failed(error.code, error.message, retryable=error.retryable, detail=error.detail, spoken=True)
    except MemoryError:
        return _failed(Code.TOOL_CRASHED, "out of memory")
    except Exception as error:  # noqa: BLE001  # a tool is somebody else's code: whatever it raises becomes its failure
        trace = traceback.format_exc()[-LINE_LIMIT:]
        context.log(trace)
        return _failed(Code.TOOL_FAILED, f"{type(error).__name__}: {error}", trace=trace)
    try:
        return b'{"done": %b, "saved": %b}' % (encode_result(result), encode(context.outputs.saved))
    except NotJson as error:
        return _failed(error.code, f"the result cannot be used: {error}")


def _failed(  # what a failure is, each by its name
    code: object,
    message: object,
    *,
    retryable: bool = False,
    detail: JsonObject | None = None,
    spoken: bool = False,
    trace: str = "",
) -> bytes:
    """`spoken`: the tool itself said it, in the person's language. `trace`: where it failed, for our log."""
    known = int(code) if isinstance(code, int) and code in set(Code) else int(Code.TOOL_FAILED)
    shown: JsonObject = {"detail": plain(repr(detail))}
    with suppress(NotJson):
        if len(encode(detail or {})) <= DETAIL_LIMIT:
            shown = detail or {}
    failed = {"code": known, "message": plain(message), "retryable": bool(retryable), "detail": shown, "spoken": spoken}
    return encode({"failed": failed, "trace": plain(trace, LINE_LIMIT)})


def _end_with_parent(answers: int) -> None:
    """When nobody is left to read the answers the parent was killed, and the todo is somebody else's by now."""
    watch = select.poll()
    watch.register(answers, 0)
    watch.poll()
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with whatever the tool has started
    os._exit(1)


def _confine(told: dict[str, Any]) -> None:
    kind = WorkerKind(**told["kind"])
    limit(kind.memory_mb)
    if told["confine"]:
        confine(kind, Path(told["folder"]), [Path(one) for one in told["write"]])


def main() -> None:
    """Moves standard output away from the answers: a tool that prints must not be able to speak for us."""
    requests = os.fdopen(int(sys.argv[1]), "rb")
    answers = os.fdopen(int(sys.argv[2]), "wb")
    _confine(json.loads(sys.argv[3]))  # before there is a second thread, which would stay free
    threading.Thread(target=_end_with_parent, args=(answers.fileno(),), name="parent", daemon=True).start()
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, 0)
    os.dup2(devnull, 1)
    with suppress(BrokenPipeError):  # the parent is gone: nobody waits for an answer
        serve(requests, answers)


if __name__ == "__main__":
    main()
