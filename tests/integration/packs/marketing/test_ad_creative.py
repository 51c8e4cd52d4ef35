"""The ads keep to the platforms' limits and to what the data show, in all three languages; the banners can be seen."""

import io
import json
from string import Formatter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageStat

from contracts.errors import Code
from contracts.tools import ToolError
from packs.marketing.advert.copywriting import BODY, HEADLINE, VARIANTS, Brief, write
from packs.marketing.advert.evidence import Evidence, Liked, Praise, gather
from packs.marketing.advert.particles import Noun, Undecided, ends_in_consonant
from packs.marketing.advert.phrasebook import LANGUAGES, Part, Tone, claims, has_figures, phrasebook, quality
from packs.marketing.shapes import Tally

TONES: tuple[Tone, ...] = ("friendly", "premium", "playful")
PARTS: tuple[Part, ...] = ("headline", "body")
KINDS = ("attribute", "word", "quote", "share", "plain")
PRAISE = [
    "The battery lasts all day and I love it.",
    "Great look! I love the design.",
    "Quick delivery! Wonderful.",
]


def reviews(product: str, good: int, bad: int) -> str:
    rows = [f"{product},5,{PRAISE[n % 3]} Number {chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(good)]
    rows += [
        f"{product},1,Terrible noise and I hate it. Case {chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(bad)
    ]
    return "\n".join(rows)


def analysed(ctx, run, *groups):
    rows = "\n".join(reviews(*group) for group in groups)
    ctx.upload(f"product,rating,review\n{rows}\n".encode())
    for tool in ("collector", "preprocessor", "sentiment", "keyword"):
        run(tool)


@pytest.mark.parametrize(
    ("word", "closed"),
    [
        ("배터리", False), ("디자인", True), ("흡입력", True), ("전기포트", False), ("아이폰 15", False), ("갤럭시 S21", True),
        ("TV", False), ("XR", True), ("Moonlight Vacuum", True), ("Morning", True), ("Galaxy", False), ("커피!", False),
        ("Kettle", None), ("空気清浄機", None), ("😀", None), ("", None),
    ],
)  # fmt: skip
def test_the_last_sound_of_a_word_is_known_or_said_to_be_unknown(word, closed):
    assert ends_in_consonant(word) is closed


def test_korean_nouns_take_the_particle_of_their_last_sound():
    particles = phrasebook("ko").particles
    design, battery = Noun("디자인", particles), Noun("배터리", particles)
    assert f"{design:topic} {design:subject} {design:object}" == "디자인은 디자인이 디자인을"
    assert f"{battery:topic} {battery:subject} {battery:object}" == "배터리는 배터리가 배터리를"
    with pytest.raises(Undecided):
        format(Noun("Kettle", particles), "topic")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_pattern_promises_anything_and_only_counted_shares_hold_numbers(language):
    book = phrasebook(language)
    known = {"product", "term", "quote", "tenths", "reviews", "benefit", "audience"}
    for tone in TONES:
        for part in PARTS:
            assert tuple(book.patterns[tone][part]) == KINDS
            for kind, patterns in book.patterns[tone][part].items():
                for pattern in patterns:
                    assert not claims(pattern), pattern
                    assert kind == "share" or not has_figures(pattern), pattern
                    assert {name for _, name, _, _ in Formatter().parse(pattern) if name} <= known
    assert phrasebook("ko").terms.keys() == book.terms.keys()
    assert phrasebook("ko").calls.keys() == book.calls.keys()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tone", TONES)
def test_there_are_enough_words_for_an_ad_about_nothing_in_particular(language, tone):
    for part, limit in zip(PARTS, (HEADLINE, BODY), strict=True):
        bare = {text for text in phrasebook(language).patterns[tone][part]["plain"] if "{" not in text}
        assert len([text for text in bare if len(text) <= limit]) >= VARIANTS


NAMES = st.text(max_size=60) | st.text(alphabet="가각힣漢あアאשمل😀👩‍👩‍👧Zz9{}:! ", max_size=60)


@settings(max_examples=60)
@given(NAMES, NAMES, st.sampled_from(TONES), st.sampled_from(LANGUAGES), st.integers(0, 90))
@example("x" * 60, "{0} {product!r:topic}", "friendly", "ko", 80)
@example("مكنسة كهربائية", "👩‍👩‍👧", "playful", "ja", 50)
def test_limits_hold_whatever_the_product_is_called(product, words, tone, language, positive):
    overall = Tally(reviews=90, negative=90 - positive, neutral=0, positive=positive)
    liked = (Liked("battery", "en", "battery", 9), Liked(words or "x", language, None, 5))
    evidence = Evidence(product or None, overall, liked, (Praise(language, words or "x", 0, None),))
    brief = Brief("ko", tone, words or None, words or None)
    for asked in LANGUAGES:
        variants = write(brief, evidence, asked)
        assert [variant.number for variant in variants] == [1, 2, 3]
        assert len({variant.headline for variant in variants}) == VARIANTS
        for variant in variants:
            assert 0 < len(variant.headline) <= 30
            assert 0 < len(variant.body) <= 90
            assert all(tag.startswith("#") and len(tag) <= 30 and " " not in tag for tag in variant.hashtags)
            if variant.basis == "share":
                assert positive >= 63
                assert str(positive * 10 // 90) in variant.headline


@pytest.mark.parametrize(("number", "positive", "tenths"), [(29, 29, None), (30, 29, 9), (30, 30, 10), (40, 24, None)])
def test_a_share_is_quoted_only_from_thirty_reviews_on_and_never_rounded_up(number, positive, tenths):
    overall = Tally(reviews=number, negative=number - positive, neutral=0, positive=positive)
    assert Evidence("x", overall).tenths == tenths


def test_the_product_liked_best_is_advertised_with_what_its_own_reviews_praise(ctx, run):
    ctx.language = "en"
    analysed(ctx, run, ("Moon Kettle", 33, 2), ("Sky Vacuum", 10, 25))
    result = run("ad_creative", sizes=["1200x628"], call_to_action="buy_now")
    assert (result["product"], result["reviews"]) == ("Moon Kettle", 35)
    assert [variant["language"] for variant in result["variants"]] == ["en"] * 3 + ["ko"] * 3 + ["ja"] * 3
    assert {variant["basis"] for variant in result["variants"][:3]} >= {"attribute", "share"}
    shares = [variant for variant in result["variants"] if variant["basis"] == "share"]
    assert all("9" in variant["headline"] and "35" in variant["body"] for variant in shares)
    assert len(shares) == 3
    told = json.dumps(result, ensure_ascii=False)
    assert "noise" not in told
    assert quality("noise", "en") == "quiet"
    assert phrasebook("en").terms["quiet"][0] not in told
    assert result["variants"][0]["call_to_action"] == "Shop now"
    assert result["variants"][3]["call_to_action"] == phrasebook("ko").calls["buy_now"]
    saved = {item.attachment.name: item.path.read_bytes() for item in ctx.inputs("content.ad")}
    assert list(saved) == result["files"]
    assert json.loads(saved["ad_copy.json"])["variants"] == result["variants"]
    assert result["variants"][8]["headline"] in saved["ad_copy.md"].decode()


@pytest.mark.parametrize(
    ("language", "tone", "sizes"),
    [
        ("ko", "friendly", {"1200x628": (1200, 628), "1080x1080": (1080, 1080)}),
        ("en", "premium", {"1080x1080": (1080, 1080)}),
        ("ja", "playful", {"1200x628": (1200, 628)}),
    ],
)
def test_banners_have_their_size_and_show_something(ctx, run, language, tone, sizes):
    ctx.language = language
    product = "Nova 공기청정기 空気清浄機 🔥"
    result = run("ad_creative", product=product, tone=tone, audience="A" * 40, sizes=list(sizes))
    images = [
        Image.open(io.BytesIO(item.path.read_bytes()))
        for item in ctx.inputs("content.ad")
        if item.attachment.media_type == "image/png"
    ]
    assert [image.size for image in images] == list(sizes.values()) * 3
    assert len({image.tobytes() for image in images}) == len(images)
    for image in images:
        text_side = image.crop((60, image.height // 3, image.width // 2, image.height - 60))
        assert max(ImageStat.Stat(text_side).stddev) > 12
    assert result["files"][0] == "ad_Nova_공기청정기_空気清浄機_1.png"


def test_a_product_without_reviews_gets_no_praise_that_was_meant_for_others(ctx, run):
    ctx.language = "en"
    analysed(ctx, run, ("Moon Kettle", 12, 0), ("Sky Vacuum", 12, 0))
    assert gather(ctx, "Desk Lamp") == Evidence("Desk Lamp")
    meant = gather(ctx, "kettle")
    assert meant.product == "kettle"
    assert meant.overall is not None
    assert meant.overall.reviews == 12


def test_a_benefit_that_nothing_proves_is_left_out_and_said_to_be(ctx, run):
    result = run("ad_creative", product="달빛 전기포트", benefit="세계 최고의 보온", sizes=["1200x628"])
    assert "최고" not in json.dumps(result["variants"], ensure_ascii=False)
    assert any("세계 최고의 보온" in sentence for sentence in result["summary"])


def test_what_the_person_wrote_stands_only_in_ads_of_their_language():
    brief = Brief("ko", "friendly", benefit="아침을 여는 한 잔", call_to_action="맛보러 가기")
    own, other = (write(brief, Evidence("Moon Kettle"), language)[0] for language in ("ko", "en"))
    assert "아침을 여는 한 잔" in own.headline
    assert own.call_to_action == "맛보러 가기"
    assert "아침" not in other.headline + other.body
    assert other.call_to_action == "Learn more"


@pytest.mark.parametrize("params", [{}, {"product": "  "}])
def test_without_product_and_reviews_the_product_is_asked_for(ctx, run, params):
    with pytest.raises(ToolError) as raised:
        run("ad_creative", **params)
    assert raised.value.code == Code.INPUT_MISSING
    assert ctx.saved == []


def test_ads_come_in_the_languages_and_sizes_of_the_platform_that_were_asked_for(ctx, run):
    ctx.language = "ko"
    analysed(ctx, run, ("Moon Kettle", 20, 2), ("Sky Vacuum", 2, 9))
    result = run("ad_creative", languages="en", platform="Instagram")
    assert {variant["language"] for variant in result["variants"]} == {"en"}
    saved = [item.attachment for item in ctx.inputs("content.ad") if item.attachment.name.endswith("png")]
    pictures = [(picture.meta["width"], picture.meta["height"]) for picture in saved]
    assert set(pictures) == {(1080, 1080), (1080, 1920)}
    assert len(pictures) == 6
    # nobody named a product, so it is said which one was taken, and why
    assert any("Moon Kettle" in sentence and "긍정 비율" in sentence for sentence in result["summary"])


def test_an_ad_about_what_is_liked_says_it_in_a_customers_words(ctx, run):
    ctx.language = "en"
    analysed(ctx, run, ("Moon Kettle", 20, 2))
    bodies = [variant["body"] for variant in run("ad_creative")["variants"] if variant["language"] == "en"]
    assert any("I love the design" in body or "I love it" in body for body in bodies)
    assert len(set(bodies)) == 3
