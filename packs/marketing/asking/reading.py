"""A question in words to a typed request: kind by kind what it names is found and taken out of the sentence; words of
substance that nothing has taken make it a question of ours."""

from collections.abc import Sequence
from dataclasses import replace

from packs.marketing.asking import grouping, listing, measures, shares, times, units
from packs.marketing.asking.accounting import with_unheeded
from packs.marketing.asking.as_headed import as_headed
from packs.marketing.asking.as_meant import as_meant
from packs.marketing.asking.births import is_of_birth
from packs.marketing.asking.bounds import numbers_left
from packs.marketing.asking.conditions import takes_why, takes_wording
from packs.marketing.asking.days import SIDES, Period, spoken_days
from packs.marketing.asking.following import spoken_of
from packs.marketing.asking.keeping import rows_that_are_kept
from packs.marketing.asking.leftover import heading_words, row_words, stem_of, unread, with_left
from packs.marketing.asking.linking import in_brackets, take_whatever
from packs.marketing.asking.measuring import Measuring
from packs.marketing.asking.money import money_that_is_nowhere, the_money
from packs.marketing.asking.naming import holds, is_value, is_within_a_heading, pattern_of, with_own_names, with_the_day
from packs.marketing.asking.phrasing import (
    AskedSentence,
    bounded,
    compiled,
    hints_at,
    is_bound,
    number_of,
    number_pattern,
    words,
)
from packs.marketing.asking.pointing import pointing
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.ranking import Ranking
from packs.marketing.asking.request import Asks, Filter, Group, Measure, Op, Request
from packs.marketing.asking.sounding import as_spelt
from packs.marketing.asking.turns import Turn, goes_on
from packs.marketing.asking.weekdays import is_weekday


def _is_bound(said: str, text: str) -> bool:
    """Whether a time is so much of something: "30일 넘게", "3일을 넘는"."""
    at = text.find(said.strip())
    end = at + len(said.strip())
    return at >= 0 and compiled(words()["lasts"]).fullmatch(said.strip()) is not None and is_bound(text, end)


