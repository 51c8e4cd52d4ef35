"""A gateway over real servers, and a stand-in for the layers behind it that records what a test tells it to."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from uuid import UUID, uuid4

import httpx
import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect

from backbone.ledger import access_keys
from backbone.ledger.port import Append, Fact
from backbone.service import Backbone, Service
from backbone.settings import Settings
from contracts.access import Role
from contracts.decisions import DecisionRequested
from contracts.envelope import Message
from contracts.shape import Event
from services.gateway.app import GatewayService, service
from tests.conftest import as_superuser

UPLOAD_LIMIT = 300_000
RAW = {"Content-Type": "application/octet-stream"}
"""What a body is that is a file."""
JSON = {"Content-Type": "application/json"}
PRODUCERS = ("cognitive", "planning", "execution", "response", "timers")


@dataclass(slots=True)
class House:
    """The running gateway, an HTTP client for it, and the other layers' pen."""

    gateway: GatewayService
    backbone: Backbone
    behind: Service
    http: httpx.AsyncClient

    async def tell(self, session: str | UUID, run: str | UUID | None, *events: Event, by: str = "response") -> int:
        """Records events as another layer would; returns the last version."""
        run_id = UUID(str(run)) if run else None
        cause = uuid4()
        ids = [uuid4() for _ in events]
        facts = tuple(
            Fact(event, event_id, run_id, run_id or event_id, None) for event, event_id in zip(events, ids, strict=True)
        )
        (appended,) = await self.backbone.ledger.append(by, f"test:{by}", [Append(UUID(str(session)), cause, facts)])
        assert appended.last_version
        return appended.last_version

    async def begin(self, text: str = "안녕하세요", **more: Any) -> dict[str, Any]:
        answer = await self.http.post("/agent/run-async", json={"text": text, **more})
        assert answer.status_code == 202, answer.text
        return dict(answer.json())

    async def stream(self, session: str | UUID) -> list[Message]:
        return await self.backbone.ledger.read(UUID(str(session)), 0, 10_000)

    def socket(self, session: object, query: str = "", **options: Any) -> connect:
        return connect(f"ws{self.gateway.url.removeprefix('http')}/ws/{session}{query}", proxy=None, **options)

    async def open_decision(self, session: str, run: str, schema: dict[str, Any] | None = None) -> str:
        question = decision(schema)
        await self.tell(session, run, question, by="planning")
        return str(question.decision_id)


def decision(schema: dict[str, Any] | None = None) -> DecisionRequested:
    closed = {
        "type": "object",
        "properties": {"action": {"enum": ["approve", "reject"]}},
        "required": ["action"],
        "additionalProperties": False,
    }
    return DecisionRequested(
        decision_id=uuid4(),
        kind="plan",
        question="이대로 할까요?",
        language="ko",
        answer_schema=schema or closed,
        deadline=datetime.now(UTC) + timedelta(hours=1),
    )


async def frames(socket: ClientConnection, count: int) -> list[dict[str, Any]]:
    """The next frames of a socket."""
    return [orjson.loads(await socket.recv()) for _ in range(count)]


@pytest.fixture
def settings(postgres_url: str, nats_url: str, tmp_path: Path) -> Settings:
    return Settings(
        database_url=postgres_url,
        nats_url=nats_url,
        artifacts_url=(tmp_path / "artifacts").as_uri(),
        port=0,
        upload_max_bytes=UPLOAD_LIMIT,
        run_timeout_seconds=8,
        bus_max_bytes=64 * 1024**2,
    )


@pytest.fixture
async def house(settings: Settings) -> AsyncIterator[House]:
    backbone = await Backbone.connect(settings)
    gateway = service(backbone)
    behind = Service("behind", backbone, relays=PRODUCERS)
    await gateway.start()
    await behind.start()
    try:
        async with httpx.AsyncClient(base_url=gateway.url, timeout=15, verify=False) as http:
            yield House(gateway, backbone, behind, http)
    finally:
        await gateway.stop()
        await behind.stop()
        await backbone.close()


class Holder:
    """Somebody with a key."""

    def __init__(self, house: House, key: str) -> None:
        self.key = key
        self.headers = {"Authorization": f"Bearer {key}"}
        self.http = httpx.AsyncClient(base_url=house.gateway.url, timeout=15, verify=False, headers=self.headers)

    @classmethod
    async def of(cls, house: House, postgres_url: str, user: str, role: Role = Role.PERSON) -> Self:
        """Somebody with a key of their own, for an hour."""
        until = datetime.now(UTC) + timedelta(hours=1)
        return cls(house, await access_keys.create(as_superuser(postgres_url), user, role, "", until))

    async def begin(self, text: str = "안녕하세요", **more: Any) -> dict[str, Any]:
        answer = await self.http.post("/agent/run-async", json={"text": text, **more})
        assert answer.status_code == 202, answer.text
        return dict(answer.json())


@pytest.fixture
async def people(house: House, postgres_url: str) -> AsyncIterator[tuple[Holder, Holder, Holder]]:
    """Kim and Lee, and an operator."""
    kim, lee = [await Holder.of(house, postgres_url, user) for user in ("kim", "lee")]
    oncall = await Holder.of(house, postgres_url, "oncall", Role.OPERATOR)
    yield kim, lee, oncall
    for one in (kim, lee, oncall):
        await one.http.aclose()


async def revoke(holder: Holder, postgres_url: str) -> None:
    assert await access_keys.revoke(as_superuser(postgres_url), holder.key.split("_")[1])


def code(answer: httpx.Response) -> tuple[int, int]:
    return answer.status_code, answer.json()["code"]
