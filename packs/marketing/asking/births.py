"""The year in which somebody was born, which is no year of the rows ("61년생", "born in 1994")."""

from packs.marketing.asking.phrasing import AskedSentence, compiled, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group

_CENTURY, _LAST = 1900, 26


def born(sentence: AskedSentence, profile: Profile) -> tuple[list[Filter], list[Group]]:
    """The years that are named, of the one column that has them; two of them are told apart."""
    said = words()["born"]
    columns = [one for one in profile.of("number") if compiled(said["headings"]).search(one.name) is not None]
    if len(columns) != 1:
        return [], []
    years: dict[float, None] = {}
    while (match := sentence.take(said["said"])) is not None:
        year = float((match["y"] or match["e"]).lstrip("'’"))
        known = profile.frame[columns[0].name]
        full = next((it for it in (year, year + 1900, year + 2000) if (known == it).any()), year)
        years[full if full >= _CENTURY else full + (_CENTURY if full > _LAST else 2000)] = None
    groups = [Group(columns[0].name, steps=True)] if len(years) > 1 else []
    return [Filter(columns[0].name, "in", tuple(years))] if years else [], groups


def is_of_birth(said: str, text: str) -> bool:
    """Whether a time is the year in which somebody was born."""
    spans = [match.span() for match in compiled(words()["born"]["said"]).finditer(text)]
    at = text.casefold().find(said.strip().casefold())
    return any(start <= at < end for start, end in spans)
