"""What a turn says that it does to the tasks of an open flow, whatever the flow is: markers.yaml."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BeforeValidator

from contracts.shape import Contract
from services.cognitive.domain.beside import behind_a_question

_FILE = Path(__file__).with_name("markers.yaml")
LONGEST = 200
"""Characters of a turn that are searched: whoever says more says something else, too."""
PAIR = 2
BESIDE = 2
"""Characters between two words of which one is for the other."""
END = 8
"""Characters in which a sentence that ends in its verb has it."""
LEFT_BEHIND = 8
"""Characters that may follow a verb that takes something back, where it ends the sentence."""

_TAG = re.compile(
    r"(?i),? (?:is|was|are|were|do|does|did|has|have|had|wo|ca)n['\u2019]?t (?:it|he|she|they|we|you)\?*(?=\s*$)"
)
"""A question behind a remark that wants no answer ("… isn't it?")."""
_LAUGHTER = re.compile(
    r"\.{2,}|\u2026+|(?i:(?<!\S)(?:l+o+l+|(?:ha){2,}h?|lmao|[\u314b\u314e]{2,}|\u7b11|w{1,4})(?!\S))"
)
_LETTERS = re.compile("[\u3131-\u3163]")
_ENDS = re.compile(r"[.!~…。！]+\s*|\n")
_SUM = re.compile(r"(?:\d|[만천백십]|원)(?:원)?(?:을|를|만|은)?\s*\Z")
"""A sum of money, right before a Korean verb."""
_QUOTED = re.compile(r"[‘“\"「『'][^’”\"」』']{0,200}[’”\"」』']")

Pattern = Annotated[re.Pattern[str], BeforeValidator(re.compile)]


class Markers(Contract):
    """Of one language; what each is for stands in markers.yaml."""

    adds: Pattern
    corrects: Pattern
    undoes: Pattern
    drops: Pattern
    keeps: Pattern
    twice_no: Pattern
    begins: Pattern
    yet: Pattern
    all: Pattern
    rest: Pattern
    this: Pattern
    soft: Pattern
    last: Pattern
    placed: Pattern
    ordinals: tuple[Pattern, ...]
    ordinal: Pattern
    affirms: Pattern
    beside_yes: Pattern
    beside_shown: Pattern
    orders: Pattern
    each: Pattern
    together: Pattern
    every: Pattern
    resumes: Pattern
    refers: Pattern
    pronoun: Pattern
    sum: Pattern
    swaps: Pattern
    pair: Pattern
    behind_value: Pattern
    before_value: Pattern
    negates: Pattern
    forbids: Pattern
    deed: Pattern
    remark: Pattern
    unless: Pattern
    repeats: Pattern
    only: Pattern
    tied: Pattern
    later: Pattern
    joins: Pattern
    no_names: Pattern


@cache
def markers() -> dict[str, Markers]:
    """By language."""
    said = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return {language: Markers.model_validate(words) for language, words in said.items()}


def plain(text: str) -> str:
    """The turn as the patterns meet it."""
    folded = unicodedata.normalize("NFKC", without_tag(text)).casefold().replace("\u2019", "'")
    said = " ".join(folded[:LONGEST].split())
    for one in markers().values():
        said = one.twice_no.sub(" ", said)  # who has no reason not to does it
    return said.strip()


def without_tag(text: str) -> str:
    """The turn without the question behind a remark that wants no answer."""
    return _TAG.sub("", text)


def negates(text: str) -> bool:
    """Whether any language has a word in it that says no: whoever says one confirms nothing."""
    return any(one.negates.search(plain(text)) for one in markers().values())


def means_nothing_beside_yes(word: str) -> bool:
    """Whether a word may stand beside a word of yes without changing it: of a closed list, none of which is a yes."""
    return any(one.beside_yes.fullmatch(word) for one in markers().values())


def without_every(text: str, language: str, count: int, *, rest: bool = False) -> str:
    """The turn without its words for all that is open ("both", "둘 다") and the particles behind them; empty where it
    has none, or says two and `count`, the number of open tasks, is another. `rest`: words for what is left, too."""
    words, said = markers()[language], plain(text)
    if _LETTERS.search(text):  # what NFKC makes of lone letters nobody writes, and nothing has learned
        said = " ".join(text.casefold()[:LONGEST].split())
    named = rest and words.rest.search(said) is not None
    for pattern in (words.rest, words.every)[not rest :]:
        found = [one[0] for one in pattern.finditer(said)]
        if count != PAIR and any(words.pair.search(one) for one in found):
            return ""
        named |= bool(found)
        said = re.sub(rf"(?:{pattern.pattern})(?:{words.placed.pattern})?", " ", said).strip() or pattern.sub(" ", said)
    return " ".join(said.split()).rstrip(" .,!~") if named else ""


def is_no_yes(text: str, language: str, count: int) -> bool:
    """Whether the turn confirms nothing of `count` open tasks, whatever else it says: it has a word of no, or speaks of
    two ("both", "둘 다") where there is another number."""
    words = markers()[language]
    others = count != PAIR and any(words.pair.search(one[0]) for one in words.every.finditer(plain(text)))
    return others or negates(text)


def resumes(text: str, *, whole: bool) -> bool:
    """Whether the turn goes back to what is shown: by words like "now" and "then", and where it says all that a request
    has (`whole`), which may be one anew, by words that refer to what was said before."""
    said = plain(text)
    return any((one.refers if whole else one.resumes).search(said) for one in markers().values())


def means_nothing_beside_what_is_shown(word: str) -> bool:
    """Whether a word may stand beside a word of yes in a turn that names what is shown, or orders it to be done."""
    return means_nothing_beside_yes(word) or any(one.beside_shown.fullmatch(word) for one in markers().values())


def has_every(text: str) -> bool:
    """Whether the turn has a word for all that is open, or for what is left, however many it says."""
    return any(word.search(plain(text)) for one in markers().values() for word in (one.every, one.rest))


def ties_a_value(word: str) -> bool:
    """Whether the word only ties what stands before it: a particle, or nothing."""
    return not word or any(one.behind_value.fullmatch(word) for one in markers().values())


def orders(text: str) -> bool:
    """Whether the turn says that something is to be done now."""
    return any(one.orders.search(plain(text)) for one in markers().values())


def parts(text: str, language: str) -> list[str]:
    """Of a turn what stands between signs, behind a remark, and beside laughter."""
    said = _LAUGHTER.sub(",", text.strip(" .!~\u3002\uff01"))
    return [part.strip() for part in markers()[language].remark.split(said) if part.strip()]


def ends_in_an_order(text: str, language: str) -> bool:
    """Whether a part of a turn orders something at its end, where the verbs of Korean and Japanese stand."""
    said = plain(text)
    return orders(said if language == "en" else said[-END:])


def sets_a_condition(text: str) -> bool:
    """Whether the turn says when something is to be done, or with what difference."""
    return any(one.unless.search(plain(text)) for one in markers().values())


def adds(text: str, language: str) -> bool:
    return bool(markers()[language].adds.search(plain(text)))


def begins_with_more(text: str, language: str) -> bool:
    """Whether the turn says at once that it is about one more."""
    found = markers()[language].adds.search(plain(text))
    return found is not None and len(plain(text)[: found.start()].split()) <= 1


def is_put_off(text: str, language: str) -> bool:
    """Whether the turn says that something is to be done later, or only if something else is so."""
    return bool(markers()[language].yet.search(plain(text))) or sets_a_condition(text)


def corrects(text: str, language: str) -> bool:
    return bool(markers()[language].corrects.search(plain(text)))


def forbids(text: str, language: str) -> bool:
    """Whether the sentence as a whole says that something is not to be done: a request it is not."""
    return bool(markers()[language].forbids.search(plain(text)))


def is_not_to_be_done_yet(text: str, language: str) -> bool:
    """Whether the turn takes something back for now: as it is, it is not to be done."""
    words, said = markers()[language], plain(text)
    return bool(words.yet.search(said) and words.drops.search(said))


def repeats(text: str) -> bool:
    """Whether the whole turn asks for the last one once more."""
    said = plain(text).strip(" .!~、。").replace(",", "")
    return any(one.repeats.fullmatch(said) for one in markers().values())


def later(text: str) -> bool:
    """Whether the whole turn puts off what is shown: the next one first."""
    said = plain(text).strip(" .!~、。")
    return any(one.later.fullmatch(said) for one in markers().values())


def begins(text: str, language: str) -> bool:
    """Whether the turn puts something first."""
    return bool(markers()[language].begins.search(plain(text)))


def first_of_all(text: str, language: str) -> str:
    """The turn without words that put the first task first ("the first one first"); empty where it has none."""
    number, rest = place(text, language)
    return markers()[language].begins.sub(" ", plain(rest), count=1).strip() if number == "1" else ""


def place(text: str, language: str) -> tuple[str, str]:
    """The number of the one task that a turn with values names by its place, as `which` of FlowReading, and the text
    without those words; empty when it names none. What is quoted names nothing."""
    words = markers()[language]
    said = text if len(unicodedata.normalize("NFKC", text).casefold()) == len(text) else plain(text)
    free = _QUOTED.sub(lambda found: " " * len(found[0]), said)
    spots = [
        (found.span(), str(number))
        for number, one in enumerate(words.ordinals, 1)
        if (found := re.search(one, free.casefold()))
    ]
    if found := words.ordinal.search(free.casefold()):
        spots.append((found.span(), str(int(found["number"]) or 1)))
    if not spots and (found := words.last.search(free.casefold())):
        behind = words.placed.match(free.casefold(), found.end())
        spots = [(found.span(), "last")] if behind and behind[0].strip() else []
    if len({number for _, number in spots}) != 1:
        return "", text
    (start, end), number = max(spots, key=lambda spot: spot[0][1] - spot[0][0])
    behind = words.placed.match(free.casefold(), end)
    end = behind.end() if behind else end
    return number, said[:start] + " " * (end - start) + said[end:]


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


def says_all(text: str, count: int) -> bool:
    """Whether the turn speaks of all `count` open tasks; "both" is for two."""
    found = [(one, match[0]) for one in markers().values() for match in one.every.finditer(plain(text))]
    return bool(found) and not (count != PAIR and any(one.pair.search(said) for one, said in found))


def says(text: str, what: Literal["rest", "each", "together", "pronoun", "sum", "swaps", "affirms"]) -> bool:
    """Whether the turn speaks of those that are left, says what each of several is to have ("50,000 each") or all have
    together, has a word for somebody or a sum that was spoken of, wants two changed about, or begins with a word that
    is nothing but yes."""
    return any(getattr(one, what).search(plain(text)) for one in markers().values())
