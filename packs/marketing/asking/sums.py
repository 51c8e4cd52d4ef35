"""What is worked out of figures that were told: how far apart two of them are, how many times the other one is, what
they are together of the whole. The words for it are taken out of the sentence; whatever else it says is read as any
question is, so that nothing is dropped."""

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from packs.marketing.asking.answering import answer, span_of
from packs.marketing.asking.in_turn import Read, one_after_the_other
from packs.marketing.asking.leftover import unread
from packs.marketing.asking.measures import named_numbers
from packs.marketing.asking.naming import holds, pattern_of
from packs.marketing.asking.phrasing import AskedSentence, bounded, compiled, number_of, words
from packs.marketing.asking.profile import Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request, as_day
from understanding.kit.data import read_data

_TWO = 2
_KINDS = ("times", "growth", "apart")


@cache
def _said() -> dict[str, Any]:
    found: dict[str, Any] = read_data(Path(__file__).with_name("sums.yaml"))
    return found


@cache
def _plain() -> frozenset[str]:
    return frozenset(map(str, _said()["plain"]))


@dataclass(frozen=True, slots=True)
class Sums:
    """`read` makes a request of a text, after another one or by itself; `file` is the name of the table."""

    profile: Profile
    before: Request | None
    read: Read
    file: str = ""

    def of(self, asked: str) -> list[Request] | None:
        """The requests that tell it; None where nothing is worked out, or not of two figures that are known."""
        if (both := one_after_the_other(asked, self.before, self.read, self._left_of)) is not None:
            return both
        said, text = _said(), AskedSentence(asked).text
        if compiled(f"{said['hint']}|{said['together']}").search(text) is None:
            return None
        for kind in _KINDS:
            if (without := _without(text, said[kind])) is not None:
                found = self._set_apart(kind, without)
                return [found] if found is not None else None
        return self._share_of_all(text) or self._both_together(text)

    def _both_together(self, text: str) -> list[Request] | None:
        """The first and the last of what was ranked; what they are together is told with them."""
        told, said = self.before, _said()
        without = _without(text, said["both"])
        rest = _without(without, said["together"]) if without is not None else None
        if told is None or rest is None or told.limit != 1 or not self._says_nothing(rest, told):
            return None
        pair = self._first_and_last(told)
        return [replace(pair, descending=None, limit=None, replaced=())] if pair is not None else None

    def _set_apart(self, kind: str, text: str) -> Request | None:
        for other in _KINDS:
            text = _without(text, _said()[other]) or text
        pair = self._both_ends(text) or self._named_or_told(text)
        if pair is None:
            return None
        in_time = bool(pair.groups[0].periods)
        found = replace(
            pair, descending=None, limit=None, bound=None, having=None, replaced=(), unread=(), unknown=(), columns=(),
            change=in_time and kind != "times", apart=not in_time, times=kind == "times",
        )  # fmt: skip
        return found if len(answer(self.profile, found).rows) == _TWO else None

    def _both_ends(self, text: str) -> Request | None:
        """The first and the last of the groups that were told, or that the sentence names itself."""
        told = self.before
        names = [pattern_of(self.profile.column(one.column)) for one in told.groups] if told is not None else []
        said = _said()
        ends = said["ends"].replace("NAME", "|".join([*names, said["one_of_them"]]))
        without = _without(text, ends)
        if without is None:
            return None
        if told is not None and self._says_nothing(without, told):
            return self._first_and_last(told)
        own = self.read(without, told)
        return self._first_and_last(own) if own.groups and not (own.unread or own.aside) else None

    def _first_and_last(self, told: Request) -> Request | None:
        if not _is_of_one_figure(told) or len(told.groups) != 1:
            return None
        ranked = replace(told, descending=True, limit=None, bound=None)
        rows = answer(self.profile, ranked).rows
        return self._of_two_groups(told, (rows[0][0][0], rows[-1][0][0])) if len(rows) >= _TWO else None

    def _of_two_groups(self, told: Request, names: tuple[str, str]) -> Request | None:
        """Two of the groups by themselves."""
        group = told.groups[0]
        if names[0] == names[1] or group.sides:
            return None
        if group.parts:
            return replace(told, groups=(replace(group, parts=tuple(group.parts[int(one)] for one in names)),))
        if group.periods:
            return told if len(group.periods) == _TWO else None
        if group.grain is not None:
            spans = [span_of(one, group.grain) for one in names]
            if any(one is None for one in spans):
                return None
            days = sorted(one for one in spans if one is not None)
            return replace(told, groups=(Group(group.column, periods=tuple(days)),))
        number = self.profile.column(group.column).kind == "number"
        both = Filter(group.column, "in", tuple(float(one) if number else one for one in names))
        kept = tuple(one for one in told.filters if (one.column, one.op) != (group.column, "in"))
        return replace(told, filters=(*kept, both), groups=(Group(group.column),))

    def _named_or_told(self, text: str) -> Request | None:  # noqa: PLR0911  # one for each way to name them
        said, told = _said(), self.before
        without = _without(text, said["both"])
        rest = text if without is None else without
        if _is_ranking(rest):
            return None
        if told is not None and self._says_nothing(rest, told):
            return self._two_that_were_told(told, both=without is not None)
        own = self.read(rest, None)
        if (two := _two_of(own)) is not None:
            measured = own.measures != (Measure("count"),) and not (own.unread or own.aside)
            if measured or told is None:
                return None if own.unread or own.aside or own.unknown or not _is_of_one_figure(own) else two
            return self._of_what_was_told(told, two) if self._says_nothing(rest, told, own) else None
        if told is None or not _is_of_one_figure(told) or told.groups:
            return None
        after = self.read(rest, told)
        if after.unread or after.unknown or after.groups or after.measures != told.measures:
            return None
        return _two_sides(after) if after.aside == told.aside and len(after.replaced) == 1 else None

    def _two_that_were_told(self, told: Request, *, both: bool) -> Request | None:
        if not _is_of_one_figure(told):
            return None
        if not told.groups:
            return _two_sides(told) if len(told.replaced) == 1 else None
        if len(told.groups) != 1:
            return None
        rows = answer(self.profile, told).rows
        if told.limit == 1 and both:
            return self._first_and_last(told)
        if len(rows) != _TWO or (told.limit is not None and told.limit != _TWO):
            return None
        return self._of_two_groups(told, (rows[0][0][0], rows[1][0][0]))

    def _of_what_was_told(self, told: Request, two: Request) -> Request | None:
        """The two that are named now, by what was told before."""
        if not _is_of_one_figure(told):
            return None
        column = two.groups[0].column
        kept = tuple(one for one in told.filters if one.column != column)
        named = tuple(one for one in two.filters if one.column == column)
        return replace(told, filters=(*kept, *named), groups=two.groups)

    def _share_of_all(self, text: str) -> list[Request] | None:
        """What those that were told are together of the whole."""
        said, told = _said(), self.before
        without = _without(text, said["share"])
        many = compiled(f"{said['together']}|{said['both']}").search(without) if without is not None else None
        if told is None or without is None or many is None or told.asks != "figures" or told.unread or told.unknown:
            return None
        number = compiled(said["so_many"]).search(without)
        without = _without(_without(without, said["both"]) or without, said["together"]) or ""
        part = self._told(told)
        wanted = number_of(next(one for one in number.groups() if one)) if number is not None else None
        if part is None or _is_ranking(without):
            return None
        if number is not None and wanted != len(part.values):
            return [Request(unread=(number.group(),))]  # so many were not told
        named = named_numbers(AskedSentence(without), self.profile)
        counted = compiled(bounded(words()["measures"]["count"])).search(without) is not None
        figures = [one for one in told.measures if one.kind != "count"]
        of_rows = counted or not figures
        known = of_rows or (len(figures) == 1 and figures[0].kind == "sum" and figures[0].per is None)
        if len(named) > 1 or not (named or known):
            return None
        column = named[0].name if named else None if of_rows else figures[0].column
        if not self._says_nothing(without, replace(told, measures=(Measure("sum", column),))):
            return None
        others = tuple(
            one for one in told.filters if one.column != part.column and one != Filter(column or "", "filled", ())
        )
        asked = [Request(filters=others, measures=(Measure("share", column, (part,)),), decimals=told.decimals)]
        if others and compiled(words()["of_everything"]).search(text) is not None:  # of all that, or of all there is
            asked.append(replace(asked[0], filters=(), measures=(Measure("share", column, (*others, part)),)))
        return asked

    def _told(self, told: Request) -> Filter | None:
        """The values that were told one after the other, or side by side."""
        if not told.groups and len(told.replaced) == 1:
            old = told.replaced[0]
            now = next(
                (one for one in told.filters if (one.column, one.op) == (old.column, old.op) == (old.column, "in")),
                None,
            )
            return replace(old, values=tuple(dict.fromkeys((*old.values, *now.values)))) if now is not None else None
        if len(told.groups) != 1 or told.groups[0].grain or told.groups[0].periods or told.groups[0].parts:
            return None
        group = told.groups[0]
        if self.profile.column(group.column).kind != "category":
            return None
        named = next((one for one in told.filters if (one.column, one.op) == (group.column, "in")), None)
        if told.limit is None and told.descending is None:
            return named
        rows = answer(self.profile, told).rows
        if told.limit is None or not 1 < told.limit == len(rows):
            return None
        return Filter(group.column, "in", tuple(one[0][0] for one in rows))

    def _says_nothing(self, text: str, told: Request, two: Request | None = None) -> bool:
        """Whether what is left of a sentence speaks of nothing but what was told, and of the `two` that are named."""
        sentence = AskedSentence(text)
        own, named = self.read(text, None), two is not None
        filters = two.filters if two is not None else ()
        if own.filters != tuple(filters) or (own.groups and not named) or own.asks in ("why", "preview", "examples"):
            return False
        for value in (str(it) for one in filters for it in one.values):
            sentence.take(re.escape(value))
        columns = {it for one in told.measures for it in (one.column, one.per) if it is not None}
        columns |= {one.column for one in told.filters} | {one.column for one in told.groups}
        if any(one.name not in columns for one in named_numbers(AskedSentence(text), self.profile)):
            return False
        if any(holds(self.profile.column(one), "amount") for one in columns):
            for said in ("asked", "surely"):
                while sentence.take(bounded(words()["money_spoken"][said])) is not None:
                    pass
        left = [one for one in self._left_of(sentence) if one not in _plain()]
        times = own.groups[0].periods if own.groups else ()  # a time is read before anything else
        return not left and (bool(times) or compiled(r"\d").search(sentence.left) is None)

    def _left_of(self, said: str | AskedSentence) -> list[str]:
        return unread(AskedSentence(said) if isinstance(said, str) else said, self.profile, self.file)


