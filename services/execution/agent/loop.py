"""The agent loop of source design 003: a model calls tools until it has an answer. Its state is the ledger."""

import asyncio
from dataclasses import dataclass, field
from uuid import UUID
from zoneinfo import ZoneInfo

from backbone.errors import HandlingError, Retryable
from backbone.ledger.port import Ledger
from backbone.model.port import NO_CONVERSATION, Conversation, LoopRequest, ModelProvider
from backbone.model.recent import NO_HISTORY, Recent
from backbone.packs import Pack
from contracts.agents import LoopState, Policy, ToolCall
from contracts.errors import Code, ErrorInfo
from contracts.execution import AgentStepped
from contracts.gateway import MessageReceived
from contracts.model import ModelRole
from contracts.packs import AgentSpec
from contracts.shape import Event, JsonObject, JsonValue
from contracts.tools import ToolSpec
from services.execution.agent.calls import Calls
from services.execution.domain.loop import EVENT_TYPES, AgentLoopState, loop_state, numbered, offered, recordable
from services.execution.execute.attempt import Attempt
from services.execution.graph import LoopGraph
from services.execution.tools.entries import load
from services.execution.tools.faults import ToolFault, sentence
from services.execution.tools.tool_runner import Done, ToolRunner

AGENT_ENTRY = "agent:"
"""`entry` of a tool that is a loop: agent:<pack>.<name>."""
ANSWER_LIMIT, SHOWN = 12_000, 40
"""Characters of an answer, and how many lines of it, sources and words of progress, a result may hold."""


class ApprovalRequired(Exception):
    """A call of the loop waits for a person's word."""

    def __init__(self, call: ToolCall) -> None:
        super().__init__(call.tool)
        self.call = call


