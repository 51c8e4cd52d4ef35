"""Web addresses are fetched within limits, and nothing leads into our own network."""

import asyncio
import gzip
import socket
import threading
import time
from dataclasses import replace
from ipaddress import ip_address

import pytest

from packs.marketing.web.addresses import is_public
from packs.marketing.web.fetch import MOST_REDIRECTS, Fetched, Rules, Unfetched, fetch, resolve
from tests.unit.packs.marketing.site import OPEN, Answer, Site, serving

PUBLIC = Rules()


@pytest.fixture(scope="module")
def house():
    with serving() as site:
        yield site


@pytest.fixture
def site(house: Site) -> Site:
    house.pages.clear()
    house.heard.clear()
    return house


def get(url: str, rules: Rules = OPEN) -> Fetched:
    return asyncio.run(fetch(url, rules))


def refusal(url: str, rules: Rules = OPEN) -> Unfetched:
    with pytest.raises(Unfetched) as raised:
        get(url, rules)
    return raised.value


def names(**hosts: str) -> Rules:
    """Rules by which some hosts have the addresses given, each a list by spaces."""

    async def known(host: str, port: int) -> tuple[str, ...]:
        found = hosts.get(host.replace(".", "_"))
        return tuple(found.split()) if found else await resolve(host, port)

    return replace(OPEN, resolve=known)


PRIVATE = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255",
    "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:c0a8:1::1",
    "2002:a9fe:a9fe::", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1",
    "ff02::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_public_is_refused(address):
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "100.63.255.255",
        "172.32.0.1",
        "192.167.255.255",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_a_public_address_is_allowed_also_inside_another(address):
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "0", "localhost",
        "LOCALHOST", "10.0.0.1", "0xa9fea9fe", "2852039166", "169.254.169.254", "[::1]", "[::]", "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]", "[fd00:ec2::254]", "[64:ff9b::a9fe:a9fe]", "metadata.google.internal",
        "Metadata.Google.Internal.", "metadata",
    ],
)  # fmt: skip
def test_a_host_that_means_our_own_network_is_refused_however_it_is_written(site, host):
    error = refusal(f"http://{host}:{site.port}/", PUBLIC)
    assert error.reason in {"refused", "address"} and not error.may_pass
    assert site.heard == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("file:///etc/passwd", "address"),
        ("ftp://example.com/a.csv", "address"),
        ("gopher://127.0.0.1/", "address"),
        ("//example.com/a.csv", "address"),
        ("http://", "address"),
        ("http://[::1", "address"),
        ("http://exa mple.com:port/", "address"),
        ("http://example.com/" + "a" * 3000, "address"),
        ("http://user:secret@127.0.0.1/", "credentials"),
        ("http://127.0.0.1@evil.example/", "credentials"),
    ],
)
def test_what_is_no_plain_web_address_is_refused_before_anything_is_asked(url, reason):
    assert refusal(url).reason == reason


def test_the_secret_of_an_address_is_not_in_its_refusal():
    assert "secret" not in str(refusal("http://user:secret@shop.example/"))


def test_one_private_address_among_public_ones_condemns_the_name():
    error = refusal("http://shop.example/", replace(names(shop_example="8.8.8.8 10.0.0.1"), allows=is_public))
    assert error.reason == "refused"


def test_the_connection_goes_to_the_address_that_was_checked_whatever_the_name_says_later(site):
    """A name that is public when it is checked and ours when it is connected to (DNS rebinding)."""
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",) if len(asked) == 1 else ("10.0.0.1",)

    site.put("/a.csv", "text\ngood\n")
    page = get(site.url("/a.csv", "shop.example"), replace(OPEN, resolve=rebinding))
    assert page.data == b"text\ngood\n"
    assert asked == ["shop.example"], "asked once: between the check and the connection nobody can change the answer"
    assert site.heard == [("/a.csv", f"shop.example:{site.port}")]


def test_a_name_that_turns_private_at_the_next_hop_is_refused_there(site):
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",) if len(asked) == 1 else ("10.0.0.1",)

    site.send_on("/", "/again")
    assert refusal(site.url("/", "shop.example"), replace(OPEN, resolve=rebinding)).reason == "refused"
    assert [path for path, _ in site.heard] == ["/"]


@pytest.mark.parametrize(
    "to", ["http://10.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://0x0a000001/", "//[fd00:ec2::254]/"]
)
def test_a_redirect_into_a_private_network_is_refused(site, to):
    assert refusal(site.send_on("/", to)).reason == "refused"


@pytest.mark.parametrize(
    ("to", "reason"), [("file:///etc/passwd", "address"), ("http://me:pw@127.0.0.1/", "credentials")]
)
def test_a_redirect_to_no_plain_web_address_is_refused(site, to, reason):
    assert refusal(site.send_on("/", to)).reason == reason


