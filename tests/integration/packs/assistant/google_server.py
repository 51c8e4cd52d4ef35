"""A server that speaks what is used of Google's token endpoint, Calendar v3 and Tasks v1, over real HTTP.

It is as strict as Google where it matters: bearer tokens expire, ids have their alphabet, bodies only the fields of the
API's own description (inside Google's client library)."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.integration.packs.assistant.google_events import Events

REFRESH, SECRET = "refresh-1//word", "client-secret-word"
PAGE = 2


class Refused(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


@cache
def _fields(api: str, schema: str) -> frozenset[str]:
    folder = files("googleapiclient") / "discovery_cache" / "documents"
    return frozenset(json.loads((folder / f"{api}.json").read_text())["schemas"][schema]["properties"])


@dataclass
class Google:
    """`faults` answer the next requests of the APIs in the place of the server: (status, body)."""

    url: str = ""
    tokens: int = 0
    refuse_refresh: bool = False
    faults: list[tuple[int, bytes]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    events: Events = field(default_factory=Events)
    tasks: dict[str, dict[str, Any]] = field(default_factory=dict)

    def token(self, form: dict[str, list[str]]) -> dict[str, Any]:
        if self.refuse_refresh or form["refresh_token"] != [REFRESH] or form["client_secret"] != [SECRET]:
            raise Refused(400, "invalid_grant")
        self.tokens += 1
        return {"access_token": f"access-{self.tokens}-word", "expires_in": 3599, "token_type": "Bearer"}

    def revoke(self) -> None:
        """The access token in use is worth nothing from now on; a refresh brings another."""
        self.tokens += 1

    def token_file(self, folder: Path) -> Path:
        path = folder / "token.json"
        known = {"client_id": "client", "client_secret": SECRET, "refresh_token": REFRESH, "type": "authorized_user"}
        path.write_text(json.dumps(known | {"token": "access-0-word"}))
        return path

    def call(self, method: str, path: str, query: dict[str, str], body: dict[str, Any]) -> dict[str, Any] | None:
        for way, pattern, act in self._routes():
            if way == method and (found := re.fullmatch(pattern, path)):
                return act(query, body, *found.groups())
        raise Refused(404, "notFound")

    def _routes(self) -> list[tuple[str, str, Callable[..., dict[str, Any] | None]]]:
        events, tasks = "/calendar/v3/calendars/primary/events", "/tasks/v1/lists/@default/tasks"
        return [
            ("GET", events, lambda query, body: _page(self.events.listed(query), query)),
            ("POST", events, lambda query, body: self._insert(body)),
            ("GET", f"{events}/([^/]+)", lambda query, body, id_: self._known(self.events.one(id_))),
            (
                "GET",
                f"{events}/([^/]+)/instances",
                lambda query, body, id_: _page(self.events.instances(id_, query), query),
            ),
            ("PATCH", f"{events}/([^/]+)", lambda query, body, id_: self._known(self.events.patch(id_, body))),
            ("DELETE", f"{events}/([^/]+)", lambda query, body, id_: self._deleted(id_)),
            ("GET", tasks, lambda query, body: _page(self._tasks(query), query)),
            ("POST", tasks, lambda query, body: self._new_task(body)),
            ("PATCH", f"{tasks}/([^/]+)", lambda query, body, id_: self._patched(id_, body)),
        ]

    def _insert(self, body: dict[str, Any]) -> dict[str, Any]:
        if not set(body) <= _fields("calendar.v3", "Event") or not re.fullmatch("[a-v0-9]{5,1024}", body["id"]):
            raise Refused(400, "invalid")
        if self.events.taken(body["id"]):
            raise Refused(409, "duplicate")
        return self.events.insert(body)

    def _known(self, item: dict[str, Any] | None) -> dict[str, Any]:
        if item is None:
            raise Refused(404, "notFound")
        return item

    def _deleted(self, id_: str) -> None:
        if not self.events.delete(id_):
            raise Refused(410, "deleted")

    def _tasks(self, query: dict[str, str]) -> list[dict[str, Any]]:
        hidden = query.get("showCompleted", "true") == "true" and query.get("showHidden") == "true"
        return [one for one in self.tasks.values() if one["status"] == "needsAction" or hidden]

    def _new_task(self, body: dict[str, Any]) -> dict[str, Any]:
        if not set(body) <= _fields("tasks.v1", "Task"):
            raise Refused(400, "invalid")
        id_ = f"Task-{len(self.tasks)}"
        self.tasks[id_] = body | {"id": id_}
        return self.tasks[id_]

    def _patched(self, id_: str, body: dict[str, Any]) -> dict[str, Any]:
        self.tasks[id_] |= body
        return self.tasks[id_]


def _page(items: list[dict[str, Any]], query: dict[str, str]) -> dict[str, Any]:
    start = int(query.get("pageToken", "0"))
    page: dict[str, Any] = {"items": items[start : start + PAGE]}
    return page | ({"nextPageToken": str(start + PAGE)} if start + PAGE < len(items) else {})


class _Handler(BaseHTTPRequestHandler):
    google: Google

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        try:
            if parts.path == "/token":
                self._answer(200, self.google.token(parse_qs(body)))
                return
            self.google.requests.append(f"{self.command} {parts.path}")
            if (
                self.headers.get("authorization") != f"Bearer access-{self.google.tokens}-word"
                or not self.google.tokens
            ):
                raise Refused(401, "authError")  # noqa: TRY301  # one place answers every refusal
            if self.google.faults:
                status, raw = self.google.faults.pop(0)
                self._write(status, raw)
                return
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            answer = self.google.call(self.command, unquote(parts.path), query, json.loads(body or "{}"))
            self._answer(200 if answer is not None else 204, answer)
        except Refused as refused:
            reasons = [{"domain": "global", "reason": refused.reason}]
            shown = {"code": refused.status, "message": refused.reason, "errors": reasons}
            self._answer(refused.status, {"error": refused.reason if parts.path == "/token" else shown})

    do_GET = do_POST = do_DELETE = do_PATCH = _serve  # noqa: N815  # named by http.server

    def _answer(self, status: int, answer: dict[str, Any] | None) -> None:
        self._write(status, b"" if answer is None else json.dumps(answer).encode())

    def _write(self, status: int, raw: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json; charset=UTF-8")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # named by http.server
        """Nothing: a test shows what it asserts."""


@contextmanager
def google() -> Iterator[Google]:
    state = Google()
    handler = type("Handler", (_Handler,), {"google": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
