"""Every right of every service on NATS, taken away once: the service is not ready and names it, until it is back."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import zip_longest
from typing import cast

import httpx
import pytest

from backbone.bus import access
from backbone.bus.rights import Rights, rights_of
from backbone.service import Service
from backbone.telemetry import metrics
from dream.local.stack import GATEWAY, LAYERS, SERVICES, LocalStack
from services.gateway.app import GatewayService
from tests.conformance.harness import until
from tests.e2e.world import PLAIN
from tests.support.folders import own_folder
from tests.support.forkserver import forked_reads

PACKS = PLAIN
"""With flows and tools of groups: every kind of handler that there is; what they teach has been learned."""


@asynccontextmanager
async def product(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LocalStack]:
    """All five services in this process, each with its own user, which look at their rights all the time."""
    monkeypatch.setenv("DREAM_PACKS", PACKS)
    monkeypatch.setattr(access, "VERIFY_SECONDS", 0.05)
    monkeypatch.setattr(access, "RETRY_SECONDS", 0.05)
    with own_folder("rights") as folder, forked_reads():
        async with LocalStack(folder) as stack:
            yield stack


def shells(stack: LocalStack) -> dict[str, Service]:
    found = {name: stack.running(name) for name in SERVICES}
    return {name: one if isinstance(one, Service) else cast("GatewayService", one).shell for name, one in found.items()}


def each_once(rights: Rights) -> Iterator[tuple[str, Rights]]:
    """What is missing, as the service says it, and what is left."""
    for gone in rights.publish:
        yield f"publish to {gone!r}", replace(rights, publish=tuple(one for one in rights.publish if one != gone))
    for gone in rights.subscribe:
        left = tuple(one for one in rights.subscribe if one != gone)
        yield f"subscribe to {gone!r}", replace(rights, subscribe=left)
    yield "answer questions (allow_responses)", replace(rights, may_answer=False)


async def settled(services: Mapping[str, Service], expected: Mapping[str, list[str]]) -> None:
    def look() -> bool:
        return all(services[name].access.problems() == sentences for name, sentences in expected.items())

    try:
        await until(look, 20)
    except TimeoutError:
        told = {name: services[name].access.problems() for name in expected}
        pytest.fail(f"expected {expected}, is {told}")


def rounds(services: Mapping[str, Service]) -> Iterator[dict[str, tuple[str, Rights]]]:
    """In each round every service loses another one of its rights."""
    users = {name: rights_of(service.station) for name, service in services.items()}
    whole = {name: ("", rights) for name, rights in users.items()}
    for losses in zip_longest(*(each_once(rights) for rights in users.values())):
        yield whole | {name: loss for name, loss in zip(users, losses, strict=True) if loss is not None}


async def says(stack: LocalStack, text: str) -> None:
    """A sentence is answered."""
    async with httpx.AsyncClient(base_url=stack.url, timeout=30, trust_env=False) as http:
        answer = await http.post("/agent/run", json={"text": text})
        assert answer.status_code == 200, answer.text


@pytest.mark.timeout(240)
async def test_each_right_that_is_taken_away_is_named_until_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with product(monkeypatch) as stack:
        services, nats = shells(stack), stack.servers.nats
        assert nats is not None
        await says(stack, "hello")
        counted = {
            kind: metrics.BUS_VIOLATIONS.labels(kind)._value.get() for kind in ("publish", "subscribe", "answer")
        }
        for losses in rounds(services):
            nats.reload({name: rights for name, (_, rights) in losses.items()})
            told = {
                name: [f"NATS does not let user {name!r} {gone}"] if gone else [] for name, (gone, _) in losses.items()
            }
            await settled(services, told)
            assert all(told[name][0] in services[name].problems() for name in SERVICES if told[name])
        for kind, before in counted.items():
            assert metrics.BUS_VIOLATIONS.labels(kind)._value.get() > before
        nats.reload()
        await settled(services, {name: [] for name in SERVICES})
        await says(stack, "hello again")
        assert [problem for name in (*LAYERS, GATEWAY) for problem in stack.running(name).problems()] == []
