"""How long something shall play, several things at once, and a month's weather, as the readers of pack devices read it."""

from datetime import datetime
from typing import Any

import pytest

from packs.devices.reading import read_films_there, read_movie, read_song, read_songs_there, read_weather
from understanding.offline.tasks import clause_of

NOW = datetime.fromisoformat("2026-11-22T13:00:00+09:00")


def read(reader: Any, language: str, text: str, **spans: str) -> list[dict[str, Any]]:
    return [dict(slots) for slots in reader(clause_of(text, NOW, language)._replace(spans=spans))]


@pytest.mark.parametrize(
    ("reader", "language", "text", "slots"),
    [
        (read_song, "ko", "환희의 송가 12초만 틀어줘", {"title": "환희의 송가", "seconds": 12}),
        (read_song, "ko", "나비야 2분 동안 들려줘", {"title": "나비야", "seconds": 120}),
        (read_song, "en", "play Amazing Grace for 20 seconds", {"title": "Amazing Grace", "seconds": 20}),
        (read_song, "en", "play 4 Minutes", {"title": "4 Minutes"}),
        (read_song, "ja", "荒城の月を7秒だけ流して", {"title": "荒城の月", "seconds": 7}),
        (read_song, "ko", "나비야를 4초만 들려줘", {"title": "나비야", "seconds": 4}),
        (read_movie, "en", "show Casablanca for 30 seconds", {"title": "Casablanca", "seconds": 30}),
    ],
)
def test_how_long_is_no_part_of_the_title(reader, language, text, slots):
    assert read(reader, language, text, title=slots["title"]) == [slots]


@pytest.mark.parametrize(
    ("language", "text", "learned"),
    [("ko", "만남 15초 동안 들려줘", "만남 15초 동안"), ("en", "play Yellow for 15 seconds", "Yellow for 15 seconds")],
)
def test_a_length_that_was_taken_for_the_title_is_a_length(language, text, learned):
    assert read(read_song, language, text, title=learned) == [{"title": learned.split()[0], "seconds": 15}]


@pytest.mark.parametrize(
    ("language", "text", "titles"),
    [
        ("ko", "나비야랑 환희의 송가 틀어줘", ["나비야", "환희의 송가"]),
        ("ko", "석별의 정하고 밤편지 들려줘", ["석별의 정", "밤편지"]),
        ("en", "play Auld Lang Syne and Ode to Joy", ["Auld Lang Syne", "Ode to Joy"]),
        ("ja", "蛍の光と荒城の月を流して", ["蛍の光", "荒城の月"]),
        ("en", "play Ode to Joy", ["Ode to Joy"]),
    ],
)
def test_each_song_that_is_named_is_played(language, text, titles):
    whole = text[text.index(titles[0]) : text.index(titles[-1]) + len(titles[-1])]
    assert [one["title"] for one in read(read_song, language, text, title=whole)] == titles


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "2월 대구 날씨는 어때", {"place": "대구", "month": 2}),
        ("en", "what is the weather like in Daegu in February?", {"place": "Daegu", "month": 2}),
        ("ja", "2月の大阪の天気は？", {"place": "大阪", "month": 2}),
        ("ko", "2월 3일 대구 날씨", {"place": "대구", "date": "2027-02-03"}),
    ],
)
def test_a_month_is_no_day(language, text, slots):
    assert read(read_weather, language, text) == [slots]


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [
        ("ko", "졸리다 비 내리는 영상 하나만", "비"),
        ("ko", "별 나오는 동영상 있나", "별"),
        ("en", "a clip with some waves please", "waves"),
        ("ja", "波の動画を流しておいて", "波"),
    ],
)
def test_a_film_is_known_by_what_is_to_be_seen(language, text, title):
    (slots,) = read(read_movie, language, text)
    assert slots["title"].casefold() == title


@pytest.mark.parametrize(
    ("language", "text", "title"),
    [("ja", "海街diaryを再生して", "海街diary"), ("ko", "비밀의 숲 영상 틀어줘", "비밀의 숲"), ("en", "play Raining Stones", "Raining Stones")],
)  # fmt: skip
def test_another_film_is_never_played_for_one_that_is_not_there(language, text, title):
    assert read(read_movie, language, text, title=title) == [{"title": title}]


@pytest.mark.parametrize(
    ("reader", "language", "text", "learned", "slots"),
    [
        (
            read_songs_there,
            "en",
            "have you got Yellow Submarine?",
            "Yellow Submarine",
            {"kind": "song", "title": "Yellow Submarine"},
        ),
        (read_songs_there, "ko", "보라빛 향기는 없어?", "보라빛 향기는", {"kind": "song", "title": "보라빛 향기"}),
        (read_songs_there, "ja", "きらきら星ある？", "", {"kind": "song", "title": "きらきら星"}),
        (read_songs_there, "en", "which songs are there", "", {"kind": "song"}),
        (read_films_there, "ko", "어떤 영화가 있어?", "", {"kind": "film"}),
    ],
)
def test_whether_something_is_there(reader: Any, language: str, text: str, learned: str, slots: dict[str, Any]) -> None:
    assert read(reader, language, text, title=learned) == [slots]


@pytest.mark.parametrize(
    ("language", "text", "learned", "title"),
    [
        ("ja", "蛍の光を5秒だけ聴かせて", "蛍の光を5秒だけ", "蛍の光"),
        ("ko", "징글벨을 6초만 틀어줘", "징글벨을", "징글벨"),
    ],
)
def test_what_hangs_on_a_title_is_no_part_of_it(language, text, learned, title):
    assert [one["title"] for one in read(read_song, language, text, title=learned)] == [title]


def test_of_two_songs_the_one_that_is_not_there_is_told_and_the_other_plays():
    found = read(read_song, "ko", "나비야랑 밤편지 두 곡 틀어줘", title="밤편지")
    assert [one["title"] for one in found] == ["나비야", "밤편지"]


@pytest.mark.parametrize(
    ("language", "text", "slots"),
    [
        ("ko", "내년 봄 대구 날씨는?", {"place": "대구", "month": 4}),
        ("ko", "늦가을에 서울은 날씨가 어때", {"place": "서울", "month": 10}),
        ("en", "how warm is Busan in the summer?", {"place": "Busan", "month": 7}),
        ("en", "weather in Sydney next summer", {"place": "Sydney", "month": 1}),
        ("ja", "大阪の冬の天気は？", {"place": "大阪", "month": 1}),
        ("ja", "秋田の天気は？", {"place": "秋田"}),
        ("en", "will rain fall in Seoul?", {"place": "Seoul"}),
    ],
)
def test_a_season_is_its_middle_month_and_not_today(language, text, slots):
    assert read(read_weather, language, text) == [slots]
