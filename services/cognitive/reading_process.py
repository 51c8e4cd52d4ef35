"""The service's end of the reading process: one request at a time, in the order in which they come."""

import asyncio
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from pydantic import TypeAdapter

from backbone.errors import Retryable
from backbone.model.port import Conversation
from contracts.cognitive import FlowAct
from contracts.errors import Code
from contracts.reading import Clause
from contracts.shape import JsonObject
from services.cognitive.flows import Flow
from services.cognitive.reading_wire import LENGTH, Method, Quantities, Request, WireAnswer, framed
from services.cognitive.reads import Recalled, Tangled, TurnRead
from understanding.port import Situation, Understanding, UserTurn

LEARNING_SECONDS, SILENT_SECONDS = 180.0, 60.0
"""Of wall time: for the start; for an answer, whose processor time the process limits itself."""
_RECALLED: TypeAdapter[tuple[str, dict[str, str]]] = TypeAdapter(tuple[str, dict[str, str]])
_VECTORS: TypeAdapter[list[list[float]]] = TypeAdapter(list[list[float]])
_PASSED_ON = (
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH", "XDG_CACHE_HOME", "DREAM_CACHE_DIR",
    "DREAM_PACK_PATH",
)  # fmt: skip


class Spawned(Protocol):
    """A process that leads a group of its own."""

    @property
    def pid(self) -> int: ...

    async def wait(self) -> int: ...


@dataclass(frozen=True, slots=True)
class _Host:
    process: Spawned
    requests: asyncio.StreamWriter
    answers: asyncio.StreamReader
    pipe: asyncio.BaseTransport

    async def kill(self) -> None:
        """With the child that it has forked."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.requests.close()
        self.pipe.close()
        await self.process.wait()


class ReadingProcess:
    """See services.cognitive.reads.Reads and Encodes. Started with the first request, and again after its end."""

    def __init__(self, packs: Sequence[str], encoder: str) -> None:
        self.name = encoder
        self._packs = tuple(packs)
        self._turn = asyncio.Lock()
        self._host: _Host | None = None
        self._closed = False

    async def understand(self, turn: UserTurn, situation: Situation) -> Understanding:
        # a sum that is pointed at is that of the last answer; what was said before that is for models
        last = Conversation(history=situation.talk.history[-1:])
        return Understanding.model_validate_json(await self._ask("understand", turn, replace(situation, talk=last)))

    async def clause(self, text: str, now: datetime, language: str) -> Clause:
        answer = await self._ask("clause", text, now, language)
        return Quantities.model_validate_json(answer).of(Clause(text, language, now))

    async def word(self, flow: Flow, text: str, *, named: bool = False) -> FlowAct | None:
        answer = await self._ask("word", flow.spec.flow, text, named)
        return FlowAct(answer) if answer else None

    async def turn(self, flow: Flow, asked: Clause) -> TurnRead:
        read = Quantities.model_validate_json(await self._ask("turn", flow.spec.flow, asked))
        found = {name: getattr(read, name) for name in TurnRead._fields if name != "clause"}
        return TurnRead(read.of(asked), **found)

    async def recall(
        self, flow: Flow, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
    ) -> Recalled:
        return _RECALLED.validate_json(await self._ask("recall", flow.spec.flow, text, executed, language, waiting))

    async def encode(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return _VECTORS.validate_json(await self._ask("encode", texts))

    async def ready(self) -> None:
        """Comes back when it has learned."""
        async with self._turn:
            await self._started()

    async def close(self) -> None:
        """Ends it, and whatever it is at."""
        self._closed = True
        if self._host is not None:
            await self._host.kill()

    async def _ask(self, do: Method, *given: object) -> str:
        request = pickle.dumps(Request(do, given))
        # whoever gives up waiting leaves no answer behind that the next one would take for its own
        answer = await asyncio.shield(asyncio.ensure_future(self._exchange(request)))
        if answer.ended == signal.SIGPROF:
            raise Tangled
        if answer.failed is not None:
            raise RuntimeError(f"{do} failed: {answer.failed}")
        if answer.done is None:
            raise Retryable(Code.INTERNAL, f"the reading process was ended by signal {answer.ended}")
        return answer.done

    async def _exchange(self, request: bytes) -> WireAnswer:
        async with self._turn:
            host = await self._started()
            try:
                async with asyncio.timeout(SILENT_SECONDS):
                    host.requests.write(framed(request))
                    await host.requests.drain()
                    return await _answer(host)
            except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                await self._ended(host)
                raise Retryable(Code.INTERNAL, f"the reading process gave no answer: {error!r}") from error

    async def _started(self) -> _Host:
        if self._closed:
            raise Retryable(Code.INTERNAL, "the service is stopping")
        if self._host is None:
            self._host = host = await _start(self._packs)
            try:
                async with asyncio.timeout(LEARNING_SECONDS):
                    await _answer(host)
            except (TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                await self._ended(host)
                raise Retryable(Code.INTERNAL, f"the reading process did not start: {error!r}") from error
        return self._host

    async def _ended(self, host: _Host) -> None:
        self._host = None
        await host.kill()


async def _answer(host: _Host) -> WireAnswer:
    (length,) = LENGTH.unpack(await host.answers.readexactly(LENGTH.size))
    return WireAnswer.model_validate_json(await host.answers.readexactly(length))


async def _start(packs: Sequence[str]) -> _Host:
    read_requests, write_requests = os.pipe()
    read_answers, write_answers = os.pipe()
    requests, answers = os.fdopen(write_requests, "wb"), os.fdopen(read_answers, "rb")
    try:
        process = await spawned(read_requests, write_answers, ",".join(packs))
    except OSError as error:
        requests.close()
        answers.close()
        raise Retryable(Code.INTERNAL, f"the reading process cannot be started: {error}") from error
    finally:
        os.close(read_requests)
        os.close(write_answers)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), answers)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, requests)
    return _Host(process, asyncio.StreamWriter(transport, protocol, None, loop), reader, pipe)


async def spawned(requests: int, answers: int, packs: str) -> Spawned:
    """Raises OSError."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "services.cognitive.reading_host", str(requests), str(answers), packs,
        stdin=asyncio.subprocess.DEVNULL, pass_fds=(requests, answers),
        # its own group: Ctrl-C in the terminal reaches us, and one kill reaches the process and its child
        start_new_session=True,
        env=environment(),
    )  # fmt: skip


def environment() -> dict[str, str]:
    """No settings and no keys: what reads texts of strangers with code of strangers has no use for them."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # its own threads would not survive the fork; sets in one order, since patterns are joined of them and kept as they
    # were compiled
    return kept | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
