"""Questions that a run waits for, and the ones that execution itself asks: tool, lock, error and budget. Values as they
may stand in a sentence that a person answers: all of them seen, none of them steering what is."""

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID, uuid5

from backbone.arguments import arguments_hash
from backbone.ledger.port import Timer
from contracts.agents import ToolCall
from contracts.decisions import DecisionExpired, DecisionKind, DecisionOption, DecisionRequested
from contracts.gateway import Budget
from contracts.planning import TodoItem
from contracts.shape import JsonObject
from services.execution.domain.budget import Spent, describe
from services.execution.domain.loop import CALL_ID

USE = "use:"
"""An answer to a question about an error: once more, with the first, second … of the arguments that may mend it."""


class Words(Protocol):
    """Texts of the platform in a person's language."""

    def __call__(self, language: str, key: str, **values: object) -> str: ...


@dataclass(slots=True)
class Question:
    """An open decision of a run. `deadline` moves on while the run is paused."""

    kind: DecisionKind
    deadline: datetime
    default: JsonObject | None
    todo_id: str = ""
    of_loop: bool = False
    """It is about a call of an agent loop, which goes on whatever the answer is."""
    mends: tuple[JsonObject, ...] = ()
    """Of an error: arguments that are taken on with the answer "use:1" and so on."""

    def arguments(self, action: str) -> JsonObject | None:
        """Those that the answer takes on; None for another answer."""
        number = action.removeprefix(USE)
        if not action.startswith(USE) or not number.isdigit() or not 0 < int(number) <= len(self.mends):
            return None
        params = self.mends[int(number) - 1].get("params")
        return params if isinstance(params, dict) else None

    @classmethod
    def of(cls, asked: DecisionRequested) -> "Question":
        about = asked.subject
        said = about.get("mends")
        mends = tuple(one for one in said if isinstance(one, dict)) if isinstance(said, list) else ()
        return cls(asked.kind, asked.deadline, asked.default, str(about.get("todo_id", "")), CALL_ID in about, mends)


def deadline(run_id: UUID, asked: DecisionRequested) -> Timer:
    """The timer of a question: it has the decision's id, so that an answer takes it back."""
    expired = DecisionExpired(decision_id=asked.decision_id, kind=asked.kind, default=asked.default)
    return Timer(asked.decision_id, run_id, asked.deadline, expired)


