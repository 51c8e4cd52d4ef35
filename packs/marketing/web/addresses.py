"""Which addresses may be asked: those of the public internet, and never a way around into our own network."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

Address = IPv4Address | IPv6Address
Check = Callable[[Address], bool]
"""Whether a connection to an address may be made."""

# Written out: what the standard library calls private or global differs between its patch releases.
_REFUSED_4: Final = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier's NAT; Alibaba's metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # Azure's own server, behind a public address
            "169.254.0.0/16",  # link-local; metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; Oracle's metadata
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
# Global unicast alone is public; these are the parts of it that are not.
_PUBLIC_6: Final = ip_network("2000::/3")
_REFUSED_6: Final = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments, Teredo, ORCHID
            "2001:db8::/32",  # documentation
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64: Final = ip_network("64:ff9b::/96")
_6TO4: Final = ip_network("2002::/16")
_METADATA: Final = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"})


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet, also the IPv4 one that an IPv6 one leads to."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_4)
    if address.scope_id is not None:
        return False
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if address in _6TO4:
        return is_public(IPv4Address(int(address) >> 80 & 0xFFFFFFFF))
    return address in _PUBLIC_6 and not any(address in network for network in _REFUSED_6)


def is_metadata(host: str) -> bool:
    """Whether a host is a cloud's metadata service by its name, whatever the name resolves to."""
    return host.rstrip(".").lower() in _METADATA


def addresses(found: tuple[str, ...]) -> tuple[Address, ...]:
    """Raises ValueError for what is no address."""
    return tuple(dict.fromkeys(ip_address(one) for one in found))
