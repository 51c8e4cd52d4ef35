"""Whose requests are answered."""

from dataclasses import replace

import pytest

from contracts.errors import Code
from services.gateway.domain.origins import Neighbourhood, RequestOrigin
from services.gateway.domain.refusal import Refused

HERE = Neighbourhood.of("127.0.0.1", None, ())
BEHIND_A_PROXY = Neighbourhood.of(
    "0.0.0.0", "https://Dream.example:8443/app", ("dream.internal", "[fd00::7]")
)  # what an operator sets
PLAIN = RequestOrigin("POST", "http", "/agent/run", "10.1.2.3", ("127.0.0.1:8765",), (), ())


def refusal(neighbourhood: Neighbourhood, asked: RequestOrigin) -> tuple[int, int | None]:
    with pytest.raises(Refused) as refused:
        neighbourhood.admit(asked)
    return refused.value.code, refused.value.status


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "127.0.0.1", "localhost:1", "LocalHost:65535", "[::1]:8765", "127.8.9.1:80"]
)
def test_loopback_is_ours_under_any_port(host: str):
    HERE.admit(replace(PLAIN, hosts=(host,)))


@pytest.mark.parametrize(
    "host",
    [
        "rebound.attacker.test", "localhost.attacker.test:8765", "127.0.0.1.nip.test", "10.1.2.3:8765", "192.168.0.4",
        "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "[fe80::1]", "localhost:8765@a.test", "a.test/localhost",
        "localhost:", "localhost:123456", "localhost, a.test", "", "::1", "localhost.", "127.0.0.1\t.a.test", "[::1",
    ],
)  # fmt: skip
def test_any_other_name_is_misdirected(host: str):
    assert refusal(HERE, replace(PLAIN, hosts=(host,))) == (Code.FORBIDDEN, 421)


@pytest.mark.parametrize("hosts", [(), ("localhost", "localhost"), ("localhost", "a.test")])
def test_one_host_is_named_no_less_and_no_more(hosts: tuple[str, ...]):
    assert refusal(HERE, replace(PLAIN, hosts=hosts)) == (Code.INVALID_REQUEST, 400)


@pytest.mark.parametrize(
    "host", ["dream.internal:9", "DREAM.example", "[fd00::7]:8765", "10.1.2.3:8765", "0.0.0.0:8765", "localhost"]
)
def test_names_of_the_operator_and_the_address_that_was_reached_are_ours(host: str):
    BEHIND_A_PROXY.admit(replace(PLAIN, hosts=(host,)))


def test_an_address_that_was_not_reached_is_not():
    assert refusal(BEHIND_A_PROXY, replace(PLAIN, hosts=("10.1.2.4:8765",))) == (Code.FORBIDDEN, 421)


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:9001", "https://127.0.0.1:8765", "http://localhost:8765", "http://127.0.0.1", "null", "",
        "http://a.test", "http://127.0.0.1:8765.a.test", "http://127.0.0.1:8765/", "file://", "chrome-extension://abc",
    ],
)  # fmt: skip
def test_a_page_of_any_other_origin_is_refused(origin: str):
    assert refusal(HERE, replace(PLAIN, origins=(origin,))) == (Code.FORBIDDEN, None)
    assert refusal(HERE, replace(PLAIN, method="GET", origins=(origin,))) == (Code.FORBIDDEN, None)


def test_a_page_of_ours_may_ask_and_so_may_one_of_the_public_address():
    HERE.admit(replace(PLAIN, origins=("http://127.0.0.1:8765",), sites=("same-origin",)))
    HERE.admit(replace(PLAIN, hosts=("localhost:3",), origins=("http://LOCALHOST:3",)))
    BEHIND_A_PROXY.admit(replace(PLAIN, hosts=("dream.internal",), origins=("https://dream.example:8443",)))
    assert refusal(BEHIND_A_PROXY, replace(PLAIN, origins=("https://dream.example",))) == (Code.FORBIDDEN, None)


def test_two_origins_are_one_too_many():
    both = ("http://127.0.0.1:8765", "http://a.test")
    assert refusal(HERE, replace(PLAIN, origins=both)) == (Code.INVALID_REQUEST, 400)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "something-new"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_what_a_browser_says_another_page_made_is_refused(site: str, method: str):
    assert refusal(HERE, replace(PLAIN, method=method, path="/runs", sites=(site,))) == (Code.FORBIDDEN, None)


@pytest.mark.parametrize("path", ["/", "/console", "/console/"])
def test_a_link_from_anywhere_opens_the_console_and_loads_nothing_of_it(path: str):
    link = replace(PLAIN, method="GET", path=path, sites=("cross-site",))
    HERE.admit(link)
    HERE.admit(replace(link, sites=("same-site",)))
    assert refusal(HERE, replace(link, method="POST")) == (Code.FORBIDDEN, None)
    assert refusal(HERE, replace(link, path="/console/assets/index-1.js")) == (Code.FORBIDDEN, None)
    assert refusal(HERE, replace(link, hosts=("rebound.attacker.test",))) == (Code.FORBIDDEN, 421)


def test_a_typed_address_is_no_page_and_a_link_opens_only_what_has_no_data():
    HERE.admit(replace(PLAIN, method="GET", path="/runs", sites=("none",)))
    link = replace(PLAIN, method="GET", path="/openapi.json", sites=("cross-site",))
    HERE.admit(link)
    assert refusal(HERE, replace(link, method="POST")) == (Code.FORBIDDEN, None)
    assert refusal(HERE, replace(link, path="/health")) == (Code.FORBIDDEN, None)
    assert refusal(HERE, replace(link, origins=("http://a.test",))) == (Code.FORBIDDEN, None)
