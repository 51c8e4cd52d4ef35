"""What has happened to a row, or has not yet, by a column of days that not every row has ("売れた本", "the sold ones"),
and how long it took from one day to another."""

from collections.abc import Collection
from itertools import permutations

from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.lexicon import in_other_words
from packs.marketing.asking.naming import bare_heading, names_pattern, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Heading, Measure, MeasureKind, Op

_MARKS = frozenset(("y", "yes", "o", "x", "v", "true", "1", "○", "◯", "〇", "✓", "✔", "예", "있음", "あり", "有", "済"))
_FIRST_SYLLABLE, _SYLLABLES, _FINALS, _M = 0xAC00, 11_172, 28, 16


def happened(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """One filter for each such column that is spoken of. Who asks for sales means what was sold."""
    said = words()["happened"]
    found: list[Filter] = []
    for column in profile.of("date"):
        stem = stem_of(column) if profile.frame[column.name].null_count() else ""
        if not stem:
            continue
        ends: tuple[tuple[str, Op, Op], ...] = (("not", "empty", "filled"), ("done", "filled", "empty"))
        for end, op, other in ends:
            if (match := sentence.find(said[end].replace("STEM", stem))) is not None:
                found.append(Filter(column.name, other if is_left_out(sentence, *match.span()) else op, ()))
                sentence.blank(*match.span())
                sentence.take(said["yet"])
                break
        else:
            found += [Filter(column.name, "filled", ())] if _is_of_sales(sentence, column) else []
    return found


def late(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """What was done after the day on which it was due, where a table has just these two days."""
    both = _due_and_done(profile)
    if both is None or compiled(words()["late"]["days"]).search(sentence.left) is not None:
        return []
    due, done = both
    said = words()["late"]["done"].replace("NAME", pattern_of(due))
    return [Filter(done.name, "gt", (Heading(due.name),))] if sentence.take(said) is not None else []


def same_day(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """What was done on the day on which it began, of a table with two days, or where two are named ("returned the same
    day", 당일)."""
    days = [one for one in profile.of("date") if not one.made]
    if len(days) < 2 or (match := sentence.find(words()["same_day"])) is None:
        return []
    spelt = {one.name: "|".join(filter(None, (pattern_of(one), stem_of(one)))) for one in days}
    named = [one for one in days if compiled(spelt[one.name]).search(sentence.text) is not None]
    first, last = days if len(days) == 2 else named if len(named) == 2 else (None, None)
    if first is None or last is None:
        return []
    sentence.blank(*match.span())
    for one in named:
        sentence.take(spelt[one.name])
    return [Filter(last.name, op, (Heading(first.name),)) for op in ("ge", "le")]


def marked(sentence: AskedSentence, profile: Profile, seen: Collection[str]) -> list[Filter]:
    """What has a mark, of a column that has one mark or nothing ("how many PBs"), if it is spoken of; `seen` are
    columns of which more is said."""
    found: list[Filter] = []
    each = f"(?:{words()['each']})"
    for column in profile.of("category"):
        one = column.values[0] if len(column.values) == 1 else ""
        if column.name in seen or not one or not profile.frame[column.name].null_count():
            continue
        if plain(one) not in _MARKS and plain(one) != plain(bare_heading(column.name)):
            continue
        match = sentence.find(pattern_of(column))
        if match is None or compiled(rf"\s?{each}").match(sentence.text, match.end()):
            continue
        if compiled(rf"(?:{words()['each_before']})$").search(sentence.text[: match.start()]) is not None:
            continue
        op: Op = "empty" if is_left_out(sentence, *match.span()) else "filled"
        sentence.blank(*match.span())
        found.append(Filter(column.name, op, ()))
    return found


def _due_and_done(profile: Profile) -> tuple[Column, Column] | None:
    due = [one for one in profile.of("date") if compiled(words()["late"]["due"]).search(one.name) is not None]
    done = [one for one in profile.of("date") if one not in due and profile.frame[one.name].null_count()]
    return (due[0], done[0]) if len(due) == len(done) == 1 else None


def stem_of(column: Column) -> str:
    """What the heading says happens, as a pattern; nothing where it is a day like any other."""
    said = words()["happened"]
    for heading in said["heading"]:
        match = compiled(heading).search(bare_heading(column.name))
        if match is not None:
            stem = match["stem"]
            spelt = [stem, *([said["as"][stem]] if stem in said["as"] else []), *_verb_of(stem)]
            return "|".join(spelt)
    return ""


def _verb_of(stem: str) -> list[str]:
    """담그 of 담금."""
    last = ord(stem[-1]) - _FIRST_SYLLABLE
    return [stem[:-1] + chr(ord(stem[-1]) - _M)] if 0 <= last < _SYLLABLES and last % _FINALS == _M else []


def _is_of_sales(sentence: AskedSentence, column: Column) -> bool:
    """Whether one asks what was taken, and this is the day on which something was."""
    of_sale = compiled(words()["happened"]["sale"]).search(column.name) is not None
    sales = [one for one in words()["columns"]["sales"] if one not in words()["happened_to_any"]]
    return of_sale and sentence.find(bounded("|".join(sales))) is not None


def days_between(sentence: AskedSentence, profile: Profile) -> Measure | None:
    """How many days lie between two days of a row ("from booking to check-in", "how many days late")."""
    if (both := _due_and_done(profile)) is not None and sentence.take(words()["late"]["days"]) is not None:
        most = sentence.take(words()["late"]["most"]) is not None
        sentence.take(bounded(words()["measures"]["mean"]))
        return Measure("max" if most else "mean", both[1].name, per=both[0].name, days=True)
    if len(profile.of("date")) < 2 or sentence.find(words()["days_asked"]) is None:
        return None
    days = [one for one in profile.of("date") if not one.made]
    named = {
        one.name: "|".join(filter(None, (pattern_of(one), names_pattern(in_other_words(one.name)), stem_of(one))))
        for one in days
    }  # "booked" as well, which by itself says what a row is
    for first, last in permutations(days, 2):
        said = words()["days_between"].replace("FIRST", named[first.name]).replace("LAST", named[last.name])
        if sentence.take(said) is not None:
            while sentence.take(words()["days_asked"]) is not None:
                pass
            said_of = {one for one, spelt in words()["measures"].items() if sentence.take(bounded(spelt)) is not None}
            kinds: list[MeasureKind] = ["median", "min", "max", "sum"]
            kind: MeasureKind = next((one for one in kinds if one in said_of), "mean")
            return Measure(kind, last.name, per=first.name, days=True)
    return None
