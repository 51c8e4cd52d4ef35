"""What people really send: each of it has its code, and one sentence in their language that says what to do."""

from uuid import uuid4

import pytest

from tests.e2e.person import Json, Person, only
from tests.e2e.recount import recount
from tests.e2e.test_main_job import demo

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

CSV = demo("ko").decode()
SENTENCE = "이 리뷰들 감성 분석해줘"


async def said_about(person: Person, name: str, content: bytes) -> tuple[Json, list[Json]]:
    run = await person.say(SENTENCE, attachments=[await person.upload(name, content)], auto_approve=True)
    return run, await person.end_of(run, 120)


async def test_a_table_without_a_text_column_fails_the_run_with_a_korean_sentence(person: Person) -> None:
    _, events = await said_about(person, "숫자.csv", "가격,수량\n1200,3\n800,5\n950,1\n".encode())
    error = only(events, "RunFailed")["error"]
    assert error["code"] == 6102
    assert error["message"].startswith("숫자.csv에서 리뷰 글이 있는 열을 찾지 못했습니다")
    assert error["message"] in only(events, "ResponseOutput")["text"]


async def test_a_table_with_a_head_and_no_rows_fails_the_run_with_its_code(person: Person) -> None:
    _, events = await said_about(person, "빈.csv", "상품명,평점,내용\n".encode())
    assert only(events, "RunFailed")["error"]["code"] == 6103


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp949", "utf-16"])
async def test_a_table_is_read_whatever_its_encoding(encoding: str, person: Person) -> None:
    _, events = await said_about(person, "리뷰.csv", CSV.encode(encoding))
    only(events, "RunCompleted")
    truth = recount(CSV)
    results = {one["todo_id"].split("-", 1)[1]: one["result"] for one in only(events, "ExecutionOutput")["results"]}
    assert results["collector"]["rows_read"] == truth.read and results["collector"]["rows_kept"] == truth.kept
    assert results["preprocessor"]["reviews"] == truth.reviews
    assert results["sentiment"]["reviews"] == truth.reviews


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("reviews.hwp", b"\xd0\xcf\x11\xe0", 415, 1004),
        ("reviews.csv", b"%PDF-1.7 ...", 415, 1004),
        ("reviews.csv", b"", 422, 1006),
        ("reviews.xlsx", b"a,b\n1,2\n", 415, 1004),
    ],
)
async def test_a_file_of_an_unknown_type_is_refused(
    name: str, content: bytes, status: int, code: int, person: Person
) -> None:
    answer = await person.ask(
        "POST",
        "/artifacts",
        params={"name": name},
        content=content,
        headers={"Content-Type": "application/octet-stream"},
    )
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"


async def test_an_attachment_that_was_never_uploaded_is_refused(person: Person) -> None:
    file = {"artifact_id": "0" * 64, "name": "a.csv", "media_type": "text/csv", "size": 3, "type": "file.table"}
    answer = await person.ask("POST", "/agent/run", json={"text": SENTENCE, "attachments": [file]})
    assert (answer.status_code, answer.json()["code"]) == (422, 1010)


@pytest.mark.parametrize("path", ["/sessions/{id}", "/sessions/{id}/events", "/sessions/{id}/decisions"])
async def test_an_unknown_session_is_refused(path: str, person: Person) -> None:
    answer = await person.ask("GET", path.format(id=uuid4()))
    assert (answer.status_code, answer.json()["code"]) == (404, 3000)


async def test_a_message_to_an_unknown_session_is_refused(person: Person) -> None:
    answer = await person.ask("POST", "/agent/run", json={"text": SENTENCE, "session_id": str(uuid4())})
    assert (answer.status_code, answer.json()["code"]) == (404, 3000)


async def test_a_command_with_bad_arguments_fails_the_run_with_its_code(person: Person) -> None:
    answer = await person.ask("POST", "/agent/run", json={"text": "/errand many", "language": "ko"})
    result = answer.json()
    assert (result["status"], result["error"]["code"]) == ("failed", 4004)


async def test_an_unknown_command_does_not_hang(person: Person) -> None:
    answer = await person.ask("POST", "/agent/run", json={"text": "/nonsense 3", "language": "ko"}, timeout=60)
    assert answer.status_code == 200 and answer.json()["status"] in {"waiting", "failed", "completed"}
