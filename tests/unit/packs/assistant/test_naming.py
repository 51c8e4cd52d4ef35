"""By what name a person calls a thing, whether they ask or tell, and what of a sentence is neither."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from packs.assistant import asking, corrected, facts
from packs.assistant.moments import TIMES
from packs.assistant.naming import called, points
from packs.assistant.phrases import core
from packs.assistant.titles import titled
from understanding.offline.tasks import clause_of

NOW = datetime(2026, 11, 22, 13, 0, tzinfo=ZoneInfo("Asia/Seoul"))


def name_in(text: str, language: str) -> str:
    clause = clause_of(text, NOW, language)
    return called(text, [one for one in clause.entities if one.type in TIMES], language)


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("ko", "앗 미안해요 안과 5시로 늦춰줘 버스 놓쳤네", "안과"),
        ("ko", "비타민 알림 이제 그만해줘 다 먹었거든", "비타민"),
        ("ko", "탁구는 빼줘 손목 나갔음", "탁구"),
        ("ko", "에어프라이어는 주문했어 체크해줘", "에어프라이어"),
        ("ko", "그거 걍 날려줘", ""),
        ("en", "scrap the physio thing, my knee's fine", "physio"),
        ("en", "could you move the tuning to Friday, same time", "tuning"),
        ("en", "drop the gutters reminder, it's been done", "gutters"),
        ("en", "push that back twenty minutes", ""),
        ("en", "stamps sorted, tick that off", "stamps"),
        ("ja", "やっぱ眼科16時に変更で", "眼科"),
        ("ja", "領収書のやつ、出したから消して", "領収書"),
        ("ja", "体操の通知、もう要らないや", "体操"),
        ("ja", "9時に早めて", ""),
    ],
)
def test_a_thing_is_called_by_the_words_in_front(language, text, name):
    assert name_in(text, language) == name


@pytest.mark.parametrize(("language", "text"), [("ko", "그거 지워줘"), ("en", "bin that one"), ("ja", "それ消して")])
def test_who_points_does_not_name(language, text):
    assert points(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "이제 뭐 남았나요"),
        ("ko", "내 자전거 번호 몇번이었지"),
        ("ko", "남은 알림은"),
        ("en", "whats my bin code again, hopeless me"),
        ("en", "and which ones are left"),
        ("ja", "あと何が残ってる"),
        ("ja", "合鍵どこに置いたっけ"),
    ],
)
def test_a_question_is_known_without_its_mark(language, text):
    assert asking.asks(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [("ko", "귤 사기 추가요"), ("ko", "바나나 하나"), ("en", "add limes would you"), ("ja", "明日の3時に歯の検診")],
)
def test_who_tells_does_not_ask(language, text):
    assert not asking.asks(text, language)


@pytest.mark.parametrize(
    ("language", "text", "done"),
    [
        ("ko", "귤은 샀다", True),
        ("ko", "귤 있어", False),
        ("en", "the limes are bought", True),
        ("ja", "みかんは買ったよ", True),
    ],
)
def test_what_has_been_done_is_said_in_the_past(language, text, done):
    assert asking.is_done(text, language) is done


@pytest.mark.parametrize(
    ("language", "of", "rest", "title"),
    [
        ("ko", "calendar", "앗 도자기 수업 있거든 적어줘", "도자기 수업"),
        ("ko", "calendar", "한강 걷기 넣어줘 오후", "한강 걷기"),
        ("en", "calendar", "got a tyre change, jot that down", "tyre change"),
        ("en", "todo", "and add 'oil the hinges' to my todos would you", "oil the hinges"),
        ("ja", "calendar", "花見なんだけど入れといてー", "花見"),
        ("ja", "calendar", "面接です、登録お願いします", "面接"),
    ],
)
def test_a_title_is_without_what_is_said_around_it(language, of, rest, title):
    assert titled(rest, of, language) == title


def keep(text: str, language: str) -> str:
    return facts.kept(text, lambda part: core(part, "memory", language, "statement"), language)


@pytest.mark.parametrize(
    ("language", "text", "kept"),
    [
        ("ko", "차고 비번 기억해줘. 7719", "차고 비번 7719"),
        ("ko", "보일러 번호 1204 이거 잊지마", "보일러 번호 1204"),
        ("en", "my cycle code is 5120, keep that for me", "my cycle code is 5120"),
        ("ja", "車庫の番号は8805、覚えといてね", "車庫の番号は8805"),
    ],
)
def test_what_is_kept_is_what_was_said_to_keep(language, text, kept):
    assert keep(text, language) == kept


@pytest.mark.parametrize(
    ("language", "text", "notes", "fact"),
    [
        ("ko", "우편함 바꿨다 이제 19번", ["내 우편함 번호 4번이야", "차는 지하 2층"], ("우편함 번호", "19번")),
        ("ko", "혈액형은 사실 O형이래 고쳐줘", ["제 혈액형은 A형이에요"], ("혈액형", "O형")),
        ("en", "changed the shed code, it's 6641 now", ["my shed code is 1100"], ("shed code", "6641")),
        ("ja", "車庫の番号、3302に変えたんだ", ["車庫の暗証番号は8805"], ("車庫の暗証番号", "3302")),
    ],
)
def test_a_fact_that_has_become_another_is_known_by_its_words(language, text, notes, fact):
    assert corrected.corrected(text, notes, language) == fact


def test_what_speaks_of_no_note_corrects_none():
    assert corrected.corrected("날씨가 이제 춥다", ["내 우편함 번호 4번이야"], "ko") is None
