"""Puts a question to the person until there is an answer. A budget as it is typed:
tool_calls=10,seconds=60,tokens=20000,money=0.5. Pure."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml
from rich.console import Console
from rich.markup import escape

from dream.client import patch
from dream.client.person import NobodyThere, Person
from dream.client.question import Question, Reply, Unclear, raises_budget, takes_files, understand
from dream.client.tables import parameters, plan_table
from dream.texts import Texts

Todos = Sequence[Mapping[str, Any]]
_RUNNING = {"pause": "steer.words.pause", "cancel": "steer.words.cancel", "go_on": "steer.words.go_on"}
_PAUSED = {"resume": "steer.words.resume", "cancel": "steer.words.cancel", "leave": "steer.words.leave"}
"""What a person may want of a run -> the words for it."""
_PLAN = {name: f"plan.words.{name}" for name in ("approve", "edit", "reject", "stop")}
_OPTIONS = {
    "plan.words.approve": ("approve", "wait"),
    "plan.words.reject": ("reject", "cancel"),
    "plan.words.stop": ("reject", "cancel", "stop", "abort"),
}
"""Words -> the options that they mean, where one of them is offered."""


class DecisionPrompt:
    """Where questions are asked, in the user's language."""

    def __init__(
        self, person: Person, console: Console, texts: Texts, kept: list[str] | None = None, *, strict: bool = False
    ) -> None:
        """`kept` takes what is said although a question waits, where it can be said afterwards. `strict`: a change that
        is refused ends the questions, for what comes next was written for a plan with that change."""
        self._person = person
        self._console = console
        self._texts = texts
        self._kept = kept
        self.strict = strict

    async def ask(self, question: Question, plan: Mapping[str, Any] | None) -> Reply:
        """The answer to a question of any kind. Raises NobodyThere."""
        self._console.print(f"\n[bold yellow]?[/] [bold]{escape(question['question'])}[/]")
        if question["kind"] == "plan":
            return Reply(await self._plan((plan or {}).get("todos") or []))
        if params := parameters((question.get("subject") or {}).get("params") or {}):
            self._console.print(f"  [dim]{escape(params)}[/]", highlight=False)
        for number, option in enumerate(question.get("options") or (), 1):
            self._console.print(f"  [cyan]{number}[/] {escape(option['label'])}")
        if takes_files(question):
            self._say("question.file_hint")
        while True:
            line = await self._line("question.prompt")
            match understand(question, self._option(question, line) or line):
                case Reply() as reply if raises_budget(question, reply):
                    return Reply({**reply.answer, **await self._limits()})
                case Reply() as reply:
                    return reply
                case Unclear(why):
                    self._say(why)
                    if question.get("options"):
                        self._keep(line)

    async def steer(self, *, paused: bool) -> str:
        """What to do with a run that goes on, or is paused: a control, `go_on`, or `leave`."""
        said = _PAUSED if paused else _RUNNING
        while True:
            try:
                line = await self._line("steer.paused" if paused else "steer.running")
            except NobodyThere:
                return "leave"
            if found := self._texts.meant(line, said):
                return found

    async def _limits(self) -> dict[str, Any]:
        """The new limits of a budget; without any the server chooses them."""
        while True:
            try:
                limits = budget_of(await self._line("budget.prompt"))
            except BudgetUnclear as error:
                self._say("budget.unclear", what=error)
                continue
            return {"budget": limits} if limits else {}

    async def _plan(self, todos: Todos) -> dict[str, Any]:
        while True:
            line = await self._line("plan.prompt")
            match self._texts.meant(line, _PLAN):
                case "approve":
                    return {"action": "approve"}
                case "reject":
                    reason = (await self._line("plan.reason")).strip()
                    return {"action": "reject"} | ({"reason": reason} if reason else {})
                case "stop":  # whoever wants to be rid of it is not asked why
                    return {"action": "reject"}
                case "edit" if not todos:
                    self._say("plan.nothing_to_edit")
                case "edit":
                    if changes := await self._edit(todos):
                        return {"action": "edit", "patch": changes}
                case _:
                    self._say("plan.say_one")
                    self._keep(line)

    def _option(self, question: Question, line: str) -> str:
        """The option that a yes, a no or a stop means; a question about the meaning takes every word as it is."""
        offered = {one["value"] for one in question.get("options") or ()}
        if question["kind"] == "clarify" or not (words := self._texts.meant(line, {key: key for key in _OPTIONS})):
            return ""
        return next((value for value in _OPTIONS[words] if value in offered), "")

    def _keep(self, line: str) -> None:
        """What was no answer was perhaps the next thing to say."""
        line = line.strip()
        if self._kept is not None and line and not line.isdecimal():
            self._kept.append(line)
            self._say("chat.kept", text=line)

    async def _edit(self, before: Todos) -> list[patch.Operation]:  # noqa: C901, PLR0912  # one branch for each verb
        """The changes to send; none when the person went back."""
        todos: Todos = list(before)
        self._say("edit.help")
        while True:
            verb, _, rest = (await self._line("edit.prompt")).strip().partition(" ")
            try:
                match verb.casefold():
                    case "remove":
                        if gone := patch.falling(todos, rest.strip()):
                            self._say("edit.falls", what=", ".join(str(one.get("title") or one["id"]) for one in gone))
                        todos = patch.without(todos, rest.strip())
                    case "add":
                        todos = patch.with_step(todos, rest)
                    case "move":
                        todos = patch.moved(todos, rest)
                    case "set":
                        todos = patch.with_parameter(todos, *_parameter(rest))
                    case "editor":
                        todos = _from_yaml(await self._person.edit(_as_yaml(todos), ".yaml"))
                    case "send" if changes := patch.difference(before, todos):
                        return changes
                    case "send":
                        self._say("edit.unchanged")
                        continue
                    case "back":
                        return []
                    case _:
                        self._say("edit.help")
                        continue
                self._console.print(plan_table({"todos": todos}, self._texts))
            except patch.EditRefused as error:
                self._say("edit.refused", what=error)
                if self.strict:
                    raise NobodyThere from error
            except (yaml.YAMLError, OSError) as error:
                self._say("edit.unreadable", what=error)

    async def _line(self, key: str) -> str:
        return await self._person.line(self._texts(key) + " ")

    def _say(self, key: str, **values: object) -> None:
        self._console.print(escape(self._texts(key, **values)), highlight=False)


