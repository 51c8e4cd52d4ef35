"""A pack among the others: names that two of them have, tools that nobody has, sentences that another understands."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from backbone.packs import MANIFEST, Pack
from contracts.tools import ToolSpec
from dream.packs.files import AGENT, Files, Finding

if TYPE_CHECKING:
    from understanding.offline.understand import SentenceReader


def among(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    """What collides with the other packs, and what is named and not there."""
    tools = {tool.tool_key: tool for pack in others.values() for tool in pack.tools}
    tools |= {tool.tool_key: tool for tool in files.tools.values()}
    yield from _names(files, others)
    yield from _intents(files, tools)
    yield from _agents(files, tools)
    for path, flow in files.flows.items():
        if flow.tool not in tools:
            yield Finding(path, "tool_unknown", flow.tool, flow.flow)
    if files.manifest:
        manifest = files.folder / MANIFEST
        named = [todo.tool for command in files.manifest.commands for todo in command.todos]
        for tool in dict.fromkeys([*named, *filter(None, [files.manifest.synthesis])]):
            if tool not in tools:
                yield Finding(manifest, "tool_unknown", tool, files.name)


def _names(files: Files, others: Mapping[str, Pack]) -> Iterator[Finding]:
    for name, other in others.items():
        # with the same label it is meant to be the other's: the packs teach one intent together
        taken = {intent.intent: intent.label for intent in other.intents}
        for intent in files.intents:
            if intent.intent in taken and intent.label != taken[intent.intent]:
                yield Finding(files.folder / "intents.yaml", "intent_taken", intent.intent, name)
        commands = {command.name for command in other.manifest.commands}
        for command in files.manifest.commands if files.manifest else ():
            if command.name in commands:
                yield Finding(files.folder / MANIFEST, "command_taken", f"/{command.name}", name)
        for path, flow in files.flows.items():
            if flow.flow in other.flows:
                yield Finding(path, "flow_taken", flow.flow, name)


def _intents(files: Files, tools: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    path = files.folder / "intents.yaml"
    flows = {flow.flow for flow in files.flows.values()}
    seen: set[str] = set()
    for intent in files.intents:
        if intent.intent in seen:
            yield Finding(path, "intent_twice", intent.intent)
        seen.add(intent.intent)
        if intent.tool and intent.tool not in tools:
            yield Finding(path, "tool_unknown", intent.tool, intent.intent)
        if intent.flow and intent.flow not in flows:
            yield Finding(path, "flow_unknown", intent.flow, intent.intent)


def _agents(files: Files, tools: Mapping[str, ToolSpec]) -> Iterator[Finding]:
    names = {agent.agent for agent in files.agents.values()}
    for path, tool in files.tools.items():
        wanted = tool.entry.removeprefix(f"{AGENT}{files.name}.")
        if tool.entry.startswith(AGENT) and wanted not in names:
            yield Finding(path, "agent_unknown", tool.entry, tool.tool_key)
    for path, agent in files.agents.items():
        for key in agent.tools:
            if key not in tools:
                yield Finding(path, "tool_unknown", key, agent.agent)
            elif tools[key].groups:
                yield Finding(path, "tool_grouped", key, ", ".join(tools[key].groups))


PLAIN = 0.9
"""Chance of an example's own intent from which on it is not looked at closely."""


def nearer_elsewhere(pack: Pack, others: Mapping[str, Pack], model: "SentenceReader") -> Iterator[Finding]:
    """Examples that are understood as an intent of another pack, measured with what the product understands with:
    `model` is built over all of them."""
    from datetime import UTC, datetime

    from contracts.cognitive import CognitiveInput

    owner = {spec.intent: name for name, other in others.items() for spec in other.intents}
    now = datetime.now(UTC)
    for spec in pack.intents:
        mine = ".".join(spec.intent.split(".")[:2])
        for language, examples in spec.examples.items():
            likely = model.intents.read_all(examples)  # all at once, which tells where to look closely
            for example, read in zip(examples, likely, strict=True):
                if read.sure and read.best.name == mine and read.best.confidence >= PLAIN:
                    continue
                found = model.understand(CognitiveInput.model_validate({"text": example, "language": language}), now)
                name = found.tasks[0].intent if found.tasks else found.intent.name
                whose = {owner.get(one) for one in owner if one == name or one.startswith(f"{name}.")}
                if name != mine and not found.ambiguities and whose - {None, pack.name}:
                    value = f"{spec.intent} ({language}): {example}"
                    yield Finding(pack.folder / "intents.yaml", "example_near", value, name)
