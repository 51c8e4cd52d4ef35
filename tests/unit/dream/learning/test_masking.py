"""What leaves the ledger names nobody and no account, and can still be read."""

import pytest

from dream.learning.masking import Mask, mask_of

NOBODY = Mask()


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("메일은 a.b+c@회사.co.kr 로", "메일은 [email] 로"),
        ("내 번호 010-1234-5678이야", "내 번호 [phone]이야"),
        ("01012345678", "[phone]"),
        ("０１０－１２３４－５６７８", "[phone]"),
        ("031)123-4567 또는 1588-1234", "[phone] 또는 [phone]"),
        ("call +1 (415) 555-2671 or +82 10 1234 5678", "call [phone] or [phone]"),
        ("주민번호 900101-1234567", "주민번호 [id]"),
        ("9001011234567", "[id]"),
        ("4111 1111 1111 1111", "[card]"),
        ("American Express 3782-822463-10005", "American Express [card]"),
        ("110-123-456789 계좌로", "[account] 계좌로"),
        ("계좌 1002345678901", "계좌 [number]"),
    ],
)
def test_numbers_and_addresses_of_people_are_named_by_their_kind(said: str, left: str) -> None:
    assert NOBODY.text(said) == left


@pytest.mark.parametrize(
    "said",
    [
        "2026-11-22T13:00:00+09:00", "2025-01-01~2025-03-31", "30000원, 1,234,567원", "오후 14:30에 3건",
        "192.168.100.101", "v1.2.3", "FREQ=WEEKLY;BYDAY=MO", "0.123456789012",
    ],
)  # fmt: skip
def test_days_amounts_and_versions_stay(said: str) -> None:
    assert NOBODY.text(said) == said


def test_names_go_with_their_particles_but_not_out_of_other_words() -> None:
    mask = mask_of(["엄마", "Mom", "김민수", "A"])
    assert mask.text("엄마한테 3만원, 김민수님께 A") == "[name]한테 3만원, [name]님께 A"
    assert mask.text("One moment, mom") == "One moment, [name]"


def test_a_note_is_masked_also_where_it_was_said_in_other_words() -> None:
    mask = mask_of(notes=["현관 비밀번호는 5678ab"])
    assert mask.text("현관 비밀번호는 5678ab라고 기억해") == "[note]라고 기억해"
    assert mask.text("비밀번호가 5678ab 맞지?") == "비밀번호가 [note] 맞지?"


def test_values_are_masked_in_every_depth_and_numbers_stay_numbers() -> None:
    masked = mask_of(["Mom"]).value({"to": ["Mom", {"Mom": "a@b.co"}], "amount": 30000, "ok": True, "none": None})
    assert masked == {"to": ["[name]", {"[name]": "[email]"}], "amount": 30000, "ok": True, "none": None}
