"""Sentences and rows: nothing is cut in two, what a page has broken is joined, and a row keeps its headings."""

import pytest

from packs.documents.formats.pages import Page
from packs.documents.passages import passages
from packs.documents.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Output rose to 31.7 tons. Costs fell by 0.5 percent.", ["Output rose to 31.7 tons.", "Costs fell by 0.5 percent."]),
        ("Dr. Ito saw Mrs. Falk at 4 p.m. in the hall. She left.", ["Dr. Ito saw Mrs. Falk at 4 p.m. in the hall.", "She left."]),
        ("It draws 75 W. Do not open it.", ["It draws 75 W.", "Do not open it."]),
        ("총회는 2025. 4. 9. 강당에서 했다.참석은 61명이었다.", ["총회는 2025. 4. 9. 강당에서 했다.", "참석은 61명이었다."]),
        ("값은 4.25점이다. 다음!", ["값은 4.25점이다.", "다음!"]),
        ("容量は1.8Lです。色は白！軽い", ["容量は1.8Lです。", "色は白！", "軽い"]),
        ("See notes.example.org for v3.2.1. Thanks", ["See notes.example.org for v3.2.1.", "Thanks"]),
    ],
)  # fmt: skip
def test_a_dot_ends_a_sentence_only_where_one_ends(text: str, expected: list[str]):
    assert sentences(text) == expected


def texts(page: str) -> list[str]:
    return [one.text for one in passages([Page(1, page)]) if not one.is_title]


def test_lines_that_a_page_has_broken_are_joined_and_others_are_not():
    page = (
        "Harvest\n"
        "In the third week of September the growers of the valley brought in their largest crop of pears, \n"
        "which was 12.5 percent above the mean of the last ten years.\n"
        "Price: 3.40 euros\n"
        "- picked by hand\n"
    )
    assert texts(page) == [
        "In the third week of September the growers of the valley brought in their largest crop of pears, which was"
        " 12.5 percent above the mean of the last ten years.",
        "Price: 3.40 euros",
        "picked by hand",
    ]


def test_a_line_in_which_the_next_sentence_has_begun_goes_on_however_short_it_is():
    page = (
        "The mill of the lower valley was built in 1897 and has two wheels \n"
        "of oak. It has ground no corn since then. A \n"
        "miller shows it on Sundays. \n"
    )
    assert texts(page)[-1] == "A miller shows it on Sundays."


def test_japanese_lines_are_joined_without_a_blank():
    page = (
        "調査\n" + "今年度の調査では、市内の小学校に通う児童の保護者を対象に、通学路の\n安全について聞き取りを行った。"
    )
    assert texts(page) == [
        "今年度の調査では、市内の小学校に通う児童の保護者を対象に、通学路の安全について聞き取りを行った。"
    ]


@pytest.mark.parametrize(
    "table",
    [
        "| Plant | Height | Colour |\n| --- | ---: | --- |\n| Yarrow | 60 cm | white |\n| Sage | 45 cm | blue |",
        "Plant | Height | Colour\nYarrow | 60 cm | white\nSage | 45 cm | blue",
        "Plant\tHeight\tColour\nYarrow\t60 cm\twhite\nSage\t45 cm\tblue",
    ],
)
def test_a_row_keeps_the_headings_of_its_columns(table: str):
    assert texts(f"Beds\n\n{table}\n") == [
        "Plant: Yarrow | Height: 60 cm | Colour: white",
        "Plant: Sage | Height: 45 cm | Colour: blue",
    ]


def test_pairs_have_no_headings_and_a_heading_may_have_a_figure():
    assert texts("Form\n\nName | Ann\nTown | Bergen") == ["Name | Ann", "Town | Bergen"]
    rows = texts("Fees\n\nSize | First 2 hours\nS | 4 euros\nL | 9 euros")
    assert rows == ["Size: S | First 2 hours: 4 euros", "Size: L | First 2 hours: 9 euros"]


def test_a_title_is_context_and_so_is_the_sentence_before():
    found = passages([Page(2, "# Club rules\n\n## Boats\n\nThe rowing boat is for members. It holds four people.\n")])
    assert [one.text for one in found if one.is_title] == ["Club rules", "Boats"]
    last = found[-1]
    assert (last.text, last.page) == ("It holds four people.", 2)
    assert "Boats" in last.context
    assert "rowing boat" in last.context


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("Ferry        Leaves    Cars\nOsprey       07:40     24\nHeron        12:15     --\nPetrel       18:05     31", "Ferry: Heron | Leaves: 12:15 | Cars: --"),
        ("꽃          심는 달     키\n수선화      10월        40cm\n백일홍      4월\n과꽃        5월         60cm", "꽃: 백일홍 | 심는 달: 4월"),
        ("品目　　　　数量\n脚立　　　　3\nほうき　　　12\nバケツ　　　7", "品目: ほうき | 数量: 12"),
    ],
)  # fmt: skip
def test_columns_that_are_lined_up_by_blanks_are_a_table(table: str, row: str):
    assert row in texts(f"Overview\n{table}\nThe end of it is here.")


