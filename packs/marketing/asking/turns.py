"""Where a question stands after the one before it: by itself, narrower, or the same of something else."""

from dataclasses import dataclass, replace

from packs.marketing.asking import asked_columns, grouping
from packs.marketing.asking.following import (
    as_figure,
    as_share,
    by_rows_again,
    cut,
    ends_apart,
    filtered,
    is_of_another_time,
    leader,
    narrowed,
    shares,
    side_by_side,
    turned,
    varied,
    with_lost,
    with_values_of,
)
from packs.marketing.asking.listing import are_named, is_listing, told_whole
from packs.marketing.asking.naming import pattern_of, yes_and_no
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, either, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import OTHER_SIDE, Filter, Group, Measure, Request

_MEASURE_ALONE = 3
"""Words of a turn that says nothing but another measure of the same ("and the average?")."""
SHORT, _LONG = 7, 14
"""Words of a turn that may leave out what the one before it said, and of one that says that it goes on."""


def goes_on(sentence: AskedSentence, before: Request | None) -> bool:
    """Whether the turn is short enough to lean on the one before it."""
    longest = _LONG if compiled(words()["goes_on"]).search(sentence.text) else SHORT
    return before is not None and len(sentence.text.split()) <= longest


def leans(text: str) -> bool:
    """Whether it says that it leans on what was said before ("and …", "…도?")."""
    return any(compiled(words()[one]).search(text) for one in ("also", "leans", "how_is_it"))


