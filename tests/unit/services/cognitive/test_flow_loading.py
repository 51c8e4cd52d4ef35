"""Flows as packs bring them: those that can be led, and what the others lack."""

from pathlib import Path
from typing import Any

import pytest

from backbone.packs import Catalogue, Pack
from contracts.cognitive import FlowAct
from contracts.packs import FlowSpec, PackManifest
from services.cognitive.flows import CONFIRMED, Flow, load_flows
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
        {"slots": (SPEC.slots[0].model_copy(update={"question": "ask.gone"}),)},
        {"slots": (SPEC.slots[0].model_copy(update={"validator": "tests.gone:check"}),)},
    ],
    ids=[
        "tool", "reader", "module", "no expression", "button confirms nothing", "button cancels",
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


@pytest.mark.parametrize("key", [key for key in TEXTS if key.startswith("flow.pay.") and ".button_" not in key])
@pytest.mark.parametrize("language", ["ko", "en", "ja"])
def test_what_a_pack_does_not_say_the_platform_says(key, language):
    flow = load_flows(catalogue(texts={name: text for name, text in TEXTS.items() if name != key}))["pay"]
    values = {"target": "Ann", "amount": "30", "date": "", "memo": "rent", "reason": "why"}
    said = flow.rules.say(language, key, **values, index=1, total=2, executed=1, booked=1)
    assert said and "{" not in said
    if key.rpartition(".")[2] in CONFIRMED:
        assert all(one in said for one in ("target Ann", "amount 30", "memo rent")), "all that is confirmed is shown"
        assert "date" not in said


def test_a_flow_needs_no_texts_and_no_words_of_its_own():
    slots = tuple(one.model_copy(update={"question": None, "validator": None}) for one in SPEC.slots)
    bare = SPEC.model_copy(update={"slots": slots, "confirm": {}, "cancel": {}, "speaker": None})
    texts = {"slot.pay.target": "who"}
    flow = load_flows(catalogue(bare, texts))["pay"]
    assert flow.rules.say("en", "flow.pay.ask_target") == "who?"
    assert [flow.word(one) for one in ("네", "yes please", "お願いします", "취소", "나중에")] == [
        FlowAct.CONFIRM, FlowAct.CONFIRM, FlowAct.CONFIRM, FlowAct.CANCEL, None,
    ]  # fmt: skip
    assert flow.rules.say("ja", "flow.pay.ready", target="Ann").startswith("who Ann:")


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
