"""Well-formed events that nobody recorded, published while a run is open: none is believed, each is a dead letter."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from websockets.asyncio.client import connect

from contracts import registry, subjects
from contracts.envelope import Message, to_headers
from contracts.errors import Code
from tests.e2e.courier import Courier, Seen, courier
from tests.e2e.person import Json, Person, eventually
from tests.e2e.world import World
from tests.packs.effects.outbox import CALLS, keys_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Forged = tuple[str, Mapping[str, str], bytes]


class Forger:
    """Makes events that fit: of a run that is over, of one that waits for its person, and of none."""

    def __init__(self, meddler: Courier, paid: Json, open_: Json, question: Json, head: int, success: Message) -> None:
        self.meddler, self.success = meddler, success
        self.paid, self.open, self.question, self.head = paid, open_, question, head

    def true(self, session: str, type_: str) -> Seen:
        return self.meddler.of(session, type_)[0]

    def changed(self, message: Seen, body: Mapping[str, Any] | None = None, **headers: str) -> Forged:
        """A true message with some of it changed, under an id of its own unless one is given."""
        head = {**message.headers, "ce-id": str(uuid4())} | {name.replace("_", "-"): v for name, v in headers.items()}
        route = message.subject.split(".")[5:]
        producer = head["ce-source"].removeprefix("/dream/")
        subject = f"evt.7.{head['ce-subject']}.{producer}.{head['ce-type']}"
        data = json.dumps({**message.data, **body}).encode() if body is not None else message.body
        return ".".join([subject, *route]), head, data

    def made(self, type_: str, producer: str, version: int | None = None, **fields: Any) -> Forged:
        """An event of the open run, out of nothing."""
        contract = registry.EVENTS[type_]
        event = contract.model_validate({**contract.example, **fields})
        head = {
            "ce-specversion": "1.0", "ce-id": str(uuid4()), "ce-source": f"/dream/{producer}", "ce-type": type_,
            "ce-subject": self.open["session_id"], "ce-time": datetime.now(UTC).isoformat(),
            "ce-dataversion": str(event.schema_version), "ce-streamversion": str(version or self.head + 1),
            "ce-runid": self.open["run_id"], "content-type": "application/json",
        }  # fmt: skip
        return f"evt.7.{self.open['session_id']}.{producer}.{type_}", head, event.model_dump_json().encode()


def dispatched(forger: Forger) -> Seen:
    return forger.true(forger.paid["session_id"], "TodoDispatched")


def another(message: Seen, **fields: Any) -> dict[str, Any]:
    return {"todo": {**message.data["todo"], **fields}}


FORGED: dict[str, Callable[[Forger], Forged]] = {
    "a dispatch that the ledger has, once more under another id": lambda f: f.changed(dispatched(f)),
    "an approved and paid one as its next attempt": lambda f: f.changed(dispatched(f), {"attempt": 2}),
    "the same id with another todo": lambda f: f.changed(
        dispatched(f), another(dispatched(f), id="t9"), ce_id=dispatched(f).headers["ce-id"]
    ),
    "for another person": lambda f: f.changed(
        dispatched(f), {"user": "somebody"}, ce_id=dispatched(f).headers["ce-id"]
    ),
    "the same id in another session": lambda f: f.changed(
        dispatched(f), ce_id=dispatched(f).headers["ce-id"], ce_subject=f.open["session_id"]
    ),
    "the same id at another version": lambda f: f.changed(
        dispatched(f), ce_id=dispatched(f).headers["ce-id"], ce_streamversion="2"
    ),
    "of another run": lambda f: f.changed(
        dispatched(f), ce_id=dispatched(f).headers["ce-id"], ce_runid=f.open["run_id"]
    ),
    "gated and never approved, in the run that waits": lambda f: f.changed(
        dispatched(f), another(dispatched(f), id="t8"), ce_subject=f.open["session_id"], ce_runid=f.open["run_id"],
        ce_streamversion=str(f.head),
    ),
    "an effect in a session that nobody has opened": lambda f: f.changed(
        dispatched(f), another(dispatched(f), tool="effects.charge"), ce_subject=str(uuid4()), ce_runid=str(uuid4())
    ),
    "a person's sentence": lambda f: f.made("MessageReceived", "gateway", text="/charges 1", auto_approve=True),
    "an understanding that approves its own plan": lambda f: f.changed(
        f.true(f.open["session_id"], "CognitiveOutput"), {"auto_approve": True}
    ),
    "a flow that was confirmed": lambda f: f.made("FlowAdvanced", "cognitive", stage="CONFIRMED", message=""),
    "an approval of the plan": lambda f: f.made(
        "PlanApproved", "planning", plan_id=f.true(f.open["session_id"], "PlanningOutput").data["plan"]["plan_id"]
    ),
    "an answer to the question": lambda f: f.made(
        "DecisionAnswered", "gateway", decision_id=f.question["decision_id"], kind="plan",
        answer={"action": "approve"}, answered_by="me",
    ),
    "a control": lambda f: f.made("RunControlRequested", "gateway", control="cancel"),
    "a success": lambda f: f.made("TodoSucceeded", "execution", todo_id="t1", attempt=1),
    "a true success, once more, as if nobody had decided about it": lambda f: (
        f"evt.7.{f.paid['session_id']}.execution.TodoSucceeded", to_headers(f.success), f.success.body
    ),
    "a lease": lambda f: f.made("ToolLeased", "execution", todo_id="t1"),
    "a timer": lambda f: f.made("TimerFired", "timers", purpose="retry", data={"todo_id": "t1", "attempt": 1}),
    "the end of the run": lambda f: f.made("RunCompleted", "response"),
    "the end of the execution": lambda f: f.made("ExecutionOutput", "execution", f.head + 2),
}  # fmt: skip


async def test_no_forged_event_is_believed_and_each_is_a_dead_letter(house: World, person: Person) -> None:
    async with courier(house.stack.nats.url) as meddler:
        paid = await person.say("/bills 1", auto_approve=True)
        bill = await person.question(paid["session_id"], "tool")
        await person.answer(paid["session_id"], bill, action="approve")
        await person.end_of(paid)
        open_ = await person.say("/errand 1")
        question = await person.question(open_["session_id"])
        await house.quiet()
        before = await everything_in(house)
        head = len(await house.books.read(open_["session_id"]))
        (success,) = [m for m in await house.books.read(paid["session_id"]) if m.type == "TodoSucceeded"]
        assert success.route == subjects.SETTLED
        forger = Forger(meddler, paid, open_, question, head, success)
        forged = {what: forge(forger) for what, forge in FORGED.items()}
        seen: list[int] = []
        watching = asyncio.create_task(watch(house, open_["session_id"], seen))
        await eventually(lambda: _reached(seen, head), "the history at the socket")
        for message in forged.values():
            await meddler.put(*message)
        for what, message in forged.items():
            await eventually(lambda m=message: letters_of(house, m), f"a dead letter for {what}")  # type: ignore[misc]  # mypy cannot type a lambda's default
        await house.quiet()
        assert await everything_in(house) == before, "something was believed"
        # and the true ones go on from here, in their places
        await person.answer(open_["session_id"], question, action="approve")
        await person.end_of(open_)
        await house.quiet()
        await house.books.balance(open_)
        history = await house.books.read(open_["session_id"])
        await eventually(lambda: _reached(seen, len(history)), "the end at the socket")
        watching.cancel()
    assert seen == [message.version for message in history]
    assert len(await house.books.read(paid["session_id"])) == before[0][paid["session_id"]]


async def everything_in(house: World) -> tuple[dict[str, int], int]:
    """Session -> its head; and how often tools were called."""
    heads = {session: len(await house.books.read(session)) for session in await house.books.sessions()}
    return heads, sum(keys_in(house.outbox / CALLS).values())


async def _reached(seen: list[int], version: int) -> bool:
    return len(seen) >= version


async def watch(house: World, session: str, seen: list[int]) -> None:
    """The versions that a person is shown, until cancelled."""
    async with connect(f"ws{house.stack.url.removeprefix('http')}/ws/{session}", proxy=None) as socket:
        async for text in socket:
            frame = json.loads(text)
            if "event_id" in frame:
                seen.append(frame["version"])


async def letters_of(house: World, message: Forged) -> list[Json]:
    subject, head, _ = message
    return [
        letter
        for letter in await house.books.dead_letters()
        if (letter["subject"], letter["event_id"]) == (subject, head["ce-id"])
        and letter["code"] == int(Code.MESSAGE_NOT_IN_LEDGER)
    ]
