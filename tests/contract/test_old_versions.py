"""An event of an older version than today's: whoever takes it gets it in today's shape, over the same real servers.

No contract has a second version yet, so one is given to it here: what services of the first have recorded is still there."""

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from contracts import registry
from contracts.planning import PlanRejected
from tests.contract.carrying import carried
from tests.contract.recorded import FILES, golden, handlers
from tests.contract.servers import Servers

pytestmark = pytest.mark.timeout(300)  # the first may have to make images

TAKEN_BY = {"planning", "response"}


class Second(PlanRejected):
    """PlanRejected with a field that has no default."""

    schema_version: ClassVar[int] = 2

    by: str


Second.__name__ = "PlanRejected"


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def from_first(data: dict[str, Any]) -> dict[str, Any]:
        return {**data, "by": "nobody knows"}

    monkeypatch.setitem(registry.EVENTS, "PlanRejected", Second)
    monkeypatch.setitem(registry.UPCASTERS, ("PlanRejected", 1), from_first)
    registry._adapter.cache_clear()
    yield
    registry._adapter.cache_clear()


async def test_every_handler_takes_the_first_version_in_the_shape_of_the_second(servers: Servers, second: None) -> None:
    messages = [one for path in FILES if path.stem == "rejected" for one in golden(path).messages]
    old = {one.event_id for one in messages if one.type == "PlanRejected"}
    takers = {name: one for name, one in handlers().items() if any(take.type == "PlanRejected" for take in one.takes)}
    assert {handler.producer for handler in takers.values()} == TAKEN_BY
    async with carried(servers, messages, takers) as way:
        for name in takers:
            events = [taken.event for taken in way.taken[name] if taken.message.event_id in old]
            assert len(events) == len(old) > 0, name
            assert {(type(event), getattr(event, "by", "")) for event in events} == {(Second, "nobody knows")}, name
        assert await way.ledger.dead_letters() == []


async def test_a_version_without_its_step_is_a_dead_letter_and_is_not_taken(
    servers: Servers, second: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(registry.UPCASTERS, ("PlanRejected", 1))
    messages = [one for path in FILES if path.stem == "rejected" for one in golden(path).messages]
    takers = {name: one for name, one in handlers().items() if one.producer == "response"}
    async with carried(servers, messages, takers) as way:
        letters = await way.ledger.dead_letters()
        assert letters and all("no upcaster to version 2" in str(one["reason"]) for one in letters)
        assert not [one for taken in way.taken.values() for one in taken if one.message.type == "PlanRejected"]
