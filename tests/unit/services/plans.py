"""Small plans, and the events around them."""

from collections.abc import Sequence
from typing import Any

from contracts.artifacts import Attachment
from contracts.errors import Code, ErrorInfo
from contracts.execution import TodoFailed, TodoSucceeded
from contracts.gateway import MessageReceived
from contracts.planning import Estimate, Plan, PlanApproved, PlanningOutput, TodoItem
from tests.unit.services.given import NOW, named

SAID = MessageReceived(text="리뷰 분석해줘")


def todo(todo_id: str, *after: str, **fields: Any) -> TodoItem:
    return TodoItem(
        **{
            "id": todo_id,
            "title": todo_id,
            "tool": "test.work",
            "executor": "data",
            "depends_on": after,
            "on_error": "skip",
        }
        | fields
    )


def plan(*todos: TodoItem, version: int = 1) -> Plan:
    estimate = Estimate(total_seconds=1, critical_path_seconds=1)
    return Plan(plan_id=named("plan"), version=version, todos=todos, estimate=estimate)


def planned(*todos: TodoItem, attachments: Sequence[Attachment] = (), version: int = 1) -> PlanningOutput:
    return PlanningOutput(plan=plan(*todos, version=version), language="ko", attachments=tuple(attachments))


def approved(version: int = 1) -> PlanApproved:
    return PlanApproved(plan_id=named("plan"), plan_version=version, plan_hash="0" * 64, approved_by="person")


def succeeded(todo_id: str, attempt: int = 1, **fields: Any) -> TodoSucceeded:
    return TodoSucceeded(todo_id=todo_id, attempt=attempt, started_at=NOW, seconds=0.1, **fields)


def failed(todo_id: str, attempt: int = 1, message: str = "안 돼요", **fields: Any) -> TodoFailed:
    error = ErrorInfo(code=Code.TOOL_FAILED, message=message, retryable=fields.pop("retryable", False))
    return TodoFailed(todo_id=todo_id, attempt=attempt, error=error, **fields)


def file(type_: str, name: str = "a.csv", digest: str = "a") -> Attachment:
    return Attachment(artifact_id=digest * 64, name=name, media_type="text/csv", size=10, type=type_)
