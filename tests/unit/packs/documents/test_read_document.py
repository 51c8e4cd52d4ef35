"""documents.read_document: real files of every format, and files that are not what they seem."""

import io
import zipfile
from typing import Any

import pytest

from contracts.errors import Code
from contracts.tools import ToolError
from packs.documents.formats import zipped as archives
from packs.documents.formats.opening import read as opened
from packs.documents.formats.pdf import joined
from packs.documents.passages import passages
from packs.documents.tools import list as listing
from packs.documents.tools import read_document
from tests.unit.packs.documents.context import FakeContext
from tests.unit.packs.documents.making import SECTION, docx, hwp, hwpx, pdf, zipped

LINES = ("백엔드 개발자 채용 공고", "지원 마감은 3월 5일입니다")
ROWS = (("직무", "인원"), ("개발", "3명"))


def read(context: FakeContext, **params: Any) -> Any:
    return read_document.run(params, context)  # type: ignore[arg-type]  # as much of a context as the tool touches


def text(result) -> str:
    return "\n".join(piece["text"] for piece in result["pieces"])


def refusal(context: FakeContext, name: str, data: bytes) -> ToolError:
    context.bring(name, data)
    with pytest.raises(ToolError) as caught:
        read(context, document=name)
    assert name in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("name", "make", "kind"),
    [
        ("공고.docx", lambda: docx(*LINES, rows=ROWS), "docx"),
        ("공고.hwpx", lambda: hwpx(*LINES, rows=ROWS), "hwpx"),
        ("공고.hwp", lambda: hwp(*LINES, "직무 | 인원", "개발 | 3명"), "hwp"),
        ("공고.md", lambda: "\n".join((*LINES, "직무 | 인원", "개발 | 3명")).encode(), "text"),
    ],
)
def test_text_and_tables_of_a_document_are_read_in_their_order(context: FakeContext, name, make, kind):
    context.bring(name, make())
    result = read(context)
    lines = [line for line in text(result).splitlines() if line.strip() and line != "끝"]
    assert lines == [*LINES, "직무 | 인원", "개발 | 3명"]
    assert (result["document"], result["format"], result["pages"]) == (name, kind, None)
    assert result["sources"] == [{"document": name}]


def test_a_table_of_a_pdf_keeps_its_columns(context: FakeContext):
    text = "Fares of the heritage tram, valid until the end of the season and on every day but Monday"
    rows = [("Who", "Single", "Day"), ("Grown-ups", "2.40", "6.10"), ("Under 14", "1.10", "2.90"), ("Dogs", "", "1.00")]
    context.bring("tram.pdf", pdf(text, table=rows))
    (_, pages) = opened(context.files[0].path, "tram.pdf")
    told = [one.cells for one in passages(pages) if one.is_row]
    assert told == [tuple(zip(rows[0], row, strict=True)) for row in rows[1:]]


def test_pages_of_a_pdf_keep_their_numbers(context: FakeContext):
    context.bring("채용.pdf", pdf("첫 쪽입니다", "지원 마감은 3월 5일입니다", "마지막 쪽입니다"))
    result = read(context)
    assert [(one["page"], one["text"].strip()) for one in result["pieces"]][1] == (2, "지원 마감은 3월 5일입니다")
    assert (result["pages"], result["next_offset"]) == (3, None)
    assert result["sources"] == [{"document": "채용.pdf", "pages": [1, 3]}]
    assert [one["page"] for one in read(context, page=2)["pieces"]] == [2, 3]
    with pytest.raises(ToolError, match=r"4쪽이 없어요\. 모두 3쪽"):
        read(context, page=4)


def test_a_long_document_is_read_piece_by_piece_and_nothing_is_lost(context: FakeContext):
    whole = "\n".join(f"{number}번째 줄" for number in range(3000))
    context.bring("긴 글.txt", whole.encode())
    results = [read(context, limit=9000)]
    while results[-1]["next_offset"] is not None:
        results.append(read(context, offset=results[-1]["next_offset"], limit=9000))
    assert "".join(text(one) for one in results) == whole
    assert {one["length"] for one in results} == {len(whole)}
    with pytest.raises(ToolError) as caught:
        read(context, offset=len(whole))
    assert caught.value.code is Code.TOOL_ARGUMENTS_INVALID


@pytest.mark.parametrize(
    ("sentence", "encoding"),
    [
        ("채용 공고는 다음 주에 올립니다.", "cp949"),
        ("채용", "cp949"),
        ("採用情報はこちらをご覧ください。", "cp932"),
        ("求人を探しています", "euc_jp"),
        ("채용 공고", "utf-16"),
        ("채용 공고", "utf-8-sig"),
        ("plain words", "ascii"),
    ],
)
def test_the_encoding_of_a_text_is_found(context: FakeContext, sentence: str, encoding: str):
    context.bring("a.txt", sentence.encode(encoding))
    assert text(read(context)) == sentence


def _encrypted_zip() -> bytes:
    data = bytearray(hwpx("비밀"))
    data[6] |= 1  # the flag of the first member
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    return bytes(data)


