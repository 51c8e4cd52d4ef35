"""Finds regular expressions whose time grows faster than the text (ReDoS): each is tried on repetitions of what it
looks for itself, and of what people hold a key down on.

Time is that of this process, the least of several tries, and what is long is told beside a pattern that is known: a
machine whose processors others use does everything more slowly. A pattern is slow only if it is long at work and four
times the text takes it much more than four times the time."""

import random
import re
import time
from collections.abc import Iterator, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]  # there is no other way to what a pattern looks for
from typing import Any

LENGTH = 2048
"""Characters: what is read of a message (understanding.offline.excerpt)."""
_SMALL, _SIZES = (12, 16, 20, 24, 28, 32, 40, 48, 64, 96), (160, 512, LENGTH)
"""Small ones first: an exponential pattern would not come back from a long text."""
HOPELESS = 0.1
"""Seconds for one text: no pattern that grows with the text comes near."""
SUSPECT = 2
"""Times what the known pattern takes for sixteen texts, 1 ms on a quiet machine; below, nobody is kept waiting."""
ROUNDS = 7
"""Tries of each, by turns: some of them are undisturbed."""
EASILY = 4
"""Times longer that a letter of a long text may take than one of a text as long as a pattern's reach, where most have
less before them."""
GROWTH = 9
"""Four times the text takes a linear pattern four times the time, a quadratic one sixteen times."""
_END = "\x01"
"""Behind the repetitions, so that what nearly fits fails."""
_LEAST = 0.0003
"""Seconds that no machine needs less of for the known pattern."""
_KNOWN, _KNOWN_UNIT = re.compile(r"[a-z]{1,3} \d"), "abc 1 "
PLAIN = ("만", "1", "a", " ", "1만", "가 ", "明日", ".", "1,", "a1 ")
SAMPLES, LONGEST_SAMPLE, UNITS = 3, 24, 9
_ODD = '가a1 あ日-."'


