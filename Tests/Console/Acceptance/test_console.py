"""The console in Chromium, as a developer and an operator have it."""

import json
import os
import re
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from harness.browser import needs_chromium

pytestmark = needs_chromium

# For all tests of the console: after a restart, a page on a busy machine needs more than the usual 5 seconds.
expect.set_options(timeout=30_000)

KEY, READER = "acceptance-console-key-01", "acceptance-reader-key-02"
# Another folder than that in the program, while working on its files.
FOLDER = os.environ.get("CONSOLE_DIRECTORY")
DIRECTORY = f", directory: {json.dumps(FOLDER)}" if FOLDER else ""
CONFIGURATION = f"""\
loops: 2
api:
  keys:
    - {KEY}
    - {{key: {READER}, name: reader, read_only: true}}
console: {{enabled: true{DIRECTORY}}}
namespaces:
  - {{name: chat, anonymous_subscribe: true, history_size: 100, history_age: 1h, presence: true}}
"""
# Where screenshots go; a test's own directory without it.
SHOTS = os.environ.get("CONSOLE_SHOTS")
VIEWS = re.findall(r'\["([a-z]+)", "', (Path(__file__).parents[3] / "console/lib/views.js").read_text())


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def hub(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION)
    hub.start()
    return hub


# Elements that a text must not make.
COUNT_ELEMENTS = "document.querySelectorAll('script, style, link, iframe, base, object').length"


class Console:
    """One tab with the console, and what went wrong in it."""

    def __init__(self, hub, context):
        self.root = f"http://127.0.0.1:{hub.port}/console/"
        self.page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.errors = []
        self.urls = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        self.page.on("request", lambda request: self.urls.append(request.url))

    def sign_in(self, key=KEY):
        self.page.goto(self.root)
        self.page.get_by_label("API key").fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.get_by_role("navigation", name="Views").wait_for()
        return self

    def assert_texts_stayed_texts(self, elements=None):
        """No text of a user became an element or was run, and no address of one was asked for."""
        assert self.page.evaluate("window.hit") is None
        assert self.page.locator("#hit").count() == 0
        if elements is not None:
            assert self.page.evaluate(COUNT_ELEMENTS) == elements
        origin = self.root.removesuffix("console/")
        assert [url for url in self.urls if not url.startswith((origin, "data:"))] == []

    def show(self, view):
        self.page.goto(self.root + view)
        self.page.locator("main h1").wait_for()
        expect(self.page.locator("main .loading")).to_have_count(0)
        return self.page


@pytest.fixture
def console(hub, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 860})
    yield Console(hub, context)
    context.close()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_opens_without_an_error_and_asks_only_the_hub(hub, chromium, scheme, view, tmp_path):
    context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 860})
    console = Console(hub, context).sign_in()
    console.errors.clear()
    page = console.show(view)
    expect(page.locator("nav a[aria-current=page]")).to_have_attribute("href", view)
    page.screenshot(path=Path(SHOTS or tmp_path) / f"{view}-{scheme}.png", full_page=True)
    # A part of the hub that is off is answered with 404, which Chromium reports for itself.
    own = [error for error in console.errors if "status of 404" not in error]
    assert own == []
    origin = f"http://127.0.0.1:{hub.port}/"
    assert [url for url in console.urls if not url.startswith((origin, "data:"))] == []
    assert all(KEY not in url for url in console.urls)
    context.close()


def test_wrong_key_is_refused_and_forgotten(hub, console):
    page = console.page
    page.goto(console.root)
    page.get_by_label("API key").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("API key")
    assert page.evaluate("sessionStorage.length") == 0
    assert page.evaluate("localStorage.length") == 0


def test_key_is_kept_by_the_tab_and_forgotten_at_the_end(hub, console):
    page = console.sign_in().page
    page.reload()
    page.get_by_role("navigation", name="Views").wait_for()
    assert page.context.cookies() == []
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0
    assert KEY not in hub.log


def test_address_without_a_view_says_so(hub, console):
    page = console.sign_in().page
    page.goto(console.root + "nothing")
    expect(page.get_by_text("The console has no such view.")).to_be_visible()


def test_page_is_not_shown_in_a_frame(hub, chromium, console):
    page = console.page
    page.goto(f"http://127.0.0.1:{hub.port}/openapi/")
    response = page.request.get(console.root)
    assert response.headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    frame = chromium.new_page()
    frame.set_content(f"<iframe src='{console.root}'></iframe>")
    frame.wait_for_timeout(500)
    assert "Varde" not in (frame.frames[-1].content() if len(frame.frames) > 1 else "")
    frame.close()


def test_navigation_works_with_the_keyboard(hub, console):
    page = console.sign_in().page
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the view")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    last = page.locator("nav a").last
    last.focus()
    page.keyboard.press("Enter")
    expect(last).to_have_attribute("aria-current", "page")


def test_console_is_closed_to_public_listeners_beside_those_of_operators(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION + f"admin: {{listen: [\"unix:{stage.directory}/admin.sock\"]}}\n")
    hub.start()
    assert hub.get("/console/").status == 404
    assert hub.get("/console/app.js").status == 404


def test_console_is_off_by_default(stage):
    hub = stage.hub()
    hub.configure(CONFIGURATION.replace(f"console: {{enabled: true{DIRECTORY}}}\n", ""))
    hub.start()
    assert hub.get("/console/").status == 404


