"""Reads what a clause says about appointments, and what to do, to remember and to be reminded of
(contracts.reading.Reader): pure."""

import re
from collections.abc import Sequence
from datetime import timedelta

from contracts.reading import LACKS, Clause
from contracts.shape import JsonObject
from packs.assistant import actions, asking, changes, facts, leads, naming, saying, titles, together
from packs.assistant.actions import is_deed
from packs.assistant.changes import read_change, spoken
from packs.assistant.moments import TIMES, length, of_that_day, of_type, said, times_of
from packs.assistant.period import period, several_days
from packs.assistant.phrases import core, pattern, without
from packs.assistant.taking_out import A_YEAR, named_to_go
from packs.assistant.ticking import deed_done, says_all, ticked_off

_NAMES = {
    "calendar": frozenset({"change", "delete", "add", "look"}),
    "reminder": frozenset({"change", "delete", "add", "remind", "look"}),
}
_OF_MANY = frozenset({"delete"})
"""Of English reminders only what stands in words.yaml: "get rid of" may be what somebody wants to be reminded of."""
_ANNOUNCED = re.compile(r"[^:：,、]{2,30}[:：]\s*[^\s:：][^:：]*[,、]")
"""What is told one after the other, behind what it is called together."""
_TOLD_BEHIND = re.compile(r"[^:：?？]{2,40}(?<!\d)[:：]\s*(?P<told>[^\s:：?？][^:：?？]*)\Z")
"""What is told behind where it belongs ("one more for the list: return the books")."""
_OF_WHAT_WAS_DONE = frozenset({"undo", "restore", "gone"})
"""About what was put in or taken out last, whatever it was."""
LONGEST = 1000
"""Characters of a text that is kept."""


