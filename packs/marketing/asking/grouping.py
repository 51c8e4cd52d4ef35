"""The columns by whose values a sentence has the rows grouped."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from packs.marketing.asking.days import SIDES
from packs.marketing.asking.lexicon import in_other_words
from packs.marketing.asking.measures import is_added
from packs.marketing.asking.naming import (
    bare_heading,
    full_heading,
    heading_pattern,
    headings_of,
    holds,
    is_of_persons,
    name_pattern,
    names_pattern,
    pattern_of,
    yes_and_no,
)
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group

_FEW, _SMALL = 15, 100
"""Different numbers of a column by which rows may be grouped, and below which all of them lie."""
_FINAL_N, _FINALS = 4, 28
"""How a syllable of Hangul ends: with ㄴ, of so many ways."""
_ALIAS = r"(?:\s?\([^)]{1,20}\)|\))?"


class Grouped(NamedTuple):
    """`named`: a column is; `every`: each of its values is wanted, and not the first alone."""

    groups: list[Group]
    named: bool = False
    every: bool = False


def grouped(  # noqa: PLR0913  # all that a sentence has said so far
    sentence: AskedSentence,
    profile: Profile,
    groups: Sequence[Group],
    parts: Collection[str],
    *,
    ranked: bool,
    crossed: bool,
    listed: bool,
) -> Grouped:
    """`groups` and those that the sentence names: by "each", by being ranked, or by which of its values is asked.
    `parts` are columns that a share is of, and no groups. `listed`: which of them have rows that are kept is a question
    by itself."""
    said, categories = words(), [one for one in profile.of("category") if one.name not in parts]
    of_what = sentence.find(r"(?<![A-Za-z])(?P<kind>type|kind|categor|sort)(?:s|y|ies)?(?P<of> of (?:the )?[a-z]+)")
    if of_what is not None and any(one.name.casefold().startswith(of_what["kind"]) for one in categories):
        sentence.blank(*of_what.span("of"))  # "the types of programme", of a column Type
    found, every = list(groups), False
    asked_first = [one for one in categories if sentence.find(said["which_of"].replace("NAME", pattern_of(one)))]
    for pattern in (full_heading, heading_pattern, pattern_of):
        for column in [*asked_first, *(one for one in categories if one not in asked_first)]:
            if any(one.column == column.name for one in found):
                continue
            name = pattern(column)
            before = rf"(?:{said['each_before']}|(?:each|every|per|by) [a-z]+ )(?:{name})"
            named_so = f"{name}|{part_of(column, profile)}" if pattern is pattern_of else name
            each = rf"(?:{named_so}){_ALIAS}{said['kind_behind']}\s?(?:{said['each']})|(?<![A-Za-z]){before}"
            named_each = sentence.take(each) is not None
            first = ranked and all(one.periods for one in found) and sentence.find(name)
            which = len(found) < SIDES and (listed or (ranked and all(one.grain for one in found)))
            asked = which and sentence.find(said["which_of"].replace("NAME", f"{name}|{end_of(column)}")) is not None
            crossing = crossed and len(found) < SIDES and sentence.find(name) is not None
            every |= named_each
            if named_each or first or asked or crossing:
                sentence.take(name)
                sentence.take(said["which_of"].replace("NAME", end_of(column)))
                found.append(Group(column.name))
    if not found and ranked and (other := _otherwise_called(sentence, categories)) is not None:
        found = [Group(other.name)]
    if not found and not ranked and not listed and (which_one := _which_one(sentence, profile)) is not None:
        sentence.take(pattern_of(which_one))
        found, every = [Group(which_one.name)], True
    if not found and not ranked and (each_of := _told_one_by_one(sentence, profile)) is not None:
        sentence.take(pattern_of(each_of))
        found, every = [Group(each_of.name)], True
    return Grouped(found, len(found) > len(groups), every)


def by_numbers(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """Columns of few small whole numbers by each of which something is told (반별, per class, 学年ごと)."""
    said = words()
    found = []
    for column in profile.of("number"):
        name = pattern_of(column)
        each = rf"(?:{name}){said['kind_behind']}\s?(?:{said['each']})|(?<![A-Za-z]){said['each_before']}(?:{name})"
        few = column.scale is None and is_of_kinds(column, profile) and not is_added(column)
        if few and sentence.take(each) is not None:
            found.append(Group(column.name))
    return found


def is_of_kinds(column: Column, profile: Profile) -> bool:
    """Whether the few small whole numbers of a column are rather names (classes, floors)."""
    cells = profile.frame[column.name].drop_nulls()
    if not cells.len() or cells.n_unique() > _FEW or holds(column, "amount"):
        return False
    return bool((cells == cells.round()).all()) and float(cells.max()) < _SMALL  # type: ignore[arg-type]  # numbers alone


def _otherwise_called(sentence: AskedSentence, categories: Sequence[Column]) -> Column | None:
    """The one column that is ranked by a word that may be any row's as well ("our biggest customer" of Client)."""
    said, text = words(), sentence.text
    found = []
    for one in categories:
        name = names_pattern(in_other_words(one.name))
        doing = re.fullmatch(r"([A-Za-z]{4,})(?:er|or)", one.name)
        if doing is not None and compiled(rf"(?<![A-Za-z])who (?:[a-z]+ )?{doing[1]}[a-z]*").search(text) is not None:
            sentence.take(rf"(?<![A-Za-z]){doing[1]}[a-z]*")  # who borrows, of Borrower
            found.append(one)
            continue
        most = rf"(?:{said['high']}|{said['low']}|가장\s?큰|제일\s?큰|一番の?)\s?(?:{name})"
        if compiled(rf"{said['which_of'].replace('NAME', name)}|{most}").search(text) is not None:
            found.append(one)
    return found[0] if len(found) == 1 else None


