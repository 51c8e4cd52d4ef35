"""What a calendar elsewhere does wrong is told in a sentence, by its code, without a word of the credentials."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from contracts.errors import Code
from contracts.tables import DatabaseUnavailable
from tests.integration.packs.assistant.google_server import REFRESH, SECRET
from tests.integration.packs.assistant.radicale_process import PASSWORD, USER

NOWHERE = "http://127.0.0.1:9/"
DENTIST = {"title": "치과", "date": "2026-11-23", "time": "15:00"}


@pytest.fixture
def google_settings(google_server, tmp_path) -> dict[str, str]:
    file = google_server.token_file(tmp_path)
    return {"CALENDAR": "google", "GOOGLE_TOKEN_FILE": str(file), "GOOGLE_ENDPOINT": google_server.url}


@pytest.fixture
def dav_settings(dav_server) -> dict[str, str]:
    address = dav_server.new_calendar()
    return {"CALENDAR": "caldav", "CALDAV_URL": address, "CALDAV_USER": USER, "CALDAV_PASSWORD": PASSWORD}


@pytest.fixture
def at_google(desk, google_settings):
    return replace(desk, settings=google_settings)


@pytest.fixture
def at_dav(desk, dav_settings):
    return replace(desk, settings=dav_settings)


class _Answers(BaseHTTPRequestHandler):
    url, status, body = "", 200, b""

    def __getattr__(self, name: str):
        if name.startswith("do_"):
            return self._same
        raise AttributeError(name)

    def _same(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(self.status)
        self.send_header("content-length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # named by http.server
        """Nothing: a test shows what it asserts."""


@pytest.fixture
def odd_server() -> Iterator[type[_Answers]]:
    """A server that gives everybody the same answer."""

    class Answers(_Answers):
        """Of this test alone."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        Answers.url = f"http://127.0.0.1:{server.server_port}/"
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield Answers
        server.shutdown()


def _google_error(status: int, reason: str = "") -> tuple[int, bytes]:
    return status, json.dumps({"error": {"code": status, "message": "no", "errors": [{"reason": reason}]}}).encode()


@pytest.mark.parametrize("where", ["google", "dav"])
async def test_both_serve_the_tools_as_the_one_that_is_kept_here(desk, request, where):
    desk.settings = request.getfixturevalue(f"{where}_settings")
    assert (await desk("calendar", **DENTIST))["summary"] == ["11월 23일 (월) 오후 3시 치과 일정을 넣었어요."]
    assert (await desk("calendar", action="list"))["count"] == 1
    assert (await desk("calendar", action="delete", title="치과"))["deleted"][0]["title"] == "치과"
    assert (await desk("calendar", action="list"))["count"] == 0
    await desk("todo", title="우유 사기")
    await desk("todo", action="complete", title="우유")
    assert (await desk("todo", action="list"))["count"] == 0


async def test_an_access_token_is_fetched_once_and_again_when_it_is_worth_nothing(at_google, google_server):
    for _ in range(2):
        await at_google("calendar", action="list")
    assert google_server.tokens == 1
    google_server.revoke()
    assert (await at_google("calendar", action="list"))["count"] == 0
    assert google_server.tokens == 3


@pytest.mark.parametrize(
    ("fault", "code", "retryable", "said"),
    [
        (_google_error(403, "insufficientPermissions"), Code.FORBIDDEN, False, "권한"),
        (_google_error(403, "userRateLimitExceeded"), Code.RATE_LIMITED, True, "너무 많아요"),
        (_google_error(404, "notFound"), Code.TOOL_FAILED, False, "찾지 못했어요"),
        (_google_error(429, "rateLimitExceeded"), Code.RATE_LIMITED, True, "너무 많아요"),
        (_google_error(400, "invalid"), Code.TOOL_FAILED, False, "HTTP 400"),
        ((500, b"oops"), Code.EXTERNAL_UNAVAILABLE, True, "문제가 생겼어요"),
        ((503, b""), Code.EXTERNAL_UNAVAILABLE, True, "문제가 생겼어요"),
        ((200, b'{"items": [{"id"'), Code.EXTERNAL_UNAVAILABLE, True, "알아볼 수 없는"),
        ((200, b"[1, 2]"), Code.EXTERNAL_UNAVAILABLE, True, "알아볼 수 없는"),
        (
            (200, b'{"items": [{"id": "a", "start": {}, "end": null}]}'),
            Code.EXTERNAL_UNAVAILABLE,
            True,
            "알아볼 수 없는",
        ),
    ],
)
async def test_what_google_answers_instead(at_google, google_server, fault, code, retryable, said):
    google_server.faults.append(fault)
    error = await at_google.error("calendar", action="list")
    assert (error.code, error.retryable) == (code, retryable)
    assert "Google" in error.message and said in error.message


async def test_a_refresh_that_google_refuses_asks_for_the_account(at_google, google_server):
    google_server.refuse_refresh = True
    error = await at_google.error("calendar", **DENTIST)
    assert (error.code, error.retryable) == (Code.UNAUTHENTICATED, False)
    assert not any(one.startswith("POST") for one in google_server.requests)


async def test_google_out_of_reach_may_be_tried_again(at_google):
    at_google.settings["GOOGLE_ENDPOINT"] = NOWHERE
    error = await at_google.error("calendar", **DENTIST)
    assert (error.code, error.retryable) == (Code.EXTERNAL_UNAVAILABLE, True)


