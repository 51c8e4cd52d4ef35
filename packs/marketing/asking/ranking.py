"""In which order a sentence wants rows or groups, how many of them, and by which figure."""

import re
from collections.abc import Sequence

from packs.marketing.asking import bounds, grouping, listing, measures, one_thing, people, totals
from packs.marketing.asking.bounds import first_places, opinions, take_opinions
from packs.marketing.asking.days import is_of_a_heading
from packs.marketing.asking.leftover import most_rows, row_words
from packs.marketing.asking.measures import is_added, is_of_something_else
from packs.marketing.asking.money import the_money
from packs.marketing.asking.naming import full_heading, holds, pattern_of, yes_and_no
from packs.marketing.asking.phrasing import TAKEN, AskedSentence, bounded, compiled, number_of, number_pattern, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Asks, Filter, Grain, Group, Measure, Request
from packs.marketing.asking.turns import goes_on

_BEHIND = 12
"""Characters after a superlative in which its noun stands ("most reviews")."""
_LIMIT_END = r"(?=하고|이?랑|만|씩|정도|를|을|의|까지|요|(?![\uac00-\ud7a3]{2}))"


class Ranking:
    """What a reading knows of it while it reads."""

    sentence: AskedSentence
    profile: Profile
    before: Request | None
    file: str
    filters: list[Filter]
    groups: list[Group]
    unread: list[str]
    descending: bool | None
    limit: int | None
    by: Column | None
    ranking: str
    thing: str
    by_rows: bool
    measured: bool
    every: bool
    single: bool
    leaning: bool
    assumed: bool
    changed: tuple[str, bool] | None

    def _in_order(self, asks: Asks, wanted: list[Measure], *, latest: bool | None) -> None:
        rows = row_words(self.profile, self.file)
        if (row := listing.single_row(self.sentence, self.profile, rows)) is not None:
            self.by, self.descending, self.limit, self.single = *row, 1, True
        elif (thing := one_thing.sought(self.sentence, self.profile, rows)) is not None:
            self.by, self.descending, self.thing, self.limit, self.single = *thing, 1, True
        elif (places := first_places(self.sentence)) is not None:
            self.descending, (self.limit, self.ranking) = True, places
        if latest is not None:
            self.by, self.descending, self.limit, self.single = self.profile.date, latest, self.limit or 1, True
        elif not self.single:
            self._order(wanted)
        self._compared(wanted)
        if asks == "why":
            take_opinions(self.sentence)
        if self.descending is None:
            said_well = opinions(self.sentence, self.profile)
            self.filters += said_well if asks != "why" else []  # why it is low is asked of all

    def _order(self, wanted: list[Measure]) -> None:
        said, number = words(), number_pattern()
        ends: set[bool] = set()
        ordered = False
        if (place := bounds.place(self.sentence)) is not None and self.before is not None:
            self.descending = self.before.descending  # "and the second?"
        self.limit = place or bounds.many_of_the_most(self.sentence) or self.limit
        for descending, pattern in ((True, said["ordered_high"]), (False, said["ordered_low"])):
            if self.sentence.take(pattern):
                self.descending, self.every, ordered = descending, True, True
        for descending, ranking in ((True, said["high"]), (False, said["low"])):
            while match := self.sentence.take(rf"(?:{ranking})(?:\s*({number})(?=\D|$)(?:{said['limit_unit']})?)?"):
                self.descending, self.ranking = descending, match.group().strip()
                ends.add(descending)
                self.limit = int(number_of(match[1])) if match[1] else self.limit
                self._put_back_groups(match)
                behind = self.sentence.text[match.start() : match.end() + _BEHIND]
                self.every |= bool(re.search(said["in_order"], behind))
                # "most one-star reviews": without what was read between them
                rest = " ".join(self.sentence.left[match.end() :].replace(TAKEN, " ").split())[:_BEHIND]
                figure = f"(?:most|fewest|least) (?:{pattern_of(self.by)})" if self.by is not None else "(?!)"
                if compiled(figure).match(self.sentence.text, match.start()) and self._added_up(wanted):
                    continue  # "the most downloads"
                near = f"{match.group()} {rest}"
                by_rows = any(re.search(said["by_rows"], one) for one in (behind, near))
                by_rows |= most_rows(near, self.profile, self.file)
                if by_rows and self._added_up(wanted):
                    continue  # "who got most tips"
                self.by_rows |= by_rows and all(one.kind in ("count", "mean") for one in wanted)
        self._most_of_anything(wanted)
        self._by_adjective(wanted)
        if len(ends) > 1 and not ordered:
            self.descending, self.limit, self.every = True, None, True  # the best and the worst: all between them, too
        elif self.descending is not None and self.limit is None:
            counted = self.sentence.take(rf"(?<![A-Za-z\d.가-힣一-龯])({number}){said['limit_unit']}{_LIMIT_END}")
            counted = counted or self.sentence.take(said["so_many_rows"].replace("N", number))
            self.limit = int(number_of(counted[1])) if counted else None
        self._by_time()

    def _put_back_groups(self, match: re.Match[str]) -> None:
        """What stands behind the number may be what is ranked ("top 5 items", and a column Item)."""
        for one in self.profile.of("category") if match[1] else ():
            named = compiled(full_heading(one)).search(match.group(), match.end(1) - match.start())
            if named is not None:
                start = match.start() + named.start()
                self.sentence.put_back(self.sentence.text, start, match.start() + named.end())

    def _added_up(self, wanted: list[Measure]) -> bool:
        """The most of a column of figures that is named is what they add up to, and not the most rows."""
        named = self.by if self.by is not None and self.by.scale is None and self.by.kind == "number" else None
        if named is None or "%" in named.name or any(holds(named, kind) for kind in words()["averaged"]):
            return False
        if wanted != [Measure("mean", named.name)]:
            return False
        wanted[:] = [Measure("sum", named.name)]
        return True

    def _by_time(self) -> None:
        """Which month, day or hour has most of it."""
        said = words()
        day = self.profile.date if self.profile.date is not self.by else None
        if self.descending is not None and day is not None and not self.groups:
            for grain, unit in said["time_units"].items():
                there = self.sentence.find(unit) if not is_of_a_heading(self.profile, unit) else None
                many = there and compiled(r"(?:how many|몇|何)\s?$").search(self.sentence.text[: there.start()])
                if there is not None and not many:  # "for how many days" is no day
                    self.sentence.blank(*there.span())
                    again = grain == "day" and "weekday" in [one.grain for one in (self.before or Request()).groups]
                    self._grain(day, "weekday" if again else grain)
                    return

    def _most_of_anything(self, wanted: Sequence[Measure]) -> None:
        """Ranked by words that say it in no way of their own: so many with much of it, what was done most."""
        said, number = words(), number_pattern()
        for descending, kind in ((True, "high"), (False, "low")):
            few = self.sentence.find(rf"(?<![A-Za-z\d.가-힣一-龯])({number}){said['limit_unit']}{_LIMIT_END}")
            if self.descending is None and few and (many := self.sentence.take(said["many"][kind])) is not None:
                self.descending, self.ranking = descending, many.group()
                self.by_rows |= bool(re.search(said["by_rows"], self.ranking)) and wanted == [Measure("count")]
        sold = wanted[0].kind == "sum" and grouping.sold_somehow(self.sentence, self.profile)
        for descending, kind in ((False, "sold_badly"), (True, "sold_well")) if sold else ():
            if self.descending is None and (how := compiled(said[kind]).search(self.sentence.text)) is not None:
                self.sentence.take(said["sold_well"])
                self.sentence.blank(*how.span())
                self.descending, self.ranking, self.every = descending, how.group(), True
        if self.descending is None and (most := self.sentence.take(said["most_done"])) is not None:
            self.descending, self.ranking = True, most.group().strip()
            self.by_rows = all(one.kind == "count" for one in wanted)  # what was done most often
        if self.descending is None and self.measured and (most := self.sentence.take(said["most_so"])) is not None:
            self.descending, self.ranking = True, most.group().strip()

    def _by_adjective(self, wanted: list[Measure]) -> None:
        """The dearest are ranked by the price, whatever was not said of it."""
        most_of = self.sentence.find(bounded(words()["superlatives"])) if self.descending is None else None
        if (self.descending is None and most_of is None) or self.by_rows:
            return
        column, most = measures.meant_by_adjective(self.sentence, self.profile)
        if column is not None and most_of is not None:
            self.descending = most  # "the warmest": by the adjective alone
            self.sentence.blank(*most_of.span())
        told = self.before is not None and goes_on(self.sentence, self.before) and self.before.measures[0].column
        if told and column is not None and column.name != told and self.sentence.find(pattern_of(column)) is None:
            column = None if self.descending is not None else column  # "and which is highest?": of what was told
        if column is None or (self.by is not None and self.by is not column):
            return
        if most is False and self.ranking and compiled(words()["high"]).search(self.ranking):
            self.descending = False  # the most unhappy are the least happy
        self.by = column
        if self.assumed and len(wanted) == 1 and column.kind == "number" and not holds(column, "amount"):
            wanted[:] = [Measure(wanted[0].kind, column.name)]  # "the oldest on average": of no other column
        elif wanted == [Measure("count")] and column.kind == "number":
            wanted[:] = [Measure("sum" if measures.is_added(column) else "mean", column.name)]
            self.by_rows = False
        self.ranking = ""

    def _counted_by_rows(self, measures: list[Measure]) -> list[Measure]:
        """The most of something is the most rows, unless something else is measured."""
        counted = any(one.kind == "count" for one in measures)
        better = self._better_then(measures)
        if better is not None or self.descending is None or self.changed is not None:
            return better or measures
        again = self._as_ranked_before()
        self.leaning |= again is not None
        if (told := again or self._adding_up(measures)) is not None:
            return told
        self.by_rows |= compiled(words()["by_number"]).search(self.sentence.text) is not None
        self.by_rows |= self.by is None and compiled(words()["popular"]).search(self.sentence.text) is not None
        self.by_rows |= most_rows(self.sentence.text, self.profile, self.file)
        same = self.before is not None and tuple(self.groups) == self.before.groups
        by_rating = self.profile.rating is not None and not is_of_something_else(self.ranking)
        if self.ranking and not (self.by_rows or self.measured or by_rating or same):
            self.unread.append(self.ranking)  # first by what?
        if self.by_rows:
            return [Measure("count"), *(one for one in measures if one.kind not in ("count", "mean"))]
        if self.measured and counted and compiled(words()["most_of_all"]).fullmatch(self.ranking):
            return measures  # "how many has each, and which has the most?"
        chosen = {one.column for one in self.filters if one.op == "in"}
        rated = self.profile.rating
        if counted and len(measures) == 1 and self.groups and rated is not None and rated.name not in chosen:
            return [Measure("mean", rated.name)]  # "the best film", and not "the one with most fives"
        return measures

    def _better_then(self, measures: list[Measure]) -> list[Measure] | None:
        """By what one time was better or worse than another, where nothing is measured otherwise."""
        times = any(one.periods or one.grain for one in self.groups)
        if not times or self.measured or self.descending is not None or self.changed is not None:
            return None
        if compiled(words()["better_then"]).search(self.sentence.text) is None:
            return None  # what says that it changed was read as that already
        found = self._what_is_good(measures)
        if found is not None:
            self.sentence.take(words()["better_then"])
        return found

    def _what_is_good(self, measures: list[Measure]) -> list[Measure] | None:
        """The marks that were given, or what came in, where rows are counted for want of another figure."""
        if measures != [Measure("count")] or not self.groups:
            return None
        if (rated := self.profile.rating) is not None:
            return [Measure("mean", rated.name)]
        money = the_money(self.profile)
        spent = money is None or any(holds(money, kind) for kind in ("cost", "salary", "discount", "price"))
        return [Measure("sum", money.name)] if money is not None and is_added(money) and not spent else None

    def _adding_up(self, measures: list[Measure]) -> list[Measure] | None:
        """The figures where what is ranked by adds up, be it people ("by number of people"); None where it does not."""
        persons = people.counted(self.sentence, self.profile)
        if persons is not None and any(one.column == persons.name for one in measures):
            return measures
        added = totals.ranked_by(self.sentence, self.profile, self.groups, self.filters, measures)
        return added if added != measures else self._best_of_all(measures)

    def _best_of_all(self, measures: list[Measure]) -> list[Measure] | None:
        """By what something is the best of all, where nothing else says it."""
        same = self.before is not None and tuple(self.groups) == self.before.groups
        by_rows = self.by_rows or compiled(words()["by_number"]).search(self.sentence.text) is not None
        if by_rows or self.measured or same or self.profile.rating is not None:
            return None
        return self._what_is_good(measures) if compiled(words()["best_of_all"]).search(self.ranking) else None

    def _as_ranked_before(self) -> list[Measure] | None:
        """The figure that was told before, where a turn that goes on ranks by nothing else ("and which is lowest?")."""
        before = self.before
        if before is None or before.asks != "figures" or self.measured or self.by or not goes_on(self.sentence, before):
            return None
        told = [one for one in before.measures if one.kind not in ("count", "share", "portion", "distinct")]
        text = self.sentence.text
        rows = any(compiled(words()[one]).search(text) for one in ("by_number", "popular", "often", "busy"))
        rows |= most_rows(self.sentence.text, self.profile, self.file)
        rows |= self.by_rows and not any(one.kind == "sum" for one in told)  # of a mean nothing is "most"
        return list(before.measures) if told and not rows else None

    def _compared(self, measures: Sequence[Measure]) -> None:
        """Which of two that are named is more: both are told, in their order. Of a column of yes and no one names one
        side alone ("do those with a pet pay more?")."""
        self._other_side_too()
        named = any(one.op in ("in", "between") for one in self.filters) or any(one.parts for one in self.groups)
        named = named or self.every
        if self.descending is not None or not named or not self.groups:
            return
        for descending, said in ((True, "comparative_high"), (False, "comparative_low")):
            while (match := self.sentence.take(bounded(words()[said]))) is not None:
                self.descending, self.every = descending, True
                self.by_rows |= bool(re.search(words()["by_rows"], match.group())) and not measures[0].column

    def _other_side_too(self) -> None:
        more = any(self.sentence.find(bounded(words()[one])) for one in ("comparative_high", "comparative_low"))
        if not more or self.groups or self.descending is not None or not self.measured:
            return
        for one in self.filters:
            column = self.profile.column(one.column)
            if one.op == "in" and len(one.values) == 1 and column.kind == "category" and yes_and_no(column) is not None:
                self.filters.remove(one)
                self.groups.append(Group(one.column))
                self.every = True
                return

    def _grain(self, column: Column, grain: Grain) -> None:
        self.groups = [one for one in self.groups if one.column != column.name]
        self.groups.append(Group(column.name, grain))
        self.sentence.take(bounded(words()["over_time"]))
