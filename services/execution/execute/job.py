"""One attempt of one todo, as the job graph sees it: its tool, its lease, its approval, its result."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID

from backbone.arguments import arguments_hash
from backbone.ledger.port import Fence, Ledger, LedgerUnavailable
from backbone.model.port import ModelProvider, ModelRequest
from backbone.model.recent import NO_HISTORY, Recent
from backbone.toolbox.port import Busy, Holder, Lease, Toolbox, Want
from contracts.cognitive import FlowAdvanced, FlowApproval
from contracts.decisions import DecisionAnswered, DecisionKind, DecisionRequested
from contracts.errors import Code
from contracts.execution import TodoDispatched
from contracts.model import ModelCalled, ModelRole
from contracts.shape import Event, JsonObject
from contracts.tools import BusyPolicy, ConfirmPolicy, Effects, ToolError, ToolSpec
from services.execution.agent.loop import AGENT_ENTRY, AgentLoop
from services.execution.dispatch.lease_queue import leased
from services.execution.domain.effects import EVENT_TYPES, in_doubt, is_over
from services.execution.execute.attempt import Attempt
from services.execution.execute.before import Before
from services.execution.execute.solver import PROMPT, SolverAnswer, SolverQuestion
from services.execution.graph import LoopGraph
from services.execution.tools.faults import ToolFault
from services.execution.tools.tool_runner import Done, ToolRunner

CERTAIN = "nothing_happened"
"""In the detail of a fault: the tool was asked, and had done nothing."""
SOLVER_ENTRY = "model:solver"
"""`entry` of a tool that is no tool: a model solves the todo."""


class AttemptOver(Exception):
    """The ledger has the end of this attempt: its dispatch has come again."""


async def _nobody_comes(tool: str) -> None: ...


@dataclass(frozen=True, slots=True)
class JobDependencies:
    """What all jobs of a process share."""

    runner: ToolRunner
    ledger: Ledger
    toolbox: Toolbox
    provider: ModelProvider
    lease_seconds: float = 30.0
    talk: Recent = NO_HISTORY
    loops: LoopGraph = field(default_factory=LoopGraph)
    expect: Callable[[str], Awaitable[None]] = _nobody_comes
    """Waits for whoever may yet bring a tool: Catalogue.expect."""
    before: Before | None = None
    """Where what was made before is looked up; nothing is kept without it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question about this todo, and the person's answer; None while there is none."""

    asked: DecisionRequested
    answer: JsonObject | None


