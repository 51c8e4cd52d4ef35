"""Questions of a run, and what their answers mean: tool, lock, error and budget. Nobody's answer is the default."""

from datetime import datetime, timedelta
from typing import assert_never

from contracts.decisions import DecisionAnswered, DecisionExpired, DecisionKind, DecisionRequested
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoStatus
from contracts.shape import JsonObject
from services.execution.domain import budget
from services.execution.domain.question import Question
from services.execution.domain.rules import Rules
from services.execution.domain.run import Run, Session
from services.execution.domain.todo import Skip, Stage, Todo


def asked(session: Session, run: Run, event: DecisionRequested, at: datetime) -> None:
    question = Question.of(event)
    question.deadline = run.pause.frozen(question.deadline, at)
    run.questions[event.decision_id] = question
    if question.kind is DecisionKind.BUDGET:
        run.budget_questions += 1
    todo = run.todos.get(question.todo_id)
    if todo is None or todo.status is not None:
        return
    if question.kind is DecisionKind.ERROR:
        run.take_off(todo, Stage.ASKING)
    elif todo.stage is Stage.IN_FLIGHT:
        waited(session, run, todo, Stage.ASKING)


def waited(session: Session, run: Run, todo: Todo, stage: Stage) -> None:
    """The attempt has used nothing up: it waits for something, and another attempt follows."""
    run.take_off(todo, stage)
    run.spent.give_back(todo.item)
    session.spent.give_back(todo.item)


def answered(session: Session, run: Run, event: DecisionAnswered | DecisionExpired, at: datetime, rules: Rules) -> None:
    question = run.questions.pop(event.decision_id, None)
    if question is None:
        return
    expired = isinstance(event, DecisionExpired)
    answer = event.answer if isinstance(event, DecisionAnswered) else question.default or {}
    todo = run.todos.get(question.todo_id)
    match question.kind:
        case DecisionKind.TOOL | DecisionKind.LOCK | DecisionKind.ERROR:
            if todo is not None and todo.stage is Stage.ASKING and question.of_loop:
                run.make_ready(todo)  # a refusal is the result of the call
            elif todo is not None and todo.stage is Stage.ASKING:
                action = str(answer.get("action"))
                if (params := question.arguments(action)) is not None:
                    todo.item = todo.item.model_copy(update={"params": todo.item.params | params})
                    action = "retry"
                _decided(run, todo, question.kind, action, rules, expired=expired)
        case DecisionKind.BUDGET:
            if not expired or answer.get("action") == "continue" or _is_parked(session, run, rules):
                _about_budget(session, run, answer, at, rules)
        case DecisionKind.CLARIFY | DecisionKind.PLAN:
            pass  # not execution's questions
        case _:
            assert_never(question.kind)


def _decided(run: Run, todo: Todo, kind: DecisionKind, action: str, rules: Rules, *, expired: bool) -> None:
    if action in ("approve", "wait", "retry"):
        todo.waits_for_tool = action == "wait"
        run.make_ready(todo)
    elif action == "abort":
        run.aborted = todo.error
        run.end(todo, TodoStatus.FAILED)
    elif kind is DecisionKind.ERROR:
        run.end(todo, TodoStatus.FAILED)
    else:
        code = Code.DECISION_EXPIRED if expired else Code.APPROVAL_MISSING
        todo.error = ErrorInfo(code=code, message=rules.say(run.language, f"skipped.{int(code)}"))
        run.leave_out(todo, Skip("policy" if expired else "person"))


def _is_parked(session: Session, run: Run, rules: Rules) -> bool:
    """Whether the run still waits for more budget: another run's question may have brought it."""
    todo = run.next_todo
    if todo is None:
        return False
    of_run = budget.verdict(rules.of_run(run), run.spent, todo.item)
    of_all = budget.verdict(rules.of_session(session), session.spent, todo.item)
    return run.time_up or max(of_run, of_all) is budget.BudgetVerdict.FULL


def _about_budget(session: Session, run: Run, answer: JsonObject, at: datetime, rules: Rules) -> None:
    action = answer.get("action")
    if action == "continue":
        run.soft_passed = True
    elif action == "raise":
        _raise(session, run, answer.get("budget"), rules)
        run.raises += 1
        run.soft_passed = run.time_up = False
        set_clock(run, at, rules)
    else:
        left = ", ".join(todo.item.title for todo in run.todos.values() if todo.status is None)
        message = rules.say(run.language, "error.4010.left" if left else "error.4010", steps=left)
        run.aborted = ErrorInfo(code=Code.BUDGET_EXHAUSTED, message=message)


def _raise(session: Session, run: Run, wish: object, rules: Rules) -> None:
    given = wish if isinstance(wish, dict) else {}
    item = run.next_todo.item if run.next_todo else None
    run.budget = budget.raised(rules.of_run(run), run.spent, given, item)
    session.budget = budget.raised(rules.of_session(session), session.spent, given, item)


def set_clock(run: Run, at: datetime, rules: Rules) -> None:
    """Wall time is counted from here: the approval, or a raise of the budget."""
    seconds = rules.of_run(run).seconds
    run.clock_due = None if seconds is None else (run.pause.since or at) + timedelta(seconds=seconds)
