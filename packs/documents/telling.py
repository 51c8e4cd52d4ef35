"""Answers in words: what the documents say, with the sentence, the page and the file; and what they do not say."""

from collections.abc import Mapping, Sequence

from contracts.agents import Say
from contracts.shape import JsonObject, JsonValue
from packs.documents.excerpts import is_for_a_machine, likeness, points
from packs.documents.formats.pages import Page
from packs.documents.passages import Passage, passages

ALSO, ELSE = 0.12, 0.03
"""So likely another passage may be what was meant: beside one that answers, and beside a figure that was computed."""
FURTHER = {"probably": (0.05, 2), "likely": (0.02, 3), "near": (0.03, 4)}
"""The same of one that does not answer for sure, and so many of them at most."""
LEADS = 0.7
"""So likely what was worked out is what was meant, that it is told before what the text says."""
BESIDE = 2
"""Passages beside a figure that was worked out."""
SIDES, COMPARABLE = 8, 0.3
"""Things that are compared at most, and how alike they are called."""
ALONE, ALONE_SHOWN, COMPARED_LINES = 0.12, 3, 40
"""Less alike than this nothing of the others is; how many such are told, of documents so short that they are offers or
lists: of books each says something that the other does not."""
HOUR = 60
Pages = Sequence[tuple[int | None, str]]


def told(results: Sequence[JsonObject], failures: Sequence[str], say: Say) -> str:
    """The answer to a question, from what documents.look_up has found."""
    lines = [line for result in results for answer in _objects(result["answers"]) for line in _answer(answer, say)]
    lines += [str(one) for result in results for one in _list(result["unread"])]
    return "\n".join([*lines, *failures]) or say("read.none")


def _answer(answer: JsonObject, say: Say) -> list[str]:
    """Of a question with two, each under its own."""
    asked = answer.get("asked")
    lines = _of_one(answer, say)
    return [say("read.part", asked=asked), *lines] if asked else lines


def _of_one(answer: JsonObject, say: Say) -> list[str]:
    found = _objects(answer["passages"])
    if not found:
        return [say("read.nothing")]
    figure = answer["computed"] if isinstance(answer["computed"], dict) else None
    reckoned = _reckoned(_objects(answer["reckoned"]), say)
    if figure and figure["sure"]:
        told = _figure(figure, say)
        others = [line for line in reckoned if str(figure["value"]) not in line]
        return [*told, *others, *_also(found[:BESIDE], ELSE, str(figure["row"]), say)]
    best, name = found[0], str(found[0]["document"])
    if answer["holds"]:
        head = say("read.says", name=name, text=best["text"], where=_where(best, say))
        return [head, *reckoned, *_also(found[1:3], ALSO, str(best["text"]), say)]
    lead = _lead(name, _objects(answer["reckoned"]), say)
    reckoned = reckoned[1:] if lead else reckoned
    worked = [*(_figure(figure, say) if figure else []), *reckoned]
    missing = ", ".join(str(word) for word in _list(answer["missing"]))
    head = lead or (say("read.lacks_words", name=name, words=missing) if missing else say("read.lacks", name=name))
    if is_for_a_machine(str(best["text"])) or answer["near"] == "far":
        return [head, *worked]
    least, most = FURTHER[str(answer["near"])]
    mates = [one for one in _further(found[1 : 1 + most], least, str(best["text"])) if _place(one) == _place(best)]
    rest = [one for one in found[1 : 1 + most] if one not in mates]
    also = [*_quotes(mates, say), *worked, *_also(rest, least, str(best["text"]), say)]
    if answer["near"] in ("probably", "likely") and not lead:
        return [say(f"read.{answer['near']}", name=name, text=best["text"], where=_where(best, say)), *also]
    return [head, say("read.nearest", text=best["text"], where=_where(best, say)), *also]


def _lead(name: str, reckoned: Sequence[JsonObject], say: Say) -> str:
    """The likeliest figure that was worked out, where it is likely enough to be told first."""
    if not reckoned or _likely(reckoned[0]) < LEADS:
        return ""
    first = reckoned[0]
    return say("read.worked", name=name, of=_of(first), formula=_formula(first, say))


def _also(others: Sequence[JsonObject], least: float, told: str, say: Say) -> list[str]:
    """Further passages that are likely enough, those of one place together."""
    places: dict[tuple[JsonValue, ...], list[JsonObject]] = {}
    for one in _further(others, least, told):
        places.setdefault(_place(one), []).append(one)
    return [
        line
        for first, *rest in places.values()
        for line in (
            say("read.also", name=first["document"], text=first["text"], where=_where(first, say)),
            *_quotes(rest, say),
        )
    ]


def _further(others: Sequence[JsonObject], least: float, told: str) -> list[JsonObject]:
    """Those that are likely enough and not told yet; none that speaks to a machine."""
    some = [one for one in others if _chance(one) >= least and one["text"] != told]
    return [one for one in some if not is_for_a_machine(str(one["text"]))]


def _place(one: JsonObject) -> tuple[JsonValue, ...]:
    return one["document"], one.get("page"), one.get("title")


def _quotes(some: Sequence[JsonObject], say: Say) -> list[str]:
    return [say("quote", text=one["text"]) for one in some]