@dataclass(eq=False, slots=True)
class ToolJob:
    """What the nodes of the job graph do. Each raises ToolError when the job cannot go on."""

    shared: JobDependencies
    run_id: UUID
    attempt: Attempt
    spec: ToolSpec
    questions: Sequence[Answered] = ()
    approvals: Sequence[FlowApproval] = ()
    """What the person has confirmed in a flow, for this todo."""
    done: Done | None = None
    called: ModelCalled | None = None
    lease: Lease | None = None
    position: int = 0
    """Place in line, when the tool is busy."""
    begun: bool = False
    """The tool has been called: it may have done something."""

    @property
    def dispatched(self) -> TodoDispatched:
        return self.attempt.dispatched

    @property
    def asks_when_busy(self) -> bool:
        """Whether a person is asked to wait; who has said so for this todo is not asked again."""
        waits = self.dispatched.waits_for_tool or any(
            one.asked.kind is DecisionKind.LOCK and one.answer is not None and one.answer.get("action") == "wait"
            for one in self.questions
        )
        return self.spec.when_busy is BusyPolicy.ASK and not waits

    @property
    def may_ask(self) -> bool:
        """Whether a person may have a word before it runs."""
        return self.spec.confirm_policy is ConfirmPolicy.ALWAYS or (
            bool(self.spec.groups) and self.spec.when_busy is BusyPolicy.ASK
        )

    @property
    def may_stop(self) -> bool:
        """Whether it may end before the call: in line for its tool, or at a question."""
        return self.may_ask or bool(self.spec.groups)

    @property
    def fence(self) -> Fence | None:
        """The result counts only while the lease is held, which ends with it."""
        return Fence(self.lease.lease_id, self.lease.fencing_token) if self.lease else None

    @property
    def arguments_hash(self) -> str:
        return arguments_hash(self.dispatched.todo.params)

    async def check(self) -> None:
        """Raises ToolFault for arguments that the tool's schema does not allow."""
        self.shared.runner.check_arguments(self.spec, self.dispatched)
        if not self.may_ask:
            return
        ledger, session = self.shared.ledger, self.attempt.message.session_id
        self.questions = await questions_about(ledger, session, self.run_id, self.dispatched.todo.id)
        if self.spec.confirm_policy is ConfirmPolicy.ALWAYS:
            self.approvals = await approvals_in(ledger, session, self.run_id, self.dispatched.todo.id)

    async def _solve(self) -> Done:
        params = self.dispatched.todo.params
        question = SolverQuestion(
            instruction=str(params.get("instruction", "")),
            text=str(params.get("text", "")),
            language=self.dispatched.language,
        )
        request = ModelRequest(
            ModelRole.SOLVER,
            PROMPT,
            question,
            SolverAnswer,
            conversation=await self.shared.talk.before(self.attempt.message),
            on_chunk=self.attempt.listener(ModelRole.SOLVER),
            todo_id=self.dispatched.todo.id,
        )
        answered = await self.shared.provider.ask(request)
        self.called = answered.called
        return Done(answered.answer.model_dump(mode="json"))

    async def acquire(self, *, enqueue: bool) -> bool:
        """Whether the tool is free for it; with `enqueue` it stands in line otherwise."""
        if not self.spec.groups or self.lease is not None:
            return True
        todo = self.dispatched.todo
        holder = Holder(self.attempt.message.session_id, self.run_id, todo.id)
        capacity = self.spec.capacity or 1
        want = Want(holder, self.spec.tool_key, self.spec.groups, capacity, self.shared.lease_seconds)
        granted = await self.shared.toolbox.acquire(want, enqueue=enqueue)
        if isinstance(granted, Busy):
            self.position = granted.position
            return False
        self.lease = granted
        return True

    async def let_go(self) -> None:
        """Gives the tool back: nobody should wait for it while a person thinks."""
        lease, self.lease = self.lease, None
        if lease is not None:
            await self.shared.toolbox.release(lease)

    @property
    def tells_its_start(self) -> bool:
        """Whether its start is recorded right before the call, and never earlier: so the ledger shows what was done
        twice, and what was done without an approval."""
        return self.spec.effects is Effects.EXTERNAL or self.spec.confirm_policy is ConfirmPolicy.ALWAYS

    def is_approved(self) -> bool:
        """Whether it needs no approval, or the ledger has one of exactly these arguments."""
        if self.spec.confirm_policy is not ConfirmPolicy.ALWAYS:
            return True
        exactly = self.arguments_hash
        confirmed = [] if self.dispatched.round > 1 else self.approvals
        if any((one.tool, one.arguments_hash) == (self.spec.tool_key, exactly) for one in confirmed):
            return True
        return any(
            one.asked.kind is DecisionKind.TOOL
            and one.asked.subject.get("tool") == self.spec.tool_key
            and one.asked.subject.get("arguments_hash") == exactly
            and one.asked.subject.get("round", 1) == self.dispatched.round  # another round is another call
            and one.answer is not None
            and one.answer.get("action") == "approve"
            for one in self.questions
        )

    async def call(self) -> None:
        """The last check of the approval is here, whatever path led to it (I5).

        Raises ToolError, AttemptOver, and ApprovalRequired for a loop that asks."""
        spec, dispatched = self.spec, self.dispatched
        told = await self._told()
        if is_over(told, dispatched.todo.id, dispatched.attempt):
            raise AttemptOver
        if not self.is_approved():
            raise ToolFault(Code.APPROVAL_MISSING, f"{spec.tool_key} needs an approval of exactly these arguments")
        if spec.effects is Effects.EXTERNAL and in_doubt(told, dispatched.todo.id):
            # somebody died between the effect and its record, or while it happened
            died = ToolFault(Code.TOOL_CRASHED, f"the executor of {spec.tool_key} ended in the middle of the call")
            if found := await self.shared.runner.reconcile(self.run_id, spec, dispatched, died):
                self.done = found
                return
        if self.tells_its_start:
            await self.attempt.begin()
        async with self._holding():
            self.begun = True
            self.done = await self._made()

    async def _made(self) -> Done:
        """What the tool makes, the agent loop that it stands for, or the model that solves it."""
        shared = self.shared
        if self.spec.entry == SOLVER_ENTRY:
            return await self._solve()
        if not self.spec.entry.startswith(AGENT_ENTRY):
            return await (shared.before or shared.runner).execute(self.run_id, self.spec, self.dispatched, self.attempt)
        loop = AgentLoop(
            shared.runner, shared.ledger, shared.provider, self.run_id, self.attempt, self.spec, shared.talk
        )
        return await loop.run(shared.loops)

    def save(self) -> None:
        """Checks the result; it is recorded together with the release of the tool."""
        if self.done is None:
            raise ToolFault(Code.TOOL_RESULT_INVALID, f"{self.spec.tool_key} has made nothing")
        self.shared.runner.check_result(self.spec, self.done)
        if self.shared.before is not None:
            self.shared.before.keep(self.dispatched, self.done)

    def is_unsure(self, error: ToolError) -> bool:
        """Whether a failure leaves open what the call has done: then no timer repeats it."""
        external = self.spec.effects is Effects.EXTERNAL and self.begun
        return external and isinstance(error, ToolFault) and not error.detail.get(CERTAIN)

    async def in_doubt(self) -> bool:
        """Whether this attempt, or an earlier one of the todo, has made a call that nobody knows the outcome of."""
        return self.spec.effects is Effects.EXTERNAL and in_doubt(await self._told(), self.dispatched.todo.id)

    async def _told(self) -> list[Event]:
        """What the ledger tells of a call that must not be repeated; nothing about any other."""
        if not self.tells_its_start:
            return []
        found = await self.shared.ledger.find(self.attempt.message.session_id, EVENT_TYPES, self.run_id)
        return [message.event for message in found]

    @asynccontextmanager
    async def _holding(self) -> AsyncGenerator[None]:
        """Keeps the lease alive while the tool runs; when it is lost, the attempt is stopped."""
        lease = self.lease
        if lease is None:
            yield
            return
        await self.attempt.record("leased", leased(lease))
        renewing = asyncio.create_task(self._renew(lease), name=f"renew:{lease.lease_id}")
        try:
            yield
        finally:
            renewing.cancel()

    async def _renew(self, lease: Lease) -> None:
        while True:
            await asyncio.sleep(self.shared.lease_seconds / 3)
            with suppress(LedgerUnavailable):  # until it is back, or the lease is over
                if lease.lease_id not in await self.shared.toolbox.renew([lease], self.shared.lease_seconds):
                    self.attempt.stop("lease")
                    return


