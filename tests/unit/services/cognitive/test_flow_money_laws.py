"""A value belongs to the task it was said for: laws over sequences of sentences, words and ends that nobody thought of.

Every amount and memo is said once, so where a paid value came from is known: the model is the list of what was said."""

import os
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.cognitive import FlowAct, FlowAdvanced, FlowStage
from contracts.execution import ExecutionResult, ExecutionStatus, TodoStatus
from contracts.shape import JsonObject, JsonValue
from services.cognitive.domain.wording import present
from tests.unit.services.cognitive.dialogue import RULES, Dialogue, fault, output

KNOWN = ("엄마", "아빠", "용걸이", "지영")
UNKNOWN = ("춘식이", "박대리")
PEOPLE: JsonObject = {"people": {name: name in KNOWN for name in KNOWN + UNKNOWN}}
SAID = st.fixed_dictionaries(
    {},
    optional={
        "target": st.sampled_from(KNOWN + UNKNOWN),
        "amount": st.sampled_from(["new", "new", "bad"]),
        "memo": st.just("new"),
        "date": st.sampled_from(["2026-01-05", "2026-02-30"]),
    },
)
HOW = st.sampled_from([{}, {}, {"adds": True}, {"corrects": True}, {"corrects": True, "denied": True}])
SENTENCE = st.tuples(st.just("say"), st.lists(SAID, min_size=1, max_size=3), HOW)
WHOLE: st.SearchStrategy[Any] = st.tuples(
    st.just("say"), st.lists(st.fixed_dictionaries({"target": st.sampled_from(KNOWN), "amount": st.just("new")}), min_size=1, max_size=2),
    st.just({}),
)  # fmt: skip
DROP = st.tuples(
    st.just("drop"), st.sampled_from(["all", "rest", "last", "1", "2", "3", ""]), st.sampled_from(KNOWN + UNKNOWN)
)
KEEP = st.tuples(
    st.just("drop several"), st.lists(st.integers(1, 4), min_size=1, max_size=3, unique=True), st.booleans()
)
COUNTED = st.tuples(
    st.just("at"), st.sampled_from(["1", "2", "3", "9", "last"]),
    st.fixed_dictionaries({}, optional={"amount": st.sampled_from(["new", "bad"]), "memo": st.just("new")}),
)  # fmt: skip
ERASE = st.tuples(st.just("erase"), st.sampled_from([["memo"], ["date"], ["memo", "date"], ["amount"], ["target"]]))
BARE: st.SearchStrategy[Any] = st.tuples(
    st.just("say"), st.sampled_from(KNOWN).map(lambda name: [{"target": name}]), st.just({})
)
MARK = st.sampled_from([("mark", "corrects"), ("mark", "adds")])
WORD = st.sampled_from([("yes",), ("yes",), ("yes",), ("no",), ("late yes",), ("mumble",), ("later",), ("yes to all",)])
STORIES = st.lists(
    st.one_of(SENTENCE, WHOLE, WORD, WORD, DROP, KEEP, COUNTED, ERASE, BARE, MARK), min_size=3, max_size=14
)
EXAMPLES = int(os.environ.get("DREAM_LAWS", "150"))
"""Sequences: `make laws` plays 20,000."""
ENDS = st.sampled_from(["paid", "paid", "paid", "refused"])


@dataclass
class Breath:
    """The values of one task in one sentence, and which task was current, and what it had, when it was said."""

    task: dict[str, Any]
    corrects: bool
    current: dict[str, Any]


