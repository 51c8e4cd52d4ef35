"""The files of a pack, as data: manifest, intents, topics and commands. Tools are in contracts.tools."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.cognitive import OutputFormat, Route
from contracts.planning import JoinKind, TodoId, TodoRole
from contracts.shape import ArtifactType, Contract, JsonObject, ToolKey
from contracts.tools import ErrorPolicy

PackName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
PerLanguage = dict[str, tuple[str, ...]]
Entry = Annotated[str, Field(pattern=r"^[\w.]+:[\w]+$", description="import path, module:function")]


class CommandTodo(Contract):
    """A todo of a command's plan. `repeat` names an integer argument: that many parallel copies."""

    tool: ToolKey
    repeat: str | None = None
    params: JsonObject = Field(default_factory=dict)
    arguments: bool = Field(default=False, description="the command's arguments are parameters of its tool")
    id: TodoId | None = Field(default=None, description="so that later todos can wait for it")
    depends_on: tuple[TodoId, ...] | None = Field(default=None, description="none = whatever makes what it consumes")
    wants: tuple[TodoId, ...] = ()
    join: JoinKind = JoinKind.ALL
    join_count: int | None = None
    on_error: ErrorPolicy | None = Field(default=None, description="none = the tool's")
    retries: int | None = None
    timeout_seconds: float | None = None
    role: TodoRole = TodoRole.STEP
    until: JsonObject | None = None
    repeat_from: TodoId | None = None
    rounds: int = 3


class CommandSpec(Contract):
    """A slash command: its arguments by position, and the todos it stands for. With `named` they may also be given as
    name=value, or all of them as one JSON object."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    args_schema: JsonObject
    positional: tuple[str, ...] = ()
    named: bool = False
    todos: tuple[CommandTodo, ...] = Field(min_length=1)


class IntentSpec(Contract):
    """An intent a pack understands: DOMAIN.category[.subcategory], with example sentences per language."""

    intent: str = Field(pattern=r"^[A-Z][A-Z0-9_]*(\.[a-z][a-z0-9_]*){0,2}$")
    route: Route = Route.PLAN
    goals: tuple[ArtifactType, ...] = ()
    tool: ToolKey | None = Field(default=None, description="one call of it, with the slots as parameters, is the work")
    flow: str | None = Field(default=None, description="for route flow: the flow of this pack that is led")
    reader: Entry | None = Field(default=None, description="reads the slots of a clause: contracts.reading.Reader")
    requires: tuple[str, ...] = Field(default=(), description="slots without which the person is asked")
    varies: tuple[str, ...] = Field(
        default=(),
        description="slots that the next sentence may change after it was done, if it says little else (and Lisbon?)",
    )
    approve: Literal["person", "policy"] = Field(
        default="person", description="policy: a plan of nothing but such intents runs without being asked about"
    )
    looks: tuple[str, ...] = Field(
        default=(), description="values of the slot `action` that only look something up: policy approves them too"
    )
    asks: tuple[str, ...] = Field(
        default=(), description="values of the slot `action` that the person approves although the rest is by policy"
    )
    formats: tuple[OutputFormat, ...] = ()
    needs: tuple[ArtifactType, ...] = Field(default=(), description="inputs only the person can bring")
    reads: tuple[ArtifactType, ...] = Field(
        default=(), description="inputs whose content it tells: who names such a file in a sentence means this intent"
    )
    instead: str | None = Field(
        default=None, description="the intent that is meant with a file there which that one reads"
    )
    having: tuple[str, ...] = Field(
        default=(), description="roles of columns with which such a file is for this intent, and not for the other"
    )
    opens: PerLanguage = Field(
        default_factory=dict, description="questions about what such inputs hold: they teach where there is one, only"
    )
    answer: str | None = Field(default=None, description="text key of the answer, for route answer")
    courtesy: bool = Field(default=False, description="for route answer: a greeting or thanks, answered if plainly one")
    declines: bool = Field(default=False, description="for route answer: what no pack does, and the answer says so")
    requires_for: tuple[str, ...] = Field(
        default=(), description="values of the slot `action` with which `requires` holds; none = with any"
    )
    figures: tuple[str, ...] = Field(
        default=(), description="required slots that are figures: the words of an answer are never taken as they stand"
    )
    private: dict[str, Literal["name", "note"]] = Field(
        default_factory=dict,
        description="slots that name somebody (name) or hold what a person wants to be kept (note): exports mask them",
    )
    recalls: bool = Field(
        default=False, description="models may be shown what was kept before: exports leave out what they said there"
    )
    looks_back: bool = Field(
        default=False,
        description="it looks up what was said before: sentences before the one that asks for it say what that was",
    )
    label: str = Field(description="text key of a short name, shown as an option in questions")
    examples: PerLanguage


class SlotSpec(Contract):
    """One thing that a flow has to know. `validator` is code: contracts.reading.Validator."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    type: Literal["text", "money", "date", "time", "number"]
    required: bool = True
    key: bool = Field(default=False, description="tells tasks apart: who says another value of it says another task")
    validator: Entry | None = None
    question: str | None = Field(
        default=None,
        description="text key of the question for it; may name other slots; none: flow.<flow>.ask_<slot> or a default",
    )
    private: Literal["name", "note"] | None = Field(
        default=None, description="as in intents.yaml: it says who somebody is, or what a person wants to be kept"
    )
    spelling_tolerant: bool = Field(
        default=False,
        description="a name: with and without titles and endings it is the same when readings are judged",
    )
    unfit: str | None = Field(default=None, description="text key for a {value} that is not of the type; ours without")
    within: str | None = Field(
        default=None, description="a slot that limits what this one may be: another value of it may admit a refused one"
    )


