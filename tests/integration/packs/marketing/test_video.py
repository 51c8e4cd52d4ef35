"""The film opens in a player, has the length and size it says, and shows something else from scene to scene."""

import importlib
import io
import re
from dataclasses import replace

import av
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from contracts.errors import Code
from contracts.tools import ToolError, ToolSpec
from packs.marketing.film import scenes, stage, storyboard
from packs.marketing.reporting.breaking import atoms
from packs.marketing.reporting.fonts import drawable
from packs.marketing.reporting.material import gather
from packs.marketing.reporting.typesetting import words
from packs.marketing.shapes import NamedTally
from services.planning.domain.chain import chain
from tests.unit.packs.marketing.context import PACK, FakeContext
from understanding.kit.data import read_data

LANGUAGES = ("ko", "en", "ja")
ROWS = [
    f"{('Moon Kettle', 'Sky Vacuum')[n % 2]},{5 if n % 3 or n % 2 else 1},2025-0{n % 6 + 1}-11,"
    f"{'The battery lasts and I love the design' if n % 3 or n % 2 else 'Terrible noise and I hate it'}. Order {chr(97 + n)}{n}."
    for n in range(24)
]


def analyse(ctx):
    ctx.upload(("product,rating,date,review\n" + "\n".join(ROWS) + "\n").encode())
    for tool in ("collector", "preprocessor", "sentiment", "keyword", "trends"):
        importlib.import_module(f"packs.marketing.tools.{tool}").run({}, ctx)
    return ctx


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    return analyse(FakeContext(tmp_path_factory.mktemp("film"), language="en"))


def frames_of(mp4, *wanted):
    """How many frames the film has, and the wanted ones as numbers."""
    found = {}
    number = 0
    with av.open(io.BytesIO(mp4), "r") as container:
        for number, frame in enumerate(container.decode(video=0), 1):
            if number - 1 in wanted:
                found[number - 1] = frame.to_ndarray(format="rgb24").astype(np.int16)
    return number, found


def test_the_film_has_the_length_size_and_codec_that_a_browser_plays(ctx, run, analysed):
    ctx.language = "ko"
    ctx.saved = list(analysed.saved)
    result = run("video", seconds=6, aspect="9:16", title="고객이 말하는 것", film="results")
    mp4 = ctx.newest("document.video")
    # A short film keeps what matters most.
    assert [scene["name"] for scene in result["scenes"]] == ["title", "sentiment", "closing"]
    assert re.fullmatch(r"144 frames of 720x1280 in [\d.]+ s: [1-9]\d* frames/s", ctx.lines[-1])
    with av.open(io.BytesIO(mp4), "r") as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        assert (stream.width, stream.height) == (result["width"], result["height"]) == (720, 1280)
        assert container.duration is not None
        assert abs(container.duration / av.time_base - 6) < 0.2
        assert result["seconds"] == 6
        assert stream.average_rate == 24
    # The index stands before the pictures, so that playing starts while the rest is on its way.
    assert mp4.index(b"moov") < mp4.index(b"mdat")
    count, frames = frames_of(mp4, 0, 55, 72, 143)
    assert count == result["frames"] == 144
    shown = [frames[0], frames[72], frames[143]]
    assert all(frame.std() > 8 for frame in shown)
    assert all(np.abs(a - b).mean() > 8 for a, b in ((shown[0], shown[1]), (shown[1], shown[2]), (shown[0], shown[2])))
    # Something moves within the chart's scene after it has faded in.
    assert np.abs(frames[55] - frames[72]).mean() > 0.3
    fractions = [fraction for fraction, _ in ctx.steps]
    assert fractions == sorted(fractions)
    assert Image.open(io.BytesIO(ctx.newest("image.poster"))).size == (720, 1280)
    captions = ctx.newest("document.captions").decode()
    cues = re.findall(r"(\d\d:\d\d:\d\d\.\d{3}) --> (\d\d:\d\d:\d\d\.\d{3})\n(.+)", captions)
    assert [text for _, _, text in cues] == [scene["caption"] for scene in result["scenes"]]
    assert (cues[0][0], cues[-1][1]) == ("00:00:00.000", "00:00:06.000")
    assert [end for _, end, _ in cues[:-1]] == [start for start, _, _ in cues[1:]]


PRAISED = {
    "ko": ("배터리가 오래가서 정말 좋아요", "디자인이 예뻐서 마음에 들어요", "소음이 너무 심해서 실망했어요"),
    "en": ("The battery lasts long and I love it", "I love the beautiful design", "Terrible noise and I hate it"),
    "ja": ("バッテリーが長持ちして最高に便利です", "デザインがきれいで満足です", "音がうるさくて最悪です"),
}


