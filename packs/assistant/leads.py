"""When a reminder comes that leads to something that was spoken of: so long before it, or the day before. Pure."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from dateutil.relativedelta import relativedelta  # type: ignore[import-untyped]  # it has no stubs

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject, JsonValue
from packs.assistant import actions, changes, naming, titles
from packs.assistant.moments import TIMES, as_date, at, of_type, said, shifted, span_of, spoken_of, times_of
from packs.assistant.phrases import pattern, turns, without


def on_the_eve(clause: Clause, action: str) -> tuple[JsonObject, str, str] | None:
    """The day before what was spoken of, at a time of its own or of a thing of its own ("the night before at 8"):
    slots, and the text."""
    language, day = clause.language, as_date(spoken_of({**clause.last, **clause.before}).get("date"))
    if action or day is None or of_type(clause, "date") or not actions.has(clause.text, "day_before", language):
        return None
    times = of_type(clause, "time")
    if not times and not pattern("reminder", language, "own").search(clause.text):
        return None
    slots: JsonObject = {"date": (day - timedelta(days=1)).isoformat()}
    if times:
        slots["time"] = times[0].value
    text = to_say(clause, day_before=True)
    known = {**clause.last, **clause.before}
    return slots, "text", text or str(known.get("new_title") or known.get("title") or known.get("text") or "")


def to_say(clause: Clause, *, day_before: bool) -> str:
    """What it says when it comes; `day_before`: words for that day are none of it."""
    rest, language = without(clause.text, times_of(clause), clause.language), clause.language
    if day_before:
        rest = actions.without(rest, actions.words("day_before", language), language).strip(" のはに")
    text = titles.titled(rest, "reminder", language)
    if pattern("reminder", language, "bare").fullmatch(text):
        return ""
    for ending, becomes in turns("reminder", language):
        text = ending.sub(becomes, text)
    return text


class _SoLong(NamedTuple):
    """How long before something: so many minutes, or months."""

    minutes: int
    months: int = 0

    @property
    def whole_days(self) -> bool:
        """Whether its hour is one of its own."""
        return bool(self.months) or self.minutes % changes.A_DAYS_MINUTES == 0

    @property
    def slots(self) -> JsonObject:
        return {"months_before": self.months} if self.months else {"minutes_before": self.minutes}

    def before(self, day: date) -> date:
        earlier: date = day - relativedelta(months=self.months) - timedelta(minutes=self.minutes)
        return earlier


def lead(clause: Clause, action: str) -> JsonObject:
    """So long before what was spoken of last, or before what is named and no day is said of ("remind me an hour
    before", "치과 30분 전에 알려줘"); another so long, where such a reminder was spoken of ("아니 1시간 전으로"). When
    that is the tool knows, or says that nobody does. Of a lead of whole days a time is that of the reminder itself."""
    clause = with_months(clause)
    so_long, language = _so_long(clause), clause.language
    if so_long is None or clause.expecting or as_date(clause.before.get("date")):
        return {}
    own_hour = {"time"} if so_long.whole_days else set()
    if action not in ("", "change") or {one.type for one in clause.entities} & (TIMES - {"span"}) - own_hour:
        return {}
    slots: JsonObject = {"action": "lead", **so_long.slots, "said": clause.text[: changes.LONGEST]}
    if clock := next(iter(of_type(clause, "time")), None):
        slots["time"] = clock.value
    if not clause.last:
        return {} if action else _before_something(clause, so_long, slots)
    reminds = actions.verb(clause.text, language, ("remind",))
    corrects = action == "change" or not reminds or actions.has(clause.text, "rather", language)
    led = "minutes_before" in clause.last and corrects and not titles.comes_on_top(clause)
    if led or (action == "change" and not reminds):
        return {**slots, "action": "change"}
    named = _named(clause)
    if clause.before:
        return {**slots, "text": named} if named else {}
    return {**slots, "text": named} if named and actions.names_one(named, language) else slots


def _before_something(clause: Clause, so_long: _SoLong, slots: JsonObject) -> JsonObject:
    """Where nothing was spoken of before: what is named; what is only pointed at nobody knows. Else it is asked before
    what, or, where the clause says what to do then, at what time."""
    tells = pattern("reminder", clause.language, "own").search(clause.text)
    named = "" if tells else _named(clause)
    if named:
        return {**slots, "text": named}
    if not so_long.whole_days or clause.before:
        return {}
    if tells or naming.points(clause.text, clause.language):
        return {**slots, "said": ""}
    return {name: value for name, value in slots.items() if name not in ("action", "said")}


def _so_long(clause: Clause) -> _SoLong | None:
    """`clause` is one of with_months."""
    if found := _months(clause.language).search(clause.text):
        said = found["count"].casefold()
        count = int(said) if said.isdecimal() else int(actions.words("counts", clause.language)[said])
        years = found["unit"].casefold() in actions.words("years", clause.language)
        return _SoLong(0, count * (12 if years else 1))
    span = span_of(clause)
    if span and span.before:
        return _SoLong(span.minutes)
    return _SoLong(changes.A_DAYS_MINUTES) if actions.has(clause.text, "day_before", clause.language) else None


def _named(clause: Clause) -> str:
    """Before what it comes; empty where that is only pointed at."""
    language = clause.language
    rest = without(clause.text, times_of(clause), language)
    rest = actions.without(rest, actions.words("day_before", language), language)
    text = titles.titled(rest, "reminder", language)
    text = actions.without(text, actions.words("beginnings", language), language).strip(" にもはそのが")
    return "" if naming.is_pointer(text, language) else text


def with_months(clause: Clause) -> Clause:
    """With so many months before something as a span: how long that is depends on the day."""
    found = _months(clause.language).search(clause.text)
    if found is None:
        return clause
    span = Entity(type="span", text=found[0], value=0, start=found.start(), end=found.end(), confidence=1.0)
    others = (one for one in clause.entities if one.end <= span.start or one.start >= span.end)
    return clause._replace(entities=(*others, span))


@cache
def _months(language: str) -> re.Pattern[str]:
    counts, units = (
        "|".join(sorted(map(re.escape, some), key=len, reverse=True))
        for some in (
            actions.words("counts", language),
            [*actions.words("months", language), *actions.words("years", language)],
        )
    )
    before = pattern("common", language, "before").pattern
    edge = r"\b" if language == "en" else r"(?<![\w])" if language == "ko" else ""
    return re.compile(rf"{edge}(?P<count>\d{{1,2}}|{counts})\s?(?P<unit>{units})\s?(?:{before})", re.IGNORECASE)


def told_when(clause: Clause, action: str) -> JsonObject:
    """The day on which that is before which a reminder was to come, or at what time the reminder is to come, where
    nothing else is said: nobody may have known it."""
    last = clause.last
    if action or last.get("action") != "lead" or not (titles.goes_on(clause, "reminder") or _only_points(clause)):
        return {}
    day, clock = (next((one.value for one in of_type(clause, name)), None) for name in ("date", "time"))
    clock = clock or changes.bare_hour(clause)
    if not (day or clock):
        return {}
    kept: JsonObject = {name: last[name] for name in _KEPT if last.get(name) is not None}
    slots: JsonObject = {"action": "lead", **kept, "said": clause.text[: changes.LONGEST]}
    whole = "months_before" in last or int(str(last.get("minutes_before") or 0)) % changes.A_DAYS_MINUTES == 0
    if clock and whole and not day:
        return slots | {"time": clock, "new_time": clock}
    slots["of_date"] = day or said(clause).get("date") or clause.now.date().isoformat()
    return slots | {"of_time": clock} if clock else slots


def _only_points(clause: Clause) -> bool:
    """Whether nothing but a word that points stands beside the day and the time ("it's on 31 March")."""
    rest = titles.titled(without(clause.text, times_of(clause), clause.language), "reminder", clause.language)
    return len(rest.split()) == 1 and naming.begins_pointing(rest, clause.language)


_KEPT = ("text", "minutes_before", "months_before", "of_date", "time")


def of_what(clause: Clause) -> JsonObject:
    """Before what it comes, where that had to be asked."""
    before = clause.slots.keys() & {"minutes_before", "months_before"}
    if "text" not in clause.expecting or not before or clause.slots.get("date") or of_type(clause, "date"):
        return {}
    return {"action": "lead", "text": named} if (named := _named(clause)) else {}


def when_reminded(clause: Clause, slots: JsonObject) -> JsonObject:
    """With what a span says, and with the day and time of the clause before it where it says none itself."""
    span, so_long = span_of(clause), _so_long(clause)
    if span and span.after and "time" not in slots:
        slots = slots | at(clause.now + timedelta(minutes=span.minutes))
    elif so_long:
        # before the appointment of the clause before, unless this one says itself before what
        earlier = {} if "recurrence" in slots else _earlier({**clause.before, **clause.slots, **slots}, so_long)
        slots = slots | so_long.slots | earlier
        slots.pop("months_before", None)
    if (slots.keys() & {"date", "time", "recurrence", "minutes_before"}) <= {"time"}:
        known: JsonObject = {name: value for name in ("date", "time") if (value := clause.before.get(name))}
        return {**known, **slots}
    return slots


def _earlier(known: Mapping[str, JsonValue], so_long: _SoLong) -> JsonObject:
    """The moment; of whole days before a day without a time the day, whose time is to be asked for."""
    day = as_date(known.get("date"))
    if day is not None and so_long.whole_days:
        return {"date": so_long.before(day).isoformat()} | ({"time": known["time"]} if known.get("time") else {})
    return shifted(known, so_long.minutes)
