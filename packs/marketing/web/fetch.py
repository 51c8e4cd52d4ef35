"""Gets what a web address holds, within limits. Every hop's addresses are checked; a checked one is connected to."""

import asyncio
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import httpx

from packs.marketing.web.addresses import Address, Check, addresses, is_metadata, is_public

USER_AGENT: Final = "DreamAgent/1.0 (+review collector)"
MOST_REDIRECTS: Final = 5
LONGEST_URL: Final = 2_000
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
# Said by a server that may be well again in a moment.
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_PLAIN: Final = frozenset({"", "identity"})
_GZIP: Final = frozenset({"gzip", "x-gzip"})
# Of several addresses the next one gets its turn while there is time.
_CONNECT_SECONDS: Final = 5.0

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""The addresses of a host. Raises OSError."""


class Unfetched(Exception):
    """An address gave nothing. `reason` is a key of the pack's texts under `collector.source`, `value` fills it.

    `may_pass`: trying again later may help."""

    def __init__(self, reason: str, value: str = "", *, may_pass: bool = False) -> None:
        super().__init__(f"{reason}: {value}")
        self.reason = reason
        self.value = value
        self.may_pass = may_pass


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address held. `url` is where the redirects led."""

    url: str
    content_type: str
    data: bytes


async def resolve(host: str, port: int) -> tuple[str, ...]:
    """The system's resolver, which also knows 127.1, 0x7f.1 and 2130706433."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(str(item[4][0]) for item in found)


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be fetched, and how much of it. Tests bring an `allows` of their own."""

    allows: Check = is_public
    resolve: Resolve = resolve
    most_bytes: int = 20_000_000
    seconds: float = 20.0
    # Not those of the environment: no proxy and no extra certificate by a variable.
    tls: ssl.SSLContext = field(default_factory=lambda: httpx.create_ssl_context(trust_env=False))


async def fetch(url: str, rules: Rules) -> Fetched:
    """Raises Unfetched."""
    try:
        async with asyncio.timeout(rules.seconds):
            return await _follow(url, rules)
    except TimeoutError as error:
        raise Unfetched("slow", f"{rules.seconds:g}", may_pass=True) from error


async def _follow(url: str, rules: Rules) -> Fetched:
    asked = _read(url)
    for _ in range(MOST_REDIRECTS + 1):
        found = await _ask(asked, rules)
        if isinstance(found, Fetched):
            return found
        asked = found
    raise Unfetched("redirects", f"{MOST_REDIRECTS}")


def _read(url: str, base: httpx.URL | None = None) -> httpx.URL:
    try:
        read = base.join(url) if base is not None else httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise Unfetched("address", url[:200]) from error
    if read.scheme not in ("http", "https") or not read.host or len(str(read)) > LONGEST_URL:
        raise Unfetched("address", str(read)[:200])
    if read.userinfo:
        raise Unfetched("credentials", read.host)
    return read


async def _ask(url: httpx.URL, rules: Rules) -> Fetched | httpx.URL:
    """One hop: a page, or where it sends us. The addresses are tried in the resolver's order."""
    error: httpx.TransportError | None = None
    for address in await _checked(url, rules):
        try:
            return await _ask_at(address, url, rules)
        except (httpx.ConnectError, httpx.ConnectTimeout) as refused:
            error = refused
        except httpx.TransportError as broken:
            raise Unfetched("network", url.host, may_pass=True) from broken
    raise Unfetched("network", url.host, may_pass=True) from error


async def _checked(url: httpx.URL, rules: Rules) -> tuple[Address, ...]:
    """All addresses of the host, or none of them: one that may not be asked condemns the name."""
    host = url.raw_host.decode("ascii")
    if is_metadata(host):
        raise Unfetched("refused", url.host)
    try:
        found = addresses(await rules.resolve(host, _port(url)))
    except (OSError, UnicodeError, ValueError) as error:
        again = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        raise Unfetched("unknown", url.host, may_pass=again) from error
    if not all(rules.allows(address) for address in found):
        raise Unfetched("refused", url.host)
    return found


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


async def _ask_at(address: Address, url: httpx.URL, rules: Rules) -> Fetched | httpx.URL:
    """The connection goes to the very address that was checked; host header, SNI and certificate keep the name.

    A transport of its own for each hop: no cookies, no proxies, and no connection that was opened for another name."""
    waits = httpx.Timeout(rules.seconds, connect=min(_CONNECT_SECONDS, rules.seconds)).as_dict()
    request = httpx.Request(
        "GET",
        url.copy_with(host=str(address)),
        headers={
            "Host": url.netloc.decode("ascii"),
            "User-Agent": USER_AGENT,
            "Accept": "*/*",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        },
        extensions={"sni_hostname": url.raw_host.decode("ascii"), "timeout": waits},
    )
    async with httpx.AsyncHTTPTransport(verify=rules.tls, trust_env=False) as transport:
        response = await transport.handle_async_request(request)
        try:
            return await _answer(response, url, rules)
        finally:
            await response.aclose()


async def _answer(response: httpx.Response, url: httpx.URL, rules: Rules) -> Fetched | httpx.URL:
    if response.status_code in _REDIRECTS and "location" in response.headers:
        return _read(response.headers["location"], url)
    if response.status_code != 200:
        raise Unfetched("status", f"{response.status_code}", may_pass=response.status_code in _PASSING)
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in _PLAIN | _GZIP:
        raise Unfetched("encoding", encoding[:40])
    raw = _within(response.aiter_raw(), rules.most_bytes)
    data = b"".join([part async for part in (_unzipped(raw, rules.most_bytes) if encoding in _GZIP else raw)])
    return Fetched(str(url), response.headers.get("content-type", ""), data)


async def _within(parts: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    size = 0
    async for part in parts:
        size += len(part)
        if size > most:
            raise Unfetched("large", f"{most / 1_000_000:g}")
        yield part


async def _unzipped(parts: AsyncIterator[bytes], most: int) -> AsyncIterator[bytes]:
    """Unpacked piece by piece, never more than one byte beyond the limit: a kilobyte may hold a megabyte."""
    unpack, left = zlib.decompressobj(wbits=31), most
    async for part in parts:
        try:
            data = unpack.decompress(part, left + 1)
        except zlib.error as error:
            raise Unfetched("encoding", "gzip") from error
        left -= len(data)
        if left < 0:
            raise Unfetched("large", f"{most / 1_000_000:g}")
        if unpack.unused_data:  # more than one member: nobody sends that, and nothing is to be lost unsaid
            raise Unfetched("encoding", "gzip")
        yield data
    if not unpack.eof:
        raise Unfetched("network", "gzip", may_pass=True)
