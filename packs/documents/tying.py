"""Whether anything is asked for that may be reckoned, and whether its figures are tied to that: by the words of the
question, or by the text itself. What stands beside each other in a text need not belong together."""

import re
from collections.abc import Mapping, Sequence

from packs.documents.alike import Said, said
from packs.documents.amounts import CLOCK, amounts
from packs.documents.asking import Question, words_of
from packs.documents.evidence import Item, items_of, strength
from packs.documents.grids import cues
from packs.documents.passages import Passage
from packs.documents.sums import Figure, Way, sentence_of
from packs.documents.wording import stands_any

UNMEASURED = frozenset({"person", "place", "reason", "phone", "mail", "allowed"})
"""Who asks for these alone asks for nothing that is reckoned."""
GAIN = 0.02
"""So much more of the question each figure has to speak of, beside the others, where it is tied by that alone."""
PLAINLY, PERHAPS_LEFT = 1.0, 0.7
"""How plainly a sum, or what is left, has to be asked for to be reckoned of what only stands together."""
SPOKEN_OF, SPOKEN = 0.8, 0.3
"""So much of a word of the question a figure has of which it is said; and so much more of it than another that it is
said of that one alone."""
FINALS = 28
"""Korean syllables that differ in their last consonant alone."""
_FIGURES = re.compile(r"\d[\d,.:]*")


def is_plain(asked: Said, kinds: Mapping[str, float]) -> bool:
    """Whether a question says that something is to be reckoned: by its words, or by how many of something it names."""
    if kinds.get("left", 0.0) >= PERHAPS_LEFT or stands_any(asked, cues()["together"]):
        return True
    return _is_said(kinds) or bool(kinds.keys() & {"product", "rate"})


def asks_for_nothing(question: Question, kinds: Mapping[str, float]) -> bool:
    """Whether it only asks who, where, why, or whether something may be."""
    names = {kind.name for kind in question.kinds}
    return bool(names) and names <= UNMEASURED and not _is_said(kinds)


def _is_said(kinds: Mapping[str, float]) -> bool:
    """Whether words that have no other use ask for it."""
    return max(kinds.get("total", 0.0), kinds.get("left", 0.0)) >= PLAINLY or "each" in kinds


def is_tied(way: Way, known: Mapping[str, float], *, plain: bool) -> bool:
    """Whether the figures of a way belong together and to what is asked. `known`: what speaks for it, by
    reckoning.SPEAKS_OF; `plain`: the question plainly asks for something to be reckoned."""
    if way.kind == "moment":
        return not way.is_a_term and _is_counted_from(way)
    if way.kind in ("percent", "share"):
        return _is_a_part_that_is_meant(way)
    if way.kind in ("among", "change") and not way.agrees and _is_of_it(way):
        return False
    if way.kind == "product" and way.per and not plain:
        return all(any(one.own) for one in way.figures)
    return _stands_together(way, known, plain=plain)


def _stands_together(way: Way, known: Mapping[str, float], *, plain: bool) -> bool:
    named = known["own_gain"] > GAIN
    beside = bool(known["same_passage"] or known["same_column"]) or _is_of_one_list(way) or _are_alike(way)
    if way.kind == "lasting":
        return bool(known["same_passage"])
    if way.kind == "days":
        return named or bool(known["same_column"])
    return (
        named
        or (way.kind == "left" and way.agrees and beside)
        or (plain and (beside or way.per or (bool(way.times) and (way.agrees or len(way.figures) == 1))))
        or bool(known["extra"] and any(map(_is_said_extra, way.figures)))
    )


def _is_of_it(way: Way) -> bool:
    """Whether the text says that one of two figures is a part of the other: then both together are no whole."""
    one, two = (figure.amount for figure in way.figures[:2])
    text = sentence_of(one)
    return (
        one.passage == two.passage
        and text == sentence_of(two)
        and stands_any(said(text), (*cues()["of_it"], *cues()["of_this"]))
    )


def _is_said_extra(one: Figure) -> bool:
    return one.is_extra and any(one.own)


def _is_of_one_list(way: Way) -> bool:
    places = {one.amount.passage.title for one in way.figures}
    return len(places) == 1 and all(one.amount.passage.is_listed or one.amount.passage.cells for one in way.figures)


def _are_alike(way: Way) -> bool:
    """Whether a word of the question is said of all of them."""
    return any(min(has) >= SPOKEN_OF for has in zip(*(one.own for one in way.figures), strict=True))


def _is_a_part_that_is_meant(way: Way) -> bool:
    """Whether the question speaks of whom or what a percentage is for, and it or the text of what it is a part."""
    whole, rate = way.figures[:2]
    text = sentence_of(rate.amount)
    beside = whole.amount.passage == rate.amount.passage and sentence_of(whole.amount) == text
    if not beside and whole.document and any(one.is_money for one in amounts(Passage(text))):
        return False  # it is a part of what stands beside it
    if not any(has > also + SPOKEN for has, also in zip(rate.own, whole.own, strict=True)):
        return False
    if (
        not whole.document
        or whole.derived
        or any(has > also + SPOKEN for has, also in zip(whole.own, rate.own, strict=True))
    ):
        return True
    return beside or _share_a_word(text, whole.amount.clause)


def terms(ways: Sequence[Way], question: Question) -> list[Way]:
    """The last days of what the question asks for the end of; of a text that has one alone, where it does not say of
    what ("when does the contract end?")."""
    found = [way for way in ways if way.is_a_term]
    items = [item for item in items_of(question) if item.word and not _asks_for_an_end(item.word)]
    if not items:
        return found if len({way.value for way in found}) == 1 else []
    return [way for way in found if all(_is_of(way, item) for item in items)]


def _asks_for_an_end(word: str) -> bool:
    """Whether a word, or what is left of it without its ending, is one of those that ask for an end."""
    every = (*cues()["ends"], *cues()["term"])
    return any(
        word in one.split() or (not word.isascii() and word[:1] == one[:1] and _is_part(word, one)) for one in every
    )


def _is_part(word: str, other: str) -> bool:
    return word.startswith(other) or other.startswith(word)


def _is_of(way: Way, item: Item) -> bool:
    amount = way.figures[0].amount
    return strength(item, said(f"{amount.passage.title} {sentence_of(amount)}")) > 0


def _is_counted_from(way: Way) -> bool:
    """Whether a text counts a length of time from a moment: in one sentence, or by what the moment is called ("30 days
    from the date of the invoice"); or the question itself says when."""
    moment, span = (one.amount for one in way.figures[:2])
    text = sentence_of(span)
    if not way.figures[0].document:
        return True
    if (way.times[1] < 0) != stands_any(said(text), cues()["ahead"]):
        return False
    if moment.passage == span.passage and sentence_of(moment) == text and moment.unit == CLOCK:
        return True
    return stands_any(said(text), (*cues()["within"], *cues()["ahead"])) and _share_a_word(text, moment.clause)


def _share_a_word(one: str, other: str) -> bool:
    words = _words(other)
    return any(
        word == two or (len(two) > 1 and not two.isascii() and two in word) for word in _words(one) for two in words
    )


def _words(text: str) -> frozenset[str]:
    """What a text is about; of Korean words how they begin, whatever is bent behind it (끝나는, 끝납니다)."""
    return frozenset(map(_root, words_of(_FIGURES.sub(" ", text))))


def _root(word: str) -> str:
    if len(word) < 2 or not "\uac00" <= word[1] <= "\ud7a3":
        return word
    return word[0] + chr(ord(word[1]) - (ord(word[1]) - 0xAC00) % FINALS)
