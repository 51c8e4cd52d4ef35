"""Names and contents of files."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code
from services.gateway.domain.refusal import Refused
from services.gateway.uploads import BLOCK, NAME_LIMIT, content_disposition, inspected, kind_of, safe_name


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("reviews.csv", "reviews.csv"),
        ("../../etc/passwd.csv", "passwd.csv"),
        ("C:\\Users\\me\\리뷰.xlsx", "리뷰.xlsx"),
        ("a\r\nb\x00.csv", "ab.csv"),
        ("\u202egpj.csv", "gpj.csv"),
        ("..", "file"),
        ("/", "file"),
        ("가" * 300 + ".csv", "가" * (NAME_LIMIT - 4) + ".csv"),
        ("한글.csv", "한글.csv"),
    ],
)
def test_a_name_is_made_harmless(given_name: str, kept: str) -> None:
    assert safe_name(given_name) == kept


@given(st.text())
def test_no_name_leaves_its_folder_its_header_or_its_limit(text: str) -> None:
    name = safe_name(text)
    assert name not in ("", ".", "..")
    assert not set(name) & set("/\\\r\n\0")
    assert len(name) <= NAME_LIMIT + 20
    header = content_disposition(text, inline=False)
    assert header.isascii()
    assert header.isprintable()
    assert header.count('"') == 2


def test_an_unknown_type_lists_the_known_ones() -> None:
    with pytest.raises(Refused, match=r"\.xlsx"):
        kind_of("a.docx")


async def _chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def _look(name: str, *parts: bytes) -> bytes:
    return b"".join([block async for block in inspected(_chunks(*parts), name, kind_of(name))])


async def test_bytes_pass_unchanged_however_they_come() -> None:
    data = b"a,b\n1,2\n" * 100_000
    pieces = [data[start : start + 9_999] for start in range(0, len(data), 9_999)]
    assert await _look("a.csv", *pieces) == data


@pytest.mark.parametrize(
    ("name", "parts", "code"),
    [
        ("a.csv", (), Code.FILE_EMPTY),
        ("a.csv", (b"",), Code.FILE_EMPTY),
        ("a.csv", (b"P", b"K\x03\x04rest"), Code.FILE_TYPE_UNKNOWN),
        ("a.csv", (b"a" * BLOCK, b"\0"), Code.FILE_TYPE_UNKNOWN),
        ("a.xlsx", (b"P", b"K\x03\x04", b"x" * 3 * BLOCK), Code.FILE_TYPE_UNKNOWN),
    ],
)
async def test_what_is_no_table_is_refused(name: str, parts: tuple[bytes, ...], code: Code) -> None:
    with pytest.raises(Refused) as refused:
        await _look(name, *parts)
    assert refused.value.code is code


async def test_the_end_of_a_workbook_may_lie_across_two_blocks() -> None:
    workbook = b"PK\x03\x04" + b"x" * (BLOCK - 6) + b"PK\x05\x06" + b"\0" * 18
    assert await _look("a.xlsx", workbook[:BLOCK], workbook[BLOCK:]) == workbook
