"""What a sentence says of rows beside values and numbers: cells that are empty, days of the week, a column that another
one bounds, and what is so or is not."""

import re
from collections.abc import Callable

from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.linking import with_those_there
from packs.marketing.asking.listing import names_of_rows
from packs.marketing.asking.naming import bare_heading, full_heading, holds, pattern_of, unit_of, yes_and_no
from packs.marketing.asking.phrasing import (
    AskedSentence,
    bounded,
    compiled,
    hints_at,
    number_of,
    number_pattern,
    plain,
    plain_words,
    sentences,
    words,
)
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Heading, Op, Request

_WRITTEN = re.compile(
    r"書|言|触|含|語|文字|단어|말|라는|들어|언급|포함|나오|mention|contain|word|say|talk|includ", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“‘「『'’”」』]")


_JOINED, _THEM = r"[\s,;\u2013-]*(?:(?:so|and|but|then)\s)?", r"(?:\s(?:them|those|these))?"
"""What stands between blanks and the word that leaves them out ("some are missing, so just skip them")."""


def empties(sentence: AskedSentence, profile: Profile, before: Request | None) -> list[Filter]:
    """Rows that lack a value of a column, or, where these are left out, all others."""
    found: list[Filter] = []
    if not hints_at(sentence, "empty"):
        return found
    said = words()["empty"]
    for named in (full_heading, pattern_of, _counted_in):  # the whole heading before a word that others share
        while (most := _longest_empty(sentence, profile, named)) is not None:
            column, match = most
            ignored = compiled(rf"{_JOINED}(?:{said['ignored']}){_THEM}").match(sentence.text, match.end())
            if ignored is not None:
                sentence.blank(*ignored.span())
            left_out = ignored is not None or is_left_out(sentence, *match.span())
            sentence.blank(*match.span())
            if all(one.column != column.name for one in found):
                found.append(_of_nothing(profile, column, match.group(), left_out=left_out))
    those = sentence.find(bounded(said["unanswered"])) if not found and before is not None else None
    if before is not None and those is not None:
        left_out = is_left_out(sentence, *those.span())
        sentence.blank(*those.span())
        columns = [one.column for one in before.measures if one.column] or [one.column for one in before.filters]
        columns += [one.column for measure in before.measures for one in measure.part]
        columns += [one.column for one in before.groups]
        found += [Filter(columns[-1], "filled" if left_out else "empty", ())] if columns else []
    figures = bounded("|".join(words()["measures"][one] for one in ("mean", "median", "sum")))
    if not found and sentence.find(figures) is not None:
        sentence.take(rf"(?:{said['alone']})(?:{said['ignored']})")  # they have no part in such figures
    return found


def _counted_in(column: Column) -> str:
    """How many minutes, say, of a column of numbers that is measured in them (分数, 분수)."""
    unit = unit_of(column) if column.kind == "number" else ""
    return f"(?<![一-龯가-힣]){re.escape(unit)}[数수]" if re.fullmatch("[一-龯가-힣]", unit) else "(?!)"


def _longest_empty(
    sentence: AskedSentence, profile: Profile, named: Callable[[Column], str]
) -> tuple[Column, re.Match[str]] | None:
    """The column of which most words say that it is empty: "electricity readings missing" is of no other reading."""
    found: list[tuple[int, int, Column, re.Match[str]]] = []
    for at, column in enumerate(profile.columns):
        for key in ("before", "after"):
            match = sentence.find(words()["empty"][key].replace("NAME", f"(?:{named(column)})"))
            if match is not None and match.group().strip():
                found.append((len(match.group()), -at, column, match))
    return max(found, key=lambda one: one[:2])[2:] if found else None


def _of_nothing(profile: Profile, column: Column, said: str, *, left_out: bool) -> Filter:
    """No days at home are nought of them where every row says how many, and "no breakfast" is what a column of yes and
    no says of it, whether or not some of its cells say nothing."""
    cells = profile.frame[column.name]
    says_no = compiled(words()["no_such"]).search(said) is not None
    if (pair := yes_and_no(column)) is not None and (says_no or not cells.null_count()):
        return Filter(column.name, "in", (pair[0 if left_out else 1],))
    if column.kind == "number" and not cells.null_count() and (cells == 0).any():
        return Filter(column.name, "gt" if left_out else "in", (0.0,))
    return Filter(column.name, "filled" if left_out else "empty", ())


def all_of_them(sentence: AskedSentence, profile: Profile) -> None:
    """Who speaks "of the four clubs", where there are four of them, means all: nothing is narrowed by it."""
    counts = {len(one.values) for one in profile.of("category")}
    match = sentence.find(words()["of_so_many"].replace("N", number_pattern()))
    if match is not None and number_of(next(filter(None, match.groups()))) in counts:
        sentence.blank(*match.span())


def compared_columns(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """As in "stock below the reorder level": row by row. What is in stock needs no name beside a level of it."""
    numbers = profile.of("number")
    found: list[Filter] = []
    if not hints_at(sentence, "beside_column"):
        return found
    for other in sorted(numbers, key=lambda one: len(one.name), reverse=True):
        name = f"(?:{pattern_of(other)})"
        for op, pattern in words()["beside_column"].items():
            match = sentence.find(pattern.replace("NAME", name))
            if match is None:
                continue
            between = " ".join(filter(None, match.groupdict().values()))  # what is compared, said after the other
            column = _bounded_by(sentence, numbers, other, match.span(), between)
            if column is not None:
                sentence.blank(*match.span())
                sentence.take(pattern_of(column))
                found.append(Filter(column.name, op, (Heading(other.name),)))
    return found


def _bounded_by(
    sentence: AskedSentence, numbers: list[Column], other: Column, span: tuple[int, int], between: str
) -> Column | None:
    start, end = span
    outside = f"{sentence.left[:start]} {between} {sentence.left[end:]}"
    named = [one for one in numbers if one is not other and compiled(pattern_of(one)).search(outside)]
    if not named and holds(other, "reorder"):
        by_kind = ([one for one in numbers if one is not other and holds(one, kind)] for kind in ("stock", "quantity"))
        named = next((some for some in by_kind if some), [])
    if not named and compiled(words()["capacity"]).search(other.name) is not None:
        named = [one for one in numbers if one is not other and holds(one, "people")]
    return named[0] if len(named) == 1 else None


def hours(sentence: AskedSentence, profile: Profile) -> tuple[list[Filter], list[Group]]:
    """Of the time of day: its bounds, or that it is asked which."""
    columns, said = [one for one in profile.columns if one.made], words()
    if len(columns) != 1:
        return [], []
    found: list[Filter] = []
    for match in list(compiled(said["clock"]).finditer(sentence.left)):
        hour = _hour(match)
        after = compiled(said["clock_after"]).match(sentence.left, match.end())
        until = compiled(said["clock_until"]).match(sentence.left, match.end())
        since = compiled(said["after_clock"]).search(sentence.left[: match.start()])
        before = compiled(said["until_clock"]).search(sentence.left[: match.start()])
        low, high = after or since, until or before
        op: Op | None = "ge" if low else "lt" if high else None
        bound = low or high
        if op is None or bound is None:
            continue
        start, end = bound.span()
        sentence.blank(min(match.start(), start), max(match.end(), end))
        found.append(Filter(columns[0].name, op, (hour,)))
    exactly = [] if found else _at_the_hour(sentence, columns[0].name)
    if exactly:
        return exactly, [Group(columns[0].name, steps=True)] if len(exactly[0].values) > 1 else []
    if not found and sentence.take(said["hour_of_day"]) is not None:
        return [], [Group(columns[0].name, steps=True)]
    return found, []


def _at_the_hour(sentence: AskedSentence, column: str) -> list[Filter]:
    """As in "the 6:00 readings", where that is asked."""
    asking = compiled("|".join(words()["asking"].values()))
    spans = [span for span in sentences(sentence.text) if asking.search(sentence.text, *span)]
    named: dict[float, None] = {}
    for match in compiled(words()["clock"]).finditer(sentence.left):
        asked = any(start <= match.start() < end for start, end in spans)
        if asked and compiled(words()["at_the_hour"]).match(sentence.left, match.end()) is not None:
            sentence.blank(*match.span())
            named[_hour(match)] = None
    return [Filter(column, "in", tuple(named))] if named else []


def _hour(match: re.Match[str]) -> float:
    if match["noon"]:
        return 12.0
    hour = float(next(one for one in (match["h"], match["e"], match["d"], match["o"]) if one))
    half = match["half"] or match["ap"] or match["part"] or ""
    late = bool(half) and compiled(words()["clock_late"]).match(half) is not None
    return hour + 12 if late and hour < 12 else hour  # hours of a half day


def with_some(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """Rows that have any of what a column counts ("with children"), or that it says anything of ("any request at all"),
    where some rows have none."""
    found: list[Filter] = []
    for column in profile.columns:
        cells = profile.frame[column.name]
        name = pattern_of(column)
        if column.kind == "number" and column.scale is None and cells.min() == 0:
            if any(sentence.take(words()[one].replace("NAME", name)) for one in ("with_some", "so_done")):
                found.append(Filter(column.name, "gt", (0.0,)))
        elif cells.null_count() and sentence.take(words()["any_at_all"].replace("NAME", name)) is not None:
            found.append(Filter(column.name, "filled", ()))
    return found


def with_and_without(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """Those that have it beside those that do not, of a column of yes and no."""
    for column in profile.columns:
        both = column.kind == "category" and yes_and_no(column) is not None
        if both or profile.frame[column.name].null_count():
            name = pattern_of(column)
            bare = name.replace("(?<![A-Za-z])", "")  # "insured and uninsured"
            said = [one.replace("NAME", name).replace("BARE", bare) for one in words()["yes_or_no"]["both"]]
            without = sentence.find(
                rf"(?<![A-Za-z])(?:un|non-?)(?:{bare})|[未非](?:{name})|(?<![가-힣])[미비](?:{name})"
            )
            if both and without is not None:
                sentence.blank(*without.span())
                if sentence.take(f"(?:{name})") is not None:  # "insured pets vs uninsured ones"
                    return [Group(column.name)]
                sentence.put_back(sentence.text, *without.span())
            if any(sentence.take(one) for one in said):
                sides = tuple((Filter(column.name, one, ()),) for one in ("filled", "empty"))
                return [Group(column.name) if both else Group(column.name, parts=sides)]
            if not both:
                continue
            other = sentence.find(words()["yes_or_no"]["others"])
            if other is not None and sentence.find(f"(?:{name})") is not None:
                sentence.blank(*other.span())
                sentence.take(f"(?:{name})")
                return [Group(column.name)]
    return []


def is_so(sentence: AskedSentence, profile: Profile, spoken: set[str]) -> list[Filter]:
    """A column of yes and no that is named, and of which no value is (`spoken` are those of which one is)."""
    found: list[Filter] = []
    said = words()["yes_or_no"]
    pairs = {one.name: pair for one in profile.of("category") if (pair := yes_and_no(one)) is not None}
    for column in profile.of("category"):
        pair = pairs.get(column.name)
        if pair is None or column.name in spoken:
            continue
        alone = list(pairs.values()).count(pair) == 1 or sentence.find(pattern_of(column)) is not None
        bracket = sentence.find(rf"(?:{pattern_of(column)}|\w*)\s?[(]({'|'.join(map(re.escape, pair))})[)]")
        if alone and bracket is not None:
            sentence.blank(*bracket.span())
            found.append(Filter(column.name, "in", (next(one for one in pair if one == bracket[1]),)))
            continue
        name = pattern_of(column).replace("(?<![A-Za-z])", "")
        if (
            sentence.take(rf"(?<![A-Za-z])(?:un|non-?)(?:{name})|[未非](?:{name})|(?<![가-힣])[미비](?:{name})")
            is not None
        ):
            found.append(Filter(column.name, "in", (pair[1],)))
            continue
        if (parted := _with_not_inside(column)) is not None and sentence.take(parted) is not None:
            found.append(Filter(column.name, "in", (pair[1],)))
            continue
        match = sentence.find(rf"(?P<not>{said['not']}\s+)?(?:{pattern_of(column)})(?P<behind>{said['not_behind']})?")
        if match is None or compiled(rf"\s?(?:{words()['each']})").match(sentence.text, match.end()):
            continue
        before = compiled(rf"(?<![A-Za-z]){words()['each_before']}$").search(sentence.text[: match.start()])
        if before is None:
            left_out = is_left_out(sentence, *match.span())
            sentence.blank(*match.span())
            negated = bool(match["not"] or match["behind"])
            found.append(Filter(column.name, "in", (pair[1 if negated != left_out else 0],)))
    return found


def _with_not_inside(column: Column) -> str | None:
    """The heading with its "not" where a sentence has it: "the queen was not seen" of "Queen seen"."""
    done = r"([A-Za-z]+(?: [A-Za-z]+)?) ([A-Za-z]+ed|seen|done|given|taken|sold|paid|sent)"
    parts = re.fullmatch(done, column.name.strip())
    if parts is None:
        return None
    between = r"(?:(?:was|were|is|are|had|has|have)(?: been)? ?)?(?:not|never|n[''’]t) (?:been )?"
    return rf"(?<![A-Za-z]){parts[1]} {between}{parts[2]}(?![A-Za-z])"


def takes_why(sentence: AskedSentence, profile: Profile) -> str:
    """The word for why, taken; nothing where none is there, or a column called "reason" is meant by it."""
    reasons = "|".join(full_heading(one) for one in profile.of("category"))
    why = sentence.find(bounded(words()["why"]))
    named = [value for one in names_of_rows(profile) for value in with_those_there(one, sentence.text, profile).values]
    if why is not None and any(compiled(re.escape(one)).match(sentence.text, why.start()) for one in named):
        return ""  # 이유미 is no 이유
    if why is None or (reasons and compiled(bounded(reasons)).match(sentence.text, why.start())):
        return ""
    sentence.blank(*why.span())
    return why.group().strip()


def takes_wording(sentence: AskedSentence, profile: Profile) -> bool:
    """Whether the rows are wanted in the words of those who wrote them: by what says so, or by what they wrote and a
    verb of showing, where no figure of it is asked for."""
    if profile.text is None:
        return False
    said = words()
    if sentence.take(bounded(said["examples"])):
        return True
    wrote = sentence.find(bounded(f"{said['wording']['wrote']}|{pattern_of(profile.text)}"))
    if wrote is None or compiled(bounded(said["wording"]["counted"])).search(sentence.text):
        return False
    shown = sentence.find(bounded(said["wording"]["shown"]))
    if shown is None:
        return False
    sentence.blank(*wrote.span())
    sentence.blank(*shown.span())
    return True


def texts(sentence: AskedSentence, profile: Profile, *, quoted: bool = False) -> list[Filter]:
    """Words in the texts of the rows that are there, or are not; with `quoted` those alone that stand in quotation
    marks and are said to be written, which are no values."""
    column = _written_in(sentence, profile)
    for pattern in words()["contains"] if column is not None else ():
        match = sentence.find(pattern)
        if column is None or match is None or not (word := plain(match["word"])):
            continue
        if quoted and not (_QUOTED.search(match.group()) and _WRITTEN.search(match.group())):
            continue
        bare = plain(re.sub(r"(?:에서|에는|에|[이가은는을를의])$", "", match["word"]))
        if _QUOTED.search(match["word"]) or any(
            plain(name) in (word, bare) for one in profile.columns for name in (one.name, bare_heading(one.name))
        ):
            continue  # it names a column
        if compiled(f"{words()['bad_alone']}|{words()['good_alone']}").fullmatch(word):
            continue  # what they say is bad or good
        if word in plain_words() and not _QUOTED.search(match.group()):
            continue
        sentence.blank(*match.span())
        behind = compiled(rf"\S*\s?(?:{words()['lacks']})\S*").match(sentence.left, match.end())
        if behind is not None:
            sentence.blank(*behind.span())
        without = compiled(words()["lacks"]).search(match.group()) or behind
        found = Filter(column.name, "lacks" if without else "contains", (_one_of_them(match["word"]),))
        # further words, if these are in quotation marks as well or said in the same way
        return [found, *(one for one in _more(sentence, profile, pattern, quoted=quoted) if one != found)]
    return []


_WORDY = 8
"""Letters from which a value says something, and is no name."""


def _written_in(sentence: AskedSentence, profile: Profile) -> Column | None:
    """The column of texts; where few notes come again and again and so are values, the one of those that is named, or
    that is called so."""
    notes = [one for one in profile.of("category") if any(" " in value or len(value) >= _WORDY for value in one.values)]
    called = [one for one in notes if compiled(words()["note_headings"]).search(one.name.strip())]
    named = [one for one in (*called, *notes) if compiled(pattern_of(one)).search(sentence.text)]
    return profile.text or next(iter(named), None) or next(iter(called), None)


def _one_of_them(word: str) -> str:
    """A Latin word without the ending of its plural, which stands within that as well."""
    return word[:-1] if re.fullmatch(r"[a-z]{3,}[^su]s", word) else word


def _more(sentence: AskedSentence, profile: Profile, pattern: str, *, quoted: bool) -> list[Filter]:
    rest = sentence.find(pattern)
    if _QUOTED.search(sentence.left) is None and (rest is None or plain(rest["word"]) in plain_words()):
        return []
    found = texts(sentence, profile, quoted=quoted)
    return found if rest is not None or _QUOTED.search(sentence.left) else []
