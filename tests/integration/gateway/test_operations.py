"""What operators do over HTTP: whose turn it is, and dead letters with their verbs."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

from backbone.errors import Poison
from backbone.ledger.port import Append, DeadLetter, Fact
from backbone.runner.decisions import DecisionRunner
from backbone.runner.handlers import DecisionHandler, Outcome, Recorded, Takes, emit
from contracts import subjects
from contracts.envelope import to_headers
from contracts.errors import Code, ErrorInfo
from contracts.gateway import FeedbackGiven
from contracts.planning import PlanRejected
from contracts.response import RunFailed
from tests.conformance.facts import note
from tests.conformance.harness import running, until
from tests.integration.gateway.conftest import House

FAILED = RunFailed(error=ErrorInfo(code=Code.INTERNAL, message="it broke"))
REJECTED = PlanRejected(plan_id=uuid4(), plan_version=1, final=True)


def clumsy(broken: list[int]) -> DecisionHandler[None]:
    """Cannot decide as long as it is broken."""

    def decide(_: None, message: Recorded) -> Outcome:
        if broken and isinstance(message.event, FeedbackGiven):
            raise Poison(Code.INTERNAL, "a bug")
        return emit(REJECTED)

    return DecisionHandler(
        "clumsy", "planning", (Takes("gateway", "FeedbackGiven"),), frozenset(), lambda: None, lambda s, _: s, decide
    )


async def letters(house: House, state: str = "dead") -> list[dict[str, Any]]:
    answer = await house.http.get("/dead-letters", params={"state": state})
    return list(answer.json()["dead_letters"])


async def test_open_runs_are_listed_with_their_actors_newest_first_page_by_page(house: House) -> None:
    first, second = await house.begin("하나"), await house.begin("둘")
    await house.open_decision(first["session_id"], first["run_id"])
    page = (await house.http.get("/runs", params={"limit": 1})).json()
    assert [(one["run_id"], one["state"], one["actor"]) for one in page["runs"]] == [
        (second["run_id"], "moving", "cognitive")
    ]
    rest = (await house.http.get("/runs", params={"before": page["next"]})).json()
    (waiting,) = rest["runs"]
    assert (waiting["text"], waiting["state"], waiting["stuck"]) == ("하나", "waiting", False)
    assert [(one["actor"], one["what"]) for one in waiting["actors"]] == [("person", "decision:plan")]
    assert rest["next"] is None
    assert (await house.http.get("/runs", params={"stuck": "true"})).json() == {"runs": [], "next": None}


async def test_a_run_is_shown_until_and_after_its_end(house: House) -> None:
    begun = await house.begin()
    path = f"/runs/{begun['run_id']}"
    assert (await house.http.get(path)).json()["session_id"] == begun["session_id"]
    await house.tell(begun["session_id"], begun["run_id"], FAILED)
    over = (await house.http.get(path)).json()
    assert (over["state"], over["last_event"], over["actors"]) == ("failed", "RunFailed", [])
    assert (await house.http.get("/runs")).json()["runs"] == []
    unknown = await house.http.get(f"/runs/{uuid4()}")
    assert (unknown.status_code, unknown.json()["code"]) == (404, 3001)
    wrong = await house.http.get("/runs", params={"stuck": "perhaps"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, 1000)


async def test_a_retried_letter_reaches_its_handler_and_another_failure_is_a_letter_of_its_own(house: House) -> None:
    broken = [1]
    session, cause = uuid4(), uuid4()
    ledger, bus = house.backbone.ledger, house.behind.bus
    async with running(DecisionRunner(clumsy(broken), ledger, bus, 2.0).run()):
        fact = Fact(note("hm"), cause, None, cause, None)
        await ledger.append("gateway", "test", [Append(session, cause, (fact,))])
        await until(lambda: letters(house))
        (first,) = await letters(house)
        whole = (await house.http.get(f"/dead-letters/{first['dead_letter_id']}")).json()
        assert (whole["body"], whole["body_as"], whole["headers"]["ce-id"]) == (
            {"about": "answer", "comment": "hm"},
            "json",
            str(cause),
        )
        again = await house.http.post(f"/dead-letters/{first['dead_letter_id']}/retry")
        assert (again.status_code, again.json()["state"]) == (200, "retried")
        await until(lambda: letters(house))
        (second,) = await letters(house)
        assert second["dead_letter_id"] != first["dead_letter_id"]
        broken.clear()
        assert (await house.http.post(f"/dead-letters/{second['dead_letter_id']}/retry")).status_code == 200
        await until(lambda: ledger.find(session, frozenset({"PlanRejected"})))
        assert await letters(house) == []
        twice = await house.http.post(f"/dead-letters/{first['dead_letter_id']}/retry")
        assert (twice.status_code, twice.json()["code"]) == (409, 9010)


async def keep_dead_letter(house: House, begun: dict[str, Any], consumer: str = "planning") -> str:
    """The run's message as a letter of a handler."""
    message = (await house.stream(begun["session_id"]))[1]
    subject = subjects.event(message.session_id, message.producer, message.type)
    letter = DeadLetter(
        uuid4(), consumer, subject, message.event_id, to_headers(message), message.data, Code.INTERNAL, "given up", 6
    )
    await house.backbone.ledger.keep_dead_letter(letter)
    return str(letter.dead_letter_id)


