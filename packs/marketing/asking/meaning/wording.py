"""A question in the table's own words: what nobody knew of it is called as a heading or a value that means the same."""

import re
import unicodedata
from collections.abc import Callable, Sequence

from packs.marketing.asking import units
from packs.marketing.asking.days import Period
from packs.marketing.asking.leftover import stem_of
from packs.marketing.asking.meaning import heads
from packs.marketing.asking.meaning.sought import Vectors, heading, sought
from packs.marketing.asking.naming import yes_and_no
from packs.marketing.asking.phrasing import AskedSentence
from packs.marketing.asking.profile import Profile

Meanings = Callable[[Sequence[str]], Sequence[Sequence[float]]]
"""Vectors of texts; none where nobody makes any."""
_HEADING, _VALUE, _ROW, _CLEAR = 0.7, 0.8, 0.65, 0.1
"""From which cosine a word means what a heading, a value or the name of the file says, and how much nearer that is than
any other."""
_YES, _CLEARLY = 0.55, 0.2
"""The same of columns of yes and no, of which one says what they are about in many words."""
_LIKE_A_VALUE, _RATHER = 0.5, 0.05
_MOST_VALUES = 30
_OF_COUNTED = 0.08


def in_its_words(asked: str, unread: Sequence[str], profile: Profile, meanings: Meanings, file: str = "") -> str:
    """The question with each of the unread words that means what a heading, a value or the name of the file says as
    that; as it was where none does."""
    said, columns, values = _words(unread), [one for one in profile.columns if not one.made], _values(profile)
    rows = [one for one in re.split(r"[\W_\d]+", stem_of(file)) if len(one) > 1]
    known = vectors_of([*said, *map(heading, columns), *values, *rows], meanings) if said and columns else None
    text = unicodedata.normalize("NFKC", asked)
    if known is None:
        return asked
    for word in said:
        (close, name), clear = _nearest(word, [heading(one) for one in columns], known)
        (same, value), apart = _nearest(word, values, known)
        about = next(one for one in columns if heading(one) == name)
        least, apart_by = (_YES, _CLEARLY) if yes_and_no(about) is not None else (_HEADING, _CLEAR)
        (of_a_row, called), _ = _nearest(word, rows, known)
        if of_a_row >= max(_ROW, close + _CLEAR, same + _CLEAR):
            text = _instead(text, word, called)
        elif same >= max(_VALUE, close + _CLEAR) and apart >= _CLEAR:
            text = _instead(text, word, value)
        elif close >= least and clear >= apart_by:
            text = _instead(text, word, name)
    return text


def nears_a_value(unread: Sequence[str], profile: Profile, meanings: Meanings) -> bool:
    """Whether one of the words is rather a value than a heading, and not surely enough to be taken for it: it may say
    which rows are meant."""
    said, values = _words(unread), _values(profile)
    names = [heading(one) for one in profile.columns if not one.made]
    known = vectors_of([*said, *names, *values], meanings) if said and values else None
    if known is None:
        return False
    near = [(_nearest(word, values, known)[0][0], _nearest(word, names, known)[0][0]) for word in said]
    return any(value >= _LIKE_A_VALUE and value >= name + _RATHER for value, name in near)


def with_what_is_counted(asked: str, profile: Profile, periods: Sequence[Period], file: str, meanings: Meanings) -> str:
    """The question with the heading that it is nearest to, where it asks how many by the counter of several columns
    ("합쳐서 몇 개나 버렸어"); as it was where none is nearer than the others."""
    sentence = AskedSentence(asked)
    if not (counter := units.of_several(sentence, profile)):
        return asked
    columns = [one for one in profile.of("number") if units.is_counted_so(one, sentence)]
    around = sought(asked, profile, periods, file)
    names = _apart([heading(one) for one in columns])
    known = vectors_of([*around.chunks, *names], meanings)
    if known is None or not around.chunks:
        return asked
    near = {part: max(float(known[one] @ known[part]) for one in around.chunks) for part in names}
    ranked = sorted((close, names[part]) for part, close in near.items())
    if ranked[-1][0] - ranked[-2][0] < _OF_COUNTED:
        return asked
    return _instead(unicodedata.normalize("NFKC", asked), counter, f"{ranked[-1][1]} {counter}")


def _apart(headings: Sequence[str]) -> dict[str, str]:
    """What tells headings from each other, and each whole: 생산 and 폐기 of 생산수량 and 폐기수량."""
    first, last = _alike(headings), _alike([one[::-1] for one in headings])
    parts = [one[first : len(one) - last].strip() for one in headings]
    known = parts if all(len(one) > 1 for one in parts) else headings
    return dict(zip(known, headings, strict=True))


def _alike(texts: Sequence[str]) -> int:
    """How many letters all of them begin with."""
    return next((at for at, letters in enumerate(zip(*texts, strict=False)) if len({*letters}) > 1), 0)


def vectors_of(texts: Sequence[str], meanings: Meanings) -> Vectors | None:
    """Unit vectors of the texts; none where nobody makes any, or they are of another encoder."""
    each = list(dict.fromkeys(texts))
    rows = meanings(each)
    if len(rows) != len(each) or len(rows[0]) != heads.DIMENSIONS:
        return None
    return dict(zip(each, heads.unit(rows), strict=True))


def _words(unread: Sequence[str]) -> list[str]:
    return [one for one in dict.fromkeys(unread) if len(one) > 1 and re.fullmatch(r"[^\W\d]+(?:[ '’-][^\W\d]+)*", one)]


def _values(profile: Profile) -> list[str]:
    """Of kinds, but for yes and no, which mean nothing without their heading."""
    kinds = [one for one in profile.of("category") if not one.made and yes_and_no(one) is None]
    return list(dict.fromkeys(value for one in kinds for value in one.values[:_MOST_VALUES] if len(value) > 1))


def _nearest(word: str, texts: Sequence[str], known: Vectors) -> tuple[tuple[float, str], float]:
    """The text that is nearest, how near it is, and how much nearer than the next."""
    ranked = sorted(((float(known[word] @ known[one]), one) for one in texts), reverse=True)
    if not ranked:
        return (0.0, ""), 0.0
    return ranked[0], ranked[0][0] - (ranked[1][0] if len(ranked) > 1 else 0.0)


def _instead(text: str, word: str, name: str) -> str:
    spelt = rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])" if word.isascii() else re.escape(word)
    return re.sub(spelt, lambda _: name, text, count=1, flags=re.IGNORECASE)
