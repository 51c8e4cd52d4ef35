"""Which task of several a turn keeps, or takes back: by its name, its place, or words for all or the rest."""

import re
from collections.abc import Iterator, Sequence

from services.cognitive.domain.beside import behind_a_question
from services.cognitive.markers import Markers, markers, plain

BESIDE = 2
"""Characters between two words of which one is for the other."""
LEFT_BEHIND = 8
"""Characters that may follow a verb that takes something back, where it ends the sentence."""
_ENDS = re.compile(r"[.!~…。！]+\s*|\n")
_SUM = re.compile(r"(?:\d|[만천백십]|원)(?:원)?(?:을|를|만|은)?\s*\Z")
"""A sum of money, right before a Korean verb."""


def kept(text: str, language: str, current: int, names: Sequence[Sequence[str]]) -> str:
    """The one task that a turn wants to be left with, as `which` of FlowReading; empty when it says no such thing."""
    words, said = markers()[language], plain(text)
    only = words.only.search(said)
    if only is None or "?" in said:
        return ""
    if only.groupdict().get("rest") or _is_dropped(words, said, only):
        return ""
    near = _up_to_what_goes(words, said, only, language)
    if number := _ordinal(words, near):
        return number
    spots = sorted((at, end, place) for at, end, place in _spots(near, names))
    if not spots:
        return ""
    return _together(words, near, spots, spots[0] if language == "en" else spots[-1], current)


def _up_to_what_goes(words: Markers, said: str, only: re.Match[str], language: str) -> str:
    """The side of the sentence on which what is kept is named, without what a verb there takes back."""
    gone = list(words.drops.finditer(said))
    if language == "en":
        return said[only.start() : min((one.start() for one in gone if one.start() >= only.end()), default=len(said))]
    return said[max((one.end() for one in gone if one.end() <= only.start()), default=0) : only.end()]


def _is_dropped(words: Markers, said: str, only: re.Match[str]) -> bool:
    """Whether nothing but that is to go ("only cancel Dad's")."""
    gone = [one.span() for one in words.drops.finditer(said)]
    return any(0 <= start - only.end() <= BESIDE or 0 <= only.start() - end <= BESIDE for start, end in gone)


def dropped(text: str, language: str, current: int, names: Sequence[Sequence[str]]) -> str | None:
    """What a turn takes back, as `which` of FlowReading; empty when that is not clear, None when it takes nothing back.
    `current` is the number of the task that is shown; `names` has what the open ones are called, that one first."""
    words, said = markers()[language], behind_a_question(plain(text))
    verb = words.drops.search(said)
    less = verb is not None and len(names) == 1 and _SUM.search(said[: verb.start()])  # "만원 빼줘": so much less
    taken = verb if not less and may_take_back(text, language) else None
    return _which(words, said, taken, language, current, names) if taken else None


def may_take_back(text: str, language: str) -> bool:
    """Whether the turn neither asks nor says that something is to stay."""
    said = behind_a_question(plain(text))
    return "?" not in said and markers()[language].keeps.search(said) is None


def _which(
    words: Markers, said: str, verb: re.Match[str], language: str, current: int, names: Sequence[Sequence[str]]
) -> str:
    rest = words.rest.search(said)
    if rest and not _is_kept(words, said, rest):
        return "rest"
    if number := _ordinal(words, said):
        return number
    spots = [
        spot
        for spot in sorted(_spots(said, names))
        if (spot[0] >= verb.start() if language == "en" else spot[0] < verb.start())
    ]
    behind = said[verb.start() :]
    if not spots and words.pronoun.search(behind):
        # "Mom has it already, so leave her out": who was named before, if it is one
        spots = sorted(_spots(said, names))
        spots = spots if len({spot[2] for spot in spots}) == 1 else []
    if spots:
        nearest = min(spots, key=lambda spot: abs(spot[0] - verb.start()))
        return _together(words, said, spots, nearest, current)
    if words.all.search(said):
        return "all"
    this = len(names) == 1 or words.this.search(said)
    if this and _is_all_of(words, said, verb, language):
        return str(current)
    # "he owes me some anyway. Don't send it": what stands before the last sentence is why
    last = _ENDS.split(said.strip(" .!~…。！"))[-1]
    again = words.drops.search(last) if len(names) == 1 and last != said else None
    return str(current) if again and _is_all_of(words, last, again, language) else ""


def _is_kept(words: Markers, said: str, rest: re.Match[str]) -> bool:
    """Whether the rest is what the person wants ("drop the second and send the rest")."""
    only = words.only.search(said)
    return only is not None and bool(only.groupdict().get("rest")) and only.start() <= rest.end()


def _ordinal(words: Markers, said: str) -> str:
    numbers = {int(found["number"]) or 1 for found in words.ordinal.finditer(said)}
    numbers |= {place for place, one in enumerate(words.ordinals, 1) if one.search(said)}
    if numbers:
        return ",".join(str(number) for number in sorted(numbers))
    return "last" if words.last.search(said) else ""


def _spots(said: str, names: Sequence[Sequence[str]]) -> Iterator[tuple[int, int, int]]:
    """Where what open tasks are called stands, from and to, and the place of the task."""
    for place, called in enumerate(names):
        for name in {plain(name) for name in called if name.strip()}:
            yield from ((found.start(), found.end(), place) for found in re.finditer(re.escape(name), said))


def _together(
    words: Markers, said: str, spots: Sequence[tuple[int, int, int]], one: tuple[int, int, int], current: int
) -> str:
    """The task of that spot, and those that are named in one breath with it ("Mom and Dad")."""
    places, at = {one[2]}, list(spots).index(one)
    for step in (-1, 1):
        here, near = one, at + step
        while 0 <= near < len(spots):
            first, second = (spots[near], here) if step < 0 else (here, spots[near])
            if second[0] >= first[1] and not words.tied.fullmatch(said[first[1] : second[0]].strip()):
                break
            here, near = spots[near], near + step
            places.add(here[2])
    return ",".join(str(current + place) for place in sorted(places))


def _is_all_of(words: Markers, said: str, verb: re.Match[str], language: str) -> bool:
    """Whether the sentence is about nothing but taking back what is open: nothing else is named in it."""
    rest = said[verb.end() :] if language == "en" else said[: verb.start()]
    after = "" if language == "en" else said[verb.end() :]
    others = words.soft.sub("", words.this.sub("", rest)).strip(" .,!~。、")
    return not others and len(after) <= LEFT_BEHIND