async def test_a_retry_that_would_change_nothing_is_refused_with_the_reason(house: House) -> None:
    given_up, ended = await house.begin(), await house.begin()
    answered = Append(
        UUID(given_up["session_id"]), UUID(given_up["run_id"]), (Fact(REJECTED, uuid4(), None, uuid4(), None),)
    )
    await house.backbone.ledger.append("planning", "planning", [answered])  # what a handler that gives up records
    await house.tell(ended["session_id"], ended["run_id"], FAILED)
    for begun, why in ((given_up, "has answered this message with a failure"), (ended, "has ended")):
        letter = await keep_dead_letter(house, begun)
        refused = await house.http.post(f"/dead-letters/{letter}/retry")
        assert (refused.status_code, refused.json()["code"]) == (409, 9010)
        assert why in refused.json()["detail"]
        assert (await house.http.get(f"/dead-letters/{letter}")).json()["state"] == "dead"


async def test_a_discarded_letter_is_done_with(house: House) -> None:
    letter = await keep_dead_letter(house, await house.begin())
    both = [house.http.post(f"/dead-letters/{letter}/discard") for _ in range(2)]
    assert sorted(answer.status_code for answer in await asyncio.gather(*both)) == [200, 409]
    assert [one["dead_letter_id"] for one in await letters(house, "discarded")] == [letter]
    for path in (f"/dead-letters/{uuid4()}", f"/dead-letters/{uuid4()}/discard"):
        answer = await (house.http.post if path.endswith("discard") else house.http.get)(path)
        assert (answer.status_code, answer.json()["code"]) == (404, 9009)
    wrong = await house.http.get("/dead-letters", params={"state": "undead"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, 1000)


async def test_what_the_ledger_does_not_have_cannot_be_retried(house: House) -> None:
    begun = await house.begin("안녕")
    message = (await house.stream(begun["session_id"]))[1]
    headers = to_headers(message)
    for change in (
        {"ce-streamversion": "77"},
        {"ce-streamversion": "one"},
        {"ce-subject": str(uuid4())},
        {"ce-subject": ""},
    ):
        forged = DeadLetter(
            uuid4(), "planning", "evt.x", message.event_id, headers | change, b"{}", Code.MESSAGE_NOT_IN_LEDGER, "?", 1
        )
        await house.backbone.ledger.keep_dead_letter(forged)
        refused = await house.http.post(f"/dead-letters/{forged.dead_letter_id}/retry")
        assert (refused.status_code, refused.json()["code"]) == (409, 9010)
        assert "the ledger has no such event" in refused.json()["detail"]
