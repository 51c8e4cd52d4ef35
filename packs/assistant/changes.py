"""Reads how a thing that is there shall become: another day, another time, so much later or longer, another name, again
and again. Pure."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cache

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant import actions, naming, saying
from packs.assistant.moments import TIMES, of_type, span_of, spoken_of
from packs.assistant.phrases import core, pattern, without

GOALS = frozenset({"date", "time"})
A_DAYS_MINUTES = 24 * 60
_NEAR = 10
LONGEST = 300
_AWAY = re.compile(r"(?:뒤|후|後ろ?)")
_LATER = re.compile(r"\blater\Z", re.IGNORECASE)
"""How a day ends that is so many days from another one."""
_NOT_THAT = re.compile(r"\bnot\b|말고|아니[고라]|[じで]は?なく", re.IGNORECASE)
_GOES_THERE = re.compile(r"(?:으로|로)(?:요)?[\s.!~]*\Z")
SAID = 0.8
"""Confidence from which on a time was said with its half of the day."""


def new_place(clause: Clause) -> str:
    """Where what was spoken of last, or what is named before it, shall be; empty where the sentence does not say
    that."""
    return _placed(clause)[0]


def _placed(clause: Clause) -> tuple[str, str]:
    """Where something shall be, and what; what was spoken of last where it is not named. Who names it says besides that
    it shall become otherwise: else it is put in, with its place."""
    language = clause.language
    found = pattern("calendar", language, "place_is").search(clause.text)
    if found is None:
        return "", ""
    told = found.groupdict()
    place = next((told[name] for name in ("place", "place2", "place3") if told.get(name)), "")
    before = told.get("named") or clause.text[: found.start()]
    times = [one for one in clause.entities if one.type in TIMES and one.end <= len(before)] if found.start() else []
    title = naming.called(before, times, language).removesuffix("'s").removesuffix("’s")
    if not clause.last and not (title and actions.verb(clause.text, language, ("add", "change")) == "change"):
        return "", ""
    return place.strip(" '\"‘’“”「」"), title


def read_change(clause: Clause, of: str) -> JsonObject:
    """Where it shall be, or else what _change says."""
    place, title = _placed(clause)
    if not place:
        return _change(clause, of)
    slots: JsonObject = {"new_place": place, **spoken(clause)}
    if not title:
        return slots
    which = {
        one.type: one.value for one in clause.entities if one.type in GOALS and one.end <= clause.text.rfind(place)
    }
    slots |= which | {"title": title}
    return {name: value for name, value in slots.items() if name not in _unsure(slots)}


def _change(clause: Clause, of: str) -> JsonObject:
    """{title, date?, time?} of what is meant, and of new_date, new_time, shift, longer, minutes, new_title, recurrence
    what is said; `either`: the new hour may be of either half of the day."""
    clause = _with_days_as_spans(clause)
    by_name = actions.says(clause.text, "name", clause.language)
    cut = GOALS if by_name else TIMES  # what it shall be called may speak of years and hours
    rest = without(clause.text, [one for one in clause.entities if one.type in cut], clause.language)
    named = _renamed(rest, clause.language) if by_name or not _says_when(clause) else None
    if named and not by_name and _is_figure(named[1]) and bare_hour(clause):
        named = None  # "move it to 1"
    end = None if named else ending(clause)
    clause_ = clause if end is None else clause._replace(entities=tuple(one for one in clause.entities if one != end))
    goals = [] if named else _goals(clause_)
    slots: JsonObject = {} if end is None else {"new_end": end.value}
    for one in (one for one in clause_.entities if one.type in GOALS):
        slots.setdefault(f"new_{one.type}" if one in goals else one.type, one.value)
    for name in ("date", "time"):
        if slots.get(name) == slots.get(f"new_{name}"):
            slots.pop(name, None)  # "it was three, make it three"
    if any(one.type == "time" and one.confidence < SAID for one in goals):
        slots["either"] = True
    if named:
        slots["new_title"] = named[1].strip().strip("'\"‘’“”「」『』")
    else:
        slots |= _by_span(clause)
        if abs(int(str(slots.get("shift", 0)))) >= A_DAYS_MINUTES and "new_date" in slots:
            slots["date"] = slots.pop("new_date")  # "tomorrow's meeting to the day after"
        if rules := of_type(clause, "recurrence"):
            slots["recurrence"] = rules[0].value
        if not slots and (hour := bare_hour(clause)):
            slots |= {"new_time": hour, "either": True}
    title = _meant_by(clause, named, of)
    if not title and clause.last:
        for name in ("date", "time"):
            slots.pop(name, None)  # "not Monday, Tuesday" denies what it was
    slots |= ({"title": title} if title else _last_put_in(clause)) | spoken(clause)
    return {name: value for name, value in slots.items() if name not in _unsure(slots)}


def _unsure(slots: JsonObject) -> frozenset[str]:
    """What nobody knows of the thing that was spoken of before, since another one is named, or its hour is moved."""
    if slots.get("title"):
        return frozenset({"of_date", "of_time"})
    return frozenset({"of_time"}) if {"shift", "either"} & slots.keys() else frozenset()


def _meant_by(clause: Clause, named: tuple[str, str] | None, of: str) -> str:
    """The name of the thing that is to be changed; empty where it is not named."""
    if named:
        title = naming.called(named[0], (), clause.language) or _called(named[0], of, clause.language)
        return "" if naming.is_pointing(title, clause.language) else title
    if is_of_its_length(clause):
        return ""
    title = naming.called(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    return "" if _is_figure(title) else title


def _last_put_in(clause: Clause) -> JsonObject:
    """What was to be put in before: no other thing becomes otherwise, even where nothing has come of that."""
    name = "" if clause.last.get("action") else str(clause.last.get("title") or clause.last.get("text") or "")
    return {"of_text": name[:LONGEST]} if name else {}


def spoken(clause: Clause) -> JsonObject:
    """The words themselves, where they go on about something: what is meant may stand among them, or be pointed at."""
    if not clause.last:
        return {}
    # what is changed stands where it stood, as far as nothing else is said: "that day" is its day still
    was = {f"of_{name}": value for name, value in spoken_of(clause.last).items()}
    return {"said": clause.text[:LONGEST], **was}


def ending(clause: Clause) -> Entity | None:
    """The time at which it shall end: where it goes on about something, and says one time, and till then."""
    times = of_type(clause, "time")
    if not clause.last or len(times) != 1:
        return None
    either = _either("till", clause.language)
    if clause.language in actions.LAST:
        found = re.compile(rf"\s?(?:{either})").match(clause.text, times[0].end)
    else:
        found = re.search(rf"\b(?:{either})\s+\Z", clause.text[: times[0].start], re.IGNORECASE)
    return times[0] if found else None


def length_wanted(clause: Clause) -> int | None:
    """How many minutes it shall last: a length that is no way to move it; of "not one hour, two" the last one."""
    spans = of_type(clause, "span")
    if not clause.last or not spans or not isinstance(spans[-1].value, int):
        return None
    language, span = clause.language, spans[-1]
    ways = ("earlier", "later", "longer", "shorter")
    if any(actions.says(clause.text, way, language) for way in ways) or _moves(clause.text, language):
        return None
    either = _either("so_long", language)
    if language in actions.LAST:
        found = re.compile(rf"\s?(?:{either})").match(clause.text, span.end) or len(spans) > 1
    else:
        before = clause.text[: span.start]
        found = (
            re.search(rf"\b(?:{either})\s+(?:(?:a|an|the|full|whole)\s+)*\Z", before, re.IGNORECASE) or len(spans) > 1
        )
    return int(str(span.value)) if found or actions.has(clause.text, "lasting", language) else None


def of_its_length(clause: Clause) -> str:
    """What is to be done where it only says how long that lasts: a change; else nothing."""
    return "change" if is_of_its_length(clause) else ""


def is_of_its_length(clause: Clause) -> bool:
    """Whether it says of what was spoken of last how long that lasts, and names nothing else."""
    if length_wanted(clause) is None and ending(clause) is None:
        return False
    if actions.verb(clause.text, clause.language, ("add", "remind")) or of_type(clause, "date"):
        return False
    if actions.has(clause.text, "lasting", clause.language):
        return True
    rest = without(clause.text, [one for one in clause.entities if one.type in TIMES], clause.language)
    some = [word for of in ("so_long", "till", "denied") for word in actions.words(of, clause.language)]
    said = [word.casefold() for word in saying.plain_words(rest) if not saying.is_filler(word, clause.language)]
    if clause.language in actions.LAST:
        return all(word.startswith(tuple(some)) or len(word) == 1 for word in said)
    return all(word in some for word in said)


def _moves(text: str, language: str) -> bool:
    """Whether it is moved, in so many words."""
    return actions.has(text, "moves", language)


@cache
def _either(of: str, language: str) -> str:
    gap = r"\s?" if language in actions.LAST else r"\s+"
    some = sorted(actions.words(of, language), key=len, reverse=True)
    return "|".join(re.escape(word).replace(r"\ ", gap) for word in some)


def bare_hour(clause: Clause) -> str:
    """A figure that may be an hour, where nothing else is said ("make it 5")."""
    found = [one.value for one in of_type(clause, "number")]
    if len(found) > 1 and _NOT_THAT.search(clause.text):
        found = found[1:]  # "not 9, make it 10"
    fits = len(found) == 1 and isinstance(found[0], int) and 1 <= found[0] <= 24
    return f"{int(str(found[0])) % 24:02}:00" if fits else ""


def _is_figure(text: str) -> bool:
    return text.strip(" .!").isdigit()


def _with_days_as_spans(clause: Clause) -> Clause:
    """What is moved by so many days ("put it two days later", 하루 뒤로 미뤄줘) is moved from where it stands, and not
    from today: such a day is a span, where no time is said for it."""
    if not _moves(clause.text, clause.language) or of_type(clause, "time"):
        return clause
    if (aside := _a_day_aside(clause)) is not None:
        others = [one for one in clause.entities if one.end <= aside.start or one.start >= aside.end]
        return clause._replace(entities=(*others, aside))
    return clause._replace(entities=tuple(_as_span(one, clause) for one in clause.entities))


def _a_day_aside(clause: Clause) -> Entity | None:
    """The next day at the same time: a day from where it stands, with the words for its hour, which stays."""
    for name, days in (("next_day", 1), ("day_before", -1)):
        if found := _aside(name, clause.language).search(clause.text):
            value = days * A_DAYS_MINUTES
            return Entity(type="span", text=found[0], value=value, start=found.start(), end=found.end(), confidence=1.0)
    return None


@cache
def _aside(name: str, language: str) -> re.Pattern[str]:
    tied = r"[\s,、]*(?:at|에|の|で|에도)?\s*"
    edge = r"\b(?!\s+tomorrow)" if language not in actions.LAST else ""
    return re.compile(
        rf"(?:{_either(name, language)}){edge}(?:{tied}(?:{_either('same_time', language)}))?", re.IGNORECASE
    )


def _as_span(one: Entity, clause: Clause) -> Entity:
    away = _AWAY.match(clause.text, one.end - 1) or _LATER.search(one.text)
    if one.type != "date" or not isinstance(one.value, str) or away is None:
        return one
    days = date.fromisoformat(one.value) - clause.now.date()
    end = max(one.end, away.end()) if away.string == clause.text else one.end
    return one.model_copy(update={"type": "span", "value": days.days * A_DAYS_MINUTES, "end": end})


def _says_when(clause: Clause) -> bool:
    return any(one.type in TIMES for one in clause.entities)


def _goals(clause: Clause) -> list[Entity]:
    """The run of days and times that the word for the goal stands at; the last ones where there is no such word."""
    found = sorted((one for one in clause.entities if one.type in GOALS), key=lambda one: one.start)
    if clause.language in actions.LAST:
        ends = [at for at, one in enumerate(found) if _leads(clause, one)]
        last = ends[-1] if ends else len(found) - 1
        first = last
        while first > 0 and _touch(clause.text, found[first - 1], found[first]):
            first -= 1
        return found[first : last + 1] if found else []
    start = next((at for at, one in enumerate(found) if _led(clause, one)), len(found) - 1)
    return found[start:] if found else []


def _leads(clause: Clause, one: Entity) -> bool:
    return _after(clause.language).match(clause.text, one.end) is not None


def _led(clause: Clause, one: Entity) -> bool:
    said = clause.text[max(0, one.start - _NEAR) : one.end]
    return re.search(r"\b(?:to|till|until)\s", said, re.IGNORECASE) is not None


@cache
def _after(language: str) -> re.Pattern[str]:
    either = "|".join(actions.words("goals", language))
    return re.compile(rf"\s?(?:{either})(?![가-힣])" if language == "ko" else rf"(?:{either})")


def ends_at_goal(clause: Clause) -> bool:
    """Whether all that is said behind the day or time is that it goes there ("치과 4시로")."""
    ends = [one.end for one in clause.entities if one.type in GOALS]
    return bool(ends) and clause.language == "ko" and _GOES_THERE.match(clause.text, max(ends)) is not None


def _touch(text: str, left: Entity, right: Entity) -> bool:
    return left.type != right.type and not re.search(r"[^\s,の]", text[left.end : right.start])


def _by_span(clause: Clause) -> JsonObject:
    """So many minutes later or longer, or so long."""
    span = next(iter(of_type(clause, "span")), None)
    if span is None or not isinstance(span.value, int):
        return {}
    language, after = clause.language, clause.text[span.end : span.end + 5].removeprefix("짜리")
    if minutes := length_wanted(clause):
        return {"minutes": minutes}
    longer = actions.says(clause.text, "longer", language)
    shorter = actions.says(clause.text, "shorter", language)
    if longer or shorter:
        led = re.search(r"\bto\s+(?:(?:be|a|an|full|whole)\s){0,3}\Z", clause.text[: span.start], re.IGNORECASE)
        so_long = _after(language).match(after) if language in actions.LAST else led
        return {"minutes": span.value} if so_long else {"longer": span.value if longer else -span.value}
    said = span_of(clause)
    back = span.value < 0 or actions.says(clause.text, "earlier", language) or bool(said and said.before)
    return {"shift": -abs(span.value) if back else span.value}


def _renamed(rest: str, language: str) -> tuple[str, str] | None:
    """What it is called, and what it shall be called."""
    if new := naming.quoted(rest):
        # "call it 'late lunch' instead of lunch"
        return naming.beside_quoted(rest, language), new
    found = _renaming(language).search(rest)
    if found is None:
        return None
    told = found.groupdict()
    if told.get("as"):
        return told["than"] or told["called"], told["as"]
    return told["old"], told["new"]


@cache
def _renaming(language: str) -> re.Pattern[str]:
    names, verbs = actions.words("ways", language)["name"], actions.words("verbs", language)["change"]
    name, change = ("|".join(map(re.escape, some)) for some in (names, verbs))
    if language == "ko":
        return re.compile(
            rf"^(?P<old>.{{1,80}}?)(?:의)?\s{{0,2}}(?:(?:{name})(?:을|를|은)?|(?<=\S)(?:을|를|은|는)|말고(?:\s(?:{name})(?:을|를|은)?)?)\s{{1,2}}"
            rf"(?:그냥\s)?(?P<new>.{{1,80}}?)(?:으로|로|라고|이라고)\s{{0,2}}(?:(?:{name})(?:을|를)?\s{{0,2}})?(?:{change}|해|하자|할|불러)"
        )
    if language == "ja":
        return re.compile(rf"^(?P<old>.{{1,80}}?)の?(?:{name})?を(?P<new>.{{1,80}}?)(?:に|へ|と)\s?(?:{change})")
    return re.compile(
        rf"call (?P<called>it|that|this|the \w{{1,30}})\s+(?P<as>.{{1,80}}?)"
        rf"(?:\s+(?:instead of|rather than)\s+(?P<than>.{{1,80}}))?"
        rf"(?:\s+instead|\s+please|[.!]){{0,3}}\Z"
        rf"|(?:{change})\s+(?:the\s+)?(?:(?:name|title)\s+of\s+)?(?P<old>.{{1,80}}?)(?:'s (?:name|title))?"
        rf"\s+(?:to|as|into)\s+(?:be called\s+)?(?P<new>.{{1,80}})",
        re.IGNORECASE,
    )


def _called(rest: str, of: str, language: str) -> str:
    """The name of what is meant: without the words for what is done with it."""
    every: Sequence[str] = [*actions.words("verbs", language)["change"], *_ways(language)]
    return core(actions.without(rest, every, language), of, language)


def _ways(language: str) -> list[str]:
    ways = actions.words("ways", language)
    return [word for name in ("earlier", "later", "longer", "shorter") for word in ways[name]]
