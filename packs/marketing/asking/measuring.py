"""Which figures a sentence asks for, once it is known of which rows."""

import re
from collections.abc import Callable, Collection, Sequence

from packs.marketing.asking import measures, shares, units
from packs.marketing.asking.happened import days_between
from packs.marketing.asking.money import money_that_is_meant, of_money
from packs.marketing.asking.naming import holds, pattern_of, told_apart, whole_amounts
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Asks, Filter, Group, Measure, MeasureKind, Request
from packs.marketing.asking.turns import goes_on

MOST_MEASURES = 8


class Measuring:
    """`filters` and `groups` are those that were read, and those that are left when a share has taken its part; `by` is
    what rows are ranked by, `single`: one row alone is meant; `unread` are words for what nobody knows."""

    def __init__(  # noqa: PLR0913, PLR0917  # all that a sentence has said so far
        self,
        sentence: AskedSentence,
        profile: Profile,
        before: Request | None,
        filters: list[Filter],
        groups: list[Group],
        rates: Sequence[Filter],
        filters_of: Callable[[str], Sequence[Filter]],
        *,
        stepped: bool,
        grows: bool,
        over: Measure | None = None,
    ) -> None:
        self.sentence, self.profile, self.before = sentence, profile, before
        self.filters, self.groups, self.rates, self.filters_of = filters, groups, rates, filters_of
        self.stepped, self.grows, self.over = stepped, grows, over
        self.measured = self.single = self.leaning = self.assumed = self.per_row = False
        self.by: Column | None = None
        self.descending: bool | None = None
        self.unread: list[str] = []
        self.shared = ""

    def read(self, asks: Asks) -> list[Measure]:
        self.sentence.take(words()["not_that_figure"])
        for column in self.profile.of("number") if self.sentence.find(words()["not_so"]) else ():
            self.sentence.take(f"(?:{pattern_of(column)})(?:{words()['not_so']})")
        bound = {one.column for one in self.filters if one.op in ("lt", "le", "gt", "ge", "in")}
        bound |= {one.column for one in self.groups}
        named = sorted(measures.named_numbers(self.sentence, self.profile), key=lambda one: one.name in bound)
        if (rated := self.profile.rating) is not None and (
            self.stepped or self.sentence.take(bounded(words()["distribution"]))
        ):
            self.groups.append(Group(rated.name, steps=True))
            self.measured = True
            if not any(self.sentence.find(bounded(words()["measures"][one])) for one in ("mean", "median", "sum")):
                return [Measure("count")]
        if (whole := self._one_by_itself()) is not None:
            by_another = whole.kind == "ratio" and whole.each is None
            again = measures.named_numbers(self.sentence, self.profile) if by_another else []
            both = {whole.column, whole.per}
            return [*(Measure("sum", one.name) for one in again if one.name in both), whole]  # named by themselves, too
        if all(one.name in bound for one in named):
            named = self._by_the_unit(named)
        if all(one.scale is not None and one.name in bound for one in named):
            marked = rated is not None and self.sentence.find(words()["marks_asked"]) is not None
            money = None if marked else money_that_is_meant(self.sentence, self.profile, surely=True)
            named = [money] if money is not None else named
        ratio = self._of_it_again() or self._days_again(named)
        if (ratio := ratio or measures.for_each_one(self.sentence, self.profile, named)) is not None:
            self.measured = bool(self._kinds() or ratio)
            return [ratio]
        different = measures.different(self.sentence, self.profile)
        kinds = self._kinds()
        named, kinds, missing = measures.what_is_counted(self.sentence, self.profile, named, kinds)
        self.unread += missing
        self.measured = bool(kinds or named or different)
        if asks == "why":
            return [Measure("count"), *([Measure("mean", rated.name)] if rated else [])]
        self.by = named[0] if named and not set(kinds) - {"max", "min"} else None
        named, kinds = self._with_kinds(named, kinds, different)
        if "share" in kinds:
            return measures.beside_share(self._share(named, kinds), kinds, named)  # told with the rows that it is of
        target = named[0] if named else self._as_before(kinds)
        if target is None:
            target = self._what_is_added(kinds, rated)
            self.assumed = target is not None and bool(set(kinds) - {"count"})
        found = [Measure("count")] if "count" in kinds else []
        for column in self._all_that_are_measured(named, bound) or ([target] if target is not None else []):
            found += [Measure(kind, column.name) for kind in self._figures_of(column, kinds)]
        return [*found[:MOST_MEASURES], *different] or [Measure("count")]

    def _of_it_again(self) -> Measure | None:
        """The figure that was told before, where one asks who has most of it."""
        told = next((one for one in self.before.measures if one.column), None) if self.before is not None else None
        match = self.sentence.find(words()["most_of_it"]) if told is not None else None
        if told is None or match is None or told.kind not in ("sum", "mean") or told.per is not None:
            return None
        self.sentence.blank(*match.span("it"))
        self.measured, self.by = True, self.profile.column(told.column or "")
        return told

    def _days_again(self, named: Sequence[Column]) -> Measure | None:
        """How many days lay between two days of a row, once more ("and which channel books furthest ahead?")."""
        told = self.before.measures[0] if self.before is not None else None
        if told is None or not told.days or named or not goes_on(self.sentence, self.before):
            return None
        if self.sentence.find(words()["days_long"]) is None:
            return None
        while self.sentence.take(f"{bounded(words()['measures']['mean'])}|{words()['days_asked']}") is not None:
            pass
        self.measured = True
        return told

    def _by_the_unit(self, named: list[Column]) -> list[Column]:
        """The column that is counted as one asks; of several nobody says which."""
        if (asked := units.asked_in(self.sentence, self.profile)) is not None:
            return [asked]
        unclear = units.of_several(self.sentence, self.profile)
        self.unread += [unclear] if unclear else []
        return named

    def _one_by_itself(self) -> Measure | None:
        """One column by another, what each of something has on average, or the greatest figure of one."""
        if self.over is not None:
            if (each := measures.on_average(self.sentence, self.profile, self.over)) is not None:
                self.measured = True
                return each
            self.unread += [self.over.per or ""]  # so much of nobody knows what
        if (days := days_between(self.sentence, self.profile)) is not None:
            self.measured = True
            return days
        if (ratio := measures.ratio(self.sentence, self.profile)) is not None:
            self.measured = bool(self._kinds() or ratio)  # what it adds up to is said by it
            return ratio
        if (found := _worth(self.sentence, self.profile)) is not None:
            self._kinds()  # "the total value of the stock" adds up nothing else
        found = found or measures.ratio_of_before(self.sentence, self.profile, self.before)
        found = found or measures.extreme(self.sentence, self.profile)
        self.measured |= found is not None
        return found

    def _with_kinds(
        self, named: list[Column], kinds: list[MeasureKind], different: Sequence[Measure]
    ) -> tuple[list[Column], list[MeasureKind]]:
        """What one asks of a column without saying it: what things are counted in is added up, and so is money."""
        if not (named or different or {"share", "count"} & set(kinds)) and self._as_before(kinds) is None:
            money = money_that_is_meant(self.sentence, self.profile, surely=False)
            named = [money] if money is not None else named
            self.measured |= money is not None
            before = self.before if goes_on(self.sentence, self.before) else None
            told = [one.kind for one in before.measures if money and one.column == money.name] if before else []
            kinds, self.leaning = (told, True) if told else (kinds, self.leaning)
        bare = {one.column for one in self.filters} | {one.column for one in self.groups}
        if kinds == ["count"] and named and units.is_asked_how_many(named[0], self.sentence):
            rows_first = compiled(words()["rows_first"]).search(self.sentence.text) is not None
            kinds = ["count", "sum"] if rows_first else ["sum"]
        if kinds == ["count"] and named and named[0].name not in bare:
            kinds += ["sum" if measures.is_summed(named[0], self.sentence) else "mean"]
        sides = {one.column for one in self.groups} & {one.column for one in self.filters if one.op == "in"}
        if not kinds and named and sides and self.sentence.find(words()["often"]) is not None:
            kinds = ["mean"]
        if not kinds and named:  # what one of the rows has is no sum
            added = measures.is_summed(named[0], self.sentence) or self._is_an_amount(named[0])
            added |= units.is_asked_how_many(named[0], self.sentence) or self._is_whole(named[0])
            kinds = ["sum"] if added and not self.per_row else ["mean"]
        if named and "%" in named[0].name and "share" in kinds and not (self.rates or self.filters):
            kinds = [one for one in kinds if one != "share"] or ["mean"]  # it is measured in percent
        if named and kinds in (["max"], ["min"]) and self.sentence.find(words()["who"]):
            self.single, self.by, self.descending = True, named[0], kinds == ["max"]
        return named, kinds

    def _is_an_amount(self, column: Column) -> bool:
        """Whether "the amount" is said of a column of money that may be a price or what was paid."""
        said = compiled(words()["amount_said"]).search(self.sentence.text) is not None
        return said and holds(column, "price") and compiled(words()["one_of_many"]).search(column.name) is None

    def _is_whole(self, column: Column) -> bool:
        """Whether all of it is said, right before its name ("총 주행거리"); of a rating there is no such."""
        whole = words()["totals"]["whole"].replace("NAME", pattern_of(column))
        return (
            column.scale is None and "%" not in column.name and compiled(whole).search(self.sentence.text) is not None
        )

    @staticmethod
    def _all_that_are_measured(named: Sequence[Column], bound: Collection[str]) -> list[Column]:
        """All that are named, and of those by which rows are chosen none beside others."""
        return [one for one in named if one.name not in bound] or list(named[:1])

    def _figures_of(self, column: Column, kinds: Sequence[MeasureKind]) -> list[MeasureKind]:
        """The kinds that were said; of a rating, or of an age, nothing is added up beside what is."""
        own: list[MeasureKind] = [one for one in kinds if one != "count"]
        if own == ["sum"] and not measures.is_summed(column, self.sentence) and column.scale is not None:
            return ["mean"]
        return own

    def _kinds(self) -> list[MeasureKind]:
        kinds: list[MeasureKind] = []
        portions = self.sentence.find(bounded(words()["portions"])) is not None
        per_row = self.sentence.take(words()["per_row"])
        self.per_row = per_row is not None and re.search("per|당|あたり|当たり|につき", per_row.group()) is not None
        for kind, said in words()["measures"].items():
            while match := self.sentence.take(bounded(said)):
                # where nothing has points, so many 点 are so many of them
                points = match.group().startswith("何点") and self.profile.rating is None
                meant: MeasureKind = "count" if points else kind
                kinds += [] if meant in kinds else [meant]
                self.shared = match.group()
        if self.rates and "share" not in kinds:
            kinds.append("share")
        if len(kinds) > 1 and any(holds(one, "total") for one in self.profile.of("number")):
            kinds = [one for one in kinds if one != "sum"]  # the "order total" is a column
        if self.grows:  # "how many percent more" is no share
            return [one for one in kinds if one != "share"]
        if not portions:
            return kinds
        self.sentence.take(bounded(words()["portions"]))
        return [*(one for one in kinds if one != "share"), "share"]

    def _as_before(self, kinds: Sequence[MeasureKind]) -> Column | None:
        """Who says no more than "and the median?" means that of the column before."""
        columns = [one.column for one in self.before.measures if one.column] if self.before is not None else []
        named = set(kinds) & {"mean", "median", "max", "min", "sum"}
        if not columns or not goes_on(self.sentence, self.before) or not named:
            return None
        column = next((one for one in self.profile.columns if one.name == columns[0]), None)
        if column is None or column.kind != "number":
            return None
        self.leaning = len(columns) == 1
        return column

    def _what_is_added(self, kinds: Sequence[MeasureKind], target: Column | None) -> Column | None:
        """Where nothing is named: sums are of the one column of money; nobody adds up ratings."""
        amounts = whole_amounts([one for one in self.profile.of("number") if holds(one, "amount")])
        if ("sum" in kinds or (target is None and set(kinds) - {"count"})) and len(amounts) == 1:
            target = amounts[0]
        of_a_kind = compiled(words()["of_a_kind"]).search(self.sentence.text) if "sum" not in kinds else None
        if target is not None and of_a_kind is not None and set(kinds) - {"count"}:
            self.unread.append(of_a_kind.group().strip())  # so many days, or songs, are neither money nor marks
            return None
        if target in amounts:
            return target
        asked = self.sentence.find(bounded(words()["money_spoken"]["asked"])) if target is not None else None
        if asked is not None and len(amounts) > 1 and set(kinds) & {"mean", "median"}:
            self.unread.append(asked.group())  # of several columns of money none is named, and the rating is no money
        if target is None and any(kind != "count" for kind in kinds):
            self.unread.append(self.shared.strip())  # the sum of nobody knows what
        return target

    def _share(self, named: Sequence[Column], kinds: Sequence[MeasureKind]) -> Measure:
        """Its part is what is said of the rating, else the last value or word; the other filters are the whole. Without
        a part it is what each group has of all."""
        rated = self.profile.rating.name if self.profile.rating else ""
        summed = [one for one in named if measures.is_added(one) or ("sum" in kinds and one.scale is None)]
        summed = summed or shares.of_column(self.sentence, named)
        added = next((one.name for one in summed), None)
        said = [one for one in self.filters if one.op not in ("filled", "between")]
        said = said or [one for one in self.filters if one.op == "filled"]
        parts = [one for one in said if one.op in ("in", "not_in", "contains", "lacks", "weekday", "empty")] or said
        part = self.rates or [one for one in said if one.column == rated] or parts[-1:]
        self.measured = True
        if not self.rates and parts and parts[-1].op == "not_in" and self._are_told_one_by_one(parts):
            return Measure("portion", added)  # of those that are not left out
        compared = [one for one in parts if one.op == "in" and len(one.values) > 1]
        compared = [one for one in compared if any(it.column == one.column for it in self.groups)]
        taken_away = compiled(words()["taken_away"]).search(self.sentence.text) is not None
        if compared and taken_away and part[0].op in ("not_in", "lacks"):
            part = compared[-1:]  # what is taken away is none of the parts that are compared
        whole = shares.whole(self.sentence, self.filters_of)
        if whole and not self.rates:
            part = [one for one in said if one not in whole]
            if not part and self.sentence.find(words()["by_each"]) is None and not self.groups:
                part = [one for one in said if one.column == rated] or parts[-1:]
        if part:
            if any(one in compared for one in part):
                self.sentence.take(words()["each_alone"])  # each of these, which are told by themselves
            part = shares.with_those_beside(part, self.filters)
            columns = {one.column for one in part if one.op == "in"}
            self.filters = [
                one for one in self.filters if one not in part and not (one.op == "in" and one.column in columns)
            ]
            columns = {one.column for one in part}
            self.groups = [one for one in self.groups if one.column not in columns]
            return Measure("share", added, tuple(part))
        return Measure("portion", added)

    def _are_told_one_by_one(self, parts: Sequence[Filter]) -> bool:
        """Whether several values of one column are named, and the share of each is asked for."""
        grouped = {one.column for one in self.groups}
        several = any(one.op == "in" and len(one.values) > 1 and one.column in grouped for one in parts)
        return several and self.sentence.find(bounded(words()["sides"])) is not None


def _worth(sentence: AskedSentence, profile: Profile) -> Measure | None:
    """What is there, or was sold, by what one of it costs, where that is asked for and no column has it."""
    if any(compiled(words()["worth"]).search(one.name) for one in profile.columns):
        return None
    numbers = [one for one in profile.of("number") if one.scale is None]
    prices = told_apart(of_money(numbers), sentence.text) or [one for one in numbers if holds(one, "price")]
    pieces = [one for one in numbers if holds(one, "stock") and not holds(one, "reorder") and one not in prices]
    if len(prices) == 1 and len(pieces) == 1 and sentence.take(words()["worth"]) is not None:
        while sentence.take(words()["worth"]) is not None:
            pass
        return Measure("sum", pieces[0].name, per=prices[0].name)
    return None