def read_calendar(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date, until, time, minutes, place, recurrence}, and of a change what changes.read_change says;
    of several things that are said together each."""
    before, name = titles.named_behind(clause)
    if name and (called := _calendar(before)) and not called[0].get("action"):
        return ({**called[0], "title": name},)
    if not clause.expecting and len(orders := together.by_verbs(clause)) > 1:
        read = [_calendar(one) for one in orders]
        if all(len(one) == 1 and _says_which(one[0]) and one[0].get("action") for one in read):
            return [one[0] for one in read]
    if not clause.expecting and len(things := together.by_times(clause)) > 1 and not _wanted(clause, "calendar"):
        added = [_calendar(one) for one in things]
        if all(len(one) == 1 and one[0].get("title") and not one[0].get("action") for one in added):
            return [one[0] for one in added]
    return _calendar(clause)


def _says_which(slots: JsonObject) -> bool:
    return any(slots.get(name) for name in ("title", "time", "date"))


def _is_told(clause: Clause, action: str) -> bool:
    """Whether a clause that ends with the word for appointments is one, with its time and its name, and asks nothing
    ("내일 저녁 7시 누나랑 밥 약속")."""
    text, language = clause.text, clause.language
    if action != "list" or language != "ko" or not of_type(clause, "time") or asking.asks(text, language):
        return False
    if actions.verb(text, language, ("look", "delete", "change")):
        return False
    return actions.names_one(titles.titled(without(text, times_of(clause), language), "calendar", language), language)


def _shown_again(clause: Clause) -> str:
    """What was told last, where it is to be told once more, of another day perhaps, and nothing is named."""
    last, language = str(clause.last.get("action") or ""), clause.language
    if last not in ("list", "free") or not actions.has(clause.text, "once_more", language):
        return ""
    rest = without(clause.text, times_of(clause), language)
    rest = actions.without(rest, actions.words("once_more", language), language)
    title = titles.titled(rest, "calendar", language)
    return "" if title and actions.names_one(title, language) else "list"


def _calendar(clause: Clause) -> Sequence[JsonObject]:
    action = _wanted(clause, "calendar") or changes.of_its_length(clause)
    action = "" if _is_told(clause, action) else action or _shown_again(clause)
    if action in _OF_WHAT_WAS_DONE:
        return ({"action": action},)
    goes_on = action in ("", "free") and titles.goes_on(clause, "calendar")
    if hour := titles.hour_alone(clause):
        clause = clause._replace(entities=(*clause.entities, hour))
        goes_on = action in ("", "free") and asking.asks_for(clause.text, clause.language)
    if goes_on and asking.asks_for(clause.text, clause.language):
        action = "list" if clause.last.get("action") == "list" else "free"  # who asks changes nothing
    elif action == "change" or (goes_on and not action):
        return ({"action": "change", **read_change(clause, "calendar")},)
    if action in ("delete", "list", "free"):
        return _looked_for(clause, action)
    slots = said(clause) | of_that_day(clause) | titles.same_day(clause)
    slots |= titles.evening(clause, slots)
    if days := several_days(clause):
        slots |= {"date": days[0].isoformat()} | ({"until": days[1].isoformat()} if days[0] < days[1] else {})
    if minutes := length(clause, of_type(clause, "time")):
        slots["minutes"] = minutes
    rest = without(clause.text, [one for one in clause.entities if one.type in {*TIMES, "date_range"}], clause.language)
    place = pattern("calendar", clause.language, "place").search(rest)
    if place and not naming.quoted(place[0]):
        slots["place"] = place[1]
        rest = rest[: place.start()] + rest[place.end() :]
    title = titles.with_the_meal(titles.titled(rest, "calendar", clause.language), clause)
    if is_deed(title, clause.language) and title != naming.quoted(rest):
        return ({**slots, "action": "unclear"},)  # something is to be done with it, and nobody knows what
    if not slots and "title" not in clause.expecting and not actions.verb(clause.text, clause.language, ("add",)):
        return ()  # a few words that say neither when nor that it is to be put in are no appointment
    if not title and (known := {**clause.last, **clause.before}).get("action") == "delete":
        title = str(known.get("title") or "")  # what was taken out is put in again, for another day
    return _with_words(clause, slots, "title", title)


def _looked_for(clause: Clause, action: str) -> Sequence[JsonObject]:
    """What is looked for, to be told or to be taken out."""
    slots: JsonObject = {**said(clause), "action": action}
    _only_if_said(clause, slots)
    slots |= of_that_day(clause) | (titles.same_day(clause) if action != "delete" else {})
    if action != "delete" and (days := period(clause)):
        slots |= {"date": days[0].isoformat(), "until": days[1].isoformat()}
    elif action == "list" and "date" not in slots and actions.says(clause.text, "all", clause.language):
        today = clause.now.date()
        slots |= {"date": today.isoformat(), "until": (today + timedelta(days=A_YEAR)).isoformat()}
    if action == "list" and actions.has(clause.text, "reminders", clause.language):
        slots["reminders"] = True
    if action == "free":
        if minutes := length(clause, of_type(clause, "time")):
            slots["minutes"] = minutes
        elif "time" not in slots and (part := actions.part_of_day(clause.text, clause.language)):
            slots |= {"time": part[0], "minutes": part[1]}
    title = ""
    if action == "delete":
        slots, title = named_to_go(clause, slots)
        return _with_words(clause, slots, "title", title)
    if action == "list" and actions.says(clause.text, "asks", clause.language):
        rest = without(clause.text, times_of(clause), clause.language)
        if actions.has(rest, "ending_at", clause.language):
            slots["ends"] = True
            rest = actions.without(rest, actions.words("ending_at", clause.language), clause.language)
        title = core(
            saying.without_fillers(actions.asked(rest, clause.language), clause.language), "calendar", clause.language
        )
        title = naming.spoken_of(title, clause.language, clause.last)
        title = "" if asking.has_question_word(title, clause.language) else title
        if not title and not of_type(clause, "date"):
            title = str(clause.last.get("new_title") or clause.last.get("title") or "")  # "so when does it end?"
    if title:
        title = title if actions.names_one(title, clause.language) else ""
    return _with_words(clause, slots, "title", title)


def _wanted(clause: Clause, of: str) -> str:
    """What is to be done; empty for the ordinary thing."""
    text, language = clause.text, clause.language
    if before := asking.of_what_went(clause) or asking.whether_changed(clause):
        return before
    english = language not in actions.LAST
    names = _NAMES[of] - {"look"} if of == "reminder" and english else _NAMES[of]
    if of == "reminder" and english and not (clause.last and asking.begins_with(text, "delete", language)):
        names -= _OF_MANY
    deletes = [found.start() for found in pattern(of, language, "delete").finditer(text)]
    if of == "reminder" and not english:
        deletes += actions.places(text, actions.words("stops", language), language)
    elif of == "reminder":
        deletes += actions.places(text, actions.words("unneeded", language), language)
    verb = actions.verb(text, language, names, deletes)
    if english and asking.begins_asking(text, language) and verb:
        verb = "look"
    if verb == "delete":
        return "undo" if actions.is_last_added(text, language) else "delete"
    if not verb and (changes.ends_at_goal(clause) or changes.new_place(clause)):
        return "change"
    if verb == "change" or (not verb and actions.says(text, "name", language) and not asking.asks(text, language)):
        return "change"
    if of == "calendar":
        asks = text.rstrip().endswith(("?", "？")) and actions.says(text, "free", language)
        return "" if verb == "add" and not asks else _asked(clause, verb)
    asks = verb in ("", "look") and asking.asks(text, language)
    return "list" if verb == "look" or asks or pattern(of, language, "list").search(text) else ""


def _asked(clause: Clause, verb: str) -> str:
    """What a question about appointments asks for."""
    text, language = clause.text, clause.language
    if actions.says(text, "free", language):
        return "free"
    if verb == "look" or actions.says(text, "asks", language) or pattern("calendar", language, "list").search(text):
        return "list"
    asked = "?" in text or "？" in text  # "at 3? tomorrow"
    if asking.asks(text, language) and not asked:
        return "list"
    if asked and pattern("common", language, "that_day").search(text) and asking.has_question_word(text, language):
        return "list"  # "anything else that day?"
    return "free" if asked and of_type(clause, "date") else ""


def read_todo(clause: Clause) -> Sequence[JsonObject]:
    """{action, title, date}: the day it is due, if one is said; of a change new_title or new_date."""
    text, language = clause.text, clause.language
    if before := asking.of_what_went(clause):
        return ({"action": before},)
    checked = [found.start() for found in pattern("todo", language, "delete").finditer(text)]  # "check it off"
    verb = actions.verb(text, language, ("add", "look", "delete", "change"), checked)
    if pattern("todo", language, "complete").match(text.strip()):
        verb = "delete"  # "done with call the bank": what it says next is its name
    if verb == "delete" and actions.is_last_added(text, language):
        return ({"action": "undo"},)
    begun = actions.verb(" ".join(text.split()[:2]), language, ("look",))  # the "list" of "for my list" shows nothing
    asks = verb not in ("", "add", "look") or begun or asking.begins_asking(text, language)
    behind = None if asks else _TOLD_BEHIND.match(text)
    slots, action = said(clause), "" if behind else _todo_action(clause, verb)
    if not action and not behind and titles.goes_on(clause, "todo"):
        action = "change"
    if action == "change":
        return ({"action": action, **read_change(clause, "todo")},)
    if action:
        slots["action"] = action
    _only_if_said(clause, slots)
    rest = without(text, times_of(clause), language)
    if behind and (told := _TOLD_BEHIND.match(rest)):
        rest = told["told"]
    if action == "complete":
        title = ticked_off(rest, language)
        if says_all(rest, language):
            return ({**slots, "all": True},)
        if deed := deed_done(title, language):
            title, slots["thing"] = deed
    else:
        title = "" if action == "list" else titles.titled(rest, "todo", language)
    several = titles.several(rest, title) if not action and "title" not in clause.slots else []
    if several:
        return [{**slots, "title": one} for one in several]
    return _with_words(clause, slots, "title", title)


def _todo_action(clause: Clause, verb: str) -> str:
    text, language = clause.text, clause.language
    english = language not in actions.LAST
    if verb in ("", "look") and _ANNOUNCED.match(text) and not asking.is_marked(text):
        return ""  # "to-do list: buy stamps, call the plumber"
    if (
        (verb == "look" or asking.begins_asking(text, language))
        if english
        else (not verb or verb == "look") and asking.asks(text, language)
    ):
        return "list"
    says_done = asking.is_done(text, language) and pattern("todo", language, "complete").search(text)
    if verb == "change" and not says_done and (actions.says(text, "name", language) or clause.last):
        return "change"
    if verb != "add" and (verb == "delete" or asking.is_done(text, language)):
        return "complete"
    found = _action(clause, "todo", ("list", "complete"))
    return "" if found == "list" and verb == "add" else found or ("list" if verb == "look" else "")


def read_memory(clause: Clause) -> Sequence[JsonObject]:
    """{action, text, corrects}; a recall without a text is about everything."""
    text, language = clause.text, clause.language
    action = asking.of_what_went(clause) or _memory_action(clause)
    action = "undo" if action == "forget" and actions.is_last_added(text, language) else action
    if action in _OF_WHAT_WAS_DONE:
        return ({"action": action},)
    changed = None if action else facts.changed(text, language)
    asked = str(clause.last.get("text") or "") if clause.last.get("action") == "recall" else ""
    of = asked if changed and naming.is_pointer(changed[0], language) else changed[0] if changed else ""
    if changed and of:
        value = facts.value(changed[1], lambda part: core(part, "memory", language, "statement"), language)
        return ({"action": "change", "text": of, "value": value},)
    if action != "forget" and _is_about_everything(clause, action):
        return ({"action": "recall"},)
    if action == "forget":
        name = naming.called(text, (), language)
        if not name and not naming.points(text, language) and (language == "en" or not clause.last):
            name = core(facts.that_forgets(text, language), "memory", language, "question")
        return _with_words(clause, {"action": action}, "text", "" if naming.is_pointing(name, language) else name)
    if action:
        rest = without(text, [one for one in clause.entities if one.type == "date"], language)
        rest = actions.without(rest, actions.words("forgotten", language), language)
        asked = core(naming.asked(rest, language), "memory", language, "question", "opening")
        days = of_type(clause, "date")
        slots: JsonObject = {"action": action, "date": days[0].value} if days else {"action": action}
        return _with_words(clause, slots, "text", asked)
    return _told(clause)


def _told(clause: Clause) -> Sequence[JsonObject]:
    """What is to be remembered: each of the facts that are told in one breath by itself."""
    text, language = clause.text, clause.language
    if facts.only_says_that(text, language):
        return ()
    told = facts.kept(text, lambda part: core(part, "memory", language, "statement"), language)
    told = facts.with_name(told, str(clause.before.get("title") or ""), language)
    if "text" in clause.expecting and (thing := str(clause.slots.get("text") or "")):
        return ({"text": facts.completed(thing, told)[:LONGEST]},)
    if not clause.last and not clause.expecting and facts.lacks_its_value(told, language):
        return ({"text": told, LACKS: ["text"]},)
    each = facts.one_by_one(told, language)
    if len(each) > 1 and "text" not in clause.slots and not facts.corrects(text, language):
        return [{"text": facts.with_its_name(one, each[0], language)[:LONGEST]} for one in each]
    corrects: JsonObject = {"corrects": True} if facts.corrects(text, language) or _answers_it(clause, told) else {}
    days = of_type(clause, "date")
    dated: JsonObject = (
        {"date": days[0].value} if len(days) == 1 and not corrects else {}
    )  # "that day" is this one then
    return _with_words(clause, corrects | dated, "text", told)


def _answers_it(clause: Clause, told: str) -> bool:
    """Whether it says of what was spoken of last what it is ("no wait, it's …"), or begins by taking that back."""
    first = next((word for word in saying.plain_words(clause.text) if len(word) > 1), "")
    objects = first.startswith(tuple(actions.words("rather", clause.language)))
    return bool(clause.last) and (objects or naming.begins_pointing(told, clause.language))


def _memory_action(clause: Clause) -> str:
    text, language = clause.text, clause.language
    keeps = actions.has(text, "not_forgotten", language)
    verb = actions.verb(text, language, ("delete", "change"))
    if facts.orders(text, language) and verb != "delete":
        return ""
    if facts.has_forgotten(text, language) and not verb:
        return "recall"
    if not keeps and (pattern("memory", language, "forget").search(text) or verb == "delete"):
        return "forget"
    asks = asking.asks(text, language)
    if facts.tells(text, language) or (clause.last and not asks and naming.begins_pointing(text, language)):
        return ""
    english = language not in actions.LAST
    goes_on = bool(clause.last) and asking.is_marked(text)  # "and the office?"
    if goes_on or (asking.begins_asking(text, language) if english else asking.asks(text, language)):
        return "recall"
    recalls = pattern("memory", language, "recall").search(text) or asking.wants_to_see(text, language)
    return "recall" if not keeps and recalls else ""


def read_reminder(clause: Clause) -> Sequence[JsonObject]:
    """{action, text, date, time, recurrence, minutes_before}; the time is that of the reminder itself. The text of an
    alarm is empty. What leads to something that was spoken of before has no time of its own."""
    clause = titles.with_the_missing_hour(clause)
    action = _wanted(clause, "reminder")
    if action in _OF_WHAT_WAS_DONE:
        return ({"action": action},)
    if eve := leads.on_the_eve(clause, action):
        return _with_words(clause, *eve)
    if lead := leads.told_when(clause, action) or leads.lead(clause, action) or leads.of_what(clause):
        return (lead,)
    if action == "change" or (not action and titles.goes_on(clause, "reminder")):
        return ({"action": "change", **_of_reminder(read_change(clause, "reminder"))},)
    slots = said(clause) | of_that_day(clause)
    if action:
        slots["action"] = action
        _only_if_said(clause, slots)
        text = naming.called(clause.text, times_of(clause), clause.language) if action == "delete" else ""
        if action == "delete" and not text and pattern("reminder", clause.language, "alarm").search(clause.text):
            slots["text"] = ""
        return _with_words(clause, slots | (spoken(clause) if action == "delete" else {}), "text", text)
    clause = leads.with_months(clause)
    slots = leads.when_reminded(clause, {**slots, **titles.same_day(clause), **titles.morning(clause, slots)})
    text = leads.to_say(clause, day_before="minutes_before" in slots)
    if not text and "text" not in clause.slots:
        found = clause.before.get("title") or clause.before.get("text") or clause.last.get("title")
        text = found if isinstance(found, str) else ""
    if not text and pattern("reminder", clause.language, "alarm").search(clause.text):
        slots["text"] = ""  # an alarm says nothing but that it is time
    return _with_words(clause, slots, "text", text)


def _of_reminder(slots: JsonObject) -> JsonObject:
    """A reminder has a text; a length is that of the appointment that was spoken of."""
    names = {"title": "text", "new_title": "new_text", "longer": "shift"}
    return {names.get(name, name): value for name, value in slots.items()}


def _is_about_everything(clause: Clause, action: str) -> bool:
    """Whether it asks what is remembered, and names nothing of it."""
    asks = action == "recall" or pattern("memory", clause.language, "all").search(clause.text)
    beside = pattern("memory", clause.language, "everything").sub("", clause.text)
    return bool(asks) and not re.search(r"\w", beside)


def _action(clause: Clause, of: str, names: Sequence[str]) -> str:
    """What is to be done, where it is not the ordinary thing."""
    return next((name for name in names if pattern(of, clause.language, name).search(clause.text)), "")


def _only_if_said(clause: Clause, slots: JsonObject) -> None:
    """A day that follows from a time alone is a guess: good for what is added, not for what is looked for."""
    if not of_type(clause, "date"):
        slots.pop("date", None)


def _with_words(clause: Clause, slots: JsonObject, name: str, words: str) -> Sequence[JsonObject]:
    """The slots, with the thing itself unless it is known and something else was asked for."""
    if words and (name not in clause.slots or name in clause.expecting):
        slots[name] = words[:LONGEST]
    return (slots,) if slots else ()
