"""A run as it is learned from: what was said, understood, called and corrected, and nobody named."""

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from backbone import packs
from contracts.cognitive import Route
from contracts.envelope import Message
from contracts.packs import FlowSpec, IntentSpec, SlotSpec
from dream.learning.apply import with_lines
from dream.learning.record import EVENTS, Privacy, corrected, privacy_of, pseudonym, record
from understanding.offline.sentences import Sentence, read_sentences

RUN, SESSION = UUID(int=1), UUID(int=2)
SALT = b"of one export"
LOADED = packs.load()
OURS = privacy_of(
    (spec for pack in LOADED.packs.values() for spec in pack.intents),
    {name: one for name, (_, one) in LOADED.flows.items()},
)


def message(version: int, type_: str, **data: Any) -> Message:
    return Message(
        event_id=UUID(int=100 + version), session_id=SESSION, version=version, type=type_, schema_version=1, producer="x",
        run_id=RUN, correlation_id=RUN, causation_id=None, traceparent=None,
        recorded_at=datetime(2026, 11, 22, tzinfo=UTC), data=json.dumps(data).encode(), route="",
    )  # fmt: skip


def made_of(opened: Message | None, events: list[Message], privacy: Privacy = OURS) -> dict[str, Any]:
    return record(opened, events, SALT, privacy)


OPENED = message(1, "SessionOpened", user="minsu", profile={"name": "김민수"})
INTENT = {"domain": "TRANSFER", "category": None, "confidence": 0.9}
TODO = {"id": "t1", "tool": "transfer.send", "params": {"target": "용걸이", "memo": "김민수 010-1234-5678"}}
EVENTS_OF_RUN = [
    message(2, "MessageReceived", text="용걸이한테 3만원 보내줘, 김민수가"),
    message(3, "CognitiveOutput", text="x", language="ko", intent=INTENT, route="flow", flow={"flow": "transfer", "tasks": [{"target": "용걸이"}]}),
    message(4, "ModelCalled", role="interpreter", provider="p", model="m", prompt_id="a.b@1", prompt_hash="0" * 64, output={"to": "용걸이"}, input_tokens=10, output_tokens=4, cost=0.5),
    message(5, "FlowAdvanced", flow="transfer", stage="READY", slots={"target": "용걸이", "amount": 30000}, queue=[{"target": "박영희"}]),
    message(6, "TodoDispatched", todo=TODO, attempt=1),
    message(7, "TodoFailed", todo_id="t1", attempt=1, error={"code": 8000, "message": "박영희 님 계좌 110-123-456789"}, seconds=0.2),
    message(8, "RunFailed"),
    message(9, "FeedbackGiven", about="intent", rating=1, comment="a@b.co", correction={"intent": "ASSISTANT.calendar"}),
    message(10, "FeedbackGiven", about="slot", correction={"slots": {"title": "x"}}),
]  # fmt: skip


def test_a_run_is_one_record_and_names_nobody() -> None:
    made = made_of(OPENED, EVENTS_OF_RUN)
    text = json.dumps(made, ensure_ascii=False)
    for secret in ("용걸이", "박영희", "김민수", "minsu", "010-1234", "110-123", "a@b.co"):
        assert secret not in text
    assert (made["text"], made["intent"], made["outcome"]) == (
        "[name]한테 3만원 보내줘, [name]가",
        "TRANSFER",
        "failed",
    )
    assert made["tokens"] == {"input": 10, "output": 4, "cost": 0.5}
    (call,) = made["calls"]
    assert (call["tool"], call["outcome"], call["error"]["code"]) == ("transfer.send", "failed", 8000)
    assert [(one["prompt_id"], one["prompt_hash"]) for one in made["models"]] == [("a.b@1", "0" * 64)]
    assert made["flow"][0]["slots"]["amount"] == 30000
    assert {one.type for one in EVENTS_OF_RUN} <= EVENTS


def test_a_person_is_the_same_throughout_an_export_and_cannot_be_found_by_guessing_names() -> None:
    user, again = (record(OPENED, EVENTS_OF_RUN, SALT, OURS)["user"] for _ in range(2))
    assert user == again == pseudonym("minsu", SALT)
    assert user not in {pseudonym("minsu", b"of another"), pseudonym("jun", SALT)}
    guesses = {hash_(b"minsu").hexdigest() for hash_ in (hashlib.md5, hashlib.sha1, hashlib.sha256, hashlib.blake2b)}
    assert not [guess for guess in guesses if str(user) in guess]


