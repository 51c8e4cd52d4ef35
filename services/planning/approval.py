"""What planning asks and records around a plan: the question, the approval, the refusal."""

from datetime import datetime, timedelta
from uuid import UUID, uuid5

from backbone.ledger.port import Timer
from backbone.packs import Catalogue
from backbone.runner.handlers import Emit, Outcome
from contracts.decisions import DecisionExpired, DecisionKind, DecisionOption, DecisionRequested
from contracts.planning import TAKES_WORDS, Plan, PlanApproved, PlanningOutput, PlanRejected
from contracts.shape import JsonObject
from services.planning.domain.plan import plan_hash

ANSWER_SCHEMA: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "required": ["action"],
    "properties": {
        "action": {"enum": ["approve", "edit", "reject"]},
        "patch": {"type": "array", "maxItems": 1000, "items": {"type": "object"}},
        "reason": {"type": "string", "maxLength": 2000},
    },
    "allOf": [
        {"if": {"required": ["action"], "properties": {"action": {"const": "edit"}}}, "then": {"required": ["patch"]}}
    ],
}


class ApprovalRequests:
    """Words and deadlines of the plan question."""

    def __init__(self, catalogue: Catalogue, deadline_seconds: float) -> None:
        self._catalogue = catalogue
        self._deadline = timedelta(seconds=deadline_seconds)

    def propose(self, run_id: UUID, output: PlanningOutput, cause: UUID, now: datetime, question: str = "") -> Outcome:
        """The plan, and the question about it."""
        asked = self.ask(run_id, output.plan, output.language, cause, now, question)
        return Outcome((Emit(output), *asked.emits), asked.timers)

    def ask(self, run_id: UUID, plan: Plan, language: str, cause: UUID, now: datetime, question: str = "") -> Outcome:
        """A question of its own for every time a plan is shown: an old answer can never approve a newer plan."""
        decision_id = uuid5(cause, f"plan:{plan.version}")
        deadline = now + self._deadline
        requested = DecisionRequested(
            decision_id=decision_id,
            kind=DecisionKind.PLAN,
            question=question or self.question("plan.question", plan, language),
            language=language,
            options=tuple(
                DecisionOption(value=action, label=self._catalogue.say(language, f"plan.{action}"))
                for action in ("approve", "edit", "reject")
            ),
            answer_schema=ANSWER_SCHEMA,
            deadline=deadline,
            subject={
                "plan_id": str(plan.plan_id),
                "plan_version": plan.version,
                "plan_hash": plan_hash(plan),
                TAKES_WORDS: self._takes_words(plan),
            },
        )
        expired = DecisionExpired(decision_id=decision_id, kind=DecisionKind.PLAN)
        return Outcome((Emit(requested),), (Timer(decision_id, run_id, deadline, expired),))

    def _takes_words(self, plan: Plan) -> bool:
        """Whether words about it may change it: there are steps to leave out, or one that reads wishes."""
        tools = (self._catalogue.tools.get(todo.tool) for todo in plan.todos)
        return len(plan.todos) > 1 or any(tool is not None and tool.wish is not None for tool in tools)

    def question(self, key: str, plan: Plan, language: str, **values: object) -> str:
        return self._catalogue.say(
            language,
            key,
            count=len(plan.todos),
            seconds=self._duration(plan.estimate.critical_path_seconds, language),
            **values,
        )

    def _duration(self, seconds: float, language: str) -> str:
        if seconds < 90:
            return self._catalogue.say(language, "seconds", n=max(1, round(seconds)))
        return self._catalogue.say(language, "minutes", n=round(seconds / 60))


def approved(plan: Plan, by: str, decision_id: UUID | None = None) -> PlanApproved:
    """The approval of exactly this version."""
    return PlanApproved(
        plan_id=plan.plan_id,
        plan_version=plan.version,
        plan_hash=plan_hash(plan),
        approved_by=by,
        decision_id=decision_id,
    )


def rejected(plan: Plan, reason: str, decision_id: UUID | None) -> PlanRejected:
    """Without a reason there is nothing to revise, and the run ends."""
    return PlanRejected(
        plan_id=plan.plan_id, plan_version=plan.version, reason=reason, final=not reason, decision_id=decision_id
    )
