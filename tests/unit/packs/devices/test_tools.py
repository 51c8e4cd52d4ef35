"""What the tools make, opened again; and what they say when they cannot."""

import io
import wave
from itertools import combinations, pairwise

import av
import numpy as np
import pytest
from PIL import Image

from contracts.tools import ToolError
from packs.devices.atlas.places import places
from packs.devices.atlas.routes import minutes, route
from packs.devices.films.library import shelf as films
from packs.devices.songs.library import shelf as songs
from packs.devices.tools import library, movie, navigation, song, weather


def way(origin: str, destination: str) -> list[tuple[str, str]]:
    return [(leg.kind, leg.end.key) for leg in route(places()[origin], places()[destination])]


async def test_a_route_takes_the_motorways_and_its_map_is_a_picture(context):
    found = await navigation.run({"origin": "서울", "destination": "부산광역시"}, context)
    assert 370 < float(str(found["distance_km"])) < 430
    assert 230 < float(str(found["minutes"])) < 320
    assert "고속도로" in str(found["steps"]) and "서울에서 부산까지" in str(found["summary"])
    picture = Image.open(io.BytesIO(context.saved["map.png"])).convert("RGB")
    assert picture.size == (960, 600)
    line = np.all(np.asarray(picture) == (0x1F, 0x6F, 0xEB), axis=2)
    across, down = line.any(axis=0).sum(), line.any(axis=1).sum()
    assert across > 150 and down > 300  # the line of the way goes through the whole map


def test_over_water_one_flies_and_to_islands_without_an_airport_one_sails():
    assert way("busan", "fukuoka") == [("drive", "gimhae_airport"), ("fly", "fukuoka")]
    assert ("fly", "jeju_airport") in way("seoul", "seogwipo") and ("drive", "gimpo_airport") in way("seoul", "jeju")
    assert ("fly", "gimpo_airport") not in way("paris", "seoul")
    assert way("pohang", "dokdo") == [("sail", "dokdo")]


def test_there_is_a_way_from_everywhere_to_everywhere_that_begins_and_ends_there():
    chosen = sorted(places().values(), key=lambda one: one.key)[::9]
    for origin, destination in combinations(chosen, 2):
        legs = route(origin, destination)
        assert (legs[0].start, legs[-1].end) == (origin, destination)
        assert all(one.end == other.start for one, other in pairwise(legs))
        assert 0 < minutes(legs) < 48 * 60


def test_the_table_has_as_many_places_as_it_says_each_with_names_of_its_own():
    assert len(places()) >= 120
    assert all(place.names[language] for place in places().values() for language in ("ko", "en", "ja"))


async def test_home_is_where_the_operator_says_and_an_unknown_place_is_named_with_similar_ones(context):
    context.config = {**context.config, "HOME": "Pangyo"}
    found = await navigation.run({"destination": "강남역"}, context)
    assert found["origin"] == "성남"
    assert (await navigation.run({"origin": "강남역", "destination": "우리 집"}, context))["destination"] == "성남"
    with pytest.raises(ToolError, match="부산녁") as caught:
        await navigation.run({"destination": "부산녁"}, context)
    assert caught.value.detail["place"] == "부산녁" and "부산역" in caught.value.message
    with pytest.raises(ToolError, match="DREAM_PACK_DEVICES_WORK"):
        await navigation.run({"destination": "회사"}, context)
    with pytest.raises(ToolError, match="같아요"):
        await navigation.run({"origin": "서울시", "destination": "Seoul"}, context)


@pytest.mark.long
@pytest.mark.parametrize("film", films(), ids=lambda film: film.key)
async def test_a_film_is_a_video_that_moves(film, context):
    played = await movie.run({"title": film.titles["ja"]}, context)
    assert played["seconds"] == film.seconds and context.words[-1][0] == 1.0
    with av.open(io.BytesIO(context.saved[f"{film.key}.mp4"]), "r") as video:
        stream = video.streams.video[0]
        assert (stream.width, stream.height, stream.frames) == (320, 180, played["frames"])
        assert float((stream.duration or 0) * (stream.time_base or 0)) == pytest.approx(film.seconds, abs=0.1)
        frames = [frame.to_ndarray(format="gray").astype(int) for frame in video.decode(stream)]
    assert np.abs(frames[0] - frames[-1]).mean() > 1
    assert frames[len(frames) // 2].std() > 5


async def test_a_film_or_a_song_that_is_not_there_is_answered_with_those_that_are(context):
    with pytest.raises(ToolError, match=r"기생충.*불꽃놀이"):
        await movie.run({"title": "기생충"}, context)
    with pytest.raises(ToolError, match=r"Dynamite.*아리랑") as caught:
        await song.run({"title": "Dynamite"}, context)
    assert caught.value.detail["title"] == "Dynamite" and not context.saved


async def test_a_song_is_sound_of_the_right_pitch_and_length(context):
    played = await song.run({"title": "ode to joy"}, context)
    with wave.open(io.BytesIO(context.saved["ode_to_joy.wav"])) as sound:
        rate, samples = sound.getframerate(), np.frombuffer(sound.readframes(sound.getnframes()), "<i2")
    assert len(samples) / rate == pytest.approx(float(str(played["seconds"])) + 0.6, abs=0.1)
    first = np.abs(np.fft.rfft(samples[: rate // 2]))
    assert int(first.argmax()) * 2 == pytest.approx(329.6, abs=3)  # E4
    assert 20_000 < np.abs(samples).max() <= 32_767


def test_there_are_songs_of_several_lands_and_no_note_is_unreadable():
    assert len(songs()) >= 12
    assert all(10 < one.seconds < 60 for one in songs())


async def test_without_a_forecast_the_normal_of_the_month_is_told_as_what_it_is(context):
    told = await weather.run({"place": "강남역", "date": "2027-01-05"}, context)
    assert (told["source"], told["normals_of"], told["mean"]) == ("normal", "서울", -2.0)
    assert (
        "1월" in str(told["summary"])
        and "\N{MINUS SIGN}2℃" in str(told["summary"])
        and "예보가 아니라" in str(told["summary"])
    )
    with pytest.raises(ToolError, match="2026-02-30"):
        await weather.run({"place": "서울", "date": "2026-02-30"}, context)
    with pytest.raises(ToolError, match="독도"):
        await weather.run({"place": "독도"}, context)


async def test_a_speed_that_is_none_is_said_before_anything_is_made(context):
    for value in ("fast", "0", "nan", "-1"):
        context.config = {"SPEED": value}
        with pytest.raises(ToolError, match=value):
            await song.run({"title": "아리랑"}, context)
    assert not context.saved


async def test_of_a_month_is_told_what_is_usual_and_that_nobody_can_forecast_it(context):
    told = await weather.run({"place": "부산", "month": 2}, context)
    assert told["source"] == "normal"
    assert "2월 한 달은 예보할 수 없어서" in str(told["summary"]) and "2월 날씨는 보통" in str(told["summary"])
    assert str(told["date"])[5:] == "02-01"


async def test_what_is_on_the_shelf_is_told_and_nothing_plays(context):
    context.language = "en"
    there = str((await library.run({"kind": "song", "title": "ode to joy"}, context))["summary"])
    assert "Ode to Joy" in there and "is here" in there
    missing = str((await library.run({"kind": "film", "title": "Casablanca"}, context))["summary"])
    assert "“Casablanca” is not here" in missing and "The Starry Night" in missing
    every = (await library.run({"kind": "song"}, context))["found"]
    assert isinstance(every, list) and len(every) == len(songs()) and context.saved == {}
