"""Whose requests are answered: those that name us as their host, and that no page of another origin made.

A browser sends what any page tells it to, from inside the machine and later with its owner's cookie. What it says about
the page it cannot be made to say wrongly: Origin and Sec-Fetch-Site. Programs send neither, and are no page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self

from contracts.errors import Code
from services.gateway.domain.refusal import Refused, short

MISDIRECTED = 421
ANY = frozenset({"0.0.0.0", "::"})  # noqa: S104  # it is looked for, not listened on
NO_DATA = frozenset({"/", "/console", "/console/", "/openapi.json", "/asyncapi.json"})
"""What a link on somebody else's page may open: documents that say the same to everybody, the console's among them."""
_HOST = r"(?:\[(?P<six>[0-9a-f:.]{2,45})\]|(?P<name>[a-z0-9._-]{1,253}))(?::[0-9]{1,5})?"
_AUTHORITY, _PUBLIC = re.compile(_HOST), re.compile(rf"https?://{_HOST}")


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """What a request says about where it is from. `scheme` is http or https, `reached` the address it arrived at."""

    method: str
    scheme: str
    path: str
    reached: str
    hosts: Sequence[str]
    origins: Sequence[str]
    sites: Sequence[str]


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The names that are ours, with any port: those of loopback, that of the listener, and what the operator names."""

    hosts: frozenset[str]
    origins: frozenset[str]
    reachable_as: bool
    """The listener takes every address of the machine: the one that a connection arrived at is a name as well."""

    @classmethod
    def of(cls, listens_on: str, public_url: str | None, more: Iterable[str]) -> Self:
        """`public_url`: what clients call us, behind a proxy say; its origin is ours too."""
        named = {"localhost", _bare(listens_on), *map(_bare, more)}
        public = _PUBLIC.match(public_url.lower()) if public_url else None
        if public:
            named.add(public["six"] or public["name"])
        return cls(frozenset(named), frozenset({public[0]} if public else ()), _bare(listens_on) in ANY)

    def admit(self, asked: RequestOrigin) -> None:
        """Raises Refused for a request that a page elsewhere has made, or may have made."""
        host = self._host(asked)
        origin = _only(asked.origins, "Origin", asked)
        if origin is not None and origin.lower() not in (f"{asked.scheme}://{host}", *self.origins):
            raise Refused(
                Code.FORBIDDEN,
                f"a page of {short(origin)} may not ask here: only pages of this server may (DREAM_PUBLIC_URL names it"
                " if a proxy is in between)",
            )
        site = _only(asked.sites, "Sec-Fetch-Site", asked)
        if site in (None, "same-origin", "none"):
            return
        if site in ("cross-site", "same-site") and asked.method in ("GET", "HEAD") and asked.path in NO_DATA:
            return
        raise Refused(
            Code.FORBIDDEN,
            f"a page of another origin asked ({short(site)}): only pages of this server and programs may",
        )

    def _host(self, asked: RequestOrigin) -> str:
        """As in the Host header, in lower case: DNS says where a name leads, so only names we know are believed."""
        host = _only(asked.hosts, "Host", asked)
        if host is None:
            raise Refused(Code.INVALID_REQUEST, "the Host header is missing: say which server you mean", status=400)
        host = host.lower()
        found = _AUTHORITY.fullmatch(host)
        name = (found["six"] or found["name"]) if found else None
        if name is None or not self._knows(name, asked.reached):
            raise Refused(
                Code.FORBIDDEN,
                f"this server is not {short(host)}: use an address of it, or name that one in DREAM_ALLOWED_HOSTS",
                status=MISDIRECTED,
            )
        return host

    def _knows(self, name: str, reached: str) -> bool:
        return name in self.hosts or (self.reachable_as and name == reached) or is_loopback(name)


def is_loopback(name: str) -> bool:
    """Whether the address, or `localhost`, is this machine's own."""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _only(values: Sequence[str], header: str, asked: RequestOrigin) -> str | None:
    if len(values) > 1:
        raise Refused(
            Code.INVALID_REQUEST, f"{len(values)} {header} headers for {short(asked.path)}: send one", status=400
        )
    return values[0].strip() if values else None


def _bare(host: str) -> str:
    """A host as the operator writes it, with or without brackets."""
    return host.strip().lower().removeprefix("[").removesuffix("]")