@dataclass(frozen=True, slots=True)
class Turn:
    """A sentence after `before`. `pointing` are its words for what was kept before ("of those"), `at_one` those for
    what came first there, or at another `place`; `measured` and `ranked`: it says by itself what is measured, or in
    which order; `leaning`: what is measured was said before; `beside`: what is named comes beside what was before;
    `of_rows`: it names what the rows are."""

    sentence: AskedSentence
    profile: Profile
    before: Request | None
    pointing: str = ""
    at_one: str = ""
    measured: bool = False
    ranked: bool = False
    leaning: bool = False
    beside: bool = False
    of_rows: bool = False
    place: int = 1
    turned: bool | None = None

    def in_its_place(self, request: Request) -> Request:
        """Where nobody knows what the sentence speaks of, its words stay unread."""
        same = compiled(words()["same_again"]).search(self.sentence.text) is not None
        alone = self._stands_alone(request) and not same
        placed = as_share(request if alone else self._placed(self._of_the_sum(request)))
        if alone or placed is request or self.before is None:
            return placed
        there = same or bool(self.pointing or self.at_one)
        return with_lost(self.before, placed, self.profile, request, pointing=there)

    def _stands_alone(self, request: Request) -> bool:
        """Whether it is a whole question behind one that was not answered: that one is given up."""
        before = self.before
        if before is None or not (before.unread or before.unknown) or request.unread or self.pointing or self.at_one:
            return False
        named = bool(request.filters or request.groups)
        told = self.measured or self.ranked or request.descending is not None or request.asks != "figures"
        told |= self.of_rows and bool(request.groups)
        return named and (told or len(request.filters) > 1)

    def _of_the_sum(self, request: Request) -> Request:
        """A share of the total that was told before is of what was added up then; where it may be of the rows as well,
        both are told."""
        added = next((one.column for one in self.before.measures if one.kind == "sum"), None) if self.before else None
        if added is None:
            return request
        of_total = compiled(words()["of_total"]).search(self.sentence.text) is not None
        if not of_total and compiled(words()["rate_said"]).search(self.sentence.text) is not None:
            return request  # a rate is of so many rows, whatever was added up before ("キャンセル率")
        shares: list[Measure] = []
        for one in request.measures:
            if one.kind in ("share", "portion") and one.column is None:
                shares += [replace(one, column=added), *([] if of_total else [one])]
            else:
                shares.append(one)
        return replace(request, measures=tuple(shares))

    def _placed(self, request: Request) -> Request:  # noqa: C901, PLR0911  # one for each way to go on
        before = self.before
        for first in (self._who_they_are, self._what_they_have, self._of_all_of_them):
            if before is not None and (told := first(before, request)) is not None:
                return told
        if self.pointing or self.at_one:
            return self._of_those(request)
        if before is not None and (both := self._of_both(before, request)) is not None:
            return both
        short = len(self.sentence.text.split()) <= _MEASURE_ALONE
        if before is not None and short and (some := cut(before, request)) is not None:
            return some
        for way in (
            self._by_rows,
            self._of_another_word,
            self._of_the_others,
            self._that_group_alone,
            self._of_that_row,
            self._from_the_other_end,
            self._which_of_those,
        ):
            if before is not None and (placed := way(before, request)) is not None:
                return placed
        if before is not None and self._is_the_same_again(request):
            return varied(before, request, measured=self.measured, beside=self.beside)
        if before is None or before.asks == "preview":
            return request
        if not goes_on(self.sentence, before) and not self._speaks_of_the_two(before):
            return request
        if request.asks in ("examples", "rows") and not (request.filters or request.descending is not None):
            return narrowed(replace(before, groups=()), request, measured=True)  # those that were counted
        if (same := self._same_figure(before, request)) is not None:
            return same
        return self._going_on(before, request)

    def _going_on(self, before: Request, request: Request) -> Request:  # noqa: PLR0911  # as above
        if is_of_another_time(before, request, self.sentence.text):
            return varied(before, request, measured=False, beside=self.beside)
        if before.measures[0].kind == "ratio" and [one.kind for one in request.measures] == ["share"]:
            parts = (*request.filters, *request.measures[0].part)  # in percent is how it was told
            return varied(before, replace(request, filters=parts), measured=False, beside=self.beside)
        if not request.groups and self._sides_are_meant(before):
            aside = varied(before, replace(request, descending=None, limit=None), measured=self.measured, beside=False)
            return replace(aside, groups=before.groups, descending=request.descending, limit=request.limit)
        names_more = bool(request.filters or request.groups)
        if names_more and self._is_whole():
            return request
        if self._keeps(before, request):
            return varied(before, request, measured=self.measured or self.leaning, beside=self.beside)
        if self.measured or request.descending is not None or request.having is not None:
            alone = not names_more and len(self.sentence.text.split()) <= _MEASURE_ALONE
            counted = before.asks != "figures" and request.measures == (Measure("count"),)
            same = replace(before, asks="figures", columns=(), descending=None, limit=None) if counted else before
            leans_on = leans(self.sentence.text) or counted
            those = not names_more and compiled(words()["of_those"]).search(self.sentence.text) is not None
            return varied(same, request, measured=True, beside=False) if those or (alone and leans_on) else request
        if request.asks == "why" and not names_more and (first := leader(before, self.profile)):
            return replace(request, filters=first)  # "which is the lowest, and why?"
        if names_more or request.asks == "why":
            rows = self.of_rows or is_listing(self.sentence, self.profile)
            return varied(before, as_figure(before, request, rows=rows), measured=False, beside=self.beside)
        return request

    def _is_whole(self) -> bool:
        """Whether it names the rows and asks for them in so many words: nothing of it was left to the turn before."""
        text = self.sentence.text
        goes = leans(text) or any(compiled(words()[one]).search(text) for one in ("goes_on", "narrows"))
        return self.of_rows and not goes and compiled(either("asks_for_rows")).search(text) is not None

    def _by_rows(self, before: Request, request: Request) -> Request | None:
        return by_rows_again(before, request, self.sentence.text) if goes_on(self.sentence, before) else None

    def _keeps(self, before: Request, request: Request) -> bool:
        """Whether what is measured was said before, or of what was kept then more is kept now; nobody speaks of all."""
        text = self.sentence.text
        narrows = request.filters and before.filters and compiled(words()["narrows"]).search(text) is not None
        goes = self.leaning or (narrows and not request.groups)
        return bool(goes) and compiled(words()["of_everything"]).search(text) is None

    def _who_they_are(self, before: Request, _: Request) -> Request | None:
        """The people behind the number that was told."""
        if compiled(words()["who_are_they"]).search(self.sentence.text) is None or before.groups or before.unread:
            return None
        told = [one.column for one in before.measures if one.kind == "distinct" and one.column is not None]
        people = told or [one.name for one in grouping.people(self.profile)]
        if len(people) != 1 or before.asks != "figures" or not before.filters:
            return None
        return replace(before, groups=(Group(people[0]),), measures=(Measure("count"),))

    def _what_they_have(self, before: Request, request: Request) -> Request | None:
        """What stands in another column of the rows that were told."""
        goes = bool(self.pointing or self.at_one) or goes_on(self.sentence, before)
        if not goes or self.measured or before.unread or before.unknown or (before.asks == "rows" and before.limit):
            return None
        filters = (leader(before, self.profile) if self.at_one else ()) or before.filters
        return asked_columns.of_those(self.sentence.text, request, filters, self.profile)

    def _of_all_of_them(self, before: Request, request: Request) -> Request | None:
        """What share of all rows, or of all open ones, those are that were counted ("what is that in percent?")."""
        counted = {one.kind for one in before.measures} <= {"count", "sum"} and before.filters and not before.groups
        if whole := next((one.part for one in request.measures if one.part), ()):
            part = tuple(one for one in before.filters if one not in whole)
            if counted and part and {*whole, *request.filters} < set(before.filters):
                return replace(request, filters=whole, measures=shares(before, part))
            return None  # of those, and not of all
        said = compiled(f"{words()['measures']['share']}|%")
        left = tuple(one for one in request.unread if not said.search(one))
        alone = before.limit == 1 or bool(self.pointing or compiled(words()["of_that_row"]).search(self.sentence.text))
        first = leader(before, self.profile) if alone and before.measures[0].kind in ("count", "sum") else ()
        if first and said.search(self.sentence.text) and not (request.filters or request.groups or self.at_one):
            part = tuple(one for one in first if one not in before.filters)
            share = Measure("share", before.measures[0].column, part)
            return Request(filters=before.filters, measures=(share,), unread=left, aside=request.aside)
        if before.change and said.search(self.sentence.text) and not (request.filters or request.groups):
            return replace(before, unread=left, aside=request.aside)  # in percent it was told as well
        if not counted or said.search(self.sentence.text) is None or request.filters or request.groups:
            return None
        of_all = compiled(words()["of_everything"]).search(self.sentence.text) is not None or len(before.filters) == 1
        whole, part = ((), before.filters) if of_all else (before.filters[:-1], before.filters[-1:])
        return Request(filters=whole, measures=shares(before, part), unread=left, aside=request.aside)

    def _of_those(self, request: Request) -> Request:
        if self.before is not None and (more := self._of_that_row(self.before, request)) is not None:
            return more  # "who was at that one?"
        of_all = compiled(words()["of_the_table"]).search(self.pointing) is not None or bool(request.groups)
        if self.before is None and self.pointing and of_all and not request.unread:
            return request  # "how many of these are …": all rows of the table
        if self.before is None and self.at_one and request.descending is not None and not request.unread:
            return request  # "which month had the most, and how many were there that month?"
        first = leader(self._ranked_before(self.before), self.profile, self.place) if self.before else ()
        if self.before is None or (self.at_one and not first and not self.before.filters):
            return replace(request, unread=(self.pointing or self.at_one, *request.unread))
        before = replace(self.before, filters=first) if self.at_one and first else self.before
        if self.at_one and first:
            before = replace(before, groups=(), descending=None, limit=None)
        return narrowed(before, request, measured=self.measured or self.ranked)

    def _ranked_before(self, before: Request) -> Request:
        """In the order in which one of them is spoken of."""
        return before if self.turned is None else replace(before, descending=self.turned, limit=None)

    def _of_that_row(self, before: Request, request: Request) -> Request | None:
        """More of the row that was told before ("and its price?"), or that was named."""
        text = self.sentence.text
        if are_named(before.filters, self.profile) and not (request.filters or request.groups):
            said = [words()["measures"][one] for one in ("mean", "median", "sum", "share")]
            kinds = bounded("|".join((*said, words()["how_many_persons"], words()["of_everything"])))
            if request.descending is None and compiled(kinds).search(text) is None and goes_on(self.sentence, before):
                again = replace(request, filters=before.filters, unread=(), aside=request.unread)
                return told_whole(again, self.profile) or again
        if before.asks != "rows" or before.descending is None or request.filters or request.descending is not None:
            return None
        if before.limit == 1 and request.measures == (Measure("count"),) and compiled(words()["of_one"]).search(text):
            return replace(before, unread=(), aside=())  # "and how often was that?": it was told with it
        says = compiled(words()["of_that_row"]).search(self.sentence.text) is not None
        says |= before.limit == 1 and not self.measured
        if not says or len(self.sentence.text.split()) > SHORT:
            return None
        named = [one.name for one in self.profile.columns if compiled(pattern_of(one)).search(self.sentence.text)]
        if (day := self.profile.date) is not None and compiled(words()["when"]).search(self.sentence.text):
            named += [day.name]
        columns = tuple(dict.fromkeys((*before.columns, *named)))
        return replace(before, columns=columns, unread=request.unread) if named else None

    def _from_the_other_end(self, before: Request, request: Request) -> Request | None:
        says = compiled(words()["reversed"]).search(self.sentence.text) is not None
        named = [one for one in request.groups if self._is_named(one) and one not in before.groups]
        if before.descending is None or not says or request.filters or named or self.measured:
            return None
        return turned(before, replace(request, descending=not before.descending, limit=1))

    def _is_named(self, group: Group) -> bool:
        return compiled(pattern_of(self.profile.column(group.column))).search(self.sentence.text) is not None

    def _which_of_those(self, before: Request, request: Request) -> Request | None:
        """The groups that were told before, ranked: by what was told of them, where nothing else is said."""
        same = request.groups and request.groups == before.groups and request.asks == "figures"
        if not same or request.descending is None or request.filters or before.descending is not None:
            return None
        counted = request.measures == (Measure("count"),) and before.measures[0].kind in ("count", "sum")
        again = not self.measured and (counted or request.measures[0].kind != "count")
        return replace(request, filters=before.filters, measures=before.measures if again else request.measures)

    def _of_both(self, before: Request, request: Request) -> Request | None:  # noqa: PLR0911  # as above
        """The two that were told: taken together, or how far they lie apart."""
        text = self.sentence.text
        leans = len(text.split()) <= _LONG and not request.groups
        apart = compiled(words()["apart"]).search(text) is not None
        if leans and (other := self._beside_another(before, request, apart=apart)) is not None:
            return other
        two = compiled(words()["sides"]).search(text) is not None or (apart and len(text.split()) <= SHORT - 2)
        if not leans or request.filters or not two:
            return None
        if apart and (before.groups or before.replaced):
            if before.descending is not None and len(before.groups) == 1:
                return ends_apart(before, request, self.profile)
            sides = before if before.groups else side_by_side(before)
            return replace(sides, apart=True, unread=request.unread, aside=request.aside)
        if compiled(words()["together"]).search(text) is None:
            return None
        if before.replaced:
            both = {one.column: one for one in before.replaced}
            kept = (with_values_of(one, both.get(one.column)) for one in before.filters)
            return replace(before, filters=tuple(kept), replaced=(), unread=request.unread, aside=request.aside)
        if not self._sides_are_meant(before):
            return None
        return replace(before, groups=(), descending=None, limit=None, unread=request.unread, aside=request.aside)

    def _beside_another(self, before: Request, request: Request, *, apart: bool) -> Request | None:
        """What was told, beside the same of another value of its column ("how much more than Bath?")."""
        apart |= compiled(words()["than_it"]).search(self.sentence.text) is not None
        told = (*before.filters, *leader(before, self.profile))
        for one in request.filters if apart and len(request.filters) == 1 else ():
            old = next((it for it in told if (it.column, it.op) == (one.column, one.op) == (one.column, "in")), None)
            if old is not None and old.values != one.values:
                both = Filter(one.column, "in", tuple(dict.fromkeys((*old.values, *one.values))))
                kept = tuple(it for it in before.filters if it.column != one.column)
                again = replace(before, filters=(*kept, both), groups=(Group(one.column),), apart=True, replaced=())
                return replace(again, descending=None, limit=None, unread=request.unread, aside=request.aside)
        return None

    def _that_group_alone(self, before: Request, request: Request) -> Request | None:
        """The share that was told of each group, of one of them ("and Leeds, what percentage?")."""
        grouped = {one.column for one in before.groups}
        part = request.measures[0].part
        if before.measures[0].kind != "share" or len(request.measures) > 1 or request.filters or not part:
            return None
        if any(one.column not in grouped for one in part):
            return None
        alone = tuple(one for one in before.groups if one.column not in {it.column for it in part})
        kept = (*before.filters, *part)
        return replace(before, filters=kept, groups=alone, descending=None, limit=None, unread=request.unread)

    def _of_another_word(self, before: Request, request: Request) -> Request | None:
        """The same of the texts that have another word ("and the parking?")."""
        looked = next((one for one in before.filters if one.op == "contains"), None)
        alone = len(request.unread) == 1 and not (request.filters or request.groups or self.measured)
        if looked is None or not alone or len(self.sentence.text.split()) > _MEASURE_ALONE:
            return None
        other = replace(looked, values=request.unread)
        return replace(before, filters=tuple(other if one is looked else one for one in before.filters))

    def _of_the_others(self, before: Request, request: Request) -> Request | None:
        """The same of the rows that the one condition before has left out ("and the others?")."""
        said = compiled(words()["the_others"]).search(self.sentence.text)
        parts = [*before.filters, *(one for measure in before.measures for one in measure.part)]
        if said is None or not parts or request.filters or request.groups or before.groups:
            return None
        last = parts[-1]
        column = self.profile.column(last.column)
        both = yes_and_no(column) if column.kind == "category" else None
        if last.op == "in" and both is not None:
            other = Filter(last.column, "in", tuple(one for one in both if one not in last.values))
        elif last.op in OTHER_SIDE:
            other = Filter(last.column, OTHER_SIDE[last.op], last.values)
        else:
            return None
        kept = tuple(one for one in before.filters if one != last)
        again = before.measures if not self.measured else request.measures
        measures = tuple(Measure("count") if one.kind == "share" else one for one in again)
        return replace(before, filters=(*kept, other), measures=measures, unread=request.unread)

    def _is_the_same_again(self, request: Request) -> bool:
        """Whether what was asked before is asked of something else, in so many words."""
        names_more = bool(request.filters or request.groups) and request.descending is None
        said = compiled(words()["same_again"]).search(self.sentence.text)
        return names_more and said is not None and len(self.sentence.text.split()) <= _LONG

    def _same_figure(self, before: Request, request: Request) -> Request | None:
        """The figure of before once more: of fewer rows, or from the other end of what was ranked."""
        if request.asks not in ("figures", "rows"):
            return None
        entity = self.profile.entity
        groups = [one for one in request.groups if one not in before.groups]
        own = [one for one in groups if entity is None or one.column != entity.name]
        if before.descending is not None and request.descending is not None and not (own or request.filters):
            told = {one.column for one in (*before.measures, *request.measures) if one.column} | {*before.columns[:1]}
            return turned(before, request) if len(told) <= 1 else None
        narrows = compiled(words()["narrows"]).search(self.sentence.text)
        if not self.measured or narrows is None:
            return None
        kinds = [(one.kind, one.column) for one in request.measures]
        if kinds != [(one.kind, one.column) for one in before.measures]:
            return None
        if kinds[0][0] == "share":
            return filtered(before, request)
        return varied(before, request, measured=False, beside=False) if request.filters and not own else None

    def _speaks_of_the_two(self, before: Request) -> bool:
        short = len(self.sentence.text.split()) <= _LONG
        return short and compiled(words()["the_two"]).search(self.sentence.text) is not None and bool(before.groups)

    def _sides_are_meant(self, before: Request) -> bool:
        """Whether the two are spoken of that were told side by side ("how many in those two periods?")."""
        told = [one for one in before.groups if one.periods or one.sides]
        kept = {one.column for one in before.filters if one.op == "in" and len(one.values) > 1}
        named = kept & {one.column for one in before.groups}
        return bool(told or named) and compiled(words()["sides"]).search(self.sentence.text) is not None
