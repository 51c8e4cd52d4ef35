"""What a question may mean of which the rules do not know all words: first in the table's own words, then as a whole.
What has something against it is no guess."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from packs.marketing.asking import units
from packs.marketing.asking.answering import answer, kept_rows
from packs.marketing.asking.days import Period
from packs.marketing.asking.leftover import not_worked_out, row_words
from packs.marketing.asking.meaning.composing import by_meaning
from packs.marketing.asking.meaning.wording import Meanings, in_its_words, nears_a_value, with_what_is_counted
from packs.marketing.asking.naming import full_heading
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, questions, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Measure, Request

_SURE, _SURE_ALONE = 0.2, 0.4
"""How likely all that was decided by meaning is together, to be told and not asked about; of one figure without groups
a word that nobody knows may be which rows are meant."""
_WORD = 4
"""Letters of a Latin word whose plural may be written otherwise."""
_TURNED = ("not_in", "lacks", "empty", "filled", "lt", "le")
"""What says "not" of rows."""


class How(NamedTuple):
    """What a question is read with: the name of the table, and whoever makes vectors."""

    file: str
    meanings: Meanings


def nobody(_: Sequence[str]) -> Sequence[Sequence[float]]:
    """Makes no vectors: a question is read by the rules alone."""
    return ()


def guessed(  # noqa: PLR0913  # a question, and all that is known of it
    asked: str,
    read: Request,
    found: Profile,
    periods: Sequence[Period],
    how: How,
    by_rules: Callable[[str], list[Request]],
    *,
    on_its_own: bool,
) -> list[Request] | None:
    """`read` is what the rules made of it. As a whole it is guessed where it is `on_its_own`; else it says of what was
    asked before no more than what changes. None where it is better to ask."""
    if not_worked_out(asked, found) or _is_written(read.unread, found):
        return None
    if (plain := _but_for_verbs(read, asked, found, how.meanings)) is not None:
        return [replace(plain, meant=True)]
    same = in_its_words(asked, read.unread, found, how.meanings, how.file)
    same = with_what_is_counted(same, found, periods, how.file, how.meanings)
    again = by_rules(same) if same != asked else []
    if again and all(_is_understood(one, asked, found) and _keeps_all(one, read) for one in again):
        return [replace(one, meant=True) for one in again]
    whole = on_its_own and not _tells_some_rows(read.unread, asked, row_words(found, how.file))
    meant = by_meaning(asked, found, periods, how.file, how.meanings) if whole else None
    if meant is None or not _is_understood(meant.request, asked, found) or not _keeps_all(meant.request, read):
        return None
    request = meant.request
    which = not _lacks(request) and nears_a_value(read.unread, found, how.meanings)
    drops = _drops_a_group(request, read.unread, asked)
    if drops or which or _asks_for_more(request, asked) or _ranks_nothing(request, found):
        return None
    alone = request.asks == "figures" and not request.groups and request.measures[0].kind in ("count", "mean", "sum")
    return [replace(request, meant=True)] if meant.sure >= (_SURE_ALONE if alone else _SURE) else None


def _keeps_all(request: Request, read: Request) -> bool:
    """Whether all that the rules have read of which rows are meant narrows them, or is told apart: a guess that drops
    it answers another question."""
    parts = [one for measure in request.measures for one in measure.part]
    used = {one.column for one in (*request.filters, *parts)} | {one.column for one in request.groups}
    return all(one.column in used for one in read.filters)


def _drops_a_group(request: Request, unread: Sequence[str], asked: str) -> bool:
    """Whether rows are counted or added up all together, though a figure is wanted for each of what nobody has read."""
    if request.asks != "figures" or request.groups or any(one.kind in ("mean", "ratio") for one in request.measures):
        return False
    said = words()["for_each_word"]
    return any(compiled(said.replace("WORD", re.escape(one))).search(asked) is not None for one in unread)


def _tells_some_rows(unread: Sequence[str], asked: str, rows: frozenset[str]) -> bool:
    """Whether a word that nobody has read stands right before what a row is called: it says which of them are meant
    ("junior fish")."""
    spelt = "|".join(map(re.escape, sorted(rows, key=len, reverse=True))) or "(?!)"
    latin = [one for one in unread if re.fullmatch("[a-z]{3,}", one)]
    return any(
        compiled(rf"(?<![A-Za-z])(?<!most )(?<!least ){one} (?:{spelt})(?:e?s)?(?![A-Za-z])").search(asked)
        for one in latin
    )


def _passes_over(request: Request, asked: str, found: Profile) -> bool:
    """Whether figures are told, and none of a column of numbers that is named by all of its heading ("what share of the
    weight")."""
    if request.asks != "figures":
        return False
    parts = [*request.filters, *(one for measure in request.measures for one in measure.part)]
    used = {one.column for one in parts} | {one.column for one in request.groups}
    used |= {name for one in request.measures for name in (one.column, one.per) if name is not None}
    said = " ".join(asked.split())
    for one in sorted(found.of("number"), key=lambda column: len(column.name), reverse=True):
        match = compiled(full_heading(one)).search(said) if one.is_of_the_file else None
        if match is not None and one.name not in used:
            return True
        said = compiled(full_heading(one)).sub(" ", said) if match is not None else said  # a longer name takes it
    return False


def _is_written(unread: Sequence[str], found: Profile) -> bool:
    """Whether a word that nobody has read stands in the texts of the rows: it says which of them are meant ("which
    country complains most about the battery")."""
    said = [one.casefold() for one in unread if len(one) > 1]
    texts = [one.name for one in found.of("text") if one.is_of_the_file]
    latin = [one[:-1] if one.isascii() and one.endswith("s") and len(one) > _WORD else one for one in said]
    return any(found.frame[name].str.to_lowercase().str.contains(_spelt(one)).any() for name in texts for one in latin)


def _spelt(word: str) -> str:
    return rf"\b{re.escape(word)}" if word.isascii() else re.escape(word)


def _asks_for_more(request: Request, asked: str) -> bool:
    """Whether there are two questions, and the guess is of one figure: what comes first is told with what it has."""
    told_together = request.asks == "rows" or (bool(request.groups) and request.descending is not None)
    return len(questions(asked)) > 1 and not told_together and len(request.measures) == 1


def _ranks_nothing(request: Request, found: Profile) -> bool:
    """Whether the first of one is asked for: all days of a table are of one year."""
    if request.descending is None or len(request.groups) != 1:
        return False
    return len(answer(found, replace(request, limit=None, descending=None)).rows) < len(("one", "other"))


def _is_understood(request: Request, asked: str, found: Profile) -> bool:
    """Whether nothing is against it: there are such rows, figures are in the unit that is asked for, who asks who is
    told names, and a "not" has turned something."""
    said = words()
    if request.unread or request.unknown or not kept_rows(found, request.filters).height:
        return False
    if _passes_over(request, asked, found):
        return False
    told = [one.column for one in request.measures if one.column] if request.asks != "rows" else request.columns[:1]
    if any(units.is_of_another_unit(found.column(one), asked) for one in told):
        return False
    if _counts_what_is_measured(request, asked, found):
        return False
    per_time = any(one.grain for one in request.groups) and compiled(said["per_time"]).search(asked)
    blank = compiled(said["blank_cells"]).search(asked) is not None  # who leaves these out keeps what is filled in
    turned = not compiled(said["negated"]).search(asked) or any(
        one.op in _TURNED and (blank or one.op != "filled") for one in request.filters
    )
    figures = any(one.kind != "count" for one in request.measures)  # in a mean blank cells have no part
    turned &= not blank or figures or any(one.op in ("empty", "filled") for one in request.filters)
    divides = compiled(said["divided"]).search(asked) is not None
    turned &= not divides or any(one.per is not None for one in request.measures)
    if per_time or not turned:
        return False  # what each day has on average is no figure of single days
    somebody = compiled(said["who_asked"]).search(asked) is not None and not _lacks(request)
    return not somebody or bool(request.groups) or request.asks != "figures"


def _counts_what_is_measured(request: Request, asked: str, found: Profile) -> bool:
    """Whether rows are counted, though it is asked how many of what a column is measured in ("몇 키로" of kilos)."""
    rows = request.asks == "figures" and {one.column for one in request.measures} <= {None}
    sentence = AskedSentence(asked)
    return rows and (units.asked_in(sentence, found) is not None or bool(units.of_several(sentence, found)))


def _but_for_verbs(read: Request, asked: str, found: Profile, meanings: Meanings) -> Request | None:
    """What the rules made of it, where nothing but what was done is unknown: how many rows there are in all, or which
    group has most of them ("가장 많이 올라간 담당자")."""
    said, counted = words(), read.measures in ((), (Measure("count"),))
    blank = compiled(said["blank_cells"]).search(asked) is not None and not _lacks(read)
    if read.asks != "figures" or read.unknown or not counted or compiled(said["negated"]).search(asked) or blank:
        return None
    request = replace(read, unread=())
    if any(letter.isdigit() for one in read.unread for letter in one) or nears_a_value(read.unread, found, meanings):
        return None
    first = compiled(bounded(f"{said['high']}|{said['low']}|{said['superlatives']}")).search(asked)
    whole = not (read.groups or read.filters or first) and compiled(said["in_all"]).search(asked)
    rows = compiled(said["rows_counted"]).search(asked)
    if _counts_what_is_measured(request, asked, found):
        return None
    most = len(read.unread) == 1 and compiled(said["most_done"]).fullmatch(read.unread[0]) is not None
    ranked = most and bool(read.groups) and read.descending is not None
    return request if (whole and rows) or ranked else None


def _lacks(request: Request) -> bool:
    return any(one.op == "empty" for one in request.filters)
