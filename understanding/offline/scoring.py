"""Whether a sentence was understood as it should be: what is expected of one, and what makes it right."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from pydantic import AwareDatetime, Field, model_validator

from contracts.cognitive import Task
from contracts.shape import Contract, JsonObject, Language
from understanding.result import Understanding


class Expected(Contract):
    """One task that a sentence stands for. `intent` may name a subcategory that has a tool of its own
    ("ASSISTANT.calendar.todo"); where it does not, any of the category is right."""

    intent: str = Field(min_length=1)
    slots: JsonObject = Field(default_factory=dict)


class Line(Contract):
    """A sentence and its tasks; none: a question is the right answer. `now` is what relative dates count from."""

    lang: Language
    text: str = Field(min_length=1)
    intent: str | None = None
    slots: JsonObject = Field(default_factory=dict)
    tasks: tuple[Expected, ...] = ()
    now: AwareDatetime | None = None

    @model_validator(mode="after")
    def _says_what_is_right(self) -> "Line":
        if not self.tasks and "intent" not in self.model_fields_set:
            raise ValueError("neither intent nor tasks: say intent null where a question is right")
        if self.tasks and self.intent is not None:
            raise ValueError("both intent and tasks: one of them")
        return self

    @property
    def expected(self) -> tuple[Expected, ...]:
        """None of them: a question."""
        return self.tasks or ((Expected(intent=self.intent, slots=self.slots),) if self.intent else ())


@dataclass(frozen=True, slots=True)
class Heard:
    """What was made of a sentence. `asks`: it leads to a question that is not merely for a file; `unclear`: and that is
    because nobody knows what it means; `declined`: it is told that no pack does it; `names`: slots that hold names."""

    tasks: tuple[Expected, ...]
    asks: bool
    unclear: bool
    declined: bool = False
    names: frozenset[str] = frozenset()

    @property
    def shown(self) -> tuple[Expected, ...]:
        """The tasks; none where a question comes instead."""
        return () if self.asks and self.unclear else self.tasks


def heard(found: Understanding, *, asks: bool, names: frozenset[str] = frozenset()) -> Heard:
    """What an understanding says, to be judged. `names`: the slots that are tolerant of spelling."""
    tasks = tuple(Expected(intent=_whole(one), slots=one.slots) for one in found.tasks)
    return Heard(tasks or (Expected(intent=found.intent.name),), asks, bool(found.ambiguities), found.declined, names)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is right in a sentence: that it is asked about, or its intents in their order, and each slot by name."""

    asked: bool | None = None
    intents: bool | None = None
    slots: tuple[tuple[str, bool], ...] = ()

    @property
    def right(self) -> bool:
        return self.asked is not False and self.intents is not False and all(exact for _, exact in self.slots)


def judge(expected: Sequence[Expected], given: Heard) -> Judgement:
    """A question is right where nothing is expected: the answer to what no pack does ends with one. A task of another
    intent has none of the expected slots."""
    if not expected:
        return Judgement(asked=given.asks or given.declined)
    same = not given.unclear and len(given.tasks) == len(expected) and all(map(_is_of, given.tasks, expected))
    slots = tuple(
        (name, _same(name in given.names, _said(mine, name) if _is_of(mine, one) else None, value))
        for mine, one in zip_longest(given.tasks[: len(expected)], expected, fillvalue=_NO_TASK)
        for name, value in one.slots.items()
    )
    return Judgement(intents=same, slots=slots)


def _whole(task: Task) -> str:
    return ".".join(filter(None, (task.intent, task.subcategory)))


def _said(mine: Expected, name: str) -> Any:
    """The value of a slot; of what is to be moved the day and the time that it shall have are those that are said."""
    return mine.slots.get(name, mine.slots.get(f"new_{name}"))


def _is_of(mine: Expected, expected: Expected) -> bool:
    """Of the same intent; a subcategory counts where it is expected."""
    return mine.intent == expected.intent or ".".join(mine.intent.split(".")[:2]) == expected.intent


def normal(value: Any) -> Any:
    """The value for comparison: letters in one case and one width."""
    return unicodedata.normalize("NFKC", value).strip().casefold() if isinstance(value, str) else value


def _same(is_name: bool, given: Any, expected: Any) -> bool:  # noqa: FBT001  # a fact of the slot, no switch
    """A name is the same with and without the Korean ending that names are called with, and the title of respect: the
    book of payees takes both for one."""
    if is_name and isinstance(given, str) and isinstance(expected, str):
        return _CALLED.sub("", str(normal(given))) == _CALLED.sub("", str(normal(expected)))
    return bool(normal(given) == normal(expected))


_CALLED = re.compile(r"(?<=[\uac00-\ud7a3]{2})\uc774$|\s?\ub2d8$")
_NO_TASK = Expected(intent="-")
