"""The requests of a text: one, or as many as it has questions, by its words or by what it means."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from packs.marketing.asking import people, shown_too
from packs.marketing.asking.days import Period
from packs.marketing.asking.families import in_full
from packs.marketing.asking.heard import heard
from packs.marketing.asking.meaning.guessing import How, guessed
from packs.marketing.asking.money import of_whole_amounts
from packs.marketing.asking.naming import pattern_of
from packs.marketing.asking.phrasing import AskedSentence, compiled, questions, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.reading import Reading
from packs.marketing.asking.request import Measure, Request
from packs.marketing.asking.sums import Sums
from packs.marketing.asking.turns import goes_on, leans
from packs.marketing.asking.units import ranks_by_length, ranks_by_rows


def requests_of(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, how: How
) -> list[Request]:
    """One, or as many as the text has questions. Where its words are not known, by what it means; a question that
    cannot go on from `before` is read by itself."""
    told = _requests_of(asked, found, periods, before, how)
    if before is None or not any(one.unread or one.unknown for one in told) or _goes_on(asked):
        return told
    alone = _requests_of(asked, found, periods, None, how)
    if any(one.unread or one.unknown or asks_nothing(one, asked) for one in alone):
        return told
    asks = any(compiled(words()[one]).search(asked) for one in ("question", "which", "superlatives"))
    whole = (asks and not leans(asked)) or all(_says_what(one, asked, found) for one in alone)
    return alone if whole else told


def _goes_on(text: str) -> bool:
    """Whether it says that it goes on from the question before."""
    return any(compiled(words()[one]).search(text) for one in ("goes_on", "same_again"))


def _says_what(request: Request, text: str, found: Profile) -> bool:
    """Whether it ranks, or measures a column that it names itself: no fragment of another question."""
    columns = [found.column(one.column) for one in request.measures if one.column is not None]
    named = bool(columns) and all(compiled(pattern_of(one)).search(text) for one in columns)
    return request.descending is not None or named


def _requests_of(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, how: How
) -> list[Request]:
    asked, found = in_full(asked, found)
    sums = Sums(found, before, lambda text, on: Reading(text, found, periods, on, how.file).request(), how.file)
    if (reckoned := sums.of(asked)) is not None:
        return reckoned
    by_rules = partial(_by_words, found=found, periods=periods, before=before, name=how.file)

    def read(text: str) -> list[Request]:
        told = by_rules(text)
        if len(told) == 1 and (said := ranks_by_rows(told[0], text, found) or ranks_by_length(told[0], text, found)):
            told = [replace(told[0], unread=(said,))]
        told = [of_whole_amounts(one, text, found) for one in told]
        if len(told) > 1 or not (told[0].unread or told[0].unknown):
            return told
        on_its_own = before is None or not goes_on(AskedSentence(text), before)
        meant = guessed(text, told[0], found, periods, how, by_rules, on_its_own=on_its_own)
        return [people.of_guessed(of_whole_amounts(one, text, found), text, found) for one in meant] if meant else told

    return shown_too.of_all_groups(heard(asked, found, before, read))


def _by_words(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request]:
    """One, or as many as the text has questions, where they are not one and the same request."""
    asked = compiled(words()["how_many_that"]).sub("", asked)
    whole = Reading(asked, found, periods, before, name).request()
    if (those := _and_of_those(asked, found, periods, before, name)) is not None:
        return those
    if (two := _two_questions(asked, found, periods, before, name)) is not None:
        return two
    if (each := _each_its_figure(asked, whole, found, periods, before, name)) is not None:
        return each
    mixed = len(whole.measures) > 1 and bool(whole.filters)
    narrower = compiled(words()["before_that"]).search(asked, 1) is not None and len(questions(asked)) > 1
    narrower = narrower and len(whole.measures) == 1
    if not (whole.unread or whole.aside or mixed or narrower or (whole.asks == "why" and whole.descending is not None)):
        return [whole]
    several: list[Request] = []
    for one in questions(asked):
        request = Reading(one, found, periods, several[-1] if several else before, name).request()
        several.append(_of_the_same_rows(one, request, several, asked))
    if several and several[0] == Request() and not compiled(words()["measures"]["count"]).search(questions(asked)[0]):
        return [whole]  # "and which of those …, how many?" is one question
    understood = len(several) > 1 and not any(
        one.unknown or one.unread or one.aside or one.asks == "preview" for one in several
    )
    if mixed and not whole.unread:
        # "the total of all, and the average of the blue ones": what is said behind is not said of what came first
        understood &= not several[0].filters and bool(several[-1].filters)
    return several if understood else [whole]


def _and_of_those(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """How many there are, and how many of those are something: two figures, of whatever words the first is made; else
    None."""
    parts = questions(asked)
    if len(parts) != len(("one", "other")) or compiled(words()["and_of_those"]).match(parts[1]) is None:
        return None
    first = Reading(parts[0], found, periods, before, name).request()
    counted = first.asks == "figures" and first.measures == (Measure("count"),) and not (first.groups or first.unknown)
    said = words()
    turned = compiled(f"{said['negated']}|{said['superlatives']}|\\d").search(parts[0])
    if not counted or turned or (first.unread and first.filters) or not compiled(said["counted"]).search(parts[0]):
        return None
    second = Reading(parts[1], found, periods, replace(first, unread=()), name).request()
    if second.unread or second.unknown or not set(first.filters) < set(second.filters):
        return None
    return [replace(first, unread=(), aside=(*first.aside, *first.unread)), second]


def _two_questions(
    asked: str, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """Two questions with a mark behind each, where the second keeps rows that the first does not speak of, and points
    at nothing ("the busiest day? and how many came on Sundays?"); else None."""
    parts = [one for one in re.split(r"(?<=[?？])\s*", asked) if one.strip()]
    if (
        len(parts) != len(("one", "other"))
        or not parts[1].endswith(("?", "？"))
        or compiled(words()["points"]).search(parts[1])
    ):
        return None
    first, second = (
        Reading(one, found, periods, on, name).request() for one, on in zip(parts, (before, None), strict=True)
    )
    understood = not any(one.unknown or one.unread or one.asks != "figures" for one in (first, second))
    apart = bool(first.groups) and bool(second.filters) and not set(first.filters) & set(second.filters)
    return [first, second] if understood and apart else None


def _each_its_figure(  # what is read, and all that it is read with
    asked: str, whole: Request, found: Profile, periods: Sequence[Period], before: Request | None, name: str
) -> list[Request] | None:
    """Two questions that want a figure each, of the same rows, where one of the two would be lost in one answer ("how
    many kilos of it? how many boxes?"); else None."""
    parts = [one for one in re.split(r"(?<=[?？])\s*", asked) if one.strip()]
    if len(parts) != len(("one", "other")) or whole.asks != "figures" or whole.groups:
        return None
    first = Reading(parts[0], found, periods, before, name).request()
    second = Reading(parts[1], found, periods, first, name).request()
    for request in (first, second):
        if request.asks != "figures" or request.groups or request.unread or request.unknown or request.aside:
            return None
    one, other = _figures(first), _figures(second)
    if not one or not other or one & other or one | other <= _figures(whole):
        return None
    return [first, second if second.filters else replace(second, filters=first.filters)]


def _figures(request: Request) -> set[str]:
    return {one.column for one in request.measures if one.column}


def _of_the_same_rows(said: str, request: Request, several: Sequence[Request], asked: str) -> Request:
    """What is asked in the second half of a sentence ("how many are his, and what do they weigh?") is asked of the rows
    of the first, unless it says which."""
    before = asked[: asked.find(said)].rstrip()
    if not several or request.filters or request.groups or before.endswith((".", "?", "!", "。", "？", "！")):
        return request
    if compiled(words()["of_the_whole"]).search(said) is not None:
        return request
    return replace(request, filters=several[-1].filters)


def asks_nothing(request: Request, asked: str) -> bool:
    """Whether nothing but rows is meant ("summarise the reviews of Leeds"): not even how many."""
    counts = compiled(words()["measures"]["count"]).search(asked)
    return replace(request, filters=()) == Request() and counts is None
