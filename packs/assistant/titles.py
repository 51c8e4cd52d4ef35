"""What a thing that is told to be put in is called, and whether a clause goes on about the one before. Pure.

A title is without what is said on the way, without what asks for it to be put in, and without why."""

import re
from datetime import datetime, time, timedelta

from contracts.cognitive import Entity
from contracts.reading import Clause
from contracts.shape import JsonObject
from packs.assistant import actions, asking, changes, naming, saying
from packs.assistant.actions import words
from packs.assistant.moments import TIMES, as_time, of_type, spoken_of
from packs.assistant.phrases import core, pattern, without

LONG = {"ko": 3, "en": 5, "ja": 1}
"""Words from which on a name may have more in it than the name."""
_GUESSED = 0.8
SHORT = 24
_NOON, _MORNING, _EVENING = 12, 8, 5
"""Of an hour alone, from which on it is one of the morning."""
_DRAWN_OUT = re.compile(r"(?<![\u30a1-\u30fa])[ー〜~ ]{1,9}\Z")
"""Behind a sentence; behind katakana it is part of the word."""
_SHOPPING = re.compile(r"장\s?(?:보|볼)|쇼핑|살\s?(?:거|것)|買い物|\b(?:shopping|grocer)", re.IGNORECASE)
_THINGS = re.compile(r"(?<=[가-힣])(?:이랑|랑|하고)\s+|(?<=[\u30a1-\u30fc一-龥])と(?=[\u30a1-\u30fa一-龥])|\sand\s")
"""Between two things to buy."""
_BETWEEN = re.compile(r"[,、]|(?<=기)(?:랑|이랑|하고)\s")
"""Between two things to be done, of which each says what is done."""
_HOUR = re.compile(r"\b(?:for|at|about|around)\s+\Z", re.IGNORECASE)
_CALLED = {
    "ko": re.compile(
        r"(?:제목|이름)(?:은|는|:)\s?(?P<name>[^.!?]{1,80}?)"
        r"(?:(?:이?라고|으로|로)?\s?(?:해|하자|할게|부탁|적어|달아)\S*|이야|이에요|예요|입니다|야)?[\s.!~]*\Z"
    ),
    "en": re.compile(
        r"[,.;]?\s(?:and\s)?(?:title it|titled|call it|name it|the title is|title:)\s"
        r"(?P<name>[^.!?]{1,80}?)(?:,?\splease)?[\s.!]*\Z",
        re.IGNORECASE,
    ),
    "ja": re.compile(
        r"(?:タイトル|件名|名前)は(?P<name>[^。!？]{1,80}?)(?:で(?:お願いします|お願い|よろしく)?|にして\S*|です)?[\s。！]*\Z"
    ),
}
"""What it shall be called, said behind everything else."""
_LEFT_OUT = {
    "ko": re.compile(r"지(?:는|도)?(?:\s?(?:말고|마\S{0,4}|않\S{0,4}))?\Z"),
    "en": re.compile(r"\A(?:don['’]t|do not|no need to)\b", re.IGNORECASE),
    "ja": re.compile(r"(?:ないで|なくて(?:も)?)(?:いい|よい|大丈夫)?(?:から|ので)?\Z"),
}
"""A part of a clause that says what is not to be done."""
_TOGETHER = ("함께", "같이", "둘이")
_PARTICLES_KO = ("엔", "에는", "에", "은", "는", "에다가", "쯤", "쯤에", "까지", "부터")


def named_behind(clause: Clause) -> tuple[Clause, str]:
    """The clause without what it says last, what the thing shall be called; and that. Its words are no request."""
    found = _CALLED.get(clause.language, _CALLED["en"]).search(clause.text)
    if found is None or found.start() == 0:
        return clause, ""
    before = tuple(one for one in clause.entities if one.end <= found.start())
    return clause._replace(text=clause.text[: found.start()], entities=before), found["name"].strip()


