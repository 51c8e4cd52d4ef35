"""Conformance of ledgers: which runs are open and what has happened in them, and dead letters with their states."""

import asyncio
import json
from dataclasses import replace
from uuid import UUID, uuid4

from backbone.ledger.port import DeadLetter, Ledger
from contracts.envelope import Outline
from contracts.errors import Code
from contracts.gateway import MessageReceived
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, note, run_begins, run_ends


def letter(**other: object) -> DeadLetter:
    """A message that nobody can read."""
    whole = DeadLetter(uuid4(), CONSUMER, "evt.1", uuid4(), {"a": "b"}, b"\xff{", Code.MESSAGE_UNREADABLE, "why", 1)
    return replace(whole, **other)  # type: ignore[arg-type]  # fields of the letter


class PlacesConformance:
    """What operators and the watch over runs ask for."""

    async def test_a_run_is_open_until_it_ends(self, ledger: Ledger) -> None:
        session, run, ended = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run), run_begins(session, ended)])
        await ledger.append("response", CONSUMER, [run_ends(session, ended)])
        (place,) = await ledger.open_runs()
        assert (place.run_id, place.session_id, place.version, place.head) == (run, session, 1, 3)
        over = await ledger.run(ended)
        assert over is not None
        assert (over.version, over.head) == (2, 3)
        assert await ledger.run(uuid4()) is None

    async def test_a_trace_leads_to_its_runs_that_of_a_caller_to_the_newest(self, ledger: Ledger) -> None:
        own, run, later = uuid4(), uuid4(), uuid4()
        trace = uuid4()
        traced = {own: own, run: trace, later: trace}
        for run_id, trace_id in traced.items():
            said = fact(MessageReceived(text="hello"), run_id=run_id)._replace(event_id=run_id)
            said = said._replace(traceparent=f"00-{trace_id.hex}-{'7' * 16}-01")
            await ledger.append(PRODUCER, CONSUMER, [append(uuid4(), said)])
        assert [place.run_id for place in await ledger.of_trace(own, 10)] == [own]
        assert [place.run_id for place in await ledger.of_trace(trace, 10)] == [later, run]
        assert [place.run_id for place in await ledger.of_trace(trace, 1)] == [later]
        assert await ledger.of_trace(uuid4(), 10) == []

    async def test_open_runs_come_newest_first_page_by_page(self, ledger: Ledger) -> None:
        begun = []
        for _ in range(5):
            begun.append(uuid4())
            await ledger.append(PRODUCER, CONSUMER, [run_begins(uuid4(), begun[-1])])
        seen: list[UUID] = []
        page = await ledger.open_runs(2)
        while page:
            seen += [place.run_id for place in page]
            page = await ledger.open_runs(2, page[-1])
        assert seen == begun[::-1]

    async def test_the_events_of_runs_are_read_from_a_version_on_and_without_those_of_others(
        self, ledger: Ledger
    ) -> None:
        session, other = uuid4(), uuid4()
        mine, another, second = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, mine), run_begins(session, another)])
        notes = [append(session, fact(run_id=mine)), append(session, fact(run_id=another))]
        await ledger.append(PRODUCER, CONSUMER, [*notes, run_begins(other, second), run_ends(session, mine)])
        types = frozenset({"MessageReceived", "RunCompleted"})
        found = await ledger.of_runs({mine: (session, 1), second: (other, 0)}, types)
        assert {(m.run_id, m.version, m.type) for m in found} == {
            (mine, 5, "RunCompleted"),
            (second, 1, "MessageReceived"),
        }
        whole = await ledger.of_runs({mine: (session, 0)}, types | {"FeedbackGiven"})
        assert [m.version for m in whole] == [1, 3, 5]
        assert await ledger.of_runs({}, types) == []

    async def test_outlines_of_runs_have_every_event_and_of_the_data_what_was_asked_for(self, ledger: Ledger) -> None:
        session, run = uuid4(), uuid4()
        seen = fact(MessageReceived(text="안녕", auto_approve=True), run_id=run)._replace(event_id=run)
        await ledger.append(PRODUCER, CONSUMER, [append(session, seen), append(session, fact(run_id=run))])
        types = frozenset({"MessageReceived", "FeedbackGiven"})
        whole = await ledger.of_runs({run: (session, 0)}, types)
        outline = Outline(read=frozenset({"MessageReceived"}), but=frozenset({"text"}))
        outlines = await ledger.of_runs({run: (session, 0)}, types, outline)
        told = [(m.event_id, m.version, m.type, m.producer, m.causation_id, m.recorded_at) for m in outlines]
        assert told == [(m.event_id, m.version, m.type, m.producer, m.causation_id, m.recorded_at) for m in whole]
        assert [json.loads(m.data) for m in outlines] == [{"auto_approve": True}, {}]
        assert json.loads(whole[1].data) != {}

    async def test_burying_a_letter_twice_keeps_one(self, ledger: Ledger) -> None:
        one = letter()
        await ledger.keep_dead_letter(one)
        await ledger.keep_dead_letter(one)
        (found,) = await ledger.dead_letters()
        assert (found["consumer"], found["code"], found["reason"]) == (CONSUMER, 9001, "why")

    async def test_a_letter_is_kept_whole(self, ledger: Ledger) -> None:
        one = letter(event_id=None)
        await ledger.keep_dead_letter(one)
        kept = await ledger.dead_letter(one.dead_letter_id)
        assert kept is not None
        assert (kept.letter, kept.state) == (one, "dead")
        assert await ledger.dead_letter(uuid4()) is None

    async def test_a_letter_with_headers_that_are_hardly_text_is_kept(self, ledger: Ledger) -> None:
        await ledger.keep_dead_letter(
            letter(headers={"ce-id": "nul \x00 and half a pair \ud800"}, body=b"", reason="\x00")
        )
        assert len(await ledger.dead_letters()) == 1

    async def test_a_secret_is_made_once_for_everybody(self, ledger: Ledger) -> None:
        asked = await asyncio.gather(*(ledger.secret("of all") for _ in range(8)))
        assert len(set(asked)) == 1
        assert len(asked[0]) == 32
        assert await ledger.secret("of somebody else") != asked[0]

    async def test_the_heads_of_many_streams_are_those_of_each(self, ledger: Ledger) -> None:
        known = [uuid4() for _ in range(3)]
        for number, session in enumerate(known, 1):
            await ledger.append(PRODUCER, CONSUMER, [append(session, *(fact() for _ in range(number)))])
        heads = await ledger.heads([*known, uuid4()])
        assert heads == {session: await ledger.head(session) for session in known}
        assert sorted(heads.values()) == [1, 2, 3]
        assert await ledger.heads([]) == {}

    async def test_an_event_is_asked_for_once_more_of_its_producers_relay(self, ledger: Ledger) -> None:
        session, other = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact())])
        await ledger.append("another", CONSUMER, [append(other, fact())])
        key, of_another, letter_id = uuid4(), uuid4(), uuid4()
        assert await ledger.ask_resend(key, session, 2)
        assert await ledger.ask_resend(key, session, 1), "the same key is the same request"
        assert await ledger.ask_resend(of_another, other, 1, letter_id)
        assert not await ledger.ask_resend(uuid4(), session, 3)
        assert not await ledger.ask_resend(uuid4(), uuid4(), 1)
        async with ledger.lead(PRODUCER) as tail:
            assert tail is not None
            ((asked, message, retry_of),) = await tail.resends(9)
            assert (asked, message.session_id, message.version, retry_of) == (key, session, 2, None)
            await tail.resent([key])
            assert await tail.resends(9) == []
        async with ledger.lead("another") as tail:
            assert tail is not None
            assert [(one.key, one.retry_of) for one in await tail.resends(9)] == [(of_another, letter_id)]

    async def test_a_letter_is_settled_once(self, ledger: Ledger) -> None:
        one, other = letter(), letter()
        for each in (one, other):
            await ledger.keep_dead_letter(each)
        assert await ledger.settle_letter(one.dead_letter_id, "discarded")
        assert not await ledger.settle_letter(one.dead_letter_id, "retried")
        assert not await ledger.settle_letter(uuid4(), "retried")
        assert [found["dead_letter_id"] for found in await ledger.dead_letters(9, "dead")] == [
            str(other.dead_letter_id)
        ]
        assert [found["state"] for found in await ledger.dead_letters()] == ["dead", "discarded"]

    async def test_a_retried_letter_that_comes_again_is_dead_again_and_a_discarded_one_stays(
        self, ledger: Ledger
    ) -> None:
        one, other = letter(), letter()
        for each, state in ((one, "retried"), (other, "discarded")):
            await ledger.keep_dead_letter(each)
            await ledger.settle_letter(each.dead_letter_id, state)
            await ledger.keep_dead_letter(replace(each, reason="again"))
        states = {
            str(found["dead_letter_id"]): (found["state"], found["reason"]) for found in await ledger.dead_letters()
        }
        assert states == {
            str(one.dead_letter_id): ("dead", "again"),
            str(other.dead_letter_id): ("discarded", "why"),
        }

    async def test_the_oldest_open_run_of_a_session_is_told(self, ledger: Ledger) -> None:
        busy, idle, over = uuid4(), uuid4(), uuid4()
        first, second, ended = uuid4(), uuid4(), uuid4()
        for begins in (run_begins(busy, ended), run_begins(busy, first), run_begins(busy, second)):
            await ledger.append(PRODUCER, CONSUMER, [begins])
        await ledger.append(PRODUCER, CONSUMER, [append(idle, fact(note("no run")))])
        await ledger.append("response", CONSUMER, [run_ends(busy, ended)])
        assert await ledger.open_since([busy, over]) == {busy: 2}
        assert await ledger.open_since([]) == {}