class FlowSpec(Contract):
    """flows/<name>.yaml: a dialogue that fills slots, asks for the person's word, and calls one tool per task.

    Texts are keys of the pack, flow.<name>.…; what it does not say, the platform says for it (flow.default.…):
    `ready` (the first message said all: may it be done?), `ready_again` (the same after a question or a correction,
    or when it also said what it need not), `ready_first` (the first of several that said all), `ready_batch` (one
    of several otherwise), `ready_next` (the one before it was done), `executed`, `executed_all`, `executed_some`
    (others were cancelled), `cancelled`, `cancelled_next` (and the next one is complete), `failed`, `failed_next`,
    `failed_unknown` (nobody knows whether it was done), `unsupported`, `busy` (what was confirmed is being done),
    `nothing` (there is nothing to confirm or cancel), `button_confirm`, `button_cancel`. A flow whose tool may
    answer
    {"booked": true}, for what takes effect on a later day, also has `booked` and `executed_booked` (the end of several,
    some of them booked). They and the questions may name what the speaker gives, or else the slots, and {index},
    {total}, {executed}, {booked}, {reason} (in `ready_next`: `executed` of the one before), {all} (what is open). A
    question about one of several gets its "(2/2)" by itself."""

    flow: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    tool: ToolKey
    slots: tuple[SlotSpec, ...] = Field(min_length=1)
    reader: Entry = Field(description="the offline interpreter of slots: contracts.reading.Reader")
    resolver: Entry | None = Field(default=None, description="looks things up for validators: reading.Resolver")
    vocabulary: Entry | None = Field(default=None, description="names of a person's values: reading.Vocabulary")
    speaker: Entry | None = Field(default=None, description="forms of slots for texts: contracts.reading.Speaker")
    undoes: str | None = Field(
        default=None,
        description="the flow whose tasks this one takes back: a turn in which its reader finds one is for it, "
        "whatever else is open, and words that take back say yes to it; its slots to_<slot> are what <slot> is to be",
    )
    recall: Entry | None = Field(default=None, description="answers from what was done: contracts.reading.Recall")
    confirm: PerLanguage = Field(
        default_factory=dict,
        description="regular expressions that are a whole turn which confirms; none = the platform's",
    )
    cancel: PerLanguage = Field(default_factory=dict, description="the same, which cancels the task")
    declines: PerLanguage = Field(
        default_factory=dict,
        description="regular expressions of the beginning of a turn that wants nothing of what `ready` offers beside "
        "the task; an order behind it confirms",
    )
    max_fill_turns: int = Field(default=5, ge=1, le=20)


class AgentSpec(Contract):
    """agents/<name>.yaml: a model that calls tools until it has an answer (source design 003).

    A tool with `entry: agent:<pack>.<name>` is this loop. `policy` decides where there is no model."""

    agent: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    prompt: str = Field(description="id of the prompt, file.name@version of the pack's prompts")
    tools: tuple[ToolKey, ...] = ()
    policy: Entry = Field(description="the offline model of the loop: contracts.agents.Policy")
    max_steps: int = Field(default=8, ge=1, le=50)
    max_tokens: int = Field(default=60_000, ge=1, description="budget of all its model calls")
    repeats: int = Field(default=2, ge=1, description="the same call with the same arguments at most")


class TopicSpec(Contract):
    """A thing that can be asked for beside the main intent; its words in the sentence add `goal` to the plan."""

    goal: ArtifactType
    label: str
    words: PerLanguage = Field(description="regular expressions per language, matched case-insensitively")
    names: PerLanguage = Field(
        default_factory=dict, description="nouns for it, by which it can be left out, though they do not ask for it"
    )


class FollowUp(Contract):
    """What may be proposed when work is done: `text` is the label, and `<text>_text` the sentence that is said then."""

    text: str = Field(description="text key of the pack")
    makes: ArtifactType = Field(description="proposed while a tool can make it and it was not made")
    after: tuple[str, ...] = Field(min_length=1, description="types, or beginnings of types, of which one was made")


class PackManifest(Contract):
    """pack.yaml"""

    name: PackName
    version: int = Field(ge=1)
    title: dict[str, str]
    synthesis: ToolKey | None = Field(
        default=None, description="brings together what several workers of the pack found (SWARM)"
    )
    database: bool = Field(default=False, description="has tables of its own: migrations/*.sql, contracts.tables")
    unasked: bool = Field(default=True, description="false = loaded only where DREAM_PACKS names it")
    follow_ups: tuple[FollowUp, ...] = Field(default=(), description="what to propose next, the likeliest first")
    commands: tuple[CommandSpec, ...] = ()
