"""Uploads and downloads."""

import asyncio
import hashlib
import io
import zipfile
from collections.abc import AsyncIterator
from urllib.parse import quote

import psutil

from tests.integration.gateway.conftest import RAW, UPLOAD_LIMIT, House

CSV = "작성일,리뷰\n2026-01-01,정말 좋아요\n".encode()


def _xlsx() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("[Content_Types].xml"), "<Types/>")
    return made.getvalue()


GOOD: list[tuple[str, bytes, str]] = [
    ("reviews.csv", CSV, "text/csv"),
    ("reviews.CSV", "작성일,리뷰\n1,좋아요\n".encode("cp949"), "text/csv"),
    ("reviews.tsv", b"a\tb\n1\t2\n", "text/tab-separated-values"),
    ("utf16.csv", CSV.decode().encode("utf-16"), "text/csv"),
    ("utf16le.csv", b"a,b\n1,2\n".decode().encode("utf-16-le"), "text/csv"),
    ("rows.json", b'[{"text": "a"}]', "application/json"),
    ("rows.jsonl", b'{"text": "a"}\n', "application/x-ndjson"),
    ("rows.ndjson", b'{"text": "a"}\n', "application/x-ndjson"),
    ("book.xlsx", _xlsx(), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("one.csv", b"a", "text/csv"),
]


async def test_a_table_is_stored_by_its_content_and_comes_back(house: House) -> None:
    for name, body, media_type in GOOD:
        answer = await house.http.post("/artifacts", params={"name": name}, content=body, headers=RAW)
        assert answer.status_code == 201, (name, answer.text)
        stored = answer.json()
        assert stored["artifact_id"] == hashlib.sha256(body).hexdigest()
        assert (stored["name"], stored["size"], stored["type"]) == (name, len(body), "file.table")
        assert stored["media_type"] == media_type
        back = await house.http.get(f"/artifacts/{stored['artifact_id']}", params={"name": name})
        assert back.content == body
        assert back.headers["x-content-type-options"] == "nosniff"
        assert back.headers["content-disposition"].startswith("attachment")


async def test_an_upload_into_a_session_is_recorded_there(house: House) -> None:
    session = (await house.begin())["session_id"]
    key = {"Idempotency-Key": "u1"}
    ids = set()
    for _ in range(2):
        answer = await house.http.post(f"/artifacts?name=a.csv&session_id={session}", content=CSV, headers=RAW | key)
        assert answer.status_code == 201
        ids.add(answer.json()["artifact_id"])
    uploaded = (await house.stream(session))[2:]
    assert [message.type for message in uploaded] == ["ArtifactUploaded"]
    assert [one.encode() in uploaded[0].data for one in ids] == [True]


BAD: list[tuple[str, bytes, int, int]] = [
    ("", CSV, 400, 1000),
    ("?name=", CSV, 400, 1000),
    ("?name=virus.exe", CSV, 415, 1004),
    ("?name=noextension", CSV, 415, 1004),
    ("?name=.csv", CSV, 415, 1004),
    ("?name=a.csv", b"", 422, 1006),
    ("?name=a.csv", b"PK\x03\x04 a workbook by another name", 415, 1004),
    ("?name=a.csv", b"%PDF-1.7 text", 415, 1004),
    ("?name=a.csv", b"a,b\n" + b"\0\1\2" * 100, 415, 1004),
    ("?name=a.csv", b"a,b\n" * 70_000 + b"\0\0\0\0", 415, 1004),
    ("?name=a.csv", bytes(range(1, 9)) * 100, 415, 1004),
    ("?name=a.xlsx", CSV, 415, 1004),
    ("?name=a.xlsx", _xlsx()[:30], 415, 1004),
    ("?name=a.csv&session_id=x", CSV, 400, 1009),
    ("?name=a.csv&session_id=0197a1f0-0000-7000-8000-000000000001", CSV, 404, 3000),
    ("?name=a.csv", b"x" * (UPLOAD_LIMIT + 1), 413, 1005),
]


async def test_what_cannot_be_used_is_refused_and_not_kept(house: House) -> None:
    for query, body, status, code in BAD:
        answer = await house.http.post(f"/artifacts{query}", content=body, headers=RAW)
        problem = answer.json()
        assert (answer.status_code, problem["code"]) == (status, code), (query, body[:40], problem)
        kept = await house.http.get(f"/artifacts/{hashlib.sha256(body).hexdigest()}")
        assert (kept.status_code, kept.json()["code"]) == (404, 1010)


async def test_a_form_is_told_how_to_send_a_file(house: House) -> None:
    answer = await house.http.post("/artifacts?name=a.csv", files={"file": ("a.csv", CSV)})
    assert (answer.status_code, answer.json()["code"]) == (415, 1000)
    assert "no form" in answer.json()["detail"]


async def test_two_hundred_megabytes_are_refused_with_flat_memory(house: House) -> None:
    sent = 0

    async def flood() -> AsyncIterator[bytes]:  # chunked: no Content-Length to go by
        nonlocal sent
        block = b"a,b,c\n" * 20_000
        while sent < 200_000_000:
            sent += len(block)
            yield block

    process = psutil.Process()
    before = process.memory_info().rss
    answer = await house.http.post("/artifacts?name=big.csv", content=flood(), headers=RAW)
    assert (answer.status_code, answer.json()["code"]) == (413, 1005)
    assert process.memory_info().rss - before < 30_000_000
    assert not list((house.backbone.artifacts._root).rglob("tmp*"))  # type: ignore[attr-defined]  # the local store


async def test_a_declared_length_over_the_limit_is_refused_before_the_file_comes(house: House) -> None:
    host, port = house.gateway.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"POST /artifacts?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 200000000\r\n\r\na,b\n"
    )
    async with asyncio.timeout(2):
        head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in head.lower()
    writer.close()
    await writer.wait_closed()


