"""All packs together: which intent a sentence has, where it holds several, what they need, and what is missing."""

import json
import sys
import types
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backbone.ledger.port import EVENT_BYTES
from contracts.cognitive import CognitiveInput, Route
from contracts.gateway import TEXT_LIMIT
from contracts.packs import IntentSpec
from contracts.reading import Clause
from contracts.shape import JsonObject
from understanding.offline.clauses import splitter
from understanding.offline.encoder import NgramEncoder
from understanding.offline.pack import PackUnderstanding
from understanding.offline.sentences import nulls
from understanding.offline.understand import SentenceReader
from understanding.result import Understanding

EVERYDAY = [
    json.loads(line)
    for line in (Path(__file__).parent / "everyday.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip


@pytest.fixture
def understand(everything: SentenceReader, now: datetime):
    def of(text: str, *answers: str) -> Understanding:
        return everything.understand(CognitiveInput(text=text, answers=answers), now)

    return of


def intents(understood: Understanding) -> list[str]:
    return [task.intent for task in understood.tasks]


@pytest.fixture(scope="module")
def read(everything: SentenceReader) -> list[tuple[dict[str, str | None], Understanding]]:
    day = datetime.fromisoformat("2026-09-28T14:30:00+09:00")
    return [(case, everything.understand(CognitiveInput(text=str(case["text"])), day)) for case in EVERYDAY]


@pytest.mark.long
def test_everyday_sentences_get_their_intent(read):
    clear = [(case, one) for case, one in read if case["intent"]]
    wrong = [(case["text"], one.intent) for case, one in clear if one.ambiguities or one.intent.name != case["intent"]]
    assert len(wrong) / len(clear) <= 0.05, wrong


@pytest.mark.long
def test_each_of_them_is_one_task(read):
    assert [case["text"] for case, one in read if case["intent"] and len(set(intents(one))) != 1] == []


@pytest.mark.long
def test_what_is_too_vague_is_asked_about(read):
    vague = [(case, one) for case, one in read if not case["intent"]]
    guessed = [(case["text"], one.intent) for case, one in vague if not one.ambiguities]
    assert len(guessed) / len(vague) <= 0.1, guessed


def test_none_of_them_is_an_example_and_every_intent_has_enough_of_those(every_pack):
    specs = [spec for pack in every_pack for spec in pack.intents]
    examples = {text for spec in specs for texts in spec.examples.values() for text in texts}
    assert not examples & {case["text"] for case in EVERYDAY}
    counts: Counter[tuple[str, str]] = Counter()
    for spec in specs:
        if spec.tool or spec.flow:
            counts.update({(spec.intent, language): len(spec.examples[language]) for language in ("ko", "en", "ja")})
    assert {key: count for key, count in counts.items() if not 12 <= count <= 80} == {}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("강남역까지 안내해주고 재즈 틀어줘", ["DEVICES.navigation", "DEVICES.song"]),
        ("아이유 노래 틀어줘 그리고 서울 날씨 알려줘", ["DEVICES.song", "DEVICES.weather"]),
        ("현관 비번 9876 기억해줘. 그리고 내일 7시에 깨워줘", ["ASSISTANT.memory", "ASSISTANT.reminder"]),
        ("모레 10시 회의 잡고 1시간 전에 알려줘", ["ASSISTANT.calendar", "ASSISTANT.reminder"]),
        ("Play some jazz and navigate to Gangnam station", ["DEVICES.song", "DEVICES.navigation"]),
        ("What's the weather in Seoul, and play Dynamite by BTS", ["DEVICES.weather", "DEVICES.song"]),
        ("金曜10時に会議を追加して、1時間前に知らせて", ["ASSISTANT.calendar", "ASSISTANT.reminder"]),
        ("이 리뷰들 감성 분석하고 내일 3시 회의 일정 넣어줘", ["ANALYSIS.sentiment", "ASSISTANT.calendar"]),
        ("재고 확인해 주시고, 홍보 배너도 하나 만들어줘", ["OPERATION.inventory", "CONTENT.ad"]),
        ("Make a promo video and write a slogan", ["CONTENT.video", "CONTENT.ad"]),
        ("Good evening! Could you tell me whether the reviews are mostly positive", ["ANALYSIS.sentiment"]),
    ],
)
def test_parts_that_ask_for_different_things_are_tasks_of_their_own(understand, text, parts):
    assert intents(understand(text)) == parts


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("감성이랑 키워드 리포트 만들어줘", "CONTENT.report"),
        ("후기 분석을 보고서로 만들어줘. 가능하면 PDF로 부탁해요", "CONTENT.report"),
        ("제가 기억해 달라고 했던 번호가 어떻게 되었지요", "ASSISTANT.memory"),
        ("이 리뷰들 감성 분석하고 월별 트렌드 리포트 만들어줘", "CONTENT.report"),
        ("엄마한테 만원, 용걸이한테 5만원 보내줘", "TRANSFER"),
        ("물 마시고 스트레칭하라고 3시에 알려줘", "ASSISTANT.reminder"),
        ("remind me to buy milk and eggs at 6pm", "ASSISTANT.reminder"),
        ("Play the song Salt and Pepper", "DEVICES.song"),
        ("와이파이 비번은 1234고 현관은 5678이라고 기억해 줘", "ASSISTANT.memory"),
    ],
)
def test_one_request_stays_one(understand, text, intent):
    assert set(intents(understand(text))) == {intent}


