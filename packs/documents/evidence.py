"""What speaks for a passage as the answer to a question: letters, words and words for the same thing, meaning, and
whether it has what is asked for. What each counts is learned (weights.yaml, `python -m bench.document_weights`)."""

import math
import re
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from operator import mul
from typing import NamedTuple

from packs.documents.alike import Said, any_of, groups_in, said, synonyms
from packs.documents.asking import Question, is_empty, names
from packs.documents.passages import Passage
from packs.documents.ranges import ranged
from packs.documents.ranking import Letters, grams, level

Vectors = Sequence[Sequence[float]]
Meanings = Callable[[Sequence[str]], Vectors]
NAMED = 0.35
"""What the letters count that an answer is called by ("period" for "how long"), beside those of the question."""
AROUND = 0.4
"""The same of the letters around those that it is about."""
COMPARED, CLOSELY = 40, 16
"""Passages, the best by letters and words, that are compared by meaning; and the best of those, word by word."""
ALIKE_FROM, ALIKE_TO = 0.4, 0.8
"""Cosines of two words: of strangers, and of two names for one thing."""
SYNONYM, SAID = 0.85, 0.5
"""What a word for the same thing counts beside the word; a word that says or does something beside one that names."""
LISTED = 300
"""Passages of a long document that are looked at word by word: so many by letters, and by words for the same things."""
WORDS = 40
FUSED = 2
"""Syllables of a Korean word at least, of which one may be bent."""
ANYWHERE = 0.2
"""What no passage has so much of stands nowhere in the document."""
LABEL = 24
"""Letters of a label at most."""
_BRACKETS = re.compile(r"[(（][^)）]{0,40}[)）]")
_LABEL = re.compile(r"\s?[:：|]\s?")
FEATURES = (
    "fit", "letters", "words", "around", "meaning", "placed", "shown", "unshown", "around_shown", "title", "row",
    "strange", "close", "short", "label", "cell", "elsewhere", "stand", "nowhere", "foreign", "open",
    "within", "crossing", "condition",
)  # fmt: skip


class Item(NamedTuple):
    """Something that a question is about: a word, and the groups of words for the same thing."""

    word: str
    groups: tuple[int, ...]
    weight: float = 1.0


class Candidate(NamedTuple):
    """A passage (its place among all) and what speaks for it, in the order of FEATURES; `partners`: of each item what
    the passage has of it, 0..1."""

    at: int
    evidence: tuple[float, ...]
    partners: tuple[float, ...]


def candidates(question: Question, passages: Sequence[Passage], meanings: Meanings) -> list[Candidate]:
    """The likely passages, in no order that says anything."""
    items = items_of(question)
    letters = Letters(passages)
    asked = {gram: 1.0 for word in question.words for gram in grams(word)}
    fits = letters.fit(_wanted(question, asked))
    likely = _likely(question, items, passages, fits)
    shows = [question.asks and _shows(question, passages[at]) for at in likely]
    whole = [said(f"{passages[at].text} {passages[at].context}") for at in likely]
    known = [_strengths(question, items, text, shown=has) for text, has in zip(whole, shows, strict=True)]
    own = [
        _strengths(question, items, said(passages[at].text), shown=has) for at, has in zip(likely, shows, strict=True)
    ]
    rarity = [_rarity(items, known, number) for number in range(len(items))]
    means = _means(question.text, [passages[at] for at in likely], meanings)
    inside = [_share(rarity, strengths) for strengths in own]
    around = [_share(rarity, strengths) for strengths in known]
    first = sorted(range(len(likely)), key=lambda n: -(fits[likely[n]] + inside[n] + around[n] + means[n][0]))
    near = near_words(items, known, [passages[likely[n]] for n in first[:CLOSELY]], first[:CLOSELY], meanings)
    there = [max((strengths[number] for strengths in known), default=0.0) for number in range(len(items))]
    nowhere = _share(rarity, [float(most < ANYWHERE) for most in there])
    unknown = [number for number, item in enumerate(items) if there[number] < ANYWHERE and names(item.word or "-")]
    middle, spread = _middle([two for _, two in means])
    found = []
    for n, at in enumerate(likely):
        passage = passages[at]
        partners = [max(pair) for pair in zip(known[n], near.get(n, known[n]), strict=True)]
        shown = shows[n]
        beside = question.asks and not shown and question.is_shown(level(passage.context))
        close = _share(rarity, partners)
        strange = max((rare for rare, has in zip(rarity, partners, strict=True) if has < 0.2), default=0.0)
        evidence = (
            fits[at], letters.share(asked, at), inside[n], around[n], means[n][0], means[n][1], float(shown),
            float(question.asks and not shown), float(beside), float(passage.is_title), float(passage.is_row),
            strange / (max(rarity, default=1.0) or 1.0), close, float(len(passage.text) < 12),
            _labelled(passage, question), _in_cell(question, items, passage),
            _share(rarity, [max(most - has, 0.0) for most, has in zip(there, partners, strict=True)]),
            (means[n][1] - middle) / spread / 4, nowhere,
            max((1 - partners[number] for number in unknown), default=0.0), float(not question.kinds),
            _ranged(question, passage), _crossing(question, passage),
            0.0 if passage.cells else ranged(question.text, passage.text),
        )  # fmt: skip
        found.append(Candidate(at, evidence, tuple(partners)))
    return found


