"""A page of another origin, in a real browser, against a running gateway: it reads nothing, writes nothing, opens no
socket, and a name that leads here by its own DNS is nobody's."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import SECRET, Street

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Browser, street: Street) -> Iterator[Page]:
    opened = browser.new_page()
    opened.goto(street.blog)
    yield opened
    opened.close()


def answers(page: Page) -> list[int]:
    """The statuses that the browser has got, whether the page may see them or not."""
    seen: list[int] = []
    page.on("response", lambda answer: seen.append(answer.status))
    return seen


def test_it_reads_nothing(page: Page, street: Street):
    seen = answers(page)
    for path in ("/runs", f"/sessions/{street.session}", f"/sessions/{street.session}/events", "/health", "/metrics"):
        for mode in ("cors", "no-cors"):
            read = page.evaluate(
                """async ([url, mode]) => {
                  try { const answer = await fetch(url, {mode, credentials: 'include'});
                        return [answer.type, await answer.text()]; }
                  catch (error) { return ['refused', '']; }
                }""",
                [street.gateway + path, mode],
            )
            assert read[0] in ("refused", "opaque")
            assert read[1] == ""
    assert set(seen) <= {403}


@pytest.mark.parametrize("tag", ["img", "script", "iframe", "link", "object", "video"])
def test_it_loads_nothing_of_ours_into_itself(tag: str, page: Page, street: Street):
    seen = answers(page)
    with page.expect_request(lambda asked: street.port in asked.url):
        page.evaluate(
            """([tag, url]) => { const made = document.createElement(tag);
              if (tag === 'link') { made.rel = 'stylesheet'; made.href = url; }
              else if (tag === 'object') made.data = url;
              else made.src = url;
              document.body.append(made); }""",
            [tag, f"{street.gateway}/sessions/{street.session}"],
        )
    page.wait_for_load_state("networkidle")
    assert 200 not in seen
    assert all("5150" not in frame.content() for frame in page.frames if not frame.is_detached())


def test_it_writes_nothing(page: Page, street: Street):
    before = street.versions()
    seen = answers(page)
    page.evaluate(
        """async ([gateway, session]) => {
          const text = JSON.stringify({text: 'from the blog', session_id: session, auto_approve: true});
          const tries = [
            [`/agent/run-async`, {method: 'POST', mode: 'no-cors', body: text}],
            [`/agent/run-async`, {method: 'POST', mode: 'no-cors', body: new Blob([text])}],
            [`/agent/run-async`, {method: 'POST', headers: {'content-type': 'application/json'}, body: text}],
            [`/artifacts?name=a.txt&session_id=${session}`, {method: 'POST', mode: 'no-cors', body: 'filled'}],
            [`/sessions/${session}/reminders/${session}/seen`, {method: 'POST', mode: 'no-cors'}],
          ];
          for (const [path, how] of tries) {
            try { await fetch(gateway + path, {credentials: 'include', ...how}); } catch (error) { /* as it should be */ }
          }
          navigator.sendBeacon(`${gateway}/agent/run-async`, text);
        }""",
        [street.gateway, street.session],
    )
    page.wait_for_load_state("networkidle")
    assert street.versions() == before
    assert set(seen) <= {403, 405}  # 405: the question before the question, which nobody allows


def test_its_form_writes_nothing(page: Page, street: Street):
    before = street.versions()
    with page.expect_navigation() as gone:
        page.evaluate(
            """action => { const form = document.createElement('form');
              form.method = 'POST'; form.enctype = 'text/plain'; form.action = action;
              const field = document.createElement('input');
              field.name = '{"text": "from a form", "language": "'; field.value = 'en"}';
              form.append(field); document.body.append(form); form.submit(); }""",
            f"{street.gateway}/agent/run-async",
        )
    answer = gone.value
    assert answer is not None
    assert answer.status == 403
    assert street.versions() == before


def test_it_opens_no_socket(page: Page, street: Street):
    said = page.evaluate(
        """url => new Promise(done => {
          const heard = []; const socket = new WebSocket(url);
          socket.onopen = () => heard.push('open');
          socket.onmessage = event => heard.push(event.data);
          socket.onclose = event => { heard.push(event.code); done(heard); };
        })""",
        f"ws{street.gateway.removeprefix('http')}/ws/{street.session}",
    )
    assert said == [1006]


def test_a_name_that_leads_here_is_not_ours(browser: Browser, street: Street):
    """DNS rebinding: the page's own name now resolves to this machine, so that everything is of its own origin."""
    page = browser.new_page()
    answer = page.goto(f"http://rebound.attacker.test:{street.port}/sessions/{street.session}")
    assert answer is not None
    assert answer.status == 421
    assert "5150" not in page.content()
    read = page.evaluate("path => fetch(path).then(answer => answer.status)", f"/sessions/{street.session}/events")
    assert read == 421
    page.close()


def test_a_page_of_ours_reads_writes_and_listens(browser: Browser, street: Street):
    """Or the tests before this one would say nothing."""
    page = browser.new_page()
    page.goto(f"{street.gateway}/openapi.json")
    told = page.evaluate(
        """async session => {
          const read = await (await fetch(`/sessions/${session}`)).json();
          const wrote = await fetch('/agent/run-async', {method: 'POST', headers: {'content-type': 'application/json'},
            body: JSON.stringify({text: 'from here', session_id: session})});
          const heard = await new Promise(done => {
            const socket = new WebSocket(`ws://${location.host}/ws/${session}`);
            socket.onmessage = event => { done(JSON.parse(event.data).type); socket.close(); };
          });
          return [read.runs[0].text, wrote.status, heard];
        }""",
        street.session,
    )
    assert told == [SECRET, 202, "session_state"]
    page.close()
