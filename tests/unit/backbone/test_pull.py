"""What a delivery can tell from its reply subject, and how the standing pull request reads the server's answers."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from nats.aio.client import Client

from backbone.bus.port import ConsumerSpec
from backbone.bus.pull import NatsDelivery, PullSubscription, _Received


@pytest.mark.parametrize(
    "reply",
    [
        "$JS.ACK.EVT.planning.3.17.21.1795300367544285855.0",
        "$JS.ACK.hub.ACCHASH.EVT.planning.3.17.21.1795300367544285855.0",
        "$JS.ACK.hub.ACCHASH.EVT.planning.3.17.21.1795300367544285855.0.RANDOM",
    ],
)
def test_the_attempt_is_read_from_each_shape_of_reply_subject(reply: str) -> None:
    assert _delivery(cast("PullSubscription", SimpleNamespace(life="one")), reply).attempt == 3


def _delivery(pull: PullSubscription, reply: str) -> NatsDelivery:
    return NatsDelivery(_Received(pull, "evt.0.s.planning.PlanApproved", reply, 1), {}, b"")


class Asked:
    """Stands in for a connected client: remembers what was published."""

    is_connected = True

    def __init__(self) -> None:
        self.published: list[str] = []

    async def publish(self, subject: str, payload: bytes = b"", reply: str = "") -> None:
        self.published.append(subject)


@pytest.fixture
def client() -> Asked:
    return Asked()


@pytest.fixture
def pull(client: Asked) -> PullSubscription:
    spec, nothing = ConsumerSpec("c", ("evt.>",)), cast("Any", None)
    pull = PullSubscription(cast("Client", client), nothing, spec, 8, nothing, nothing)
    pull._sub = cast("type[None]", SimpleNamespace(subject="inbox"))  # type: ignore[assignment]  # as if it were bound
    return pull


async def test_a_request_that_ran_out_of_time_is_made_again_at_once(pull: PullSubscription, client: Asked) -> None:
    pull._outstanding = 8
    await pull._on_status({"Status": "408", "Description": "Request Timeout", "Nats-Pending-Messages": "8"})
    assert len(client.published) == 1
    assert not pull._broken.is_set()


@pytest.mark.parametrize(
    ("status", "description"),
    [("409", "Consumer Deleted"), ("409", "Exceeded MaxWaiting"), ("409", "Server Shutdown"), ("503", "")],
)
async def test_every_other_refusal_is_not_answered_at_once(
    pull: PullSubscription, client: Asked, status: str, description: str
) -> None:
    await pull._on_status({"Status": status, "Description": description})
    assert client.published == []
    assert pull._broken.is_set()


async def test_a_heartbeat_changes_nothing(pull: PullSubscription, client: Asked) -> None:
    pull._outstanding = 5
    await pull._on_status({"Status": "100", "Description": "Idle Heartbeat"})
    assert (pull._outstanding, client.published) == (5, [])


@pytest.mark.parametrize("bound_to", ["", "another life"])
async def test_a_verdict_on_a_delivery_of_another_life_is_not_sent(
    pull: PullSubscription, client: Asked, bound_to: str
) -> None:
    pull.life = "one life"
    now, late = _delivery(pull, "$JS.ACK.EVT.c.1.1.1.1.0"), _delivery(pull, "$JS.ACK.EVT.c.1.2.2.2.0")
    await now.ack()
    pull.life = bound_to
    await late.ack()
    assert client.published == ["$JS.ACK.EVT.c.1.1.1.1.0"]