def test_blanks_in_a_text_make_no_table():
    lines = "第1条　会員は毎年度会費を納める。\n第2条　退会は書面で届け出る。\n第3条　総会は五月に開く。"
    assert not any(one.is_row for one in passages([Page(1, lines)]))
    spaced = "It rained.  We stayed in.\nIt cleared.  We went out.\nIt froze.  We slept."
    assert not any(one.is_row for one in passages([Page(1, spaced)]))


def test_a_rule_below_a_row_makes_it_the_head_whatever_stands_in_it():
    table = "| Yarn | 100 g | Needles |\n| --- | --- | --- |\n| Merino | 14.20 | 4 mm |\n| Alpaca | 19 | |"
    assert texts(table) == ["Yarn: Merino | 100 g: 14.20 | Needles: 4 mm", "Yarn: Alpaca | 100 g: 19"]


def test_dots_lead_from_a_name_to_its_figure():
    found = passages(
        [Page(None, "Prices of repairs:\n   lid .......... GBP 9\n   base and cord ... . . . GBP 22\nAsk us.")]
    )
    assert [one.text for one in found if one.is_row] == ["lid | GBP 9", "base and cord | GBP 22"]


def test_a_row_that_costs_nothing_leaves_the_head_a_head():
    found = passages([Page(None, "Ticket | Fare\nAdult | £14.50\nUnder 5 | free")])
    assert found[-1].text == "Ticket: Under 5 | Fare: free"


def test_points_of_a_list_leave_the_title_that_stands_above_them():
    text = "Courses\n\n## Enrolment\n\n- from 3 May\n- at the desk\n- Late places are given out by lot.\n"
    found = passages([Page(None, text)])
    assert {one.title for one in found if one.is_listed} == {"Enrolment"}


def test_the_last_line_is_no_title_for_there_is_nothing_below_it():
    last = passages([Page(1, "산책 모임 알림\n매주 토요일에 모입니다.\n회장 남궁벼리")])[-1]
    assert last.text == "회장 남궁벼리"
    assert not last.is_title


def test_lines_with_names_in_front_are_not_joined_however_long():
    page = (
        "Offer of the printers\n"
        "Delivery: within nine working days of the order, in cartons of fifty\n"
        "Colours: four\n"
        "Payment: a third with the order, the rest when it is collected from us\n"
        "Contact: Ms. Abara"
    )
    assert "Colours: four" in texts(page)
    assert "Contact: Ms. Abara" in texts(page)


def test_two_tables_side_by_side_are_two():
    text = "Money\n\n| In | EUR | Out | EUR |\n|---|---|---|---|\n| Dues | 810 | Rent | 640 |\n| Gifts | 95 | Stamps | 31 |\n| | | Tea | 22 |\n"
    rows = [one.cells for one in passages([Page(None, text)]) if one.is_row]
    assert rows == [
        (("In", "Dues"), ("EUR", "810")),
        (("In", "Gifts"), ("EUR", "95")),
        (("Out", "Rent"), ("EUR", "640")),
        (("Out", "Stamps"), ("EUR", "31")),
        (("Out", "Tea"), ("EUR", "22")),
    ]


def test_a_line_above_a_sum_makes_no_head():
    page = "Repairs       12,000\nTowing         4,000\nDiscount      -1,600\n-----------------\nBalance       14,400\nVAT            1,440\n"
    assert [
        one.text for one in passages([Page(None, "Bill\n\nWork done today\n\nNothing else\n" + page)]) if one.is_row
    ][-2:] == [
        "Balance | 14,400",
        "VAT | 1,440",
    ]


def test_names_with_a_figure_are_a_head_above_moments_and_an_empty_name_is_none():
    bus = "정류장      1회     2회\n역앞        7:10    8:40\n시장        7:25    8:55\n"
    assert [one.text for one in passages([Page(None, bus)])][-1] == "정류장: 시장 | 1회: 7:25 | 2회: 8:55"
    prices = "1개월     88,000원\n3개월    219,000원\n옷  월 9,000원 / 사물함  월 7,000원\n"
    assert [one.text for one in passages([Page(None, prices)])][:2] == ["1개월 | 88,000원", "3개월 | 219,000원"]