def reviewed(ctx, run, language, good, bad, product="Moon Kettle"):
    """Reviews of two products, of which the second pleases nobody."""
    first, second, blame = PRAISED[language]
    rows = [f"{product},5,{(first, second)[n % 2]}. {chr(97 + n)}{n}번" for n in range(good)]
    rows += [f"{product},2,{first}. But late {chr(97 + n)}" for n in range(2)]
    rows += [f"Sky Vacuum,1,{blame}. {chr(97 + n)}{n}" for n in range(bad)]
    ctx.language = language
    ctx.upload(("product,rating,review\n" + "\n".join(rows) + "\n").encode())
    for tool in ("collector", "preprocessor", "sentiment", "keyword"):
        run(tool)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_promotion_quotes_praise_of_one_product_and_shows_no_blame(ctx, run, language):
    reviewed(ctx, run, language, 12, 8)
    result = run("video", seconds=6, aspect="1:1", call_to_action="buy_now")
    assert (result["film"], result["product"], result["seconds"]) == ("promotion", "Moon Kettle", 6)
    assert [scene["name"] for scene in result["scenes"]][::2] == ["title", "call"]
    said = " ".join(scene["caption"] for scene in result["scenes"])
    assert "Sky Vacuum" not in said
    assert not any(word in said for word in ("소음", "noise", "うるさ"))
    clean = pl.read_parquet(ctx.inputs("reviews.clean")[-1].path)
    texts = dict(clean.select("row", "text").iter_rows())
    # each sentence stands in the row that it names, and nobody who rated it low is quoted
    assert result["quotes"]
    assert all(quote["text"].rstrip(".") in texts[quote["row"]] for quote in result["quotes"])
    assert {quote["rating"] for quote in result["quotes"]} == {5.0}
    letters = [re.sub(r"\W", "", quote["text"]) for quote in result["quotes"]]
    assert len(set(letters)) == len(letters)
    assert any("Moon Kettle" in sentence for sentence in result["summary"])


@pytest.mark.usefixtures("undrawn")
def test_a_promotion_is_about_the_product_that_was_asked_for(ctx, run):
    reviewed(ctx, run, "en", 6, 1)
    rows = "".join(f"Star Lamp,4,A lovely light for reading and I enjoy it. {chr(97 + n)}\n" for n in range(8))
    ctx.saved.clear()
    ctx.upload(
        (
            "product,rating,review\n" + rows + "\n".join(f"Moon Kettle,5,I love the design. {n}" for n in "abcdefghij")
        ).encode()
    )
    for tool in ("collector", "preprocessor", "sentiment", "keyword"):
        run(tool)
    result = run("video", seconds=6, aspect="1:1", product="Star Lamp")
    assert result["product"] == "Star Lamp"
    assert all("design" not in quote["text"] for quote in result["quotes"])
    assert not any("largest share" in sentence for sentence in result["summary"])


@pytest.mark.usefixtures("undrawn")
def test_without_praise_the_film_tells_the_results_and_says_so(ctx, run):
    ctx.language = "en"
    ctx.upload(("review,rating\n" + "".join(f"Terrible noise and I hate it {n},1\n" for n in "abcdefgh")).encode())
    for tool in ("collector", "preprocessor", "sentiment"):
        run(tool)
    result = run("video", seconds=6, aspect="1:1")
    assert (result["film"], result["quotes"]) == ("results", [])
    assert "no sentence of praise" in result["summary"][0]


def pictures(ctx, language, aspect="16:9"):
    ctx.language = language
    size = stage.Format(*stage.SIZES[aspect])
    shots = storyboard.shots(gather(ctx), ctx.text("report.title"), size, ctx)
    return {shot.name: stage.poster(shot.draw(2.0), size) for shot in shots}


def test_every_scene_says_its_words_in_the_readers_language(analysed):
    found = {language: pictures(analysed, language) for language in LANGUAGES}
    assert list(found["ko"]) == ["title", "sentiment", "products", "trend", "keywords", "quotes", "closing"]
    for name in found["ko"]:
        assert len({found[language][name].tobytes() for language in LANGUAGES}) == 3, name


def test_square_scenes_are_drawn_with_names_that_no_one_expects(analysed):
    material = gather(analysed)
    size = stage.Format(*stage.SIZES["1:1"])
    names = ("W" * 200, "مكنسة", "😀😀", "제품 " * 40)
    products = [NamedTally(name=name, reviews=9, negative=3, neutral=3, positive=3) for name in names]
    assert material.sentiment is not None
    odd = material.sentiment.model_copy(update={"by_product": tuple(products)})
    shots = storyboard.shots(replace(material, sentiment=odd), "😀", size, analysed)
    drawn = {shot.name: stage.poster(shot.draw(2.0), size) for shot in shots}
    assert all(picture.size == (720, 720) and np.asarray(picture).std() > 8 for picture in drawn.values())


