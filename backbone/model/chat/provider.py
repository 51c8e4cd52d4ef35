"""A chat model behind the port: asks, checks, has the answer mended once, and counts what it cost. What tokens cost,
from prices.yaml."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from backbone.errors import HandlingError
from backbone.model.answers import AnswerUnusable, read_answer, spoken_field
from backbone.model.chat.faults import RequestFault
from backbone.model.chat.functions import ANSWER, CallUnusable, Function, answer_function, calls_of, functions_of
from backbone.model.chat.patience import Tally, patiently
from backbone.model.chat.stream import Written, read_stream
from backbone.model.faults import ModelDeclined, ModelUnavailable
from backbone.model.messages import ModelMessage, hash_of, loop, question
from backbone.model.port import Answer, LoopAnswer, LoopRequest, ModelAnswer, ModelRequest, OnChunk
from backbone.model.prompts import PromptBook, shown
from backbone.model.wording import wording
from backbone.telemetry import metrics, tracing
from contracts.agents import NextStep
from contracts.errors import Code, ErrorInfo
from contracts.model import ModelCalled

log = logging.getLogger(__name__)

NOT_TAKEN = (400, 422, 501)
"""Statuses by which servers say that they know no functions."""


@dataclass(slots=True)
class ChatProvider:
    """See backbone.model.port.ModelProvider. `model` is LangChain's; `name` is provider:model."""

    model: Any
    name: str
    prompts: PromptBook
    seconds: float
    takes_functions: bool = True
    """Whether answers may be asked for as a function's arguments; found out when the server says no."""

    async def ask(self, request: ModelRequest[Answer]) -> ModelAnswer[Answer]:
        """Raises ModelUnavailable, ModelDeclined and PromptInvalid."""
        call = _Call(self, request, question(self._prompt(request), request.variables, request.conversation))
        if spoken_field(request.answer):
            return await call.until_good(lambda wrote: _checked(request, wrote.text), on_chunk=request.on_chunk)
        if self.takes_functions:
            try:
                return await call.until_good(
                    lambda wrote: _checked(request, _arguments(wrote)),
                    functions=[answer_function(request.answer)],
                    told=wording("call", name=ANSWER),
                )
            except _NoFunctions:
                log.info("this model takes no functions", extra={"model": self.name})
                self.takes_functions = False
        told = f"{wording('json')}\n{shown(request.answer.model_json_schema())}"
        return await call.until_good(lambda wrote: _checked(request, _arguments(wrote)), told=told)

    async def step(self, request: LoopRequest) -> LoopAnswer:
        """Raises ModelUnavailable, ModelDeclined and PromptInvalid."""
        prompt = self._prompt(request)
        call = _Call(self, request, loop(prompt, request.state, request.conversation))
        taken = [one.call_id for message in request.state.messages for one in message.calls]

        def read(wrote: Written) -> NextStep:
            if wrote.calls:
                return NextStep(text=wrote.text.strip(), calls=calls_of(wrote.calls, request.tools, taken))
            if not wrote.text.strip():
                raise AnswerUnusable("it is empty")
            return NextStep(text=wrote.text.strip())

        try:
            answered = await call.until_good(
                read, functions=functions_of(request.tools), mend="mend_calls", on_chunk=request.on_chunk
            )
        except _NoFunctions as error:
            raise call.failed(error.fault) from error
        return LoopAnswer(answered.answer, answered.called)

    def _prompt(self, request: ModelRequest[Any] | LoopRequest) -> Any:
        return self.prompts.find(request.prompt_id)

    def with_functions(self, functions: Sequence[Function]) -> Any:
        """The model with its functions; the one function of an answer has to be called."""
        if not functions:
            return self.model
        only = functions[0]["function"]["name"] == ANSWER
        try:
            return self.model.bind_tools(list(functions), **({"tool_choice": ANSWER} if only else {}))
        except NotImplementedError:
            raise _NoFunctions(RequestFault(Code.MODEL_MISCONFIGURED, "it takes no functions")) from None


