"""What a language's rules find in a text, and the steps all languages share: applying rules, joining ranges."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from understanding.grammar.calendar import Range, add_months, latest_year, month_of

_TO = r"\s*[~\u223c\u301c\uff5e\uff0d\u2013-]\s*"
MONTHS = (
    r"(?<![\d./-])(?:(?P<year>(?:19|20)\d\d){year}\s*)?(?P<first>1[0-2]|0?[1-9])"
    + _TO
    + (r"(?P<last>1[0-2]|0?[1-9])\s*{month}(?!\s*\d{{1,2}}\s*[일日])")
)
"""Months of a year of which the last alone is called one ("3~5월"), for a language's words for month and year."""


@dataclass(frozen=True, slots=True)
class FoundDays:
    """A span `text[start:end]` and the days it means. `dated` says that the year was named, not guessed."""

    start: int
    end: int
    first: date | None
    last: date | None
    confidence: float = 0.95
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what its match means; None when it means nothing after all."""

    pattern: re.Pattern[str]
    meaning: Callable[[re.Match[str], date], Range | None]
    confidence: float = 0.95
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Joints:
    """The words that tie dates together: A `between` B, `since` A, `until` B (each matched right after a date)."""

    between: re.Pattern[str]
    since: re.Pattern[str]
    until: re.Pattern[str]
    weekday: re.Pattern[str]


def months_of(match: re.Match[str], today: date) -> Range | None:
    """From the first to the last of them, which is not before it."""
    first, last = int(match["first"]), int(match["last"])
    if last < first:
        return None
    year = int(match["year"] or latest_year(today, first))
    return month_of(year, first)[0], month_of(year, last)[1]


def apply_rules(text: str, rules: Sequence[Rule], today: date) -> tuple[list[FoundDays], str]:
    """The spans that the rules find, and the text with those spans blanked, so that nothing is read twice."""
    found: list[FoundDays] = []
    for rule in rules:
        for match in rule.pattern.finditer(text):
            span = _meaning(rule, match, today)
            if span is not None:
                found.append(span)
                text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return sorted(found, key=lambda one: one.start), text


def _meaning(rule: Rule, match: re.Match[str], today: date) -> FoundDays | None:
    if not match.group().strip():
        return None
    try:
        days = rule.meaning(match, today)
    except (ValueError, OverflowError):  # the 31st of February, the year 0: not a date
        return None
    if days is None:
        return None
    return FoundDays(match.start(), match.end(), *days, confidence=rule.confidence, dated=rule.dated)


def join(text: str, atoms: Sequence[FoundDays], joints: Joints) -> list[FoundDays]:
    """Ties neighbouring dates into ranges and opens the ends that "since" and "until" leave open."""
    joined: list[FoundDays] = []
    waiting = sorted(atoms, key=lambda one: one.start)
    while waiting:
        atom = waiting.pop(0)
        tie = joints.between.match(text, atom.end)
        if tie and waiting and tie.end() == waiting[0].start:
            atom = _tie(atom, waiting.pop(0))
            until = joints.until.match(text, atom.end)
            joined.append(replace(atom, end=until.end()) if until else atom)
        else:
            joined.append(_open(text, atom, joints))
    return joined


def _tie(left: FoundDays, right: FoundDays) -> FoundDays:
    if not right.dated and left.first and right.first and right.last:
        right = _in_year(right, left.first)
    confidence = left.confidence if left.dated else min(left.confidence, right.confidence)
    return FoundDays(left.start, right.end, left.first, right.last, confidence, left.dated)


def _in_year(atom: FoundDays, first: date) -> FoundDays:
    """A month without a year takes the year of the range's beginning, or the next one."""
    if atom.first is None or atom.last is None:
        return atom
    years = first.year - atom.first.year
    moved_first, moved_last = (add_months(day, 12 * years) for day in (atom.first, atom.last))
    if moved_last < first:
        moved_first, moved_last = add_months(moved_first, 12), add_months(moved_last, 12)
    if (atom.last + timedelta(days=1)).day == 1:  # February ends on another day in another year
        moved_last = month_of(moved_last.year, moved_last.month)[1] or moved_last
    return replace(atom, first=moved_first, last=moved_last, dated=True)


def _open(text: str, atom: FoundDays, joints: Joints) -> FoundDays:
    if since := joints.since.match(text, atom.end):
        return replace(atom, end=since.end(), last=None)
    if until := joints.until.match(text, atom.end):
        # "by Friday" looks ahead, while a bare Friday in a request about data looks back.
        ahead = atom.last is not None and joints.weekday.search(text[atom.start : atom.end]) is not None
        last = atom.last + timedelta(weeks=1) if ahead and atom.last else atom.last
        return replace(atom, end=until.end(), first=None, last=last)
    return atom
