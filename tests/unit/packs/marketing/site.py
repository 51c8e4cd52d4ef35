"""A real web server on loopback, and rules that let the tests ask it."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address

from packs.marketing.web.fetch import Rules

LOOPBACK = ip_address("127.0.0.1")
OPEN = Rules(allows=lambda address: address == LOOPBACK)


@dataclass
class Answer:
    """`pause` seconds before every piece of the body."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pause: float = 0.0


@dataclass
class Site:
    """`pages` by path; `heard` is every request's path and host header."""

    port: int
    pages: dict[str, Answer] = field(default_factory=dict)
    heard: list[tuple[str, str]] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, path: str, body: bytes | str, content_type: str = "", **headers: str) -> str:
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = Answer(data, headers=({"Content-Type": content_type} if content_type else {}) | named)
        return self.url(path)

    def send_on(self, path: str, to: str, status: int = 302) -> str:
        self.pages[path] = Answer(status=status, headers={"Location": to})
        return self.url(path)


@contextmanager
def serving() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.heard.append((self.path, self.headers["Host"]))
            site.agents.append(self.headers["User-Agent"])
            answer = site.pages.get(self.path, Answer(status=404))
            with suppress(OSError):  # the client may have heard enough
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for start in range(0, len(answer.body), 65_536):
                    time.sleep(answer.pause)
                    self.wfile.write(answer.body[start : start + 65_536])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # named so by the base class
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Site(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
