"""Days of the week that a sentence names: rows of those alone, or one beside another."""

import re

from packs.marketing.asking.leaving_out import is_left_out
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group

_WEEK = range(1, 8)


def is_weekday(said: str) -> bool:
    """Whether the words name days of the week, which are no days of the calendar."""
    bare = re.sub(r"^(?:(?:at|on|over) )?(?:the )?", "", said.strip(), flags=re.IGNORECASE)
    return any(compiled(bounded(one)).fullmatch(bare) for one in words()["weekdays"].values())


def weekdays(sentence: AskedSentence, profile: Profile) -> list[Filter]:
    """One filter of all that are named; nothing where no column has the day of a row."""
    if profile.date is None:
        return []
    kept: set[int] = set()
    left_out: set[int] = set()
    for verb in compiled(words()["sat_there"]).finditer(sentence.text):
        sentence.blank(*verb.span())
    for named, said in words()["weekdays"].items():
        days = {int(one) for one in str(named)}
        while (match := sentence.find(bounded(said))) is not None:
            (left_out if is_left_out(sentence, *match.span()) else kept).update(days)
            sentence.blank(*match.span())
    days = kept or (set(_WEEK) - left_out if left_out else set())
    return [Filter(profile.date.name, "weekday", tuple(float(one) for one in sorted(days)))] if days else []


def compared_weekdays(sentence: AskedSentence, profile: Profile) -> list[Group]:
    """Weekends beside working days, where both are spoken of: all days are named then, and none is meant alone; and
    days that are set against each other."""
    days = words()["weekdays"]
    named = [one for one in days if len(str(one)) > 1]
    if not all(sentence.find(bounded(days[one])) for one in named):
        named = [one for one in days if len(str(one)) == 1 and sentence.find(bounded(days[one]))]
        named = named if compiled(words()["against"]).search(sentence.text) else []
    if profile.date is None or len(named) < len(("one", "other")):
        return []
    for one in words()["weekdays"].values():
        while sentence.take(bounded(one)) is not None:
            pass
    sides = tuple(tuple(int(day) for day in str(one)) for one in named)
    return [Group(profile.date.name, grain="weekday", sides=sides)]
