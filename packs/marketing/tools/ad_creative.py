"""marketing.ad_creative: advertising copy in three languages from what customers like, and banners that carry it."""

import json
import re
from collections.abc import Sequence
from typing import get_args

from pydantic import JsonValue

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.marketing.advert.banner import SIZES, draw
from packs.marketing.advert.copywriting import Brief, Variant, write
from packs.marketing.advert.evidence import Evidence, chosen, gather
from packs.marketing.advert.phrasebook import Tone, claims, has_figures, in_order, phrasebook
from packs.marketing.artifacts import JSON, dump
from packs.marketing.brands.intervals import wilson
from packs.marketing.evidence import say, summed_up
from packs.marketing.letters import words_given
from packs.marketing.reporting.figures import count

AD = "content.ad"
_USUAL_SIZES = ("1200x628", "1080x1080")
_OF_PLATFORM = {
    "Instagram": ("1080x1080", "1080x1920"),
    "TikTok": ("1080x1920",),
    "YouTube": ("1080x1920",),
    "Facebook": ("1200x628", "1080x1080"),
    "X": ("1200x628",),
    "Kakao": ("1080x1080",),
    "Naver": ("1200x628", "1080x1080"),
}
_NAME_LENGTH = 40


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Three ads per language and a banner of each in the person's. Raises INPUT_MISSING without product and reviews."""
    wished = words_given(params, "product")
    evidence = gather(ctx, wished)
    if evidence.product is None and evidence.overall is None:
        raise ToolError(Code.INPUT_MISSING, ctx.text("ad.error.product"), missing="product")
    asked = Brief(
        ctx.language, _tone(params), *(words_given(params, key) for key in ("benefit", "audience", "call_to_action"))
    )
    brief, dropped = _proven(asked)
    ctx.progress(0.1, ctx.text("ad.writing"))
    languages = _languages(params, ctx)
    variants = [variant for language in languages for variant in write(brief, evidence, language)]
    banners = _banners(variants, brief.tone, evidence, params, ctx)
    document: JsonObject = {
        "product": evidence.product,
        "tone": brief.tone,
        "reviews": evidence.overall.reviews if evidence.overall else 0,
        "variants": [dump(variant) for variant in variants],
    }
    data = json.dumps(document, ensure_ascii=False, indent=1).encode()
    ctx.save(data, name="ad_copy.json", media_type=JSON, type_=AD, variants=len(variants))
    ctx.save(_markdown(variants, ctx).encode(), name="ad_copy.md", media_type="text/markdown", type_=AD)
    files: list[JsonValue] = [*banners, "ad_copy.json", "ad_copy.md"]
    summary = summed_up(_summary(variants, evidence, len(banners), dropped, ctx))
    return {**document, "files": files, **summary}


def _several(params: JsonObject, name: str) -> list[str]:
    """The values of a parameter that takes one or several."""
    found = params.get(name)
    return [str(one) for one in found] if isinstance(found, list) else [str(found)] if found else []


def _languages(params: JsonObject, ctx: ToolContext) -> list[str]:
    """Those asked for, else all; the person's first."""
    asked = _several(params, "languages")
    return [language for language in in_order(ctx.language) if not asked or language in asked]


def _sizes(params: JsonObject) -> list[str]:
    """Those asked for, else those of the platforms, else the usual ones."""
    asked = _several(params, "sizes")
    placed = [size for platform in _several(params, "platform") for size in _OF_PLATFORM.get(platform, ())]
    return list(dict.fromkeys(asked or placed or _USUAL_SIZES))


def _tone(params: JsonObject) -> Tone:
    return next((tone for tone in get_args(Tone) if tone == params.get("tone")), "friendly")


