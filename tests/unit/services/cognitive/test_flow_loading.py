"""Flows as packs bring them: those that can be led, and what the others lack."""

from pathlib import Path
from typing import Any

import pytest

from backbone.packs import Catalogue, Pack
from contracts.cognitive import FlowAct
from contracts.packs import FlowSpec, PackManifest
from services.cognitive.flows import Flow, load_flows
from tests.unit.services.catalogues import platform, tool
from tests.unit.services.cognitive.dialogue import SPEC, TEXTS, read


def catalogue(spec: FlowSpec = SPEC, texts: dict[str, str] | None = None) -> Catalogue:
    pack = Pack("test", Path("nowhere"), PackManifest(name="test", version=1, title={"en": "test"}))
    vars(pack)["tools"], vars(pack)["intents"] = (tool("test.pay"),), ()
    vars(pack)["texts"] = {"en": TEXTS if texts is None else texts}
    vars(pack)["flows"] = {spec.flow: spec}
    return Catalogue({"platform": platform(), "test": pack})


def loaded(**fields: Any) -> Flow:
    return load_flows(catalogue(SPEC.model_copy(update=fields)))["pay"]


def test_a_whole_flow_is_loaded_with_its_code():
    flow = loaded()
    assert (flow.pack, flow.intent, flow.resolver, flow.recall) == ("test", "PAY", None, None)
    assert flow.reader is read


@pytest.mark.parametrize(
    "fields",
    [
        {"tool": "test.gone"},
        {"reader": "tests.unit.services.cognitive.dialogue:nobody"},
        {"reader": "tests.gone:read"},
        {"confirm": {"ko": ("(",)}},
        {"confirm": {"ko": ("응",)}},
        {"cancel": {"ko": ("확인", "취소")}},
        {"slots": (SPEC.slots[0].model_copy(update={"question": None}),)},
        {"slots": (SPEC.slots[0].model_copy(update={"question": "ask.gone"}),)},
        {"slots": (SPEC.slots[0].model_copy(update={"validator": "tests.gone:check"}),)},
    ],
    ids=[
        "tool", "reader", "module", "no expression", "button confirms nothing", "button cancels", "no question",
        "text of a question", "validator",
    ],
)  # fmt: skip
def test_a_flow_that_cannot_be_led_is_left_out_and_the_reason_logged(fields, caplog):
    assert load_flows(catalogue(SPEC.model_copy(update=fields))) == {}
    (record,) = caplog.records
    assert record.flow == "pay"
    assert record.reason


def test_code_that_fails_while_it_is_imported_costs_its_own_flow_alone(tmp_path, monkeypatch, caplog):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "reader_that_fails.py").write_text("raise RuntimeError('no such town')\n")
    assert load_flows(catalogue(SPEC.model_copy(update={"reader": "reader_that_fails:read"}))) == {}
    assert "no such town" in caplog.records[-1].reason


@pytest.mark.parametrize("key", [key for key in TEXTS if key.startswith("flow.pay.")])
def test_every_text_of_a_flow_is_needed(key):
    assert load_flows(catalogue(texts={name: text for name, text in TEXTS.items() if name != key})) == {}


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "{target}" in text and "{memo}" in text])
@pytest.mark.parametrize("slot", ["{target}", "{date}"])
def test_what_is_to_be_confirmed_shows_every_slot(name, slot, caplog):
    assert load_flows(catalogue(texts=TEXTS | {name: TEXTS[name].replace(slot, "")})) == {}
    assert caplog.records[-1].reason.endswith(f"does not show {slot[1:-1]}")


def test_what_need_not_be_said_may_stand_in_a_field_of_the_speakers():
    spoken = {name: text.replace("{memo}{date}", "{rest}") for name, text in TEXTS.items()}
    assert load_flows(catalogue(texts=spoken)) == {}
    speaks = SPEC.model_copy(update={"speaker": "packs.transfer.speaker:speak"})
    assert set(load_flows(catalogue(speaks, spoken))) == {"pay"}
    hidden = spoken | {"flow.pay.ready": "{amount}{rest}"}
    assert load_flows(catalogue(speaks, hidden)) == {}


def test_a_flow_whose_tool_may_book_has_words_for_it(caplog):
    books = catalogue()
    result = {"type": "object", "properties": {"booked": {"type": "boolean"}}}
    vars(books.packs["test"])["tools"] = (tool("test.pay").model_copy(update={"result_schema": result}),)
    assert load_flows(books) == {}
    assert "flow.pay.booked" in caplog.records[-1].reason


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("확인", FlowAct.CONFIRM),
        (" 확 인 ", None),
        ("확인~!!", FlowAct.CONFIRM),
        ("ㅇㅇ", FlowAct.CONFIRM),  # compatibility letters, as keyboards write them
        ("YES.", FlowAct.CONFIRM),
        ("ok 👍", FlowAct.CONFIRM),
        ("확인?", None),
        ("ok？", None),
        ("취소?", FlowAct.CANCEL),
        ("ＯＫ", FlowAct.CONFIRM),
        ("don't", FlowAct.CANCEL),
        ("don’t!", FlowAct.CANCEL),
        ("확인 취소", None),
        ("아니 확인", None),
        ("", None),
        ("확인\n확인", None),
        ("확인" + " " * 200, FlowAct.CONFIRM),
        ("확인" + "." * 200, None),
    ],
)
def test_a_word_is_a_whole_turn_whatever_its_letters_and_marks(text, act):
    assert loaded().word(text) is act