def _bomb() -> bytes:
    return zipped({"Contents/section0.xml": b" " * (archives.RATIO_FROM * 20)})


def _entities(kind: str) -> bytes:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    if kind == "hwpx":
        return hwpx(section=bomb + SECTION.format("<hp:p><hp:run><hp:t>&b;</hp:t></hp:run></hp:p>"))
    with zipfile.ZipFile(io.BytesIO(docx("x"))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["word/document.xml"] = bomb.encode() + members["word/document.xml"].split(b"?>", 1)[1]
    return zipped(dict(members))


@pytest.mark.parametrize(
    ("name", "make", "reason"),
    [
        ("빈.txt", lambda: b"", "empty"),
        ("잠김.pdf", lambda: pdf("비밀", password="1234"), "encrypted"),
        ("잠김.hwp", lambda: hwp("비밀", flags=3), "encrypted"),
        ("잠김.hwpx", _encrypted_zip, "encrypted"),
        ("배포.hwpx", lambda: hwpx("비밀", manifest="<m><encryption-data/></m>"), "encrypted"),
        ("깨진.pdf", lambda: pdf("내용")[:400], "broken"),
        ("깨진.docx", lambda: docx("내용")[:-300], "broken"),
        ("깨진.hwp", lambda: hwp("내용")[:600], "broken"),
        ("깨진.hwpx", lambda: hwpx(section="<hs:sec><hp:p>"), "broken"),
        ("아닌.pdf", "그냥 글".encode, "broken"),
        ("스캔.pdf", lambda: pdf(""), "no_text"),
        ("폭탄.hwpx", _bomb, "bomb"),
        ("실체.hwpx", lambda: _entities("hwpx"), "unsafe"),
        ("실체.docx", lambda: _entities("docx"), "unsafe"),
        ("경로.hwpx", lambda: zipped({"../../etc/x": "x", "Contents/section0.xml": "<a/>"}), "unsafe"),
        ("묶음.docx", lambda: zipped({"a.txt": "x"}), "unknown"),
        ("그림.txt", lambda: bytes(range(128, 256)) * 3, "encoding"),
    ],
)
def test_a_file_that_gives_no_text_is_refused_with_its_name_and_the_reason(context: FakeContext, name, make, reason):
    error = refusal(context, name, make())
    assert error.detail["reason"] == reason
    assert error.code is (Code.FILE_EMPTY if reason == "empty" else Code.DOCUMENT_UNREADABLE)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("채용_공고.pdf", "채용_공고.md"),
        ("채용 공고", "채용_공고.md"),
        ("공고", "채용_공고.md"),
        ("휴가규정", "휴가_규정_2026.txt"),
        ("계약서", "임대 계약서.txt"),
    ],
)
def test_a_document_is_found_by_a_part_of_its_name(context: FakeContext, wanted: str, found: str):
    for name in ("채용_공고.md", "휴가_규정_2026.txt", "임대 계약서.txt"):
        context.bring(name, name.encode())
    assert read(context, document=wanted)["document"] == found


@pytest.mark.parametrize("wanted", ["", "예산"])
def test_when_it_is_not_clear_which_document_is_meant_they_are_named(context: FakeContext, wanted: str):
    context.bring("a.txt", b"one text")
    context.bring("b.txt", b"another")
    with pytest.raises(ToolError, match=r"a\.txt, b\.txt") as caught:
        read(context, document=wanted)
    assert caught.value.code is Code.DOCUMENT_UNKNOWN


def test_the_only_document_is_meant_by_any_word_for_it_but_not_by_the_name_of_another_file(context: FakeContext):
    context.bring("attention.txt", b"All you need")
    assert read(context, document="논문")["document"] == "attention.txt"
    with pytest.raises(ToolError, match="attention"):
        read(context, document="논문.pdf")


async def test_the_list_names_what_is_there(context: FakeContext):
    assert (await listing.run({}, context))["documents"] == []  # type: ignore[arg-type]  # as above
    context.bring("a.txt", b"one")
    context.bring("a.txt", b"a newer one")
    found = await listing.run({}, context)  # type: ignore[arg-type]  # as above
    assert [(one["name"], one["size"]) for one in found["documents"]] == [("a.txt", 11)]  # type: ignore[index,call-overload,union-attr]
    context.bring("b.csv", b"x,y", "file.table")
    found = await listing.run({}, context)  # type: ignore[arg-type]  # as above
    assert [one["name"] for one in found["documents"]] == ["a.txt", "b.csv"]  # type: ignore[index,call-overload,union-attr]
    assert found["summary"] == [context.text("list.some", count=2, names="a.txt, b.csv")]


@pytest.mark.parametrize("mark", ["\ufffe", "\x02"])
def test_a_word_that_a_line_of_a_pdf_breaks_is_one_word_again(mark: str):
    assert joined(f"The extraordi{mark}\r\nnary meeting\r\nis on 4 May.") == "The extraordinary meeting\nis on 4 May."