def _proven(asked: Brief) -> tuple[Brief, list[str]]:
    """The request without a benefit, audience or call that promises what no data show; and what was left out."""
    given = [("benefit", asked.benefit), ("audience", asked.audience), ("call_to_action", asked.call_to_action)]
    # An age or a date may stand in a call or an audience; a figure in a benefit is a claim.
    unproven = {name: text for name, text in given
                if text and (claims(text) or (name == "benefit" and has_figures(text)))}  # fmt: skip
    brief = Brief(asked.language, asked.tone, *(None if name in unproven else text for name, text in given))
    return brief, list(unproven.values())


def _banners(
    variants: Sequence[Variant], tone: Tone, evidence: Evidence, params: JsonObject, ctx: ToolContext
) -> list[str]:
    """A banner per size of every ad in the first of the languages; returns the file names."""
    stem = "_".join(re.findall(r"\w+", evidence.product or ""))[:_NAME_LENGTH].strip("_") or "product"
    first, sizes = variants[0].language, _sizes(params)
    work = [(variant, size) for variant in variants if variant.language == first for size in sizes]
    names = []
    for number, (variant, size) in enumerate(work, 1):
        ctx.progress(0.2 + 0.7 * number / len(work), ctx.text("ad.drawing", done=number, banners=len(work)))
        rests = evidence.overall is not None and variant.basis != "plain"
        basis = phrasebook(variant.language).rests_on(evidence.overall, ctx.now) if rests else None
        image = draw(variant, tone, SIZES[size], evidence.product, basis, ctx)
        name, (width, height) = f"ad_{stem}_{number}.png", SIZES[size]
        ctx.save(image, name=name, media_type="image/png", type_=AD, width=width, height=height)
        names.append(name)
    return names


def _markdown(variants: Sequence[Variant], ctx: ToolContext) -> str:
    """The copy to read and to paste from."""
    lines: list[str] = []
    for variant in variants:
        if variant.number == 1:
            lines.append(f"# {ctx.text(f'language.{variant.language}')}\n")
        lines.append(f"## {variant.number}. {variant.headline}\n\n{variant.body}\n")
        lines.append(f"**{variant.call_to_action}** · {' '.join(variant.hashtags)}\n")
    return "\n".join(lines)


def _summary(
    variants: Sequence[Variant], evidence: Evidence, banners: int, dropped: Sequence[str], ctx: ToolContext
) -> list[str]:
    own = [variant for variant in variants if variant.language == variants[0].language]
    languages = dict.fromkeys(ctx.text(f"language.{variant.language}") for variant in variants)
    made = {"variants": len(own), "banners": banners, "languages": ", ".join(languages)}
    said = [
        ctx.text("ad.summary.made", product=evidence.product, **made)
        if evidence.product
        else ctx.text("ad.summary.made_unnamed", **made)
    ]
    said += chosen(evidence, ctx)
    if evidence.overall is None:
        said.append(ctx.text("ad.summary.no_reviews"))
    else:
        terms = phrasebook(ctx.language).terms
        liked = [terms[found.quality][0] if found.quality else found.word for found in evidence.liked[:3]]
        n = evidence.overall.reviews
        of: dict[str, JsonValue] = {"product": evidence.product} if evidence.product else {}
        if liked:
            terms_said = ", ".join(liked)
            said.append(say(ctx, "ad.summary.basis", n, of=of, reviews=count(n), terms=terms_said))
        else:
            said.append(say(ctx, "ad.summary.basis_bare", n, of=of, reviews=count(n)))
        if (tenths := evidence.tenths) is not None and any(variant.basis == "share" for variant in variants):
            positive = evidence.overall.positive
            counted = {"tenths": tenths, "positive": count(positive), "reviews": count(n)}
            said.append(say(ctx, "ad.summary.share", n, of=of, interval=wilson(positive, n), **counted))
    said += [ctx.text("ad.summary.dropped", text=text) for text in dropped]
    said += [
        ctx.text("ad.summary.variant", number=variant.number, headline=variant.headline, body=variant.body)
        for variant in own
    ]
    return said
