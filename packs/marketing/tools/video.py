"""marketing.video: what is known about the reviews, as a short film of charts and captions."""

import time
from collections.abc import Iterable, Iterator

from PIL import Image
from pydantic import JsonValue

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.marketing.evidence import summed_up
from packs.marketing.reporting.material import gather
from packs.marketing.reporting.sentences import summary

VIDEO, POSTER, CAPTIONS = "document.video", "image.poster", "document.captions"


def run(params: JsonObject, ctx: ToolContext) -> JsonObject:
    """Needs at least one insight. Raises NOTHING_TO_REPORT."""
    # Imported here: a pack that only counts must not pay for a film studio.
    from packs.marketing.film import encoding, stage, storyboard

    material = gather(ctx)
    given = params.get("title")
    title = given if isinstance(given, str) else ctx.text("report.title")
    seconds = params.get("seconds")
    size = stage.Format(*stage.SIZES[str(params.get("aspect", "16:9"))])
    ctx.progress(0.02, ctx.text("video.drawing"))
    wished = float(seconds) if isinstance(seconds, int | float) else None
    shown, lengths = storyboard.chosen(storyboard.shots(material, title, size, ctx), wished)
    scenes = [shot.draw(length / stage.FPS) for shot, length in zip(shown, lengths, strict=True)]
    name = f"review_film_{ctx.now:%Y-%m-%d}"
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
    return {
        "name": path.name,
        "seconds": lasting,
        "frames": frames,
        **measures,
        "scenes": [
            {"name": scene.name, "start": sum(lengths[:number]) / stage.FPS, "caption": scene.caption}
            for number, scene in enumerate(scenes)
        ],
        **summed_up(summary(material, ctx), [scene.caption for scene in scenes]),
    }


def _watched(frames: Iterable[Image.Image], total: int, ctx: ToolContext) -> Iterator[Image.Image]:
    """The frames, with word of how far the film has come once a second of it."""
    for number, frame in enumerate(frames):
        if number % 24 == 0:
            ctx.progress(0.05 + 0.9 * number / total, ctx.text("video.filming", done=number // 24, seconds=total // 24))
        yield frame