@dataclass(frozen=True, slots=True)
class DecisionRequests:
    """Asks the person of one run. Ids follow from what is asked about, so that the same question is asked once."""

    run_id: UUID
    language: str
    say: Words
    deadline: datetime

    def after_error(
        self, item: TodoItem, attempt: int, reason: str, mends: Sequence[JsonObject] = ()
    ) -> DecisionRequested:
        """Retry, skip or abort (source design 004 section 8.2); nobody's answer skips. Where other arguments may mend
        it they stand in the place of a retry, which would end as before."""
        use = tuple(f"{USE}{number}" for number in range(1, len(mends) + 1))
        about: JsonObject = {"todo_id": item.id, "attempt": attempt, "tool": item.tool}
        return self._ask(
            DecisionKind.ERROR,
            f"error:{item.id}:{attempt}",
            (*(use or ("retry",)), "skip", "abort"),
            self.say(self.language, "decision.error", title=visible(item.title, TITLE_LIMIT), reason=reason),
            about | ({"mends": list(mends)} if mends else {}),
            default="skip",
            labels={one: visible(str(mend["label"]), TITLE_LIMIT) for one, mend in zip(use, mends, strict=True)},
        )

    def about_tool(
        self, item: TodoItem, attempt: int, title: str, arguments_hash: str, interrupt_id: str = "", round_: int = 1
    ) -> DecisionRequested:
        """May this tool run with exactly these arguments, in this round? Nobody's answer is no: there is no default.
        `title` is the tool's own: what an editor of the plan has called the todo says nothing about what it does."""
        return self._ask(
            DecisionKind.TOOL,
            f"tool:{item.id}:{attempt}:{arguments_hash}",
            ("approve", "reject"),
            self._call(title, item.tool, item.params),
            {
                "todo_id": item.id,
                "attempt": attempt,
                "tool": item.tool,
                "params": item.params,
                "arguments_hash": arguments_hash,
                "round": round_,
                "interrupt_id": interrupt_id,
            },
            more={"reason": {"type": "string", "maxLength": 2000}},
        )

    def about_call(self, item: TodoItem, attempt: int, call: ToolCall, title: str) -> DecisionRequested:
        """May an agent make exactly this call? Nobody's answer is no; the agent is told, and goes on without it."""
        exactly = arguments_hash(call.arguments)
        return self._ask(
            DecisionKind.TOOL,
            f"call:{item.id}:{attempt}:{call.tool}:{exactly}",
            ("approve", "reject"),
            self._call(title, call.tool, call.arguments),
            {
                "todo_id": item.id,
                "attempt": attempt,
                "tool": call.tool,
                "params": call.arguments,
                "arguments_hash": exactly,
                CALL_ID: call.call_id,
            },
            more={"reason": {"type": "string", "maxLength": 2000}},
        )

    def _call(self, title: str, tool: str, arguments: JsonObject) -> str:
        """The question with everything that the answer will be about, in so many characters."""

        def more(count: int) -> str:
            return self.say(self.language, "decision.tool.more", count=count)

        said = as_call(tool, arguments, more)
        return self.say(self.language, "decision.tool", title=visible(title, TITLE_LIMIT), call=said)

    def about_lock(
        self,
        item: TodoItem,
        attempt: int,
        groups: tuple[str, ...],
        called: tuple[str, ...] = (),
        interrupt_id: str = "",
    ) -> DecisionRequested:
        """The tool is busy: wait in line, or leave it? Nobody's answer leaves it. `called`: what people call the
        groups."""
        return self._ask(
            DecisionKind.LOCK,
            f"lock:{item.id}:{attempt}",
            ("wait", "cancel"),
            self.say(
                self.language,
                "decision.lock",
                title=visible(item.title, TITLE_LIMIT),
                group=", ".join(called or groups),
            ),
            {
                "todo_id": item.id,
                "attempt": attempt,
                "tool": item.tool,
                "groups": list(groups),
                "interrupt_id": interrupt_id,
            },
            default="cancel",
        )

    def about_budget(self, number: int, budget: Budget, spent: Spent, *, hard: bool) -> DecisionRequested:
        """Raise the limits, or stop with what is there; at a soft limit the run may also go on to the hard one, and
        does so if nobody answers. `number` counts the run's questions about its budget."""
        figures = describe(budget, spent)
        return self._ask(
            DecisionKind.BUDGET,
            f"budget:{number}",
            ("raise", "stop") if hard else ("continue", "raise", "stop"),
            self.say(self.language, "decision.budget" if hard else "decision.budget.soft", figures=self._told(figures)),
            {"hard": hard, **figures},
            default="stop" if hard else "continue",
            more={"budget": _BUDGET_SCHEMA},
        )

    def _told(self, figures: JsonObject) -> str:
        limits, used = figures["limits"], figures["used"]
        if not isinstance(limits, dict) or not isinstance(used, dict):
            raise TypeError("figures of a budget are two objects")
        return ", ".join(
            self.say(self.language, f"budget.{name}", used=f"{used.get(name, 0):,}", limit=f"{limit:,}")
            for name, limit in limits.items()
        )

    def _ask(  # noqa: PLR0913  # the parts of a question
        self,
        kind: DecisionKind,
        about: str,
        actions: tuple[str, ...],
        question: str,
        subject: JsonObject,
        *,
        default: str = "",
        more: JsonObject | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> DecisionRequested:
        """`labels`: of actions that have no text of the platform's."""
        told = [
            labels[one] if labels and one in labels else self.say(self.language, f"decision.{kind}.{one}")
            for one in actions
        ]
        return DecisionRequested(
            decision_id=uuid5(self.run_id, about),
            kind=kind,
            question=question,
            language=self.language,
            options=tuple(DecisionOption(value=a, label=label) for a, label in zip(actions, told, strict=True)),
            answer_schema={
                "type": "object",
                "additionalProperties": False,
                "required": ["action"],
                "properties": {"action": {"enum": list(actions)}, **(more or {})},
            },
            deadline=self.deadline,
            default={"action": default} if default else None,
            subject=subject,
        )


_BUDGET_SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "tokens": {"type": "integer", "minimum": 0},
        "money": {"type": "number", "minimum": 0},
        "tool_calls": {"type": "integer", "minimum": 0},
        "seconds": {"type": "number", "minimum": 0},
    },
}


TITLE_LIMIT = 120
VALUE_LIMIT = 120
NAME_LIMIT = 60
ARGUMENTS = 20
"""How many arguments are written out; each at most NAME_LIMIT and VALUE_LIMIT characters."""
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK = frozenset(map(chr, (0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0)))
"""Letters by category, and nothing to be seen."""
_MARKS = frozenset({"Mn", "Me"})
_MARKS_IN_A_ROW = 3
"""More of them on one letter paint over the lines around it."""


def visible(text: str, limit: int) -> str:
    """On one line, in the order it is written in, without what nobody sees; cut at `limit` with the number of
    characters that there are."""
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text[: 4 * limit]):
        category = unicodedata.category(character)
        marks = marks + 1 if category in _MARKS else 0
        if character.isspace():
            if kept and kept[-1] != " ":
                kept.append(" ")
        elif category not in _UNSEEN and character not in _BLANK and marks <= _MARKS_IN_A_ROW:
            kept.append(character)
    shown = "".join(kept).strip()
    if len(shown) <= limit and len(text) <= 4 * limit:
        return shown
    return f"{shown[:limit]}… ({len(text):,})"


def as_call(tool: str, arguments: JsonObject, more: Callable[[int], str]) -> str:
    """`tool: name = value, …`; text stands in quotes, so that none of it passes for another argument. `more` says how
    many were left out."""
    if not arguments:
        return tool
    said = [f"{visible(name, NAME_LIMIT)} = {_value(value)}" for name, value in list(arguments.items())[:ARGUMENTS]]
    if len(arguments) > ARGUMENTS:
        said.append(more(len(arguments) - ARGUMENTS))
    return f"{tool}: {', '.join(said)}"


def _value(value: object) -> str:
    if isinstance(value, str):
        shown = visible(value, VALUE_LIMIT)
        return json.dumps(shown, ensure_ascii=False)
    return visible(json.dumps(value, ensure_ascii=False), VALUE_LIMIT)
