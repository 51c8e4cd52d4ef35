"""The one row that has most of something, whatever a row is called: "the biggest fish by weight, and who got it?"."""

import re
from collections.abc import Collection
from typing import NamedTuple

from packs.marketing.asking.measures import meant_by_adjective
from packs.marketing.asking.naming import full_heading, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.units import asked_in


class Thing(NamedTuple):
    """By which column, whether the most of it, and what the thing was called."""

    by: Column
    most: bool
    called: str


def sought(sentence: AskedSentence, profile: Profile, rows: Collection[str]) -> Thing | None:
    """None where groups, times or figures are ranked, an average is asked for, or nothing says by what."""
    said = words()["one_thing"]
    averaged = bounded("|".join(words()["measures"][one] for one in ("mean", "median")))
    text = sentence.text
    groups = "|".join(map(pattern_of, profile.of("category"))) or "(?!)"
    apart = compiled(said["each"].replace("GROUPS", groups)).search(text) is not None
    if apart or compiled(averaged).search(text) is not None or compiled(said["of_it"]).search(text) is None:
        return None
    spelt = "|".join(map(re.escape, sorted(rows, key=len, reverse=True))) or "(?!)"
    for pattern in said["patterns"]:
        match = compiled(pattern.replace("ROWS", spelt)).search(text)
        if match is None or _is_another(match["thing"] or "", profile, rows):
            continue
        thing = match["thing"] or ""
        if compiled(said["many"]).search(match["how"]) and compiled(said["at_once"]).search(text) is None:
            continue  # most of it in all
        column, most = _by_what(
            match["how"], text, profile, first=compiled("몇|何").match(text, match.end()) is not None
        )
        if column is not None:
            sentence.blank(*match.span("how"))
            if not thing or plain(thing).rstrip("s") in rows:
                sentence.blank(*match.span())
            for asked in said["asked_of_it"]:
                while sentence.take(asked) is not None:
                    pass
            return Thing(column, most, thing)
    return None


def _is_another(thing: str, profile: Profile, rows: Collection[str]) -> bool:
    """Whether what is sought is a group, a figure or a time, and no row."""
    if plain(thing).rstrip("s") in rows:
        return False
    named = [one for one in profile.columns if one.kind in ("category", "number")]
    if any(compiled(rf"(?:{pattern_of(one)})").fullmatch(thing) for one in named):
        return True
    return compiled(words()["one_thing"]["no_thing"]).fullmatch(thing) is not None


def _by_what(how: str, text: str, profile: Profile, *, first: bool) -> tuple[Column | None, bool]:
    """The column that is named behind "by", that the adjective speaks of, or whose unit the answer shall have; the unit
    comes `first` where it is what one asks of the thing right away."""
    said = words()["one_thing"]
    most = compiled(said["least"]).search(how) is None
    numbers = [one for one in profile.of("number") if one.scale is None and not one.made]
    for spelt in (full_heading, pattern_of):
        for column in numbers:
            if compiled(said["by"].replace("NAME", spelt(column))).search(text) is not None:
                return column, most
    if first and (measured := asked_in(AskedSentence(text), profile)) is not None:
        return measured, most
    meant, high = meant_by_adjective(AskedSentence(how), profile)
    if meant is not None and high is not None:
        return (meant, high) if meant.kind == "number" else (None, most)
    return asked_in(AskedSentence(text), profile), most