@pytest.mark.parametrize(("seconds", "frames"), [(None, 28 * 24), (6, 144), (17.3, 415), (60, 1440)])
def test_a_film_is_as_long_as_it_should_be(analysed, seconds, frames):
    shots = storyboard.shots(gather(analysed), "x", stage.Format(1280, 720), analysed)
    shown, lengths = storyboard.chosen(shots, seconds)
    assert sum(lengths) == frames
    assert min(lengths) >= 24
    assert (shown[0].name, shown[-1].name) == ("title", "closing")


def test_a_comparison_of_brands_has_a_scene_and_one_of_the_same_products_has_none(ctx, run):
    ctx.language = "en"
    rows = "".join(
        f"{('Samsung', 'Apple')[n % 2]} made it and {('I love it', 'I hate it')[n % 3 == 0]} {chr(97 + n)}\n"
        for n in range(24)
    )
    ctx.upload(f"review\n{rows}".encode())
    for tool in ("collector", "preprocessor", "sentiment", "competitor"):
        run(tool)
    assert "competitor" in pictures(ctx, "en")
    analyse(ctx)
    run("competitor")
    assert "competitor" not in pictures(ctx, "en")


def test_without_any_insight_there_is_nothing_to_film(ctx, run):
    with pytest.raises(ToolError) as raised:
        run("video")
    assert raised.value.code == Code.NOTHING_TO_REPORT
    assert ctx.saved == []


@settings(max_examples=60)
@given(st.text(alphabet="가나 다라。、「」ーァあいお選び漢字abc 12.%()\n", max_size=60))
def test_what_stays_together_loses_nothing(text):
    assert "".join(atom for atom, _ in atoms(text)) == "".join(text.split())


def test_no_part_of_a_japanese_sentence_begins_with_a_closing_mark():
    text = "肯定の割合は「電気ケトル」が79.4%で最も高く、「掃除機」が42.9%で最も低くなっています。"
    assert not any(atom[0] in "」、。%" for atom, _ in atoms(text))


def seen(ctx, *parts):
    """The boxes in which something is drawn of each part that moves, on a picture of 720 by 720 pixels."""
    scene = scenes.paint("words", parts, "", stage.Format(720, 720), ctx)
    return [(*layer.at, layer.at[0] + layer.image.width, layer.at[1] + layer.image.height) for layer in scene.layers]


@pytest.mark.parametrize("text", ["긴 문장입니다 " * 60, "W" * 400, "電気ケトルの音がとても静かで" * 20])
def test_a_text_too_long_for_its_box_is_made_smaller_and_then_cut(ctx, text):
    told = words(text, 40, room=120, smallest=18)
    (whole,) = seen(ctx, scenes.ScenePart("words", words=told))
    assert whole[0] >= 48
    assert whole[2] <= 720 - 48
    assert 70 < whole[3] - whole[1] <= 120
    (line,) = seen(ctx, scenes.ScenePart("words", words=words(text, 40)))
    assert line[2] <= 720 - 48
    assert line[3] - line[1] <= 40 * 1.42


def test_lines_are_of_even_length_and_words_stay_whole(ctx):
    text = "모두 여덟 단어로 된 문장이 고른 두 줄로"
    (short,) = seen(ctx, scenes.ScenePart("words", words=words(text, 60, room=400)))
    (wide,) = seen(ctx, scenes.ScenePart("words", words=words(text, 60, room=85, smallest=12)))
    assert short[2] - short[0] < 500 < wide[2] - wide[0]


def test_what_no_font_can_draw_is_left_out():
    assert drawable("달빛🔥 電気 מים\u200f kettle\x00") == "달빛 電気 kettle"


@pytest.mark.parametrize(
    ("goal", "maker"), [("document.video", "marketing.video"), ("content.ad", "marketing.ad_creative")]
)
def test_the_planner_reaches_the_film_and_the_ad_from_a_file(goal, maker):
    paths = sorted((PACK / "tools").glob("*.yaml"))
    tools = [ToolSpec.model_validate(read_data(path)) for path in paths]
    steps = [step.tool.tool_key for step in chain([goal], ["file.table"], tools)]
    assert steps[0] == "marketing.collector"
    assert steps[-1] == maker
    assert {"marketing.sentiment", "marketing.keyword"} <= set(steps)
