"""Runs for the fake gateway to play."""

from typing import Any

Step = tuple[str, dict[str, Any]]

PLAN_ID = "0197a1f0-0000-7000-8000-000000000001"
DECISION = "0197a1f0-0000-7000-8000-000000000002"
TODOS: list[dict[str, Any]] = [
    {"id": "t1", "title": "Read reviews", "tool": "marketing.collector", "executor": "data", "estimate_seconds": 1.0},
    {
        "id": "t2",
        "title": "Judge",
        "tool": "marketing.sentiment",
        "executor": "insight",
        "depends_on": ["t1"],
        "params": {"grain": "week"},
    },
    {"id": "t3", "title": "Report", "tool": "marketing.report", "executor": "content", "depends_on": ["t1", "t2"]},
]
PLAN = {"plan_id": PLAN_ID, "todos": TODOS, "estimate": {"total_seconds": 3.0, "critical_path_seconds": 2.0}}

UNDERSTOOD: Step = (
    "CognitiveOutput",
    {"text": "…", "language": "en", "intent": {"domain": "ANALYSIS", "confidence": 0.9}, "route": "plan"},
)
PLANNED: Step = ("PlanningOutput", {"plan": PLAN, "language": "en"})
APPROVED: Step = (
    "PlanApproved",
    {"plan_id": PLAN_ID, "plan_version": 1, "plan_hash": "0" * 64, "approved_by": "person"},
)
COMPLETED: Step = ("RunCompleted", {})
PDF = b"%PDF-1.7 a report"
CHART = b"\x89PNG a chart"


def asked(kind: str = "plan", question: str = "Shall I?", **more: Any) -> Step:
    schema = {"type": "object", "properties": {"action": {}}}
    data = {"decision_id": DECISION, "kind": kind, "question": question, "language": "en", "answer_schema": schema}
    return "DecisionRequested", {**data, "deadline": "2036-01-01T00:00:00Z", **more}


def succeeded(todo: str) -> Step:
    return "TodoSucceeded", {"todo_id": todo, "attempt": 1, "started_at": "2026-01-01T00:00:00Z", "seconds": 0.4}


def responded(text: str = "61 % are positive.", attachments: tuple[dict[str, Any], ...] = ()) -> Step:
    return "ResponseOutput", {"format": "text", "text": text, "language": "en", "attachments": list(attachments)}


def attachment(artifact_id: str, name: str, media_type: str) -> dict[str, Any]:
    return {"artifact_id": artifact_id, "name": name, "media_type": media_type, "size": 1, "type": "report.pdf"}


def approved_run() -> list[Step]:
    """A run whose plan needs nobody."""
    return [UNDERSTOOD, PLANNED, APPROVED, succeeded("t1"), succeeded("t2"), succeeded("t3"), responded(), COMPLETED]


def asking_run() -> list[Step]:
    """A run whose plan a person decides on."""
    return [UNDERSTOOD, PLANNED, asked(), APPROVED, succeeded("t1"), responded(), COMPLETED]