def with_the_meal(title: str, clause: Clause) -> str:
    """Of a title that says only with whom, what is done: the half of the day that its hour was said with may be the
    meal ("박대리랑 점심 12시" is lunch, and at noon)."""
    clock = next(iter(of_type(clause, "time")), None)
    meal = next((one for one in words("meals", clause.language) if clock and clock.text.startswith(one)), "")
    if not meal or not title or meal in title:
        return title
    if _says_only_with_whom(title):
        return f"{title} {meal}"
    tied = re.search(rf"(?<!\S){re.escape(title)}(?P<tie>하고|이랑|랑)(?=\s|\Z)", clause.text)
    return f"{title}{tied['tie']} {meal}" if tied else title


def _says_only_with_whom(title: str) -> bool:
    who = [word for word in title.split() if word not in _TOGETHER]
    ties = ("랑", "하고", "와", "과") if len(who) < len(title.split()) else ("랑", "하고")
    return 0 < len(who) <= LONG["ko"] and who[-1].endswith(ties)


def titled(rest: str, of: str, language: str) -> str:
    """Of a clause without its days and times."""
    quoted = naming.quoted(rest)
    if quoted and of != "memory":
        return quoted
    if language in actions.LAST:
        cut = _before_the_verb(_DRAWN_OUT.sub("", rest), language)
        return _told(cut, of, language) or _told(rest, of, language)
    if of == "todo":
        rest = core(rest, of, language)  # "put stamps, bread and milk on my list" surrounds all of them
    return _told(rest, of, language)


def _told(rest: str, of: str, language: str) -> str:
    parts = [core(_plain(part, language), of, language) for part in _parts(rest, language)]
    parts = [_closed(part, language) for part in parts]
    telling = [
        part for part in parts if part and not saying.is_filler(part, language) and not _only_asks(part, language)
    ]
    if of == "reminder":
        # "just remind me, don't send it": what is not to be done is none of it, beside what is
        telling = [part for part in telling if not _leaves_out(part, language)] or telling
    return core(", ".join(telling) if language != "ja" else "、".join(telling), of, language)


def several(rest: str, title: str) -> list[str]:
    """Things that are told one after the other, with a tie between them, if they are two or more short ones; of a list
    that is announced ("two things: …") what stands behind the colon."""
    if len(quoted := naming.all_quoted(rest)) > 1:
        return quoted
    _, announced, listed = title.rpartition(": ")
    title = listed if announced and _BETWEEN.search(listed) else title
    found = [part.strip() for part in _BETWEEN.split(title) if part.strip()]
    if len(found) == 1 and all(map(_begins_with_a_deed, parts := re.split(r"\sand\s(?:also\s)?(?:to\s)?", title))):
        found = parts
    if len(found) == 1 and _SHOPPING.search(rest):
        found = _THINGS.split(title)
    if len(found) > 1:
        found[-1:] = [part for part in re.split(r"(?:\A|\s)and\s|그리고\s|\s및\s", found[-1]) if part]
    short = all(len(part) <= SHORT for part in found)
    return found if len(found) > 1 and short and not naming.quoted(rest) else []


def _begins_with_a_deed(part: str) -> bool:
    verb, _, thing = part.partition(" ")
    return bool(thing) and verb.casefold() in words("deeds", "en")


def _parts(rest: str, language: str) -> list[str]:
    """What is said one after the other; in English without what is said behind, about why."""
    found: list[str] = []
    for part in saying.ENDS.split(rest):
        if not part or not part.strip():
            continue
        if language == "en" and found and _is_aside(part):
            break
        found.append(part.strip())
    return found


def _is_aside(part: str) -> bool:
    said = saying.without_fillers(part, "en").casefold()
    return any(said == word or said.startswith(f"{word} ") for word in words("asides", "en"))


