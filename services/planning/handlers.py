"""I/O around planning's rules: a work handler that asks the planner, and the decision handler of plan approvals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID, uuid5

from backbone.kept.arrivals import Arrivals
from backbone.ledger.port import Ledger
from backbone.model.recent import NO_HISTORY, Recent
from backbone.packs import Catalogue
from backbone.runner.handlers import NOTHING, DecisionHandler, Emit, Outcome, Record, Recorded, Takes, WorkHandler, emit
from contracts.cognitive import CognitiveOutput, FlowAdvanced, FlowApproval, Route
from contracts.envelope import Message
from contracts.errors import Code, ErrorInfo
from contracts.gateway import PlanEdited
from contracts.planning import Plan, PlanEditRefused, PlanningOutput, PlanRejected
from contracts.shape import Event, JsonObject
from contracts.tools import ToolSpec
from services.planning.approval import ApprovalRequests, approved, rejected
from services.planning.before import Before
from services.planning.domain import plan_approvals
from services.planning.domain.adding import MOST_EDITED, Registry
from services.planning.domain.chain import GoalUnreachable
from services.planning.domain.dependency import PlanInvalid
from services.planning.domain.editing import edit
from services.planning.domain.plan_approvals import OpenPlan, PlanApprovals
from services.planning.domain.request import as_before
from services.planning.domain.tasks import approvals_in
from services.planning.planner import PlanGenerator, available_types
from services.planning.proposal import PlanProposer
from services.planning.revising import Details, Revising, why_impossible
from services.planning.wishes import Since, Told, Wishes
from understanding.port import TopicFinder, details_of

FIRST = 2
"""Nothing was planned before this version."""
PLANS = 8
"""Plans of a session among which the one is looked for that a request goes on from, the newest first."""


def _concerns(message: Message, event: Event) -> bool:
    """What is to be planned, planned anew, or was confirmed in a flow."""
    if isinstance(event, CognitiveOutput):
        return event.route is Route.PLAN and not event.requires_clarification and event.error is None
    if isinstance(event, FlowAdvanced):
        return bool(approvals_in(event))
    return isinstance(event, PlanRejected) and not event.final


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes plans from understood messages, and revises rejected ones."""

    catalogue: Catalogue
    generator: PlanGenerator
    proposer: PlanProposer
    requests: ApprovalRequests
    ledger: Ledger
    topics: TopicFinder
    arrivals: Arrivals
    """Where it is looked up what files hold, and what was done before."""
    talk: Recent = NO_HISTORY
    timezone: str = "UTC"
    """Of people who have not said theirs."""
    asks_models: bool = True
    details: Details = field(default_factory=lambda: details_of(()))
    """Of the packs: numbers that words about a plan may name."""

    @property
    def wishes(self) -> Wishes:
        return Wishes(self.catalogue, self.arrivals)

    @property
    def revising(self) -> Revising:
        return Revising(self.catalogue, self.generator, self.topics, self.wishes, self.details)

    @property
    def before(self) -> Before:
        return Before(self.catalogue, self.ledger, self.arrivals.kept, self.timezone)

    def handler(self) -> WorkHandler:
        return WorkHandler(
            name="planning",
            producer="planning",
            takes=(
                Takes("cognitive", "CognitiveOutput"),
                Takes("cognitive", "FlowAdvanced"),
                Takes("planning", "PlanRejected"),
            ),
            handle=self.handle,
            give_up=self.give_up,
            concerns=_concerns,
            effectless=self._is_effectless,
        )

    def _is_effectless(self, message: Message, event: Event) -> bool:
        """What has no files asks no executor to look at one."""
        del message
        has_none = isinstance(event, FlowAdvanced) or (isinstance(event, CognitiveOutput) and not event.attachments)
        return not self.asks_models and has_none

    async def handle(self, message: Message, event: Event, record: Record) -> Outcome:
        if message.run_id is None:
            return NOTHING
        if isinstance(event, CognitiveOutput):
            return await self._first_plan(message, message.run_id, event)
        if isinstance(event, PlanRejected):
            return await self._revised(message, message.run_id, event)
        if isinstance(event, FlowAdvanced) and (approvals := approvals_in(event)):
            return self._confirmed(message.run_id, event.language, approvals)
        return NOTHING

    def _confirmed(self, run_id: UUID, language: str, approvals: Sequence[FlowApproval]) -> Outcome:
        """Nobody is asked about it: in the flow the person has said yes to exactly this."""
        try:
            plan = self.generator.of_confirmed(uuid5(run_id, "plan"), language, approvals)
        except PlanInvalid as error:
            return emit(self._invalid(run_id, language, error))
        return emit(PlanningOutput(plan=plan, language=language, requires_approval=False), approved(plan, "person"))

    async def _first_plan(self, message: Message, run_id: UUID, understood: CognitiveOutput) -> Outcome:
        plan_id = uuid5(run_id, "plan")
        language = understood.language
        called: tuple[Emit, ...] = ()
        left_out: tuple[str, ...] = ()
        try:
            if understood.plan_hint.command is not None:
                await self.catalogue.expect(understood.plan_hint.command.name)
                plan = self.generator.from_command(plan_id, understood, understood.plan_hint.command)
            elif self.generator.is_said(understood):
                plan = self.generator.from_steps(plan_id, understood, ())
            else:
                talk, fitting = await self.talk.before(message), await self.wishes.fitting(understood.attachments)
                plan, call, left_out = await self.proposer.propose(plan_id, understood, talk, fitting)
                called = (Emit(call),)
        except GoalUnreachable as error:
            return emit(self._impossible(run_id, language, error))
        except PlanInvalid as error:
            return emit(self._invalid(run_id, language, error))
        unasked = (
            understood.auto_approve or self.generator.runs_unasked(understood) or self.generator.asks_by_itself(plan)
        )
        earlier = await self._earlier(message, plan, understood)
        since = Since(understood.text, earlier, goes_on=self._goes_on(understood, plan, earlier))
        plan = as_before(plan, earlier) if earlier is not None and since.goes_on else plan
        told, plan = await self.wishes.told(plan, understood.attachments, language, since)
        if left_out:
            steps = ", ".join(self.catalogue.title(key, language) for key in left_out)
            told = Told(told.lines, (*told.cannot, self.catalogue.say(language, "plan.left_out", steps=steps)))
        output = PlanningOutput(
            plan=plan,
            language=language,
            requires_approval=not unasked,
            attachments=understood.attachments,
            understood=told.lines,
            cannot=told.cannot,
        )
        if unasked:
            return Outcome((*called, Emit(output), Emit(approved(plan, "policy"))))
        output = await self._known(message, output)
        question = self.requests.question("plan.question", plan, language) + self._notes(output)
        question += f"\n{understood.left_plan}" if understood.left_plan else ""
        proposed = self.requests.propose(run_id, output, message.event_id, message.recorded_at, question)
        return Outcome((*called, *proposed.emits), proposed.timers)

    async def _earlier(self, message: Message, plan: Plan, understood: CognitiveOutput) -> Plan | None:
        """The last plan of the session that reads what this one does, if it was of these files: what is wanted now may
        be meant of the same rows. Questions that were answered between them are plans of another kind."""
        if message.version <= FIRST or not self.wishes.reads(plan):
            return None
        found = await self.ledger.latest(message.session_id, frozenset({"PlanningOutput"}), PLANS, message.version)
        outputs = [one.event for one in found if isinstance(one.event, PlanningOutput)]
        tools = {todo.tool for todo in plan.todos}
        output = next((one for one in outputs if tools & {todo.tool for todo in one.plan.todos}), None)
        if output is None:
            return None
        now, then = ({one.artifact_id for one in each.attachments} for each in (understood, output))
        return output.plan if now == then else None

    def _goes_on(self, understood: CognitiveOutput, plan: Plan, earlier: Plan | None) -> bool:
        """Whether the request names nothing that is made or found out, and the plan makes what the earlier one did."""
        named = self.topics.find(understood.text)
        made, then = ({type_ for todo in each.todos for type_ in todo.produces} for each in (plan, earlier or plan))
        return earlier is not None and not named.goals and not named.left_out and made & then == made

    async def _known(self, message: Message, output: PlanningOutput) -> PlanningOutput:
        """The plan, and which of its steps an earlier run has done."""
        asker = await self.before.asker(message.session_id, output.language, message.recorded_at)
        done = await self.before.steps(output.plan, output.attachments, asker)
        return output.model_copy(update={"from_before": done})

    def _notes(self, output: PlanningOutput) -> str:
        """Lines under the question: the rows that are meant, what cannot be done, what is there already."""
        say, lines = self.catalogue.say, list(output.cannot)
        if output.understood:
            lines.append(say(output.language, "plan.understood", what=" · ".join(output.understood)))
        if output.from_before:
            titles = ", ".join(todo.title for todo in output.plan.todos if todo.id in output.from_before)
            lines.append(say(output.language, "plan.from_before", steps=titles))
        return "".join(f"\n{line}" for line in lines)

    async def _revised(self, message: Message, run_id: UUID, event: PlanRejected) -> Outcome:
        found = await self.ledger.find(message.session_id, frozenset({"PlanningOutput"}), run_id)
        last = found[-1].event if found else None
        if not isinstance(last, PlanningOutput):
            return NOTHING
        plan, language = last.plan, last.language
        asker = await self.before.asker(message.session_id, language, message.recorded_at)
        cognitive = await self.ledger.find(message.session_id, frozenset({"CognitiveOutput"}), run_id)
        understood = next((one.event for one in cognitive[-1:] if isinstance(one.event, CognitiveOutput)), None)
        day = date.fromisoformat(asker.day)
        there = {todo.tool for todo in last.plan.todos}
        earlier = (one.event for one in found[:-1] if isinstance(one.event, PlanningOutput))
        gone = {todo.tool for one in earlier for todo in one.plan.todos} - there
        revision = await self.revising.revised(last, event.reason, understood, day, gone)
        if revision.plan == plan:
            known = last.model_copy(update={"cannot": revision.told.cannot})
            key = "plan.unchanged" if revision.told.cannot else "plan.not_understood"
            key = "plan.edit_invalid" if revision.refused else key
            values = {"reason": revision.refused or event.reason}
            question = self.requests.question(key, plan, language, **values) + self._notes(known)
            return self.requests.ask(run_id, plan, language, message.event_id, message.recorded_at, question)
        revised = revision.plan.model_copy(update={"version": plan.version + 1})
        told = {"understood": revision.told.lines, "cannot": revision.told.cannot}
        output = await self._known(message, last.model_copy(update={"plan": revised, **told}))
        changes = self.revising.differences(last, output)
        question = self.requests.question("plan.revised", revised, language, changes=changes) + self._notes(output)
        return self.requests.propose(run_id, output, message.event_id, message.recorded_at, question)

    def _impossible(self, run_id: UUID, language: str, error: GoalUnreachable) -> PlanRejected:
        brought = error.missing.startswith("file.")
        sentence = why_impossible(self.catalogue, error, language)
        detail: JsonObject = {"goal": error.goal, "missing": error.missing}
        code = Code.INPUT_MISSING if brought else Code.GOAL_UNREACHABLE
        return self._refusal(run_id, ErrorInfo(code=code, message=sentence, detail=detail))

    def _invalid(self, run_id: UUID, language: str, error: PlanInvalid) -> PlanRejected:
        return self._refusal(run_id, _told(self.catalogue, language, "plan.invalid", error))

    def _refusal(self, run_id: UUID, error: ErrorInfo) -> PlanRejected:
        return PlanRejected(
            plan_id=uuid5(run_id, "plan"), plan_version=1, reason=error.message, final=True, error=error
        )

    def give_up(self, message: Message, event: Event, error: ErrorInfo) -> Outcome:
        return emit(self._refusal(message.run_id, error)) if message.run_id else NOTHING


