"""A question in words to a typed request: kind by kind what it names is found and taken out of the sentence; words of
substance that nothing has taken make it a question of ours."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from packs.marketing.asking.leftover import unread
from packs.marketing.asking.linking import link_values, pattern_of, unknown_values
from packs.marketing.asking.phrasing import Sentence, bounded, number_of, number_pattern, plain, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Grain, Group, Measure, MeasureKind, Op, Request

_BEHIND = 12
"""Characters after a superlative in which its noun stands ("most reviews")."""
_MAGNITUDES = {"천": 1e3, "만": 1e4, "억": 1e8, "k": 1e3, "万": 1e4}
_MAGNITUDE = r"\s*(천|만|억|k|万)?\s*(?:원|円|won|dollars?|개|건)?\s*"


class Period(NamedTuple):
    """Days that the sentence names, as the date grammar has read them; `said` are its words."""

    said: str
    first: date | None
    last: date | None


class Reading:
    """One sentence about one table. `before` is the request that it goes on from ("of those")."""

    def __init__(
        self, text: str, profile: Profile, periods: Sequence[Period] = (), before: Request | None = None
    ) -> None:
        self.sentence = Sentence(text)
        self.profile = profile
        self.periods = [one for one in periods if self.sentence.blank_words(one.said)] if profile.date else []
        self.before = before
        self.filters: list[Filter] = []
        self.groups: list[Group] = []
        self.having: tuple[Op, float] | None = None
        self.descending: bool | None = None
        self.limit: int | None = None
        self.unread: list[str] = []
        self.shared = ""
        self.by_rows = False

    def request(self) -> Request:
        said = words()
        if self.sentence.find(said["preview"]):
            return Request(asks="preview")
        asks = "why" if self.sentence.take(bounded(said["why"])) else "figures"
        self._go_on()
        found, groups = link_values(self.sentence, self.profile)
        unknown = unknown_values(self.sentence, self.profile)
        self.filters += found
        self.groups += groups
        self._texts()
        for column in self.profile.of("number"):
            self._bounds(column)
        self._ratings()
        self._rows_of_groups()
        self._days()
        measures = self._measures(asks)
        self._order(measures)
        self._grouped()
        return Request(
            asks="why" if asks == "why" else "figures",
            filters=tuple(self.filters),
            groups=tuple(dict.fromkeys(self.groups))[:2],
            measures=tuple(self._counted_by_rows(measures)),
            having=self.having,
            descending=self.descending,
            limit=self.limit,
            unknown=tuple(unknown),
            unread=(*self.unread, *unread(self.sentence.left, self.profile)),
        )

    def _go_on(self) -> None:
        """Of what was asked before; where nobody knows what that was, the words stay unread."""
        match = self.sentence.take(words()["before_that"])
        if match is not None and self.before is not None:
            self.filters += self.before.filters
        elif match is not None:
            self.unread.append(match.group())

    def _texts(self) -> None:
        column = self.profile.text
        if column is None:
            return
        for pattern in words()["contains"]:
            match = self.sentence.find(pattern)
            if match is None or len(plain(match["word"])) < 1 or plain(match["word"]) in _plain_words():
                continue
            self.sentence.blank(*match.span())
            without = re.search(words()["lacks"], match.group()) or self.sentence.take(rf"(?:{words()['lacks']})\S*")
            self.filters.append(Filter(column.name, "lacks" if without else "contains", (match["word"],)))
            return

    def _rows_of_groups(self) -> None:
        """A bound on the rows of a group ("후기 10개 넘게 쌓인 지점")."""
        number, unit = number_pattern(), words()["rows_unit"]
        for op, after in words()["after"].items():
            if (match := self.sentence.take(rf"(?<![\w.])({number}){unit}(?:{after})\S*")) is not None:
                self.having = (op, number_of(match[1]))
        for op, before in words()["before"].items():
            if (match := self.sentence.take(rf"(?<![A-Za-z])(?:{before})\s+({number}){unit}")) is not None:
                self.having = (op, number_of(match[1]))

    def _bounds(self, column: Column) -> None:
        """Comparisons with a column that is named ("금액 5만원 이상", "price over 30")."""
        if column.scale is not None:
            return
        number, name = number_pattern(), pattern_of(column)
        for op, after in words()["after"].items():
            if match := self.sentence.take(rf"(?:{name})\S{{0,2}}\s*({number}){_MAGNITUDE}(?:{after})"):
                self.filters.append(Filter(column.name, op, (_sum(match[1], match[2]),)))
        for op, before in words()["before"].items():
            if match := self.sentence.take(rf"(?:{name})\s+(?:is |of |are )?(?:{before})\s+({number}){_MAGNITUDE}"):
                self.filters.append(Filter(column.name, op, (_sum(match[1], match[2]),)))

    def _ratings(self) -> None:
        column = self.profile.rating
        if column is None or column.scale is None:
            return
        said, number = words(), number_pattern()
        unit, stars = said["rating_unit"], rf"(?:{said['stars']})(?:이|가|을|를|が|を|は)?"
        found: list[Filter] = []
        if self.sentence.take(said["perfect"]):
            found.append(Filter(column.name, "in", (float(column.scale.high),)))
        if match := self.sentence.take(rf"({number}){unit}?\s*{said['between']}\s*({number}){unit}"):
            found.append(Filter(column.name, "ge", (number_of(match[1]),)))
            found.append(Filter(column.name, "le", (number_of(match[2]),)))
        for op, after in said["after"].items():
            named = rf"{stars}\s*({number})(?:{unit}|\s?개)?(?:짜리)?\s*(?:{after})"
            if match := self.sentence.take(rf"{named}|(?<![\w.])({number}){unit}(?:짜리)?\s*(?:{after})"):
                found.append(Filter(column.name, op, (number_of(match[1] or match[2]),)))
        for op, before in said["before"].items():
            behind = rf"{stars}\s+(?:is |of )?(?:{before})\s+({number})"
            if match := self.sentence.take(rf"(?<![A-Za-z])(?:{before})\s+({number}){unit}|{behind}"):
                found.append(Filter(column.name, op, (number_of(match[1] or match[2]),)))
        if not found and (values := self._exactly(unit, stars, number)):
            found.append(Filter(column.name, "in", tuple(values)))
        self.filters += found

    def _exactly(self, unit: str, stars: str, number: str) -> list[float]:
        """As in "별 하나나 둘", "9점 아니면 10점", "exactly 1", "10s"."""
        either = words()["either"]
        for pattern in (
            rf"(?<![\w.-])({number}){unit}?{either}({number}){unit}",
            rf"{stars}\s*({number})(?:개|점)?{either}({number})(?:개|점)?(?=\s|만|을|를|$)",
            rf"(?<![\w.-])({number}){unit}(?:짜리)?(?!\S*급)",
            rf"(?<![A-Za-z])(?:exactly|just|only)\s+({number})(?![\w.])",
            rf"{stars}\s*(?:of |at |with |=|: )?\s*(?:just |an? )?({number})개?(?![\d.]|\s?(?:등|위|번째))(?=\D|$)",
            r"(?<![\w.])(\d{1,3})['\u2019]?s\b",
        ):
            if match := self.sentence.take(pattern):
                return [number_of(one) for one in match.groups() if one]
        return []

    def _days(self) -> None:
        column = self.profile.date
        if column is None:
            return
        spans = [(one.first, one.last) for one in self.periods]
        if len(spans) == 1:
            self.filters.append(Filter(column.name, "between", spans[0]))
        elif spans:
            self.groups.append(Group(column.name, periods=tuple(spans)))
        for grain, said in words()["grains"].items():
            if self.sentence.take(bounded(said)):
                self._grain(column, grain)
                return
        if not spans and self.sentence.take(bounded(words()["over_time"])):
            self._grain(column, _grain_for(self.profile, column))

    def _grain(self, column: Column, grain: Grain) -> None:
        self.groups = [one for one in self.groups if one.column != column.name]
        self.groups.append(Group(column.name, grain))
        self.sentence.take(bounded(words()["over_time"]))

    def _measures(self, asks: str) -> list[Measure]:
        numbers = self.profile.of("number")
        named = [one for one in numbers if self.sentence.find(pattern_of(one))]
        target = named[0] if named else self.profile.rating
        rated = self.profile.rating
        if rated is not None and self.sentence.take(bounded(words()["distribution"])):
            self.groups.append(Group(rated.name, steps=True))
            return [Measure("count")]
        kinds: list[MeasureKind] = []
        for kind, said in words()["measures"].items():
            if match := self.sentence.take(bounded(said)):
                kinds.append(kind)
                self.shared = match.group()
        if "count" in kinds and named and _holds(named[0], "quantity"):
            kinds[kinds.index("count")] = "sum"  # how many were sold is no number of rows
        if asks == "why":
            return [Measure("count"), *([Measure("mean", rated.name)] if rated else [])]
        if not kinds and named:
            kinds = ["sum"] if _holds(named[0], "amount") or _holds(named[0], "quantity") else ["mean"]
        if "share" in kinds:
            return [self._share(), *(Measure(kind) for kind in kinds if kind == "count")]
        column = target.name if target is not None else None
        found = [Measure(kind, None if kind == "count" else column) for kind in kinds if kind == "count" or column]
        return found or [Measure("count")]

    def _share(self) -> Measure:
        """Its part is what is said of the rating, else the last value or word; the other filters are the whole."""
        rated = self.profile.rating.name if self.profile.rating else ""
        parts = [one for one in self.filters if one.op in ("in", "not_in", "contains", "lacks")]
        part = [one for one in self.filters if one.column == rated] or parts[-1:]
        self.filters = [one for one in self.filters if one not in part]
        columns = {one.column for one in part}
        self.groups = [one for one in self.groups if one.column not in columns]
        if not part:
            self.unread.append(self.shared)
        return Measure("share", part=tuple(part)) if part else Measure("count")

    def _order(self, measures: Sequence[Measure]) -> None:
        said, number = words(), number_pattern()
        for descending, ranking in ((True, said["high"]), (False, said["low"])):
            while match := self.sentence.take(rf"(?:{ranking})(?:\s*({number})(?=\D|$))?"):
                self.descending = descending
                self.limit = int(number_of(match[1])) if match[1] else self.limit
                behind = self.sentence.text[match.start() : match.end() + _BEHIND]
                self.by_rows |= bool(re.search(said["by_rows"], behind)) and all(
                    one.kind in ("count", "mean") for one in measures
                )
        if self.descending is not None and self.limit is None:
            counted = self.sentence.take(rf"(?<![\w.])({number}){said['limit_unit']}(?![\uac00-\ud7a3]{{2}})")
            self.limit = int(number_of(counted[1])) if counted else 1

    def _counted_by_rows(self, measures: list[Measure]) -> list[Measure]:
        """The most of something is the most rows, unless something else is measured."""
        counted = any(one.kind == "count" for one in measures)
        if self.descending is None:
            return measures
        if self.by_rows:
            return [Measure("count"), *(one for one in measures if one.kind not in ("count", "mean"))]
        if counted and len(measures) == 1 and self.profile.rating and self.groups:
            return [Measure("mean", self.profile.rating.name)]  # "the best film"
        return measures

    def _grouped(self) -> None:
        said = words()
        for column in self.profile.of("category"):
            name = pattern_of(column)
            each = rf"(?:{name})\s?(?:{said['each']})|(?<![A-Za-z]){said['each_before']}(?:{name})"
            ranked = self.descending is not None and self.sentence.find(name)
            if self.sentence.take(each) or ranked:
                self.sentence.take(name)
                self.groups.append(Group(column.name))
        entity = self.profile.entity
        if (self.descending is not None or self.having) and not self.groups and entity is not None:
            self.groups.append(Group(entity.name))
        if self.having is not None and not self.groups:
            self.unread.append(f"{self.having[1]:g}")  # a bound on the rows of nothing


def _sum(said: str, magnitude: str | None) -> float:
    return number_of(said) * _MAGNITUDES.get((magnitude or "").lower(), 1.0)


def _holds(column: Column, what: str) -> bool:
    called: Mapping[str, Any] = words()["columns"]
    return any(plain(one) in plain(column.name) for one in called[what])


def _grain_for(profile: Profile, column: Column) -> Grain:
    """So that a line has some points and not a thousand."""
    days = profile.frame[column.name].drop_nulls()
    first, last = days.min(), days.max()
    span = (last - first).days if isinstance(first, date) and isinstance(last, date) else 0
    return "day" if span <= 31 else "month" if span <= 1100 else "year"


def _plain_words() -> frozenset[str]:
    return frozenset(plain(one) for said in words()["plain"].values() for one in said)
