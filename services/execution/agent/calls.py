"""The tools node of an agent loop: what a model has asked for is checked, approved, done once, and recorded."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from contracts.agents import REPORT_PROGRESS, ToolCall
from contracts.errors import Code, ErrorInfo
from contracts.execution import AgentToolAnswered, AgentToolCalled, TodoDispatched, TodoProgressed
from contracts.packs import AgentSpec
from contracts.shape import Event
from contracts.tools import ConfirmPolicy, Effects, Need, ToolError, ToolSpec
from services.execution.domain.effects import DOUBTFUL
from services.execution.domain.loop import AgentLoopState, CallKey, Verdict, why_not_callable
from services.execution.execute.attempt import Attempt
from services.execution.tools.faults import ToolFault, told
from services.execution.tools.outputs import bounded, plain
from services.execution.tools.tool_runner import Done, ToolRunner

TITLE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Calls:
    """Makes the calls of one loop."""

    runner: ToolRunner
    run_id: UUID
    attempt: Attempt
    agent: AgentSpec
    tools: dict[str, ToolSpec]

    async def make(self, story: AgentLoopState) -> ToolCall | None:
        """Answers what is owed, all at once and the same call once; returns the first that a person has to approve."""
        waiting: list[ToolCall] = []
        doing: dict[CallKey, list[ToolCall]] = {}
        for call in story.owed():
            try:
                spec = self._allowed(call, story)
                if not self._decided(call, spec, story):
                    waiting.append(call)
                    continue
            except ToolError as error:
                await self._record(story, call, self._refusal(call, error))
                continue
            doing.setdefault(CallKey.of(call), []).append(call)
        await _together([self._do(same, story) for same in doing.values()])
        return waiting[0] if waiting else None

    def _allowed(self, call: ToolCall, story: AgentLoopState) -> ToolSpec:
        """Raises ToolError for a call that cannot be made: its words are the model's answer."""
        spec = self.tools.get(call.tool)
        if spec is None:
            known = self.runner.catalogue.tools.get(call.tool)
            if known is not None and call.tool in self.agent.tools:
                raise ToolFault(Code.TOOL_NOT_FOR_AGENTS, why_not_callable(known))
            raise ToolFault(Code.TOOL_UNKNOWN, f"no tool {call.tool!r} here; there are {', '.join(self.tools)}")
        dispatched = self._as_todo(call, spec, story)
        self.runner.check_arguments(spec, dispatched)
        there = {file.type for file in dispatched.inputs}
        missing = [one.type for one in spec.consumes if one.need is Need.REQUIRED and one.type not in there]
        if missing:
            raise ToolFault(Code.INPUT_MISSING, f"{call.tool} needs a file of type {', '.join(missing)}")
        return spec

    @staticmethod
    def _decided(call: ToolCall, spec: ToolSpec, story: AgentLoopState) -> bool:
        """Whether it may be made without asking. Raises ToolFault when a person was against it (invariant I5)."""
        if spec.confirm_policy is not ConfirmPolicy.ALWAYS:
            return True
        match story.verdicts.get(CallKey.of(call)):
            case None:
                return False
            case Verdict.APPROVED:
                return True
            case Verdict.EXPIRED:
                raise ToolFault(Code.DECISION_EXPIRED, f"nobody approved {call.tool} with these arguments in time")
            case Verdict.REFUSED:
                raise ToolFault(Code.APPROVAL_MISSING, f"the person decided against {call.tool} with these arguments")

    async def _do(self, same: Sequence[ToolCall], story: AgentLoopState) -> None:
        """One call, for all that ask for exactly it."""
        first, *others = same
        spec = self.tools[first.tool]
        if first.tool == REPORT_PROGRESS:
            for call in same:
                await self._progress(call, story)
            return
        answered, done = await self._outcome(first, spec, story)
        await self._record(story, first, answered, done)
        for call in others:
            await self._record(story, call, answered.model_copy(update={"call_id": call.call_id}))

    async def _outcome(
        self, call: ToolCall, spec: ToolSpec, story: AgentLoopState
    ) -> tuple[AgentToolAnswered, Done | None]:
        external = spec.effects is Effects.EXTERNAL
        before = story.answer_to(CallKey.of(call)) if external else None
        if before is not None and (before.error is None or before.error.code in DOUBTFUL):
            # it has happened, or nobody knows whether it has: the effect is that of the cause, not of its repetition
            return before.model_copy(update={"call_id": call.call_id, "step": len(story.steps)}), None
        try:
            done = await self._call(call, spec, story)
        except ToolError as error:
            return self._refusal(call, error, len(story.steps)), None
        answered = AgentToolAnswered(
            todo_id=story.todo_id,
            step=len(story.steps),
            call_id=call.call_id,
            tool=call.tool,
            result=done.result,
            attachments=done.attachments,
        )
        return answered, done

    async def _call(self, call: ToolCall, spec: ToolSpec, story: AgentLoopState) -> Done:
        """Raises ToolError. That it begins is recorded first, so that whoever finds it begun knows of a crash."""
        dispatched = self._as_todo(call, spec, story)
        if call.call_id not in story.begun:
            begun = AgentToolCalled(todo_id=story.todo_id, step=len(story.steps), call_id=call.call_id, tool=call.tool)
            await self.attempt.record(f"called:{call.call_id}", begun, sure=True)
            story.take(begun)
        elif spec.effects is Effects.EXTERNAL:
            died = ToolFault(Code.TOOL_CRASHED, f"the executor of {call.tool} ended in the middle of the call")
            if found := await self.runner.reconcile(self.run_id, spec, dispatched, died):
                return found
        done = await self.runner.execute(self.run_id, spec, dispatched, _Heard(self.attempt, self._fraction(story)))
        self.runner.check_result(spec, done)
        return done

    def _as_todo(self, call: ToolCall, spec: ToolSpec, story: AgentLoopState) -> TodoDispatched:
        """The call as the runner takes it. Tool and arguments key its effect within the todo (invariant I8)."""
        dispatched = self.attempt.dispatched
        takes = {one.type for one in spec.consumes}
        item = dispatched.todo.model_copy(
            update={
                "id": f"{dispatched.todo.id}:{call.tool}",
                "tool": call.tool,
                "params": call.arguments,
                "timeout_seconds": spec.timeout_seconds,
            }
        )
        files = {file.artifact_id: file for file in (*dispatched.inputs, *story.attachments()) if file.type in takes}
        return dispatched.model_copy(update={"todo": item, "inputs": tuple(files.values()), "upstream": ()})

    async def _progress(self, call: ToolCall, story: AgentLoopState) -> None:
        """The model's words for the progress log, or else those of the pack for what it does in this step."""
        given = plain(call.arguments.get("title") or "", TITLE_LIMIT).strip()
        title = given or self._title(call, story)
        description = plain(call.arguments.get("description") or "", 500).strip()
        word = TodoProgressed(
            todo_id=story.todo_id,
            attempt=self.attempt.dispatched.attempt,
            fraction=self._fraction(story),
            title=title,
            message=description or title,
        )
        answered = AgentToolAnswered(
            todo_id=story.todo_id,
            step=len(story.steps),
            call_id=call.call_id,
            tool=call.tool,
            result={"title": title, "description": description},
        )
        await self.attempt.record(f"answered:{call.call_id}", word, answered, sure=True)
        story.take(answered)

    def _title(self, call: ToolCall, story: AgentLoopState) -> str:
        """The static map: `progress.<tool>` of the pack whose tool is called beside it."""
        catalogue, language = self.runner.catalogue, self.attempt.dispatched.language
        calls = story.last.calls if story.last else ()
        beside = next((one.tool for one in calls if one.tool != REPORT_PROGRESS), self.attempt.dispatched.todo.tool)
        pack, _, tool = beside.partition(".")
        try:
            return catalogue.packs[pack].text(language, f"progress.{tool}")
        except KeyError:
            return catalogue.title(beside, language)

    def _fraction(self, story: AgentLoopState) -> float:
        return bounded((len(story.steps) - 1) / self.agent.max_steps)

    def _refusal(self, call: ToolCall, error: ToolError, step: int = 0) -> AgentToolAnswered:
        language = self.attempt.dispatched.language
        info: ErrorInfo = told(error, language, self.runner.catalogue.say)
        return AgentToolAnswered(
            todo_id=self.attempt.todo_id, step=max(step, 1), call_id=call.call_id, tool=call.tool, error=info
        )

    async def _record(
        self, story: AgentLoopState, call: ToolCall, answered: AgentToolAnswered, done: Done | None = None
    ) -> None:
        event: Event = answered
        timers, cancelled = (done.timers, done.cancel_timers) if done else ((), ())
        key = f"answered:{call.call_id}"
        await self.attempt.record(key, event, sure=True, timers=timers, cancel_timers=cancelled)
        story.take(event)


@dataclass(frozen=True, slots=True)
class _Heard:
    """Progress of a call is no progress of the loop; its lines are shown."""

    attempt: Attempt
    fraction: float

    async def progress(self, fraction: float, message: str) -> None:
        await self.attempt.progress(self.fraction, message)

    def log(self, line: str) -> None:
        self.attempt.log(line)


async def _together(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """All at once. The first that raises ends the others, and what it raised is raised as it is."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
