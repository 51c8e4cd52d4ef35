"""What a turn says that it does to the tasks of an open flow, whatever the flow is: markers.yaml."""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BeforeValidator

from contracts.shape import Contract

_FILE = Path(__file__).with_name("markers.yaml")
LONGEST = 200
"""Characters of a turn that are searched: whoever says more says something else, too."""
PAIR, FEW = 2, 3
END = 8
"""Characters in which a sentence that ends in its verb has it."""

_TAG = re.compile(
    r"(?i),? (?:is|was|are|were|do|does|did|has|have|had|wo|ca)n['\u2019]?t (?:it|he|she|they|we|you)\?*(?=\s*$)"
)
"""A question behind a remark that wants no answer ("… isn't it?")."""
_LAUGHTER = re.compile(
    r"\.{2,}|\u2026+|(?i:(?<!\S)(?:l+o+l+|(?:ha){2,}h?|lmao|[\u314b\u314e]{2,}|\u7b11|w{1,4})(?!\S))"
)
_LETTERS = re.compile("[\u3131-\u3163]")
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
    looks: Pattern
    books: Pattern
    closes: Pattern | None = None
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


def looks(text: str) -> bool:
    """Whether it asks to be shown or told something, which is no order to do what is shown."""
    return any(one.looks.search(plain(text)) for one in markers().values())


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


def is_a_noun(text: str, language: str) -> bool:
    """Whether a few words with one of an order end in a word that neither is one nor ends as what is said does."""
    closes, words = markers()[language].closes, plain(text).strip(" .!~、。").split()
    if closes is None or not 1 < len(words) <= FEW or not orders(text):
        return False
    last = words[-1]
    return not (closes.search(last) or begins_with_an_order(last) or means_nothing_beside_what_is_shown(last))


def begins_with_an_order(word: str) -> bool:
    """Whether a word begins as one that orders what is shown to be done."""
    return any(one.orders.match(word) for one in markers().values())


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


def says_all(text: str, count: int) -> bool:
    """Whether the turn speaks of all `count` open tasks; "both" is for two."""
    found = [(one, match[0]) for one in markers().values() for match in one.every.finditer(plain(text))]
    return bool(found) and not (count != PAIR and any(one.pair.search(said) for one, said in found))


def says(text: str, what: Literal["rest", "each", "together", "pronoun", "sum", "swaps", "affirms", "books"]) -> bool:
    """Whether the turn speaks of those that are left, says what each of several is to have ("50,000 each") or all have
    together, has a word for somebody or a sum that was spoken of, wants two changed about, begins with a word that is
    nothing but yes, or calls something a booking."""
    return any(getattr(one, what).search(plain(text)) for one in markers().values())
