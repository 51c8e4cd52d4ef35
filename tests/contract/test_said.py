"""What the services of this version really say, to everybody and to each other, in runs over real servers: it fits the
golden schemas, and everybody who takes it has taken it."""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from nats.aio.msg import Msg

from backbone.artifacts.addresses import artifacts_at
from backbone.bus.declare import stream_config
from backbone.bus.jetstream import JetStreamBus
from backbone.ledger.postgres import PostgresLedger
from backbone.live import Live
from backbone.mcp.offers import pack_of
from backbone.memories.asking import AskedMeanings
from backbone.witness import Witness
from contracts import asking, live, memory, subjects
from contracts.envelope import Message
from contracts.model import ModelRole
from contracts.registry import EVENTS
from contracts.shape import Contract
from dream.local.stack import LAYERS, LocalStack
from services.gateway.ops.dead_letter_queue import DeadLetterQueue
from services.gateway.ws.fanout import FanOut
from services.gateway.ws.log_stream import Listener, LogStream
from tests.conformance.harness import until
from tests.contract.carrying import fresh_bus
from tests.contract.playing import play
from tests.contract.recorded import PACKS, fits, handlers
from tests.contract.servers import Servers
from tests.e2e.person import Person, eventually
from tests.support.folders import own_folder
from tests.support.forkserver import forked_reads

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

TOYS = Path(__file__).parents[1] / "integration/mcp/toys.py"
ANSWERS: dict[str, type[Contract]] = {
    "status": asking.ServiceStatus, "meaning": memory.MeaningFound, "offer": asking.Offer,
}  # fmt: skip
SILENT = {
    ("response", "ModelCalled"): "a chat model reports; without one the answer is written by the packs' texts",
}
"""What nobody says in these runs, and why: for it the contract's example goes its way (test_carried.py)."""


@dataclass(slots=True)
class Said:
    """All that was recorded and heard, and who answered what."""

    events: list[Message]
    letters: list[Any]
    delivered: dict[str, int]
    """By consumer, when none of them had anything left to settle."""
    words: list[tuple[str, bytes]]
    answers: dict[str, bytes]
    shown: list[str]
    meaning: Any


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def said(servers: Servers) -> AsyncIterator[Said]:
    with own_folder("said") as folder, pytest.MonkeyPatch.context() as patch, forked_reads():
        yield await _said(servers, folder, patch)


async def _said(servers: Servers, folder: Path, patch: pytest.MonkeyPatch) -> Said:
    database = await servers.database()
    toys = {"toys": {"command": sys.executable, "args": [str(TOYS), str(folder)]}}
    configured = folder / "servers.json"
    configured.write_text(json.dumps(toys))  # nothing else goes on here
    patch.setattr(tempfile, "tempdir", str(folder))  # where the tools of the stage count their effects
    patch.setenv("DREAM_NATS_URL", servers.nats_url)
    patch.setenv("DREAM_DATABASE_URL", database.services)
    patch.setenv("DREAM_PACKS", ",".join(PACKS))
    patch.setenv("DREAM_MCP_SERVERS", str(configured))
    client = await fresh_bus(servers)
    # what consumers have taken is counted in messages: no bundles
    await client.jetstream().add_stream(stream_config(2**30, 3600).evolve(metadata=None))
    words: list[tuple[str, bytes]] = []

    async def hear(msg: Msg) -> None:
        words.append((msg.subject, msg.data))

    await client.subscribe(subjects.LIVE, cb=hear)
    bus = JetStreamBus(client, may_create=False, max_bytes=0, max_age_seconds=0)
    try:
        async with LocalStack(folder / "stack") as stack, Person(stack.url) as person:
            ledger = await PostgresLedger.connect(
                database.services, artifacts=artifacts_at(stack.settings.artifacts_url)
            )
            try:
                await play(person, database.owner)
                fanout = FanOut(DeadLetterQueue(ledger, "gateway"), Witness(ledger))
                shown = await _chunks(bus, stack, fanout)
                answers = {name: await _answer(bus, name) for name in _questions()}
                meanings = AskedMeanings()
                meanings.bus = bus
                delivered = await eventually(lambda: _settled(client), "consumers with nothing left")
                rows = await ledger.pool.fetch("select stream_id from ledger.streams")
                events = [one for row in rows for one in await ledger.read(row["stream_id"])]
                letters, meaning = await ledger.dead_letters(), await meanings("hi")
                return Said(events, letters, delivered, words, answers, shown, meaning)
            finally:
                await ledger.close()
    finally:
        await bus.close()
        await client.close()


