"""A person at a client that does not give up: every command has a key, and is repeated until it is answered."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Self, TypeVar
from uuid import uuid4

import httpx

T = TypeVar("T")
Json = dict[str, Any]
PATIENCE = 60.0
ENDS = {"RunCompleted", "RunFailed", "RunCancelled"}


async def eventually(look: Callable[[], Awaitable[T | None]], what: str, seconds: float = PATIENCE) -> T:
    """Polls until `look` returns something true; fails with `what` when the time is over."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + seconds
    while True:
        found = await look()
        if found:
            return found
        assert clock() < deadline, f"not within {seconds:.0f} s: {what}"
        await asyncio.sleep(0.05)


class Person:
    """Says, answers, uploads and looks, over the public protocol alone."""

    def __init__(self, url: str) -> None:
        self.url = url
        # over http: no certificates are read, which takes longer than a request
        self._http = httpx.AsyncClient(base_url=url, trust_env=False, timeout=20.0, verify=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def ask(self, method: str, path: str, **how: Any) -> httpx.Response:
        """One request as it is, without patience."""
        return await self._http.request(method, path, **how)

    async def _insist(self, method: str, path: str, **how: Any) -> Json:
        async def once() -> httpx.Response | None:
            try:
                answer = await self._http.request(method, path, **how)
            except httpx.TransportError:
                return None  # the gateway is dead, or died before it had answered
            return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer

        answer = await eventually(once, f"{method} {path}")
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        body: Json = answer.json()
        return body

    async def say(self, text: str, **more: Any) -> Json:
        """Begins a run: session_id, run_id, version."""
        return await self._insist(
            "POST", "/agent/run-async", json={"text": text, **more}, headers={"Idempotency-Key": str(uuid4())}
        )

    async def wait_for(self, text: str) -> Json:
        """A run that is begun and waited for, plan approved: as `say`, and what the gateway said at its end. A gateway that
        restarts meanwhile is asked again."""
        key = {"Idempotency-Key": str(uuid4())}
        body = {"text": text, "auto_approve": True}
        return await self._insist("POST", "/agent/run", json=body, headers=key, timeout=PATIENCE)

    async def upload(self, name: str, content: bytes, session: str | None = None) -> Json:
        """Stores a file; returns its Attachment."""
        query = {"name": name} | ({"session_id": session} if session else {})
        return await self._insist(
            "POST", "/artifacts", params=query, content=content, headers={"Content-Type": "application/octet-stream"}
        )

    async def download(self, attachment: Json) -> bytes:
        answer = await self._http.get(f"/artifacts/{attachment['artifact_id']}")
        assert answer.is_success, answer.text
        return answer.content

    async def events(self, session: str, after: int = 0) -> list[Json]:
        """The whole history of a session, page by page."""
        found: list[Json] = []
        while True:
            page = await self._insist("GET", f"/sessions/{session}/events", params={"after": after, "limit": 500})
            found += page["events"]
            if len(page["events"]) < 500:
                return found
            after = found[-1]["version"]

    async def question(self, session: str, kind: str = "plan", seconds: float = PATIENCE) -> Json:
        """The open decision of a kind, as soon as there is one."""

        async def look() -> Json | None:
            state = await self._insist("GET", f"/sessions/{session}/decisions")
            return next((one for one in state["open_decisions"] if one["kind"] == kind), None)

        return await eventually(look, f"a question of kind {kind}", seconds)

    async def answer(self, session: str, decision: Json, **answer: Any) -> Json:
        return await self._insist(
            "POST",
            f"/sessions/{session}/decisions/{decision['decision_id']}",
            json={"answer": answer},
            headers={"Idempotency-Key": str(uuid4())},
        )

    async def end_of(self, run: Json, seconds: float = PATIENCE) -> list[Json]:
        """Waits for the end of a run; returns the history of its session."""

        async def look() -> list[Json] | None:
            events = await self.events(run["session_id"])
            ended = any(event["event"] in ENDS and event["run_id"] == run["run_id"] for event in events)
            return events if ended else None

        try:
            return await eventually(look, f"the end of run {run['run_id']}", seconds)
        except AssertionError as error:
            events = await self.events(run["session_id"])
            told = [f"{event['version']} {event['event']}" for event in events]
            raise AssertionError(f"{error}; so far: {told}") from None


def only(events: list[Json], name: str, run: Json | None = None) -> Json:
    """The data of the one event of a type, of one run if given."""
    found = of(events, name, run)
    assert len(found) == 1, f"{len(found)} {name} in {[event['event'] for event in events]}"
    return found[0]


def of(events: list[Json], name: str, run: Json | None = None) -> list[Json]:
    """The data of the events of a type, of one run if given."""
    return [
        event["data"]
        for event in events
        if event["event"] == name and (run is None or event["run_id"] == run["run_id"])
    ]