async def test_a_client_that_breaks_off_leaves_nothing_behind(house: House) -> None:
    host, port = house.gateway.url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(
        b"POST /artifacts?name=a.csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\na,b\n"
    )
    await writer.drain()
    await asyncio.sleep(0.1)
    writer.transport.abort()
    await asyncio.sleep(0.2)
    assert not [path for path in house.backbone.artifacts._root.rglob("*") if path.is_file()]  # type: ignore[attr-defined]  # the local store
    assert (await house.http.get("/health")).status_code == 200


async def test_names_are_harmless_in_the_store_and_in_headers(house: House) -> None:
    wild = '../../etc/\r\nX-Evil: 1/리\u202e뷰\x07 "2026";.csv'
    stored = (await house.http.post(f"/artifacts?name={quote(wild, safe='')}", content=CSV, headers=RAW)).json()
    assert stored["name"] == '리뷰 "2026";.csv'
    back = await house.http.get(f"/artifacts/{stored['artifact_id']}?name={quote(wild, safe='')}")
    assert "x-evil" not in back.headers
    disposition = back.headers["content-disposition"]
    assert "\n" not in disposition
    assert disposition.endswith(f"filename*=UTF-8''{quote(stored['name'], safe='')}")


async def test_a_file_is_shown_only_when_it_can_run_nothing(house: House) -> None:
    kept = {
        kind: (await house.backbone.artifacts.put(f"{kind} bytes".encode(), kind))[0]
        for kind in ("image/png", "video/mp4", "application/pdf", "text/html", "image/svg+xml", "text/javascript")
    }
    shown = {}
    for kind, artifact_id in kept.items():
        answer = await house.http.get(f"/artifacts/{artifact_id}", params={"name": "picture.png"})
        assert answer.headers["content-type"].partition(";")[0] == kind
        shown[kind] = answer.headers["content-disposition"].partition(";")[0]
    assert {kind for kind, how in shown.items() if how == "inline"} == {"image/png", "video/mp4", "application/pdf"}


