"""A pattern of many names finds what the names find one by one, whatever it writes only once."""

import pytest

from packs.marketing.asking.naming import name_pattern, names_pattern
from packs.marketing.asking.phrasing import compiled

NAMES = (
    "rental", "company", "invoice amount", "id", "qty", "renewals", "점", "지점", "결제 금액", "円", "店舗名", "amount",
    "fee", "반", "担当",
)  # fmt: skip
TEXTS = (
    "how many rentals did each company pay, and what were the invoice_amounts of companies?",
    "ids, qty, renewed; feed and fees",
    "지점별 결제금액은 몇 점이야? 반별로, 전반적으로",
    "店舗名ごとの円、百円と各円、担当者",
    "amounted to nothing; accompany; misamount",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("names", [NAMES, NAMES[::-1], sorted(NAMES), NAMES[:4], ()])
def test_together_they_find_what_each_finds(names: tuple[str, ...], text: str) -> None:
    apart = "|".join(map(name_pattern, names)) or "(?!)"
    found = [match.span() for match in compiled(names_pattern(names)).finditer(text)]
    assert found == [match.span() for match in compiled(apart).finditer(text)]


def test_what_they_find_is_something() -> None:
    assert sum(len(compiled(names_pattern(NAMES)).findall(text)) for text in TEXTS) > 15
    assert len(names_pattern(NAMES)) < len("|".join(map(name_pattern, NAMES)))