# Every place where a user's text appears, with texts that would be markup, styles, addresses or other scripts.
HOSTILE = [
    "<script>window.hit=1</script>",
    "<img src=x onerror=window.hit=1>",
    "<svg/onload=window.hit=1>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "</script><script>window.hit=1</script>",
    "</td></tr></table><b id=hit>",
    "<a href=javascript:window.hit=1>x</a>",
    "<style>*{display:none}</style>",
    "<base href=//other.example/>",
    "<meta http-equiv=refresh content=0;url=//other.example>",
    "<form action=//other.example><button id=hit>",
    "<math><mtext></mtext><mglyph><style><img src onerror=window.hit=1>",
    "<details open ontoggle=window.hit=1>",
    "<video><source onerror=window.hit=1>",
    "<object data=javascript:window.hit=1>",
    "<template><script>window.hit=1</script></template>",
    "<link rel=stylesheet href=//other.example/x.css>",
    "<marquee onstart=window.hit=1>",
    "javascript:window.hit=1",
    "data:text/html,<script>window.hit=1</script>",
    "${window.hit=1}",
    "{{window.hit=1}}",
    "`${window.hit=1}`",
    "'-window.hit=1-'",
    '"-window.hit=1-"',
    "\\\"-window.hit=1//",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "&#60;script&#62;",
    "%3Cscript%3Ewindow.hit=1%3C/script%3E",
    "<!--<script>window.hit=1//-->",
    "]]><script>window.hit=1</script>",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "null",
    "undefined",
    "NaN",
    "-1",
    "1e309",
    "../../etc/passwd",
    "%00",
    "%0d%0aX-Header: 1",
    "' OR 1=1 --",
    "; drop table x",
    "\u202egnp.exe",
    "\u200b\u200b",
    "\ufeffstart",
    "e\u0301\u0301\u0301\u0301",
    "\u0000end",
    "\u0007bell",
    "line\nbreak",
    "tab\tstop",
    "🧭" * 50,
    "a" * 3000,
    " leading and trailing ",
    "مرحبا",
    "日本語",
    "<noscript><p title=\"</noscript><img src=x onerror=window.hit=1>\">",
    "<x onclick=window.hit=1 tabindex=1 id=hit autofocus onfocus=window.hit=1>",
]


def publish(hub, topic, data, **fields):
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}/api/publish",
        json.dumps({"channel": topic, "data": data, **fields}).encode(),
        {"X-API-Key": KEY},
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        reply = json.load(response)
    assert "result" in reply, reply
    return reply["result"]


def test_hostile_texts_are_shown_as_texts(hub, console):
    assert len(set(HOSTILE)) == 60
    for text in HOSTILE:
        publish(hub, "chat:hostile", {"text": text, text: 1}, tags={"tag": text[:100]})
    page = console.sign_in().page
    console.errors.clear()
    elements = page.evaluate(COUNT_ELEMENTS)
    page = console.show("topics?topic=chat:hostile")
    expect(page.get_by_text("<img src=x onerror=window.hit=1>").first).to_be_visible()
    page = console.show("explain?topic=chat:hostile&offset=1")
    expect(page.get_by_text("<x onclick=window.hit=1").first).to_be_visible()
    for text in HOSTILE:
        query = page.evaluate("text => encodeURIComponent(text)", text)
        for view in (f"explain?topic={query}&client={query}&offset={query}", f"topics?topic={query}"):
            page.evaluate("address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')) }", view)
            page.locator("main h1").wait_for()
    console.assert_texts_stayed_texts(elements)


def test_publication_appears_at_once_and_after_kills_once(hub, console):
    page = console.sign_in().page
    page = console.show("topics?topic=chat:storm")
    status = page.get_by_role("status").filter(has_text="events")
    expect(status).to_contain_text("Live: 0 events")
    page.get_by_label("JSON to publish").fill('{"number":0}')
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Published with offset 1.")).to_be_visible()
    expect(status).to_contain_text("Live: 1 events")
    kills = int(os.environ.get("CONSOLE_KILLS", "3"))
    for kill in range(kills):
        publish(hub, "chat:storm", {"number": 2 * kill + 1})
        hub.kill()
        hub.start()
        publish(hub, "chat:storm", {"number": 2 * kill + 2})
        expect(status).to_contain_text(f"{2 * kill + 3} events", timeout=30_000)
    expect(status).to_contain_text(
        f"Live: {2 * kills + 1} events, 0 twice, 0 gaps, resumed {kills} times", timeout=30_000
    )


def test_developer_finds_why_a_client_missed_a_message(hub, console):
    """The walk of docs/how-to/inspect.md."""
    missed = publish(hub, "chat:team", {"text": "nobody is here yet"})
    page = console.sign_in().page
    page.get_by_role("link", name="Topics").click()
    page.get_by_label("Topic").fill("chat:team")
    page.get_by_role("button", name="Show").click()
    page.get_by_role("link", name=str(missed["offset"]), exact=True).click()
    page.get_by_label("Client").fill("a-client-that-came-later")
    expect(page.get_by_text("not_subscribed", exact=True)).to_be_visible()
    expect(page.get_by_text("A client that resumes with its position receives what it missed.")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape("topic=chat%3Ateam")))
    expect(page).to_have_url(re.compile(re.escape("client=a-client")))


def test_key_that_only_reads_is_refused_with_the_hubs_words(hub, console):
    page = console.sign_in(READER).page
    page = console.show("topics?topic=chat:reader")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("alert")).to_contain_text("read_only")
