"""A service's connection to NATS: FastStream's broker as who we are there, patience, and what the server refuses."""

import logging
from asyncio import timeout
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from faststream.nats import NatsBroker
from faststream.nats.security import NatsNKey, NatsSecurity

from backbone.backbone import CONNECT_SECONDS
from backbone.bus import keys
from backbone.bus.access import Access
from backbone.bus.jetstream import Connection, ConnectionLost, connection_name
from backbone.bus.port import BusUnavailable
from backbone.bus.rights import Station, inbox_of
from backbone.ledger.logins import login_of
from backbone.patience import Telling, heed_cancel
from backbone.settings import Settings, shown

Told = Callable[[], Awaitable[None]]
Heard = Callable[[Exception], Awaitable[None]]


class NatsLink:
    """One connection, which nats-py keeps. `lost` while it has none again, and `waits_for` says why there is none."""

    def __init__(self, settings: Settings, station: Station, disconnected: Told, reconnected: Told) -> None:
        self._settings = settings
        self._told = (disconnected, reconnected)
        self.access = Access(station, settings.nats_nkey_file)
        self.lost = False
        self.waits_for = "it is starting"
        self._made = self._patient = False
        self._key = ""
        self._tell = Telling()
        self.broker = NatsBroker(
            settings.nats_url,
            name=connection_name(station.service),
            security=_security(settings),
            inbox_prefix=inbox_of(station.name),
            # Forever and soon: FastStream's default freezes the loop after 60 tries (docs/adr/0003)
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,  # type: ignore[arg-type]  # seconds, which nats-py gives to asyncio.sleep
            ping_interval=10,
            disconnected_cb=self._disconnected,
            reconnected_cb=self._reconnected,
            logger=logging.getLogger("faststream"),
        )
        options = self.broker._connection_kwargs  # noqa: SLF001  # what FastStream gives to nats-py, and has no door for
        options["error_cb"] = partial(self._error, options["error_cb"])
        if all(login_of(settings.nats_url)):
            # asked at each connect: the file that they come from may have been replaced
            options |= {"user": partial(self._login, 0), "password": partial(self._login, 1)}

    async def connect(self, *, patient: bool) -> Connection:
        """Logs in; within half a minute, or however long it takes when `patient`. Raises BusUnavailable."""
        self._patient = patient
        self.waits_for = self._no_nats()
        try:
            self._key = self._key_now()
            async with timeout(None if patient else CONNECT_SECONDS):
                client = await self.broker.connect()
        except TimeoutError:
            raise BusUnavailable(self.waits_for) from None
        except ConnectionLost as error:
            raise BusUnavailable(f"NATS at {shown(self._settings.nats_url)} refuses: {error}") from None
        self._made = True
        self.access.connected()
        self.access.attach(client)
        return client

    def _login(self, part: int) -> str:
        return login_of(self._settings.current("nats_url"))[part]

    def _key_now(self) -> str:
        """The public half of the key in our file. Raises OSError."""
        seed = self._settings.nats_nkey_file
        return keys.public_key(seed) if seed is not None else ""

    async def _error(self, faststream: Heard, error: Exception) -> None:
        """Hears what nats-py meets. FastStream's own listener raises when a login is refused: while nats-py reconnects,
        that would end its one task for it, and a password that is right again would help nobody; and of each connect
        that was refused a socket stays open."""
        if not self._made:
            heed_cancel()  # nats-py is connecting, in the task that waits for it
        await self.access.error(error)
        if self.lost or not self._made:
            self.waits_for = self._no_nats(error)
            if self._made or self._patient:
                self._tell(BusUnavailable(self.waits_for))
        if self._made:
            return
        if not self._patient:
            await faststream(error)
        with suppress(OSError):  # of the file: it is looked at again in a moment
            if self._key_now() != self._key:
                raise KeyChanged(str(error))

    def _no_nats(self, error: Exception | None = None) -> str:
        why = "" if error is None else f": {self.access.refused or str(error) or repr(error)}"
        return f"no NATS at {shown(self._settings.nats_url)}{why}"

    async def _disconnected(self) -> None:
        self.lost = True
        await self._told[0]()

    async def _reconnected(self) -> None:
        self.lost, self.waits_for = False, self._no_nats()
        self.access.connected()
        await self._told[1]()


class KeyChanged(BusUnavailable):
    """The key in our file is another one by now; nats-py has read the old one, and would keep to it."""


def _security(settings: Settings) -> NatsSecurity | None:
    """Who we are to NATS, and whom we believe to be it. Raises OSError."""
    trusted = keys.trusting(settings.nats_ca_file)
    if settings.nats_nkey_file is not None:
        return NatsNKey.from_file(settings.nats_nkey_file, ssl_context=trusted)
    return NatsSecurity(ssl_context=trusted) if trusted is not None else None