def _before_the_verb(rest: str, language: str) -> str:
    """Without what is said behind the last word that asks for it to be put in, if there is anything before that."""
    verbs = words("verbs", language)
    places = list(actions.places(rest, (*verbs["add"], *verbs["remind"]), language))
    if not places or not rest[: places[-1]].strip(" 、,."):
        return rest
    behind = rest[places[-1] :]
    end = re.match(r"\S+(?:\s(?:줘|주|줄|놔|둬|주세요|주실|볼|봐)\S*)?", behind) if language == "ko" else None
    if language == "ja":
        end = re.match(r"[^。、！？!?\s]+", behind)
    return rest[: places[-1] + end.end()] if end else rest


def _plain(part: str, language: str) -> str:
    part = _bare(saying.without_fillers(part, language), language)
    if language == "ko":
        first, _, others = part.partition(" ")
        if first in _PARTICLES_KO:
            part = others
    if language == "ja":
        part = re.sub(r"\A(?:から|には|に|は|で|まで|の)(?=\S)|(?<=[うるくぐすつぬぶむ])も\Z", "", part)
    return part


def _bare(part: str, language: str) -> str:
    """Without words at either end that say nothing, or only point."""
    said = part.split()
    while said and (saying.is_filler(said[-1], language) or naming.is_pointer(said[-1], language)):
        said.pop()
    while said and naming.is_pointer(said[0], language):
        said.pop(0)
    rest = " ".join(said)
    return "" if language == "ja" and not rest.strip("でにをはがもとの、。") else rest


def _closed(part: str, language: str) -> str:
    """Without what ends a statement ("… 있거든", "…なんだけど")."""
    for _ in range(saying.ROUNDS):
        before = part
        for end in sorted(words("closings", language), key=len, reverse=True):
            bare = part.rstrip(" .,!?~、。ー〜")
            if language == "ja" and bare.endswith(end) and len(bare) > len(end) + 1:
                part = bare.removesuffix(end)
                break
            if language != "ja" and bare.casefold().endswith(f" {end}"):
                part = bare[: -len(end)].rstrip(" .,")
                break
        if part == before:
            break
    return part


def _leaves_out(part: str, language: str) -> bool:
    return _LEFT_OUT.get(language, _LEFT_OUT["en"]).search(part) is not None


def _only_asks(part: str, language: str) -> bool:
    """Whether nothing is left without what asks for it ("put it in", "適当に登録")."""
    verbs = words("verbs", language)
    rest = actions.without(part, [*verbs["add"], *verbs["remind"], *words("pronouns", language)], language)
    return not any(char.isalnum() and char not in "をにはがの" for char in rest) or rest in ("in", "down", "on")


def is_long(title: str, language: str) -> bool:
    """Whether there may be more in it than a name."""
    some = len(title.split()) if language != "ja" else len(re.findall(r"[、。がは]|から|ので", title)) + 1
    return some > LONG[language] or bool(saying.ENDS.search(title))


def goes_on(clause: Clause, of: str) -> bool:
    """Whether it gives what was done last another day or time: it says one, and names nothing."""
    timed = spoken_of(clause.last).get("time") or clause.last.get("action") == "lead"
    hour = changes.bare_hour(clause) if timed else ""  # "actually 10"
    if not clause.last or clause.expecting or not (hour or any(one.type in TIMES for one in clause.entities)):
        return False
    if of == "reminder" and pattern(of, clause.language, "alarm").search(clause.text):
        return False
    if pattern("common", clause.language, "that_day").search(clause.text):
        return False
    ways = words("ways", clause.language)
    some = [word for name in ("earlier", "later", "longer", "shorter") for word in ways[name]]
    cut = TIMES | ({"number"} if hour else set())
    rest = without(clause.text, [one for one in clause.entities if one.type in cut], clause.language)
    return not titled(actions.without(rest, some, clause.language), of, clause.language)


