"""What every adapter of understanding.port has to keep, whatever is behind it: no model, a good one, a bad one, none that
answers."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from contracts.cognitive import Route
from contracts.context import Context, FileSeen
from understanding.port import Situation, Understander, Understanding, UserTurn, Wanted

ZONE = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 3, 2, 9, 30, tzinfo=ZONE)
HERE = Situation(NOW)
LEASE = Situation(NOW, Context(files=(FileSeen(name="lease.txt", type="file.document"),)))

CLEAR: list[tuple[str, str, str, dict[str, Any]]] = [
    ("이모한테 4만 2천원 부쳐줘", "ko", "TRANSFER", {"target": "이모", "amount": 42000}),
    ("send uncle 15,000 won", "en", "TRANSFER", {"target": "uncle", "amount": 15000}),
    ("おばに8000ウォン送って", "ja", "TRANSFER", {"target": "おば", "amount": 8000}),
    (
        "내일 오후 세 시에 안과 예약 일정 넣어줘", "ko", "ASSISTANT.calendar",
        {"date": "2026-03-03", "time": "15:00", "title": "안과 예약"},
    ),
    (
        "put a haircut on my calendar for friday at 4pm", "en", "ASSISTANT.calendar",
        {"date": "2026-03-06", "time": "16:00", "title": "haircut"},
    ),
]  # fmt: skip
TWO = "제주 날씨 알려주고 토요일 오전 9시에 수영 일정 넣어줘"
VAGUE = "흐물흐물"
ODD = ("\u200b", "🙃🙃", "?" * 300, "보내" + "ㅋ" * 500, "x" * 8_000, "이모한테\u200b 4만원", "a\x00b", "¿dónde está?")


class UnderstanderConformance:
    """Subclasses give `understander`: all built-in packs behind it, at the service of one test."""

    @pytest.fixture
    def understander(self) -> Understander:
        raise NotImplementedError

    async def read(self, understander: Understander, text: str, at: Situation = HERE, **more: Any) -> Understanding:
        found = await understander.understand(UserTurn(text, **more), at)
        assert all(found.text[one.start : one.end] == one.text for one in found.entities)
        assert found.called, "who read it is recorded"
        return found

    @pytest.mark.parametrize(("text", "language", "intent", "slots"), CLEAR)
    async def test_a_clear_sentence_is_a_task_with_what_it_says(
        self, understander: Understander, text: str, language: str, intent: str, slots: dict[str, Any]
    ) -> None:
        found = await self.read(understander, text)
        assert (found.language, found.intent.name, found.text) == (language, intent, text)
        (task,) = found.tasks
        assert (task.intent, dict(task.slots)) == (intent, slots)
        assert not found.ambiguities and not found.missing and not found.unread

    async def test_two_things_are_two_tasks_in_their_order(self, understander: Understander) -> None:
        found = await self.read(understander, TWO)
        assert [one.intent for one in found.tasks] == ["DEVICES.weather", "ASSISTANT.calendar"]
        assert found.tasks[0].slots["place"] == "제주"
        assert (found.tasks[1].slots["date"], found.tasks[1].slots["time"]) == ("2026-03-07", "09:00")
        assert found.route is Route.PLAN

    async def test_what_nobody_understands_is_a_doubt_and_no_task(self, understander: Understander) -> None:
        found = await self.read(understander, VAGUE)
        assert found.ambiguities and not found.tasks and found.plan_hint.goals == ()

    async def test_what_was_not_said_is_missing_until_it_is_answered(self, understander: Understander) -> None:
        first = await self.read(understander, "모레 일정 하나 등록해줘", language="ko")
        assert [one.slot for one in first.missing] == ["title"]
        then = await self.read(understander, "모레 일정 하나 등록해줘", language="ko", answers=("집들이",))
        (task,) = then.tasks
        assert (task.slots["title"], task.slots["date"], then.missing) == ("집들이", "2026-03-04", ())

    async def test_what_the_person_chose_stays_chosen(self, understander: Understander) -> None:
        found = await self.read(understander, VAGUE, language="ko", answers=("DEVICES.weather",))
        assert (found.intent.name, found.rounds, found.ambiguities) == ("DEVICES.weather", 1, ())

    async def test_what_is_known_to_be_wanted_is_read_and_not_asked_about(self, understander: Understander) -> None:
        wants = (Wanted(intent="ASSISTANT.memory", text="우유"), Wanted(intent="DEVICES.weather", text="부산"))
        found = await self.read(understander, "우유 그리고 부산", wants=wants)
        assert [(one.intent, one.text) for one in found.tasks] == [(one.intent, one.text) for one in wants]
        assert found.text == "우유 그리고 부산" and found.rounds == 0 and not found.ambiguities

    async def test_a_document_that_is_there_is_what_a_question_is_about(self, understander: Understander) -> None:
        found = await self.read(understander, "how long before moving out do I have to tell them?", LEASE)
        assert [one.intent for one in found.tasks] == ["DOCUMENTS.read"]

    async def test_a_day_is_that_of_the_persons_zone(self, understander: Understander) -> None:
        late = Situation(datetime(2026, 3, 2, 23, 50, tzinfo=ZONE).astimezone(ZoneInfo("Europe/Berlin")))
        found = await self.read(understander, "put a haircut on my calendar for tomorrow at 4pm", late)
        assert found.tasks[0].slots["date"] == "2026-03-03"

    @pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
    async def test_no_text_is_too_odd(self, understander: Understander, text: str) -> None:
        found = await self.read(understander, text)
        assert found.text == text
        assert not any("amount" in one.slots for one in found.tasks) or "4만원" in text

    async def test_of_a_long_text_the_person_can_be_told_how_much_was_not_read(
        self, understander: Understander
    ) -> None:
        text = "아래 글을 봐 주세요. " + "바람이 불고 파도가 쳤다. " * 400 + "이모한테 4만 2천원 부쳐줘"
        found = await self.read(understander, text)
        assert found.text == text and 0 < found.unread < len(text)

    async def test_the_same_turn_is_the_same_understanding(self, understander: Understander) -> None:
        one, other = [await self.read(understander, "おばに8000ウォン送って") for _ in range(2)]
        assert one.model_copy(update={"called": ()}) == other.model_copy(update={"called": ()})
