"""What a page of the gateway itself may do under the policy of the console, in a real browser: all that the public protocol
offers, files that tools have made in their place, and nothing that somebody has smuggled into it."""

import io
import struct
import wave
from collections.abc import Iterator

import httpx
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SECRET, Blog, Street

pytestmark = pytest.mark.browser
RED, BLUE = (255, 0, 0), (0, 0, 255)
INDEX = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Dream Agent</title>
<link rel="icon" href="./icon.svg" type="image/svg+xml">
<script type="module" crossorigin src="./assets/index-1.js"></script>
<link rel="stylesheet" crossorigin href="./assets/index-1.css">
<div id="root">nothing yet</div><iframe hidden></iframe></html>"""
SCRIPT = """window.broken = [];
document.addEventListener("securitypolicyviolation", event => window.broken.push(event.effectiveDirective));
document.getElementById("root").textContent = "the script has run";
document.getElementById("root").style.width = "77px";"""
STYLE = "#root{height:55px;background:rgb(1,2,3)} iframe{width:500px;height:500px}"


@pytest.fixture(scope="module")
def built(street: Street) -> Street:
    """With a console as Vite writes one."""
    (street.console / "assets").mkdir(parents=True)
    for name, text in {
        "index.html": INDEX,
        "icon.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
        "assets/index-1.js": SCRIPT,
        "assets/index-1.css": STYLE,
    }.items():
        (street.console / name).write_text(text, encoding="utf-8")
    return street


@pytest.fixture
def page(browser: Browser, built: Street) -> Iterator[Page]:
    """The console, and at its end: nothing was refused by its policy, and the browser had no complaint."""
    opened = browser.new_page()
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(built.gateway)
    yield opened
    assert opened.evaluate("window.broken") == []
    assert complaints == []
    opened.close()


def colour(page: Page, selector: str) -> tuple[int, ...]:
    """In the middle of what is shown there."""
    shown = Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB")
    found = shown.getpixel((shown.width // 2, shown.height // 2))
    assert isinstance(found, tuple)
    return tuple(int(part) for part in found)


def painted(colour: tuple[int, int, int], form: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (400, 400), colour).save(written, form)
    return written.getvalue()


def test_the_root_shows_it_with_its_script_and_its_styles(page: Page, built: Street):
    assert page.url == f"{built.gateway}/console/"
    expect(page.locator("#root")).to_have_text("the script has run")
    size = page.locator("#root").bounding_box()
    assert size is not None
    assert (size["width"], size["height"]) == (77, 55)


def test_it_reads_writes_uploads_and_listens(page: Page, built: Street):
    told = page.evaluate(
        """async session => {
          const ask = (path, body, type) => fetch(`../${path}`, {method: 'POST', headers: {'content-type': type}, body});
          const read = await (await fetch(`../sessions/${session}`)).json();
          const text = JSON.stringify({text: 'from the console', session_id: session});
          const wrote = await ask('agent/run-async', text, 'application/json');
          const file = new Blob(['review\\nfine\\n']);
          const uploaded = await ask('artifacts?name=r.csv', file, 'application/octet-stream');
          const heard = await new Promise((done, failed) => {
            const socket = new WebSocket(new URL(`../ws/${session}`, location.href.replace('http', 'ws')));
            socket.onmessage = event => { done(JSON.parse(event.data).type); socket.close(); };
            socket.onerror = () => failed(new Error('no socket'));
          });
          return [read.runs[0].text, wrote.status, uploaded.status, heard];
        }""",
        built.session,
    )
    assert told == [SECRET, 202, 201, "session_state"]


def test_a_picture_is_shown_in_its_place(page: Page, built: Street):
    made = built.keep(painted(BLUE, "PNG"), "image/png")
    page.evaluate(
        "src => { const img = document.createElement('img'); img.src = src; document.body.append(img); }",
        f"../artifacts/{made}?name=chart.png",
    )
    expect(page.locator("img")).to_have_js_property("naturalWidth", 400)
    assert colour(page, "img") == BLUE


def test_a_pdf_is_shown_in_a_frame(page: Page, built: Street):
    made = built.keep(painted(RED, "PDF"), "application/pdf")
    with page.expect_response(f"**/artifacts/{made}*") as answer:
        page.evaluate(
            "src => { const f = document.querySelector('iframe'); f.hidden = false; f.src = src; }",
            f"../artifacts/{made}?name=report.pdf#toolbar=0&navpanes=0",
        )
    assert answer.value.status == 200
    shown: tuple[int, ...] = ()
    for _ in range(50):
        shown = colour(page, "iframe")
        if all(abs(part - wanted) <= 3 for part, wanted in zip(shown, RED, strict=True)):  # it is a JPEG in there
            return
        page.wait_for_timeout(200)
    pytest.fail(f"the PDF is not shown: its middle is {shown}")


def test_a_sound_is_loaded(page: Page, built: Street):
    written = io.BytesIO()
    with wave.open(written, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(struct.pack("<h", 0) * 8000)
    made = built.keep(written.getvalue(), "audio/wav")
    lasts = page.evaluate(
        """src => new Promise((done, failed) => {
          const audio = document.createElement('audio');
          audio.onloadedmetadata = () => done(audio.duration);
          audio.onerror = () => failed(new Error('refused'));
          audio.preload = 'metadata'; audio.src = src; document.body.append(audio);
        })""",
        f"../artifacts/{made}",
    )
    assert lasts == 1


def test_a_film_can_be_loaded(page: Page, built: Street):
    """Whether this Chromium can play it or not: the policy lets it in, and the answer has its type and its ranges."""
    made = built.keep(b"\0\0\0\x18ftypmp42" + bytes(5000), "video/mp4")
    with page.expect_response(f"**/artifacts/{made}") as answer:
        page.evaluate(
            """src => { const video = document.createElement('video');
              video.preload = 'auto'; video.src = src; document.body.append(video); }""",
            f"../artifacts/{made}",
        )
    assert (answer.value.status, answer.value.headers["content-type"]) == (206, "video/mp4")


def test_what_is_smuggled_into_it_neither_runs_nor_loads_nor_leaves(browser: Browser, built: Street):
    page = browser.new_page()
    page.goto(f"{built.gateway}/console/")
    Blog.asked.clear()
    page.evaluate(
        """blog => {
          const put = html => document.body.insertAdjacentHTML('beforeend', html);
          put(`<img src="${blog}/a.png" onerror="window.ran = 1"><style>body{color:red}</style>`);
          put(`<iframe src="${blog}/"></iframe><form action="${blog}/"><button>go</button></form>`);
          for (const what of [{textContent: 'window.ran = 2'}, {src: `${blog}/x.js`}])
            document.body.append(Object.assign(document.createElement('script'), what));
          document.querySelector('form').submit();
          fetch(`${blog}/?stolen`).catch(() => 0);
        }""",
        built.blog,
    )
    wanted = {
        "img-src",
        "style-src-elem",
        "frame-src",
        "script-src-elem",
        "script-src-attr",
        "form-action",
        "connect-src",
    }
    broken: set[str] = set()
    for _ in range(50):  # asked from outside: the page allows no eval, by which wait_for_function asks again
        if wanted <= (broken := {*page.evaluate("window.broken")}):
            break
        page.wait_for_timeout(100)
    assert broken == wanted
    assert page.evaluate("window.ran") is None
    httpx.get(f"{built.blog}/asked-by-a-program")
    assert Blog.asked == ["/asked-by-a-program"]
    page.close()


def test_a_link_from_elsewhere_opens_it_and_no_frame_does(browser: Browser, built: Street):
    page = browser.new_page()
    page.goto(built.blog)
    page.evaluate(
        "url => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }",
        f"{built.gateway}/console/",
    )
    page.wait_for_load_state("networkidle")
    assert all("Dream Agent" not in frame.content() for frame in page.frames)
    page.evaluate(
        "url => { const a = document.createElement('a'); a.href = url; document.body.append(a); a.click(); }",
        f"{built.gateway}/",
    )
    page.wait_for_url(f"{built.gateway}/console/")
    expect(page.locator("#root")).to_have_text("the script has run")
    page.close()
