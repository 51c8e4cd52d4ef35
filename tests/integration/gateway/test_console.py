"""The web console as the gateway serves it: what has been built, under strict headers, and nothing beside it."""

import re
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest

from tests.integration.gateway.conftest import House
from tests.integration.gateway.test_elsewhere import raw

SCRIPT = "index-Bx7_q1.js"
INDEX = f'<!doctype html><title>Dream Agent</title><script type="module" src="./assets/{SCRIPT}"></script>'
FILES = {
    "index.html": (INDEX, "text/html; charset=utf-8"),
    "icon.svg": ('<svg xmlns="http://www.w3.org/2000/svg"/>', "image/svg+xml"),
    f"assets/{SCRIPT}": ("console.log('한국어')", "text/javascript; charset=utf-8"),
    "assets/index-C0ffee.css": ("body{margin:0}", "text/css; charset=utf-8"),
    "assets/letters-1.woff2": ("wOF2", "font/woff2"),
    "assets/something-1.else": ("?", "application/octet-stream"),
}
POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
    "media-src 'self' blob:", "connect-src 'self'", "font-src 'self'", "frame-src 'self' blob:", "base-uri 'none'",
    "form-action 'none'", "frame-ancestors 'none'",
}  # fmt: skip


@pytest.fixture
def console(house: House, tmp_path: Path) -> Path:
    """A console that has been built, with files around it that are none of its."""
    folder = tmp_path / "console"
    for name, (text, _) in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for secret in (tmp_path / "secret.txt", folder / "secret.txt", folder / "assets/.secret", folder / "assets/in/it"):
        secret.parent.mkdir(exist_ok=True)
        secret.write_text("5150")
    house.gateway.app.state.console = folder
    return folder


def page_of(name: str) -> str:
    return f"/console/{'' if name == 'index.html' else name}"


@pytest.mark.parametrize("name", FILES)
async def test_every_file_comes_whole_with_its_type_and_under_strict_headers(
    name: str, house: House, console: Path
) -> None:
    answer = await house.http.get(page_of(name))
    assert (answer.status_code, answer.text) == (200, FILES[name][0])
    assert answer.headers["content-type"] == FILES[name][1]
    assert set(answer.headers["content-security-policy"].split("; ")) == POLICY
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", FILES)
async def test_its_head_says_the_same_without_a_body(name: str, house: House, console: Path) -> None:
    whole, head = await house.http.get(page_of(name)), await house.http.head(page_of(name))
    assert (head.status_code, head.content) == (200, b"")
    same = ("content-type", "content-length", "etag", "cache-control", "content-security-policy")
    assert [head.headers[name] for name in same] == [whole.headers[name] for name in same]


@pytest.mark.parametrize("name", FILES)
async def test_what_a_browser_has_is_not_sent_again(name: str, house: House, console: Path) -> None:
    tag = (await house.http.get(page_of(name))).headers["etag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}'):
        again = await house.http.get(page_of(name), headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert (await house.http.get(page_of(name), headers={"If-None-Match": '"other"'})).status_code == 200


async def test_the_page_is_asked_for_each_time_and_what_it_is_made_of_once_a_year(house: House, console: Path) -> None:
    for name in FILES:
        kept = (await house.http.get(page_of(name))).headers["cache-control"]
        assert kept == ("public, max-age=31536000, immutable" if "assets/" in name else "no-cache")


async def test_another_build_is_another_page_without_a_restart(house: House, console: Path) -> None:
    before = (await house.http.get("/console/")).headers["etag"]
    (console / "index.html").write_text(INDEX.replace("q1", "q2"))
    after = await house.http.get("/console/", headers={"If-None-Match": before})
    assert (after.status_code, after.text) == (200, INDEX.replace("q1", "q2"))


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/", "/console"])
@pytest.mark.parametrize("prefix", ["", "/agents/mine"])
async def test_the_root_leads_to_it_below_any_prefix_of_a_proxy(
    method: str, path: str, prefix: str, house: House
) -> None:
    answer = await house.http.request(method, path)
    assert answer.status_code == 307
    seen = urljoin(f"https://proxy.example{prefix}{path}", answer.headers["location"])
    assert seen == f"https://proxy.example{prefix}/console/"


@pytest.mark.parametrize(
    "path",
    [
        "/console/index.html", "/console/secret.txt", "/console/assets/", "/console/assets", "/console/nothing",
        "/console/assets/nothing.js", "/console/assets/.secret", "/console/assets/in", "/console/assets/in/it",
        "/console/../secret.txt", "/console/assets/../secret.txt", "/console/assets/..%2fsecret.txt",
        "/console/assets/%2e%2e/secret.txt", "/console/assets/%2e%2e%2f%2e%2e%2fsecret.txt", "/console/assets/%2e%2e",
        "/console/assets/..%5c..%5csecret.txt", "/console/assets//etc/passwd", "/console/assets/%2fetc%2fpasswd",
        "/console/assets/%00", f"/console/assets/{SCRIPT}%00.txt", f"/console/assets/{SCRIPT}%20", "/console/assets/%e2%80%a6",
        f"/console/assets/{'x' * 5000}.js", "/console//index.html", "//secret.txt",
    ],
)  # fmt: skip
async def test_nothing_else_is_there(path: str, house: House, console: Path) -> None:
    status, body = await raw(house, f"GET {path} HTTP/1.1", "Host: localhost")
    assert (status, b"5150" in body) == (404, False)
    assert re.search(rb'"code":1000\b', body)


async def test_nothing_is_written_to_it(house: House, console: Path) -> None:
    for path in ("/", "/console", "/console/", "/console/icon.svg", f"/console/assets/{SCRIPT}"):
        for method in ("POST", "PUT", "DELETE"):
            answer = await house.http.request(method, path)
            assert (answer.status_code, answer.json()["code"]) == (405, 1000)


async def test_one_that_was_not_built_says_what_to_do_and_fails_nothing_else(house: House, tmp_path: Path) -> None:
    house.gateway.app.state.console = tmp_path / "console"
    answer = await house.http.get("/", follow_redirects=True)
    assert (answer.status_code, answer.headers["content-type"]) == (503, "text/plain; charset=utf-8")
    assert "`make console`" in answer.text
    for path in ("/console/icon.svg", f"/console/assets/{SCRIPT}"):
        missing = await house.http.get(path)
        assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert (await house.http.get("/health")).status_code == 200


async def test_its_page_opens_by_a_link_from_anywhere_and_its_script_for_itself_alone(
    house: House, console: Path
) -> None:
    async def status(path: str, site: str, **more: str) -> int:
        answer: httpx.Response = await house.http.get(path, headers={"Sec-Fetch-Site": site, **more})
        return answer.status_code

    assert [await status(path, "cross-site") for path in ("/", "/console", "/console/")] == [307, 307, 200]
    script = f"/console/assets/{SCRIPT}"
    assert [await status(script, site) for site in ("same-origin", "none", "cross-site")] == [200, 200, 403]
    assert await status("/console/", "cross-site", Origin="https://blog.attacker.test") == 403
