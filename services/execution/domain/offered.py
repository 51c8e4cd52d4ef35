"""Which tools an agent loop may call: those that its specification names, and the word of progress."""

from collections.abc import Mapping

from contracts.agents import REPORT_PROGRESS
from contracts.packs import AgentSpec
from contracts.tools import ToolSpec

NO_TOOLS = ("agent:", "model:")
"""`entry` of what is a todo of its own: another loop, a model."""


def offered(agent: AgentSpec, catalogue: Mapping[str, ToolSpec]) -> dict[str, ToolSpec]:
    """The tools that are there and can be called in a loop, by key."""
    wanted = dict.fromkeys((REPORT_PROGRESS, *agent.tools))
    return {key: catalogue[key] for key in wanted if key in catalogue and not why_not_callable(catalogue[key])}


def why_not_callable(spec: ToolSpec) -> str:
    """Why a tool cannot be called in a loop; empty when it can. For whoever wrote the agent."""
    if spec.tool_key == REPORT_PROGRESS:
        return ""
    if spec.groups:
        return f"{spec.tool_key} needs a lease on {', '.join(spec.groups)}: only a todo of its own can wait for one"
    if spec.entry.startswith(NO_TOOLS):
        return f"{spec.tool_key} is no tool but {spec.entry!r}: give it a todo of its own"
    return ""
