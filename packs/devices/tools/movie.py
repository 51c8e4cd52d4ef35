"""devices.movie: a film on the monitor, for as long as it plays (MovieTool of source design 000)."""

import asyncio
from pathlib import Path

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.devices import pace
from packs.devices.films.library import Film, films, shelf
from packs.devices.names import listed
from packs.devices.songs.library import songs


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError for a film that is not on the shelf, with those that are."""
    pace.check(context)
    said, language = str(params["title"]), context.language
    film = films().find(said)
    if film is None:
        there = [one.title(language) for one in shelf()]
        message = context.text("movie.error.unknown", title=said, there=listed(there))
        if song := songs().find(said):
            message = f"{message} {context.text('movie.error.is_song', title=song.title(language))}"
        raise ToolError(Code.TOOL_FAILED, message, title=said, there=list(there))
    title, path = film.title(language), context.workdir / "film.mp4"
    frames = await asyncio.to_thread(_encoded, film, path)
    context.save(path, name=f"{film.key}.mp4", media_type="video/mp4", type_="media.film", title=title)
    seconds = float(str(params.get("seconds") or film.seconds))
    await pace.hold(
        seconds, context, lambda at: context.text("progress.movie", title=title, at=at, seconds=round(seconds))
    )
    sentence = context.text("movie.played", title=title, seconds=f"{seconds:g}")
    return {"title": title, "seconds": seconds, "frames": frames, "summary": [sentence]}


def _encoded(film: Film, path: Path) -> int:
    from packs.devices.films.encoding import encode  # in the thread: PyAV takes its time to load

    return encode(film, path)