class Reading(Ranking):
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
        self.sentence.take(words()["says_who"])
        if (whole := self.sentence.find(words()["in_total"])) is not None:
            self.sentence.blank(whole.end(1), whole.end())
        as_spelt(self.sentence, profile)
        profile = with_own_names(profile)
        in_brackets(self.sentence, profile)
        as_headed(self.sentence, profile)
        rows = row_words(profile, file)
        as_meant(self.sentence, profile, rows)
        self.profile = profile = with_the_day(profile, self.sentence, spoken_of(before), rows)
        named = [one for one in periods if profile.date and not (is_weekday(one.said) or is_value(one.said, profile))]
        named = [one for one in named if not is_within_a_heading(one.said, self.sentence.text, profile)]
        named = [one for one in named if not is_of_birth(one.said, self.sentence.text)]
        named = [one for one in named if not _is_bound(one.said, self.sentence.text)]  # "more than 3일"
        lasting = [one for one in named if compiled(words()["lasting"]).fullmatch(one.said.strip())]
        named = [one for one in named if one not in lasting] or named  # "in July and August, those two months"
        self.spoken = named = spoken_days(self.sentence, profile, named)
        self.periods = [one for one in named if self.sentence.blank_words(one.said)]
        self.before = before
        self.file = file
        self.filters: list[Filter] = []
        self.groups: list[Group] = []
        self.having: tuple[Op, float] | None = None
        self.descending: bool | None = None
        self.limit: int | None = None
        self.unread: list[str] = []
        self.shared = self.ranking = self.at_one = self.thing = ""
        self.by_rows = self.measured = self.every = self.grouped = self.grows = self.quoted = self.crossed = False
        self.stepped = self.single = self.leaning = self.guessed = self.who = False
        self.assumed = False
        self.over: Measure | None = None
        self.changed: tuple[str, bool] | None = None
        self.by: Column | None = None  # what rows are ranked by
        self.rates: list[Filter] = []

    def request(self) -> Request:
        said = words()
        if self.sentence.find(said["preview"]) and not hints_at(self.sentence, "empty") and not self._keeps_some():
            return Request(asks="preview")
        asks: Asks = "figures"
        while why := takes_why(self.sentence, self.profile):
            asks = "why"
            if self.profile.rating is None or self.profile.text is None:
                self.unread = [why]  # nothing here tells it
        any_year = self.sentence.take(said["any_year"]) is not None
        self._of_all_rows()
        decimals = measures.decimals(self.sentence)
        remark = self.sentence.find(said["remark"])
        remarked = remark.end() if remark is not None else 0
        pointed = pointing(self.sentence, self.profile, self.before, self._has_named_rows, remarked)
        self.at_one = pointed.at_one
        beside = goes_on(self.sentence, self.before) and bool(self.sentence.find(said["beside"]))
        self.changed = times.most_changed(self.sentence)
        self.over = measures.averaged_over(self.sentence, self.profile)
        kept = rows_that_are_kept(
            self.sentence, self.profile, self.periods, self.before, row_words(self.profile, self.file)
        )
        self.filters, self.groups, self.rates, self.having = kept.filters, kept.groups, kept.rates, kept.having
        self.crossed, self.grows, self.every, self.stepped = kept.crossed, kept.grows, kept.every, kept.stepped
        self.sentence.blank(0, remarked)  # but for which rows it speaks of, nothing is asked there
        self.groups += grouping.by_numbers(self.sentence, self.profile)
        latest = times.at_the_end(self.sentence, self.profile)
        while asks != "why" and takes_wording(self.sentence, self.profile):
            asks, self.quoted = "examples", True
        self._some(asks)
        wanted = self._measures(asks)
        self._in_order(asks, wanted, latest=latest)
        if self.changed is not None:
            self.descending, self.every = self.changed[1], False
        self._by_groups(wanted, any_year=any_year, bounded_by=kept.bound)
        kept_by = {one.column for one in self.filters}
        figures = self.groups or any(one.column and one.column not in kept_by for one in wanted)
        asks = "figures" if asks == "examples" and figures else asks
        ranking = self.sentence.take(bounded(said["superlatives"]))
        if ranking is not None and self.descending is None:
            self.unread.append(ranking.group().strip())  # the most of what nobody knows here
        counted = tuple(self._counted_by_rows(wanted))
        self._any_money(counted)
        if asks == "figures" and (money := money_that_is_nowhere(self.sentence, self.profile)):
            self.unread.append(money)
        request = Request(
            asks=asks,
            filters=tuple(dict.fromkeys(self.filters)),
            groups=tuple(dict.fromkeys(self.groups))[:2],
            measures=counted,
            having=self.having,
            bound=kept.bound if self.groups else None,
            descending=self.descending,
            limit=self.limit,
            decimals=decimals,
            unknown=(*kept.unknown, *kept.unread),
            change=self.grows,
            apart=len(self.groups) == 1 and self.sentence.find(words()["apart"]) is not None,
        )
        request = self._of_rows(request) if self.changed is None else times.by_change(request, self.changed)
        self.unread += request.unread
        left = self._left(request)
        named_so = left == [self.thing] or listing.are_named(request.filters, self.profile)
        nothing = not (self.measured or request.groups or self.before) and request.measures == (Measure("count"),)
        request = with_left(
            request, self.unread, left, self.sentence.text, of_one=request.asks == "rows" and named_so,
            # how many there are is not what was asked ("is it over budget?")
            guessed=self.guessed or self.assumed or nothing,
        )  # fmt: skip
        turn = Turn(
            self.sentence,
            self.profile,
            self.before,
            pointing=pointed.rows,
            at_one=pointed.at_one,
            measured=self.measured,
            ranked=self.by is not None,
            leaning=self.leaning,
            beside=beside,
            of_rows=listing.rows_are_meant(self.sentence, self.profile, row_words(self.profile, self.file)),
            place=pointed.place,
            turned=pointed.turned,
        )
        alone = self.before is None
        return with_unheeded(turn.in_its_place(request), self.sentence, self.profile, self.file, alone=alone)

    def _of_all_rows(self) -> None:
        """Nothing is narrowed by how many rows there are in all, by what was ever done, or by what any row may be."""
        height = self.profile.frame.height
        whole = self.sentence.find(words()["all_of_them"].replace("N", f"{height}|{height:,}"))
        if whole is not None:
            self.sentence.blank(*whole.span("number"))
        self.sentence.take(words()["ever_done"])
        if compiled(bounded(f"{words()['high']}|{words()['low']}")).search(self.sentence.text) is not None:
            self.sentence.take(words()["told_with_it"])
        take_whatever(self.sentence, self.profile)
        nowhere = words()["nowhere"]
        if not any(compiled(nowhere).search(one.name) for one in self.profile.columns):
            self.unread += [one.group()] if (one := self.sentence.take(nowhere)) is not None else []

    def _by_another_name(self, known: frozenset[str]) -> None:
        """What is broken down by a word that no heading has: by the column it stands for, or it is asked about."""
        if not self.groups and not self.sentence.text.isascii():
            self.groups, each = grouping.each_of_others(self.sentence, self.profile)
            self.every |= bool(self.groups)
            self.unread += [each] if each and each not in known else []
        if not self.groups and (name := grouping.by_nothing(self.sentence, known)):
            self.unread.append(name)

    def _left(self, request: Request) -> list[str]:
        """What nothing has taken, and is no part of the heading of a column that is used."""
        parts = [one for it in request.measures for one in it.part]
        used = {one.column for one in (*request.filters, *parts)} | {one.column for one in request.groups}
        used |= {one.column for one in request.measures if one.column is not None}
        for under in compiled(r"(?<![A-Za-z])under (?:an? |the )?(?=[a-z])").finditer(self.sentence.text):
            if not self.sentence.left[under.end()].strip():
                self.sentence.blank(*under.span())  # under an overcast sky
        left = [*unread(self.sentence, self.profile, self.file), *numbers_left(self.sentence, self.profile)]
        known = units.units_of([self.profile.column(one) for one in used])
        stem = stem_of(self.file)
        left = [one for one in left if one.casefold() not in known and (one.isascii() or one not in stem)]
        return [one for one in left if one.isascii() or not any(one in name for name in used)]

    def _keeps_some(self) -> bool:
        """Whether a question that may be of the table speaks of some of its rows alone ("how many rows of Leeds?")."""
        sentence = AskedSentence(self.sentence.text)
        return bool(self.periods or rows_that_are_kept(sentence, self.profile, (), self.before).filters)

    def _by_groups(self, wanted: list[Measure], *, any_year: bool, bounded_by: tuple[Op, float] | None) -> None:
        if bounded_by is not None and not self.groups:
            self.groups += grouping.named(self.sentence, self.profile)
            self.every = True
        if not self.single:
            self._grouped(wanted)
        self.groups = times.of_any_year(self.groups) if any_year else self.groups
        if not self.groups and (course := times.course(self.sentence, self.profile, self.filters)) is not None:
            self.groups, self.guessed = [course], True
        if times.changes(self.sentence, self.groups):
            self.grows = self.every = True
        if self.descending is not None and self.limit is None and (many := self._how_many_groups()):
            self.limit = many
        self.every |= any(grouping.are_named(self.profile.column(one.column), self.filters) for one in self.groups)
        if self.descending is not None and self.limit is None and not self.every:
            self.limit = 1
        if self.groups and compiled(words()["told_apart"]).search(self.sentence.text) is not None:
            wanted[:] = shares.each_value(wanted)

    def _some(self, asks: Asks) -> None:
        """How many of the texts are to be shown."""
        for pattern in (words()["some"], words()["so_many"]) if asks == "examples" else ():
            if (some := self.sentence.take(pattern.replace("N", number_pattern()))) is not None:
                self.limit = int(number_of(next(one for one in some.groups() if one)))
                return

    def _is_of_those_groups(self) -> bool:
        """Whether one asks which of the groups that were told before ("and where is it highest?")."""
        such = compiled(words()["which_such"]).search(self.sentence.text) is not None
        told = self.before is not None and self.before.groups and (such or goes_on(self.sentence, self.before))
        again = self.before is not None and self.before.descending is not None  # "and the best selling honey?"
        asked = such or again or compiled(words()["which_of_them"]).search(self.sentence.text) is not None
        return bool(told) and asked and self.descending is not None

    def _counted_before(self) -> str:
        """The column whose different values were counted, where one asks next which of them comes first; or nothing."""
        told = self.before.measures if self.before is not None else ()
        asked = compiled(words()["which"]).search(self.sentence.text) is not None
        columns = [self.profile.column(one.column) for one in told if one.kind == "distinct" and one.column and asked]
        return columns[0].name if len(columns) == len(told) == 1 and columns[0].kind == "category" else ""

    def _any_money(self, counted: Sequence[Measure]) -> None:
        """Beside what was paid "the amount" is that."""
        of_money = {name for one in counted for name in (one.column, one.per)} | {self.by.name if self.by else ""}
        if any(holds(self.profile.column(name), "amount") for name in of_money if name):
            self.sentence.take(bounded(words()["money_words"]))

    def _how_many_groups(self) -> int | None:
        """As in "which three stations"."""
        for one in self.groups:
            name = pattern_of(self.profile.column(one.column))
            match = compiled(
                rf"(?<![A-Za-z\d.가-힣一-龯])({number_pattern()})\s?(?:of (?:our|the) )?(?:{name})"
            ).search(self.sentence.text)
            if match is not None:
                self.sentence.blank(*match.span(1))
                return int(number_of(match[1]))
        return None

    def _of_rows(self, request: Request) -> Request:
        """Single rows, where one asks which they are."""
        if (whole := listing.told_whole(request, self.profile)) is not None:
            return whole
        if request.asks != "figures" or self.grouped or self.having is not None:
            return request
        if self.by is None and request.descending is not None and not (self.measured or request.groups):
            bound = [one.column for one in request.filters if one.op in ("lt", "le", "gt", "ge")]
            self.by = next((one for one in self.profile.of("number") if one.name in bound), None)
        meant = listing.rows_are_meant(self.sentence, self.profile, row_words(self.profile, self.file))
        of_days = self.by is not None and self.by is self.profile.date
        grained = any(one.grain for one in request.groups) and not of_days
        grained |= any(grouping.are_named(self.profile.column(one.column), request.filters) for one in request.groups)
        mean = bounded("|".join(words()["measures"][one] for one in ("mean", "median")))
        averaged = not meant and compiled(mean).search(self.sentence.text) is not None  # "the average and the longest"
        added = self.who and all(one.kind == "sum" for one in request.measures)  # "who spent the most?"
        rows = (meant and not (grained or added)) or of_days or not (request.groups or averaged)
        if self.by is not None and request.descending is not None and rows:
            found = listing.ranked(request, self.by, self.sentence, self.profile)
            text = (self.profile.text.name,) if self.quoted and self.profile.text else ()
            return replace(found, columns=tuple(dict.fromkeys((*found.columns, *text))))
        grained = any(one.grain for one in request.groups)
        if request.descending is None and not grained and self._are_told(request):
            if not (request.filters or self.before is not None):
                return request  # all of them are no answer
            self.sentence.take(bounded(words()["which_rows"]))
            return listing.listed(request, self.sentence, self.profile)
        return request

    def _are_told(self, request: Request) -> bool:
        """Whether one asks which rows they are; besides how many, which is told with them, by a word of its own."""
        if self.measured:
            counted = request.measures == (Measure("count"),) and bool(request.filters) and not request.groups
            named = bool(listing.names_of_rows(self.profile)) and not request.groups and bool(request.filters)
            return named and ((counted and listing.says_which(self.sentence)) or listing.is_wanted(self.sentence))
        return listing.is_listing(self.sentence, self.profile)

    def _has_named_rows(self, end: int) -> Sequence[Filter]:
        """What "of those" is of where the sentence has named it before, and not another question."""
        begun = Reading(self.sentence.text[:end], self.profile, self.spoken).request() if end else Request()
        return begun.filters

    def _measures(self, asks: Asks) -> list[Measure]:
        found = Measuring(
            self.sentence,
            self.profile,
            self.before,
            self.filters,
            self.groups,
            self.rates,
            lambda text: Reading(text, self.profile, self.periods).request().filters,
            stepped=self.stepped,
            grows=self.grows,
            over=self.over,
        )
        wanted = found.read(asks)
        self.assumed = found.assumed
        self.filters, self.groups, self.measured = found.filters, found.groups, found.measured
        self.by, self.single, self.shared = found.by, found.single, found.shared
        self.leaning = found.leaning
        if found.single:
            self.descending, self.limit = found.descending, 1
        self.unread += found.unread
        trend = compiled(bounded(words()["over_time"])).search(self.sentence.text) is not None
        money = the_money(self.profile) if trend and self.profile.rating is None else None
        if money is None or self.measured or wanted != [Measure("count")]:
            return wanted
        return [Measure("sum", money.name), *wanted]  # how sales go, and how many there are

    def _grouped(self, wanted: list[Measure]) -> None:
        told = any(one.kind == "portion" for one in wanted)
        listed = bool(self.filters) and not (self.measured or self.having) and self.descending is None
        ranked = self.descending is not None
        parts = {it.column for one in wanted if ranked for it in one.part}
        parts |= {one.column for one in self.filters if ranked and one.op == "in" and len(one.values) == 1}
        named = grouping.grouped(
            self.sentence, self.profile, self.groups, parts, ranked=ranked, crossed=self.crossed, listed=listed
        )
        self.groups, self.grouped, self.every = named.groups, named.named, self.every or named.every
        if not self.groups and told:
            self.groups += grouping.named(self.sentence, self.profile, words()["shared"])
        if not self.groups and self._is_of_those_groups():
            before = self.before.groups if self.before is not None else ()
            self.groups += () if grouping.asked_anew(self.sentence, self.profile, before) else before
        if not self.groups and ranked and (counted := self._counted_before()):
            self.groups.append(Group(counted))
            self.by_rows = self.measured = True
        asked = bool(self.groups)
        if not self.groups and (ranked or (self.filters and not self.measured)):
            self.groups += grouping.persons(self.sentence, self.profile, ranked=ranked)
            self.who = bool(self.groups)
        if self.having is not None and not self.groups:
            self.groups += grouping.those_who(self.sentence, self.profile)
            wanted[:] = [Measure("count")] if self.groups else wanted
        if self.descending is not None and not self.groups:
            self.groups += grouping.things(self.sentence, self.profile)
        if self.descending is not None and not self.groups:
            self.groups += grouping.places(self.sentence, self.profile)
        entity = self.profile.entity if self.profile.entity and self.profile.entity.name not in parts else None
        by = self.by if self.by is not None and self.by.kind == "number" else None
        of_rows = by is not None and all(one.column in (None, by.name) for one in wanted)
        of_rows = of_rows and self.sentence.find(words()["places_asked"]) is None
        of_rows = of_rows and (entity is None or not grouping.is_spoken_of(self.sentence, entity))
        end = words()["and_the_most"].replace("MOST", f"{words()['high']}|{words()['low']}")
        of_rows |= compiled(end).search(self.sentence.text) is not None
        if (self.descending is not None or self.having) and not self.groups and entity is not None and not of_rows:
            self.groups.append(Group(entity.name))
        self.guessed = bool(self.groups) and not asked
        if self.having is not None and not self.groups:
            self.unread.append(f"{self.having[1]:g}")  # a bound on the rows of nothing
        if not self.groups and told and not self.at_one:
            self.unread.append(self.shared)  # a share of nobody knows what
        known = row_words(self.profile, self.file) | {
            part for one in self.profile.columns for part in heading_words(one)
        }
        self._by_another_name(known)
        if self.crossed and len(self.groups) < SIDES:
            self.unread.append(self.sentence.text)
