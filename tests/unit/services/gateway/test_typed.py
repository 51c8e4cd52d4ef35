"""Typed sentences and open questions: what answers, what begins a run, and which menus are left behind. No server."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from backbone.ledger.port import Append, Fact
from contracts.cognitive import OutputFormat
from contracts.decisions import DecisionRequested
from contracts.gateway import MessageReceived, SessionOpened
from contracts.response import ResponseOutput, UiHint
from services.gateway.commands.runs import start
from services.gateway.commands.session_messages import SessionMessages
from services.gateway.commands.yes_words import said, words
from services.gateway.domain.session import Session
from services.gateway.domain.typed import SEEN_AFTER, answering
from services.gateway.views.history import fold_in
from services.gateway.views.protocol import MessageFrame
from services.planning.approval import ANSWER_SCHEMA
from tests.fakes.ledger import MemoryLedger

MENU = {"type": "object", "properties": {"choice": {"enum": ["A.x", "B.y"]}, "text": {"type": "string"}}}
OPTIONS: dict[str, Any] = {
    "plan": [("approve", "승인"), ("edit", "고치기"), ("reject", "거절")], "clarify": [("A.x", "첫 일"), ("B.y", "Second one")],
    "error": [("use:1", "‘매장’ 열을 글로 읽기"), ("use:2", "‘한마디’ 열을 글로 읽기"), ("use:3", "Read the texts from ‘notes’"), ("skip", "건너뛰기")],
    "lock": [("wait", "기다리기"), ("leave", "그만두기")], "tool": [("approve", "승인"), ("reject", "거절")],
}  # fmt: skip
LOCK = {"type": "object", "required": ["action"], "properties": {"action": {"enum": ["wait", "leave"]}}}
ERROR = {
    "type": "object", "required": ["action"], "properties": {"action": {"enum": ["use:1", "use:2", "use:3", "skip"]}},
}  # fmt: skip
TOOL = {
    "type": "object", "required": ["action", "arguments_hash"],
    "properties": {"action": {"enum": ["approve", "reject"]}, "arguments_hash": {"type": "string"}},
}  # fmt: skip
SCHEMAS: dict[str, Any] = {"plan": ANSWER_SCHEMA, "clarify": MENU, "lock": LOCK, "tool": TOOL, "error": ERROR}


class Spoken:
    """A session in memory."""

    def __init__(self) -> None:
        self.ledger = MemoryLedger()
        self.session = uuid4()
        self.talk = SessionMessages(self.ledger)

    async def records(self, producer: str, event: Any, run: UUID | None = None) -> None:
        fact = Fact(event, uuid4(), run, run or self.session, None)
        await self.ledger.append(producer, producer, [Append(self.session, fact.event_id, (fact,))])

    async def asks(
        self, kind: str, run: UUID, schema: dict[str, Any] | None = None, **subject: Any
    ) -> DecisionRequested:
        options = [{"value": value, "label": label} for value, label in OPTIONS[kind]]
        asked = DecisionRequested.model_validate(
            {"decision_id": uuid4(), "kind": kind, "question": "?", "language": "ko", "options": options,
             "answer_schema": schema or SCHEMAS[kind], "deadline": datetime.now(UTC) + timedelta(hours=1), "subject": subject}
        )  # fmt: skip
        await self.records(
            "planning" if kind == "plan" else "cognitive" if kind == "clarify" else "execution", asked, run
        )
        return asked

    async def lacks(self, slot: str, run: UUID) -> None:
        """A task of a run lacks something: what it is, is asked."""
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "anyOf": [{"required": ["text"]}]}
        asked = DecisionRequested.model_validate(
            {"decision_id": uuid4(), "kind": "clarify", "question": "?", "language": "ko", "options": [], "answer_schema": schema,
             "deadline": datetime.now(UTC) + timedelta(hours=1), "subject": {"question": "slot", "slot": slot, "needs": []}}
        )  # fmt: skip
        await self.records("cognitive", asked, run)

    async def folded(self) -> Session:
        session = Session()
        for message in await self.ledger.read(self.session):
            fold_in(session, message)
        return session

    async def types(self) -> list[str]:
        return [message.type for message in await self.ledger.read(self.session)]


@pytest.fixture
async def spoken() -> Spoken:
    spoken = Spoken()
    await spoken.records("gateway", SessionOpened(user="kim"))
    return spoken


@pytest.mark.parametrize(
    ("kind", "text", "answer"),
    [
        ("error", "한마디", {"action": "use:2"}), ("error", "한마디 열이요", {"action": "use:2"}),
        ("error", "the Notes column", {"action": "use:3"}), ("error", "건너뛰기", {"action": "skip"}),
        ("error", "한마디로 말해줘", None), ("error", "매장별로 보여줘", None), ("error", "2", None),
        ("plan", "네 진행해 주세요!", {"action": "approve"}), ("plan", "Go ahead.", {"action": "approve"}),
        ("plan", "お願いします。", {"action": "approve"}), ("plan", "ㄴㄴ", {"action": "reject"}), ("plan", "거절", {"action": "reject"}),
        ("plan", "아니, 하지 마세요", {"action": "reject"}), ("plan", "No, cancel it!", {"action": "reject"}),
        ("plan", "いや、やめて", {"action": "reject"}), ("plan", "아니 4시로", None), ("plan", "no, go ahead", None),
        ("plan", "응?", None), ("plan", "응 근데 4시로", None), ("plan", "yes but later", None), ("plan", "고치기", None), ("plan", "1", None),
        ("plan", "o\u200bk", None), ("plan", "응" * 50, None), ("plan", "y\u0435s", None),
        ("clarify", "2", {"choice": "B.y"}), ("clarify", "첫 일", {"choice": "A.x"}), ("clarify", "second one", {"choice": "B.y"}),
        ("clarify", "응", None), ("clarify", "3", None), ("lock", "기다리기", {"action": "wait"}), ("lock", "응", None),
        ("tool", "승인", None), ("tool", "응", None),
    ],
)  # fmt: skip
async def test_only_a_whole_turn_of_known_words_is_an_answer(spoken, kind, text, answer) -> None:
    await spoken.asks(kind, uuid4())
    found = answering(await spoken.folded(), said(text), words(), datetime.now(UTC) + SEEN_AFTER + timedelta(minutes=1))
    assert (found.answer if found else None) == answer


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("yes", "approve"), ("ok", "approve"), ("응", "approve"), ("네, 진행해 주세요", "approve"), ("はい", "approve"),
        ("no", "reject"), ("아니 하지 마", "reject"), ("승인", "approve"), ("거절", "reject"),
        ("yes but later", None), ("응?", None), ("1", None), ("sure, and also order soil", None),
    ],
)  # fmt: skip
async def test_a_call_that_one_was_just_asked_about_takes_a_yes_and_a_no(spoken, text, action) -> None:
    schema = {
        "type": "object",
        "required": ["action"],
        "properties": {"action": {"enum": ["approve", "reject"]}, "reason": {"type": "string"}},
    }
    asked = await spoken.asks("tool", uuid4(), schema=schema)
    later = datetime.now(UTC) + SEEN_AFTER + timedelta(minutes=1)
    found = answering(await spoken.folded(), said(text), words(), later)
    assert (found.answer if found else None) == ({"action": action} if action else None)
    if action:
        assert found is not None
        assert found.asked.request.decision_id == asked.decision_id
        too_soon = datetime.now(UTC)
        assert answering(await spoken.folded(), said(text), words(), too_soon) is None


@pytest.mark.parametrize(
    ("slot", "text", "fits"),
    [
        ("time", "9時で", True), ("time", "오전 9시로 해줘", True), ("time", "at 8 please", True), ("time", "10", True),
        ("time", "저녁 7시 반이요", True), ("time", "noon", True), ("time", "내일 3시", True), ("date", "next Monday", True),
        ("date", "다음 주 화요일이요", True), ("date", "来週の月曜日で", True),
        ("date", "10", False), ("time", "gym at 9", False), ("time", "내일 3시에 치과 잡아줘", False), ("time", "3시?", False),
        ("time", "뭐라고?", False), ("time", "never mind", False), ("time", "응", False),
        ("title", "치과", True), ("text", "buy milk", True), ("place", "ソウル", True),
        ("text", "됐어", False), ("text", "yes", False), ("text", "엄마한테 3만원 보내줘", False),
        ("title", "what's the weather?", False), ("title", "a name that nobody would give to a thing", False),
    ],
)  # fmt: skip
async def test_what_a_task_lacks_is_answered_by_typing_it_and_nothing_else(spoken, slot, text, fits) -> None:
    run = uuid4()
    await spoken.lacks(slot, run)
    found = answering(await spoken.folded(), said(text), words(), datetime.now(UTC) + timedelta(minutes=1))
    assert (found.answer if found else None) == ({"text": text} if fits else None)


async def test_a_time_answers_no_question_that_other_things_were_told_since(spoken) -> None:
    await spoken.lacks("time", uuid4())
    done = ResponseOutput(text="12", format=OutputFormat.TEXT, language="ko", ui_hint=UiHint())
    await spoken.records("response", done, uuid4())
    later = datetime.now(UTC) + timedelta(minutes=1)
    assert answering(await spoken.folded(), said("9시"), words(), later) is None


async def test_of_two_calls_that_wait_a_yes_approves_neither(spoken) -> None:
    schema = {"type": "object", "required": ["action"], "properties": {"action": {"enum": ["approve", "reject"]}}}
    for _ in range(2):
        await spoken.asks("tool", uuid4(), schema=schema)
    later = datetime.now(UTC) + SEEN_AFTER + timedelta(minutes=1)
    assert answering(await spoken.folded(), said("yes"), words(), later) is None


async def answer_to_a_plan(spoken: Spoken, text: str, *, takes_words: bool = True) -> Any:
    await spoken.asks("plan", uuid4(), takes_words=takes_words)
    found = answering(await spoken.folded(), said(text), words(), datetime.now(UTC) + timedelta(minutes=1))
    return found.answer if found else None


@pytest.mark.parametrize(
    "yes",
    [
        "yep go ahead", "ok, sounds good, thanks", "Yes! Please run it.", "alright then, let's do it", "looks good to me",
        "좋아 그렇게 해", "네, 알겠습니다. 진행 부탁드려요", "응 그대로 해줘", "はい、お願いします", "うん、それで進めて", "ええ、それでお願いします。",
    ],
)  # fmt: skip
async def test_words_of_yes_one_behind_another_are_a_yes(spoken, yes) -> None:
    assert await answer_to_a_plan(spoken, yes) == {"action": "approve"}


@pytest.mark.parametrize(
    "no",
    [
        "아니 취소", "됐어 나중에 할게", "미안, 취소할게", "ok cancel", "no thanks, I changed my mind", "nah, not now",
        "いや、やっぱりいいです", "すみません、キャンセルしてください", "やっぱりいいです", "좋아 아니 하지 마",
    ],
)  # fmt: skip
async def test_words_of_no_are_a_no_also_where_those_of_yes_stand_before_them(spoken, no) -> None:
    assert await answer_to_a_plan(spoken, no) == {"action": "reject"}


@pytest.mark.parametrize(
    "text",
    [
        "미안 해",
        "すみません、いいです",
        "yes?",
        "아니 진행해",
        "no, go ahead",
        "sure thing tomorrow",
        "네 그런데",
        "はい、でも",
    ],
)
async def test_what_may_decline_or_asks_approves_nothing(spoken, text) -> None:
    assert await answer_to_a_plan(spoken, text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("6월 이후만 해줘", "6월 이후만 해줘"), ("아니 6월 이후만", "6월 이후만"), ("키워드는 빼줘", "키워드는 빼줘"), ("응 근데 별점 1점만", "응 근데 별점 1점만"),
        ("no, only approved expenses please", "only approved expenses please"), ("skip the keywords", "skip the keywords"),
        ("no keywords, please", "no keywords, please"), ("yes but only 2026", "yes but only 2026"),
        ("4번은 하지 마", "4번은 하지 마"), ("두 번째는 안 해도 돼", "두 번째는 안 해도 돼"), ("the second step isn't needed", "the second step isn't needed"),
        ("everything but the last one", "everything but the last one"), ("最初の二つはいりません", "最初の二つはいりません"), ("3番は飛ばして", "3番は飛ばして"),
        ("いや、9月だけで", "9月だけで"), ("キーワードは抜いて", "キーワードは抜いて"), ("7月以降でお願い", "7月以降でお願い"),
    ],
)  # fmt: skip
async def test_what_is_to_be_otherwise_goes_to_the_plan_that_is_shown(spoken, text, reason) -> None:
    assert await answer_to_a_plan(spoken, text) == {"action": "reject", "reason": reason}


@pytest.mark.parametrize(
    "text",
    [
        "엄마한테 5만원만 보내줘", "알림 뭐뭐 있어?", "10만원 이상 쓴 출장비 목록 보여줘", "하지만 별점이 낮아", "걱정하지 마", "잠깐만", "치과 일정은 빼줘",
        "send mom 30,000 won only", "what did they spend since June", "remind me after lunch", "no problem", "just kidding",
        "明日の予定だけ教えて", "お母さんに3万だけ送って",
    ],
)  # fmt: skip
async def test_a_request_of_its_own_is_no_wish_about_the_plan(spoken, text) -> None:
    assert await answer_to_a_plan(spoken, text) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("skip the keywords part", {"action": "reject", "reason": "skip the keywords part"}),
        ("아 키워드는 빼고 해줘", {"action": "reject", "reason": "아 키워드는 빼고 해줘"}),
        ("動画じゃなくてスライドで", {"action": "reject", "reason": "動画じゃなくてスライドで"}),
        ("no", None), ("go ahead", None), ("승인", None),
    ],
)  # fmt: skip
async def test_typed_ahead_of_a_plan_a_wish_changes_it_and_nothing_else_answers(spoken, text, answer) -> None:
    asked = await spoken.asks("plan", uuid4(), takes_words=True)
    session = await spoken.folded()
    shown = next(one.at for one in session.open.values() if one.request.decision_id == asked.decision_id)
    found = answering(session, said(text), words(), shown + SEEN_AFTER / 4)
    assert (found.answer if found else None) == answer


async def test_words_change_no_plan_that_nothing_can_be_changed_of(spoken) -> None:
    assert await answer_to_a_plan(spoken, "아니 4시로", takes_words=False) is None
    assert await answer_to_a_plan(spoken, "skip the keywords", takes_words=False) is None


async def test_of_several_plans_a_yes_is_for_the_one_that_was_shown_after_the_last_message(spoken) -> None:
    old, new = uuid4(), uuid4()
    await spoken.asks("plan", old)
    await spoken.records("gateway", MessageReceived(text="대시보드 만들어줘"), new)
    await spoken.asks("plan", new)
    found = answering(await spoken.folded(), said("응"), words(), datetime.now(UTC) + timedelta(minutes=1))
    assert found and (found.asked.run_id, found.answer) == (new, {"action": "approve"})


@pytest.mark.parametrize(
    ("text", "closes"),
    [
        ("아니 키워드 분석 결과 보여줘", True),
        ("no, show me the balance", True),
        ("いや、明日の予定を教えて", True),
        ("잔액 얼마야?", False),
    ],
)
async def test_a_no_before_another_request_closes_the_plan(spoken, monkeypatch, text, closes) -> None:
    monkeypatch.setattr("services.gateway.domain.typed.SEEN_AFTER", timedelta(0))
    plan = uuid4()
    await spoken.asks("plan", plan, takes_words=True)
    noted = await spoken.talk.say(start(MessageFrame(type="message", text=text), spoken.session, None, None))
    assert noted.begun is None
    controls = [one for one in await spoken.ledger.read(spoken.session) if one.type == "RunControlRequested"]
    assert [(one.run_id, one.event.control) for one in controls] == ([(plan, "cancel")] if closes else [])


async def test_what_was_not_on_the_screen_yet_or_is_not_the_last_word_any_more_is_not_answered(spoken) -> None:
    await spoken.asks("plan", uuid4())
    session = await spoken.folded()
    (asked,) = session.open.values()
    assert answering(session, said("응"), words(), asked.at + SEEN_AFTER / 2) is None
    assert answering(session, said("응"), words(), asked.at + SEEN_AFTER) is not None
    answer = ResponseOutput(format=OutputFormat.TEXT, text="엄마에게 3만원을 이체할까요?", language="ko")
    await spoken.records("response", answer, uuid4())
    assert answering(await spoken.folded(), said("응"), words(), asked.at + SEEN_AFTER) is None


async def test_of_two_plans_that_were_shown_in_one_go_nobody_knows_which_one_is_meant(spoken) -> None:
    for _ in range(2):
        await spoken.asks("plan", uuid4())
    assert answering(await spoken.folded(), said("응"), words(), datetime.now(UTC) + timedelta(minutes=1)) is None


def tells(next_action: str | None = None) -> ResponseOutput:
    return ResponseOutput(
        format=OutputFormat.TEXT, text="잔액은 1,000만원이에요.", language="ko", ui_hint=UiHint(next_action=next_action)
    )


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("승인", "approve"), ("네, 승인할게요", "approve"), ("승인할게", "approve"), ("approve", "approve"), ("Approve it, please.", "approve"),
        ("承認", "approve"), ("承認してください", "approve"), ("거절", "reject"), ("reject it, sorry", "reject"), ("却下します", "reject"),
        ("응", None), ("yes", None), ("はい", None), ("승인?", None), ("승인하고 노래 틀어줘", None), ("취소", None),
    ],
)  # fmt: skip
async def test_the_only_plan_that_waits_takes_a_word_of_approval_also_after_other_things_were_told(
    spoken, text, action
) -> None:
    run = uuid4()
    await spoken.asks("plan", run)
    await spoken.records("response", tells(), uuid4())
    later = datetime.now(UTC) + timedelta(minutes=1)
    found = answering(await spoken.folded(), said(text), words(), later)
    assert (found.answer if found else None) == ({"action": action} if action else None)
    if found:
        assert found.asked.run_id == run
        assert answering(await spoken.folded(), said(text), words(), datetime.now(UTC)) is None, (
            "nobody has read it yet"
        )


async def test_a_menu_beside_it_is_no_reason_not_to_take_it(spoken) -> None:
    run = uuid4()
    await spoken.asks("plan", run)
    await spoken.asks("clarify", uuid4())
    found = answering(await spoken.folded(), said("승인"), words(), datetime.now(UTC) + timedelta(minutes=1))
    assert found and (found.asked.run_id, found.answer) == (run, {"action": "approve"})


@pytest.mark.parametrize("other", ["plan", "tool"])
async def test_of_two_that_take_an_approval_nobody_knows_which_one_is_meant(spoken, other) -> None:
    await spoken.asks("plan", uuid4())
    await spoken.asks(other, uuid4())
    await spoken.records("response", tells(), uuid4())
    assert answering(await spoken.folded(), said("승인"), words(), datetime.now(UTC) + timedelta(minutes=1)) is None


async def test_a_dialogue_that_asks_later_takes_the_word_itself_until_it_has_ended(spoken) -> None:
    await spoken.asks("plan", uuid4())
    later = datetime.now(UTC) + timedelta(minutes=1)
    for next_action, takes in (("CONFIRM", False), (None, False), ("DONE", True)):
        await spoken.records("response", tells(next_action), uuid4())
        assert (answering(await spoken.folded(), said("승인"), words(), later) is not None) is takes, next_action


async def test_a_sentence_of_its_own_closes_menus_and_leaves_plans(spoken) -> None:
    menu, plan = uuid4(), uuid4()
    await spoken.asks("clarify", menu)
    await spoken.asks("plan", plan)
    begun = start(MessageFrame(type="message", text="잔액 얼마야?"), spoken.session, None, None)
    noted = await spoken.talk.say(begun)
    assert noted.begun is None and noted.appended.fresh
    *_, closed, received = await spoken.ledger.read(spoken.session)
    assert (closed.type, closed.run_id, closed.event.control) == ("RunControlRequested", menu, "cancel")
    assert (received.type, received.version) == ("MessageReceived", noted.appended.last_version)
    assert [one.run_id for one in (await spoken.folded()).open.values()] == [menu, plan]


async def test_the_same_message_again_is_the_same_answer(spoken, monkeypatch) -> None:
    monkeypatch.setattr("services.gateway.domain.typed.SEEN_AFTER", timedelta(0))
    run, key = uuid4(), uuid4()
    await spoken.asks("plan", run)
    typed = start(MessageFrame(type="message", text="ㅇㅇ"), spoken.session, key, None)
    first, second = (await spoken.talk.say(typed)).begun, (await spoken.talk.say(typed)).begun
    assert first and second and (first.run_id, second.run_id) == (run, run)
    assert (first.version, first.fresh) == (second.version, not second.fresh)
    assert (await spoken.types()).count("DecisionAnswered") == 1