def _parameter(text: str) -> tuple[str, str, Any]:
    """`t2 grain=month` -> ("t2", "grain", "month"); a value that is JSON is taken as such."""
    todo_id, _, assignment = text.strip().partition(" ")
    name, equals, value = assignment.strip().partition("=")
    if not equals or not name:
        raise patch.EditRefused(text)
    return todo_id, name.strip(), patch.value_of(value.strip())


def _as_yaml(todos: Todos) -> str:
    dump: Callable[..., str] = yaml.safe_dump
    return dump([dict(todo) for todo in todos], allow_unicode=True, sort_keys=False)


def _from_yaml(text: str) -> Todos:
    """YAML, and so JSON too."""
    todos = yaml.safe_load(text)
    if not isinstance(todos, list) or not all(isinstance(todo, dict) and todo.get("id") for todo in todos):
        raise patch.EditRefused(str(todos)[:80])
    # YAML reads 2024-01-31 as a date; parameters are JSON
    plain: Todos = json.loads(json.dumps(todos, default=str))
    return plain


KINDS: Mapping[str, Callable[[str], float]] = {"tokens": int, "money": float, "tool_calls": int, "seconds": float}


class BudgetUnclear(ValueError):
    """That is no budget; the message carries the part that is wrong."""


def budget_of(text: str) -> dict[str, float]:
    """The limits by name; none when nothing was typed. Raises BudgetUnclear."""
    limits: dict[str, float] = {}
    for part in text.replace(",", " ").split():
        name, _, value = part.partition("=")
        try:
            limits[name] = KINDS[name](value)
        except (KeyError, ValueError):
            raise BudgetUnclear(part) from None
        if not math.isfinite(limits[name]) or limits[name] < 0:
            raise BudgetUnclear(part)
    return limits
