"""Names of downloaded files."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dream.client.downloads import free_path, main_document, safe_name


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("report.pdf", "report.pdf"),
        ("리뷰 리포트.pdf", "리뷰 리포트.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\boot.ini", "boot.ini"),
        ("/etc/passwd", "passwd"),
        ("..", "attachment"),
        ("", "attachment"),
        (".bashrc", "bashrc"),
        ("a\x00b\n.pdf", "ab.pdf"),
        ("report\u202efdp.exe", "reportfdp.exe"),
        ('a<b>:"|?*.pdf', "a_b______.pdf"),
        ("CON.pdf", "_CON.pdf"),
    ],
)
def test_a_name_cannot_lead_out_of_the_folder(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.text(max_size=400))
def test_every_name_becomes_one_that_a_file_can_have(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert Path(safe).name == safe
    assert safe not in (".", "..")
    assert len(safe.encode()) <= 210


def test_nothing_is_written_over(tmp_path: Path) -> None:
    for expected in ("report.pdf", "report-2.pdf", "report-3.pdf"):
        path = free_path(tmp_path, "report.pdf")
        assert path.name == expected
        path.touch()


def test_a_dangling_link_counts_as_taken(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").symlink_to(tmp_path / "elsewhere")
    assert free_path(tmp_path, "report.pdf").name == "report-2.pdf"


def test_the_main_document_is_the_one_the_answer_names_else_the_first_pdf() -> None:
    chart = {"artifact_id": "c", "media_type": "image/png"}
    one, two = ({"artifact_id": name, "media_type": "application/pdf"} for name in "ab")
    assert main_document({"ui_hint": {"primary_artifact": "b"}}, [chart, one, two]) == two
    assert main_document({}, [chart, one, two]) == one
    assert main_document({"ui_hint": {"primary_artifact": "c"}}, [chart]) is None