def approvals_handler(
    catalogue: Catalogue, requests: ApprovalRequests, most_steps: int = MOST_EDITED
) -> DecisionHandler[PlanApprovals]:
    """Acts on answers about plans (approve, edit, reject), and on edits of plans that run; each exactly once. An edit
    leaves so many steps at most."""

    def evolve(state: PlanApprovals, recorded: Recorded) -> PlanApprovals:
        return plan_approvals.evolve(state, recorded.event, recorded.run_id) if recorded.run_id else state

    def decide(state: PlanApprovals, recorded: Recorded) -> Outcome:
        if isinstance(recorded.event, PlanEdited):
            return _edited_while_running(catalogue, state, recorded.run_id, recorded.event, most_steps)
        current = state.plans.get(recorded.run_id) if recorded.run_id else None
        if current is None or current.answer is None or recorded.run_id is None:
            return NOTHING
        return _act(current, recorded.run_id, recorded.event_id, recorded.at)

    def _act(current: OpenPlan, run_id: UUID, cause: UUID, at: datetime) -> Outcome:
        answer = current.answer or {}
        action = answer.get("action")
        if action == "approve":
            # a default that was taken at the deadline is nobody's approval
            by = "person" if current.decision_id else "policy"
            return emit(approved(current.plan, by, current.decision_id))
        if action == "reject":
            return emit(rejected(current.plan, str(answer.get("reason") or "").strip(), current.decision_id))
        patch = answer.get("patch")
        return _edited(current, run_id, cause, at, patch if isinstance(patch, list) else [])

    def _edited(current: OpenPlan, run_id: UUID, cause: UUID, at: datetime, patch: Sequence[object]) -> Outcome:
        operations = [operation for operation in patch if isinstance(operation, dict)]
        try:
            known = _registry(catalogue, current.output, most_steps)
            revised: Plan = edit(current.plan, operations, catalogue.tools, known=known)
        except PlanInvalid as error:
            reason = catalogue.say(current.language, error.text, **error.detail)
            question = catalogue.say(current.language, "plan.edit_invalid", reason=reason)
            return requests.ask(run_id, current.plan, current.language, cause, at, question)
        return requests.propose(run_id, current.output.model_copy(update={"plan": revised}), cause, at)

    return DecisionHandler(
        name="planning-desk",
        producer="planning",
        takes=(
            Takes("gateway", "DecisionAnswered"),
            Takes("timers", "DecisionExpired"),
            Takes("gateway", "PlanEdited"),
        ),
        folds=plan_approvals.FOLDS,
        initial=PlanApprovals,
        evolve=evolve,
        decide=decide,
        of_open_runs=True,
    )