class _NoFunctions(Exception):
    """The server takes no functions, or not this way."""

    def __init__(self, fault: RequestFault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def _arguments(wrote: Written) -> str:
    return next((call.arguments for call in wrote.calls if call.name == ANSWER), "") or wrote.text


def _checked(request: ModelRequest[Answer], text: str) -> Answer:
    answer = read_answer(request.answer, text)
    problem = request.problem(answer) if request.problem else None
    if problem:
        raise AnswerUnusable(problem)
    return answer


class _Call:
    """One answer in the making: its messages, its cost, its record."""

    def __init__(
        self, provider: ChatProvider, request: ModelRequest[Any] | LoopRequest, messages: list[ModelMessage]
    ) -> None:
        self._provider = provider
        self._request = request
        self._messages = messages
        self._tally = Tally()
        self._start = time.perf_counter()
        self._repaired = False

    async def until_good(
        self,
        read: Callable[[Written], Answer],
        *,
        functions: Sequence[Function] = (),
        told: str = "",
        mend: str = "mend",
        on_chunk: OnChunk | None = None,
    ) -> ModelAnswer[Answer]:
        """What `read` makes of the output, which the model may mend once."""
        messages = [*self._messages, ModelMessage("system", told)] if told else self._messages
        wrote = await self._written(messages, functions, on_chunk)
        try:
            answer = _uncut(wrote, read)
        except (AnswerUnusable, CallUnusable) as problem:
            self._repaired = True
            if on_chunk:
                on_chunk("")
            wish = ModelMessage("user", wording(mend, problem=str(problem)))
            wrote = await self._written([*messages, ModelMessage("assistant", wrote.echo), wish], functions, on_chunk)
            try:
                answer = _uncut(wrote, read)
            except (AnswerUnusable, CallUnusable) as again:
                fault = RequestFault(Code.MODEL_OUTPUT_INVALID, "its answer cannot be used")
                # the reason may have the model's words in it: the record has them anyway, a log must not
                raise self.failed(fault, problem=str(again)) from None
        metrics.MODEL_CALLS.labels(self._request.role.value, self._maker, "answered").inc()
        return ModelAnswer(answer, self._record(answer))

    async def _written(
        self, messages: Sequence[ModelMessage], functions: Sequence[Function], on_chunk: OnChunk | None
    ) -> Written:
        model, seconds = self._provider.with_functions(functions), self._provider.seconds

        def again() -> None:
            if on_chunk:
                on_chunk("")

        try:
            return await patiently(lambda: read_stream(model, messages, seconds, on_chunk), self._tally, again)
        except RequestFault as fault:
            if functions and fault.status in NOT_TAKEN and fault.code is Code.MODEL_MISCONFIGURED:
                raise _NoFunctions(fault) from fault
            raise self.failed(fault) from fault

    def failed(self, fault: RequestFault, **detail: str) -> HandlingError:
        """The fault as the port says it, with the record of what was tried."""
        told = f"{self._provider.name}: {fault.told}"
        metrics.MODEL_CALLS.labels(self._request.role.value, self._maker, fault.code.name.lower()).inc()
        error = ErrorInfo(code=fault.code, message=told, retryable=fault.passing, detail={**detail})
        called = self._record(None).model_copy(update={"error": error})
        if fault.passing:
            return ModelUnavailable(fault.code, told, called, fault.wait or 1.0)
        return ModelDeclined(fault.code, told, called)

    @property
    def _maker(self) -> str:
        return self._provider.name.partition(":")[0]

    def _record(self, answer: BaseModel | None) -> ModelCalled:
        maker, _, model = self._provider.name.partition(":")
        tally, role = self._tally, self._request.role
        metrics.MODEL_TOKENS.labels(role.value, maker, "input").inc(tally.input_tokens)
        metrics.MODEL_TOKENS.labels(role.value, maker, "output").inc(tally.output_tokens)
        cost, seconds = cost_of(model, tally.input_tokens, tally.output_tokens), time.perf_counter() - self._start
        metrics.MODEL_COST.labels(role.value, maker).inc(cost)
        metrics.MODEL_SECONDS.labels(role.value, maker).observe(seconds, tracing.exemplar())
        return ModelCalled(
            role=role,
            provider=maker,
            model=model,
            prompt_id=self._request.prompt_id,
            prompt_hash=hash_of(self._messages),
            output=answer.model_dump(mode="json", exclude_defaults=True) if answer is not None else {},
            input_tokens=tally.input_tokens,
            output_tokens=tally.output_tokens,
            cost=cost,
            latency_seconds=round(seconds, 6),
            repaired=self._repaired,
            attempts=max(1, tally.attempts),
            todo_id=self._request.todo_id,
        )


def _uncut(wrote: Written, read: Callable[[Written], Answer]) -> Answer:
    if wrote.is_cut:
        raise AnswerUnusable("it is longer than allowed, and was cut")
    return read(wrote)


PATH = Path(__file__).with_name("prices.yaml")
PER = 1_000_000


@lru_cache(maxsize=1)
def _prices() -> dict[str, tuple[float, float]]:
    found = yaml.safe_load(PATH.read_text(encoding="utf-8"))
    return {name: (float(read), float(written)) for name, (read, written) in found.items()}


def cost_of(model: str, input_tokens: int, output_tokens: int) -> float:
    """USD. A model whose name nobody knows costs nothing."""
    known = max((name for name in _prices() if model.startswith(name)), key=len, default=None)
    if known is None:
        return 0.0
    read, written = _prices()[known]
    return round((input_tokens * read + output_tokens * written) / PER, 8)
