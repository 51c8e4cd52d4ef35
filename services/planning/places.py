"""The steps of a plan that a person points at by their place ("without step 2", "마지막 단계는 빼 줘"): places.yaml."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_FILE = Path(__file__).with_name("places.yaml")
LONGEST = 200
"""Characters of a reason in which places are looked for."""
MOST = 9
"""Further places in one list of them."""
NEAR = 20
"""Characters before a place in which it is said that it is the last one."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Of the places of a plan, from 0: what is to go, and what alone is to stay. `beyond`: numbers that are named, of
    which the plan has no step. `rest`: what was said beside the places."""

    out: frozenset[int] = frozenset()
    only: frozenset[int] = frozenset()
    beyond: tuple[int, ...] = ()
    rest: str = ""

    def __bool__(self) -> bool:
        return bool(self.out or self.only or self.beyond)


class _Mention(NamedTuple):
    """`numbers` as they are said: from 1, or from -1 for those that are counted from the end."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """Of one language."""

    verb_last: bool
    numbers: Mapping[str, int]
    first: frozenset[str]
    mention: re.Pattern[str]
    item: re.Pattern[str]
    noun: re.Pattern[str]
    behind: re.Pattern[str]
    joined: re.Pattern[str]
    to: re.Pattern[str]
    up_to: re.Pattern[str]
    out: re.Pattern[str]
    only: re.Pattern[str]
    keeps: re.Pattern[str]
    rest: re.Pattern[str]


def places_in(said: str, count: int) -> Placed:
    """Of a plan of so many steps; a place with which nothing is to be done is none. In any language: a reason may be
    in another one than its plan."""
    text = unicodedata.normalize("NFKC", said[:LONGEST]).replace("\u2019", "'")
    lower = text.casefold()
    text = text if len(lower) == len(text) else lower
    out, only, beyond = set[int](), set[int](), dict[int, None]()
    spans: list[tuple[int, int]] = []
    for words in _languages():
        mentions = _ranged(lower, list(_mentions(lower, words, count)), words)
        for mention, role in zip(mentions, _roles(lower, mentions, words), strict=True):
            if role not in {"out", "only"}:
                continue
            spans.append((mention.start, mention.end))
            for number in mention.numbers:
                place = number - 1 if number > 0 else count + number
                if 0 <= place < count:
                    (out if role == "out" else only).add(place)
                else:
                    beyond[abs(number)] = None
    return Placed(frozenset(out), frozenset(only - out), tuple(beyond), _without(text, spans) if spans else said)


def _mentions(text: str, words: _Words, count: int) -> Iterator[_Mention]:
    """In reading order, each with what a step is called behind it."""
    for found in words.mention.finditer(text):
        noun = words.noun.match(text, found.end())
        end = noun.end() if noun else found.end()
        if noun is None and not _may_end(text, end, words):
            continue
        named = found.groupdict()
        if size := next((one for key, one in named.items() if key.startswith("count") and one), None):
            many = min(_number(size, words), count)
            at_first = any(key.startswith("end") and one in words.first for key, one in named.items())
            numbers = tuple(range(1, many + 1)) if at_first else tuple(range(-many, 0))
        else:
            numbers = tuple(_listed(found[0], words))
        if numbers:
            yield _Mention(found.start(), end, numbers)


def _may_end(text: str, at: int, words: _Words) -> bool:
    """Whether no other thing is named at this place ("the second store")."""
    if words.behind.match(text, at) or re.match(r"\s*(?:[^\w\s#]|$)", text[at:]):
        return True
    after = at + len(text[at:]) - len(text[at:].lstrip())
    does = any(one.match(text, after) for one in (words.out, words.only, words.keeps, words.mention))
    return does and (after > at or words.verb_last)


def _listed(said: str, words: _Words) -> Iterator[int]:
    """The places of a list, ranges filled up."""
    before, end = 0, 0
    for found in words.item.finditer(said):
        number = _number(found[0], words)
        if 0 < before < number and words.to.search(said, end, found.start()):
            yield from range(before + 1, number)
        yield number
        before, end = number, found.end()


def _number(said: str, words: _Words) -> int:
    return int(said) if said.isdecimal() else words.numbers[said]


def _ranged(text: str, mentions: Sequence[_Mention], words: _Words) -> list[_Mention]:
    """Two single places with a word for "to" between them as one mention; "up to" one begins with the first."""
    ranged: list[_Mention] = []
    for mention in mentions:
        last = ranged[-1] if ranged else None
        between = text[last.end : mention.start] if last else ""
        if last and words.to.fullmatch(between.strip()) and 0 < last.numbers[-1] < mention.numbers[0]:
            numbers = (*last.numbers, *range(last.numbers[-1] + 1, mention.numbers[0]), *mention.numbers)
            ranged[-1] = _Mention(last.start, mention.end, numbers)
        else:
            ranged.append(mention)
    return [_from_the_first(text, one, words) for one in ranged]


def _from_the_first(text: str, mention: _Mention, words: _Words) -> _Mention:
    before = text[max(0, mention.start - NEAR) : mention.start]
    up_to = words.up_to.match(text, mention.end) if words.verb_last else words.up_to.search(before)
    if up_to and len(mention.numbers) == 1 and mention.numbers[0] > 0:
        return mention._replace(numbers=tuple(range(1, mention.numbers[0] + 1)))
    return mention


def _roles(text: str, mentions: Sequence[_Mention], words: _Words) -> list[str]:
    """What is to be done with each: "out", "only", "keep", or nothing that is known."""
    starts = [one.start for one in mentions]
    between = [
        text[one.end : end] for one, end in zip(mentions, [*starts[1:], len(text)] if starts else (), strict=True)
    ]
    before = [text[: starts[0]], *between[:-1]] if starts else []
    behind = [_role(one, words, behind=True) for one in between]
    for at in reversed(range(len(mentions) - 1)):
        if words.joined.fullmatch(between[at]):
            behind[at] = behind[at + 1]
    if words.verb_last:
        return behind
    ahead = [_role(one, words, behind=False) for one in before]
    for at in range(1, len(mentions)):
        if words.joined.fullmatch(before[at]):
            ahead[at] = ahead[at - 1]
    return [one or other for one, other in zip(ahead, behind, strict=True)]


def _role(said: str, words: _Words, *, behind: bool) -> str:
    out, rest = words.out.search(said), words.rest.search(said)
    if out and rest and (rest.start() < out.start()) == words.verb_last and behind:
        return "only"
    if behind and not words.verb_last:
        said = re.split(r"[,.;!]", said, maxsplit=1)[0]
    for role, pattern in (("keep", words.keeps), ("out", words.out), ("only", words.only)):
        if pattern.search(said):
            return role
    return ""


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text.strip()


@cache
def _languages() -> tuple[_Words, ...]:
    return tuple(_words(one) for one in yaml.safe_load(_FILE.read_text(encoding="utf-8")).values())


def _words(given: Mapping[str, Any]) -> _Words:
    numbers: dict[str, int] = {**given["numbers"], **given["ordinals"]}
    figures, said, ordinal = r"\d{1,2}", _any(given["numbers"]), _any(given["ordinals"])
    tied = rf"(?:{given['joins']}|{given['to']}){{1,6}}"

    def listed(one: str) -> str:
        return rf"(?:{one})(?:{tied}(?:{one})){{0,{MOST}}}"

    kinds = {"<d>": figures, "<w>": said, "<n>": f"{figures}|{said}", "<o>": ordinal}
    forms: list[str] = []
    for at, given_form in enumerate(given["forms"]):
        ends = _any([*given["first"], *given["last"]])
        marks = {"<end>": f"(?P<end{at}>{ends})", "<count>": f"(?P<count{at}>{figures}|{said})"}
        marks |= {kind: listed(one) for kind, one in kinds.items()}
        forms.append(reduce(lambda form, mark: form.replace(*mark), marks.items(), given_form))
    names = ("noun", "behind", "to", "up_to", "out", "only", "keeps", "rest")
    return _Words(
        verb_last=given["verb_last"],
        numbers=numbers,
        first=frozenset(given["first"]),
        mention=re.compile(rf"(?<!\d)(?:{'|'.join(forms)})"),
        item=re.compile(rf"{figures}(?!\d|st|nd|rd|th)|{_any(numbers)}"),
        joined=re.compile(rf"{given['joins']}{{0,4}}"),
        **{name: re.compile(given[name]) for name in names},
    )


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(one) for one in sorted(words, key=len, reverse=True))