@dataclass
class Witness:
    """A session that remembers what was said and what was shown."""

    dialogue: Dialogue = field(default_factory=Dialogue)
    breaths: list[Breath] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: count(10_001))
    paid: list[JsonObject] = field(default_factory=list)

    def open_tasks(self) -> list[dict[str, Any]]:
        state = self.dialogue.last
        return [dict(state.slots), *map(dict, state.queue)] if state is not None and state.is_open else []

    def says_at(self, which: str, task: dict[str, str]) -> str:
        """Values for the task of that number, as they are counted before the person."""
        open_, state = self.open_tasks(), self.dialogue.last
        spoken = self._spoken(task)
        number = len(open_) - 1 if which == "last" else int(which) - (state.task_index if state else 1)
        if spoken and 0 <= number < len(open_):
            self.breaths.append(Breath(spoken, corrects=False, current=open_[number]))
        elif spoken:
            self.breaths.append(Breath(spoken | {"target": "nobody"}, corrects=False, current={}))
        return self.dialogue.says(*([spoken] if spoken else []), facts=PEOPLE, which=which)

    def marks(self, mark: str) -> str:
        """A bare "instead" or "too"."""
        self._answers_the_question(corrects=mark == "corrects")
        return self.dialogue.says(facts=PEOPLE, **{mark: True})

    def _answers_the_question(self, *, corrects: bool) -> None:
        open_, state = self.open_tasks(), self.dialogue.last
        if state is not None and "target" in state.refused:
            asked = {"target": state.refused["target"]}
            self.breaths.append(Breath(asked, corrects, open_[0] if open_ else {}))

    def _spoken(self, task: dict[str, str]) -> dict[str, JsonValue]:
        said: dict[str, JsonValue] = dict(task)
        if task.get("amount"):
            said["amount"] = next(self.numbers) if task["amount"] == "new" else 0
        if task.get("memo"):
            said["memo"] = f"메모{next(self.numbers)}"
        return said

    def says(self, tasks: list[dict[str, str]], how: dict[str, Any]) -> str:
        spoken: list[JsonObject] = []
        before = self.open_tasks()
        for task in tasks:
            if said := self._spoken(task):
                spoken.append(said)
                self.breaths.append(Breath(said, bool(how.get("corrects")), before[0] if before else {}))
        if not spoken:
            self._answers_the_question(corrects=bool(how.get("corrects")))
        extra = dict(how)
        if extra.pop("denied", False):
            extra["denied"] = (
                {"target": before[-1]["target"]} if before and "target" in before[-1] else {"target": "없는이"}
            )
        return self.dialogue.says(*spoken, facts=PEOPLE, **(extra if before else {}))

    def plays(self, move: tuple[Any, ...], end: str) -> None:
        before, state = self.open_tasks(), self.dialogue.last
        shown = state.message if state is not None else ""
        told = self._says(move, before, state)
        now = self.dialogue.state
        if now.stage is FlowStage.CONFIRMED:
            assert now.approval is not None
            assert move in {("yes",), ("yes to all",)}, "only a word of yes, that does nothing else, confirms"
            assert not now.also or move == ("yes to all",)
            for one in (now.approval, *now.also):
                self._was_shown(one.params, shown)
                self._was_said_for(one.params)
            self._end_together(end) if now.also else self._end(end)
            return
        assert move != ("late yes",) or before == self.open_tasks(), "an answer to an earlier question changes nothing"
        self._all_are_named(before, told, cancelled=move == ("no",))
        self._all_else_stays(move, before)
        same = state is not None and (now.stage, now.slot_errors) == (state.stage, state.slot_errors)
        if before and before == self.open_tasks() and same and not (now.slot_errors and move[0] in {"say", "at"}):
            assert told != present(RULES, now), "a turn that changed nothing says so, before the question"

    def _end(self, end: str) -> None:
        params = dict(self.dialogue.state.slots)
        waiting = [dict(one) for one in self.dialogue.state.queue]
        if end == "paid":
            self.paid.append(params)
            self.dialogue.hears(output())
        else:
            self.dialogue.hears(output("failed", fault("은행이 쉬어요.")))
        after = self.open_tasks()
        assert after == waiting or [set(one) <= set(two) for one, two in zip(after, waiting, strict=True)], (
            "none is lost"
        )

    def _end_together(self, end: str) -> None:
        """The first is done or refused, whatever comes of the others is the other way round by turns."""
        state = self.dialogue.state
        tasks = [dict(state.slots), *map(dict, state.queue)]
        done = [(number + (end == "paid")) % 2 == 1 for number in range(len(tasks))]
        results = [
            ExecutionResult(
                todo_id=f"t{number}",
                status=TodoStatus.SUCCEEDED if one else TodoStatus.FAILED,
                error=None if one else fault("은행이 쉬어요."),
            )
            for number, one in enumerate(done, 1)
        ]
        self.paid += [task for task, one in zip(tasks, done, strict=True) if one]
        ended = output().model_copy(update={"status": ExecutionStatus.PARTIAL, "results": tuple(results)})
        told = self.dialogue.hears(ended)
        left = [task for task, one in zip(tasks, done, strict=True) if not one]
        assert [move.slots for move in self.dialogue.moves if move.stage is FlowStage.EXECUTED] == [
            task for task, one in zip(tasks, done, strict=True) if one
        ]
        assert "은행이 쉬어요." in told or not left
        assert self.open_tasks() == left[1:], "what was tried and failed is told; what waits is not lost"

    def _says(self, move: tuple[Any, ...], before: list[dict[str, Any]], state: FlowAdvanced | None) -> str:
        if before and move[0] in {"at", "erase", "mark"}:
            return self._changes(move)
        late = state.turn - 1 if state and state.turn > 1 else 999
        match move:
            case ("say", tasks, how):
                told = self.says(tasks, how)
            case ("drop", which, name):
                told = self.dialogue.drops(*([{"target": name}] if not which else []), which=which, facts=PEOPLE)
            case ("drop several", places, only):
                told = self.dialogue.drops(places=tuple(places), only=only, facts=PEOPLE)
            case ("later",):
                told = self.dialogue.turn(FlowAct.LATER, facts=PEOPLE)
            case ("yes",) | ("late yes",):
                told = self.dialogue.confirms(turn=late if move == ("late yes",) else None)
            case ("yes to all",):
                told = self.dialogue.turn(FlowAct.CONFIRM, facts=PEOPLE, every=True)
            case ("no",):
                told = self.dialogue.cancels()
            case _:
                told = self.dialogue.says()
        return told

    def _changes(self, move: tuple[Any, ...]) -> str:
        match move:
            case ("at", which, task):
                return self.says_at(which, task)
            case ("erase", names):
                return self.dialogue.says(facts=PEOPLE, erases=tuple(names))
            case _:
                return self.marks(move[1])

    def _all_else_stays(self, move: tuple[Any, ...], before: list[dict[str, Any]]) -> None:
        """What puts off, empties or names a place leaves every other task, and every other value, as it was."""
        after = self.open_tasks()
        if not before or not after:
            return
        if move[0] == "later" and len(before) > 1:
            shown = after[0] | dict(self.dialogue.state.refused)  # what is refused is asked about, and not forgotten
            assert all(shown[name] == value for name, value in before[1].items())
            assert after[1:-1] == before[2:] and before[0].items() <= after[-1].items()
        elif move[0] in {"erase", "at"}:
            changed = [place for place, (one, two) in enumerate(zip(before, after, strict=True)) if one != two]
            assert len(changed) <= 1 and (move[0] == "at" or changed in ([], [0]))
            kept = {"amount", "target"} - ({"amount"} if move[0] == "at" else set())
            assert all(one.get(name) == two.get(name) for one, two in zip(before, after, strict=True) for name in kept)

    @staticmethod
    def _was_shown(params: JsonObject, shown: str) -> None:
        assert all(str(value) in shown for value in params.values()), f"{params} was not shown in {shown!r}"

    def _was_said_for(self, params: JsonObject) -> None:
        """Each value was said with this payee, or with none while this task was the one that was asked about; or in a
        correction of it."""
        for name in ("amount", "memo"):
            if name not in params:
                continue
            (breath,) = [one for one in self.breaths if one.task.get(name) == params[name]]
            said_for, current = breath.task.get("target"), breath.current.get("target")
            mine = said_for == params["target"]
            own = said_for is None and current in (None, params["target"])
            # the payee of that task was refused, or corrected, and this one was named instead of him and for nothing else
            instead = self._named_instead(params["target"])
            assert mine or own or instead, f"{name} of {params} was said for {said_for} while {current} was open"

    def _named_instead(self, payee: JsonValue) -> bool:
        return any(
            one.task.get("target") == payee
            and ("amount" not in one.task)
            and (one.corrects or not one.current.get("target"))
            for one in self.breaths
        )

    def _all_are_named(self, before: list[dict[str, Any]], told: str, *, cancelled: bool) -> None:
        """No task goes without a word: whoever was to be paid, and is not any more, is named in the answer."""
        after = [one.get("target") for one in self.open_tasks()]
        gone = [one for one in before if one.get("target") is not None and one["target"] not in after]
        if cancelled and before:
            gone = [one for one in gone if one is not before[0]]  # that one was just asked about
        if self.dialogue.state.stage is FlowStage.CANCELLED and len(before) == 1:
            return
        if self.dialogue.state.stage is FlowStage.UNSUPPORTED:
            gone = gone[1:]
        assert all(str(one["target"]) in told for one in gone), f"{gone} went without a word: {told!r}"


