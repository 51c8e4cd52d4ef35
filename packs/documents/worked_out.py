"""Which reckoning is told, with how likely it is what was meant, and how it is shown."""

import datetime as dt
import math
import re
from collections.abc import Sequence

from packs.documents.amounts import DATE, HOUR, MINUTE, Amount, around_figure, units
from packs.documents.answering import Answer, learned
from packs.documents.evidence import Meanings
from packs.documents.reckoning import SPEAKS_OF, Reckoning, is_plainly_asked, reckonings

TOLD, UNASKED, TIMES_TOLD, SURE = 0.1, 0.35, 0.05, 0.75
"""How likely a reckoning is that is told at all: where one is asked for, and where none plainly is; what a text itself
counts from one time to another; and the last day of what it says to run for so long."""
SHOWN, BEHIND = 3, 2.0
"""How many are told of what is plainly asked for, and how far their scores may be behind the first."""
RATES = ("rate", "among", "change")
PER_CENT = {
    "share": "{0} × {1}", "percent": "{0} {sign} {1}",
    "rate": "{0} ÷ {1}", "among": "{0} ÷ ({0} + {1})", "change": "({high} − {low}) ÷ {1}",
}  # fmt: skip
_LOOSE = " ,;:/|、。・"
"""What a clause may begin or end with that belongs to its neighbours."""
_NAMED_UNIT = re.compile(r"[(（]\s?([^\d()（）:/,]{1,12})[)）]\s*$")
"""What the figures of a column are counted in, as its head says it."""
_FIGURES = re.compile(r"\d[\d,.]*")
_BETWEEN = re.compile(r" [−+×] ")
LONGEST, MOST_SHOWN = 48, 6
"""Letters of what a figure is of, and figures of a sum, that are shown."""


def reckoned(text: str, answer: Answer, meanings: Meanings) -> list[tuple[Reckoning, float]]:
    """The best reckonings, each of another value, with how likely the first is what is meant; none that is not likely
    enough to be told."""
    found = reckonings(text, answer.best, meanings)
    if not found or not meanings([text]):
        return []
    ranked = sorted(((_weighed(one), -at, one) for at, one in enumerate(found)), reverse=True)
    first = ranked[0][2]
    scores = [score for score, _, _ in ranked]
    weights = learned()["reckoned"]
    known = judged(first, scores, answer.odds)
    odds = weights["bias"] + math.fsum(weights[name] * value for name, value in known.items())
    chance = 1 / (1 + math.exp(-odds))
    if first.is_a_term:
        chance = max(chance, SURE)
    plain = is_plainly_asked(text)
    if chance < _least(first, plain=plain):
        return []
    values = {round(one.value, 2): one for _, _, one in reversed(ranked)}
    near = [one for score, _, one in ranked if score >= scores[0] - BEHIND]
    kept = [one for one in near if values[round(one.value, 2)] is one]
    return [(one, chance) for one in kept[: SHOWN if plain else 1]]


def _least(one: Reckoning, *, plain: bool) -> float:
    """How likely it has to be to be told; a percentage is that of whom or what the question names (tying.py)."""
    if one.kind in ("moment", "lasting"):
        return TIMES_TOLD
    return TOLD if plain or one.kind in ("percent", "share") else UNASKED


def judged(first: Reckoning, scores: Sequence[float], odds: float) -> dict[str, float]:
    """What the best reckoning is judged by: what speaks for it, how likely it is the best, if a passage answers."""
    whole = math.fsum(math.exp(score - scores[0]) for score in scores)
    return dict(zip(SPEAKS_OF, first.evidence, strict=True)) | {
        "likely": 1 / whole,
        "score": scores[0] / 10,
        "answers": min(max(odds, -6.0), 2.0) / 4,
    }


def _weighed(one: Reckoning) -> float:
    weights = learned()["reckoning"]
    return math.fsum(weights[name] * value for name, value in zip(SPEAKS_OF, one.evidence, strict=True))


