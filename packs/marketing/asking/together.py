"""Two columns of figures that are taken together, as a person says it ("labour plus parts", 대인과 소인을 합쳐): one
column of its own for as long as its questions are answered."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import polars as pl

from packs.marketing.asking.formula import of_all_subjects, without_blanks, written
from packs.marketing.asking.money import of_money, the_money
from packs.marketing.asking.naming import full_heading, pattern_of, unit_of, yes_and_no
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Request

_SIGNS = {"plus": "+", "minus": "−"}
_MOST = 4
_HINT = re.compile(
    r"[+＋−–-]|plus|minus|less|net of|deduct|subtract|taking|together|combined|added|all in"
    r"|합[쳐치친한하]|더[하한해]|빼|뺀|제하|차감|足|合[わ算]|あわせ|引|込み",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Together:
    """The columns that were made, by the word that stands for each while a question is read."""

    profile: Profile
    headings: dict[str, str] = field(default_factory=dict)
    spoken: str = ""
    """The column of money that was named last."""
    named_before: list[list[str]] = field(default_factory=list)
    """The columns of numbers that each text named, one text after the other."""
    read: dict[str, str] = field(default_factory=dict)
    """What became of each text."""

    def said(self, text: str) -> str:
        """The text with one word for what is taken together in it."""
        if text not in self.read:
            self.read[text] = self._said(text)
        return self.read[text]

    def _said(self, text: str) -> str:
        numbers = _of_the_file(self.profile)
        named = [one.name for one in numbers if compiled(full_heading(one)).search(text)]
        if not named and (both := compiled(words()["both_columns"]).search(text)) is not None:
            text = self._with_both(text, both.span())
        self.named_before.append(named)
        found = written(text, numbers) or of_all_subjects(text, self.profile, numbers)
        if found is not None and (word := self._made_of(found.heading, found.unit, found.value())):
            text = without_blanks(f"{text[: found.start]}{word}{text[found.end :]}", found.columns)
        for sign, patterns in words()["taken_together"].items() if _HINT.search(text) else ():
            for one, other in permutations(_of_the_file(self.profile), 2):
                if unit_of(one) != unit_of(other):
                    continue
                for pattern in patterns:
                    spelt = pattern.replace("ONE", pattern_of(one)).replace("OTHER", pattern_of(other))
                    if (match := compiled(spelt).search(text)) is not None and (made := self._made(sign, one, other)):
                        text = f"{text[: match.start()]}{made}{text[match.end() :]}"
        return self._without(text)

    def _with_both(self, text: str, span: tuple[int, int]) -> str:
        """The text with both columns that were asked about last in place of the words for the two."""
        last = self.named_before[-1] if self.named_before else []
        told = last if len(last) != 1 else [*(self.named_before[-2] if len(self.named_before) > 1 else [])[-1:], *last]
        both = [self.profile.column(one) for one in dict.fromkeys(told)]
        if len(both) != len(("one", "other")) or unit_of(both[0]) != unit_of(both[1]):
            return text
        made = self._made("plus", *both)
        return f"{text[: span[0]]}{made}{text[span[1] :]}" if made else text

    def _without(self, text: str) -> str:
        """What was paid without what was given back or taken off, where that is said by itself ("less the refunds",
        환불액은 빼고): of the money that is named beside it or was before, else of that which there is."""
        said, numbers = words(), _of_the_file(self.profile)
        off = compiled(said["beside_the_amount"])
        whole = [one for one in of_money(numbers) if off.search(one.name) is None]
        here = [one for one in whole if compiled(full_heading(one)).search(text) is not None]
        named = here or [one for one in whole if one.name == self.spoken]
        money = named[0] if named else the_money(self.profile)
        self.spoken = named[0].name if named else self.spoken
        for other in numbers if money is not None and _HINT.search(text) else ():
            taken = off.search(other.name)
            if taken is None or money is None or unit_of(other) != unit_of(money):
                continue
            beside = [one for one in numbers if one not in (money, other)] if not here else []
            if any(compiled(full_heading(one)).search(text) for one in beside):
                continue  # it is taken off nothing else
            spelt = full_heading(other)
            figured = compiled("|".join(said["measures"][one] for one in ("mean", "median", "count"))).search(text)
            told = [one for one in self.profile.of("category") if yes_and_no(one) is not None]
            if not figured and not any(taken.group() in one.name for one in told):  # these rows are left out
                spelt = f"{spelt}|{taken.group()}"
            match = compiled(said["taken_off"].replace("OTHER", spelt)).search(text)
            if match is None or not (made := self._made("minus", money, other)):
                continue
            there = compiled(full_heading(money)).search(text)
            if there is None:
                return f"{text[: match.start()]}{made} {text[match.end() :]}"
            (start, end), with_it = there.span(), text[: match.start()] + " " * len(match.group()) + text[match.end() :]
            return re.sub(r"\s{2,}", " ", f"{with_it[:start]}{made}{with_it[end:]}").strip()
        return text

    def named(self, request: Request) -> Request:
        """The request with the headings that people are shown."""
        return _renamed(request, lambda name: self.headings.get(name, name))

    @property
    def shown(self) -> Profile:
        columns = tuple(replace(one, name=self.headings.get(one.name, one.name)) for one in self.profile.columns)
        return replace(self.profile, columns=columns, frame=self.profile.frame.rename(self.headings))

    def _made(self, sign: str, one: Column, other: Column) -> str:
        """The word for it; nothing when there are too many already."""
        first, second = pl.col(one.name), pl.col(other.name)
        # an empty cell beside a figure is nothing, in a row without any there is no figure
        value = first.fill_null(0) + second.fill_null(0) * (1 if sign == "plus" else -1)
        made = pl.when(first.is_null() & second.is_null()).then(None).otherwise(value)
        return self._made_of(f"{one.name} {_SIGNS[sign]} {other.name}", unit_of(one), made)

    def _made_of(self, heading: str, unit: str, value: pl.Expr) -> str:
        """As above, whatever it is made of."""
        for name, known in self.headings.items():
            if known == heading:
                return name.split(maxsplit=1)[0]
        if len(self.headings) == _MOST:
            return ""
        word = f"QZ{'ABCD'[len(self.headings)]}"
        name = f"{word} ({unit})" if unit else word
        made = value.alias(name)
        columns = (*self.profile.columns, Column(name, "number", taken_together=True))
        self.profile = replace(self.profile, columns=columns, frame=self.profile.frame.with_columns(made))
        self.headings[name] = heading
        return word


def _of_the_file(profile: Profile) -> list[Column]:
    return [one for one in profile.of("number") if one.scale is None and one.is_of_the_file]


def _renamed(request: Request, name_of: Callable[[str], str]) -> Request:
    def filters(some: Iterable[Filter]) -> tuple[Filter, ...]:
        return tuple(replace(one, column=name_of(one.column)) for one in some)

    measures = tuple(
        replace(
            one,
            column=one.column and name_of(one.column),
            per=one.per and name_of(one.per),
            part=filters(one.part),
            since=filters(one.since),
        )
        for one in request.measures
    )
    groups = tuple(
        replace(one, column=name_of(one.column), parts=tuple(map(filters, one.parts))) for one in request.groups
    )
    return replace(
        request, filters=filters(request.filters), replaced=filters(request.replaced), measures=measures, groups=groups,
        columns=tuple(map(name_of, request.columns)),
    )  # fmt: skip


def together(profile: Profile, texts: Sequence[str]) -> Together:
    """Of all that was asked of a table, one after the other."""
    found = Together(profile)
    for text in texts:
        found.said(text)
    return found
