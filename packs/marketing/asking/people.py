"""People where a row is a group of them: a column says how many came, and rows are no people then."""

from dataclasses import replace

from packs.marketing.asking.naming import holds
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Measure, Request


def of_people(profile: Profile) -> list[Column]:
    """The columns that count people; how many there may be or were expected counts nobody."""
    said = words()["heads"]
    numbers = [one for one in profile.of("number") if one.scale is None and not one.made]
    found = [one for one in numbers if holds(one, "people") or compiled(said["headings"]).search(one.name)]
    return [one for one in found if compiled(said["no_heads"]).search(one.name) is None] or found


def counted(sentence: AskedSentence, profile: Profile) -> Column | None:
    """The column that counts people, where one alone does and people are asked for."""
    columns = of_people(profile)
    if len(columns) != 1:
        return None
    if is_asked(sentence, profile):
        return columns[0]
    if _rows_are_asked(sentence) or not holds(columns[0], "people"):
        return None  # "how many bookings are of people who …"
    return columns[0] if sentence.find(bounded(words()["persons"])) is not None else None


def is_asked(sentence: AskedSentence, profile: Profile) -> bool:
    """Whether so many people are asked for, each of them counted: who rates or writes has one row, whoever came with
    them, and different people are told apart by their names."""
    said = words()["heads"]
    if (
        profile.rating is not None
        or _is_written(profile)
        or compiled(said["once_each"]).search(sentence.text) is not None
    ):
        return False
    return compiled(bounded(said["asked"])).search(sentence.text) is not None


def of_guessed(request: Request, asked: str, profile: Profile) -> Request:
    """What was read by what it seems to mean counts people as well, where those are asked for."""
    sentence = AskedSentence(asked)
    column = counted(sentence, profile) if request.meant and request.measures == (Measure("count"),) else None
    if column is None or request.asks != "figures" or not is_asked(sentence, profile):
        return request
    return replace(request, measures=(Measure("sum", column.name),))


def without_something(sentence: AskedSentence) -> list[str]:
    """What they do not have, where nothing has read it: the people alone would be all that there are."""
    return [one.group() for one in [sentence.take(words()["heads"]["none"])] if one is not None]


def take(sentence: AskedSentence, profile: Profile) -> bool:
    """Takes the words for people, and for how they came; whether rows are asked for as well."""
    sentence.take(bounded(words()["persons"]))
    if is_asked(sentence, profile):
        said = words()["heads"]
        for pattern in (said["person"], said["asked"], said["came"]):  # "most" of "most visitors" is read by itself
            while sentence.take(bounded(pattern)) is not None:
                pass
        return _rows_are_asked(sentence)
    return False


def _is_written(profile: Profile) -> bool:
    """Whether most rows are what somebody wrote; a comment on some of them makes none."""
    text = profile.text
    return text is not None and text.role == "text" and 2 * profile.frame[text.name].null_count() < profile.frame.height


def _rows_are_asked(sentence: AskedSentence) -> bool:
    return compiled(bounded(words()["heads"]["rows"])).search(sentence.text) is not None
