"""Only a turn of letters and a few harmless signs confirms: not one that asks, refuses, negates, quotes or hesitates."""

import sys
import unicodedata

import pytest

from backbone import packs
from contracts.cognitive import FlowAct
from services.cognitive.flows import Flow, load_flows
from services.cognitive.words_of_yes import affirmed

FLOWS = load_flows(packs.load())
ASKING = ["네❓", "확인❔", "보내❓", "ok❓", "네؟", "네¿", "네⸮"]
REFUSING = ["🚫 보내줘", "❌ 네", "🙅 보내", "👎 ok", "✖ 확인"]
NEGATED = ["¬네", "!ok", "~~네~~", "-네"]
DEBATABLE = ["/네", "@네", "> 네", "<confirm/>", "어…"]
REPORTED = [*ASKING, *REFUSING, *NEGATED, *DEBATABLE]
OWN = [
    "응⁉", "はい⁇", "yes;", "yes;", "ok？", "네?!", "네!?", "はい…", "어..", "yes...", "네\u0338", "네\u20e0", "y\u0336e\u0336s\u0336",
    "\u202e네", "네\u200b", "n\u200bo yes", "네 1", "1 yes", "①네", "ⓞⓚ", "(네)", "[ok]", "*ok*", "_ok_", '"ok"', "'ok'", "“네”", "「はい」",
    "ok/cancel", "ok:", "ok=no", "ok|no", "네 아니", "응 아니야", "ok no", "yes don't", "はい、いいえ", "네\n취소", "✅ 네", "☑ ok",
    "네 🤔", "ok 🙃", "👎", "👍👎 네", "네 💔", "네♡", "$ok", "ok%", "#네", "\\네", "`ok`", ".네", ",ok", "^네", "，はい", "ok\x00", "ok\ue000",
    "안 보내", "보내지 마", "안 확인", "never ok", "not ok", "はいじゃない", "送らない", "확인 안 해", "wait, yes", "잠깐 네", "",
]  # fmt: skip
HARMLESS = [
    "네!", "네~~", "네 ^^", "응.", "네, 보내주세요.", "네ㅎㅎ", "응 ㅋㅋ", "네 👍", "네🙏🏻", "ok👌️", "はい〜", "はい、お願いします。", "はい！",
    "Yes, please!", "that’s right", "OK", "ｏｋ", "ㅇㅇ", "ㄱㄱ!", "\u1102\u1166", "はい", "  확인  ",
]  # fmt: skip


@pytest.fixture(params=sorted(FLOWS))
def flow(request: pytest.FixtureRequest) -> Flow:
    return FLOWS[request.param]


@pytest.mark.parametrize("text", REPORTED + OWN)
def test_a_turn_that_asks_refuses_or_negates_confirms_nothing(flow, text) -> None:
    assert flow.word(text) is not FlowAct.CONFIRM


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_signs_behind_a_word_do_not_matter(text) -> None:
    assert FLOWS["transfer"].word(text) is FlowAct.CONFIRM


def test_no_sign_of_any_script_is_part_of_a_word_but_the_few_that_say_nothing() -> None:
    """Every character that is no letter, before and behind a word of yes and within two."""
    harmless = {
        "before": set(" 👍🙏👌"),
        "behind": set(" .,!~^。、〜！，．～＾👍🙏👌"),
        "between": set(" .,!~^。、〜！，．～＾"),
    }  # those of East Asia
    shapes = {"before": "{0}네", "behind": "네{0}", "between": "네{0}확인"}
    taken: dict[str, set[str]] = {name: set() for name in shapes}
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        kind = unicodedata.category(sign)
        if kind[0] in "LZ" or kind in ("Cs", "Cn", "Co") or sign.isspace():  # unassigned ones are all alike
            continue
        for name, shape in shapes.items():
            if {"네", "네 확인", "네확인"} & affirmed(shape.format(sign)):
                taken[name].add(sign)
    # composed forms and laughter are letters; a comma stays a comma in any width
    assert {name: {one for one in found if one not in harmless[name]} for name, found in taken.items()} == {
        "before": set(), "behind": set(), "between": set(),
    }  # fmt: skip
