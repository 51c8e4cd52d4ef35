"""Many todos of one person do not keep another person waiting for all of them."""

import pytest

from tests.e2e.person import Person
from tests.e2e.scene import envelopes, moment, played, seen
from tests.e2e.world import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_one_todo_of_a_session_does_not_wait_for_the_three_hundred_of_another(
    house: World, person: Person
) -> None:
    big = await person.say("/crowd 300", auto_approve=True)
    await seen(person, big, "TodoSucceeded")
    small = await played(person, await person.say("/crowd 1", auto_approve=True))
    events = (await played(person, big)).events
    mine = moment(envelopes(small.events, "TodoSucceeded")[0])
    before = sum(moment(one) < mine for one in envelopes(events, "TodoSucceeded"))
    assert small.status == "succeeded"
    assert before < 250, f"it came after {before} of 300"
    (asked,) = envelopes(small.events, "TodoDispatched")
    meanwhile = [one for one in envelopes(events, "TodoSucceeded") if moment(asked) < moment(one) < mine]
    assert len(meanwhile) <= 2 * 64, "not more than what was in flight, and what took its places"