def each_of_others(sentence: AskedSentence, profile: Profile) -> tuple[list[Group], str]:
    """The column that is broken down by another word for it (先生ごと of 担当医); else the word, where none has it."""
    match = sentence.find(words()["each_said"])
    said = (match["name"] or match["ko"]) if match is not None else ""
    if match is None or not said:
        return [], ""
    found = [one for one in profile.of("category") if said in in_other_words(one.name)]
    found = found or _called_by_more(said, profile)
    if len(found) != 1:
        return [], said
    sentence.blank(*match.span())
    return [Group(found[0].name)], ""


def _called_by_more(said: str, profile: Profile) -> list[Column]:
    """Those whose heading, or a word for it, begins a word that says besides what kind it is, or who (担当医 of 担当,
    部屋タイプ of 部屋)."""
    kind = compiled(words()["of_a_kind_behind"])
    found = []
    for column in profile.of("category"):
        names = {bare_heading(column.name), *in_other_words(column.name)}
        begun = [one for one in names if len(one) > 1 and said.startswith(one)]
        found += [column] if any(kind.fullmatch(said[len(one) :]) for one in begun) else []
    return found


def _which_one(sentence: AskedSentence, profile: Profile) -> Column | None:
    """The one column of groups that is named beside a word that asks which of them."""
    if compiled(words()["which_one"]).search(sentence.text) is None:
        return None
    named = [one for one in profile.of("category") if sentence.find(pattern_of(one)) is not None]
    return named[0] if len(named) == 1 and yes_and_no(named[0]) is None else None


