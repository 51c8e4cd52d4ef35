"""devices.library: whether a film or a song is there, and which ones are."""

from contracts.shape import JsonObject
from contracts.tools import ToolContext
from packs.devices.films.library import films
from packs.devices.films.library import shelf as films_there
from packs.devices.names import listed
from packs.devices.songs.library import shelf as songs_there
from packs.devices.songs.library import songs


async def run(params: JsonObject, context: ToolContext) -> JsonObject:
    """Nothing is played: what is there is offered in the words that play it."""
    kind, title, language = str(params["kind"]), str(params.get("title") or ""), context.language
    film, song = films().find(title), songs().find(title)
    asked, other = (film, song) if kind == "film" else (song, film)
    there = [one.title(language) for one in (films_there() if kind == "film" else songs_there())]
    of = "movie" if kind == "film" else "song"
    if asked is not None:
        found = asked.title(language)
        return {"kind": kind, "found": [found], "summary": [context.text(f"library.{of}", title=found)]}
    if not title:
        return {"kind": kind, "found": [*there], "summary": [context.text(f"library.{of}s", there=listed(there))]}
    told = [context.text(f"{of}.error.unknown", title=title, there=listed(there))]
    if other is not None:
        key = "song.error.is_film" if of == "song" else "movie.error.is_song"
        told.append(context.text(key, title=other.title(language)))
    return {"kind": kind, "found": [], "summary": [*told]}
