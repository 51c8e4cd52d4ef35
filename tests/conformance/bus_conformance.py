"""What every bus adapter promises. Inherit, give the fixture `bus`, and the accidents that befall a store."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

import pytest

from backbone.bus.port import Bus, ConsumerSpec, Subscription
from contracts import subjects
from contracts.envelope import from_headers, to_headers
from contracts.live import Recorded
from tests.conformance.bus_accidents import AccidentConformance
from tests.conformance.bus_settling import SettlingConformance
from tests.conformance.deliveries import SOON, SPEC, drained, nothing_within, text
from tests.conformance.facts import PRODUCER, message


class BusConformance(SettlingConformance, AccidentConformance):
    """Settling and accidents; here durable consumers, order, filters, and core messages."""

    @pytest.fixture
    def bus(self) -> Bus:
        raise NotImplementedError("the adapter under test")

    async def test_an_event_arrives_whole(self, bus: Bus) -> None:
        sent = message("안녕", run=uuid4())
        await bus.publish([sent])
        (delivery,) = await drained(await bus.subscribe(SPEC, 16), 1)
        assert from_headers(delivery.headers, delivery.subject, delivery.body) == sent
        assert delivery.subject == subjects.event(sent.session_id, PRODUCER, "FeedbackGiven")
        assert delivery.attempt == 1

    async def test_a_durable_keeps_what_nobody_was_there_for(self, bus: Bus) -> None:
        first = await bus.subscribe(SPEC, 16)
        await bus.publish([message("one"), message("two")])
        one, _ = await drained(first, 2)
        await one.ack()
        await first.close()
        await bus.publish([message("three")])
        found = await drained(await bus.subscribe(SPEC, 16), 2)
        assert {text(d) for d in found} == {"two", "three"}

    async def test_events_of_a_publisher_arrive_in_order(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 64)
        for start in range(0, 200, 40):
            await bus.publish([message(str(n)) for n in range(start, start + 40)])
        found: list[str] = []
        while len(found) < 200:
            for delivery in await drained(subscription, 1):
                found.append(text(delivery))
                await delivery.ack()
        assert found == [str(n) for n in range(200)]

    async def test_draining_returns_all_that_is_there_up_to_its_limit(self, bus: Bus) -> None:
        await bus.publish([message(str(n)) for n in range(30)])
        subscription = await bus.subscribe(SPEC, 64)
        await asyncio.sleep(0.3)
        assert len(await subscription.drain(20)) == 20
        assert len(await subscription.drain(20)) == 10

    async def test_draining_waits_for_the_first(self, bus: Bus) -> None:
        subscription = await bus.subscribe(SPEC, 16)
        waiting = asyncio.create_task(subscription.drain(8))
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await bus.publish([message("late")])
        async with asyncio.timeout(1):
            assert [text(d) for d in await waiting] == ["late"]

    async def test_what_somebody_else_has_said_under_its_id_before_is_in_nobody_s_way(self, bus: Bus) -> None:
        """Ids follow from their causes, so they can be worked out by whoever sees those."""
        subscription = await bus.subscribe(SPEC, 16)
        true, bundled = message("true"), [message(str(number)) for number in range(3)]
        for one in (true, bundled[0]):
            await bus.resend("evt.1.x.response.Junk", {"ce-id": "junk"}, b"{}", one.event_id)
        await bus.publish([true, *bundled], first=True)
        assert sorted(text(one) for one in await drained(subscription, 4)) == ["0", "1", "2", "true"]
        await bus.publish([true])  # by the relay, say
        await nothing_within(subscription, 0.3)

    async def test_the_same_event_published_twice_is_one(self, bus: Bus) -> None:
        once = message("once")
        await bus.publish([once, once])
        await bus.publish([once, message("other")])
        assert [text(d) for d in await drained(await bus.subscribe(SPEC, 16), 2)] == ["once", "other"]

    async def test_an_event_that_is_sent_again_comes_again(self, bus: Bus) -> None:
        once = message("once")
        await bus.publish([once])
        subject = subjects.event(once.session_id, PRODUCER, "FeedbackGiven")
        await bus.resend(subject, {**to_headers(once), "Nats-Msg-Id": str(once.event_id)}, once.data)
        found = await drained(await bus.subscribe(SPEC, 16), 2)
        assert [from_headers(d.headers, d.subject, d.body) for d in found] == [once, once]

    async def test_publishing_nothing_is_nothing(self, bus: Bus) -> None:
        await bus.publish([])

    async def test_a_consumer_gets_what_it_filters_on(self, bus: Bus) -> None:
        other = ConsumerSpec("other", (subjects.pattern("response", "RunCompleted"), subjects.pattern("a", "B", "c")))
        subscription = await bus.subscribe(other, 16)
        await bus.publish([message("not for it")])
        await nothing_within(subscription, 0.3)

    async def test_two_subscribers_of_one_durable_share_its_messages(self, bus: Bus) -> None:
        one, two = await bus.subscribe(SPEC, 4), await bus.subscribe(SPEC, 4)
        await bus.publish([message(str(n)) for n in range(8)])
        found: list[str] = []

        async def take(subscription: Subscription) -> None:
            while True:
                for delivery in await subscription.drain(1):
                    await delivery.ack()
                    found.append(text(delivery))

        takers = [asyncio.create_task(take(one)), asyncio.create_task(take(two))]
        async with asyncio.timeout(SOON):
            while len(found) < 8:
                await asyncio.sleep(0.01)
        for taker in takers:
            taker.cancel()
        assert sorted(found) == [str(n) for n in range(8)]

    async def test_changed_filters_are_taken_over(self, bus: Bus) -> None:
        narrow = ConsumerSpec(SPEC.name, (subjects.pattern("response", "RunCompleted"),), ack_wait=SPEC.ack_wait)
        before = await bus.subscribe(narrow, 16)
        await asyncio.sleep(0.2)
        await before.close()
        after = await bus.subscribe(SPEC, 16)
        await asyncio.sleep(0.2)
        await bus.publish([message("now for it")])
        assert [text(d) for d in await drained(after, 1)] == ["now for it"]

    async def test_followers_see_events_as_they_are_published(self, bus: Bus) -> None:
        seen: list[str] = []

        async def follower(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            seen.append(str(from_headers(headers, subject, body).event_id))

        await bus.follow(follower)
        sent = [message(), message()]
        await bus.publish(sent)
        await asyncio.sleep(0.2)
        assert seen == [str(m.event_id) for m in sent]

    async def test_what_nobody_has_to_act_upon_is_told_of_and_not_stored(self, bus: Bus) -> None:
        seen: list[str] = []
        heard: list[tuple[str, int]] = []

        async def follower(subject: str, headers: Mapping[str, str], body: bytes) -> None:
            seen.append(headers["ce-id"])

        async def listener(subject: str, payload: bytes) -> None:
            heard.append((subjects.live_session(subject), Recorded.model_validate_json(payload).version))

        await bus.follow(follower)
        await bus.on_signal(subjects.LIVE, listener)
        done = [replace(message(), version=version, route=f"data.{subjects.SETTLED}") for version in (3, 4)]
        other = replace(message(), session_id=done[0].session_id, version=5)
        done = [replace(one, session_id=other.session_id) for one in done]
        alone = replace(message(), version=7, route=subjects.SETTLED)
        await bus.publish([*done, other])
        await bus.publish([alone])
        await asyncio.sleep(0.2)
        assert seen == [str(other.event_id)]
        assert heard == [(str(other.session_id), 4), (str(alone.session_id), 7)]

    async def test_signals_reach_those_who_listen(self, bus: Bus) -> None:
        heard: list[bytes] = []

        async def listener(subject: str, payload: bytes) -> None:
            heard.append(payload)

        await bus.on_signal(subjects.wake("a"), listener)
        await bus.signal(subjects.wake("a"), b"7")
        await bus.signal(subjects.wake("b"), b"8")
        await asyncio.sleep(0.2)
        assert heard == [b"7"]

    async def test_a_question_is_answered_by_one_of_those_who_answer(self, bus: Bus) -> None:
        asked: list[bytes] = []

        async def answer(payload: bytes) -> bytes:
            asked.append(payload)
            return payload[::-1]

        for _ in range(2):
            await bus.on_ask("svc.suite.reverse", answer)
        assert await bus.ask("svc.suite.reverse", b"abc", 2.0) == b"cba"
        assert asked == [b"abc"]

    async def test_a_question_without_an_answer_ends_in_time(self, bus: Bus) -> None:
        async def never(payload: bytes) -> bytes:
            await asyncio.sleep(60)
            return payload

        await bus.on_ask("svc.suite.slow", never)
        async with asyncio.timeout(1):
            assert await bus.ask("svc.suite.nobody", b"", 0.1) is None
            assert await bus.ask("svc.suite.slow", b"", 0.1) is None

    async def test_one_listener_hears_a_whole_pattern_of_subjects_and_which_it_was(self, bus: Bus) -> None:
        heard: list[tuple[str, bytes]] = []

        async def listener(subject: str, payload: bytes) -> None:
            heard.append((subject, payload))

        await bus.on_signal(subjects.LIVE, listener)
        one, other = subjects.live(uuid4()), subjects.live(uuid4())
        for subject, payload in ((one, b"1"), (subjects.wake("a"), b"2"), (f"{one}.deeper", b"3"), (other, b"4")):
            await bus.signal(subject, payload)
        await asyncio.sleep(0.2)
        assert heard == [(one, b"1"), (other, b"4")]
