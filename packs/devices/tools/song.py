"""devices.song: a melody, for as long as it sounds (SongTool of source design 000)."""

import asyncio

from contracts.errors import Code
from contracts.shape import JsonObject
from contracts.tools import ToolContext, ToolError
from packs.devices import pace
from packs.devices.films.library import films
from packs.devices.names import listed
from packs.devices.songs.library import Song, shelf, songs


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Raises ToolError for a song that nobody has written down here, with those that are."""
    pace.check(context)
    said, language = str(params["title"]), context.language
    song = songs().find(said)
    if song is None:
        there = [one.title(language) for one in shelf()]
        message = context.text("song.error.unknown", title=said, there=listed(there))
        if film := films().find(said):
            message = f"{message} {context.text('song.error.is_film', title=film.title(language))}"
        raise ToolError(Code.TOOL_FAILED, message, title=said, there=list(there))
    title = song.title(language)
    sound = await asyncio.to_thread(_played, song)
    context.save(sound, name=f"{song.key}.wav", media_type="audio/wav", type_="media.song", title=title)
    seconds = round(float(str(params.get("seconds") or song.seconds)), 1)
    await pace.hold(
        seconds, context, lambda at: context.text("progress.song", title=title, at=at, seconds=round(seconds))
    )
    sentence = context.text("song.played", title=title, seconds=f"{seconds:g}")
    return {"title": title, "seconds": seconds, "notes": len(song.notes), "summary": [sentence]}


def _played(song: Song) -> bytes:
    from packs.devices.songs.synthesis import play  # in the thread: numpy takes its time to load

    return play(song)