def places(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """Where it is, where one column alone has places."""
    if sentence.find(words()["where_asked"]) is None:
        return []
    kinds = words()["place_kinds"]
    if sentence.find(words()["through_where"]) is not None:
        kinds = ["channel"] if any(holds(one, "channel") for one in profile.of("category")) else kinds
    found = [one for one in profile.of("category") if any(holds(one, kind) for kind in kinds)]
    return [Group(one.name) for one in found if len(found) == 1]


def things(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """What it is that was sold, where one column alone has products."""
    said, found = words(), [one for one in profile.of("category") if holds(one, "product")]
    if len(found) != 1 or compiled(bounded(said["sold"])).search(sentence.text) is None:
        return []
    if (so := compiled(said["sold_so"]).search(sentence.text)) is not None:
        starts = [so.start(name) for name in filter(so.group, so.groupdict())]
        if any(_is_of_another(sentence.text, start, profile, found[0]) for start in starts):
            return []  # the month in which most was sold
        for name in filter(so.group, so.groupdict()):
            sentence.blank(*so.span(name))
        return [Group(found[0].name)]
    asked = f"{bounded(said['thing_asked'])}|{pattern_of(found[0])}"
    return [Group(found[0].name)] if compiled(asked).search(sentence.text) is not None else []


def _is_of_another(text: str, start: int, profile: Profile, thing: Column) -> bool:
    """Whether what stands there is a time, or is called as another column is."""
    units = list(words()["time_units"].values()) if profile.date is not None else []
    others = [pattern_of(one) for one in profile.of("category") if one is not thing]
    return any(compiled(one).match(text, start) is not None for one in (*units, *others))


def sold_somehow(sentence: AskedSentence, profile: Profile) -> bool:
    """Whether one asks what, who or where it was, or when, of what was sold."""
    if compiled(bounded(words()["sold"])).search(sentence.text) is None:
        return False
    units = words()["time_units"].values() if profile.date is not None else ()
    when = any(compiled(one).search(sentence.text) for one in units)
    what = things(sentence, profile) or persons(sentence, profile, ranked=True) or places(sentence, profile)
    return bool(when or what)


def asked_anew(sentence: AskedSentence, profile: Profile, told: Sequence[Group]) -> bool:
    """Whether one asks who, where or what it is that comes first, and the groups that were `told` before are none."""
    before = [profile.column(one.column) for one in told]
    persons_told = any(map(is_of_persons, before)) or bool(_called_after_people(before))
    places_told = any(holds(one, kind) for one in before for kind in words()["place_kinds"])
    things_told = any(holds(one, "product") for one in before)
    return (
        (not persons_told and bool(persons(sentence, profile, ranked=True)))
        or (not places_told and bool(places(sentence, profile)))
        or (not things_told and bool(things(sentence, profile)))
    )


def end_of(column: Column) -> str:
    """The last letter of a heading that has no blanks, by which it is called where one asks which: 과 of 진료과."""
    name = column.name
    last = rf"(?<![가-힣一-龯]){re.escape(name[-1])}" if re.fullmatch(r"[가-힣]{3,}|[一-龯]{3,}", name) else "(?!)"
    first = rf"(?<=どの){name[0]}(?=[がはをにでの])" if re.fullmatch("[一-龯]{2}", name) else "(?!)"  # 部 of 部活
    return f"{last}|{first}"


def part_of(column: Column, profile: Profile) -> str:
    """What a heading without blanks begins or ends with, and no other one has: 항목 of 계정항목."""
    name = column.name if re.fullmatch(r"[가-힣]{4,}|[一-龯]{3,}", column.name) else ""
    parts = [one for at in range(2, len(name) - 1) for one in (name[:at], name[at:])]
    parts += [name[-2:]] if re.fullmatch("[一-龯]{3}", name) else []
    own = [one for one in parts if sum(one in other.name for other in profile.columns) == 1]
    return "|".join(rf"(?<![가-힣一-龯]){one}" for one in own) or "(?!)"


def _told_one_by_one(sentence: AskedSentence, profile: Profile) -> Column | None:
    """The one column that is named where its values are compared, or all shall be told ("the clubs … for each")."""
    said = words()
    for pattern in (full_heading, heading_pattern, pattern_of):
        named = [one for one in profile.of("category") if sentence.find(pattern(one)) is not None]
        if named:
            name = pattern(named[0])
            each = sentence.find(said["each_alone"]) or sentence.find(said["all_compared"].replace("NAME", name))
            return named[0] if len(named) == 1 and each is not None else None
    return None


def named(sentence: AskedSentence, profile: Profile, said: str = "NAME") -> list[Group]:
    """The first column of groups that is named, or of which something is `said`."""
    pattern = {one.name: said.replace("NAME", pattern_of(one)) for one in profile.of("category")}
    return [Group(name) for name, it in pattern.items() if compiled(it).search(sentence.text)][:1]


def persons(sentence: AskedSentence, profile: Profile, *, ranked: bool) -> list[Group]:
    """Who it is, where one column alone has persons: who has the most, or else of whom rows are kept."""
    asked = f"{words()['who']}|{words()['who_most']}" if ranked else words()["which_persons"]
    if compiled(asked).search(sentence.text) is None and not (ranked and _are_described(sentence.text)):
        return []
    found, others = people(profile), _called_after_people(profile.of("category")) if ranked else []
    if compiled(words()["who_pays"]).search(sentence.text) is not None:
        payers = [one for one in found if holds(one, "payer")] if len(found) > 1 else found
        strangers = all(compiled(words()["trades"]).search(one.name) for one in found)
        found = others if others and strangers else payers  # who works here has not paid
    found = found or others
    return [Group(one.name) for one in found if len(found) == 1]


def _are_described(text: str) -> bool:
    """Whether people are told by what they did ("많이 쓴 사람"): the verb before them ends in ㄴ."""
    found = compiled(words()["person_described"]).finditer(text)
    return any((ord(one[1]) - ord("가")) % _FINALS == _FINAL_N for one in found)


def people(profile: Profile) -> list[Column]:
    """The columns that name somebody."""
    return [one for one in profile.of("category") if is_of_persons(one)]


def _called_after_people(columns: Sequence[Column]) -> list[Column]:
    """Those that name customers, members or tenants, who may be people or not."""
    said = compiled(words()["person_headings"])
    kinds = compiled(words()["kinds_of_persons"])
    return [one for one in columns if said.search(one.name) is not None and kinds.search(one.name) is None]


def those_who(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """The people of whom each has so many rows, where it is clear which."""
    named = [one for one in profile.of("category") if compiled(pattern_of(one)).search(sentence.text)]
    found = [one for one in named or people(profile) if is_of_persons(one)] or _called_after_people(named)
    return [Group(one.name) for one in found if len(found) == 1]


def is_spoken_of(sentence: AskedSentence, column: Column) -> bool:
    """Whether what a column names is called by another word for such things (물건 of 상품)."""
    names = set(headings_of(column))
    lines = [line for line in words()["rows"] if names & set(line)]
    return any(compiled(name_pattern(one)).search(sentence.text) for line in lines for one in line)


def are_named(column: Column, filters: Sequence[Filter]) -> bool:
    """Whether two of its values or more are."""
    return any(one.column == column.name and one.op == "in" and len(one.values) > 1 for one in filters)


def by_nothing(sentence: AskedSentence, rows: frozenset[str]) -> str:
    """What there shall be a figure for each of, and is nothing that this table has ("per ward")."""
    match = sentence.find(bounded(r"per (?P<name>(?!cent)[a-z]{3,20})"))
    if match is None:
        match = sentence.find(words()["each_of_it"])
        return match["name"] if match is not None else ""
    return match["name"] if match["name"].rstrip("s") not in rows else ""