@dataclass(eq=False, slots=True)
class AgentLoop:
    """What the nodes of the loop graph do. Its state is kept in the ledger."""

    runner: ToolRunner
    ledger: Ledger
    provider: ModelProvider
    run_id: UUID
    attempt: Attempt
    spec: ToolSpec
    talk: Recent = NO_HISTORY
    pack: Pack = field(init=False)
    agent: AgentSpec = field(init=False)
    calls: Calls = field(init=False)
    tools: dict[str, ToolSpec] = field(init=False)
    story: AgentLoopState = field(init=False)
    request: str = ""
    conversation: Conversation = NO_CONVERSATION
    stopped: Code | None = None
    """The limit that has ended it."""
    parked: ToolCall | None = None

    def __post_init__(self) -> None:
        self.pack, self.agent = self._named()
        self.tools = offered(self.agent, self.runner.catalogue.tools)
        self.story = AgentLoopState(self.attempt.todo_id)
        self.calls = Calls(self.runner, self.run_id, self.attempt, self.agent, self.tools)

    def _named(self) -> tuple[Pack, AgentSpec]:
        name = self.spec.entry.removeprefix(AGENT_ENTRY)
        pack_name, _, agent_name = name.partition(".")
        pack = self.runner.catalogue.packs.get(pack_name)
        agent = pack.agents.get(agent_name) if pack else None
        if pack is None or agent is None:
            raise ToolFault(Code.TOOL_BROKEN, f"{self.spec.tool_key}: there is no agent {name!r} in the loaded packs")
        return pack, agent

    async def run(self, graph: LoopGraph) -> Done:
        """To its answer, whole or partial. Raises ApprovalRequired, and ToolError if the model or the time fails it."""
        seconds = self.attempt.dispatched.todo.timeout_seconds
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                await self._read()
                await self.attempt.begin()
                await graph.run(self)
        except TimeoutError as error:
            if not scope.expired():
                raise
            # what it has found is in the ledger, and the next attempt goes on with it
            raise ToolFault(Code.TOOL_TIMEOUT, f"no answer within {seconds:g} s", retryable=True) from error
        if self.parked is not None:
            raise ApprovalRequired(self.parked)
        return self._done()

    async def _read(self) -> None:
        found = await self.ledger.find(self.attempt.message.session_id, EVENT_TYPES, self.run_id)
        events: list[Event] = [message.event for message in found]
        self.story = loop_state(events, self.attempt.todo_id)
        self.request = next((event.text for event in events if isinstance(event, MessageReceived)), "")
        self.conversation = await self.talk.before(self.attempt.message)

    @property
    def most_steps(self) -> int:
        return self.agent.max_steps

    @property
    def wants_tools(self) -> bool:
        """The model's last word holds calls that have no answer, and the loop may go on."""
        return bool(self.story.owed()) and self.stopped is None

    @property
    def is_parked(self) -> bool:
        """A call waits for a person."""
        return self.parked is not None

    async def think(self) -> None:
        """A step that is recorded is not asked for again; one that would go over a limit is not asked for at all."""
        story = self.story
        self.stopped = self._limit()
        if self.stopped is not None or story.is_answered or story.owed():
            return
        number = len(story.steps) + 1
        try:
            answered = await self.provider.step(self._request())
        except HandlingError as error:
            raise ToolFault(error.code, error.message, retryable=isinstance(error, Retryable)) from error
        step = numbered(answered.step, number)
        said = recordable(answered.called.output)
        called = answered.called.model_copy(update={"todo_id": story.todo_id, "output": said})
        stepped = AgentStepped(todo_id=story.todo_id, step=number, text=step.text, calls=step.calls)
        await self.attempt.record(f"step:{number}", called, stepped, sure=True)
        story.take(called)
        story.take(stepped)
        self.stopped = self._limit()

    def _limit(self) -> Code | None:
        """The limit that stands before what the loop would do next."""
        story, agent = self.story, self.agent
        if story.is_answered:
            return None
        if story.most_repeated() > agent.repeats:
            return Code.AGENT_REPEATS_ITSELF
        if len(story.steps) >= agent.max_steps:
            return Code.AGENT_STEPS_EXHAUSTED
        return Code.AGENT_TOKENS_EXHAUSTED if story.tokens >= agent.max_tokens else None

    def _request(self) -> LoopRequest:
        dispatched, story = self.attempt.dispatched, self.story
        zone = ZoneInfo(dispatched.timezone or self.runner.resources.timezone)
        language = dispatched.language

        def say(key: str, **values: object) -> str:
            return self.pack.text(language, key, **values)

        state = LoopState(
            request=self.request or dispatched.todo.title,
            language=language,
            now=dispatched.requested_at.astimezone(zone),
            params=dispatched.todo.params,
            attachments=(*dispatched.inputs, *story.attachments()),
            messages=story.messages(),
        )
        tools = tuple(self.tools.values())
        return LoopRequest(
            self.agent.prompt,
            state,
            tools,
            _policy(self.agent.policy),
            say,
            conversation=self.conversation,
            on_chunk=self.attempt.listener(ModelRole.SOLVER),
            todo_id=dispatched.todo.id,
        )

    async def use_tools(self) -> None:
        """All calls that are owed at once; then the first that needs a person's word is asked about."""
        self.parked = await self.calls.make(self.story)

    def _done(self) -> Done:
        story, language = self.story, self.attempt.dispatched.language
        text = story.last.text.strip() if story.last else ""
        stopped = self.stopped
        if stopped is None and not text:
            stopped = Code.MODEL_OUTPUT_INVALID  # neither a call nor an answer
        partial = next((step.text.strip() for step in reversed(story.steps) if step.text.strip()), "")
        answer = (text or partial)[:ANSWER_LIMIT]
        lines: list[JsonValue] = [line.strip() for line in answer.splitlines() if line.strip()]
        log: list[JsonValue] = [one.model_dump(mode="json") for one in story.progress_log()]
        result: JsonObject = {
            "answer": answer,
            "summary": lines[:SHOWN],
            "progress_log": log[:SHOWN],
            "steps": len(story.steps),
            "sources": story.sources()[:SHOWN],
        }
        if stopped is not None:
            why = self._why(stopped, language)
            result |= {"stopped": why.model_dump(mode="json"), "answer": answer or why.message}
            result["summary"] = [*lines[:SHOWN], why.message]
        return Done(result, story.attachments())

    def _why(self, code: Code, language: str) -> ErrorInfo:
        detail: JsonObject = {"steps": len(self.story.steps), "tokens": self.story.tokens}
        return ErrorInfo(code=code, message=sentence(code, language, self.runner.catalogue.say), detail=detail)


def _policy(entry: str) -> Policy:
    policy: Policy = load(entry)
    return policy
