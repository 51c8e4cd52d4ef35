"""What the spans of a run say of themselves. Never words of a person, a prompt, a result or an amount."""

from collections.abc import Mapping
from uuid import UUID

from backbone.telemetry import names
from backbone.telemetry.facts import EventPart
from backbone.telemetry.spans import Attribute


def of_run(session_id: UUID, run_id: UUID, end: str, event: EventPart) -> dict[str, Attribute]:
    """The root."""
    return {
        names.GEN_AI_OPERATION: names.INVOKE_WORKFLOW,
        names.GEN_AI_CONVERSATION_ID: str(session_id),
        names.RUN_ID: str(run_id),
        names.RUN_OUTCOME: _outcome(end, event),
        names.SPAN_KIND: "CHAIN",
    }


def _outcome(end: str, event: EventPart) -> str:
    match end:
        case "RunCompleted":
            return "partial" if event.partial else "completed"
        case "RunFailed":
            return "failed"
        case _:
            return f"cancelled:{event.reason}"


def of_layer(name: str, run_id: UUID, known: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """One of the four layers."""
    return {
        names.LAYER: name,
        names.GEN_AI_AGENT_NAME: name,
        names.RUN_ID: str(run_id),
        names.SPAN_KIND: "AGENT",
        **known,
    }


def of_model(event: EventPart) -> dict[str, Attribute]:
    """A call of a model."""
    return {
        names.GEN_AI_OPERATION: names.CHAT,
        names.GEN_AI_PROVIDER: event.provider,
        names.GEN_AI_REQUEST_MODEL: event.model,
        names.GEN_AI_PROMPT_NAME: event.prompt_id,
        names.GEN_AI_INPUT_TOKENS: event.input_tokens,
        names.GEN_AI_OUTPUT_TOKENS: event.output_tokens,
        names.MODEL_ROLE: event.role,
        names.MODEL_ATTEMPTS: event.attempts,
        names.SPAN_KIND: "LLM",
    }


def of_question(asked: EventPart, outcome: str) -> dict[str, Attribute]:
    """A question to a person, and the wait for the answer."""
    return {
        names.DECISION_ID: str(asked.decision_id),
        names.DECISION_KIND: asked.kind,
        names.DECISION_OUTCOME: outcome,
        names.SPAN_KIND: "CHAIN",
    }


def of_todo(number: int, plain_id: str, tool: str, executor: str, attempts: int, outcome: str) -> dict[str, Attribute]:
    """A step of the plan, over all its attempts."""
    attributes: dict[str, Attribute] = {
        names.TODO_NUMBER: number,
        names.GEN_AI_TOOL_NAME: tool,
        names.TODO_EXECUTOR: executor,
        names.TODO_ATTEMPTS: attempts,
        names.TODO_OUTCOME: outcome,
        names.SPAN_KIND: "CHAIN",
    }
    if plain_id[:1] == "t" and plain_id[1:].isdigit():
        # t1, t2 …: a model that plans may put words of the person into other ids
        attributes[names.TODO_ID] = plain_id
    return attributes


def of_attempt(number: int, outcome: str) -> dict[str, Attribute]:
    """One try of a todo."""
    return {names.ATTEMPT: number, names.ATTEMPT_OUTCOME: outcome, names.SPAN_KIND: "CHAIN"}


def of_tool(tool: str, call: UUID) -> dict[str, Attribute]:
    """A call of a tool; `call` is the event that it follows from."""
    return {
        names.GEN_AI_OPERATION: names.EXECUTE_TOOL,
        names.GEN_AI_TOOL_NAME: tool,
        names.GEN_AI_TOOL_CALL_ID: str(call),
        names.SPAN_KIND: "TOOL",
    }
