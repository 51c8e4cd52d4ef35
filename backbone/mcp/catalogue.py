"""A catalogue that grows: the tools of a server join it when they are known, which may be long after the start."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from backbone.mcp.config import Servers
from backbone.mcp.offers import OutsidePack, pack_name, pack_of, server_of
from backbone.packs import PLATFORM, Catalogue, Pack
from contracts.asking import Offer
from contracts.packs import CommandSpec

PATIENCE = 15.0
"""Seconds that somebody who wants a tool of a server waits for word of it: starting one takes some."""
BREATH = 0.2


@dataclass(frozen=True)
class GrowingCatalogue(Catalogue):
    """The packs that loaded, and one per server. Holders of its mappings see what joins."""

    packs: dict[str, Pack]
    servers: Servers = field(kw_only=True)
    nudged: asyncio.Event = field(kw_only=True, default_factory=asyncio.Event)
    """Somebody waits for a server that has not joined."""
    _joined: set[str] = field(init=False, default_factory=set)
    _told: dict[str, asyncio.Event] = field(init=False, default_factory=dict)
    """Set when somebody has said how it is with a server, be it that it is away."""
    _listeners: list[Callable[[OutsidePack], None]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        for server in self.servers:
            if pack_name(server) in self.packs:
                raise ValueError(f"DREAM_MCP_SERVERS: {server!r} would be the pack {pack_name(server)!r}: rename it")
            self._told[server] = asyncio.Event()
            self.packs[pack_name(server)] = pack_of(Offer(server=server), self._words)

    @property
    def _words(self) -> Mapping[str, Mapping[str, str]]:
        return self.packs[PLATFORM].texts

    @property
    def executors(self) -> tuple[str, ...]:
        """With those of servers that may yet join."""
        return tuple(sorted({*super().executors, *(server.executor for server in self.servers.values())}))

    def offer(self, server: str) -> Offer | None:
        """What it offers, once it has joined."""
        pack = self.packs[pack_name(server)]
        return pack.offer if isinstance(pack, OutsidePack) and server in self._joined else None

    def join(self, offer: Offer) -> None:
        """The tools of a server are these now, whatever they were."""
        self._told[offer.server].set()
        if offer == self.offer(offer.server):
            return
        pack = pack_of(offer, self._words)
        for key in [key for key, spec in self.tools.items() if spec.pack == pack.name]:
            del self.tools[key]
        for name in [name for name, (owner, _) in self.commands.items() if owner.name == pack.name]:
            del self.commands[name]
        self.packs[pack.name] = pack
        self.tools.update({spec.tool_key: spec for spec in pack.tools})
        self.commands.update({command.name: (pack, command) for command in pack.manifest.commands})
        self._joined.add(offer.server)
        for listener in self._listeners:
            listener(pack)

    def say_away(self, server: str) -> None:
        """It was looked for just now, in vain: nobody needs to wait."""
        self._told[server].set()

    def keep_commands(self, commands: dict[str, CommandSpec]) -> None:
        """The commands by name, those of servers as they are from now on."""

        def renew(pack: OutsidePack) -> None:
            for name in [name for name in commands if server_of(name, (pack.offer.server,))]:
                del commands[name]
            commands.update({command.name: command for command in pack.manifest.commands})

        self._listeners.append(renew)

    def is_away(self, name: str) -> str:
        server = server_of(name, self.servers)
        return server if server and server not in self._joined else ""

    async def expect(self, name: str) -> None:
        server = server_of(name, self.servers)
        if server is None or server in self._joined:
            return
        self._told[server].clear()
        self.nudged.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._told[server].wait()


async def wait_for(nudged: asyncio.Event, seconds: float) -> None:
    """Until somebody is nudged, so long at most; not at once again, whoever nudges."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await nudged.wait()
    nudged.clear()
    await asyncio.sleep(BREATH)


def with_servers(catalogue: Catalogue, servers: Servers) -> Catalogue:
    """The catalogue as it is where there are no servers."""
    if not servers:
        return catalogue
    return GrowingCatalogue(dict(catalogue.packs), dict(catalogue.failures), servers=servers)


def live_commands(catalogue: Catalogue) -> dict[str, CommandSpec]:
    """The catalogue's commands by name, those of servers as they join."""
    commands = {name: command for name, (_, command) in catalogue.commands.items()}
    if isinstance(catalogue, GrowingCatalogue):
        catalogue.keep_commands(commands)
    return commands
