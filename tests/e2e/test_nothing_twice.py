"""A file is looked at once, when it arrives, and what was made of it is not made again, in the real product."""

from uuid import uuid4

import pytest

from contracts.profiles import FileProfile, TableProfile
from tests.e2e.person import Person, eventually, of, only

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

CUPS = ["무늬", "통", "뚜껑", "손잡이"]


def shop(rows: int = 240) -> bytes:
    """Orders of cups; each file is another one, so that no test finds what was made for its neighbour."""
    lines = ["주문번호,품목,별점,주문일,의견"]
    for at in range(rows):
        name, stars = CUPS[at % 4], at % 5 + 1
        lines.append(
            f"{uuid4().hex[:8]},{name} 컵,{stars},2025-{at % 12 + 1:02d}-11,{at}번째로 산 컵인데 {name} 느낌이 남아요"
        )
    return "\n".join(lines).encode()


async def opened(
    person: Person, user: str, content: bytes, name: str = "컵.csv", language: str = "ko"
) -> tuple[str, str]:
    made = await person.ask(
        "POST", "/sessions", json={"user": user, "language": language}, headers={"Idempotency-Key": str(uuid4())}
    )
    session = str(made.json()["session_id"])
    file = await person.upload(name, content, session)
    return session, str(file["artifact_id"])


async def test_what_a_table_holds_is_known_before_anybody_asks(person: Person) -> None:
    _, file = await opened(person, f"user-{uuid4()}", shop())

    async def known() -> bool:
        return (await person.ask("GET", f"/artifacts/{file}/profile")).status_code == 200

    await eventually(known, "a profile")
    found = FileProfile.model_validate((await person.ask("GET", f"/artifacts/{file}/profile")).json())
    table = TableProfile.model_validate(found.found[0].result)
    assert table.rows == 240
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {"주문번호": "id", "품목": "category", "별점": "number", "주문일": "date", "의견": "text"}
    named = {column.name: column for column in table.columns}
    assert set(named["품목"].values) == {f"{one} 컵" for one in CUPS}
    assert (named["주문일"].low, named["주문일"].high) == ("2025-01-11", "2025-12-11")
    assert named["별점"].scale is not None and (named["별점"].scale.low, named["별점"].scale.high) == (1, 5)
    assert "ko" in named["의견"].languages


async def test_a_file_that_nobody_knows_has_no_profile(person: Person) -> None:
    assert (await person.ask("GET", f"/artifacts/{'0' * 64}/profile")).status_code == 404


async def test_the_same_question_in_another_session_is_answered_from_before(person: Person) -> None:
    user, content = f"user-{uuid4()}", shop()
    session, _ = await opened(person, user, content)
    first = await person.end_of(await person.say("품목별로 별점 평균이 어떻게 돼?", session_id=session), 150)
    again, _ = await opened(person, user, content)
    second = await person.end_of(await person.say("품목별로 별점 평균이 어떻게 돼?", session_id=again), 150)
    fresh, kept = only(first, "TodoSucceeded"), only(second, "TodoSucceeded")
    assert fresh.get("from_before") is None and kept["from_before"]
    assert kept["result"] == fresh["result"] and kept["attachments"] == fresh["attachments"]
    assert kept["seconds"] < 1
    told = only(second, "ResponseOutput")["text"]
    assert "전에 만든 결과" in told and told.startswith(only(first, "ResponseOutput")["text"])
    stranger, _ = await opened(person, f"user-{uuid4()}", content)
    theirs = await person.end_of(await person.say("품목별로 별점 평균이 어떻게 돼?", session_id=stranger), 150)
    assert only(theirs, "TodoSucceeded").get("from_before") is None, "what is kept is one person's"


async def test_a_follow_up_does_no_step_again_that_was_done(person: Person) -> None:
    user, content = f"user-{uuid4()}", shop()
    session, _ = await opened(person, user, content)
    run = await person.say("이 의견들 감성 분석해줘", session_id=session, auto_approve=True)
    before = await person.end_of(run, 120)
    done = {one["todo"]["tool"] for one in of(before, "TodoDispatched")}
    again, _ = await opened(person, user, content)
    run = await person.say("이 의견들 감성 분석해줘", session_id=again, auto_approve=True)
    after = await person.end_of(run, 120)
    assert done == {one["todo"]["tool"] for one in of(after, "TodoDispatched")}
    assert all(one["from_before"] for one in of(after, "TodoSucceeded"))
    assert sum(one["seconds"] for one in of(after, "TodoSucceeded")) < 1
    assert not any(one.get("tokens") or one.get("money") for one in of(after, "TodoSucceeded"))