def slow_on(pattern: re.Pattern[str]) -> str | None:
    """What the pattern is slow on when it is repeated; None for a pattern that is linear in practice."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    sizes, reach = (*_SMALL, *_SIZES) if _nests(tree) else _SIZES, _reach(tree)
    # twice: what is slow is slow again, what was disturbed is not
    return next(
        (unit for unit in _units(pattern) if all(_is_slow(pattern, unit, sizes, reach) for _ in range(2))), None
    )


def _is_slow(pattern: re.Pattern[str], unit: str, sizes: Sequence[int], reach: int) -> bool:
    taken = 0.0
    for size in sizes:
        taken = _seconds(pattern, unit, size)
        if taken > HOPELESS and (
            taken > 5 * HOPELESS or min(_seconds(pattern, unit, size) for _ in range(2)) > HOPELESS
        ):
            return True
        if size >= reach and EASILY * taken * LENGTH / size < HOPELESS:
            return False  # no letter has to look further in a longer text, where there are only more of them
    if taken < SUSPECT * _LEAST:
        return False
    part = whole = known = HOPELESS
    for _ in range(ROUNDS):
        known = min(known, _seconds(_KNOWN, _KNOWN_UNIT, 16 * LENGTH))
        whole = min(whole, _seconds(pattern, unit, LENGTH))
        if whole < SUSPECT * known:
            return False
        part = min(part, _seconds(pattern, unit, LENGTH // 4))
    return whole > GROWTH * part


def _nests(tree: Any, *, within: bool = False) -> bool:
    """Whether something is repeated within a repetition: only that may double with each letter."""
    for op, value in tree:
        if op in _REPEATS:
            if (within and value[1] > 1) or _nests(value[2], within=within or value[1] > 1):
                return True
        elif op is _constants.BRANCH:
            if within or any(_nests(one) for one in value[1]):
                return True
        elif op in _GROUPS and _nests(_inside(op, value), within=within):
            return True
    return False


def _reach(tree: Any) -> int:
    """How many letters one try looks at, at most."""
    letters = 0
    for op, value in tree:
        if op in _REPEATS:
            letters += value[1] * _reach(value[2])
        elif op is _constants.BRANCH:
            letters += max(map(_reach, value[1]))
        elif op in _GROUPS or op in _LOOKS:
            letters += _reach(_inside(op, value))
        elif op in (_constants.GROUPREF, _constants.GROUPREF_EXISTS):
            letters += LENGTH  # of what was found before, which may be long
        else:
            letters += op is not _constants.AT
    return letters


def _inside(op: Any, value: Any) -> Any:
    """What a group or a look around has in it."""
    return value if op is _constants.ATOMIC_GROUP else value[-1]


def _seconds(pattern: re.Pattern[str], unit: str, size: int) -> float:
    text = (unit * (size // len(unit) + 1))[:size] + _END
    start = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - start


def _units(pattern: re.Pattern[str]) -> Sequence[str]:
    chance = random.Random(pattern.pattern)  # noqa: S311  # no secret: the same texts in every run
    tree = _parser.parse(pattern.pattern, pattern.flags)
    words = ["".join(_said(tree, chance))[:LONGEST_SAMPLE] for _ in range(SAMPLES)]
    parts = list(dict.fromkeys(one for one in _parts(tree, chance) if one.strip()))
    chance.shuffle(parts)
    return list(dict.fromkeys([*PLAIN, *filter(None, words), *parts[: UNITS - SAMPLES]]))


def _parts(tree: Any, chance: random.Random) -> Iterator[str]:
    """What each repetition in the pattern repeats, alone and with what comes before it."""
    before = ""
    for op, value in tree:
        said = "".join(_said([(op, value)], chance))[:LONGEST_SAMPLE]
        if op in _REPEATS:
            yield from (said, before + said)
            yield from _parts(value[2], chance)
        elif op is _constants.BRANCH:
            for one in value[1]:
                yield from _parts(one, chance)
        elif op in _GROUPS:
            yield from _parts(_inside(op, value), chance)
        before = said


def _said(tree: Any, chance: random.Random) -> Iterator[str]:
    """A text that the pattern, or a part of it, would like."""
    for op, value in tree:
        if op is _constants.LITERAL:
            yield chr(value)
        elif op is _constants.BRANCH:
            yield from _said(chance.choice(value[1]), chance)
        elif op in _GROUPS:
            yield from _said(_inside(op, value), chance)
        elif op in _REPEATS:
            for _ in range(min(max(value[0], 1), 3)):
                yield from _said(value[2], chance)
        elif op is _constants.IN:
            yield _of_class(value, chance)
        elif op in (_constants.ANY, _constants.NOT_LITERAL):
            yield chance.choice(_ODD)


_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)
_GROUPS = (_constants.SUBPATTERN, _constants.ATOMIC_GROUP)
_LOOKS = (_constants.ASSERT, _constants.ASSERT_NOT)
_CLASSES = {
    _constants.CATEGORY_DIGIT: "1", _constants.CATEGORY_SPACE: " ", _constants.CATEGORY_WORD: "가",
    _constants.CATEGORY_NOT_DIGIT: "a", _constants.CATEGORY_NOT_SPACE: "a", _constants.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def _of_class(members: Any, chance: random.Random) -> str:
    if members[0][0] is _constants.NEGATE:
        banned = re.compile(f"[{''.join(_written(one) for one in members[1:])}]")
        return next((one for one in _ODD if not banned.match(one)), "x")
    op, value = chance.choice(members)
    if op is _constants.CATEGORY:
        return _CLASSES[value]
    return chr(value if op is _constants.LITERAL else value[0])


def _written(member: Any) -> str:
    op, value = member
    if op is _constants.CATEGORY:
        return {"1": r"\d", " ": r"\s", "가": r"\w"}.get(_CLASSES[value], r"\W")
    return (
        re.escape(chr(value)) if op is _constants.LITERAL else f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    )
