"""The words of one language, from words/<language>.yaml: how amounts are written and how sentences are read."""

import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from contracts.patterns import bounded
from contracts.shape import Contract
from understanding.kit.data import read_data

_FOLDER = Path(__file__).parent / "words"
_FALLBACK = "en"
LANGUAGES = ("ko", "en", "ja")


def _compiled(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    return bounded(pattern) if isinstance(pattern, str) else pattern


def _folded(pattern: str) -> re.Pattern[str]:
    """YAML folds lines into spaces; in a list of words they mean nothing."""
    return bounded(re.sub(r"\|\s+", "|", pattern.strip()))


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]
WordList = Annotated[re.Pattern[str], BeforeValidator(_folded)]
NEVER = re.compile(r"(?!)")
LONGEST_TIED = 24
"""Characters of a word that is looked at part by part."""
_WRITTEN_TOGETHER = re.compile(r"[\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u4e00-\u9fff\uac00-\ud7a3ー]+")
"""Scripts in which a word and its endings are one."""


class Money(Contract):
    """`units` are (size, name) from the largest."""

    units: tuple[tuple[int, str], ...]
    unit: str
    between: str


class Details(Contract):
    """Memo and date of a transfer, as they stand behind a question."""

    memo: str
    date: str
    between: str
    around: str


class Sum(Contract):
    """Who got how much, one by one."""

    one: str
    between: str


class Years(Contract):
    """Words for this year and for the last."""

    this: Pattern
    last: Pattern


class Totals(Contract):
    """Words of a question about all that was sent."""

    sums: Pattern
    sent: Pattern
    asking: Pattern
    so_far: Pattern


class CallingOff(Contract):
    """Words of who wants no more what is booked for a later day. `otherwise`: such words that ask, tell or forbid;
    `deed`: a transfer; `points`: at what was done last; `around`: what alone is said of nothing else; `then`: what
    stands before other wishes."""

    verb: Pattern
    otherwise: Pattern
    money: Pattern
    deed: Pattern
    points: Pattern
    every: Pattern
    around: Pattern
    then: Pattern


class Changing(Contract):
    """Words of who wants otherwise what is booked. `behind`, `before`: of a sum or a day, that it is to be so;
    `amount`, `date`, `between`: how what is to be is said in a question."""

    verb: Pattern
    otherwise: Pattern
    behind: Pattern
    before: Pattern
    amount: str
    date: str
    between: str


