"""What is told of what was found: others beside one that only comes near, and which part a point is of."""

from typing import Any

import pytest

from packs.documents.excerpts import points
from packs.documents.telling import compared, told


def say(key: str, **values: object) -> str:
    return f"{key} {values.get('text', '')}".strip()


def found(*, holds: bool, near: str, scores: tuple[float, ...]) -> list[dict[str, Any]]:
    some = [{"document": "a.md", "page": None, "text": f"T{at}", "score": score} for at, score in enumerate(scores)]
    answer = {"holds": holds, "near": near, "missing": [], "passages": some, "computed": None, "reckoned": []}
    return [{"answers": [answer], "unread": []}]


@pytest.mark.parametrize(
    ("holds", "near", "scores", "texts"),
    [
        (True, "near", (0.7, 0.1, 0.1), ["T0"]),
        (True, "near", (0.6, 0.3, 0.1), ["T0", "T1"]),
        (False, "probably", (0.6, 0.2, 0.01, 0.1, 0.1), ["T0", "T1"]),
        (False, "likely", (0.4, 0.2, 0.1, 0.1, 0.1), ["T0", "T1", "T2", "T3"]),
        (False, "near", (0.9, 0.0009, 0.0009), ["T0"]),
        (False, "likely", (0.99, 0.004, 0.002), ["T0"]),
        (False, "near", (0.9, 0.05, 0.002), ["T0", "T1"]),
        (False, "far", (0.3, 0.3, 0.2), []),
    ],
)
def test_what_may_be_meant_as_well_is_told(holds: bool, near: str, scores: tuple[float, ...], texts: list[str]):
    lines = told(found(holds=holds, near=near, scores=scores), [], say)
    assert [name for name in ("T0", "T1", "T2", "T3", "T4") if name in lines] == texts


@pytest.mark.parametrize(("near", "first"), [("probably", "read.probably"), ("likely", "read.likely")])
def test_of_what_probably_answers_it_is_not_said_that_it_does_not(near: str, first: str):
    assert told(found(holds=False, near=near, scores=(0.9,)), [], say).startswith(first)


@pytest.mark.parametrize(("chance", "first"), [(0.9, "read.worked"), (0.3, "read.lacks")])
def test_what_was_likely_worked_out_is_told_before_the_passages(chance: float, first: str):
    results = found(holds=False, near="near", scores=(0.5,))
    results[0]["answers"][0]["reckoned"] = [
        {"kind": "total", "formula": "7 + 8 = 15", "value": 15.0, "of": ["a", "b"], "chance": chance}
    ]
    assert told(results, [], say).startswith(first)


def test_a_point_of_a_summary_says_which_part_it_is_of():
    text = "Choir committee\nConcert\n- The hall was booked for 600 euros.\nUniforms\n- New scarves come in March."
    told = [one.text for one in points([(None, text)])]
    assert "Concert: The hall was booked for 600 euros." in told
    assert "Uniforms: New scarves come in March." in told


def test_each_line_is_compared_once_and_what_only_one_has_is_told():
    lines = compared(
        {
            "north.txt": [(None, "North Catering\nBuffet: 31 euros a head\nDrinks: 9 euros a head\nWaiters: two\nParking at the door")],
            "south.txt": [(None, "Southside Foods\nBuffet: 27 euros a head\nDrinks: 11 euros a head\nGluten-free bread on request")],
        },
        say,
    )  # fmt: skip
    assert [line for line in lines if "Buffet" in line] == [
        "quote Buffet: 31 euros a head",
        "quote Buffet: 27 euros a head",
    ]
    assert len([line for line in lines if "Drinks" in line]) == 2
    alone = lines[lines.index("read.only") :]
    assert any("Waiters" in line or "Parking" in line for line in alone)
    assert any("Gluten-free" in line for line in alone)