def _without(text: str, pattern: str) -> str | None:
    """The text without what a pattern says, wherever it says it; None where it does not."""
    found = compiled(pattern)
    return found.sub(" ", text).strip(" ,、?？.。") if found.search(text) is not None else None


def _is_ranking(text: str) -> bool:
    said = words()
    return compiled(bounded(f"{said['superlatives']}|{said['high']}|{said['low']}")).search(text) is not None


def _is_of_one_figure(told: Request) -> bool:
    """Whether a figure was told of each, and no two of which nobody says which is meant."""
    figures = [one for one in told.measures if one.kind != "count"]
    stepped = any(one.stepped or one.since or one.kind == "portion" for one in figures)
    return told.asks == "figures" and not (told.unread or told.unknown or stepped) and len(figures) <= 1


def _two_of(own: Request) -> Request | None:
    """The request where it tells two sides; with a group for two values that are named."""
    if len(own.groups) == 1 and _TWO in (len(own.groups[0].periods), len(own.groups[0].parts)):
        return own
    named = [one for one in own.filters if one.op == "in" and len(one.values) == _TWO]
    if len(named) != 1 or (own.groups and own.groups != (Group(named[0].column),)):
        return None
    return replace(own, groups=(Group(named[0].column),))


def _two_sides(told: Request) -> Request | None:
    """What is kept, and what was kept before in its place."""
    old = told.replaced[0]
    now = next((one for one in told.filters if (one.column, one.op) == (old.column, old.op)), None)
    if now is None or set(now.values) & set(old.values):
        return None
    kept = tuple(one for one in told.filters if one is not now)
    if old.op == "between":
        spans = sorted((as_day(one.values[0]), as_day(one.values[1])) for one in (old, now) if None not in one.values)
        apart = len(spans) == _TWO and all(one[1] < other[0] for one, other in combinations(spans, 2))  # type: ignore[operator]
        return replace(told, filters=kept, groups=(Group(old.column, periods=tuple(spans)),)) if apart else None
    if old.op != "in":
        return None
    if len(old.values) == len(now.values) == 1:
        both = Filter(old.column, "in", (*old.values, *now.values))
        return replace(told, filters=(*kept, both), groups=(Group(old.column),))
    return replace(told, filters=kept, groups=(Group(old.column, parts=((old,), (now,))),))
