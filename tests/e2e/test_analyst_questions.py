"""Where a person can mend it the analyst's tools ask: an address that cannot be read, a budget that is used up."""

from uuid import uuid4

import pytest

from tests.e2e.person import Json, Person, eventually, only

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def reviews(rows: int = 90) -> bytes:
    """Each file is another one, so that no test finds what was made for its neighbour."""
    lines = ["번호,제품,별점,작성일,후기"]
    for at in range(rows):
        said = ("포장이 튼튼하고 배송이 빨라서 좋아요", "소음이 크고 금방 고장나서 실망이에요")[at % 3 == 0]
        lines.append(
            f"{uuid4().hex[:6]},{'찻잔' if at % 2 else '주전자'},{1 if at % 3 == 0 else 5},2025-0{at % 6 + 1}-1{at % 9},{at}번: {said}"
        )
    return "\n".join(lines).encode()


def figures() -> bytes:
    return "\n".join(["전표,매장,금액", *(f"{uuid4().hex[:6]},{at % 3}호점,{at * 10}" for at in range(60))]).encode()


async def asked(
    person: Person, sentence: str, data: bytes | None, kind: str, seconds: float = 150, **more: object
) -> tuple[Json, Json]:
    files = [await person.upload("자료.csv", data)] if data else []
    run = await person.say(sentence, attachments=files, auto_approve=True, **more)
    return run, await person.question(run["session_id"], kind, seconds)


HOST = "127.0.0.1"
ADDRESS = f"http://{HOST}:9/reviews.csv"
"""Where nobody may look."""


@pytest.mark.parametrize("action", ["skip", "abort"])
async def test_an_address_that_is_refused_is_asked_about(action: str, person: Person) -> None:
    run, question = await asked(person, f"{ADDRESS} 이 주소의 리뷰 감성 분석해줘", None, "error")
    assert [one["value"] for one in question["options"]] == ["retry", "skip", "abort"]
    assert HOST in question["question"], "what is wrong is told with its value"
    await person.answer(run["session_id"], question, action=action)
    events = await person.end_of(run, 150)
    assert events[-1]["event"] == "RunFailed", "nothing was made"
    assert HOST in only(events, "ResponseOutput")["text"]


async def test_to_try_again_asks_again_while_nothing_has_changed(person: Person) -> None:
    run, question = await asked(person, f"{ADDRESS} 이 주소의 리뷰 감성 분석해줘", None, "error")
    await person.answer(run["session_id"], question, action="retry")

    async def another() -> Json | None:
        one = await person.question(run["session_id"], "error", 60)
        return one if one["decision_id"] != question["decision_id"] else None

    again = await eventually(another, "the question once more", 60)
    await person.answer(run["session_id"], again, action="abort")
    assert (await person.end_of(run, 150))[-1]["event"] == "RunFailed"


def remarks() -> bytes:
    """No heading says that it holds texts, and nobody writes more than three words."""
    said = ("최고예요 또 올게요", "별로예요 실망했어요", "정말 좋아요", "너무 시끄러워요")
    return "\n".join(
        ["전표,매장,한마디", *(f"{uuid4().hex[:6]},{at % 3}호점,{said[at * 5 % 7 % 4]}" for at in range(80))]
    ).encode()


async def test_which_column_holds_the_texts_is_a_question_and_the_answer_goes_on(person: Person) -> None:
    file = await person.upload("자료.csv", remarks())
    run = await person.say("이 자료 감성 분석해줘", attachments=[file])
    plan = await person.question(run["session_id"], seconds=120)
    await person.answer(run["session_id"], plan, action="approve")
    question = await person.question(run["session_id"], "error", 150)
    columns = {one["value"]: one["label"] for one in question["options"]}
    (chosen,) = [value for value, label in columns.items() if "한마디" in label]
    assert {"skip", "abort"} <= columns.keys()
    assert "retry" not in columns
    await person.answer(run["session_id"], question, action=chosen)
    events = await person.end_of(run, 150)
    assert events[-1]["event"] == "RunCompleted"
    assert "80건" in only(events, "ResponseOutput")["text"], "whoever says the same has said it as well"


async def test_what_only_another_file_mends_is_told_and_nobody_is_asked(person: Person) -> None:
    file = await person.upload("자료.csv", figures())
    # nobody is there who could choose a column
    run = await person.say("이 자료 감성 분석해줘", attachments=[file], auto_approve=True)
    events = await person.end_of(run, 150)
    told = only(events, "ResponseOutput")["text"]
    assert all(column in told for column in ("전표", "매장", "금액")), "which columns there are is told"
    assert not [event for event in events if event["event"] == "DecisionRequested"]


async def test_who_stops_at_the_budget_is_told_what_was_left_out(person: Person) -> None:
    sentence = "이 후기들 감성 분석해서 리포트 만들어줘"
    run, question = await asked(person, sentence, reviews(), "budget", budget={"tool_calls": 3})
    assert question["subject"]["used"] == {"tool_calls": 3}
    await person.answer(run["session_id"], question, action="stop")
    events = await person.end_of(run, 150)
    told = only(events, "ResponseOutput")["text"]
    plan = {todo["id"]: todo["title"] for todo in only(events, "PlanningOutput")["plan"]["todos"]}
    begun = {event["data"]["todo_id"] for event in events if event["event"] == "TodoSucceeded"}
    left = [title for id_, title in plan.items() if id_ not in begun]
    assert len(begun) == 3
    assert left
    assert all(title in told for title in left)


async def test_who_raises_the_budget_gets_the_whole_report(person: Person) -> None:
    sentence = "이 후기들 감성 분석해서 리포트 만들어줘"
    run, question = await asked(person, sentence, reviews(), "budget", budget={"tool_calls": 3})
    await person.answer(run["session_id"], question, action="raise", budget={"tool_calls": 20})
    output = only(await person.end_of(run, 200), "ResponseOutput")
    assert "application/pdf" in {one["media_type"] for one in output["attachments"]}