def test_the_correction_makes_a_line_that_understanding_is_measured_with() -> None:
    assert corrected(made_of(OPENED, EVENTS_OF_RUN)) == {
        "lang": "ko", "text": "[name]한테 3만원 보내줘, [name]가", "intent": "ASSISTANT.calendar", "slots": {"title": "[note]"},
        "now": "2026-11-22T00:00:00+00:00",
    }  # fmt: skip
    assert corrected(made_of(OPENED, EVENTS_OF_RUN[:-2])) is None


def test_what_somebody_wanted_to_be_kept_is_in_no_record_of_it() -> None:
    task = {"intent": "ASSISTANT.memory", "slots": {"text": "와이파이 비번은 q1w2"}}
    memory = {"domain": "ASSISTANT", "category": "memory", "confidence": 0.9}
    made = made_of(None, [
        message(2, "MessageReceived", text="와이파이 비번은 q1w2라고 기억해"),
        message(3, "CognitiveOutput", language="ko", intent=memory, tasks=[task], route="plan"),
        message(4, "ModelCalled", role="reporter", provider="p", model="m", prompt_id="a", prompt_hash="0", output={"text": "현관은 9876"}),
    ])  # fmt: skip
    text = json.dumps(made, ensure_ascii=False)
    assert "q1w2" not in text
    assert "9876" not in text
    assert made["tasks"][0]["slots"] == {"text": "[note]"}


def test_a_summary_of_the_session_is_left_out_for_it_retells_other_runs() -> None:
    made = made_of(None, [
        message(2, "MessageReceived", text="고마워"),
        message(3, "ModelCalled", role="summarizer", provider="p", model="m", prompt_id="a", prompt_hash="0", output={"summary": "용걸이에게 3만원, 현관은 9876"}),
    ])  # fmt: skip
    assert made["models"][0]["output"] == "[left out]"
    assert "용걸이" not in json.dumps(made, ensure_ascii=False)


BAKED = [
    message(2, "MessageReceived", text="a cake for Rosalind, no almonds"),
    message(3, "CognitiveOutput", text="x", language="en", intent={"domain": "BAKERY", "category": "cake"}, route="plan",
            tasks=[{"intent": "BAKERY.cake", "slots": {"whom": "Rosalind", "wish": "no almonds", "size": "big"}}]),
    message(4, "ModelCalled", role="extractor", provider="p", model="m", prompt_id="a.b@1", prompt_hash="0" * 64, output={"to": "x"}),
]  # fmt: skip


def baker(**fields: Any) -> Privacy:
    return privacy_of([IntentSpec(intent="BAKERY.cake.birthday", label="l", examples={}, **fields)], {})


def test_the_slots_that_any_pack_calls_private_are_masked() -> None:
    made = made_of(OPENED, BAKED, baker(private={"whom": "name", "wish": "note"}))
    text = json.dumps(made)
    assert ("Rosalind" in text, "almonds" in text, "big" in text) == (False, False, True)
    assert made["tasks"][0]["slots"]["whom"] == "[name]"


def test_of_a_pack_that_is_not_there_any_more_everything_that_was_said_is_masked() -> None:
    text = json.dumps(made_of(OPENED, BAKED, Privacy({}, frozenset())))
    assert ("Rosalind" in text, "almonds" in text, "big" in text) == (False, False, False)


def test_what_models_said_of_what_was_kept_is_left_out_where_the_pack_says_that_it_recalls() -> None:
    shown = [made_of(OPENED, BAKED, baker(recalls=recalls))["models"][0] for recalls in (True, False)]
    assert ["left out" in json.dumps(one) for one in shown] == [True, False]


def test_a_slot_of_a_flow_says_itself_that_it_is_private():
    slots = (SlotSpec(name="guest", type="text", private="name"), SlotSpec(name="seats", type="number"))
    words = {"ko": ("네",)}
    flow = FlowSpec(flow="book", tool="bakery.book", slots=slots, reader="bakery:read", confirm=words, cancel=words)
    opening = IntentSpec(intent="BAKERY.table", route=Route.FLOW, flow="book", label="l", examples={})
    assert privacy_of([opening], {"book": flow}).slots == {"BAKERY.table": {"guest": "name"}}


def test_sentences_are_added_on_lines_of_their_own_and_read_again_as_they_were_said(tmp_path: Path) -> None:
    said = [Sentence(lang="en", text=text, intent="A.one") for text in ('He said: "no" # really', "two\nlines")]
    first = Sentence(lang="ko", text="처음", intent="A.one")
    file = tmp_path / "sentences.jsonl"
    file.write_text(with_lines("", [first]).rstrip("\n"), encoding="utf-8")
    file.write_text(with_lines(file.read_text(encoding="utf-8"), said), encoding="utf-8")
    assert read_sentences(file) == (first, *said)
