"""Reads what a clause wants of a device (contracts.reading.Reader): the way where, which film or song, which weather.
Pure; the words are in words.yaml, the names in the tables of the pack."""

import re
from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from contracts.patterns import bounded
from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue
from packs.devices import phrases
from packs.devices.atlas import places
from packs.devices.films import library as films
from packs.devices.finding import known, meant
from packs.devices.names import Names
from packs.devices.songs import library as songs

T = TypeVar("T")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
SEASONS = {"spring": 4, "summer": 7, "autumn": 10, "winter": 1}
"""The month in the middle of each, north of the equator."""
LONGEST_SHOWING = 600
"""Seconds."""
_SORT = re.compile(r"(?:の|という)(?:曲|歌|映像|動画|映画|やつ|もの)\Z")
"""What kind of thing it is, behind a Japanese title."""
_ASKED_ABOUT = re.compile(r"(?<=[가-힣]{2})(?:은|는|도|을|를)\Z|(?<=[ぁ-ゖァ-ヶー一-龯]{2})[をはがも]\Z")
LONGEST = 400
"""Characters that are read, and of a slot: beyond them a sentence is no word to a device."""


def read_navigation(clause: Clause) -> Sequence[JsonObject]:
    """{destination, origin?}; the place where one is needs no word."""
    if asked := next((slot for slot in ("destination", "origin") if slot in clause.expecting), None):
        way = _way(clause)
        return (way,) if asked in way else _slot(asked, _place(_said(clause), clause.language))
    if back := _way_back(clause):
        return (back,)
    if same := _by_other_means(clause):
        return (same,)
    way = _way(clause)
    if "destination" not in way and (there := _pointed_at(clause)):
        way = {**way, "destination": there}
    return (way,) if way else ()


def _pointed_at(clause: Clause) -> JsonValue:
    """The place of which was spoken before, of who points there."""
    there = re.search(phrases.of_language("weather", clause.language, "there"), clause.text, re.IGNORECASE)
    return clause.last.get("place") if there else None


def _by_other_means(clause: Clause) -> JsonObject:
    """The way that was told last, of who says nothing but how they will go ("and by car?")."""
    told = {slot: clause.last.get(slot) for slot in ("destination", "origin") if clause.last.get(slot)}
    means = phrases.of_language("navigation", clause.language, "means")
    return told if "destination" in told and re.search(means, clause.text, re.IGNORECASE) else {}


def _way_back(clause: Clause) -> JsonObject:
    """The way that was told, from its end; where it began without a word, it is asked where to."""
    told = {slot: clause.slots.get(slot) for slot in ("destination", "origin")}
    says = phrases.of_language("navigation", clause.language, "back")
    if not told["destination"] or re.search(says, clause.text, re.IGNORECASE) is None:
        return {}
    return {"destination": told["origin"], "origin": told["destination"]}


def read_movie(clause: Clause) -> Sequence[JsonObject]:
    """{title, seconds?}; one for each film that is named."""
    return _titled(clause, films.films())


def read_song(clause: Clause) -> Sequence[JsonObject]:
    """{title, seconds?}; one for each song that is named."""
    return _titled(clause, songs.songs())


def read_films_there(clause: Clause) -> Sequence[JsonObject]:
    """{kind, title?}; one for each film that is asked about."""
    return _asked_for("film", clause, films.films())


def read_songs_there(clause: Clause) -> Sequence[JsonObject]:
    """{kind, title?}; one for each song that is asked about."""
    return _asked_for("song", clause, songs.songs())


def _asked_for(kind: str, clause: Clause, things: Names[T]) -> Sequence[JsonObject]:
    titles = [_untied(str(one["title"]), things) for one in _titled(clause, things) if "title" in one]
    return tuple({"kind": kind, "title": title} for title in titles) or ({"kind": kind},)


def _untied(title: str, things: Names[T]) -> str:
    """Without the particle of what is asked about, unless it is part of a name that is known."""
    return title if things.find(title) else _ASKED_ABOUT.sub("", title)