@pytest.mark.parametrize(
    ("text", "title", "note"),
    [
        (
            "내일 오후 3시 치과 예약 일정 넣고, 와이파이 비번은 1234라고 기억해 줘, 30분 전에 알려줘",
            "치과 예약",
            "와이파이 비번은 1234",
        ),
        (
            "Add dentist tomorrow at 3pm, remember that the wifi password is 1234, and remind me 30 minutes before",
            "dentist",
            "the wifi password is 1234",
        ),
        (
            "明日の午後3時に歯医者の予定を入れて、WiFiのパスワードは1234だと覚えて、30分前に知らせて",
            "歯医者",
            "WiFiのパスワードは1234",
        ),
    ],
)
def test_a_later_part_leans_on_the_appointment_before_it(understand, text, title, note):
    understood = understand(text)
    assert [(task.intent, task.slots) for task in understood.tasks] == [
        ("ASSISTANT.calendar", {"title": title, "date": "2026-09-29", "time": "15:00"}),
        ("ASSISTANT.memory", {"text": note}),
        ("ASSISTANT.reminder", {"text": title, "date": "2026-09-29", "time": "14:30", "minutes_before": 30}),
    ]
    assert understood.missing == ()
    assert understood.route is Route.PLAN


def test_a_marketing_request_is_a_task_too_and_keeps_its_goals(understand):
    understood = understand("이 리뷰들 감성 분석하고 내일 3시 회의 일정 넣어줘")
    assert understood.plan_hint.goals == ("insight.sentiment",)
    assert understood.needs == ("file.table",)
    alone = understand("이 리뷰들 감성 분석해줘")
    assert [(task.intent, task.slots, task.text) for task in alone.tasks] == [
        ("ANALYSIS.sentiment", {}, "이 리뷰들 감성 분석해줘")
    ]


def test_the_goals_of_two_marketing_requests_are_planned_together(understand):
    understood = understand("이 리뷰들 감성 분석하고 광고 문구 만들어줘")
    assert intents(understood) == ["ANALYSIS.sentiment", "CONTENT.ad"]
    assert understood.plan_hint.goals == ("insight.sentiment", "content.ad")


@pytest.mark.parametrize(
    "text", ["기억한 거 다 보여줘", "Show me everything that you have remembered", "覚えていることを全部教えて"]
)
def test_all_that_is_remembered_can_be_asked_for(understand, text):
    assert [(task.intent, task.slots) for task in understand(text).tasks] == [
        ("ASSISTANT.memory", {"action": "recall"})
    ]


@pytest.mark.parametrize(
    "text", ["Are our reviews getting worse", "지난달보다 별점이 올랐어?", "先月より評判は良くなった？"]
)
def test_a_trend_is_understood_without_its_word(understand, text):
    assert intents(understand(text)) == ["ANALYSIS.trend"]


def test_a_flow_asks_for_its_slots_itself(understand):
    understood = understand("엄마한테 보내줘")
    assert (understood.route, intents(understood), understood.missing) == (Route.FLOW, ["TRANSFER"], ())


def test_a_flow_leads_and_the_other_work_of_the_sentence_goes_along(understand):
    both = understand("엄마한테 3만원 보내고 내일 3시에 병원 일정 추가해줘")
    assert (both.apart, both.route, both.intent.name) == ((), Route.FLOW, "TRANSFER")
    assert [task.intent for task in both.tasks] == ["TRANSFER", "ASSISTANT.calendar"]
    assert understand("엄마한테 만원, 용걸이한테 5만원 보내줘").apart == ()


@pytest.mark.parametrize(
    ("first", "order"),
    [
        ("이체", ["TRANSFER", "ASSISTANT.calendar", "ASSISTANT.reminder"]),
        ("일정", ["ASSISTANT.calendar", "ASSISTANT.reminder", "TRANSFER"]),
    ],
)
def test_what_was_chosen_comes_first_and_nothing_else_that_was_said_is_lost(understand, first, order):
    said = "엄마한테 3만원 보내고 내일 3시 치과 일정 넣어주고 30분 전에 알려줘"
    understood = understand(said, first)
    assert (intents(understood), understood.apart) == (order, ())
    reminder = next(task for task in understood.tasks if task.intent == "ASSISTANT.reminder")
    assert reminder.slots["time"] == "14:30"


