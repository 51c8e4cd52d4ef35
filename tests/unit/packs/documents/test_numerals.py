"""Numbers in signs are read where they count something."""

import pytest

from packs.documents.numerals import in_figures


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("屋根は七十二万円", "屋根は72万円"),
        ("令和九年三月十四日の午後", "令和9年3月14日の午後"),
        ("四千三百二十枚、二〇二七年", "4320枚、2027年"),
        ("一番よい三角", "一番よい三角"),
        ("第三者の一部", "第三者の一部"),
    ],
)
def test_in_figures(text: str, figures: str):
    assert in_figures(text) == figures
