"""A plan says what it has understood of the file, and a reason changes the same request, in the real product."""

from uuid import uuid4

import pytest

from tests.e2e.person import Json, Person, eventually, of
from tests.e2e.test_nothing_twice import opened

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BOATS = ["Heron", "Osprey", "Plover"]


def rides(rows: int = 180) -> bytes:
    lines = ["Ticket,Boat,Line,Stars,Day,Comment"]
    for at in range(rows):
        words = "the crew was kind and the view was lovely" if at % 5 > 2 else "the engine was loud and we were late"
        lines.append(
            f"{uuid4().hex[:8]},{BOATS[at % 3]},Line-{301 + at % 3},{at % 5 + 1},2025-{at % 12 + 1:02d}-03,Ride {at}: {words}"
        )
    return "\n".join(lines).encode()


async def asked(person: Person, text: str, language: str = "en") -> tuple[Json, Json]:
    """A run, and the question about its plan."""
    session, _ = await opened(person, f"user-{uuid4()}", rides(), "rides.csv", language)
    run = await person.say(text, session_id=session)
    return run, await person.question(run["session_id"], seconds=150)


async def rejected(person: Person, run: Json, question: Json, reason: str) -> Json:
    """The next question about the plan."""
    await person.answer(run["session_id"], question, action="reject", reason=reason)

    async def next_one() -> Json | None:
        found = await person.question(run["session_id"])
        return found if found["decision_id"] != question["decision_id"] else None

    return await eventually(next_one, "another question about the plan")


async def plans(person: Person, run: Json) -> list[Json]:
    return of(await person.events(run["session_id"]), "PlanningOutput")


def tools(output: Json) -> set[str]:
    return {todo["tool"].split(".")[1] for todo in output["plan"]["todos"]}


async def test_what_is_understood_stands_in_the_plan_and_a_reason_swaps_and_takes_out(person: Person) -> None:
    run, question = await asked(person, "Analyse the sentiment and the keywords of the Osprey comments for a report")
    assert "Boat = Osprey" in question["question"]
    (first,) = await plans(person, run)
    assert "Boat = Osprey" in first["understood"]
    again = await rejected(person, run, question, "leave out the keywords, and rather the 1 star ones about Plover")
    assert "Boat = Plover" in again["question"] and "Stars = 1" in again["question"]
    second = (await plans(person, run))[-1]
    assert set(second["understood"]) == {"Boat = Plover", "Stars = 1"}
    assert tools(second) == tools(first) - {"keyword"}
    await person.answer(run["session_id"], again, action="approve")
    events = await person.end_of(run, 150)
    collected = next(one for one in of(events, "TodoSucceeded") if one["todo_id"].endswith("collector"))
    assert (collected["result"]["rows_kept"], set(collected["result"]["rows_asked"])) == (12, set(second["understood"]))


async def test_a_reason_adds_what_it_names_and_the_report_waits_for_it(person: Person) -> None:
    run, question = await asked(person, "이 코멘트들 감성 분석해서 보고서로 만들어줘", "ko")
    (first,) = await plans(person, run)
    assert "trends" not in tools(first)
    again = await rejected(person, run, question, "월별 추이도 넣어줘")
    second = (await plans(person, run))[-1]
    assert tools(second) == tools(first) | {"trends"}
    added = next(todo for todo in second["plan"]["todos"] if todo["tool"].endswith("trends"))
    report = next(todo for todo in second["plan"]["todos"] if todo["tool"].endswith("report"))
    assert added["id"] in report["depends_on"]
    assert f"{added['title']} 추가" in again["question"]
    await person.answer(run["session_id"], again, action="reject")
    await person.end_of(run)


async def test_a_name_that_is_none_is_told_before_the_approval_and_changes_nothing(person: Person) -> None:
    run, question = await asked(person, "Line-302のコメントの感情分析をしてください", "ja")
    assert "Line = Line-302" in question["question"]
    again = await rejected(person, run, question, "Line-977に変えて")
    assert "Line-977" in again["question"] and "Line-301" in again["question"]
    assert len(await plans(person, run)) == 1
    once_more = await rejected(person, run, again, "もっとロマンチックに")
    assert "分かりませんでした" in once_more["question"]
    assert len(await plans(person, run)) == 1
    await person.answer(run["session_id"], once_more, action="reject")
    await person.end_of(run)
