"""What a sentence says against what its request does: of what nothing in the request shows, no figure is told."""

import re
from dataclasses import replace

from packs.marketing.asking.leftover import outside_blank, row_words
from packs.marketing.asking.naming import full_heading, holds, is_of_persons, name_pattern, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import (
    AskedSentence,
    bounded,
    compiled,
    is_bound,
    number_of,
    number_pattern,
    plain,
    words,
)
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Heading, Measure, MeasureKind, Request

_QUOTED = r"[\"“‘「『'][^\"”’」』']{1,30}[\"”’」』']"
_WHATEVER = "\\s?(?:[은는이가을를]?\\s?(?:상관|관계|구분|무관|안\\s?가리)|に関係|を問わ)"
"""Behind a column that narrows nothing."""


def with_unheeded(
    request: Request, sentence: AskedSentence, profile: Profile, file: str = "", *, alone: bool = True
) -> Request:
    """The request with the words that say "not", "how far apart" or "on average", where nothing in it does: a figure
    without them would answer the opposite, or something else; all rows are counted where nothing else is said."""
    if request.asks not in ("figures", "rows", "examples") or request.unread or request.unknown:
        return request
    if request.asks == "figures" and request.descending is not None and not request.groups:
        request = _extreme(request, sentence.text if alone else "")
    left, said = outside_blank(sentence), words()["unheeded"]
    grows = request.change or any(one.stepped or one.since for one in request.measures)
    grows |= any(one.grain or one.periods for one in request.groups)
    heeded = {
        "apart": grows or bool(request.groups),
        "not": _leaves_out(request, profile),
        "grows": grows,
        "left": _is_of_what_is_left(request, profile),
    }
    found = [match.group().strip() for kind, match in ((one, compiled(said[one]).search(left)) for one in said)
             if match is not None and not heeded[kind]]  # fmt: skip
    found = found or _dropped(request, sentence, profile, file, alone=alone)
    return replace(request, unread=tuple(found)) if found else request


def _is_of_what_is_left(request: Request, profile: Profile) -> bool:
    """Whether the figures, if there are any but numbers of rows, are of what is left of something."""
    by = [request.columns[0]] if request.asks == "rows" and request.columns and request.descending is not None else []
    told = [profile.column(one) for one in (*(it.column for it in request.measures), *by) if one is not None]
    said = compiled(words()["of_what_is_left"])
    filtered = any(said.search(one.column) for one in request.filters)
    return not told or filtered or any(one.taken_together or said.search(one.name) is not None for one in told)


def _dropped(request: Request, sentence: AskedSentence, profile: Profile, file: str, *, alone: bool) -> list[str]:
    """As above, by all that is said: what nothing shows in the request was read as something else."""
    text, said = outside_blank(sentence, whole=True), words()
    spoken = text
    turned = [said[one] for one in ("not_negated", "each_once", "whatever", "not_that_figure")]
    turned += [said["empty"]["alone"] + r"[^\s]*", _QUOTED, _values_of(request)]
    for pattern in (*turned, "|".join(map(pattern_of, profile.columns))):
        spoken, text = text, compiled(pattern).sub(lambda match: " " * len(match.group()), text)
    negated = compiled(said["negated"]).search(text)
    heeded = _leaves_out(request, profile) or request.having is not None
    heeded |= any(one.op == "contains" for one in request.filters)
    found = [negated.group().strip()] if negated is not None and not heeded else []
    mean = compiled(bounded(said["measures"]["mean"])).search(text) if request.asks == "figures" else None
    averaged = any(one.kind in ("mean", "median", "ratio") for one in request.measures)
    points = mean is not None and mean.group().startswith("何点") and profile.rating is None  # so many of them
    found += [mean.group().strip()] if mean is not None and not (averaged or points) else []
    rows = row_words(profile, file)
    found += _passed_over(request, spoken, profile, rows, sentence.text, alone=alone)
    found += _ranked_otherwise(request, text, sentence.text, profile)
    asked = compiled(said["question"]).search(text) is not None  # who asks nothing has the table summed up
    if alone:  # else it may be of what was told before
        empty = {one.column for one in request.filters if one.op == "empty"}
        found += [one.column for one in request.measures if one.column in empty and one.kind != "count"]  # of no values
        found += _ranked_by_nothing(request, spoken)
        back = compiled(said["points_back"]).search(text)
        found += [back.group().strip()] if back is not None else []
    if asked and request == replace(Request(), decimals=request.decimals):
        named = "|".join(sorted(map(name_pattern, rows), key=len, reverse=True))
        found += compiled(rf"{named}|{said['whole_table']}").sub(" ", text).replace("?", " ").split()
    return [one for one in found if any(letter.isalpha() for letter in one)]


def _ranked_by_nothing(request: Request, text: str) -> list[str]:
    """A superlative, where nothing is ranked and no greatest or least figure is told."""
    ranked = request.descending is not None or request.asks != "figures" or bool(request.groups)
    ranked |= any(one.kind in ("max", "min") for one in request.measures) or request.having is not None
    ranked |= len(request.measures) > 1 and len({one.kind for one in request.measures}) == 1  # each is told
    most = compiled(bounded(words()["superlatives"])).search(text)
    return [most.group().strip()] if most is not None and not ranked else []