def _figure(figure: JsonObject, say: Say) -> list[str]:
    """What was computed, said as such, with what it was computed from."""
    name, kind, where = figure["document"], str(figure["kind"]), _where(figure, say)
    if kind == "row":
        return [say("read.says", name=name, text=figure["row"], where=where)]
    if kind in ("most", "least"):
        number = figure["number"]
        head = say(f"read.{kind}", name=name, where=where, of=figure["of"], value=figure["value"], number=number)
        return [head, say("quote", text=figure["row"])]
    terms = [str(one) for one in _list(figure["terms"])]
    rest = "" if figure["number"] == len(terms) else ", …"
    shown = ", ".join(terms) + rest
    return [say(f"read.{kind}", name=name, where=where, of=figure["of"] or "", value=figure["value"], terms=shown)]


def _reckoned(some: Sequence[JsonObject], say: Say) -> list[str]:
    """What follows from figures, with what they are of: the person sees whether that is what was meant."""
    if len(some) < 2:
        return [say("read.reckoned", of=_of(one), formula=_formula(one, say)) for one in some]
    lines = [say("read.reckoned.line", of=_of(one), formula=_formula(one, say)) for one in some]
    return [say("read.reckoned.several"), *lines]


def _of(one: JsonObject) -> str:
    return ", ".join(str(name) for name in _list(one["of"]))


def _likely(one: JsonObject) -> float:
    return float(str(one["chance"]))


def _formula(one: JsonObject, say: Say) -> str:
    value = round(float(str(one["value"])))
    if one["kind"] == "days":
        return say("read.days", formula=one["formula"], days=value)
    if one["kind"] == "lasting":
        key = "read.minutes" if value < HOUR else "read.hours" if value % HOUR == 0 else "read.hours_minutes"
        return say(key, formula=one["formula"], hours=value // HOUR, minutes=value % HOUR)
    return str(one["formula"])


def compared(texts: Mapping[str, Pages], say: Say) -> list[str]:
    """What each of the documents says of what they have in common, side by side, and what it alone speaks of; without
    anything in common, what each says most of."""
    sides = {name: _said(pages) for name, pages in texts.items()}
    topics = _topics([*sides.values()])
    if not topics:
        return [line for name, pages in texts.items() for line in _main(name, pages, say)]
    lines = [
        line
        for at, name in enumerate(sides)
        for line in [say("read.side", name=name), *(quoted(topic[at].text, topic[at].page, say) for topic in topics)]
    ]
    for at, (name, side) in enumerate(sides.items()):
        others = [one for other, told in enumerate(sides.values()) if other != at for one in told]
        alone = [one for one in side if _nearest(one, others) < ALONE and len(side) <= COMPARED_LINES]
        if alone:
            lines += [say("read.only", name=name), *(quoted(one.text, one.page, say) for one in alone[:ALONE_SHOWN])]
    return lines


def _nearest(own: Passage, others: Sequence[Passage]) -> float:
    return max((likeness(own.text, one.text) for one in others), default=0.0)


def _said(pages: Pages) -> list[Passage]:
    there = passages([Page(page, text) for page, text in pages])
    return [one for one in there if not one.is_title and not is_for_a_machine(one.text)]


def _topics(sides: Sequence[Sequence[Passage]]) -> list[tuple[Passage, ...]]:
    """Passages of the first, each with the most alike of every other that no other passage of the first is nearer to,
    that are about one thing and differ."""
    if not sides:
        return []
    pairs: list[dict[int, tuple[float, int]]] = []
    for side in sides[1:]:
        alike = [
            (likeness(own.text, one.text), at, place)
            for at, own in enumerate(sides[0])
            for place, one in enumerate(side)
        ]
        taken: dict[int, tuple[float, int]] = {}
        used: set[int] = set()
        for score, at, place in sorted(alike, key=lambda pair: (-pair[0], pair[1], pair[2])):
            if score >= COMPARABLE and at not in taken and place not in used:
                taken[at] = (score, place)
                used.add(place)
        pairs.append(taken)
    found: list[tuple[float, int, tuple[Passage, ...]]] = []
    for at, own in enumerate(sides[0]):
        if not pairs or not all(at in taken for taken in pairs):
            continue
        least = min(taken[at][0] for taken in pairs)
        if least < 1.0:
            others = (side[taken[at][1]] for side, taken in zip(sides[1:], pairs, strict=True))
            found.append((least, at, (own, *others)))
    best = sorted(found, key=lambda one: -one[0])[:SIDES]
    return [topic for _, _, topic in sorted(best, key=lambda one: one[1])]


def _main(name: str, pages: Pages, say: Say) -> list[str]:
    return [say("read.side", name=name), *(quoted(one.text, one.page, say) for one in points(pages, SIDES - 1))]


def quoted(text: str, page: int | None, say: Say) -> str:
    """A line of a list."""
    return say("quote", text=text) if page is None else say("quote.page", text=text, page=page)


def _where(one: JsonObject, say: Say) -> str:
    """Its page, and what stands above it there."""
    page = "" if one.get("page") is None else say("read.page", page=one["page"])
    title = str(one.get("title") or "")
    return page + (say("read.section", title=title) if title and title not in str(one.get("text")) else "")


def _chance(one: JsonObject) -> float:
    return float(str(one["score"]))


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _objects(value: JsonValue) -> list[JsonObject]:
    return [one for one in _list(value) if isinstance(one, dict)]
