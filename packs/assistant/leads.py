"""When a reminder comes that leads to something that was spoken of: so long before it, or the day before. Pure."""

from datetime import timedelta

from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant import actions, changes, naming, titles
from packs.assistant.moments import TIMES, as_date, at, of_type, shifted, span_of, spoken_of, times_of
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
    rest = actions.without(
        without(clause.text, times_of(clause), language), actions.words("day_before", language), language
    )
    text = titles.titled(rest.strip(" のはに"), "reminder", language)
    for ending, becomes in turns("reminder", language):
        text = ending.sub(becomes, text)
    known = {**clause.last, **clause.before}
    return slots, "text", text or str(known.get("new_title") or known.get("title") or known.get("text") or "")


def lead(clause: Clause, action: str) -> JsonObject:
    """So long before what was spoken of last, or before what is named and no time is said of ("remind me an hour
    before", "치과 30분 전에 알려줘"); another so long, where such a reminder was spoken of ("아니 1시간 전으로")."""
    span, day_before = span_of(clause), actions.has(clause.text, "day_before", clause.language)
    minutes = span.minutes if span and span.before else changes.A_DAYS_MINUTES if day_before else None
    if minutes is None or not clause.last or clause.before or clause.expecting:
        return {}
    if action not in ("", "change") or any(one.type in TIMES - {"span"} for one in clause.entities):
        return {}
    language = clause.language
    slots: JsonObject = {"action": "lead", "minutes_before": minutes, "said": clause.text[: changes.LONGEST]}
    reminds = actions.verb(clause.text, language, ("remind",))
    corrects = action == "change" or not reminds or actions.has(clause.text, "rather", language)
    led = "minutes_before" in clause.last and corrects and not titles.comes_on_top(clause)
    if led or (action == "change" and not reminds):
        return {**slots, "action": "change"}
    nothing = [*actions.words("beginnings", language), *actions.words("day_before", language)]
    text = titles.titled(without(clause.text, times_of(clause), language), "reminder", language)
    text = actions.without(text, nothing, language).strip(" にもはそ")
    named = bool(text) and not naming.is_pointer(text, language) and actions.names_one(text, language)
    return {**slots, "text": text} if named else slots


def when_reminded(clause: Clause, slots: JsonObject) -> JsonObject:
    """With what a span says, and with the day and time of the clause before it where it says none itself."""
    span = span_of(clause)
    if span and span.after and "time" not in slots:
        slots = slots | at(clause.now + timedelta(minutes=span.minutes))
    elif span and span.before:
        # before the appointment of the clause before, unless this one says itself before what
        known_of = {**clause.before, **clause.slots, **slots}
        slots = slots | {"minutes_before": span.minutes} | shifted(known_of, span.minutes)
    if (slots.keys() & {"date", "time", "recurrence", "minutes_before"}) <= {"time"}:
        known: JsonObject = {name: value for name in ("date", "time") if (value := clause.before.get(name))}
        return {**known, **slots}
    return slots