def _middle(values: Sequence[float]) -> tuple[float, float]:
    """The mean and the spread of a document's likeness to the question."""
    mean = math.fsum(values) / max(len(values), 1)
    return mean, math.sqrt(math.fsum((one - mean) ** 2 for one in values) / max(len(values), 1)) or 1.0


def _labelled(passage: Passage, question: Question) -> float:
    """How much of what a row or a line is called the question says: the first cell, or what stands before a colon."""
    label = passage.cells[0][1] if passage.cells else _LABEL.split(passage.text, maxsplit=1)[0]
    if not passage.is_row and (label == passage.text or len(label) > LABEL):
        return 0.0
    return called(label, question)


def called(name: str, question: Question) -> float:
    """How much of a name the question says, 0..1; what stands in brackets is none of it."""
    asked = said(question.text)
    words = [word for word in said(_BRACKETS.sub(" ", name)).tokens if not is_empty(word)]
    groups = set(groups_in(asked))
    has = [
        1.0 if any(map(_same(word), asked.tokens)) else SYNONYM if groups & set(groups_in(said(word))) else 0.0
        for word in words
    ]
    return math.fsum(has) / len(has) if has else 0.0


def _ranged(question: Question, passage: Passage) -> float:
    """1 where a figure of the question lies in the range that a row is called by (over 8 to 10 m), -1 in another."""
    return ranged(question.text, passage.cells[0][1] if passage.cells else "")


def _crossing(question: Question, passage: Passage) -> float:
    """How much of a row's name the question says, where it also says the name of a column that has a value there."""
    if not passage.cells:
        return 0.0
    best = max((called(name, question) for name, cell in passage.cells[1:] if cell and name), default=0.0)
    return called(passage.cells[0][1], question) * best


def _in_cell(question: Question, items: Sequence[Item], passage: Passage) -> float:
    """Whether a cell of a row has what is asked for, under a column that the question names or that answers are called
    by: 1; under another column 0.5."""
    best = 0.0
    for column, cell in passage.cells[1:]:
        if not cell or (question.asks and not question.is_shown(level(f"{cell} {column}"))):
            continue
        name = said(column)
        meant = any(strength(item, name) for item in items) or any(word in name.text for word in question.called)
        best = max(best, 1.0 if meant else 0.5 if question.asks else 0.0)
    return best


def items_of(question: Question) -> list[Item]:
    """Words with their groups; a group of which the question has a word that is none of these stands by itself."""
    groups = groups_in(said(question.text))
    used: set[int] = set()
    items = []
    for word in question.words:
        mine = tuple(number for number, words in groups.items() if any(_same_word(word, one) for one in words))
        used.update(mine)
        items.append(Item(word, mine, 1.0 if names(word) else SAID))
    return items + [Item("", (number,), 0.6) for number in groups if number not in used]


def _same_word(word: str, other: str) -> bool:
    return word in other.split() if other.isascii() else word in other or other in word


def _likely(question: Question, items: Sequence[Item], passages: Sequence[Passage], fits: Sequence[float]) -> list[int]:
    """A few dozen at most; of a short document all."""
    if len(passages) <= COMPARED:
        return list(range(len(passages)))
    some = _shortlist(items, passages, fits)
    texts = [said(f"{passages[at].text} {passages[at].context}") for at in some] if items else []
    named = [0.0] * len(some)
    for item in items:
        there = [strength(item, text) for text in texts]
        rare = _rarity([item], [[one] for one in there], 0)
        for n, has in enumerate(there):
            named[n] += rare * has
    most = max(named, default=0.0) or 1.0
    shown = [0.3 if question.asks and _shows(question, passages[at]) else 0.0 for at in some]
    score = {at: fits[at] + named[n] / most + shown[n] for n, at in enumerate(some)}
    return sorted(sorted(some, key=lambda at: (-score[at], at))[:COMPARED])


def _shortlist(items: Sequence[Item], passages: Sequence[Passage], fits: Sequence[float]) -> list[int]:
    """Of a long document those with most of the letters, and those with most of the words for the same things: all that
    the rest looks at, so that a book takes hardly longer than a leaflet."""
    if len(passages) <= LISTED:
        return list(range(len(passages)))
    starts, pieces, at = [], [], 0
    for one in passages:
        starts.append(at)
        pieces.append(f"{one.text} {one.context}\n")
        at += len(pieces[-1])
    whole = "".join(pieces).casefold()
    counts: Counter[int] = Counter()
    for item in items:
        counts.update({place for word in synonyms(item.groups) for place in _holding(whole, word, starts)})
    best = sorted(range(len(passages)), key=lambda n: (-fits[n], n))[:LISTED]
    return sorted({*best, *(place for place, _ in counts.most_common(LISTED))})


