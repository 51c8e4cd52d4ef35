"""Where one sentence may be several requests: after a request that is complete, before one that begins.

Which of the cuts hold is decided by what the pieces mean (parts.py); here is only where they could be."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from contracts.packs import IntentSpec
from contracts.patterns import bounded
from understanding.kit.data import read_data

MOST = 12
"""A longer list is data."""
SPLIT_PART = 400
MOST_TIES = 6
"""Places in a sentence at which two requests are looked for; the time of a long one has an end."""
Patterns = Sequence[re.Pattern[str]]


class Tie(NamedTuple):
    """What may tie two requests: the first one ends at `left`, the next one begins at `right`. What only one of them
    says, and the other means too, is `after_left` and `before_right`."""

    left: int
    right: int
    after_left: str = ""
    before_right: str = ""


class Ties(NamedTuple):
    """Compiled from clauses.yaml, which says what each is; `it` goes with `found`, one by one."""

    clauses: Patterns
    things: Patterns
    last: Patterns
    first: Patterns
    found: Patterns
    scope: Patterns
    it: Sequence[str]


class Own(NamedTuple):
    """What says that a thing is wanted by itself, and the next thing too; or that this comes after that."""

    left: Patterns
    right: Patterns
    after: Patterns


class ClauseSplitter:
    """Compiled from clauses.yaml: per language, patterns whose group `cut` is where the next request would begin, and
    `ties`, which are cuts only where they tie requests for different things."""

    def __init__(self, patterns: Patterns, ties: Ties, takes_back: Patterns, own: Own, commands: Patterns) -> None:
        self._patterns = patterns
        self._ties = ties
        self._takes_back = takes_back
        self._own = own
        self._commands = commands

    def split(self, text: str) -> list[tuple[int, int]]:
        """The spans of the pieces, in order; one span when the text holds no second request."""
        if len(text) > SPLIT_PART:
            return [(0, len(text))]
        cuts = {match.end("cut") for pattern in self._patterns for match in pattern.finditer(text)}
        inner = sorted(cut for cut in cuts if text[:cut].strip() and text[cut:].strip())[: MOST - 1]
        return list(zip([0, *inner], [*inner, len(text)], strict=True))

    def takes_back(self, text: str) -> bool:
        """Whether it asks for something and then for that not to be done."""
        return len(text) <= SPLIT_PART and any(pattern.search(text) for pattern in self._takes_back)

    def commands(self, text: str) -> bool:
        """Whether it says what is to be done."""
        return any(pattern.search(text) for pattern in self._commands)

    def asks_for_both(self, found: str, report: str) -> bool:
        """Whether what is found out is wanted by itself, and the report behind it too."""
        left, right, after = self._own
        follows = any(one.search(found) for one in after)
        return follows or (any(one.search(found) for one in left) and any(one.search(report) for one in right))

    def ties(self, text: str) -> list[Tie]:
        """In the order of the text, one for a place; none in a long text."""
        if len(text) > SPLIT_PART:
            return []
        scope = min(
            (match.end() for pattern in self._ties.scope for match in pattern.finditer(text)), default=len(text)
        )
        found: dict[int, Tie] = {}
        for tie in self._all_ties(text):
            if tie.left < scope and text[: tie.left].strip() and text[tie.right :].strip():
                found.setdefault(tie.right, tie)
        return sorted(found.values())[:MOST_TIES]

    def _all_ties(self, text: str) -> Iterator[Tie]:
        for pattern, it in zip(self._ties.found, self._ties.it, strict=True):
            yield from (Tie(*match.span("cut"), before_right=it) for match in pattern.finditer(text))
        for pattern in self._ties.clauses:
            yield from (Tie(*match.span("cut")) for match in pattern.finditer(text))
        for pattern in self._ties.things:
            yield from (self._shared(text, *match.span("tie")) for match in pattern.finditer(text))

    def _shared(self, text: str, left: int, right: int) -> Tie:
        """Two things, with what is asked to be done with both."""
        for pattern in self._ties.last:
            if verb := pattern.search(text, right):
                return Tie(left, right, after_left=verb["verb"])
        for pattern in self._ties.first:
            if verb := pattern.match(text):
                return Tie(left, right, before_right=f"{verb['verb']} ")
        return Tie(left, right)


class Verbs(NamedTuple):
    """What is asked to be done, as examples of packs say it: the first word of English ones, the noun that is done in
    Korean (주문 of "주문해줘") and Japanese."""

    ko: frozenset[str] = frozenset()
    en: frozenset[str] = frozenset()
    ja: frozenset[str] = frozenset()


NO_VERBS = Verbs()
TAUGHT = 2
"""Examples of an intent that say a verb, before it is one."""


def verbs_of(specs: Iterable[IntentSpec]) -> Verbs:
    """Those that several examples of one intent with work to do begin or end with: a pack brings its own verbs."""
    rules = {language: re.compile(rule) for language, rule in _words()["taught"].items()}
    nothing = frozenset(_words()["taught_not"])
    found: dict[str, set[str]] = {language: set() for language in rules}
    for spec in specs:
        for language, rule in rules.items() if spec.tool or spec.goals or spec.flow else ():
            said = (rule.search(one.casefold()) for one in spec.examples.get(language, ()))
            often = Counter(one["verb"] for one in said if one is not None)
            found[language] |= {verb for verb, many in often.items() if many >= TAUGHT} - nothing
    return Verbs(**{language: frozenset(some) for language, some in found.items()})


@cache
def splitter(verbs: Verbs = NO_VERBS) -> ClauseSplitter:
    """The one of this product's languages, which knows the verbs of packs as well."""
    data = _words()
    words = dict(data["words"])
    for language, some in verbs._asdict().items():
        if some:
            spelt = "|".join(map(re.escape, sorted(some)))
            first = f"(?:{data['taught_beside'][language]}|"
            words[f"{language}_do"] = words[f"{language}_do"].replace(first, f"{first}{spelt}|", 1)
    ties = {name: _compiled(rules, words) for name, rules in data["ties"].items()}
    cuts, takes_back, commands = (_compiled(data[name], words) for name in ("cuts", "takes_back", "commands"))
    own = Own(*(_compiled(data["own"][side], words) for side in Own._fields))
    return ClauseSplitter(cuts, Ties(**ties, it=tuple(data["it"].values())), takes_back, own, commands)


@cache
def beside_a_file() -> frozenset[str]:
    """What makes no request of the name of a file."""
    return frozenset(_words()["beside_a_file"])


@cache
def _words() -> dict[str, Any]:
    data: dict[str, Any] = read_data(Path(__file__).with_name("clauses.yaml"))
    return data


def compiled(data: Mapping[str, Any]) -> Iterator[re.Pattern[str]]:
    """Every pattern of such a file, one by one."""
    for rules in (data["cuts"], data["takes_back"], data["commands"], *data["ties"].values(), *data["own"].values()):
        yield from _compiled(rules, data["words"])


def _compiled(rules: Mapping[str, Sequence[str]], words: Mapping[str, str]) -> Patterns:
    return [bounded(_fill(rule, words)) for some in rules.values() for rule in some]


def _fill(pattern: str, words: Mapping[str, str]) -> str:
    return re.sub(r"~(\w+)~", lambda match: f"(?:{words[match[1]]})", pattern)
