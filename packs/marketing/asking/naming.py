"""What people call the columns of a table."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import groupby
from operator import itemgetter

from packs.marketing.asking.lexicon import called
from packs.marketing.asking.phrasing import AskedSentence, compiled, is_called, plain, sentences, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.tables.columns import role_names

OWN, NAME, CODE = 4, 3, 2
"""Letters of a Latin word that names one of a family, or a person; those of a value that is a code: as it is written,
or not at all."""
_OF_ALL = frozenset(("overall", "전체", "総合"))
"""Headings of ratings that say something else where they are no heading."""
_ITS_OWN = 2.0
"""The right to a name of a column whose heading ends with it."""
_OF_SOME = re.compile("(?:is[ _])?(?:new|first|repeat|returning|existing)[ _]|신규|첫|재|初|新規", re.IGNORECASE)
"""How a column begins that tells some of the rows from the others: "new patient"."""
_NO_PREFIX = "(?<!(?<![가-힣])[가-힣](?<![총각월연일그이저제별]))"
"""Not one syllable in front that makes it another word: "객단가" is no "단가"."""

_PLACED = re.compile(r"(?<=[a-z])\s(?:on|at|per|in|by|from)\s(?=[a-z])", re.IGNORECASE)
_SMALL_WORDS = frozenset({"in", "out", "on", "off", "to", "at", "by", "of", "no", "for", "from", "up", "down"})


_JOINED = re.compile(r"(?<=\w)[>→⇒/+&|](?=\w)")


def yes_and_no(column: Column) -> tuple[str, str] | None:
    """The values of a column that has no others: they mean nothing without its name."""
    values = {plain(one): one for one in column.values}
    pairs = words()["yes_or_no"]["pairs"] if len(values) == len(("yes", "no")) else ()
    return next(((values[yes], values[no]) for yes, no in pairs if {yes, no} == set(values)), None)


def by_its_sign(value: str, column: Column) -> tuple[str, ...]:
    """What a sign means in a column of who was there."""
    said = words()["signs"]
    means = said["means"].get(value, "") if compiled(said["headings"]).search(column.name) is not None else ""
    return (means, *also_called(means)) if means else ()


def is_told_apart(column: Column, categories: Sequence[Column], sentence: AskedSentence) -> bool:
    """Whether values of the column are known by themselves: those of yes and no only beside its name, or as a letter
    that no other column has ("the rows that do say Y")."""
    if (both := yes_and_no(column)) is None or sentence.find(pattern_of(column)) is not None:
        return True
    letters = "|".join(one for one in both if re.fullmatch("[YNOX]", one)) or "(?!)"
    alone = sum(yes_and_no(one) == both for one in categories) == 1
    return alone and sentence.find(rf"(?<![A-Za-z'])(?-i:{letters})(?![A-Za-z'/])") is not None


def is_value(said: str, profile: Profile) -> bool:
    """Whether the words are a value of a column, whatever else they mean ("당일" beside "예약")."""
    bare = plain(re.sub(r"(?:에|의|은|는|이|に|の|は)$", "", said.strip()))
    return any(plain(value) in (bare, plain(said)) for one in profile.of("category") for value in one.values)


def is_figure_of_speech(text: str, match: re.Match[str], value: str) -> bool:
    """Whether a word of a value of several, in small letters, stands in a sentence that asks nothing beside one that
    does ("the shed's getting full" beside a job "Full service")."""
    said = match.group()
    if not (said.isascii() and said.islower() and " " in value and value.casefold() != said.casefold()):
        return False
    asks = compiled(f"[?？]|{words()['question']}")
    spans = sentences(text)
    asked = [span for span in spans if asks.search(text, *span)]
    narrows = compiled(words()["narrowing"])
    return bool(asked) and any(
        start <= match.start() < end and (start, end) not in asked and narrows.search(text, start, end) is None
        for start, end in spans
    )


def also_called(value: str) -> tuple[str, ...]:
    """What the value is called in other words and languages."""
    return _same().get(plain(value), ())


@cache
def _same() -> dict[str, tuple[str, ...]]:
    named = words()["same"]
    return {
        plain(one): tuple(name for name in every if name != one and len(name) > (CODE if name.isascii() else 1))
        for every in named
        for one in every
    }


@lru_cache(1 << 12)
def names_of(column: Column) -> tuple[str, ...]:
    """What people may call the column: its heading, the words of it, what such columns are called; longest first."""
    if column.made or column.silent:
        return ()  # it goes by the time of day alone
    others = called(column.name) if column.kind not in ("text", "id") else ()
    spoken = [*headings_of(column), *_called(column), *column.also, *others]
    named = {one for one in spoken if (len(one) > 1 or not one.isascii()) and _alone(one) not in column.not_called}
    named = {it for one in named for it in _no_small_word(one)}
    return tuple(sorted(named, key=len, reverse=True))


def with_own_names(profile: Profile) -> Profile:
    """The profile with each name at the columns that have most right to it: what ends a heading is that column,
    whatever others of its kind are called elsewhere. What no column holds is meant by the one that stands for it
    ("on hand" for a quantity, takings for what was paid)."""
    return replace(profile, columns=_with_own_names(profile.columns))


def named_days(profile: Profile, sentence: AskedSentence, rows: Collection[str], *, others: bool) -> list[Column]:
    """The columns of days that are named, by their whole heading before a part of it and, with `others`, before what
    such columns are called elsewhere; what a row is called names none ("bookings" beside "booking date")."""
    ways: list[Callable[[Column], Sequence[str]]] = [lambda one: (one.name, bare_heading(one.name)), headings_of]
    ways += [names_of] if others else []
    for names in ways:
        named = [
            one
            for one in profile.of("date")
            if any(
                compiled(name_pattern(name)).search(sentence.text)
                for name in names(one)
                if _alone(name) not in rows and _alone(name) not in one.not_called
            )
        ]
        if named:
            return named
    return []


def told_apart(columns: Sequence[Column], text: str) -> list[Column]:
    """Of several columns of a kind the one whose heading says, in whatever words, what the text says."""
    for said in words()["telling_apart"]:
        named = [one for one in columns if compiled(said).search(one.name)]
        if len(named) == 1 and compiled(said).search(text) is not None:
            return named
    return []


def with_the_day(
    profile: Profile, sentence: AskedSentence, before: Sequence[str] = (), rows: Collection[str] = ()
) -> Profile:
    """Of several columns of days the one that is spoken of, or was just `before`, has the day of a row."""
    days = profile.of("date")
    spoken = [one for one in days if one.name in before]
    named = named_days(profile, sentence, rows, others=len(spoken) != 1) if len(days) > 1 else []
    named = named if len(named) == 1 else told_apart(days, sentence.text) or spoken
    if len(named) != 1 or named[0] is profile.date:
        return profile
    roles = {one.name: "date" if one is named[0] else None for one in days}
    columns = tuple(replace(one, role=roles[one.name]) if one.name in roles else one for one in profile.columns)  # type: ignore[arg-type]  # a role, or none
    return replace(profile, columns=columns, spoken=named[0].name)


@lru_cache(64)
def _with_own_names(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    also = _stand_ins(columns)
    for one in columns:
        if one.kind == "category" and yes_and_no(one) is not None:
            also[one.name] = (
                *also.get(one.name, ()),
                *(name for said in headings_of(one) for name in also_called(said)),
            )
            stems = (one.name[:-2] for _ in (0,) if one.name.isascii() and one.name.lower().endswith("ed"))
            also[one.name] = (*also[one.name], *stems)  # "reopen rate" of a column "reopened"
    columns = tuple(replace(one, also=also.get(one.name, ())) for one in columns)
    rights = [{_alone(name): _right(column, name) for name in names_of(column)} for column in columns]
    most: dict[str, float] = {}
    for named in rights:
        for name, right in named.items():
            most[name] = max(right, most.get(name, 0.0))
    lost = [tuple(name for name, right in named.items() if right < min(most[name], _ITS_OWN)) for named in rights]
    rows = tuple(_alone(name) for line in words()["rows"] for name in line)
    for at, one in enumerate(columns):
        if one.kind == "category" and yes_and_no(one) is not None and _OF_SOME.match(one.name) is not None:
            lost[at] = (*lost[at], *rows)  # "patients" are not those of a column "new_patient"
    if sum(holds(one, "one_subject") for one in columns) > 1:  # "subject" means those, and no other column
        said = tuple(map(_alone, words()["columns"]["subject"]))
        lost = [names if holds(one, "subject") else (*names, *said) for one, names in zip(columns, lost, strict=True)]
    return tuple(replace(one, not_called=names) for one, names in zip(columns, lost, strict=True))


def _stand_ins(columns: Sequence[Column]) -> dict[str, tuple[str, ...]]:
    numbers = [one for one in columns if one.kind == "number" and one.scale is None]
    found: dict[str, tuple[str, ...]] = {}
    for said, meant in words()["stands_for"].items():
        by_kind = (
            whole_amounts([one for one in numbers if holds(one, kind) and not holds(one, "reorder")]) for kind in meant
        )
        held = next((some for some in by_kind if some), [])
        if len(held) == 1 and not any(holds(one, said) for one in numbers):
            found[held[0].name] = (*found.get(held[0].name, ()), *words()["columns"][said])
    persons = [one for one in columns if is_of_persons(one)]
    if len(persons) == 1:  # whatever they are: students, staff
        found[persons[0].name] = (*found.get(persons[0].name, ()), *words()["columns"]["person"])
    return found


def _right(column: Column, name: str) -> float:
    """How much right the column has to a name: all of its heading, its last word, what such columns are called, another
    word of the heading, what columns of its role are called."""
    bare, said = plain(bare_heading(column.name)), plain(name)
    if bare == said or plain(column.name) == said:
        return 3.0
    head = _PLACED.split(bare_heading(column.name))[0]  # hours, and no plot, of "Hours on plot"
    if _alone(name) == _alone(re.split(r"[\s_\-/.·]+", head)[-1]) or (not name.isascii() and bare.endswith(said)):
        return _ITS_OWN
    if any(name in words()["columns"][meant] for meant in words()["columns"] if holds(column, meant)):
        return 1.0
    behind = plain(name) not in plain(head) and head != bare_heading(column.name)
    return (0.4 if behind else 0.5) if name in headings_of(column) or name in column.also else 0.0


def is_within_a_heading(said: str, text: str, profile: Profile) -> bool:
    """Whether a time is only part of what a column is called, which is spoken of: "this year" of "fees this year"."""
    low = text.casefold()
    for one in profile.columns:
        if said.strip() and said.casefold().strip() in one.name.casefold():
            rest = one.name.casefold().replace(said.casefold().strip(), " ").split()
            joined = profile.date is not None and compiled(words()["joining_day"]).search(profile.date.name)
            if joined or any(len(word) > 1 and word in low for word in rest):
                return True
    return False


@lru_cache(1 << 10)
def in_full(heading: str) -> str:
    """The heading without its abbreviations: "Labor hours" of "Labor hrs"."""
    full = words()["abbreviated"]
    return re.sub(r"[A-Za-z]+", lambda match: str(full.get(match.group().casefold(), match.group())), heading)


def bare_heading(heading: str) -> str:
    """Without what is in brackets, and the mark of a heading that asks ("PB?")."""
    return re.sub(r"[(\[（].*?[)\]）]", " ", heading).strip().rstrip("?？").rstrip()


def _alone(name: str) -> str:
    """One of them, as names are compared."""
    return plain(name).rstrip("s") if name.isascii() else plain(name)


def headings_of(column: Column) -> list[str]:
    """The heading as it stands, without what is in brackets, its words, and these without "name of" ("매장명")."""
    bare = bare_heading(column.name)
    small = {*words()["carries"], *words()["heading_units"], "no", "each", "best"}
    parts = [column.name, bare, *(one for one in re.split(r"[\s_\-/.·]+", bare) if one.lower() not in small)]
    ends = [(one, end) for one in parts for end in words()["name_ends"]]
    parts += [one[: -len(end)] for one, end in ends if one.endswith(end) and len(one) > len(end) + 1]
    begun = [compiled(words()["name_begins"]).sub("", one) for one in parts]
    parts += [one for one in begun if len(one) > 1 and one not in small]
    parts += [full for one in (bare, column.name) if (full := in_full(one)) != one]
    return [
        one.strip() for one in dict.fromkeys(parts) if len(one.strip()) > 1 or _is_a_kanji(one) or one == column.name
    ]


def _is_a_kanji(name: str) -> bool:
    return re.fullmatch("[一-龯]", name) is not None


def _called(column: Column) -> list[str]:
    spoken: list[str] = []
    if column.role is not None and column.role not in ("text", "id") and yes_and_no(column) is None:
        spoken += [one for one in role_names(column.role) if plain(one) not in _OF_ALL]
    for meant, names in words()["columns"].items():
        if holds(column, meant) and (meant != "date" or column.kind == "date"):
            spoken += names
    return spoken


def holds(column: Column, meant: str) -> bool:
    """Whether the heading has one of the words for a kind of column; one of money has also what is measured in it."""
    if is_called(column.name, meant):
        return True
    in_money = meant == "amount" and column.kind == "number" and compiled(words()["in_money"]).search(column.name)
    return bool(in_money) and not any(is_called(column.name, one) for one in ("price", "discount"))


def whole_amounts(columns: Sequence[Column]) -> list[Column]:
    """Without those of what was given back or taken off ("refunded amount"), where there are others."""
    beside = compiled(words()["beside_the_amount"])
    return [one for one in columns if beside.search(one.name) is None] or list(columns)


def unit_of(column: Column) -> str:
    """The counter that a heading says it counts with: 권 of 권수; or the unit in brackets behind it."""
    match = re.search(
        r"([권회명박개대일층장병잔건곳]|[冊回名泊個台日枚本杯人頁語件]|文字|単語|글자|단어)[수数]$|[(（](\w{1,6})[)）]$",
        column.name.strip(),
    )
    return next(filter(None, match.groups())) if match is not None else ""


def is_of_persons(column: Column) -> bool:
    kinds = ("manager", "teacher", "named", "person", "payer")
    if column.kind != "category":
        return False
    return any(holds(column, kind) for kind in kinds) or compiled(words()["trades"]).search(column.name) is not None


def pattern_of(column: Column) -> str:
    """Any of its names, Latin ones as whole words with a plural."""
    return names_pattern(names_of(column))


def full_heading(column: Column) -> str:
    """All of its heading, with or without what is in brackets."""
    bare = bare_heading(column.name)
    names = () if column.made or column.silent else dict.fromkeys((column.name, bare, in_full(bare)))
    return names_pattern(it for one in names if len(one) > 1 for it in _no_small_word(one))


def heading_pattern(column: Column) -> str:
    """Its heading alone, not what other tables call such columns."""
    named = [
        one
        for one in headings_of(column)
        if _alone(one) not in column.not_called and not (column.made or column.silent)
    ]
    return names_pattern(sorted((it for one in named for it in _no_small_word(one)), key=len, reverse=True))


def _no_small_word(name: str) -> tuple[str, ...]:
    """A column "In" goes by "in time", and is not meant by every "in"."""
    return (f"{name} time", f"{name} column") if name.casefold() in _SMALL_WORDS else (name,)


def name_pattern(name: str) -> str:
    return names_pattern((name,))


def names_pattern(names: Iterable[str]) -> str:
    """Any of the names, in their order. What stands around many of them is written once: compiling takes as long as a
    pattern is long, and there is one of each column."""
    runs = groupby(map(_spelled, names), key=itemgetter(0, 2))
    return "|".join(f"{before}(?:{'|'.join(one[1] for one in run)}){after}" for (before, after), run in runs) or "(?!)"


def _spelled(name: str) -> tuple[str, str, str]:
    """A name as a pattern, with what must stand before it and may stand behind it."""
    if name.isascii():
        spelt = r"[\s_-]?".join(map(re.escape, re.split(r"[\s_-]+", name)))
        spelt = rf"(?:{spelt}|{spelt[:-1]}ies)" if name[-1:] in "yY" and len(name) > CODE else spelt
        ends = "e?s|p?ed|d|ing|als?" if len(name) > OWN else "e?s|p?ed|d"
        if (stem := re.fullmatch(r"(\w{4,})(?:als?|ments?)", name)) is not None:
            spelt = rf"(?:{spelt}|{re.escape(stem[1])})"  # "renewed" of "renewals"
        return "(?<![A-Za-z])", spelt, rf"(?:{ends})?(?![A-Za-z])"
    if re.fullmatch("[가-힣]", name):
        return (
            r"(?<![가-힣\d])",
            name,
            rf"(?:(?![가-힣])|(?=(?:{words()['joined']}|값|수|률|율)+(?![가-힣])))",
        )
    if _is_a_kanji(name):
        return "(?:(?<=[全各毎同両])|(?<![一-龯]))", name, "(?![一-龯])"
    spelt = r"\s?".join(map(re.escape, name.replace(" ", ""))) if len(name) >= OWN else re.escape(name)
    return _NO_PREFIX, spelt, ""


def is_joined(value: str, text: str) -> bool:
    """Whether a value of several parts that are no words ("DE>EN") stands there as it is written: its parts are no
    values of others then."""
    return _JOINED.search(value) is not None and value.casefold() in text.casefold()


def begun_with_values(numbers: Sequence[Column], categories: Sequence[Column]) -> list[str]:
    """Headings of numbers that begin with a value: in 審査点 is no 審査."""
    values = tuple({value for one in categories for value in one.values if len(value) >= CODE and not value.isascii()})
    names = [bare_heading(one.name) for one in numbers]
    return [name for name in names if name.startswith(values) and name not in values]
