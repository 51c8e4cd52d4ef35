"""A question in words to a typed request: kind by kind what it names is found and taken out of the sentence; words of
substance that nothing has taken make it a question of ours."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from packs.marketing.asking.bounds import bounds_of, numbers_left, opinions
from packs.marketing.asking.following import in_its_year, leader, narrowed, varied
from packs.marketing.asking.leftover import unread
from packs.marketing.asking.linking import heading_pattern, holds, link_values, pattern_of, unknown_values
from packs.marketing.asking.phrasing import (
    TAKEN,
    AskedSentence,
    bounded,
    compiled,
    number_of,
    number_pattern,
    plain,
    words,
)
from packs.marketing.asking.profile import Column, Profile, grain_for
from packs.marketing.asking.request import Asks, Filter, Grain, Group, Measure, MeasureKind, Op, Request

_BEHIND = 12
"""Characters after a superlative in which its noun stands ("most reviews")."""
_MEASURE_ALONE = 3
"""Words of a turn that says nothing but another measure of the same ("and the average?")."""
SHORT = 7
"""Words of a turn that may leave out what the one before it said."""
_MOST_DECIMALS = 4
_SIDES = 2
"""Periods that are compared with each other."""
_LEAP, _MONTHS = 2001, 12
_YEAR = re.compile(r"\d{4}|[년年]|year", re.IGNORECASE)


class Period(NamedTuple):
    """Days that the sentence names, as the date grammar has read them; `said` are its words."""

    said: str
    first: date | None
    last: date | None


class Reading:
    """One sentence about one table. `before` is the request that it goes on from ("of those")."""

    def __init__(
        self,
        text: str,
        profile: Profile,
        periods: Sequence[Period] = (),
        before: Request | None = None,
        file: str = "",
    ) -> None:
        self.sentence = AskedSentence(text)
        self.profile = profile
        self.periods = [one for one in periods if self.sentence.blank_words(one.said)] if profile.date else []
        self.before = before
        self.file = file
        self.filters: list[Filter] = []
        self.groups: list[Group] = []
        self.having: tuple[Op, float] | None = None
        self.descending: bool | None = None
        self.limit: int | None = None
        self.unread: list[str] = []
        self.shared = self.ranking = ""
        self.by_rows = self.measured = self.every = False

    def request(self) -> Request:
        if self.sentence.find((said := words())["preview"]):
            return Request(asks="preview")
        asks: Asks = "figures"
        while self.sentence.take(bounded(said["why"])):
            asks = "why"
        self.sentence.take(said["whatever"])
        decimals = self._decimals()
        narrows = self.sentence.take(said["before_that"])
        if narrows is not None and self._speaks_of_itself(narrows.start()):
            narrows = None
        points = None if narrows else self.sentence.take(said["that_one"])
        beside = self._goes_on() and bool(self.sentence.find(said["beside"]))
        found, groups = link_values(self.sentence, self.profile)
        unknown = unknown_values(self.sentence, self.profile)
        self.filters += found
        self.groups += groups
        self._texts()
        self.filters += bounds_of(self.sentence, self.profile)
        self._rows_of_groups()
        self._days()
        while asks != "why" and self.profile.text is not None and self.sentence.take(bounded(said["examples"])):
            asks = "examples"
        measures = self._measures(asks)
        self._order(measures)
        self._compared(measures)
        if asks == "why":
            self._opinions_that_are_asked_about()
        if self.descending is None:
            said_well = opinions(self.sentence, self.profile)
            self.filters += said_well if asks != "why" else []  # why it is low is asked of all
        self._grouped()
        if self.descending is not None and self.limit is None and not self.every:
            self.limit = 1
        asks = "figures" if asks == "examples" and (self.measured or self.groups) else asks
        if (ranking := self.sentence.take(bounded(said["superlatives"]))) is not None:
            self.unread.append(ranking.group().strip())  # the most of what nobody knows here
        counted = tuple(self._counted_by_rows(measures))
        left = [*self.unread, *unread(self.sentence, self.profile, self.file), *numbers_left(self.sentence)]
        request = Request(
            asks=asks,
            filters=tuple(dict.fromkeys(self.filters)),
            groups=tuple(dict.fromkeys(self.groups))[:2],
            measures=counted,
            having=self.having,
            descending=self.descending,
            limit=self.limit,
            decimals=decimals,
            unknown=tuple(unknown),
            unread=tuple(dict.fromkeys(left)),
        )
        return self._in_its_place(request, narrows, points, beside=beside)

    def _decimals(self) -> int:
        """To how many of them the figures are told."""
        match = self.sentence.take(words()["decimals"])
        said = next((one for one in match.groupdict().values() if one), "2") if match else "2"
        return min(int(words()["digits"].get(said.lower(), said)), _MOST_DECIMALS)

    def _speaks_of_itself(self, end: int) -> bool:
        """Whether "of those" is of what the sentence has named before it, and not of another question."""
        begun = Reading(self.sentence.text[:end], self.profile).request() if end else Request()
        return bool(begun.filters)

    def _opinions_that_are_asked_about(self) -> None:
        """Why they are unhappy is why what they gave is low: nothing more is said by it."""
        for said in ("bad_ones", "bad_alone", "good_ones", "good_alone"):
            self.sentence.take(bounded(words()[said]))

    def _compared(self, measures: Sequence[Measure]) -> None:
        """Which of two that are named is more: both are told, in their order."""
        named = any(one.op in ("in", "between") for one in self.filters)
        if self.descending is not None or not named or not self.groups:
            return
        for descending, said in ((True, "comparative_high"), (False, "comparative_low")):
            if (match := self.sentence.take(bounded(words()[said]))) is not None:
                self.descending, self.every = descending, True
                self.by_rows |= bool(re.search(words()["by_rows"], match.group())) and not measures[0].column

    def _goes_on(self) -> bool:
        """Whether the turn is short enough to lean on the one before it."""
        return self.before is not None and len(self.sentence.text.split()) <= SHORT

    def _in_its_place(  # noqa: PLR0911  # one for each way to go on
        self, request: Request, narrows: re.Match[str] | None, points: re.Match[str] | None, *, beside: bool
    ) -> Request:
        """After the request before it, where the sentence speaks of that or says too little by itself. Where nobody
        knows what it speaks of, the words stay unread."""
        if narrows is not None or points is not None:
            first = leader(self.before, self.profile) if self.before else ()
            if self.before is None or (points is not None and not first and not self.before.filters):
                word = (narrows or points)[0]  # type: ignore[index]  # one of them is there
                return replace(request, unread=(word, *request.unread))
            before = replace(self.before, filters=first) if points is not None and first else self.before
            return narrowed(before, request)
        if self.before is None or not self._goes_on() or self.before.asks == "preview":
            return request
        names_more = bool(request.filters or request.groups)
        if self.measured or self.descending is not None or self.having is not None:
            alone = not names_more and len(self.sentence.text.split()) <= _MEASURE_ALONE
            return varied(self.before, request, measured=True, beside=False) if alone and self._leans() else request
        if request.asks == "why" and not names_more and (first := leader(self.before, self.profile)):
            return replace(request, filters=first)  # "which is the lowest, and why?"
        if names_more or request.asks == "why":
            return varied(self.before, request, measured=False, beside=beside)
        return request

    def _leans(self) -> bool:
        return self.sentence.find(words()["leans"]) is not None or bool(re.match(words()["leans"], self.sentence.text))

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

    def _days(self) -> None:
        column = self.profile.date
        if column is None:
            return
        spans = [self._span(one) for one in self.periods] or self._bare_month()
        if len(spans) == 1:
            self.filters.append(Filter(column.name, "between", spans[0]))
        elif spans:
            self.groups.append(Group(column.name, periods=tuple(spans)))
        for grain, said in words()["grains"].items():
            if self.sentence.take(bounded(said)):
                self._grain(column, grain)
                return
        if len(spans) < _SIDES and self.sentence.take(bounded(words()["over_time"])):
            self._grain(column, grain_for(self.profile, column, *spans))

    def _span(self, period: Period) -> tuple[date | None, date | None]:
        day = (period.first, period.last)
        known = self.before is not None and not _YEAR.search(period.said) and re.search(r"\d", period.said)
        return in_its_year(day, self.before) if known and self.before else day

    def _bare_month(self) -> list[tuple[date | None, date | None]]:
        """A month by its name alone ("what about April?") is of the year that was spoken of."""
        if self.before is None or not any(one.op == "between" for one in self.before.filters):
            return []
        for number, name in enumerate(words()["months"], start=1):
            if self.sentence.take(bounded(name)):
                first = date(_LEAP, number, 1)
                last = date(_LEAP, number + 1, 1) - timedelta(days=1) if number < _MONTHS else date(_LEAP, number, 31)
                return [in_its_year((first, last), self.before)]
        return []

    def _grain(self, column: Column, grain: Grain) -> None:
        self.groups = [one for one in self.groups if one.column != column.name]
        self.groups.append(Group(column.name, grain))
        self.sentence.take(bounded(words()["over_time"]))

    def _measures(self, asks: Asks) -> list[Measure]:
        named = self._named_numbers()
        target = named[0] if named else self.profile.rating
        if (rated := self.profile.rating) is not None and self.sentence.take(bounded(words()["distribution"])):
            self.groups.append(Group(rated.name, steps=True))
            self.measured = True
            return [Measure("count")]
        if (extreme := self._extreme()) is not None:
            return [extreme]
        kinds: list[MeasureKind] = []
        different = self._different()
        for kind, said in words()["measures"].items():
            if match := self.sentence.take(bounded(said)):
                kinds.append(kind)
                self.shared = match.group()
        self.measured = bool(kinds or named or different)
        sold = self.sentence.take(bounded(words()["sold"]))
        quantity = next((one for one in self.profile.of("number") if holds(one, "quantity")), None)
        if sold and quantity is not None and not [one for one in named if one is not quantity]:
            named, target = [quantity], quantity
            kinds = ["sum" if one == "count" else one for one in kinds] or ["sum"]
        elif sold and quantity is None and not kinds:
            self.unread.append(sold.group())
        if "count" in kinds and named and holds(named[0], "quantity"):
            kinds[kinds.index("count")] = "sum"  # how many were sold is no number of rows
        if asks == "why":
            return [Measure("count"), *([Measure("mean", rated.name)] if rated else [])]
        if kinds == ["count"] and named and named[0].scale is None:
            kinds += ["sum" if holds(named[0], "amount") or holds(named[0], "quantity") else "mean"]
        if not kinds and named:
            kinds = ["sum"] if holds(named[0], "amount") or holds(named[0], "quantity") else ["mean"]
        if "share" in kinds:
            return [self._share()]  # told with the rows that it is of
        target = target if named else self._what_is_added(kinds, target)
        column = target.name if target is not None else None
        found = [Measure(kind, None if kind == "count" else column) for kind in kinds if kind == "count" or column]
        return [*found, *different] or [Measure("count")]

    def _what_is_added(self, kinds: Sequence[MeasureKind], target: Column | None) -> Column | None:
        """Where nothing is named: sums are of the one column of money; nobody adds up ratings."""
        amounts = [one for one in self.profile.of("number") if holds(one, "amount")]
        if "sum" in kinds and len(amounts) == 1:
            return amounts[0]
        if target is None and any(kind != "count" for kind in kinds):
            self.unread.append(self.shared.strip())  # the sum of nobody knows what
        return target

    def _extreme(self) -> Measure | None:
        """The highest price is a figure; which shop has the highest is none."""
        if self.sentence.find(bounded(words()["which"])):
            return None
        for kind, pattern in words()["extreme"].items():
            for column in self.profile.of("number"):
                if self.sentence.take(pattern.replace("NAME", pattern_of(column))):
                    self.measured = True
                    return Measure(kind, column.name)
        return None

    def _different(self) -> list[Measure]:
        """How many shops there are is no number of rows."""
        pattern = words()["distinct"]
        columns = [one for one in self.profile.of("category") if one.scale is None]
        return [
            Measure("distinct", one.name)
            for one in columns
            if self.sentence.take(pattern.replace("NAME", pattern_of(one)))
        ]

    def _named_numbers(self) -> list[Column]:
        """Columns of numbers that are named, by their own heading before what such columns are called elsewhere."""
        numbers = [one for one in self.profile.of("number") if one.scale is None]
        rated = [self.profile.rating] if self.profile.rating else []
        for pattern in (heading_pattern, pattern_of):
            if named := [one for one in numbers if self.sentence.find(pattern(one))]:
                return [*named, *(one for one in rated if self.sentence.find(pattern_of(one)))]
        return [one for one in rated if self.sentence.find(pattern_of(one))]

    def _share(self) -> Measure:
        """Its part is what is said of the rating, else the last value or word; the other filters are the whole."""
        rated = self.profile.rating.name if self.profile.rating else ""
        parts = [one for one in self.filters if one.op in ("in", "not_in", "contains", "lacks")]
        part = [one for one in self.filters if one.column == rated] or parts[-1:]
        self.filters = [one for one in self.filters if one not in part]
        columns = {one.column for one in part}
        self.groups = [one for one in self.groups if one.column not in columns]
        self.measured = True
        if not part:
            self.unread.append(self.shared)
        return Measure("share", part=tuple(part)) if part else Measure("count")

    def _order(self, measures: Sequence[Measure]) -> None:
        said, number = words(), number_pattern()
        for descending, ordered in ((True, said["ordered_high"]), (False, said["ordered_low"])):
            if self.sentence.take(ordered):
                self.descending, self.every = descending, True
        for descending, ranking in ((True, said["high"]), (False, said["low"])):
            while match := self.sentence.take(rf"(?:{ranking})(?:\s*({number})(?=\D|$))?"):
                self.descending, self.ranking = descending, match.group().strip()
                self.limit = int(number_of(match[1])) if match[1] else self.limit
                behind = self.sentence.text[match.start() : match.end() + _BEHIND]
                self.every |= bool(re.search(said["in_order"], behind))
                # "most one-star reviews": without what was read between them
                rest = " ".join(self.sentence.left[match.end() :].replace(TAKEN, " ").split())[:_BEHIND]
                by_rows = re.search(said["by_rows"], behind) or re.search(said["by_rows"], f"{match.group()} {rest}")
                self.by_rows |= bool(by_rows) and all(one.kind in ("count", "mean") for one in measures)
        if self.descending is not None and self.limit is None:
            counted = self.sentence.take(rf"(?<![\w.])({number}){said['limit_unit']}(?![\uac00-\ud7a3]{{2}})")
            self.limit = int(number_of(counted[1])) if counted else None
        if self.descending is not None and self.profile.date is not None and not self.groups:
            for grain, unit in said["time_units"].items():
                if self.sentence.take(unit):
                    self._grain(self.profile.date, grain)
                    return

    def _counted_by_rows(self, measures: list[Measure]) -> list[Measure]:
        """The most of something is the most rows, unless something else is measured."""
        counted = any(one.kind == "count" for one in measures)
        if self.descending is None:
            return measures
        self.by_rows |= bool(compiled(words()["by_number"]).search(self.sentence.text))
        if self.ranking and not (self.by_rows or self.measured or self.profile.rating):
            self.unread.append(self.ranking)  # first by what?
        if self.by_rows:
            return [Measure("count"), *(one for one in measures if one.kind not in ("count", "mean"))]
        if counted and len(measures) == 1 and self.profile.rating and self.groups:
            return [Measure("mean", self.profile.rating.name)]  # "the best film"
        return measures

    def _grouped(self) -> None:
        said = words()
        categories = self.profile.of("category")
        for pattern in (heading_pattern, pattern_of):
            for column in categories:
                if any(one.column == column.name for one in self.groups):
                    continue
                name = pattern(column)
                each = rf"(?:{name})\s?(?:{said['each']})|(?<![A-Za-z]){said['each_before']}(?:{name})"
                ranked = self.descending is not None and not self.groups and self.sentence.find(name)
                named_each = self.sentence.take(each) is not None
                self.every |= named_each
                if named_each or ranked:
                    self.sentence.take(name)
                    self.groups.append(Group(column.name))
        entity = self.profile.entity
        if (self.descending is not None or self.having) and not self.groups and entity is not None:
            self.groups.append(Group(entity.name))
        if self.having is not None and not self.groups:
            self.unread.append(f"{self.having[1]:g}")  # a bound on the rows of nothing


def _plain_words() -> frozenset[str]:
    return frozenset(plain(one) for said in words()["plain"].values() for one in said)
