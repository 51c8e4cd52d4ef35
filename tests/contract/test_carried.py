"""Every event, as its producers have recorded it in any released version, gets over real servers to every handler that
takes it, and is taken: validated, folded, decided upon, or given up in order. Examples stand for what no run has recorded."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from backbone.ledger.rows import AppendArrays
from backbone.runner.handlers import DecisionHandler, WorkHandler, append_of
from backbone.runner.intake import ReceivedMessage
from contracts.errors import Code, ErrorInfo
from contracts.registry import EVENTS
from services.gateway.domain.session import Session
from services.gateway.domain.session import evolve as look
from services.gateway.views.protocol import frame
from tests.contract.carrying import Carried, carried
from tests.contract.recorded import EXAMPLES, FILES, examples, fits, golden, handlers, seen
from tests.contract.servers import Servers

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def way(servers: Servers) -> AsyncIterator[Carried]:
    messages = [message for path in FILES for message in golden(path).messages]
    async with carried(servers, [*messages, *examples()], handlers()) as found:
        yield found


async def test_every_version_of_every_event_is_under_way(way: Carried) -> None:
    wanted = {
        (producer, name, version)
        for name, event in EVENTS.items()
        for producer in event.producers
        for version in range(1, event.schema_version + 1)
    }
    assert {(one.producer, one.type, one.schema_version) for one in way.messages} == wanted


async def test_what_was_recorded_fits_the_golden_schema_of_its_version(way: Carried) -> None:
    for message in way.messages:
        fits(message.type, message.schema_version, message.data)


async def test_each_handler_gets_what_it_takes_and_nothing_else(way: Carried) -> None:
    for name, handler in handlers().items():
        assert way.for_(handler), f"{name} takes nothing that anybody has said"
        assert {one.message.event_id for one in way.taken[name]} == way.for_(handler), name
        assert await way.left_over(handler) == 0, name
    assert await way.ledger.dead_letters() == []


async def test_each_event_arrives_as_it_was_recorded_and_reads_as_it_does_in_the_ledger(way: Carried) -> None:
    recorded = {message.event_id: message for message in way.messages}
    for name, taken in way.taken.items():
        for one in taken:
            assert one.message == recorded[one.message.event_id], name
            assert one.event == recorded[one.message.event_id].event, name


async def test_each_decision_folds_and_decides_on_what_it_took(way: Carried) -> None:
    made = 0
    for name, handler in handlers().items():
        if not isinstance(handler, DecisionHandler):
            continue
        for one in way.taken[name]:
            if one.message.session_id != EXAMPLES:  # examples are of no one story
                made += len(decided(way, handler, one))
    assert made > 0


def decided(way: Carried, handler: DecisionHandler[Any], taken: ReceivedMessage) -> list[Any]:
    """The rows of what is to be recorded of it."""
    state, cause = handler.initial(), taken.message
    for message in way.messages:
        if message.session_id == cause.session_id and message.version < cause.version and message.type in handler.folds:
            state = handler.evolve(state, seen(message))
    outcome = handler.decide(state, seen(cause))
    rows: list[Any] = AppendArrays.of([append_of(cause, handler.name, outcome)]).events[0]
    return rows


async def test_each_piece_of_work_can_be_given_up_in_a_way_that_can_be_recorded(way: Carried) -> None:
    error = ErrorInfo(code=Code.INTERNAL, message="the work cannot be done")
    for name, handler in handlers().items():
        if isinstance(handler, WorkHandler):
            for one in way.taken[name]:
                handler.alone(one.message, one.event)
                AppendArrays.of([append_of(one.message, name, handler.give_up(one.message, one.event, error))])


async def test_the_gateway_sees_every_event_once_and_shows_it(way: Carried) -> None:
    assert sorted(one.event_id for one in way.followed) == sorted(one.event_id for one in way.messages)
    sessions: dict[Any, Session] = {}
    for message in way.messages:
        look(sessions.setdefault(message.session_id, Session()), message)
        shown = json.loads(frame(message))
        assert (shown["event"], shown["version"]) == (message.type, message.version)
