"""Names in spans, in one place: OpenTelemetry's messaging and GenAI conventions are in development, and change.

Ours begin with `dream.`. What a person said, prompts, results, amounts and payees have no name here: ids, types, names
of tools and intents, counts and codes are all that leaves."""

from typing import Final

MESSAGING_SYSTEM: Final = "messaging.system"
MESSAGING_OPERATION_NAME: Final = "messaging.operation.name"
MESSAGING_OPERATION_TYPE: Final = "messaging.operation.type"
MESSAGING_DESTINATION_TEMPLATE: Final = "messaging.destination.template"
MESSAGING_CONSUMER_GROUP: Final = "messaging.consumer.group.name"
MESSAGING_MESSAGE_ID: Final = "messaging.message.id"
MESSAGING_CONVERSATION_ID: Final = "messaging.message.conversation_id"
MESSAGING_BATCH_COUNT: Final = "messaging.batch.message_count"

GEN_AI_OPERATION: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER: Final = "gen_ai.provider.name"
GEN_AI_REQUEST_MODEL: Final = "gen_ai.request.model"
GEN_AI_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_CONVERSATION_ID: Final = "gen_ai.conversation.id"
GEN_AI_AGENT_NAME: Final = "gen_ai.agent.name"
GEN_AI_TOOL_NAME: Final = "gen_ai.tool.name"
GEN_AI_TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
GEN_AI_PROMPT_NAME: Final = "gen_ai.prompt.name"
ERROR_TYPE: Final = "error.type"

RUN_ID: Final = "dream.run.id"
RUN_OUTCOME: Final = "dream.run.outcome"
LAYER: Final = "dream.layer"
INTENT: Final = "dream.intent"
ROUTE: Final = "dream.route"
DECISION_ID: Final = "dream.decision.id"
DECISION_KIND: Final = "dream.decision.kind"
DECISION_OUTCOME: Final = "dream.decision.outcome"
TODO_ID: Final = "dream.todo.id"
TODO_NUMBER: Final = "dream.todo.number"
TODO_ATTEMPTS: Final = "dream.todo.attempts"
TODO_OUTCOME: Final = "dream.todo.outcome"
TODO_EXECUTOR: Final = "dream.todo.executor"
ATTEMPT: Final = "dream.attempt"
ATTEMPT_OUTCOME: Final = "dream.attempt.outcome"
MODEL_ROLE: Final = "dream.model.role"
MODEL_ATTEMPTS: Final = "dream.model.attempts"
DELIVERY_ATTEMPT: Final = "dream.delivery.attempt"
SPAN_KIND: Final = "openinference.span.kind"
"""How Phoenix and its kin pick an icon: CHAIN, AGENT, TOOL, LLM."""

INVOKE_WORKFLOW: Final = "invoke_workflow"
EXECUTE_TOOL: Final = "execute_tool"
CHAT: Final = "chat"
WAIT: Final = "wait_for_person"
WORKFLOW: Final = "dream.run"
"""The name of our one workflow: a run."""


def service(name: str) -> str:
    """`service.name` of a service."""
    return f"dream-{name}"


def sending(type_: str) -> str:
    """Name of a PRODUCER span: operation and destination, as the conventions ask. The type stands for the subject, the
    end of which the lists of viewers cut off; the subject is an attribute."""
    return f"send {type_}"


def processing(type_: str, handler: str) -> str:
    """Name of a CONSUMER span; many viewers do not show the service in their lists."""
    return f"process {type_} by {handler}"


def destination(producer: str, type_: str) -> str:
    """The subject without what differs from message to message."""
    return f"evt.*.*.{producer}.{type_}"
