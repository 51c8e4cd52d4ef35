"""The process that reads what people write: `python -m services.cognitive.reading_host REQUESTS ANSWERS PACK,PACK`.

It learns once, and forks: the child answers request by request, with a limit of processor time that the kernel keeps. A
pattern holds the interpreter until it is done, so no thread and no handler could end it. What was ended is told by the
parent, which forks the next child in some ten milliseconds; both share the memory of what was learned."""

import gc
import logging
import mmap
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from pydantic import TypeAdapter

from backbone import packs
from contracts.reading import Clause
from contracts.shape import JsonObject
from services.cognitive.flows import load_flows
from services.cognitive.reading_wire import LENGTH, Quantities, Request, WireAnswer, framed
from services.cognitive.reads import read_turn, recalled
from understanding.port import (
    Offline,
    Situation,
    UserTurn,
    clause_of,
    encoder,
    excerpt,
    kept_patterns,
    move_heads,
    offline,
)

SECONDS, ENCODING_SECONDS = 1.0, 10.0
"""Of processor time, for a turn and for a batch of memories; a turn takes some ten milliseconds."""
_RECALLED: TypeAdapter[tuple[str, dict[str, str]]] = TypeAdapter(tuple[str, dict[str, str]])
_VECTORS: TypeAdapter[list[list[float]]] = TypeAdapter(list[list[float]])


class Host:
    """What was learned, and the answers."""

    def __init__(self, names: tuple[str, ...]) -> None:
        catalogue = packs.load(names)
        self._flows = load_flows(catalogue)
        self._encoder = encoder()
        self._heads = move_heads(catalogue.packs.values(), self._encoder)
        self._understander: Offline | None = None
        if any(pack.intents for name, pack in catalogue.packs.items() if name != packs.PLATFORM):
            self._understander = offline(catalogue.packs.values(), self._encoder)
            self._understander.warm(datetime.now(UTC))

    def answer(self, request: Request) -> bytes:
        """What was asked for, as JSON."""
        method: Callable[..., bytes] = getattr(self, request.do)
        return method(*request.given)

    def understand(self, turn: UserTurn, situation: Situation) -> bytes:
        if self._understander is None:
            raise RuntimeError("nothing was learned: no pack has intents")
        return self._understander.read(turn, situation).model_dump_json().encode()

    def clause(self, text: str, now: datetime, language: str) -> bytes:
        clause = clause_of(excerpt(text).text, now, language)
        return Quantities(text=clause.text, entities=clause.entities).model_dump_json().encode()

    def word(self, flow: str, text: str, named: bool) -> bytes:  # noqa: FBT001  # as it comes through the pipe
        return str(self._flows[flow].word(text, named=named) or "").encode()

    def turn(self, flow: str, asked: Clause) -> bytes:
        read = read_turn(self._flows[flow], asked, self._heads.get(flow))._asdict()
        clause: Clause = read.pop("clause")
        return Quantities(text=clause.text, entities=clause.entities, **read).model_dump_json().encode()

    def recall(
        self, flow: str, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject]
    ) -> bytes:
        key, values = recalled(self._flows[flow], text, executed, language, waiting)
        return _RECALLED.dump_json((key, dict(values)))

    def encode(self, texts: Sequence[str]) -> bytes:
        return _VECTORS.dump_json(self._encoder.encode(texts).tolist())


def learned(names: tuple[str, ...]) -> Host:
    """What the packs of these names teach."""
    logging.disable(logging.ERROR)  # what is left out of the packs, the service says
    with kept_patterns():
        return Host(names)


def serve(requests: int, answers: int, host: Host) -> int:
    """Until the service closes its end, or a child fails; then the exit code."""
    _write(answers, framed(WireAnswer(done="").model_dump_json().encode()))
    gc.collect()
    gc.freeze()  # a collection would write into every page that the two share
    at_work = mmap.mmap(-1, 1)
    while True:
        pid = os.fork()
        if pid == 0:
            os._exit(_answer_all(requests, answers, host, at_work))
        _, status = os.waitpid(pid, 0)
        if not os.WIFSIGNALED(status):
            return os.waitstatus_to_exitcode(status)
        if at_work[0]:
            at_work[0] = 0
            _write(answers, framed(WireAnswer(ended=os.WTERMSIG(status)).model_dump_json().encode()))


def _answer_all(requests: int, answers: int, host: Host, at_work: mmap.mmap) -> int:
    while head := _read(requests, LENGTH.size):
        at_work[0] = 1
        request: Request = pickle.loads(_read(requests, LENGTH.unpack(head)[0]))  # noqa: S301  # the service's own
        # without a handler SIGPROF ends the process, whatever holds the interpreter
        signal.setitimer(signal.ITIMER_PROF, ENCODING_SECONDS if request.do == "encode" else SECONDS)
        answer = _answered(host.answer, request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        at_work[0] = 0
        _write(answers, framed(answer))
    return 0


def _answered(answer: Callable[[Request], bytes], request: Request) -> bytes:
    try:
        return WireAnswer(done=answer(request).decode()).model_dump_json().encode()
    except Exception:  # noqa: BLE001  # what a pack's reader raises is told to the service, and harms no other turn
        return WireAnswer(failed=traceback.format_exc(limit=-5)).model_dump_json().encode()


def _read(pipe: int, length: int) -> bytes:
    """Exactly so many bytes; fewer at the end."""
    found = b""
    while len(found) < length and (more := os.read(pipe, length - len(found))):
        found += more
    return found


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1]), int(sys.argv[2]), learned(tuple(filter(None, sys.argv[3].split(","))))))
