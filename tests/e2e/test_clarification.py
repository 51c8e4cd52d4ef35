"""Questions before a plan: the answer continues the same run."""

import pytest

from tests.e2e.person import Json, Person, of, only
from tests.e2e.test_main_job import demo

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

CSV = demo("ko")


async def test_a_vague_sentence_is_asked_about_and_its_answer_goes_on_with_the_same_run(person: Person) -> None:
    file = await person.upload("reviews.csv", CSV)
    run = await person.say("분석해줘", attachments=[file], auto_approve=True)
    question = await person.question(run["session_id"], "clarify", 120)
    assert question["language"] == "ko" and question["run_id"] == run["run_id"]
    choice = next(option for option in question["options"] if option["value"].startswith("ANALYSIS.sentiment"))
    await person.answer(run["session_id"], question, text=choice["value"])
    events = await person.end_of(run, 120)
    assert [one["requires_clarification"] for one in of(events, "CognitiveOutput")[:1]] == [True]
    assert {event["run_id"] for event in events if event["run_id"]} == {run["run_id"]}
    only(events, "MessageReceived")
    only(events, "RunCompleted")
    assert "insight.sentiment" in of(events, "CognitiveOutput")[-1]["plan_hint"]["goals"]


async def test_a_vague_sentence_is_answered_in_words(person: Person) -> None:
    run = await person.say("분석해줘", attachments=[await person.upload("reviews.csv", CSV)], auto_approve=True)
    question = await person.question(run["session_id"], "clarify", 120)
    await person.answer(run["session_id"], question, text="키워드 뽑아줘")
    events = await person.end_of(run, 120)
    only(events, "RunCompleted")
    assert of(events, "CognitiveOutput")[-1]["plan_hint"]["goals"] == ["insight.keywords"]


async def test_a_missing_file_is_asked_for_and_taken_from_the_answer(person: Person) -> None:
    run = await person.say("이 리뷰들 감성 분석해줘", auto_approve=True)
    question = await person.question(run["session_id"], "clarify", 120)
    assert question["subject"]["question"] == "file"
    file = await person.upload("reviews.csv", CSV, run["session_id"])
    await person.answer(run["session_id"], question, attachments=[file])
    events = await person.end_of(run, 120)
    only(events, "RunCompleted")
    assert files(of(events, "CognitiveOutput")[-1]) == [file["artifact_id"]]
    assert {event["run_id"] for event in events if event["event"] != "ArtifactUploaded" and event["run_id"]} == {
        run["run_id"]
    }


async def test_a_second_message_finds_the_file_of_the_first(person: Person) -> None:
    file = await person.upload("reviews.csv", CSV)
    first = await person.say("이 리뷰들 감성 분석해줘", attachments=[file], auto_approve=True)
    await person.end_of(first, 120)
    second = await person.say("키워드도 뽑아줘", session_id=first["session_id"], auto_approve=True)
    events = await person.end_of(second, 120)
    only(events, "RunCompleted", second)
    assert files(only(events, "CognitiveOutput", second)) == [file["artifact_id"]]


def files(understood: Json) -> list[str]:
    return [attachment["artifact_id"] for attachment in understood["attachments"]]