def test_redirects_are_followed_up_to_five_relative_ones_too(site):
    site.put("/6", "there")
    for number in range(1, 6):
        site.send_on(f"/{number}", f"/{number + 1}" if number % 2 else site.url(f"/{number + 1}"), 301 + number % 2)
    assert get(site.url("/1")).url == site.url("/6")
    site.send_on("/0", "/1")
    error = refusal(site.url("/0"))
    assert (error.reason, error.value) == ("redirects", f"{MOST_REDIRECTS}")


def test_tls_keeps_the_name_and_checks_the_certificate_while_the_address_is_pinned():
    assert PUBLIC.tls.check_hostname and PUBLIC.tls.verify_mode.name == "CERT_REQUIRED"
    hello: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            connection, _ = server.accept()
            with connection:
                hello.append(connection.recv(4096))

        thread = threading.Thread(target=listen)
        thread.start()
        port = server.getsockname()[1]
        error = refusal(f"https://shop.example:{port}/", names(shop_example="127.0.0.1"))
        thread.join()
    assert (error.reason, error.may_pass) == ("network", True)
    assert hello[0][0] == 0x16 and b"shop.example" in hello[0], "the name that the certificate must carry"


def test_the_next_address_is_tried_when_one_does_not_answer(site):
    site.put("/", "here")
    rules = replace(names(shop_example="127.0.0.2 127.0.0.1"), allows=lambda address: address.is_loopback)
    assert get(site.url("/", "shop.example"), rules).data == b"here"


def test_a_server_that_is_not_there_may_be_there_later():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    error = refusal(f"http://127.0.0.1:{port}/")
    assert (error.reason, error.may_pass) == ("network", True)


@pytest.mark.parametrize(
    ("problem", "may_pass"), [(socket.EAI_AGAIN, True), (socket.EAI_NONAME, False)], ids=["for now", "for good"]
)
def test_a_name_that_is_not_known_is_said(problem, may_pass):
    async def unknown(host: str, port: int) -> tuple[str, ...]:
        raise socket.gaierror(problem, "no")

    error = refusal("http://shop.example/", replace(OPEN, resolve=unknown))
    assert (error.reason, error.value, error.may_pass) == ("unknown", "shop.example", may_pass)


@pytest.mark.parametrize(("status", "may_pass"), [(404, False), (403, False), (429, True), (503, True)])
def test_an_error_of_the_server_is_told_by_its_number(site, status, may_pass):
    site.pages["/"] = Answer(b"no", status)
    error = refusal(site.url("/"))
    assert (error.reason, error.value, error.may_pass) == ("status", str(status), may_pass)


def test_what_is_too_large_is_not_read_to_its_end(site):
    site.put("/", b"x" * 3_000_000)
    error = refusal(site.url("/"), replace(OPEN, most_bytes=1_000_000))
    assert (error.reason, error.value) == ("large", "1")


def test_a_packed_answer_is_unpacked_and_a_bomb_is_not(site):
    site.put("/plain", gzip.compress(b"text\ngood\n"), Content_Encoding="gzip")
    assert get(site.url("/plain")).data == b"text\ngood\n"
    bomb = gzip.compress(b"\0" * 100_000_000, 9)
    assert len(bomb) < 100_000
    site.put("/bomb", bomb, Content_Encoding="gzip")
    started = time.monotonic()
    assert refusal(site.url("/bomb"), replace(OPEN, most_bytes=1_000_000)).reason == "large"
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("body", "encoding", "reason"),
    [(gzip.compress(b"a" * 500)[:-9], "gzip", "network"), (b"not packed", "gzip", "encoding"),
     (b"\x1b\x03", "br", "encoding"), (gzip.compress(gzip.compress(b"a")), "gzip, gzip", "encoding")],
    ids=["cut short", "not packed", "another packing", "packed twice"],  # the hour is in what gzip makes
)  # fmt: skip
def test_a_packing_that_is_broken_or_was_not_asked_for_is_refused(site, body, encoding, reason):
    site.put("/", body, Content_Encoding=encoding)
    assert refusal(site.url("/")).reason == reason


def test_a_server_that_drips_is_left_when_the_time_is_over(site):
    """Each piece comes in time; all of them together do not."""
    site.pages["/"] = Answer(b"x" * 65_536 * 50, pause=0.1)
    started = time.monotonic()
    error = refusal(site.url("/"), replace(OPEN, seconds=0.4))
    assert (error.reason, error.value, error.may_pass) == ("slow", "0.4", True)
    assert time.monotonic() - started < 4


def test_we_say_who_we_are(site):
    site.put("/", "x")
    get(site.url("/"))
    assert site.agents[-1].startswith("DreamAgent/")
