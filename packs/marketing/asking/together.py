"""Two columns of figures that are taken together, as a person says it ("labour plus parts", 대인과 소인을 합쳐): one
column of its own for as long as its questions are answered."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations

import polars as pl

from packs.marketing.asking.naming import pattern_of, unit_of
from packs.marketing.asking.phrasing import compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Request

_SIGNS = {"plus": "+", "minus": "−"}
_MOST = 4
_HINT = re.compile(
    r"[+＋−–-]|plus|minus|less|together|combined|added|all in"
    r"|합[쳐치친한하]|더[하한해]|빼|뺀|차감|足|合[わ算]|あわせ|引|込み",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Together:
    """The columns that were made, by the word that stands for each while a question is read."""

    profile: Profile
    headings: dict[str, str] = field(default_factory=dict)

    def said(self, text: str) -> str:
        """The text with one word for what is taken together in it."""
        for sign, patterns in words()["taken_together"].items() if _HINT.search(text) else ():
            for one, other in permutations(_of_the_file(self.profile), 2):
                if unit_of(one) != unit_of(other):
                    continue
                for pattern in patterns:
                    spelt = pattern.replace("ONE", pattern_of(one)).replace("OTHER", pattern_of(other))
                    if (match := compiled(spelt).search(text)) is not None and (made := self._made(sign, one, other)):
                        text = f"{text[: match.start()]}{made}{text[match.end() :]}"
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
        heading = f"{one.name} {_SIGNS[sign]} {other.name}"
        for name, known in self.headings.items():
            if known == heading:
                return name.split(maxsplit=1)[0]
        if len(self.headings) == _MOST:
            return ""
        word = f"QZ{'ABCD'[len(self.headings)]}"
        unit = unit_of(one)
        name = f"{word} ({unit})" if unit else word
        first, second = pl.col(one.name), pl.col(other.name)
        # an empty cell beside a figure is nothing, in a row without any there is no figure
        value = first.fill_null(0) + second.fill_null(0) * (1 if sign == "plus" else -1)
        made = pl.when(first.is_null() & second.is_null()).then(None).otherwise(value).alias(name)
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
