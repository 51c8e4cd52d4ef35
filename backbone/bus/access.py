"""Whether nats-server lets us do what we have to: what it refuses becomes a sentence and a metric, until it is over.

A refused request looks like a slow server and a refused subscription like silence (docs/adr/0030), so we ask: at the
start, every few seconds, and at once after a refusal."""

import asyncio
import logging
import re
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import nats.errors
from nats.aio.client import Client

from backbone.bus import keys
from backbone.bus.rights import Station, matches, rights_of
from backbone.telemetry import metrics
from contracts import subjects

log = logging.getLogger(__name__)

VERIFY_SECONDS = 10.0
RETRY_SECONDS = 1.0
"""Between two looks while a right is missing."""
ANSWER_SECONDS = 1.0
FLUSH_SECONDS = 5
NOWHERE = {"Nats-Expected-Stream": "-"}
"""Refused by every stream, whatever its name: a message that comes with it is never stored."""
_PERMISSION = re.compile(r'permissions violation for (publish|subscription) to "([^"]+)"', re.IGNORECASE)
_LOGIN = ("authorization", "authentication", "nkey", "credentials")
ANSWER = "allow_responses"


class Access:
    """What of a service's rights is missing on its present connection."""

    def __init__(self, station: Station, seed: Path | None = None) -> None:
        self._user = station.name
        self._rights = rights_of(station)
        self._station = station
        self._seed = seed
        self._client: Client | None = None
        self._missing: set[tuple[str, str]] = set()
        self._seen: set[tuple[str, str]] = set()
        self.refused = ""
        """Why the server does not let us in."""
        self._inbox = ""
        self._asked = 0
        self._news = asyncio.Event()
        self._answered = asyncio.Event()
        self._granted: list[Callable[[], None]] = []

    def missing(self) -> list[str]:
        """One sentence for each right that is missing."""
        return [_sentence(self._user, *one) for one in sorted(self._missing)]

    def problems(self) -> list[str]:
        """These, and why we are not let in at all."""
        return self.missing() + ([self.refused] if self.refused else [])

    def on_granted(self, callback: Callable[[], None]) -> None:
        """Called when a right that was missing is there."""
        self._granted.append(callback)

    def connected(self) -> None:
        """There is a new connection: what kept us out is over, and its rights may be others."""
        self.refused = ""
        self._news.set()

    async def error(self, error: Exception) -> None:
        """nats-py tells here what the server, or the way to it, refuses."""
        if told := _PERMISSION.search(str(error)):
            self._note(told[1].lower(), told[2])
        elif (kind := _kind(error)) is not None:
            metrics.BUS_VIOLATIONS.labels(kind).inc()
            said = f"NATS does not let user {self._user!r} in ({kind}): {_said(error)}"
            if said != self.refused:
                log.error(said)
            self.refused = said

    def _note(self, verb: str, subject: str) -> None:
        """The server writes subjects as they came, nats-py in lower case."""
        kind, allowed = ("publish", self._rights.publish)
        if verb == "subscription":
            kind, allowed = ("subscribe", self._rights.subscribe)
        subject = subject.casefold()
        found = next((one for one in allowed if matches(one.casefold(), subject)), subject)
        if kind == "publish" and subject.startswith("_inbox"):
            kind, found = "answer", ANSWER
            self._answered.set()
        metrics.BUS_VIOLATIONS.labels(kind).inc()
        self._seen.add((kind, found))
        if (kind, found) not in self._missing:
            log.error(_sentence(self._user, kind, found))
            self._missing.add((kind, found))
            self._news.set()

    def attach(self, client: Client) -> None:
        """Takes over what nats-py does with refusals and keys on this connection."""
        self._client = client
        told = client._process_err  # noqa: SLF001  # no door for any of these

        async def process_err(err_msg: str) -> None:
            # nats-py closes for good; the user may be there again in a moment, or its key be a new one
            if any(word in err_msg.lower() for word in ("authorization violation", "user authentication")):
                problem = nats.errors.Error(f"nats: {err_msg}")
                await client._error_cb(problem)  # noqa: SLF001
                await client._process_op_err(problem)  # noqa: SLF001
            else:
                await told(err_msg)

        client._process_err = process_err  # type: ignore[method-assign]  # noqa: SLF001
        if self._seed is not None:
            seed = self._seed

            def signature(nonce: str) -> bytes:
                client._public_nkey, made = keys.signed(seed, nonce)  # noqa: SLF001  # read anew: keys are rotated
                return made

            client._signature_cb = signature  # noqa: SLF001

    async def watch(self) -> None:
        """Looks again and again, until cancelled; at once at first, for by now everything is subscribed to."""
        self._news.set()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS if self._missing else VERIFY_SECONDS):
                    await self._news.wait()
            self._news.clear()
            await self.verify()

    async def verify(self) -> None:
        """Uses every right once, without effect, and learns which are refused. What is asked for again and granted is
        as it was: subscriptions that the server has dropped are there again."""
        client = self._client
        if client is None or not client.is_connected:
            return
        self._seen = set()
        try:
            await self._use_all(client)
        except (nats.errors.Error, OSError, TimeoutError) as error:
            log.debug("rights cannot be looked at: %r", error)
            return
        granted, self._missing = self._missing - self._seen, set(self._seen)
        for one in sorted(granted):
            log.info("%s: no longer", _sentence(self._user, *one))
        if granted:
            for callback in self._granted:
                callback()

    async def _use_all(self, client: Client) -> None:
        for subject in self._probes():
            await client.publish(subject, b"", headers=NOWHERE)
        taken = [sub.subject for sub in client._subs.values()]  # noqa: SLF001
        for pattern in self._rights.subscribe:
            # what has no occasion yet; twice on one subject would spoil answers: the second delivery is not answered
            if _instance(pattern) != pattern and not any(matches(pattern, subject) for subject in taken):
                await client.subscribe(_instance(pattern), cb=_nothing)
        for sid, sub in list(client._subs.items()):  # noqa: SLF001  # the server takes one that it has for the same
            if sid in client._subs:  # noqa: SLF001
                await client._send_subscribe(sub)  # noqa: SLF001
        self._answered.clear()
        asks = any(subjects.wake(producer) in taken for producer in self._station.producers[:1])
        if asks:
            await self._ask_ourselves(client)
        await client.flush(FLUSH_SECONDS)
        if asks:
            with suppress(TimeoutError):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await self._answered.wait()
            await client.flush(FLUSH_SECONDS)

    async def _ask_ourselves(self, client: Client) -> None:
        """A question on a subject of ours: whoever hears wake calls answers those that come with a reply."""
        if not self._inbox:
            inbox = client.new_inbox()
            await client.subscribe(f"{inbox}.*", cb=self._on_answer)
            self._inbox = inbox
        # another one each time: the server remembers what it has refused, by subject
        self._asked += 1
        await client.publish(subjects.wake(self._station.producers[0]), b"", reply=f"{self._inbox}.{self._asked}")

    async def _on_answer(self, _: object) -> None:
        self._answered.set()

    def _probes(self) -> Iterator[str]:
        """A subject for each pattern that we may publish to, where nobody listens or whoever does lets it pass."""
        for producer in self._station.producers:
            yield subjects.probe(producer)
        ours = {subjects.by_producer(producer) for producer in self._station.producers}
        for pattern in self._rights.publish:
            if pattern not in ours:
                yield _instance(pattern)


def _instance(pattern: str) -> str:
    return pattern.replace("*", "probe").replace(">", "probe")


async def _nothing(_: object) -> None:
    """Nobody publishes there."""


def _kind(error: Exception) -> str | None:
    """Of a refusal, one of few words; None for an outage."""
    text = str(error).lower()
    if isinstance(error, ssl.SSLError) or "certificate" in text:
        return "certificate"
    return "login" if any(word in text for word in _LOGIN) else None


def _said(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return str(error).removeprefix("nats: ").strip("'") or repr(error)


def _sentence(user: str, kind: str, subject: str) -> str:
    what = {
        "publish": f"publish to {subject!r}",
        "subscribe": f"subscribe to {subject!r}",
        "answer": f"answer questions ({ANSWER})",
    }[kind]
    return f"NATS does not let user {user!r} {what}"