def test_passages_of_one_part_are_told_together():
    results = found(holds=False, near="near", scores=(0.4, 0.3, 0.2, 0.1, 0.1))
    for passage, title in zip(
        results[0]["answers"][0]["passages"], ("Fees", "Hours", "Fees", "Hours", "Rules"), strict=True
    ):
        passage["title"] = title
    lines = told(results, [], say).splitlines()
    assert [line for line in lines if "T" in line] == [
        "read.nearest T0",
        "quote T2",
        "read.also T1",
        "quote T3",
        "read.also T4",
    ]


def test_several_figures_that_were_worked_out_stand_below_one_head():
    results = found(holds=False, near="near", scores=(0.5,))
    one = {"kind": "sum", "formula": "1 + 2 = 3", "value": 3, "of": ["a", "b"], "chance": 0.2}
    results[0]["answers"][0]["reckoned"] = [one]
    assert "read.reckoned\n" in told(results, [], say) + "\n"
    results[0]["answers"][0]["reckoned"] = [one, one | {"value": 4}]
    lines = told(results, [], say).splitlines()
    assert [line for line in lines if line.startswith("read.reckoned")] == [
        "read.reckoned.several",
        *["read.reckoned.line"] * 2,
    ]


LEASE = (
    "# Lease\n\n## 1. Parties\nThe lease is between Northgate and Willow Lane Bakery, made on 3 February 2026.\n{same}\n"
    "## 2. Rent\nThe rent is 780 euros a month.\nThe lessor keeps a copy of the list of all machines and their covers.\n"
    "{same}\n## 3. Insurance\nThe bakery insures the ovens for 38,000 euros.\n{same}\n## 4. Law\nGerman law applies.\n"
    "{same}\n## 5. Notices\nNotices are given by letter.\n{same}\n"
).format(same="The parties keep each other informed of all matters that are described in this section.")
MINUTES = (
    "# 운영 회의록\n\n## 1. 축제\n축제는 4월 18일부터 열기로 결정하였다.\n예산은 4,500만 원으로 확정하였다.\n"
    "여러 의견이 오갔고 분위기는 좋았다.\n## 2. 주차장\n공사는 5월 11일에 시작한다.\n{same}\n## 3. 기타\n{same}\n"
    "화분을 새로 들이자는 이야기가 있었다.\n"
).format(same="자세한 내용은 담당자에게 문의한다.")
RULES = (
    "# 利用規約\n\n## 1. 料金\n会議室は1時間2,800円とする。\n{same}\n## 2. 解約\n60日前に通知する。\n{same}\n"
    "## 3. その他\n受付は本館にある。\n{same}\n"
).format(same="詳細は事務局が別に定めるものとする。")


@pytest.mark.parametrize(
    ("text", "told_once", "left_out"),
    [
        (LEASE, ("3 February 2026", "780 euros", "38,000 euros", "German law", "by letter"), "informed"),
        (MINUTES, ("4월 18일", "4,500만 원", "5월 11일", "화분"), "담당자"),
        (RULES, ("2,800円", "60日前", "本館"), "事務局"),
    ],
)
def test_every_section_has_its_line_and_what_all_repeat_is_in_none(
    text: str, told_once: tuple[str, ...], left_out: str
):
    lines = [one.text for one in points([(None, text)])]
    assert all(sum(words in line for line in lines) == 1 for words in told_once)
    assert len({*lines}) == len(lines)
    assert not any(left_out in line for line in lines)


def test_of_a_section_amounts_and_dates_are_told_before_the_rest():
    long = "\n".join(
        f"## {at}. Part\nSome talk about this and that and about other things.\nIt costs {at}00 euros."
        for at in range(1, 13)
    )
    lines = [one.text for one in points([(None, f"# Plan\n\n{long}\n")])]
    assert lines == [f"{at}. Part: It costs {at}00 euros." for at in range(1, 13)]


def test_a_text_that_says_one_thing_again_and_again_says_it_once():
    assert [one.text for one in points([(None, "# A\nThe hall is shut.\n# B\nThe hall is shut.\n")])] == [
        "The hall is shut."
    ]
