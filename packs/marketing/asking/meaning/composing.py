"""A question to a request by what it means: rows are kept by rules, as ever; which figure, of which column, by which
groups and in which order is what was learned from others' questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from packs.marketing.asking import listing, measures
from packs.marketing.asking.amounts import by_unit, numbers_of
from packs.marketing.asking.days import Period
from packs.marketing.asking.meaning import absent, features, heads
from packs.marketing.asking.meaning.heads import Heads
from packs.marketing.asking.meaning.sought import Sought, Vectors, sought
from packs.marketing.asking.meaning.wording import Meanings, vectors_of
from packs.marketing.asking.naming import pattern_of
from packs.marketing.asking.phrasing import compiled, number_of, number_pattern, words
from packs.marketing.asking.profile import Column, Profile
from packs.marketing.asking.request import Filter, Group, Measure, Request
from packs.marketing.asking.sides import one_time

_BEFORE, _BEHIND = 24, 18
"""Letters around a number in which it says what it bounds."""
_MOST = 20
"""Rows or groups that a number without a bound may be."""


@dataclass(frozen=True, slots=True)
class Meant:
    """`sure`: how likely each decision was, one times the other."""

    request: Request
    sure: float


def each_once(meanings: Meanings) -> Meanings:
    """The same, with the vectors that were made: questions about one table have its headings in common."""
    known: dict[str, Sequence[float]] = {}

    def made(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if new := [one for one in texts if one not in known]:
            vectors = meanings(new)
            if len(vectors) != len(new):
                return ()
            known.update(zip(new, vectors, strict=True))
        return [known[one] for one in texts]

    return made


def by_meaning(
    question: str, profile: Profile, periods: Sequence[Period], file: str, meanings: Meanings
) -> Meant | None:
    """None where it asks for something else than figures or rows, or nobody makes vectors."""
    asked = sought(question, profile, periods, file)
    vectors = vectors_of(asked.texts(), meanings)
    if vectors is not None and (fewer := absent.narrowed(asked, vectors)) is not asked:
        asked, vectors = fewer, vectors_of(fewer.texts(), meanings)
    return composed(asked, vectors, heads.learned()) if vectors is not None else None


def composed(asked: Sought, vectors: Vectors, learned: Heads) -> Meant | None:
    return _Composing(asked, vectors, learned).meant()


@dataclass(slots=True)
class _Composing:
    asked: Sought
    vectors: Vectors
    learned: Heads
    sure: float = 1.0
    filters: list[Filter] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def meant(self) -> Meant | None:
        masked = self.asked.masked
        spelt, known = self.learned.spelling.encode([masked])[0], features.of_question(self.asked)
        read = self.learned.read(heads.question_row(self.vectors[masked], spelt, known))
        (kind, _), (rank, _), (grouped, _) = (read[name] for name in ("kind", "rank", "grouped"))
        for name in ("kind", "rank", "grouped"):
            self.sure *= read[name][1]
        self.filters = [*self.asked.kept.filters, *self._bounds()]
        self._sides(apart=grouped == "yes" or rank != "none")
        descending = None if rank == "none" else rank == "high"
        limit = self._limit(every=read["every"][0] == "yes" and kind != "rows") if descending is not None else None
        request = self._request(kind, grouped=grouped == "yes", descending=descending, limit=limit)
        return Meant(request, self.sure) if request is not None else None

    def _request(self, kind: str, *, grouped: bool, descending: bool | None, limit: int | None) -> Request | None:
        base = Request(filters=tuple(dict.fromkeys(self.filters)), descending=descending, limit=limit)
        match kind:
            case "rows":
                return self._rows(base)
            case "distinct":
                one = self._group(names=True)
                figure = Measure("distinct", one.column) if one is not None else None
                return replace(base, measures=(figure,), descending=None, limit=None) if figure is not None else None
            case "share" | "portion":
                return self._share(base, grouped=grouped)
            case "count":
                return self._figures(base, Measure("count"), grouped=grouped)
            case "mean" | "sum" | "median" | "max" | "min":
                column = self._number()
                figure = Measure(kind, column.name) if column is not None else None
                return self._figures(base, figure, grouped=grouped) if figure is not None else None
            case _:
                return None

    def _rows(self, base: Request) -> Request | None:
        sentence, profile = self.asked.sentence, self.asked.profile
        if base.descending is None:
            return listing.listed(base, sentence, profile)
        by = self._number()
        return listing.ranked(base, by, sentence, profile) if by is not None else None

    def _figures(self, base: Request, measure: Measure, *, grouped: bool) -> Request | None:
        if measure.column in {one.column for one in base.filters if one.op == "empty"}:
            measure = Measure("count")  # there is nothing to add up
        groups = self.groups
        if grouped and not groups:
            if (one := self._group()) is None:
                return None
            groups = [one]
        if not groups and measure.kind == "count" and not base.filters:
            return None  # which ones are meant is what was not understood
        if not groups:
            return replace(base, measures=(measure,), descending=None, limit=None)
        return replace(base, measures=(measure,), groups=tuple(groups[:2]))

    def _share(self, base: Request, *, grouped: bool) -> Request | None:
        """Of what the last value has; of each group where no value is named."""
        named = [one for one in base.filters if one.op not in ("between", "filled")]
        part = self.asked.kept.rates or named[-1:]
        group = self._group() if grouped and not self.groups else None
        if not part:
            portion = Measure("portion", self._added_by_name())
            return replace(base, groups=(group,), measures=(portion,)) if group is not None else None
        rest = tuple(one for one in base.filters if one not in part)
        share = Measure("share", self._added_by_name(), tuple(part))
        if group is None or group.column in {one.column for one in part}:
            return replace(base, filters=rest, measures=(share,), descending=None, limit=None)
        return replace(base, filters=rest, groups=(group,), measures=(share,))

    def _added_by_name(self) -> str | None:
        """The column of which shares are told, where one that is added up is named."""
        said = [one for one in features.numbers(self.asked) if measures.is_added(one)]
        found = [one.name for one in said if compiled(pattern_of(one)).search(self.asked.sentence.text)]
        return found[0] if len(found) == 1 else None

    def _number(self) -> Column | None:
        columns = features.numbers(self.asked)
        if not columns:
            return None
        found = self.learned.number.choose(features.of_numbers(self.asked, self.vectors, columns))
        self.sure *= found.sure
        return columns[found.at]

    def _group(self, *, names: bool = False) -> Group | None:
        """What rows are grouped by; of what there are different ones with `names`."""
        candidates = features.groups(self.asked)
        if names:
            rows = [Group(one.name) for one in listing.names_of_rows(self.asked.profile)]
            kinds = [one for one in candidates if one.grain is None]
            candidates = [*kinds, *(one for one in rows if one not in kinds)]
        if not candidates:
            return None
        found = self.learned.group.choose(features.of_groups(self.asked, self.vectors, candidates))
        self.sure *= found.sure
        return candidates[found.at]

    def _bounds(self) -> list[Filter]:
        """Of numbers that are bounds, and of which no rule knows what they bound."""
        columns = features.numbers(self.asked)
        found: list[Filter] = []
        for number in sorted(numbers_of(self.asked.sentence), key=lambda one: one.span) if columns else ():
            if number.loose:
                continue
            there = [one for one in columns if _reaches(self.asked.profile, one, number.values)] or columns
            around = (max(0, number.span[0] - _BEFORE), number.span[1] + _BEHIND)
            chosen = self.learned.number.choose(features.of_numbers(self.asked, self.vectors, there, around))
            name = there[chosen.at].name
            rows = compiled(words()["rows_unit"]).fullmatch(number.unit) is not None and bool(number.unit)
            self.sure *= chosen.sure if by_unit(there[chosen.at], number.unit) >= 0 and not rows else 0.0
            if len(number.values) > 1:
                found += [Filter(name, "ge", number.values[:1]), Filter(name, "le", number.values[1:])]
            else:
                found.append(Filter(name, number.op, number.values))
            self.asked.sentence.blank(*number.span)
        return found

    def _sides(self, *, apart: bool) -> None:
        """Values and times that are named are groups where something is told of each, or one is more than another."""
        for group in self.asked.kept.groups:
            whole = one_time(group) if group.periods and not apart else None
            if whole is not None:
                self.filters.append(whole)
            else:
                self.groups.append(group)
        several = [one.column for one in self.filters if one.op == "in" and len(one.values) > 1]
        if apart and several and not self.groups:
            self.groups.append(Group(several[0]))

    def _limit(self, *, every: bool) -> int | None:
        numbers = [number_of(one.group()) for one in compiled(number_pattern()).finditer(self.asked.sentence.left)]
        few = [int(one) for one in numbers if 1 < one <= _MOST and one == int(one)]
        return few[0] if few else None if every else 1


def _reaches(profile: Profile, column: Column, values: Sequence[float]) -> bool:
    """Whether a bound may be one of the column: some of its figures lie on either side."""
    low, high = profile.frame[column.name].min(), profile.frame[column.name].max()
    return isinstance(low, float) and isinstance(high, float) and all(low <= one <= high for one in values)
