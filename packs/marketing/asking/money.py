"""The columns of money, and which of them is meant."""

import re
from collections.abc import Sequence
from dataclasses import replace

from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.lexicon import same_as
from packs.marketing.asking.naming import holds, names_pattern, pattern_of, told_apart, whole_amounts
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Measure, Request

_WORD_ENDS = r"(?![A-Za-z])(?=$|[^가-힣]|(?:은|는|이|가|을|를|도|의|만|으?로|과|와|이?랑)(?![가-힣]{2}))"


def of_money(numbers: Sequence[Column]) -> list[Column]:
    return [one for one in numbers if holds(one, "amount") or compiled("[가価値]$").search(one.name)]


def money_that_is_meant(sentence: AskedSentence, profile: Profile, *, surely: bool) -> Column | None:
    """The column of money where one asks what somebody pays: the one there is, or the one of whole sums."""
    if not sentence.find(bounded(words()["money_spoken"]["surely" if surely else "asked"])):
        return None
    ranked = compiled(bounded(words()["superlatives"])).search(sentence.text)  # then a row is sought
    told = [] if ranked else told_apart(of_money(profile.of("number")), sentence.text)
    if not told and compiled(words()["takes_in"]).search(sentence.text) is not None:
        of_sales = [one for one in profile.of("number") if one.scale is None and holds(one, "sales")]
        told = of_sales if len(of_sales) == 1 else []
    beside = amounts_spoken_of(of_money(profile.of("number")), sentence, by_name=False) if not ranked else []
    beside = [one for one in beside if _beside(one) and len(beside) == 1]
    if (money := next(iter([*beside, *told]), None) or the_money(profile)) is not None:
        sentence.take(bounded(words()["money_spoken"]["surely"]))
    return money


def of_whole_amounts(request: Request, asked: str, profile: Profile) -> Request:
    """What one piece costs adds up to nothing: the amounts do, where one column has them and nobody has named the
    prices."""
    price = compiled(words()["unit_price"])
    numbers = [one for one in profile.of("number") if one.scale is None and price.search(one.name) is None]
    amounts = whole_amounts([one for one in numbers if any(holds(one, kind) for kind in ("amount", "sales"))])
    if len(amounts) != 1:
        return request

    def summed(measure: Measure) -> Measure:
        named = measure.column is not None and compiled(pattern_of(profile.column(measure.column))).search(asked)
        is_price = measure.kind == "sum" and measure.per is None and price.search(measure.column or "") is not None
        return replace(measure, column=amounts[0].name) if is_price and not named else measure

    return replace(request, measures=tuple(map(summed, request.measures)))


def amounts_spoken_of(columns: list[Column], sentence: AskedSentence, *, by_name: bool) -> list[Column]:
    """Of amounts that a word may mean, such as "the amount", what was given back or taken off where that is spoken of
    ("how much was refunded?"), else the others. Those that are named by their headings are all meant."""
    parts = {one.name: said for one in columns if (said := _beside(one))}
    if by_name or not parts or len(parts) == len(columns):
        return columns
    spoken = [one for one in columns if one.name in parts and _is_spoken_of(parts[one.name], sentence)]
    return spoken or [one for one in columns if one.name not in parts or not holds(one, "amount")]


def _is_spoken_of(said: str, sentence: AskedSentence) -> bool:
    """In whatever language, and not to be left out ("환불 빼고")."""
    found = compiled(names_pattern({said, *same_as(said)})).finditer(sentence.text)
    return any(not is_left_out(sentence, *one.span()) for one in found)


def _beside(column: Column) -> str:
    """What the heading says of money that is no whole amount; nothing of any other."""
    match = compiled(words()["beside_the_amount"]).search(column.name)
    return match.group() if match is not None else ""


def the_money(profile: Profile) -> Column | None:
    """The one column of money, or the one of whole sums."""
    amounts = whole_amounts([one for one in profile.of("number") if one.scale is None and holds(one, "amount")])
    for kinds in (("total", "paid", "sales", "fees"), ("cost", "salary"), words()["amount"]):
        some = [one for one in amounts if any(holds(one, kind) for kind in kinds) and not holds(one, "discount")]
        if len(some) == 1:
            return some[0]
    return amounts[0] if len(amounts) == 1 else None


def money_that_is_nowhere(sentence: AskedSentence, profile: Profile) -> str:
    """What something costs is no other figure of a table without money."""
    if any(holds(one, "amount") for one in profile.columns):
        return ""
    said = [name for kind in words()["money_asked"] for name in words()["columns"][kind]]
    spelt = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    match = sentence.take(rf"(?<![A-Za-z가-힣])(?:{spelt})s?{_WORD_ENDS}")
    return match.group() if match is not None else ""


def speaks_of_money(sentence: AskedSentence) -> bool:
    """Whether one asks what was paid, in whatever words."""
    return any(sentence.find(bounded(one)) is not None for one in words()["money_spoken"].values())