def read_weather(clause: Clause) -> Sequence[JsonObject]:
    """{place, date?, month?}; a month or a season that is named has no forecast, but weather that is usual in it."""
    slots: JsonObject = {}
    if place := _weather_place(clause):
        slots["place"] = place
    elif last := _place_before(clause):
        slots["place"] = last
    day = next((entity.value for entity in clause.entities if entity.type == "date"), None) or _first_day(clause)
    if day is None and re.search(
        phrases.of_language("weather", clause.language, "that_day"), clause.text, re.IGNORECASE
    ):
        day = clause.before.get("day")
    if isinstance(day, str):
        slots["date"] = day
        slots |= {"month": None} if "month" in clause.slots else {}
    elif month := _month(clause) or _middle_of_season(clause, str(slots.get("place", ""))):
        slots |= {"date": None} if "date" in clause.slots else {}
        slots["month"] = month
    return (slots,) if slots else ()


def _month(clause: Clause) -> int:
    found = bounded(phrases.of_language("weather", clause.language, "month")).search(clause.text)
    if found is None:
        return 0
    return int(found[1]) if found[1].isdecimal() else MONTHS.index(found[1][:3].lower()) + 1


def _middle_of_season(clause: Clause, said: str) -> int:
    """Of a season: the month that is most of it at the place."""
    found = bounded(phrases.of_language("weather", clause.language, "season")).search(clause.text)
    if found is None:
        return 0
    month, place = SEASONS[str(found.lastgroup)], known(said)
    return (month + 5) % 12 + 1 if place is not None and place.lat < 0 else month


def _first_day(clause: Clause) -> JsonValue:
    """Of days to come that are named together ("the weekend")."""
    spans = (one.value for one in clause.entities if one.type == "date_range" and isinstance(one.value, dict))
    starts = (str(span["start"]) for span in spans if span.get("start"))
    return next((start for start in starts if start > clause.now.date().isoformat()), None)


def _place_before(clause: Clause) -> JsonValue:
    """The place that was asked about before, of who names none ("do I need an umbrella?"); or where a way leads to that
    was told, of who points there."""
    there = re.search(phrases.of_language("weather", clause.language, "there"), clause.text, re.IGNORECASE)
    return clause.last.get("place") or (clause.last.get("destination") if there else None)


def _way(clause: Clause) -> JsonObject:
    found = {slot: _span(clause, slot) for slot in ("destination", "origin")}
    says = {slot: place for slot, place in found.items() if place}
    learned: JsonObject = {
        slot: place
        for slot, place in says.items()
        if not phrases.says_nothing(place, "navigation", clause.language) or _is_place(place)
    }
    told = _told_way(clause)
    for slot in ("destination", "origin"):
        if learned and _is_place(str(told.get(slot, ""))) and not _is_place(str(learned.get(slot, ""))):
            learned[slot] = told[slot]
    if meant(str(learned.get("origin", ""))) == "here":
        del learned["origin"]
    return learned or told


def _told_way(clause: Clause) -> JsonObject:
    text = phrases.core(_said(clause), "navigation", clause.language, _is_place)
    if _is_place(text):
        return {"destination": text}
    for pattern in phrases.patterns("navigation", clause.language):
        if not (match := pattern.search(text)):
            continue
        said = match.groupdict()
        way: JsonObject = {}
        destination = _whole_name(said["destination"], said.get("particle") or "")
        for slot, name in (("destination", destination), ("origin", said.get("origin") or "")):
            place = _place(name, clause.language)
            if place and not (slot == "origin" and meant(place) == "here"):
                way[slot] = place
        if way:
            return way
    return {}


def _whole_name(name: str, particle: str) -> str:
    """What looks like a particle may be the end of a name."""
    return name + particle if particle and not _is_place(name) and _is_place(name + particle) else name


def _place(text: str, language: str) -> str:
    place = phrases.core(text, "navigation", language, _is_place)
    return "" if phrases.says_nothing(place, "navigation", language) else place