def _questions() -> dict[str, bytes]:
    """Subject -> what is asked there."""
    return {
        **{subjects.status(name): b"" for name in LAYERS},
        subjects.meaning(): memory.MeaningWanted(text="hello").model_dump_json().encode(),
        subjects.offer("toys"): b"",
    }


async def _answer(bus: JetStreamBus, subject: str) -> bytes:
    async def ask() -> bytes | None:
        answer = await bus.ask(subject, _questions()[subject], 5.0)
        return answer if answer and answer.startswith(b"{") else None  # the server of toys may still be away

    return await eventually(ask, f"an answer on {subject}")


async def _chunks(bus: JetStreamBus, stack: LocalStack, fanout: FanOut) -> list[str]:
    """Pieces of an answer, as whoever has a model publishes them, and what a socket is shown of them."""
    session, shown, lines, words = uuid4(), list[str](), LogStream(fanout), Live()

    async def send(frame: str) -> None:
        shown.append(frame)

    listener = Listener(send, frozenset({"chunk"}))
    await lines.start(bus)
    await bus._client.flush()
    running = [asyncio.create_task(words.run(bus)), asyncio.create_task(listener.run())]
    try:
        await asyncio.sleep(0)
        with lines.listen(session, listener):
            hear = words.listener(session, uuid4(), ModelRole.REPORTER)
            for piece in ("Two of ", "three ", "are happy."):
                hear(piece)
            await until(lambda: len(shown) == 3, 20)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return shown


async def _settled(client: Any) -> dict[str, int] | None:
    infos = await client.jetstream(timeout=5).consumers_info(subjects.STREAM)
    backlog = {info.name: (info.num_ack_pending or 0) + (info.num_pending or 0) for info in infos}
    return None if any(backlog.values()) else {info.name: info.delivered.consumer_seq for info in infos}


async def test_every_producer_has_said_every_event_of_its_own_but_those_with_a_reason(said: Said) -> None:
    could = {(producer, name) for name, event in EVENTS.items() for producer in event.producers}
    spoken = {(one.producer, one.type) for one in said.events}
    assert could - spoken == SILENT.keys()


async def test_what_was_said_fits_its_golden_schema(said: Said) -> None:
    for one in said.events:
        fits(one.type, one.schema_version, one.data)


async def test_everybody_has_taken_what_was_said(said: Said) -> None:
    assert said.letters == []
    for name, handler in handlers().items():
        takes = {(one.producer, one.type, one.route) for one in handler.takes}
        wanted = [one for one in said.events if (one.producer, one.type, one.route) in takes]
        assert said.delivered[name] >= len(wanted), name
    over = {one.run_id for one in said.events if one.type in ("RunCompleted", "RunFailed", "RunCancelled")}
    begun = {one.run_id for one in said.events if one.type == "MessageReceived"}
    assert begun == over


async def test_a_line_of_a_tool_and_a_piece_of_an_answer_fit_their_schemas_and_are_shown(said: Said) -> None:
    kinds: dict[str, type[Contract]] = {"log": live.LogLine, "chunk": live.Chunk, "recorded": live.Recorded}
    words = [payload for _, payload in said.words if payload]  # nothing is what a service says to try its right
    for payload in words:
        fits(kinds[json.loads(payload)["kind"]].__name__, 1, payload)
    assert {json.loads(payload)["kind"] for payload in words} == kinds.keys()
    assert "".join(json.loads(frame)["text"] for frame in said.shown) == "Two of three are happy."


async def test_an_answer_to_each_question_fits_its_schema_and_is_understood(said: Said) -> None:
    for subject, answer in said.answers.items():
        fits(ANSWERS[subject.split(".")[2]].__name__, 1, answer)
    fits("MeaningWanted", 1, _questions()[subjects.meaning()])
    assert said.meaning is not None and said.meaning.is_kept
    pack = pack_of(asking.Offer.model_validate_json(said.answers[subjects.offer("toys")]), {"en": {}})
    assert {tool.tool_key for tool in pack.tools} >= {"mcp_toys.add"}
    statuses = [asking.ServiceStatus.model_validate_json(said.answers[subjects.status(name)]) for name in LAYERS]
    assert [(one.service, one.healthy) for one in statuses] == [(name, True) for name in LAYERS]
