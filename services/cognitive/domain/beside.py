"""What a sentence asks for beside a dialogue: what may be done without a question is done at once, beside it."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from contracts.cognitive import CognitiveOutput, Intent, PlanHint, Route, Task
from contracts.packs import IntentSpec

OTHER_WORK = 0.5
LONGEST = 200
MOST_ENDS, MOST_WORDS, MOST_PARTS = 3, 4, 20
_ENDS = re.compile(r"[.!?~\u3002\uff01\uff1f\u3001,;]+\s*")
_SPACES = re.compile(r"\s+")
_SIGNS = " \t\n.,!?~;\u3001\u3002\uff01\uff1f"
_GOVERNS_NOTHING = frozenset(
    ["no", "nope", "nah", "it", "that", "this", "them", "all", "everything", "mind", "nevermind"]
)
"""Words of English behind which no object stands."""
_JOINS = re.compile(r"(?i)(?:and|then|but|so|instead|rather|just|let.?s|i|please|can|could)\b")
_AND = re.compile(r"(?i)\s(?:and|then|but|also|plus)$")
_ADDS = frozenset({"add", "remember"})
"""Actions for which all that an intent requires has to be there."""


def work_beside(
    output: CognitiveOutput, specs: Mapping[str, IntentSpec], led: Collection[str]
) -> CognitiveOutput | None:
    """The other work of an output that begins a dialogue (`led`: the intents of dialogues), as an output of its own;
    None: there is none, or not all of it can be done without asking."""
    others = [task for task in output.tasks if task.intent not in led]
    if not others or not all(_is_ready(task, specs, asked=not output.auto_approve) for task in others):
        return None
    return _only(output, others)


def is_beside_work(output: CognitiveOutput, led: Collection[str]) -> bool:
    """Whether what begins a dialogue stands beside work that is no dialogue's."""
    return {task.intent in led for task in output.tasks} == {True, False}


def taken_back_first(text: str) -> Iterator[tuple[str, str]]:
    """Ways to divide a turn into a few words that may take something back, and the rest: at the ends of sentences and
    clauses first, then behind each of the first words."""
    if len(text) > LONGEST:
        return
    ends = [place.end() for place in _ENDS.finditer(text)]
    words = [place.end() for place in _SPACES.finditer(text)][:MOST_WORDS]
    for end in dict.fromkeys((*ends[:MOST_ENDS], *reversed(words))):
        drop, rest = text[:end].strip(_SIGNS), text[end:].strip()
        if end not in ends and _governs(drop) and not _JOINS.match(rest):
            continue  # "delete the call": what follows is what is to be deleted
        if drop and len(rest) > 1:
            yield drop, rest
            if drop.endswith("\uace0"):  # what goes on in Korean: its plain form is the word of no
                yield f"{drop[:-1]}\uc5b4", rest


def _governs(drop: str) -> bool:
    """Whether an object may follow: in English, where no mark is between."""
    last = drop.rpartition(" ")[2].casefold()
    return last.isascii() and last.isalpha() and last not in _GOVERNS_NOTHING


def two_parts(text: str) -> Iterator[tuple[str, str]]:
    """Ways to divide a turn in two: at the ends of sentences and clauses, then behind each word."""
    ends = [place.end() for place in _ENDS.finditer(text)]
    words = [place.end() for place in _SPACES.finditer(text)]
    if len(text) <= LONGEST and len(words) <= MOST_PARTS:
        for end in dict.fromkeys((*ends, *words)):
            first, last = text[:end].strip(_SIGNS), text[end:].strip()
            if first and len(last) > 1:
                yield first, last


def joined_parts(text: str, joins: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """Ways to divide a turn in two where one request may go on as another: at `joins`, and at the ends of clauses."""
    if len(text) > LONGEST:
        return
    for end in sorted({place.end() for sign in (joins, _ENDS) for place in sign.finditer(text)})[:MOST_PARTS]:
        first, last = _AND.sub("", text[:end].strip(_SIGNS)), text[end:].strip(_SIGNS)
        if len(first) > 1 and len(last) > 1:
            yield first, last


def behind_a_question(said: str) -> str:
    """What follows the last question of a turn ("why did you send it? Cancel it"); all of it, where nothing does."""
    return said.rpartition("?")[2].strip() or said


def is_other_work(output: CognitiveOutput) -> bool:
    """Whether what stands behind a word that takes back is plainly work, and none of a dialogue."""
    is_work = output.route is Route.PLAN and output.error is None and bool(output.tasks)
    return is_work and output.intent.confidence >= OTHER_WORK


def is_about_something(output: CognitiveOutput) -> bool:
    """Whether what was understood says more than that something be done ("cancel it, I said"), or is likely."""
    return output.intent.confidence >= OTHER_WORK or any(task.slots.keys() != {"action"} for task in output.tasks)


def _is_ready(task: Task, specs: Mapping[str, IntentSpec], *, asked: bool) -> bool:
    spec = specs.get(f"{task.intent}.{task.subcategory}" if task.subcategory else task.intent)
    if spec is None or spec.tool is None or spec.needs:
        return False
    action = str(task.slots.get("action", "add"))
    if action in _ADDS and any(task.slots.get(slot) is None for slot in spec.requires):
        return False
    by_policy = action not in spec.asks and (spec.approve == "policy" or action in spec.looks)
    return by_policy or not asked


def _only(output: CognitiveOutput, tasks: Sequence[Task]) -> CognitiveOutput:
    domain, _, category = tasks[0].intent.partition(".")
    return output.model_copy(
        update={
            "text": " ".join(task.text for task in tasks).strip() or output.text,
            "intent": Intent(domain=domain, category=category or None, confidence=output.intent.confidence),
            "alternatives": (),
            "plan_hint": PlanHint(),
            "route": Route.PLAN,
            "answer": None,
            "tasks": tuple(tasks),
            "flow": None,
            "unread": 0,
        }
    )
