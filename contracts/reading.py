"""What a pack's code promises when it reads sentences: slots of a clause, their validation, what has to be looked up.

All but Resolver are pure: no I/O, no clock; the same values always give the same answer."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol

from contracts.cognitive import Entity
from contracts.shape import JsonObject, JsonValue
from contracts.tables import PackDatabase

DENIED = "-"
"""In a task of a reader, the values that the sentence takes back ("not Mom": {"-": {"target": …}}); no slot's name."""
ERASED = "~"
"""In a task of a reader, the slots that the sentence empties ("without the memo": {"~": ["memo"]}); no slot's name."""
CORRECTS = "!"
"""In a task of a reader, true where its values stand instead of what is open, whatever its words; no slot's name."""
LACKS = "?"
"""In a task of a reader, the slots that are said only in part: they are asked for, and the reader gets what it has of
them with the answer ("remember the code of the door"); no slot's name."""


class Clause(NamedTuple):
    """A part of a sentence that is about one intent, with what was found in it.

    `entities` are of the types money (value: whole units, may be negative or 0), date (YYYY-MM-DD), time (HH:MM),
    span (minutes), recurrence (an RRULE), number; spans are those of `text`. `now` is in the person's time zone.
    `expecting` are the slots that were asked for, `slots` what is known already, `before` the slots of the clause
    before it, and as `day` the last date that clauses before it say; `done` the slots of the task that the flow
    carried out last ("the same amount"), `refused` the values that were asked about again ("which Minsu?"),
    `known` what values of slots are called by for this person, as the flow's Vocabulary says. `spans` are names
    that no list has, by slot, found as the `spans` of labelled sentences teach ({"title": "Yellow"}). `last` is
    what the session did last, if it was of the same pack: the slots of that task, which the clause may go on
    about ("make it five"). `periods` are date_range entities {start, end} of days that data may be of ("2024년
    4분기", "last year"), for intents that read tables. `lenient`: the turn as a whole is known to be about the open
    task, so unknown words may stand beside values it is sure of."""

    text: str
    language: str
    now: datetime
    entities: tuple[Entity, ...] = ()
    expecting: tuple[str, ...] = ()
    slots: Mapping[str, JsonValue] = {}
    before: Mapping[str, JsonValue] = {}
    done: Mapping[str, JsonValue] = {}
    refused: Mapping[str, JsonValue] = {}
    known: Mapping[str, Sequence[str]] = {}
    periods: tuple[Entity, ...] = ()
    spans: Mapping[str, str] = {}
    last: Mapping[str, JsonValue] = {}
    lenient: bool = False


class Reader(Protocol):
    """Slots per task that the clause says: more than one for "to A ten, to B twenty"; none when it says nothing. What
    it takes back ("Dad, not Mom") is under DENIED, what it empties under ERASED."""

    def __call__(self, clause: Clause) -> Sequence[JsonObject]: ...


class SlotRefused(Exception):
    """A value cannot be. `key` is a text of the pack, `values` fill it."""

    def __init__(self, key: str, **values: JsonValue) -> None:
        super().__init__(key)
        self.key = key
        self.values = values


class NothingToDo(SlotRefused):
    """Whatever else is said, there is nothing that the flow could be for: it is answered so, and does not begin."""


class Checking(NamedTuple):
    """What a validator may look at: the other slots of the task, what the resolver found, the person's day, and the
    tasks that were carried out since the resolver looked (what is left for today has become less by them); `given` are
    the values that were said with this one."""

    slots: Mapping[str, JsonValue]
    facts: JsonObject
    today: date
    done: Sequence[Mapping[str, JsonValue]] = ()
    given: Mapping[str, JsonValue] = {}


class Validator(Protocol):
    """The value as it is kept. Raises SlotRefused. A kept value is judged again when the person confirms, and must pass
    as it is."""

    def __call__(self, value: JsonValue, checking: Checking) -> JsonValue: ...


class Resolver(Protocol):
    """Facts about the tasks' slots, looked up before the flow decides ({"payees": {...}}). `config` has the settings of
    the pack, as tools have them: {"DAILY_LIMIT": "…"}."""

    async def __call__(
        self, tasks: Sequence[JsonObject], user: str, database: PackDatabase, *, today: date, config: Mapping[str, str]
    ) -> JsonObject: ...


class Vocabulary(Protocol):
    """What values of slots are called by for a person ({"target": ["Mom", "Mother", …]}), in every language: looked up
    before a turn is read, so that a name is found wherever it stands in a sentence."""

    async def __call__(self, user: str, database: PackDatabase) -> Mapping[str, Sequence[str]]: ...


class Speaker(Protocol):
    """Placeholders of the flow's texts from slots: {"target": …, "amount": "3만원"} in the language."""

    def __call__(self, slots: Mapping[str, JsonValue], language: str) -> Mapping[str, str]: ...


class Recall(Protocol):
    """Answers a question about executed tasks (their slots, oldest first), or about those that wait for the person's
    word: a text key of the pack and its values."""

    def __call__(
        self, text: str, executed: Sequence[JsonObject], language: str, waiting: Sequence[JsonObject] = ()
    ) -> tuple[str, Mapping[str, str]]: ...