# What follows needs no pack of the product: readers of a pack made here.


def read_title(clause: Clause) -> list[JsonObject]:
    """A reader for a test: what stands in quotes, or the whole answer when it is asked for."""
    if "title" in clause.expecting:
        return [{"title": clause.text.strip()}]
    quoted = clause.text.split('"')
    return [{"title": quoted[1]}] if len(quoted) > 2 else []


def read_day(clause: Clause) -> list[JsonObject]:
    days = [one.value for one in clause.entities if one.type == "date"]
    return [{"date": days[0], "after": dict(clause.before)}] if days else []


@pytest.fixture(scope="module")
def little(encoder) -> SentenceReader:
    module = types.ModuleType("readers_of_a_test")
    module.read_title, module.read_day = read_title, read_day  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module

    def spec(intent: str, reader: str, slot: str, *examples: str) -> IntentSpec:
        return IntentSpec(
            intent=intent, tool="little.tool", reader=f"readers_of_a_test:{reader}", requires=(slot,),
            label=f"label.{slot}", examples={"en": examples},
        )  # fmt: skip

    specs = (
        spec("PLAY.song", "read_title", "title", "play a song", "put on some music", "I want to hear a tune"),
        spec("NOTE.day", "read_day", "date", "mark the day", "note the date in my diary", "save the day"),
        spec("LOST.reader", "not_there", "title", "paint the wall", "colour the house"),
    )
    return SentenceReader((PackUnderstanding("little", specs),), encoder)


@pytest.fixture
def say(little: SentenceReader, now: datetime):
    return lambda text, *answers: little.understand(CognitiveInput(text=text, answers=answers), now)


def test_what_was_not_said_is_missing_until_it_is_answered(say):
    (gap,) = say("play a song").missing
    assert (gap.intent, gap.slot, gap.pack) == ("PLAY.song", "title", "little")
    told = say("play a song", "save the day")  # an answer is an answer, even when it sounds like a request
    assert [(task.intent, task.slots) for task in told.tasks] == [("PLAY.song", {"title": "save the day"})]
    assert told.missing == ()


def test_an_answer_that_is_no_day_leaves_the_day_missing(say):
    assert say("mark the day", "whatever").missing
    assert say("mark the day", "whatever", "next Tuesday").tasks[0].slots["date"] == "2026-10-06"


def test_a_part_knows_the_slots_of_the_part_before_it(say):
    first, second = say('Play the song "Yesterday" and save the day March 5, 2027').tasks
    assert first.slots == {"title": "Yesterday"}
    assert second.slots["after"] == {"title": "Yesterday", "day": "2026-09-27"}


def test_a_reader_that_is_missing_reads_nothing_and_the_rest_works(say, caplog):
    assert say("paint the wall please").tasks[0].slots == {}
    assert say('play the song "Imagine"').tasks[0].slots == {"title": "Imagine"}


def test_a_clause_is_what_a_reader_takes(everything, now):
    clause = everything.clause("3만원", now, "ko", ("amount",), {"target": "엄마"})
    assert (clause.expecting, clause.slots, clause.now) == (("amount",), {"target": "엄마"}, now)
    assert [(one.type, one.value) for one in clause.entities] == [("money", 30_000)]


@pytest.mark.long
@pytest.mark.timeout(240)  # it learns, with another encoder: from few of the sentences, for that is enough
def test_without_the_sentence_weights_everyday_sentences_are_mostly_understood(every_pack, now):
    few = [replace(one, sentences=one.sentences[::20], beside=one.beside[::20]) for one in every_pack]
    spelling = SentenceReader(few, NgramEncoder(), nulls()[::20])
    clear = [case for case in EVERYDAY if case["intent"]]
    right = [spelling.understand(CognitiveInput(text=c["text"]), now).intent.name == c["intent"] for c in clear]
    assert sum(right) / len(right) >= 0.8


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(
        alphabet="넣고 줘, 알려 기억해 3시 내일 만원 보내 and play , . て、入れ覚え 0123", min_size=1, max_size=60
    )
)
def test_any_sentence_is_cut_into_pieces_that_make_it_up(everything, now, text):
    spans = splitter().split(text)
    assert "".join(text[start:end] for start, end in spans) == text
    understood = everything.understand(CognitiveInput(text=text), now)
    for entity in understood.entities:
        assert understood.text[entity.start : entity.end] == entity.text


def test_as_many_transfers_as_a_message_holds_are_not_as_many_copies_of_it(understand):
    tasks = understand(("엄마한테 만원, " * 1600 + "아빠한테 만원 보내줘")[-TEXT_LIMIT:]).tasks
    assert len(tasks) > 200
    assert sum(len(task.model_dump_json().encode()) for task in tasks) < EVENT_BYTES / 2