async def questions_about(ledger: Ledger, session_id: UUID, run_id: UUID, todo_id: str) -> list[Answered]:
    """The recorded questions about a todo with their answers, in order."""
    found = await ledger.find(session_id, frozenset({"DecisionRequested", "DecisionAnswered"}), run_id)
    events = [message.event for message in found]
    answers = {event.decision_id: event.answer for event in events if isinstance(event, DecisionAnswered)}
    return [
        Answered(event, answers.get(event.decision_id))
        for event in events
        if isinstance(event, DecisionRequested) and event.subject.get("todo_id") == todo_id
    ]


async def approvals_in(ledger: Ledger, session_id: UUID, run_id: UUID, todo_id: str) -> list[FlowApproval]:
    """What the person has confirmed in a flow, word by word, so that this todo does it. A word is for one call: that of
    the first todo which was sent out with exactly it. Another one, added by an edit of the plan, is asked about."""
    found = await ledger.find(session_id, frozenset({"FlowAdvanced", "TodoDispatched"}), run_id)
    open_, own = list[FlowApproval](), list[FlowApproval]()
    for message in found:
        match message.event:
            case FlowAdvanced(approval=FlowApproval() as approval, also=also) if message.producer == "cognitive":
                open_ += [approval, *also]
            case TodoDispatched(todo=todo, round=1):
                exactly = todo.tool, arguments_hash(todo.params)
                taken = [one for one in open_ if (one.tool, one.arguments_hash) == exactly]
                open_ = [one for one in open_ if one not in taken]
                own += taken if todo.id == todo_id else []
            case _:
                pass
    return own
