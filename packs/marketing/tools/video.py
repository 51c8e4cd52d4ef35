"""marketing.video: a short film that promotes a product with what people praise, or tells the results as charts."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from PIL import Image
from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.advert.evidence import Evidence, chosen
from packs.marketing.advert.evidence import gather as gather_praise
from packs.marketing.evidence import Sentence, say, summed_up
from packs.marketing.letters import words_given
from packs.marketing.reporting.figures import count
from packs.marketing.reporting.material import gather
from packs.marketing.reporting.sentences import summary

VIDEO, POSTER, CAPTIONS = "document.video", "image.poster", "document.captions"


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Promotes, unless the results were asked for or there is no praise to quote. Raises NOTHING_TO_REPORT."""
    # Imported here: a pack that only counts must not pay for a film studio.
    from packs.marketing.film import encoding, promotion, stage, storyboard

    material = gather(ctx)
    size = stage.Format(*stage.SIZES[str(params.get("aspect", "16:9"))])
    ctx.progress(0.02, ctx.text("video.drawing"))
    asked = params.get("film", "promotion") == "promotion"
    evidence = gather_praise(ctx, words_given(params, "product")) if asked else None
    title = words_given(params, "title")
    shots = promotion.shots(evidence, title, words_given(params, "call_to_action"), size, ctx) if evidence else []
    promotes = bool(shots)
    shortest = promotion.SHORTEST_SECONDS if promotes else storyboard.SHORTEST_SECONDS
    shots = shots or storyboard.shots(material, title or ctx.text("report.title"), size, ctx)
    seconds = params.get("seconds")
    wished = float(seconds) if isinstance(seconds, int | float) else None
    shown, lengths = storyboard.chosen(shots, wished, shortest)
    scenes = [shot.draw(length / stage.FPS) for shot, length in zip(shown, lengths, strict=True)]
    name = f"{'promotion' if promotes else 'review'}_film_{ctx.now:%Y-%m-%d}"
    path = ctx.workdir / f"{name}.mp4"
    begun = time.monotonic()
    frames = encoding.encode(_watched(stage.film(scenes, lengths, size), sum(lengths), ctx), path, size)
    took = time.monotonic() - begun
    ctx.log(f"{frames} frames of {size.width}x{size.height} in {took:.1f} s: {frames / max(took, 0.001):.0f} frames/s")
    lasting = frames / stage.FPS
    measures: dict[str, JsonValue] = {"width": size.width, "height": size.height}
    ctx.save(path, name=path.name, media_type="video/mp4", type_=VIDEO, seconds=lasting, **measures)
    poster = ctx.workdir / f"{name}.png"
    stage.poster(scenes[0], size).save(poster)
    ctx.save(poster, name=poster.name, media_type="image/png", type_=POSTER, **measures)
    captions = storyboard.subtitles(scenes, lengths).encode()
    ctx.save(captions, name=f"{name}.vtt", media_type="text/vtt", type_=CAPTIONS)
    said = _promoted(evidence, lasting, ctx) if evidence and promotes else summary(material, ctx)
    if asked and not promotes:
        said = [ctx.text("video.no_praise"), *said]
    return {
        "name": path.name,
        "film": "promotion" if promotes else "results",
        "seconds": lasting,
        "frames": frames,
        **measures,
        "scenes": [
            {"name": scene.name, "start": sum(lengths[:number]) / stage.FPS, "caption": scene.caption}
            for number, scene in enumerate(scenes)
        ],
        "product": evidence.product if evidence and promotes else None,
        "quotes": [asdict(quote) for quote in evidence.quotes] if evidence and promotes else [],
        **summed_up(said, [scene.caption for scene in scenes]),
    }


def _promoted(found: Evidence, seconds: float, ctx: ToolContext) -> list[str]:
    """What the film is about, and what it rests on."""
    lasting = f"{seconds:.0f}"
    if found.product is None:
        return [ctx.text("video.made_unnamed", seconds=lasting), _basis(found, ctx)]
    return [ctx.text("video.made", product=found.product, seconds=lasting), *chosen(found, ctx), _basis(found, ctx)]


def _basis(found: Evidence, ctx: ToolContext) -> Sentence:
    reviews = found.overall.reviews if found.overall else 0
    of: dict[str, JsonValue] = {"product": found.product} if found.product else {}
    return say(ctx, "video.basis", reviews, of=of, reviews=count(reviews))


def _watched(frames: Iterable[Image.Image], total: int, ctx: ToolContext) -> Iterator[Image.Image]:
    """The frames, with word of how far the film has come once a second of it."""
    for number, frame in enumerate(frames):
        if number % 24 == 0:
            ctx.progress(0.05 + 0.9 * number / total, ctx.text("video.filming", done=number // 24, seconds=total // 24))
        yield frame
