"""Questions about when: the first and the last day, months whatever the year, from one time to the next."""

from collections.abc import Sequence
from dataclasses import replace

from packs.marketing.asking.phrasing import AskedSentence, bounded, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Group

_STEPS = ("year", "half", "quarter", "month", "week", "day")


def at_the_end(sentence: AskedSentence, profile: Profile) -> bool | None:
    """Whether one asks when the last (or, False, the first) row was; None: not that."""
    said = words()
    if profile.date is None or sentence.find(said["when"]) is None or sentence.find(said["by_each"]) is not None:
        return None
    for last, pattern in ((True, said["last_one"]), (False, said["first_one"])):
        if sentence.find(pattern) is not None:
            sentence.take(pattern)
            while sentence.take(said["when"]) is not None:
                pass
            return last
    return None


def of_any_year(groups: Sequence[Group]) -> list[Group]:
    """Months of the calendar, each with the rows of all years."""
    return [replace(one, grain="calendar") if one.grain == "month" else one for one in groups]


def changes(sentence: AskedSentence, groups: Sequence[Group]) -> bool:
    """Whether one asks how much more or less a time has than the one before it."""
    if not any(one.grain in _STEPS for one in groups) or sentence.take(bounded(words()["growth"])) is None:
        return False
    sentence.take(bounded(words()["next_time"]))
    return True
