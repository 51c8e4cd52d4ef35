"""What goes on about a way, a film or a song: from another place, by other means, another one, and off with it."""

from datetime import datetime
from typing import Any

import pytest

from contracts.shape import JsonObject
from packs.devices.reading import read_movie, read_navigation, read_song
from understanding.offline.tasks import clause_of

NOW = datetime.fromisoformat("2026-11-22T13:00:00+09:00")
WAY: JsonObject = {"destination": "부산", "origin": "서울"}


def read(reader: Any, language: str, text: str, **known: Any) -> list[dict[str, Any]]:
    return [dict(slots) for slots in reader(clause_of(text, NOW, language)._replace(**known))]


@pytest.mark.parametrize(
    ("language", "text", "way"),
    [
        ("ko", "대전은?", {"destination": "대전"}),
        ("ko", "대전에서 광주는?", {"origin": "대전", "destination": "광주"}),
        ("en", "what about Seoul to Daejeon?", {"origin": "Seoul", "destination": "Daejeon"}),
        ("ja", "じゃあ、ソウルから大邱は？", {"origin": "ソウル", "destination": "大邱"}),
    ],
)
def test_another_way_is_told_by_its_places_alone(language, text, way):
    assert read(read_navigation, language, text, slots=WAY) == [way]


def test_what_was_learned_to_be_a_place_gives_way_to_one_that_is_known():
    spans = {"origin": "그럼 서울"}
    assert read(read_navigation, "ko", "그럼 서울에서 대전은요?", spans=spans) == [
        {"origin": "서울", "destination": "대전"}
    ]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ko", "차로 얼마나 걸려?"),
        ("ko", "택시 타면?"),
        ("en", "how long would it take by car"),
        ("ja", "歩いたらどのくらい"),
    ],
)
def test_by_other_means_it_is_the_same_way(language, text):
    assert read(read_navigation, language, text, last=WAY) == [WAY]


@pytest.mark.parametrize(
    ("reader", "language", "text", "learned"),
    [
        (read_movie, "ko", "안방 불도 꺼줄래?", "안방 불도"),
        (read_song, "en", "turn the lights off too", "the lights"),
        (read_song, "ko", "다른 노래로 바꿔줘", "다른 노래"),
        (read_song, "ja", "別の曲にして", "別の曲"),
    ],
)
def test_what_is_no_title_is_not_played(reader, language, text, learned):
    assert read(reader, language, text, slots={"title": "x"}, spans={"title": learned}) == []


def test_a_film_that_is_named_is_played_though_another_is_turned_off():
    (slots,) = read(read_movie, "ko", "그거 끄고 바다 영상 틀어줘", slots={"title": "오로라"})
    assert slots["title"] == "바다"