class Words(Contract):
    """See words/ko.yaml."""

    money: Money
    day: str
    details: Details
    sum: Sum
    honorifics: tuple[str, ...]
    suffixes: tuple[str, ...]
    banks: tuple[str, ...]
    of_bank: tuple[str, ...]
    ordinals: tuple[Pattern, ...]
    same_amount: Pattern
    takes_back: Pattern
    correction: tuple[Pattern, ...]
    sentence: Pattern
    memo: tuple[Pattern, ...]
    purpose: tuple[Pattern, ...]
    no_memo: Pattern
    targets: tuple[Pattern, ...]
    joined: Pattern
    lead: Pattern
    links: Pattern
    each: Pattern
    together: Pattern
    gets: Pattern
    """Between a name and what is for it."""
    tied: Pattern
    kin: Pattern | None = None
    """A name that is what somebody is to the person: nobody else's."""
    before_name: Pattern
    after_name: Pattern
    subject: Pattern
    erases: Mapping[str, Pattern]
    not_offered: Mapping[str, Pattern]
    unsent: Pattern
    """That it is not to be sent: too late for what was."""
    denied: Pattern
    denied_before: Pattern = NEVER
    instead: Pattern
    separator: Pattern
    filler: WordList
    endings: Pattern
    quoted: Pattern
    foreign: Pattern
    other: Pattern
    no_money: Pattern = NEVER
    """That what is sent is none, or goes by a way on which no money goes."""
    recall: tuple[Pattern, ...]
    books: Pattern
    period: Pattern
    months: tuple[str, ...]
    months_back: Pattern
    years: Years
    since: Pattern
    booked: Pattern
    """What is to go out on a later day."""
    calling_off: CallingOff
    changing: Changing
    totals: Totals
    recall_target: Pattern
    nobody: Pattern
    memo_asked: Pattern
    memo_offered: Pattern
    """A question with one of these is whether a memo may be added."""
    memo_wanted: Pattern
    """A whole turn that wants a memo, and does not say what it is."""
    memo_given_up: Pattern
    """Who says such a word, asked what the memo says, wants none, or something else."""
    memo_behind: Pattern
    """Behind that question, such words are an order, and no memo."""
    who: Pattern
    memo_instead: Pattern
    memo_whose: Pattern
    replaces: tuple[Pattern, ...]
    """This (`new`) in the place of that (`not`); of a turn that only says what is to stand there, `new`."""
    written: tuple[Pattern, ...]
    """What is to be written as the memo, without the word for one."""
    quoted_alone: tuple[Pattern, ...]
    """The same, where it has to be known that the turn changes something."""
    targets_behind: Pattern
    """Behind a name to whom something is sent."""
    memo_elsewhere: Pattern
    """What else something may be written into."""
    requests: Pattern
    """Words of a question that is a request."""
    unwritten: Pattern
    """Words by which a memo goes."""
    other_one: Pattern
    both: Pattern
    """Two of one name (@)."""
    both_alone: Pattern
    as_before: Pattern
    halves: Pattern
    sums_up: Pattern
    settles: Pattern
    """The end of a turn that settles on an amount, whatever it tells before."""
    settles_day: Pattern
    """Words that settle on a day, whatever others are told beside it."""
    told: Pattern
    """Where what is told before a request ends."""
    sends: Pattern
    """Words of a request; who tells something before one has none of them."""
    somebody: Pattern
    again: Pattern
    """So much more than was just sent, to whom it was sent."""
    times: tuple[Pattern, ...]
    """Behind an amount: that it is sent twice, three times and so on."""
    as_sent: Pattern
    """Words that point at what somebody (`name`) was sent."""
    tops_up: Pattern
    takes_off: Pattern
    doubles: Pattern
    twice_as_much: Pattern
    half_as_much: Pattern
    than: Pattern
    """`by` so much more, or `less`, than `whom`."""
    notes: Pattern
    """So many (`count`) notes of an amount (`each`)."""
    note_counts: dict[str, int]
    part: tuple[Pattern, ...]
    """One's part of an amount that two, three and so on share."""
    stays: Pattern
    """With the amount that is to be left."""
    rest: Pattern
    """What is left of an amount, for another day."""
    too: Pattern
    """Behind a name: that it has the same."""
    also: Pattern
    next_day: Pattern
    day_before: Pattern
    later: Pattern
    vague_day: Pattern
    """Words of a day that nobody can tell."""
    earlier: Pattern
    at_once: Pattern
    """To be sent now, whatever day is shown."""
    memo_word: Pattern
    memo_for_all: Pattern
    memo_all: Pattern
    """Behind a memo: that it is that of all of them."""
    memo_lead: WordList
    memo_tail: WordList

    def means_nothing(self, word: str) -> bool:
        """Whether a word is no part of what a transfer is: one of `filler`, or one of them with others behind it."""
        if self.filler.fullmatch(word):
            return True
        if len(word) > LONGEST_TIED or not _WRITTEN_TOGETHER.fullmatch(word):
            return False
        ends = {end for end in range(2, len(word)) if self.filler.fullmatch(word, 0, end)}
        for start in range(2, len(word)):
            if start in ends:
                ends |= {end for end in range(start + 1, len(word) + 1) if self.filler.fullmatch(word, start, end)}
        return len(word) in ends


def is_asked(said: str, language: Words) -> bool:
    """Whether a turn asks something, and does not only request it ("could you make it 50,000?")."""
    return said.rstrip().endswith(("?", "？")) and not language.requests.search(said)


@cache
def words(language: str) -> Words:
    """Those of the language; of English where there are none."""
    name = language if language in LANGUAGES else _FALLBACK
    return Words.model_validate(read_data(_FOLDER / f"{name}.yaml"))


def amount_in_words(amount: int, language: str) -> str:
    """Whole won as people write them: in figures, or in ten-thousands in Korean and Japanese where it is so many."""
    money = words(language).money
    if money.units and amount % money.units[-1][0]:
        return f"{amount:,}{money.unit}"
    rest, parts = abs(amount), []
    for size, name in money.units:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count:,}{name}")
    if rest or not parts:
        parts.append(f"{rest:,}")
    return ("-" if amount < 0 else "") + money.between.join(parts) + money.unit


def day_in_words(day: date, language: str) -> str:
    return words(language).day.format(year=day.year, month=day.month, day=day.day)
