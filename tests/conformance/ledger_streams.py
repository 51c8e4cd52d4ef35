"""Conformance of ledgers: streams, the inbox, expected versions."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from backbone.ledger.port import Append, Ledger, NotRecordable, VersionConflict
from contracts.artifacts import Attachment
from contracts.decisions import DecisionAnswered
from contracts.gateway import ArtifactUploaded, MessageReceived
from contracts.shape import Event, JsonObject
from tests.conformance.facts import CONSUMER, PRODUCER, append, fact, known, note, run_begins, run_fails, timer


class StreamConformance:
    """Events of a session are recorded once, in order, and read back as they were."""

    async def test_versions_are_gapless_under_fifty_concurrent_appenders(self, ledger: Ledger) -> None:
        session = uuid4()
        await asyncio.gather(
            *(
                ledger.append(PRODUCER, CONSUMER, [append(session, fact(note(f"{n}a")), fact(note(f"{n}b")))])
                for n in range(50)
            )
        )
        messages = await ledger.read(session)
        assert [m.version for m in messages] == list(range(1, 101))
        assert await ledger.head(session) == 100
        assert len({m.event_id for m in messages}) == 100

    async def test_an_event_reads_back_as_it_was_recorded(self, ledger: Ledger) -> None:
        session, run, cause = uuid4(), uuid4(), uuid4()
        before = datetime.now(UTC)
        sent = fact(note("안녕 'quoted' \n"), run_id=run, cause=cause)
        await ledger.append(PRODUCER, CONSUMER, [append(session, sent)])
        (message,) = await ledger.read(session)
        assert message.event == sent.event
        assert (message.event_id, message.session_id, message.version) == (sent.event_id, session, 1)
        assert (message.type, message.schema_version, message.producer) == ("FeedbackGiven", 1, PRODUCER)
        assert (message.run_id, message.correlation_id, message.causation_id) == (run, run, cause)
        assert before - timedelta(seconds=1) < message.recorded_at < datetime.now(UTC) + timedelta(seconds=1)

    async def test_reading_starts_after_a_version_and_stops_at_the_limit(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session) for _ in range(5)])
        assert [m.version for m in await ledger.read(session, after=1, limit=3)] == [2, 3, 4]
        assert await ledger.read(uuid4()) == []
        assert await ledger.head(uuid4()) == 0

    async def test_finding_keeps_to_types_and_run(self, ledger: Ledger) -> None:
        session, run, other = uuid4(), uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run), run_begins(session, other), append(session)])
        assert [m.version for m in await ledger.find(session, frozenset({"MessageReceived"}))] == [1, 2]
        assert [m.version for m in await ledger.find(session, frozenset({"MessageReceived"}), other)] == [2]

    async def test_the_latest_of_some_types_come_newest_first(self, ledger: Ledger) -> None:
        session, other, runs = uuid4(), uuid4(), [uuid4() for _ in range(3)]
        for run in runs:
            await ledger.append(PRODUCER, CONSUMER, [run_begins(session, run), append(session), append(other)])
            await ledger.append("response", CONSUMER, [run_fails(session, run)])
        said, ended, rest = (frozenset({name}) for name in ("MessageReceived", "RunFailed", "FeedbackGiven"))
        assert [m.version for m in await ledger.latest(session, said, 2)] == [7, 4]
        assert [m.version for m in await ledger.latest(session, said | ended, 10, before=7)] == [6, 4, 3, 1]
        assert [m.version for m in await ledger.latest(session, rest, 10, before=8)] == [5, 2]
        assert [m.run_id for m in await ledger.latest(session, ended, 1)] == [runs[2]]
        assert await ledger.latest(session, said, 5, before=1) == []
        assert await ledger.latest(uuid4(), said, 5) == []

    async def test_the_latest_are_found_alike_near_the_beginning_of_a_stream_and_far_from_it(
        self, ledger: Ledger
    ) -> None:
        session, run = uuid4(), uuid4()
        await ledger.append(
            PRODUCER, CONSUMER, [run_begins(session, run), append(session, *[fact() for _ in range(150)])]
        )
        await ledger.append("response", CONSUMER, [run_fails(session, run)])
        wanted = frozenset({"MessageReceived", "RunFailed", "FeedbackGiven"})
        for before in (2, 3, 99, 100, 101, 102, 151, 152):
            found = [m.version for m in await ledger.latest(session, wanted, 3, before)]
            assert found == list(range(before - 1, max(before - 4, 0), -1)), before
        assert [m.version for m in await ledger.latest(session, wanted, 2)] == [152, 151]

    async def test_what_brought_files_is_found_newest_first_and_nothing_else(self, ledger: Ledger) -> None:
        session, file = uuid4(), Attachment.model_validate(ArtifactUploaded.example["attachment"])
        answers: list[JsonObject] = [
            {"attachments": [file.model_dump(mode="json")]}, {"attachments": [file.artifact_id]},
            {"attachments": []}, {"text": "attachments"},
        ]  # fmt: skip
        said = DecisionAnswered.model_validate(DecisionAnswered.example)
        events: list[Event] = [
            ArtifactUploaded(attachment=file),
            *(MessageReceived(text="x", attachments=files) for files in ((), (file,))),
            *(said.model_copy(update={"answer": answer}) for answer in answers),
        ]  # fmt: skip
        for event in events:
            await ledger.append("gateway", CONSUMER, [append(session, fact(event)), append(uuid4(), fact(event))])
        assert [m.version for m in await ledger.brought(session, 10)] == [4, 3, 1]
        assert [m.version for m in await ledger.brought(session, 2)] == [4, 3]
        assert await ledger.brought(uuid4(), 10) == []

    async def test_one_call_appends_to_many_streams_in_order(self, ledger: Ledger) -> None:
        one, two = uuid4(), uuid4()
        answers = await ledger.append(PRODUCER, CONSUMER, [append(one), append(two), append(one, fact(), fact())])
        assert [(a.fresh, a.last_version) for a in answers] == [(True, 1), (True, 1), (True, 3)]

    async def test_a_message_handled_twice_changes_nothing(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        await ledger.append(PRODUCER, CONSUMER, [once])
        (again,) = await ledger.append(PRODUCER, CONSUMER, [once])
        assert (again.fresh, again.last_version) == (False, None)
        assert await ledger.head(session) == 1

    async def test_a_message_that_stands_twice_in_one_call_is_handled_once(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        answers = await ledger.append(PRODUCER, CONSUMER, [once, append(session), once])
        assert [a.fresh for a in answers] == [True, True, False]
        assert await ledger.head(session) == 2

    async def test_the_same_message_is_new_to_another_consumer(self, ledger: Ledger) -> None:
        session, cause = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, cause=cause)])
        (answer,) = await ledger.append(PRODUCER, "another", [append(session, cause=cause)])
        assert answer.fresh
        assert await ledger.handled(CONSUMER, [cause, uuid4()]) == {cause}

    async def test_a_message_without_results_is_handled_too(self, ledger: Ledger) -> None:
        session = uuid4()
        cause = await known(ledger, session)
        (answer,) = await ledger.append(PRODUCER, CONSUMER, [Append(session, cause)])
        assert (answer.fresh, answer.last_version) == (True, None)
        assert await ledger.handled(CONSUMER, [cause]) == {cause}

    async def test_what_brings_no_event_and_is_not_in_its_stream_is_not_noted_as_handled(self, ledger: Ledger) -> None:
        session, elsewhere = uuid4(), await known(ledger, uuid4())
        coming = append(session)
        for silent in (
            Append(session, coming.facts[0].event_id),
            Append(session, coming.facts[0].event_id, timers=(timer(),)),
            Append(session, coming.facts[0].event_id, cancel_timers=(uuid4(),)),
            Append(session, elsewhere),
        ):
            with pytest.raises(NotRecordable):
                await ledger.append(PRODUCER, CONSUMER, [append(session), silent])
        assert await ledger.head(session) == 0, "an append is refused as a whole"
        await ledger.append(PRODUCER, CONSUMER, [coming])
        (answer,) = await ledger.append(PRODUCER, "another", [Append(session, coming.facts[0].event_id)])
        assert answer.fresh

    async def test_a_race_of_two_for_one_message_has_one_winner(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session)
        answers = await asyncio.gather(*(ledger.append(PRODUCER, CONSUMER, [once]) for _ in range(10)))
        assert sum(answer.fresh for (answer,) in answers) == 1
        assert await ledger.head(session) == 1

    async def test_an_expected_version_that_is_off_is_refused_with_both_numbers(self, ledger: Ledger) -> None:
        session, other = uuid4(), uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, fact(), fact())])
        with pytest.raises(VersionConflict, match=r"at version 2, expected 7"):
            await ledger.append(PRODUCER, CONSUMER, [append(other), append(session, expected=7)])
        assert await ledger.head(session) == 2
        assert await ledger.head(other) == 0

    async def test_expecting_no_stream_works_once(self, ledger: Ledger) -> None:
        session = uuid4()
        await ledger.append(PRODUCER, CONSUMER, [append(session, expected=0)])
        with pytest.raises(VersionConflict):
            await ledger.append(PRODUCER, CONSUMER, [append(session, expected=0)])

    async def test_repeating_an_append_that_went_through_is_no_conflict(self, ledger: Ledger) -> None:
        session = uuid4()
        once = append(session, expected=0)
        await ledger.append(PRODUCER, CONSUMER, [once])
        (again,) = await ledger.append(PRODUCER, CONSUMER, [once])
        assert not again.fresh

    async def test_what_cannot_be_stored_is_named_and_changes_nothing(self, ledger: Ledger) -> None:
        session = uuid4()
        with pytest.raises(NotRecordable):
            await ledger.append(PRODUCER, CONSUMER, [append(session), append(session, fact(note("nul \x00")))])
        assert await ledger.head(session) == 0

    async def test_what_would_not_fit_through_the_bus_is_refused_with_its_size(self, ledger: Ledger) -> None:
        session = uuid4()
        with pytest.raises(NotRecordable, match="1200"):
            await ledger.append(PRODUCER, CONSUMER, [append(session, fact(note("한" * 400_000)))])
        assert await ledger.head(session) == 0