def _holding(whole: str, word: str, starts: Sequence[int]) -> set[int]:
    found, at = set(), whole.find(word)
    while at >= 0:
        place = bisect(starts, at) - 1
        found.add(place)
        at = whole.find(word, starts[place + 1]) if place + 1 < len(starts) else -1
    return found


def strength(item: Item, there: Said) -> float:
    if item.word and any(map(_same(item.word), there.tokens)):
        return 1.0
    return SYNONYM if item.groups and any_of(there, item.groups) else 0.0


def _strengths(question: Question, items: Sequence[Item], there: Said, *, shown: bool) -> list[float]:
    """What a text has of each item; a sum of money is there where one is `shown`, whatever it is called."""
    called = set(question.called) if shown else set()
    return [
        max(strength(item, there), SYNONYM if called and not item.word and called & synonyms(item.groups) else 0.0)
        for item in items
    ]


def _rarity(items: Sequence[Item], known: Sequence[Sequence[float]], number: int) -> float:
    having = sum(1 for strengths in known if strengths[number] > 0)
    return items[number].weight * math.log(1 + (len(known) - having + 0.5) / (having + 0.5))


def _share(rarity: Sequence[float], strengths: Sequence[float]) -> float:
    whole = math.fsum(rarity)
    return math.fsum(map(float.__mul__, rarity, map(float, strengths))) / whole if whole else 0.0


def _wanted(question: Question, asked: dict[str, float]) -> dict[str, float]:
    wanted = dict.fromkeys(grams(question.text), AROUND) | asked
    for word in question.called:
        for gram in grams(word):
            wanted.setdefault(gram, NAMED)
    return wanted


def _shows(question: Question, passage: Passage) -> bool:
    return question.is_shown(level(f"{passage.text} {passage.context}" if passage.is_row else passage.text))


def _means(text: str, passages: Sequence[Passage], meanings: Meanings) -> list[tuple[float, float]]:
    """How alike each is to the question, by itself and where it stands; 0 where there are no vectors."""
    texts = [one.text for one in passages]
    placed = [f"{one.context}: {one.text}" if one.context else one.text for one in passages]
    every = list(dict.fromkeys([text, *texts, *placed]))
    vectors = meanings(every)
    if len(vectors) != len(every):
        return [(0.0, 0.0)] * len(passages)
    known = dict(zip(every, vectors, strict=True))
    return [
        (dot(known[text], known[one]), dot(known[text], known[two])) for one, two in zip(texts, placed, strict=True)
    ]


def near_words(
    items: Sequence[Item],
    known: Sequence[Sequence[float]],
    passages: Sequence[Passage],
    places: Sequence[int],
    meanings: Meanings,
) -> dict[int, list[float]]:
    """Of each of these passages what it has of each item, by the meaning of single words."""
    strange = [item.word for item in items if item.word]
    there = {
        place: list(dict.fromkeys(one for one in said(f"{p.text} {p.context}").words.split() if not is_empty(one)))[
            :WORDS
        ]
        for place, p in zip(places, passages, strict=True)
    }
    every = list(dict.fromkeys([*strange, *(word for words in there.values() for word in words)]))
    vectors = meanings(every) if strange else []
    if len(vectors) != len(every):
        return {}
    vector = dict(zip(every, vectors, strict=True))
    found = {}
    for place, words in there.items():
        found[place] = [
            has
            if has or not item.word
            else _partner(max((dot(vector[item.word], vector[one]) for one in words), default=0.0))
            for item, has in zip(items, known[place], strict=True)
        ]
    return found


def _partner(cosine: float) -> float:
    return min(max((cosine - ALIKE_FROM) / (ALIKE_TO - ALIKE_FROM), 0.0), 1.0)


@cache
def _same(word: str) -> Callable[[str], bool]:
    """Whether two words begin with the same letters, or one is in the other."""

    def test(other: str) -> bool:
        if word == other:
            return True
        if word.isascii() or other.isascii():
            kept = max(4, len(word) - 3)
            return len(word) > 3 and word[:kept] == other[:kept]
        if "가" <= word[0] <= "힣":
            return word[:2] == other[:2] or word in other or (len(other) > 1 and other in word) or _bent(word, other)
        pairs = (word[at : at + 2] for at in range(len(word) - 1))
        return word in other or other in word or any(pair in other for pair in pairs)

    return test


def _bent(word: str, other: str) -> bool:
    """Whether Korean words differ by what is at the bottom of one syllable: an ending that has grown onto a stem
    (벌리면, 벌린다), or a letter that is often forgotten (나무가지, 나뭇가지)."""
    size = 2 if len(word) > 1 and word[0] == other[:1] else len(word)
    if len(word) < size or len(other) < size or size < FUSED:
        return False
    apart = [(one, two) for one, two in zip(word[:size], other[:size], strict=True) if one != two]
    return len(apart) == 1 and _open(apart[0][0]) == _open(apart[0][1]) in apart[0]


def _open(syllable: str) -> str:
    """Without the consonant at its bottom."""
    return chr(ord(syllable) - (ord(syllable) - ord("가")) % 28) if "가" <= syllable <= "힣" else ""


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))