@settings(max_examples=EXAMPLES)
@given(story=STORIES, ends=st.lists(ENDS, min_size=12, max_size=12))
def test_what_is_paid_was_said_for_it_and_shown_and_no_task_goes_without_a_word(story, ends) -> None:
    witness = Witness()
    for move, end in zip(story, ends, strict=False):
        witness.plays(move, end)
    for name in ("amount", "memo"):
        values = [one[name] for one in witness.paid if name in one]
        assert len(values) == len(set(values)), "no value is paid twice"
    assert all(one["target"] in KNOWN for one in witness.paid)


@settings(max_examples=60)
@given(
    first=st.sampled_from(KNOWN), bad=st.sampled_from(UNKNOWN), memo=st.booleans(), marks=st.sampled_from([{}, {"adds": True}]),
    rest=st.fixed_dictionaries({}, optional={"amount": st.just(99), "memo": st.just("딴것"), "date": st.just("2026-03-01")}),
)  # fmt: skip
def test_a_task_that_was_whole_stays_exactly_as_it_was_when_another_payee_is_refused(
    first, bad, memo, marks, rest
) -> None:
    dialogue = Dialogue()
    whole: JsonObject = {"target": first, "amount": 7} | ({"memo": "월세"} if memo else {})
    dialogue.says(whole, facts=PEOPLE)
    told = dialogue.says({"target": bad, **rest}, facts=PEOPLE, **marks)
    assert dialogue.slots() == whole
    assert bad in told and told.index(first) > told.index(bad)  # the last question is about the one that can be
    dialogue.confirms()
    assert dialogue.state.approval is not None and dialogue.state.approval.params == whole


@settings(max_examples=60)
@given(
    slots=st.lists(st.sampled_from(["amount", "date"]), min_size=1, max_size=2, unique=True), whole=st.booleans(),
)  # fmt: skip
def test_every_refused_value_is_told_and_none_is_passed_over(slots, whole) -> None:
    dialogue = Dialogue()
    dialogue.says({"target": "엄마"} | ({"amount": 7} if whole else {}), facts=PEOPLE)
    before = dict(dialogue.slots())
    wrong: JsonObject = {"amount": -3, "date": "2026-02-31"}
    bad: JsonObject = {name: wrong[name] for name in slots}
    told = dialogue.says(bad, facts=PEOPLE)
    assert all(why in told for why in dialogue.state.slot_errors.values())
    assert set(dialogue.state.slot_errors) == set(slots)
    assert dialogue.slots() == before
