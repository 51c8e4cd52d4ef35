"""Names of a server's tools in our alphabet: tool keys and commands allow lower-case letters, digits and _."""

import re
from collections.abc import Iterable

LONGEST = 64


def pack_name(server: str) -> str:
    return f"mcp_{server}"


def server_of(name: str, servers: Iterable[str]) -> str | None:
    """Whose pack, tool key or command it is."""
    return next((one for one in servers if re.match(rf"{pack_name(one)}(?:[._]|$)", name)), None)


def numbered(names: Iterable[str]) -> dict[str, str]:
    """Name of a tool -> its name here. Those that would be the same are numbered, in the order of their own names, so
    that a server that lists them in another order changes nothing."""
    ours: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda one: (_mapped(one) != one, one)):
        mapped = free = _mapped(name)
        number = 1
        while free in taken:
            number += 1
            free = f"{mapped}_{number}"
        taken.add(free)
        ours[name] = free
    return ours


def _mapped(name: str) -> str:
    mapped = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()).strip("_")[:LONGEST]
    return mapped if re.match(r"[a-z]", mapped) else f"tool_{mapped}".rstrip("_")
