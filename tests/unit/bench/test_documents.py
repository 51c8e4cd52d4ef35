"""The bench of document questions: what a line has to have, what counts as right, and that the files can be read."""

from pathlib import Path

import pytest

from bench.dialogue_file import FileUnusable
from bench.document_files import shelf
from bench.document_weights import files
from bench.documents import DATA, Asked, Told, found, read, report
from packs.documents.formats.opening import read as opened


def asked(*, absent: bool = False) -> Asked:
    return Asked(lang="en", files=("a.txt",), question="Who?", any=() if absent else ("Ann",), absent=absent)


def test_every_document_of_the_shelf_can_be_read_and_every_question_has_its_files(tmp_path: Path):
    files = shelf()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
        assert sum(len(page.text) for page in opened(tmp_path / name, name)[1]) > 200
    questions = [one for name in ("kept", "development") for one in read(DATA / f"{name}.jsonl")]
    assert {name for one in questions for name in one.files} == set(files)
    assert all(one.absent or one.any or one.contains for one in questions)


def test_the_two_sets_share_no_question():
    kept, development = ({one.question for one in read(DATA / f"{name}.jsonl")} for name in ("kept", "development"))
    assert not kept & development


def test_an_answer_that_quotes_what_comes_nearest_is_answered_and_not_surely():
    told = [
        Told(asked(), "“a.txt” says: “Ann.”", ()),
        Told(asked(), "“a.txt” does not say this in so many words. What comes nearest: “Ann.”", ()),
        Told(asked(), "What can I do for you?", ("has none",)),
        Told(asked(absent=True), "“a.txt” does not say this in so many words.", ()),
    ]
    figures = report(told)["en"]
    assert figures == {"questions": 3, "answered": 0.667, "surely": 0.333, "absent_questions": 1, "absent": 1.0}
    assert report(told)["ko"]["answered"] == 1.0


@pytest.mark.parametrize("line", ["{}", "not json", '{"lang": "de", "files": ["a"], "question": "?"}'])
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str):
    path = tmp_path / "q.jsonl"
    path.write_text(line)
    with pytest.raises(FileUnusable, match=r"q\.jsonl"):
        read(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(FileUnusable, match=r"a\.txt"):
        found(tmp_path, [asked()])


def test_of_two_files_of_one_name_a_set_has_its_own():
    name = "allotment_newsletter_autumn.txt"
    folders = [path.parent for path in sorted(DATA.glob(f"*/{name}"))]
    assert len(folders) > 1
    assert [files(folder.name)[name] for folder in folders] == [(folder / name).read_bytes() for folder in folders]