def _ranked_otherwise(request: Request, text: str, whole: str, profile: Profile) -> list[str]:
    """Who was first, which of a column that is kept to one value, or how many of the most: where something else is
    ranked."""
    if request.descending is None:
        return []
    who, told = compiled(words()["who"]).search(text), {one.column for one in request.groups}
    people = {one.name for one in profile.of("category") if is_of_persons(one)}
    # "who was on the front desk most": whoever that column has
    by_name = (rf"(?<![A-Za-z])who (?:[a-z]+ ){{0,3}}(?:{pattern_of(profile.column(one))})" for one in told)
    people |= told if any(compiled(one).search(whole) for one in by_name) else set()
    found = [who.group().strip()] if who is not None and people and told and not told & people else []
    kept = [one for one in request.filters if one.op == "in" and len(one.values) == 1 and not told]
    which = {one.column: words()["which_of"].replace("NAME", pattern_of(profile.column(one.column))) for one in kept}
    found += [str(one.values[0]) for one in kept if compiled(which[one.column]).search(whole)]
    said = rf"(?<![A-Za-z\d.가-힣一-龯])({number_pattern()}){words()['limit_unit']}(?=만|[을를의]|\s|$|[?.,、。])"
    numbers = [number_of(one[1]) for one in compiled(said).finditer(text) if not is_bound(text, one.end())]
    values = [it for one in request.filters for it in one.values]
    values += [one[1] for one in (request.having, request.bound) if one is not None]
    return [*found, *(f"{one:g}" for one in numbers if one not in (1, request.limit, *values))]


def _passed_over(
    request: Request, text: str, profile: Profile, rows: frozenset[str], whole: str, *, alone: bool
) -> list[str]:
    """Columns that are named by their whole heading, and money that is asked for, where nothing in the request has to
    do with them; of columns of groups only where a figure of all rows is told."""
    if request.asks != "figures":
        return []
    parts = [*request.filters, *(it for one in request.measures for it in one.part)]
    used = {it.column for it in parts} | {one.column for one in request.groups}
    used |= {it for one in request.measures for it in (one.column, one.per) if it is not None}
    used |= {it.name for one in parts for it in one.values if isinstance(it, Heading)}
    columns = [one for one in profile.columns if one.name in used]
    spans = [match.span() for one in columns for match in compiled(pattern_of(one)).finditer(text)]
    found: list[str] = []
    for column in profile.columns:
        grouped = column.kind == "category" and (request.groups or not alone or plain(column.name) in rows)
        its = any(one.startswith(column.name) for one in used)  # or its hours are
        if its or grouped or column.kind not in ("number", "date", "category"):
            continue
        for match in compiled(full_heading(column)).finditer(text):
            within = any(start <= match.start() and match.end() <= end for start, end in spans)
            within |= text[: match.start()].endswith("all ") or text[match.end() :].startswith(tuple("하한했할된될됐"))
            if not within and compiled(_WHATEVER).match(whole, match.end()) is None:
                found.append(column.name)
    headed = any(isinstance(it, Heading) for one in parts for it in one.values)
    against = "|".join(full_heading(one) for one in profile.of("number")) or "(?!)"
    against = words()["beside_any_column"].replace("NAME", against)  # more than another column: no figure of all rows
    found += [] if request.change or headed else [one.group().strip() for one in compiled(against).finditer(whole)]
    money = compiled(bounded(words()["money_spoken"]["asked"])).search(text)
    has = any(holds(one, "amount") for one in profile.of("number"))
    told = [profile.column(one.column) for one in request.measures if one.column is not None]
    named = any(compiled(pattern_of(one)).search(text) for one in told)
    if money is not None and has and not named and not any(holds(one, "amount") for one in columns):
        found.append(money.group().strip())
    return found


def _values_of(request: Request) -> str:
    kept = [*request.filters, *(one for it in request.measures for one in it.part)]
    return "|".join(re.escape(one) for it in kept for one in it.values if isinstance(one, str)) or "(?!)"


def _extreme(request: Request, text: str) -> Request:
    """What is ranked and is no group is the greatest or least figure itself ("the average fare and the highest"); a
    word that nothing has taken may have been the group."""
    end: MeasureKind = "max" if request.descending else "min"
    told = dict.fromkeys(one.column for one in request.measures if one.column is not None and one.per is None)
    if request.aside or not told:
        ranking = compiled(bounded(words()["superlatives"])).search(text)
        left = request.aside or ((ranking.group().strip(),) if ranking is not None else ())
        return replace(request, unread=left, aside=())
    most = tuple(Measure(end, one) for one in told if Measure(end, one) not in request.measures)
    return replace(request, measures=(*request.measures, *most), descending=None, limit=None)


def _leaves_out(request: Request, profile: Profile) -> bool:
    kept = [*request.filters, *(one for it in request.measures for one in it.part)]
    kept += [one for group in request.groups for part in group.parts for one in part]
    if any(one.op in ("not_in", "lacks", "empty", "filled", "lt", "le") for one in kept):
        return True
    pairs = {one.name: pair for one in profile.columns if (pair := yes_and_no(one)) is not None}
    no = any(one.op == "in" and one.column in pairs and pairs[one.column][1] in one.values for one in kept)
    no |= any(one.op == "in" and 0.0 in one.values for one in kept)
    return no or any(one.column in pairs for one in request.groups)