@pytest.mark.parametrize("content", [None, "", "no json", "[]", '{"refresh_token": "only"}'])
async def test_an_account_file_that_is_none_is_named_without_its_folder(at_google, tmp_path, content):
    file = tmp_path / "account.json"
    if content is not None:
        file.write_text(content)
    at_google.settings["GOOGLE_TOKEN_FILE"] = str(file)
    error = await at_google.error("calendar", **DENTIST)
    assert error.code is Code.TOOL_FAILED
    assert "account.json" in error.message and str(tmp_path) not in error.message


async def test_without_googles_library_the_extra_is_named(at_google, monkeypatch):
    monkeypatch.setitem(sys.modules, "googleapiclient", None)
    error = await at_google.error("calendar", **DENTIST)
    assert "pip install 'dream-agent[google]'" in error.message


@pytest.mark.parametrize(
    ("changed", "code", "retryable", "said"),
    [
        ({"CALDAV_PASSWORD": "wrong"}, Code.UNAUTHENTICATED, False, "로그인하지 못했어요"),
        ({"CALDAV_URL": NOWHERE}, Code.EXTERNAL_UNAVAILABLE, True, "연결하지 못했어요"),
    ],
)
async def test_a_caldav_server_that_cannot_be_used(at_dav, changed, code, retryable, said):
    at_dav.settings |= changed
    error = await at_dav.error("calendar", **DENTIST)
    assert (error.code, error.retryable) == (code, retryable)
    assert "127.0.0.1" in error.message and said in error.message


@pytest.mark.parametrize(
    ("status", "body", "code", "retryable"),
    [
        (200, b"<html>Log in to the Wi-Fi</html>", None, None),
        (207, b"<multistatus xmlns='DAV:'><respon", None, None),
        (403, b"", Code.FORBIDDEN, False),
        (404, b"", Code.TOOL_FAILED, False),
        (429, b"", Code.RATE_LIMITED, True),
        (500, b"oops", Code.EXTERNAL_UNAVAILABLE, True),
    ],
)
async def test_what_another_server_answers_instead(at_dav, odd_server, status, body, code, retryable):
    odd_server.status, odd_server.body = status, body
    at_dav.settings["CALDAV_URL"] = odd_server.url
    error = await at_dav.error("calendar", action="list")
    assert error.code in ({code} if code else {Code.EXTERNAL_UNAVAILABLE, Code.TOOL_FAILED})
    assert retryable in {None, error.retryable}
    assert "127.0.0.1" in error.message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"CALENDAR": "outlook"}, "embedded, caldav, google"),
        ({"CALENDAR": "google"}, "DREAM_PACK_ASSISTANT_GOOGLE_TOKEN_FILE"),
        ({"CALENDAR": "caldav"}, "DREAM_PACK_ASSISTANT_CALDAV_URL"),
        ({"CALENDAR": "caldav", "CALDAV_URL": "https://a/"}, "DREAM_PACK_ASSISTANT_CALDAV_USER"),
        ({"CALENDAR": "caldav", "CALDAV_URL": "https://me:hunter2@a/", "CALDAV_USER": "me"}, "CALDAV_URL"),
        ({"CALENDAR": "caldav", "CALDAV_URL": "file:///etc/passwd", "CALDAV_USER": "me"}, "CALDAV_URL"),
        ({"CALENDAR": "google", "GOOGLE_TOKEN_FILE": "/tokens/{user}.json"}, "../mina"),
    ],
)
@pytest.mark.parametrize("language", ["ko", "en", "ja"])
async def test_a_setting_that_is_missing_or_wrong_is_named(desk, settings, said, language):
    desk.settings, desk.language, desk.user = settings, language, "../mina"
    error = await desk.error("calendar", **DENTIST)
    assert error.code is Code.TOOL_FAILED and not error.retryable
    assert said in error.message
    assert "hunter2" not in f"{error.message} {error.detail}"


async def test_everybody_can_have_an_account_of_their_own(at_google, google_server, tmp_path):
    file = google_server.token_file(tmp_path)
    file.rename(tmp_path / f"{at_google.user}.json")
    at_google.settings["GOOGLE_TOKEN_FILE"] = f"{tmp_path}/{{user}}.json"
    assert (await at_google("calendar", action="list"))["count"] == 0


async def test_credentials_are_in_no_error_result_or_log(at_google, at_dav, caplog, google_server, odd_server):
    caplog.set_level("DEBUG")
    heard = [str(await desk(tool, action="list")) for desk in (at_google, at_dav) for tool in ("calendar", "todo")]
    google_server.faults.append((500, b"oops"))
    odd_server.status = 500
    at_dav.settings["CALDAV_URL"] = odd_server.url
    for desk in (at_google, at_dav):
        error = await desk.error("calendar", **DENTIST)
        heard += [error.message, str(error.detail), repr(error.__cause__), *desk.lines]
    heard += [record.getMessage() for record in caplog.records]
    for secret in (PASSWORD, REFRESH, SECRET, "access-1-word"):
        assert not [line for line in heard if secret in line]


async def test_a_database_out_of_reach_may_be_tried_again(desk):
    class Unreachable:
        def transaction(self):
            raise DatabaseUnavailable("down")

    desk.tables = Unreachable()
    error = await desk.error("calendar", **DENTIST)
    assert (error.code, error.retryable) == (Code.LEDGER_UNAVAILABLE, True)


async def test_a_calendar_that_is_gone_is_looked_for_again(at_dav, dav_server):
    at_dav.settings["CALDAV_URL"] = dav_server.url
    await at_dav("calendar", **DENTIST)
    dav_server.remove_calendars()
    error = await at_dav.error("calendar", action="list")
    assert (error.code, error.detail["reason"]) == (Code.TOOL_FAILED, "missing")
    dav_server.new_calendar()
    assert (await at_dav("calendar", action="list"))["count"] == 0