def _is_place(text: str) -> bool:
    return known(text) is not None or meant(text) in ("home", "work")


def _titled(clause: Clause, things: Names[T]) -> Sequence[JsonObject]:
    """What stands in quotation marks, what labelled sentences teach to be a title, or what the table has."""
    if "title" in clause.expecting and things.find(_said(clause)) is not None:
        return _slot("title", _said(clause).strip())
    text, slots = _without_length(_said(clause))
    named, learned = things.all_within(text), _span(clause, "title")
    if len(named) == 1 and (other := _tied(named[0], learned) or _tied_to(named[0], learned, text)):
        named.append(other)
    if len(named) > 1:
        return tuple({"title": name, **slots} for name in named)
    bare = _without_length(learned)[0].strip()
    plain = _SORT.sub("", bare.casefold().removeprefix("the "))
    if learned and not bare:
        return ({"title": learned},)  # what looks like a length is all that it is called
    title = phrases.quoted(text) or next((name for name in named if plain in name.casefold()), bare)
    if not title or phrases.describes(title):
        title = (things.begun_within(text) if phrases.describes(text) else "") or title  # "비 오는 영상"
    if things.find(title) is None and things.find(bare := _ASKED_ABOUT.sub("", title)) is not None:
        title = bare  # "징글벨도"
    off = clause.slots and _offs().search(text)  # nothing to be played instead
    if things.find(title) is None and (off or phrases.whole("length", "another", title)):
        return ()
    return ({"title": title, **slots},) if title else ()


def _span(clause: Clause, slot: str) -> str:
    return phrases.trimmed(clause.spans.get(slot, ""))


def _tied(name: str, said: str) -> str:
    """What is wanted beside a thing that is known: "아리랑이랑 도라지"."""
    before, _, after = said.casefold().partition(name.casefold())
    tie = _ties().match(said[len(before) + len(name) :]) if after else None
    return said[len(before) + len(name) + tie.end() :].strip() if tie and not before.strip() else ""


def _tied_to(name: str, learned: str, text: str) -> str:
    """The thing that was learned, where the text ties it to the one that is known."""
    if not learned or learned.casefold() in name.casefold():
        return ""
    other = _tied(name, text[max(text.casefold().find(name.casefold()), 0) :])
    return learned if other.casefold().startswith(learned.casefold()) else ""


@cache
def _offs() -> re.Pattern[str]:
    return bounded(phrases.shared("length", "turned_off"))


@cache
def _ties() -> re.Pattern[str]:
    return bounded(phrases.shared("length", "ties"))


def _without_length(text: str) -> tuple[str, JsonObject]:
    """The text without how long it shall last, and that in seconds."""
    found = _length().search(text)
    if found is None:
        return text, {}
    seconds = int(found["count"]) * (1 if found["seconds"] else 60)
    if not 0 < seconds <= LONGEST_SHOWING:
        return text, {}
    return f"{text[: found.start()]} {text[found.end() :]}", {"seconds": seconds}


@cache
def _length() -> re.Pattern[str]:
    return bounded(phrases.shared("length", "said"))


def _weather_place(clause: Clause) -> str:
    """A place of the table, else what the sentence has in the place of one."""
    language = clause.language
    around = (phrases.of_language("weather", language, name) for name in ("before", "after"))
    if found := places.names().within(_said(clause), *around):
        return found
    if "place" in clause.expecting:
        return phrases.core(_said(clause), "weather", language, _is_place)
    learned = _span(clause, "place")
    if learned and not phrases.says_nothing(learned, "weather", language):
        return learned
    for pattern in phrases.patterns("weather", language):
        for match in pattern.finditer(_said(clause)):
            if not phrases.says_nothing(match["place"], "weather", language):
                return match["place"]
    return ""


def _slot(name: str, value: str) -> Sequence[JsonObject]:
    return ({name: value},) if value else ()


def _said(clause: Clause) -> str:
    return clause.text[:LONGEST]
