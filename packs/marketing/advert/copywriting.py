"""Headline, body, call and hashtags by pattern, within the limits of ad platforms, checked in code."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from pydantic import Field

from contracts.shape import Contract
from packs.marketing.advert.evidence import Evidence, Liked
from packs.marketing.advert.particles import Noun, Undecided
from packs.marketing.advert.phrasebook import Kind, Part, Phrasebook, Tone, phrasebook
from packs.marketing.reporting.fonts import drawable

HEADLINE, BODY = 30, 90
_LIMITS: dict[Part, int] = {"headline": HEADLINE, "body": BODY}
VARIANTS = 3
_TAGS, _TAG_LENGTH = 5, 30


class Variant(Contract):
    """One ad in one language; `basis` says what its words rest on."""

    language: str
    number: int
    headline: str = Field(max_length=HEADLINE)
    body: str = Field(max_length=BODY)
    call_to_action: str
    hashtags: tuple[str, ...]
    basis: Kind


@dataclass(frozen=True, slots=True)
class Brief:
    """What the person asked for. Their words stand only in ads of their own language."""

    language: str
    tone: Tone
    benefit: str | None = None
    audience: str | None = None
    call_to_action: str | None = None


@dataclass(frozen=True, slots=True)
class Angle:
    """What one ad is about, and the words that fill its patterns."""

    kind: Kind
    slots: Mapping[str, str]


def write(brief: Brief, evidence: Evidence, language: str) -> list[Variant]:
    """Three ads from as different angles as there are."""
    book = phrasebook(language)
    written: list[Variant] = []
    angles = _angles(brief, evidence, language, book)
    while len(written) < VARIANTS:
        angle = next(angles)
        used = {variant.headline for variant in written} | {variant.body for variant in written}
        if (heard := angle.slots.get("quote")) and any(heard in said for said in used):
            if angle.kind == "quote":
                continue
            angle = Angle(angle.kind, {name: word for name, word in angle.slots.items() if name != "quote"})
        headline = _say("headline", angle, brief.tone, book, used, len(written))
        quoted = angle.slots.get("quote")
        if quoted and headline and quoted in headline:  # once is enough
            angle = Angle(angle.kind, {name: word for name, word in angle.slots.items() if name != "quote"})
        body = _say("body", angle, brief.tone, book, used, 0)
        if headline is None or body is None:
            continue
        number = len(written) + 1
        tags = _hashtags(angle, brief, evidence, book)
        call = _call(brief, language, book)
        written.append(Variant(language=language, number=number, headline=headline, body=body, call_to_action=call,
                               hashtags=tags, basis=angle.kind))  # fmt: skip
    return written


def _angles(brief: Brief, evidence: Evidence, language: str, book: Phrasebook) -> Iterator[Angle]:
    """A quality, the share, a quote; then further ones of each; in the end plain ads without limit."""
    own = brief.language == language
    given = {"product": evidence.product, "benefit": brief.benefit if own else None,
             "audience": brief.audience if own else None}  # fmt: skip
    # A name that no font can draw would leave a hole in the banner.
    slots = {name: word for name, word in given.items() if word and drawable(word)}
    if brief.benefit and own:
        yield Angle("plain", slots)
    qualities = [
        Angle("attribute", {**slots, "term": book.terms[liked.quality][0], **_spoken(liked, evidence, language)})
        for liked in evidence.liked
        if liked.quality is not None
    ]
    words = [
        Angle("word", {**slots, "term": liked.word})
        for liked in evidence.liked
        if liked.quality is None and liked.language == language
    ]
    quotes = [Angle("quote", {**slots, "quote": one.text}) for one in evidence.quotes if one.language == language]
    shares = []
    if evidence.tenths is not None and evidence.overall is not None:
        counted = {"tenths": str(evidence.tenths), "reviews": f"{evidence.overall.reviews:,}"}
        shares = [Angle("share", {**slots, **counted})]
    yield from [*qualities[:1], *shares, *quotes[:1], *qualities[1:], *quotes[1:], *words]
    # Another wording of what is praised says more than an ad about nothing.
    yield from [*qualities, *shares, *words]
    while True:
        yield Angle("plain", slots)


def _spoken(liked: Liked, evidence: Evidence, language: str) -> dict[str, str]:
    """A customer's sentence on what is liked, if one of this language is there."""
    word = liked.word.casefold()
    found = (one.text for one in evidence.quotes if one.language == language and word in one.text.casefold())
    return {"quote": quote} if (quote := next(found, None)) else {}


def _say(part: Part, angle: Angle, tone: Tone, book: Phrasebook, used: set[str], turn: int) -> str | None:
    """The first pattern whose slots are filled, that stays within the limit and was not said before."""
    patterns = book.patterns[tone][part][angle.kind]
    # Each variant begins elsewhere, except where the first patterns are those that say more.
    start = turn % len(patterns) if angle.kind in ("attribute", "word") and part == "headline" else 0
    for pattern in patterns[start:] + patterns[:start]:
        names = {name for _, name, _, _ in Formatter().parse(pattern) if name}
        if not names <= angle.slots.keys():
            continue
        try:
            said = pattern.format(**{name: Noun(angle.slots[name], book.particles) for name in names})
        except Undecided:
            continue
        said = " ".join(said.split())
        if len(said) <= _LIMITS[part] and said not in used:
            return said
    return None


def _call(brief: Brief, language: str, book: Phrasebook) -> str:
    """One of the known calls by its key; the person's own words only in their language."""
    wished = brief.call_to_action
    if wished in book.calls:
        return book.calls[wished]
    if wished and brief.language == language:
        return wished
    return book.calls[book.usual_call[brief.tone]]


def _hashtags(angle: Angle, brief: Brief, evidence: Evidence, book: Phrasebook) -> tuple[str, ...]:
    told = [book.terms[liked.quality][0] for liked in evidence.liked if liked.quality is not None]
    words = [evidence.product or "", angle.slots.get("term", ""), *told[:2]]
    words += book.tags["reviewed"][:1] if evidence.overall is not None else []
    words += book.tags[brief.tone]
    tags = dict.fromkeys(tag for word in words if (tag := _tag(word)))
    return tuple(tags)[:_TAGS]


def _tag(word: str) -> str | None:
    """Letters and digits only, words joined with capitals; none if nothing is left or it would be too long."""
    parts = re.findall(r"[^\W_]+", word)
    joined = "".join(part[:1].upper() + part[1:] for part in parts)
    return f"#{joined}" if joined and not joined.isdigit() and len(joined) < _TAG_LENGTH else None
