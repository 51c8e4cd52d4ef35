"""What a tool calls its files: clients write them under the names that they are told, so those have no folders in them."""

from pathlib import Path

import pytest

from services.execution.tools.outputs import Outputs


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../x.txt", "x.txt"),
        ("..\\..\\보고서.pdf", "보고서.pdf"),
        ("/etc/passwd", "passwd"),
        ("a/b/", "file"),
        ("..", "file"),
        ("報告\u202efdp.exe", "報告fdp.exe"),
        ("two\r\nlines.csv", "twolines.csv"),
        ("Quarterly report (v2).xlsx", "Quarterly report (v2).xlsx"),
    ],
)
def test_a_saved_file_has_a_name_without_folders_as_an_upload_has(given: str, kept: str, tmp_path: Path) -> None:
    outputs = Outputs()
    attachment = outputs.save(tmp_path, b"", given, "text/plain", "document.x", {})
    assert attachment.name == kept
    assert outputs.saved[0]["attachment"]["name"] == kept