async def test_the_same_bytes_come_back_as_what_each_has_sent_them(house: House) -> None:
    for name, kind in (("notes.txt", "text/plain"), ("notes.csv", "text/csv"), ("notes.md", "text/markdown")):
        stored = (await house.http.post(f"/artifacts?name={name}", content=CSV, headers=RAW)).json()
        assert stored["media_type"] == kind
        back = await house.http.get(f"/artifacts/{stored['artifact_id']}", params={"name": name})
        assert back.headers["content-type"].partition(";")[0] == kind
    unnamed = await house.http.get(f"/artifacts/{hashlib.sha256(CSV).hexdigest()}")
    assert unnamed.headers["content-type"].partition(";")[0] == "text/plain"


async def test_a_name_makes_no_other_thing_of_a_file(house: House) -> None:
    """The type is what was recorded when it was stored; what was stored before types were, is bytes."""
    stored = (await house.http.post("/artifacts?name=t.tsv", content=b"a\tb\n", headers=RAW)).json()["artifact_id"]
    before = await house.backbone.artifacts.path(stored)
    for name in ("t.tsv", "t.js", "t.svg", "t.html", "t"):
        answer = await house.http.get(f"/artifacts/{stored}", params={"name": name})
        assert answer.headers["content-type"].partition(";")[0] == "text/tab-separated-values"
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "sandbox" in answer.headers["content-security-policy"].split(";")[0]
        assert answer.headers["x-content-type-options"] == "nosniff"
    before.with_name(f"{stored}.type").unlink()
    answer = await house.http.get(f"/artifacts/{stored}", params={"name": "t.png"})
    assert answer.headers["content-type"] == "application/octet-stream"


async def test_a_page_sends_a_file_only_under_a_type_that_no_page_may_send_anywhere(house: House) -> None:
    for name, given, status in (
        ("b.csv", "application/octet-stream", 201),
        ("b.csv", "Text/CSV; charset=utf-8", 201),
        ("b.csv", "application/json", 415),
        ("b.csv", "text/plain", 415),
        ("b.csv", "application/x-www-form-urlencoded", 415),
        ("b.csv", None, 415),
        ("b.txt", "text/plain", 415),
        ("b.txt", "text/plain;charset=UTF-8", 415),
        ("b.txt", "application/octet-stream", 201),
    ):
        headers = {"Content-Type": given} if given else {}
        url, body = f"/artifacts?name={name}", b"a,b\n1,2\n"
        # a program, which may say what it likes, and a page of ours by each of the marks of one
        assert (await house.http.post(url, content=body, headers=headers)).status_code == 201
        marks = {"Origin": house.gateway.url}, {"Sec-Fetch-Site": "same-origin"}
        answers = [await house.http.post(url, content=body, headers=headers | mark) for mark in marks]
        answer = answers[0]
        assert [one.status_code for one in answers] == [status, status], (name, given, answer.text)
        if status == 415:
            assert answer.json()["code"] == 1000
            assert "application/octet-stream" in answer.json()["detail"]


async def test_a_part_of_a_file_can_be_asked_for(house: House) -> None:
    stored = (await house.http.post("/artifacts?name=a.csv", content=CSV, headers=RAW)).json()["artifact_id"]
    part = await house.http.get(f"/artifacts/{stored}", headers={"Range": "bytes=0-4"})
    assert (part.status_code, part.content) == (206, CSV[:5])


async def test_a_malformed_artifact_id_is_1009_and_never_a_path(house: House) -> None:
    for artifact_id, status, code in (("1", 400, 1009), ("A" * 64, 400, 1009), ("%2e%2e%2f" * 8, 404, 1000)):
        answer = await house.http.get(f"/artifacts/{artifact_id}")
        assert (answer.status_code, answer.json()["code"]) == (status, code)
