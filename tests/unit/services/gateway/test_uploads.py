"""Names and contents of files."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code
from contracts.file_names import NAME_LIMIT, safe_name
from services.gateway.domain.refusal import Refused
from services.gateway.http.uploads import BLOCK, KINDS, content_disposition, inspected, kind_of, type_as


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
        kind_of("a.exe")


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


@pytest.mark.parametrize(
    ("name", "data", "type_"),
    [
        ("공고.pdf", b"%PDF-1.7\n\0\1\2", "file.document"),
        ("a.hwp", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "file.document"),
        ("a.hwpx", b"PK\x03\x04..." + b"PK\x05\x06" + bytes(18), "file.document"),
        ("a.docx", b"PK\x03\x04..." + b"PK\x05\x06" + bytes(18), "file.document"),
        ("메모.md", "# 채용\n".encode("cp949"), "file.document"),
        ("메모.txt", "채용".encode("utf-16"), "file.document"),
    ],
)
async def test_documents_pass_unchanged(name: str, data: bytes, type_: str) -> None:
    assert await _look(name, data) == data
    assert kind_of(name).type == type_


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("a.pdf", b"hello", r"no \.pdf document"),
        ("a.hwp", b"PK\x03\x04" + bytes(100), r"no \.hwp document"),
        ("a.hwpx", b"%PDF-1.7", r"no \.hwpx document"),
        ("a.docx", b"PK\x03\x04" + bytes(100), "cut off"),
        ("a.txt", b"%PDF-1.7", "a PDF"),
        ("a.md", b"a\0b" * 50, "NUL|control"),
        ("a.csv", b"%PDF-1.7", "text table"),
    ],
)
async def test_a_document_that_is_not_what_its_name_says_is_refused(name: str, data: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        await _look(name, data)


def test_a_brand_is_told_from_a_table_by_its_name():
    assert kind_of("own.brand.json").type == "file.brand"
    assert kind_of("brand.json").type == "file.table"


@pytest.mark.parametrize(
    ("name", "stored", "shown"),
    [
        ("a.csv", "text/plain", "text/csv"),
        ("a.TXT", "text/csv", "text/plain"),
        ("a.docx", KINDS[".xlsx"].media_type, KINDS[".docx"].media_type),
        ("a.csv", "text/csv", "text/csv"),
        ("", "text/csv", "text/csv"),
        ("a.exe", "text/csv", "text/csv"),
        ("a.pdf", "text/plain", "text/plain"),
        ("a.csv", "application/pdf", "application/pdf"),
        ("a.txt", "text/html", "text/html"),
        ("a.csv", "image/png", "image/png"),
    ],
)
def test_a_name_decides_between_types_that_the_same_bytes_may_be(name: str, stored: str, shown: str) -> None:
    assert type_as(name, stored) == shown
