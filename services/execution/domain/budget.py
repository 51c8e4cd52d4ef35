"""What a run may use up: reserved before a dispatch, counted after it. The same rule for a run and for its session."""

from dataclasses import dataclass, replace
from enum import IntEnum, auto
from math import inf

from contracts.gateway import Budget
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

    def give_back(self, item: TodoItem) -> None:
        """The attempt has only waited: for its tool, or for a person."""
        self.tokens -= item.tokens
        self.money -= item.money
        self.tool_calls -= 1

    def settle(self, item: TodoItem, tokens: int, money: float) -> None:
        """What it really took takes the place of the forecast; a tool that says nothing has taken what was forecast."""
        self.tokens += tokens - item.tokens if tokens else 0
        self.money += money - item.money if money else 0.0


class BudgetVerdict(IntEnum):
    """What the budget says about one more todo."""

    FREE = auto()
    SOFT = auto()
    """It fits, beyond the point at which the person wants to be asked."""
    FULL = auto()


def verdict(budget: Budget | None, spent: Spent, item: TodoItem) -> BudgetVerdict:
    """Whether the todo fits: what is used and reserved, with its own forecast."""
    if budget is None:
        return BudgetVerdict.FREE
    after = (
        (budget.tokens, spent.tokens + item.tokens),
        (budget.money, spent.money + item.money),
        (budget.tool_calls, spent.tool_calls + 1),
    )
    found = BudgetVerdict.FREE
    for limit, used in after:
        if limit is None:
            continue
        if used > limit + TINY:
            return BudgetVerdict.FULL
        if used > limit * budget.soft + TINY:
            found = BudgetVerdict.SOFT
    return found


def is_limited(budget: Budget) -> bool:
    return bool(_limits(budget))


def raised(budget: Budget, spent: Spent, wish: JsonObject, next_item: TodoItem | None) -> Budget:
    """The limits that the person gave; without any, each limit doubled, or more if the next todo would not fit.

    No limit gets lower, and what was unlimited stays so: it is about raising."""
    limits = _limits(budget)
    given = {name: float(wish[name]) for name in limits if _is_number(wish.get(name))}  # type: ignore[arg-type]  # it is one
    if not given:
        fits = replace(spent)
        if next_item is not None:
            fits.reserve(next_item)
        least = {"tokens": fits.tokens, "money": fits.money, "tool_calls": fits.tool_calls}
        used = {"tokens": spent.tokens, "money": spent.money, "tool_calls": spent.tool_calls}
        given = {name: max(2 * max(limit, used.get(name, 0)), least.get(name, 0)) for name, limit in limits.items()}
    higher = {name: max(limit, given.get(name, limit)) for name, limit in limits.items()}
    whole = {name: int(limit) if name in ("tokens", "tool_calls") else limit for name, limit in higher.items()}
    return budget.model_copy(update=whole)


def _limits(budget: Budget) -> dict[str, float]:
    return budget.model_dump(include={"tokens", "money", "tool_calls", "seconds"}, exclude_none=True)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < inf


def describe(budget: Budget, spent: Spent) -> JsonObject:
    """The figures of a budget question: limit and use of everything that is limited."""
    used = {"tokens": spent.tokens, "money": round(spent.money, 6), "tool_calls": spent.tool_calls}
    limits = _limits(budget)
    return {"limits": {**limits}, "used": {name: value for name, value in used.items() if name in limits}}
