"""Values that count as one: "count late and left early as present", 지각도 출석으로 쳐서, 遅刻も出席に入れて. They are
the rows that are meant, or those that a rate is of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from packs.marketing.asking.naming import also_called, yes_and_no
from packs.marketing.asking.phrasing import AskedSentence, compiled, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter
from packs.marketing.asking.spelt import spelling

_ONE_SIGN = 1


@dataclass(slots=True)
class Counted:
    """`kept`: the rows; `rates`: the part that is asked for; `unread`: words for what counts if no value is that."""

    kept: list[Filter] = field(default_factory=list)
    rates: list[Filter] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def counted_as(sentence: AskedSentence, profile: Profile) -> Counted:
    """Taken out of the sentence with the rate that is of them."""
    said = words()["counted_as"]
    if compiled(said["hint"]).search(sentence.text) is None:
        return Counted()
    bare = plain(sentence.text)
    for column in profile.of("category"):
        if yes_and_no(column) is not None:
            continue
        spelt = {value: _spelt(value) for value in column.values if _may_stand(value, bare)}
        if not spelt:
            continue
        one = rf"[\"“‘「『']?(?:{'|'.join(spelt.values())})[\"”’」』']?"
        for pattern in said["patterns"]:
            listed = pattern.replace("LIST", rf"(?P<list>{one}(?:{said['between']}{one})*)")
            match = sentence.find(listed)
            if match is not None:
                return _of(sentence, match, column, spelt)
    return Counted()


def _of(sentence: AskedSentence, match: re.Match[str], column: Column, spelt: dict[str, str]) -> Counted:
    values = [value for value, name in spelt.items() if compiled(name).search(match["list"])]
    called = match["name"]
    more = match.groupdict().get("also") is not None
    base = _base(called, column, values)
    if more and not base:
        return Counted(unread=[match.group().strip()])
    sentence.put(*match.span(), " " * len(match.group()))  # nothing else is said by it
    found = Filter(column.name, "in", tuple(dict.fromkeys((*base, *values))))
    of_it = words()["counted_as"]["rate"].replace("NAME", re.escape(called))
    rate = sentence.take(of_it) is not None
    return Counted(rates=[found]) if rate else Counted(kept=[found])


def _base(called: str, column: Column, listed: Sequence[str]) -> list[str]:
    """The value that the others count as: the one of that name, or of one of the same meaning."""
    said = words()["counted_as"]
    alike = next((one for one in said["alike"] if compiled(one).search(called)), "")
    return [
        value
        for value in column.values
        if value not in listed
        and (
            plain(called) in (plain(value), *map(plain, also_called(value)))
            or (alike and compiled(alike).fullmatch(value))
        )
    ][:1]


def _may_stand(value: str, bare: str) -> bool:
    return any(plain(one).rstrip("sy") in bare for one in (value, *also_called(value)))


def _spelt(value: str) -> str:
    """A sign by itself as it stands; of one ideograph also the word that begins with it (遅 of 遅刻)."""
    if len(value) > _ONE_SIGN:
        return "|".join(map(spelling, (value, *also_called(value))))
    return rf"{re.escape(value)}[一-龯]?" if re.fullmatch("[一-龯]", value) else re.escape(value)