def same_day(clause: Clause) -> JsonObject:
    """The day of what was done last, of a clause that comes on top of it and says only a time."""
    day = spoken_of(clause.last).get("date")
    if not day or of_type(clause, "date") or of_type(clause, "recurrence") or not of_type(clause, "time"):
        return {}
    asked = clause.last.get("action") in ("free", "list") and not clause.last.get("until")
    goes_on = asking.asks_for(clause.text, clause.language)
    return {"date": day} if asked or goes_on or comes_on_top(clause) else {}


def hour_alone(clause: Clause) -> Entity | None:
    """A figure that is the hour, though nothing says so: where it was asked whether that day is free ("for 2 then"),
    another hour is asked for ("what about 6?"), or the time is what is missing ("10")."""
    missing, asked = "time" in clause.expecting, clause.last.get("action") == "free"
    goes_on = bool(clause.last) and (asked or asking.asks_for(clause.text, clause.language))
    if of_type(clause, "time") or not (missing or goes_on):
        return None
    hours = [one for one in of_type(clause, "number") if isinstance(one.value, int) and 1 <= one.value <= _NOON]
    if len(hours) != 1 or not (missing or _HOUR.search(clause.text[: hours[0].start])):
        return None
    hour, (found,) = int(str(hours[0].value)), hours
    clock = hour + _NOON if hour < _MORNING else hour
    return found.model_copy(update={"type": "time", "value": f"{clock:02}:00"})


def with_the_missing_hour(clause: Clause) -> Clause:
    """With a figure that is the time which was asked for."""
    hour = hour_alone(clause) if "time" in clause.expecting else None
    return clause._replace(entities=(*clause.entities, hour)) if hour else clause


def comes_on_top(clause: Clause) -> bool:
    """Whether it says that this is one more."""
    if clause.language == "ko":
        some = tuple(words("ways", "ko")["also"])
        spoken = saying.plain_words(clause.text)
        return any(word in some or (len(word) > 2 and word.endswith("도")) for word in spoken)
    return actions.says(clause.text, "also", clause.language)


def evening(clause: Clause, slots: JsonObject) -> JsonObject:
    """Who has dinner at seven means the evening, if they do not say otherwise."""
    clock = _guessed(clause, slots)
    if (
        clock is None
        or not _EVENING <= clock.hour < _NOON - 1
        or not actions.has(clause.text, "evenings", clause.language)
    ):
        return {}
    return _at_the_other_half(clause, clock.replace(hour=clock.hour + _NOON), slots)


def morning(clause: Clause, slots: JsonObject) -> JsonObject:
    """Who wants to be woken at half past six means the morning, if they do not say otherwise; any other alarm comes at
    the next half past six."""
    clock = _guessed(clause, slots)
    if clock is None or not 16 <= clock.hour < 24:
        return {}
    early = clock.replace(hour=clock.hour - _NOON) > clause.now.time() and not of_type(clause, "date")
    alarm = early and pattern("reminder", clause.language, "alarm").search(clause.text)
    if not (alarm or actions.has(clause.text, "wakes", clause.language)):
        return {}
    return _at_the_other_half(clause, clock.replace(hour=clock.hour - _NOON), slots)


def _guessed(clause: Clause, slots: JsonObject) -> time | None:
    """The time, where it was said without its half of the day."""
    found = of_type(clause, "time")
    return as_time(slots.get("time")) if found and found[0].confidence < _GUESSED else None


def _at_the_other_half(clause: Clause, clock: time, slots: JsonObject) -> JsonObject:
    """With the next day that has it to come, where none is said."""
    if of_type(clause, "date") or of_type(clause, "recurrence") or "date" not in slots:
        return {"time": f"{clock:%H:%M}"}
    day = clause.now.date()
    passed = datetime.combine(day, clock) <= clause.now.replace(tzinfo=None)
    return {"time": f"{clock:%H:%M}", "date": (day + timedelta(days=passed)).isoformat()}