def named_by(amount: Amount) -> str:
    """What a figure is of, to be shown."""
    whole = " ".join(amount.passage.text.split())
    label = " ".join(amount.clause.split()).strip(_LOOSE).lstrip(")]）」")
    apart = ")" in label and "(" not in label
    if (apart or len(_FIGURES.findall(whole)) == 1) and not amount.column and len(whole) <= LONGEST:
        return whole.strip(_LOOSE)
    if apart:
        label = label.rstrip(")").rstrip(_LOOSE)
    return label if len(label) <= LONGEST else f"{label[:LONGEST]}…"


def formula(one: Reckoning) -> str:
    """In figures as they are written; what is a length of time without the answer, which has words."""
    texts = [term.text for term in one.terms[:MOST_SHOWN]]
    if one.kind in ("lasting", "days"):
        return " → ".join(term.text for term in sorted(one.terms, key=lambda term: term.value))
    if one.kind == "moment":
        return f"{texts[0]} {'−' if one.times[1] < 0 else '+'} {texts[1]} {'→' if one.is_a_term else '='} {moment(one)}"
    if one.kind == "product":
        terms = " × ".join([*(f"{number:g}" for number in one.times), *texts])
        return terms if minutes_of(one) else f"{terms} = {_shown(one)}"
    if one.kind == "each":
        by = f"{one.times[0]:g}" if one.times else texts[1]
        return f"{texts[0]} ÷ {by} = {_shown(one)}"
    if one.kind in PER_CENT:
        low, high = (term.text for term in sorted(one.terms, key=lambda term: term.value))
        sign = "−" if one.value < one.terms[0].value else "+"
        value = f"{one.value:,.1f}%" if one.unit == "%" else _shown(one)
        return f"{PER_CENT[one.kind].format(*texts, low=low, high=high, sign=sign)} = {value}"
    times = one.times or (1.0,) * len(texts)
    texts = [text if number == 1 else f"{number:g} × {text}" for text, number in zip(texts, times, strict=False)]
    rest = " + …" if len(one.terms) > MOST_SHOWN else ""
    terms = f"{(' − ' if one.kind == 'left' else ' + ').join(texts)}{rest}"
    return terms if minutes_of(one) else f"{terms} = {_shown(one)}"


def moment(one: Reckoning) -> str:
    """A day or a clock time, written as the one that it is counted from."""
    written = one.terms[0].text
    if one.unit != DATE:
        hour, minute = divmod(int(one.value), 60)
        return f"{hour % 24}:{minute:02}"
    day = dt.date.fromordinal(int(one.value))
    year = one.value == int(one.value)  # else it is of any year
    sign = next((sign for sign in "월月" if sign in written), "")
    if sign:
        signs = {"월": ("년 ", "월 ", "일"), "月": ("年", "月", "日")}[sign]
        return f"{f'{day.year}{signs[0]}' * year}{day.month}{signs[1]}{day.day}{signs[2]}"
    if any(map(str.isalpha, written)):
        return f"{day.day} {day:%B}{f' {day.year}' * year}"
    return f"{f'{day.year}-' * year}{day:%m-%d}"


def minutes_of(one: Reckoning) -> float | None:
    """How long a time it is; None of what is none, or has a unit of its own for it."""
    if one.kind == "lasting":
        return one.value
    if one.kind not in ("total", "left", "product") or one.unit not in (HOUR, MINUTE):
        return None
    length: float = units()["lasting"][one.unit]
    return one.value * length


def _shown(one: Reckoning) -> str:
    """The value with the unit of its first figure, as that has it."""
    first = next((term for term in one.terms if term.unit == one.unit), one.terms[0])
    parts = _BETWEEN.split(first.text.strip("()"))
    front, unit = around_figure(
        next((part for part in reversed(parts) if one.unit == "%" or not part.endswith("%")), "")
    )
    if not front and not unit and (named := _NAMED_UNIT.search(first.column)):
        unit = f"{' ' * named[1].isascii()}{named[1].strip()}"
    value = f"{one.value:,.2f}" if abs(one.value - round(one.value)) > 0.001 else f"{one.value:,.0f}"
    if not first.is_money and "." in value:
        value = value.rstrip("0")
    return f"{front}{' ' * front.isalpha()}{value}{unit}"