def _registry(catalogue: Catalogue, output: PlanningOutput, most: int) -> Registry:
    def title(tool: ToolSpec) -> str:
        return catalogue.title(tool.tool_key, output.language)

    return Registry(catalogue.tools, title, available_types(output.attachments), most)


def _edited_while_running(
    catalogue: Catalogue, state: PlanApprovals, run_id: UUID | None, edited: PlanEdited, most: int
) -> Outcome:
    """The next version of the plan, approved: whoever edits it wants it to run. Or why that is not possible."""
    current = (state.approved.get(run_id) or state.plans.get(run_id)) if run_id else None
    if run_id is None or current is None:
        return NOTHING  # the run has ended meanwhile, and says so itself
    try:
        approved_plan = plan_approvals.editable(state, run_id, edited)
        known = _registry(catalogue, current.output, most)
        revised = edit(approved_plan.output.plan, edited.patch, catalogue.tools, approved_plan.begun, known)
    except PlanInvalid as error:
        return emit(_edit_refused(catalogue, current.output.language, edited, error))
    output = current.output.model_copy(update={"plan": revised, "requires_approval": False})
    return emit(output, approved(revised, "person"))


def _edit_refused(catalogue: Catalogue, language: str, edited: PlanEdited, error: PlanInvalid) -> PlanEditRefused:
    refusal = _told(catalogue, language, "plan.edit_refused", error)
    return PlanEditRefused(plan_id=edited.plan_id, plan_version=edited.plan_version, error=refusal)


def _told(catalogue: Catalogue, language: str, key: str, error: PlanInvalid) -> ErrorInfo:
    """Why a plan may not run, in the person's words."""
    reason = catalogue.say(language, error.text, **error.detail)
    detail: JsonObject = {**error.detail, "technical": error.message}
    return ErrorInfo(code=error.code, message=catalogue.say(language, key, reason=reason), detail=detail)
