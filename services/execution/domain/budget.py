"""What a run may use up: reserved before a dispatch, counted after it. The same rule for a run and for its session."""

from dataclasses import dataclass
from enum import Enum, auto

from contracts.budgets import Budget
from contracts.planning import TodoItem
from contracts.shape import JsonObject

TINY = 1e-9
"""Sums of money are floats: 0.1 + 0.2 is within 0.3."""


@dataclass(slots=True)
class Spent:
    """Used so far, what is reserved for todos in flight included."""

    tokens: int = 0
    money: float = 0.0
    tool_calls: int = 0

    def reserve(self, item: TodoItem) -> None:
        self.tokens += item.tokens
        self.money += item.money
        self.tool_calls += 1

    def settle(self, item: TodoItem, tokens: int, money: float) -> None:
        """What it really took, when that is known to differ from the forecast."""
        self.tokens += max(tokens - item.tokens, 0)
        self.money += max(money - item.money, 0.0)


class Room(Enum):
    """What the budget says about one more todo."""

    FREE = auto()
    SOFT = auto()
    """It fits, beyond the point at which the person wants to be asked."""
    FULL = auto()


def room(budget: Budget | None, spent: Spent, item: TodoItem) -> Room:
    """Whether the todo fits: what is used and reserved, with its own forecast."""
    if budget is None:
        return Room.FREE
    after = (
        (budget.tokens, spent.tokens + item.tokens),
        (budget.money, spent.money + item.money),
        (budget.tool_calls, spent.tool_calls + 1),
    )
    limits = [(limit, used) for limit, used in after if limit is not None]
    if any(used > limit + TINY for limit, used in limits):
        return Room.FULL
    return Room.SOFT if any(used > limit * budget.soft + TINY for limit, used in limits) else Room.FREE


def is_limited(budget: Budget) -> bool:
    return any(limit is not None for limit in (budget.tokens, budget.money, budget.tool_calls, budget.seconds))


def smallest(*rooms: Room) -> Room:
    """The tightest of them."""
    return max(rooms, key=lambda one: one.value)


def raised(budget: Budget, spent: Spent, wish: JsonObject) -> Budget:
    """The limits that the person gave; without any, each limit doubled. Never below what is used already."""
    given = {name: wish[name] for name in ("tokens", "money", "tool_calls", "seconds") if _number(wish.get(name))}
    if given:
        return Budget.model_validate(budget.model_dump() | given)
    doubled = {
        name: 2 * max(limit, used)
        for name, limit, used in (
            ("tokens", budget.tokens, spent.tokens),
            ("money", budget.money, spent.money),
            ("tool_calls", budget.tool_calls, spent.tool_calls),
            ("seconds", budget.seconds, 0),
        )
        if limit is not None
    }
    return budget.model_copy(update=doubled)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def describe(budget: Budget, spent: Spent) -> JsonObject:
    """The figures of a budget question: limit and use of everything that is limited."""
    used = {"tokens": spent.tokens, "money": round(spent.money, 6), "tool_calls": spent.tool_calls}
    limits = budget.model_dump(include={"tokens", "money", "tool_calls", "seconds"}, exclude_none=True)
    return {"limits": limits, "used": {name: value for name, value in used.items() if name in limits}}
