"""Pages of another port of the own machine use the demo's routes, as a browser lets them."""

import http.client
import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness.openapi import DIRECTORY
from harness.waiting import wait_until

PATIENCE_SECONDS = 10.0
START = "2024-12-09T19:30:00Z"
KEY = "tro_app_aurora_watcher_v1"
PAGE = "http://localhost:5173"
# What Chromium 150 sends before a page's `fetch` with a header of its own.
PREFLIGHT = {
    "Accept": "*/*",
    "Access-Control-Request-Method": "GET",
    "Origin": PAGE,
    "Referer": f"{PAGE}/",
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "cross-site",
}
# Fetch: "A CORS-safelisted response-header name"; every page may read these.
SAFELISTED = {
    "cache-control",
    "content-language",
    "content-length",
    "content-type",
    "expires",
    "last-modified",
    "pragma",
}
# For caches and of handshakes, not for pages.
NOT_FOR_PAGES = {"vary", "upgrade", "sec-websocket-accept", "sec-websocket-version"}
# Routes of backends have no CORS.
OF_BACKENDS = {"server-api", "webhooks"}


@pytest.fixture
def hub(stage):
    upstream = f"http://127.0.0.1:{stage.replay()}"
    hub = stage.aurora_hub(upstream, start=START, speed=60, news=upstream)
    hub.start()
    wait_until(
        lambda: hub.get("/api/aurora/now").status == 200, within=30, what="the conditions are known"
    )
    return hub


def ask(port, method, target, fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, target, headers=fields)
        response = connection.getresponse()
        names = {name.lower(): value for name, value in response.getheaders()}
        return response.status, names, response.read()
    finally:
        connection.close()


def listed(value):
    return {each.strip().lower() for each in value.split(",")}


@pytest.mark.parametrize(
    "target, header",
    [
        ("/api/aurora/now", "x-api-key"),
        ("/api/aurora/forecast?days=7", "x-api-key"),
        ("/api/aurora/oval", "if-none-match,x-api-key"),
        ("/api/health", "x-request-id"),
        ("/v2/top-headlines?country=us", "x-api-key"),
        ("/v1/feed", "x-user-id"),
        ("/v1/feed/story-groups", "authorization"),
        ("/movies/1", "authorization"),
        ("/feed/activities", "authorization"),
    ],
)
def test_preflight_of_a_page_on_another_port_allows_its_request(hub, target, header):
    asked = PREFLIGHT | {"Access-Control-Request-Headers": header}
    status, fields, _ = ask(hub.port, "OPTIONS", target, asked)
    assert status == 204
    assert fields["access-control-allow-origin"] == PAGE
    assert "GET" in fields["access-control-allow-methods"].split(", ")
    assert listed(header) <= listed(fields["access-control-allow-headers"])
    assert int(fields["access-control-max-age"]) > 0


def test_page_with_its_key_reads_the_answer_and_every_documented_header(hub):
    origin = {"Origin": PAGE, "Sec-Fetch-Mode": "cors", "Sec-Fetch-Site": "cross-site"}
    for name in ("now", "tonight", "hourly", "forecast?days=7", "oval"):
        asked = origin | {"X-API-Key": KEY}
        status, fields, body = ask(hub.port, "GET", f"/api/aurora/{name}", asked)
        assert (status, fields["access-control-allow-origin"]) == (200, PAGE), name
        assert json.loads(body)
        exposed = listed(fields["access-control-expose-headers"])
        shown = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "etag"}
        assert shown | {"x-request-id"} <= exposed & set(fields), name
        assert documented_headers() - SAFELISTED - NOT_FOR_PAGES <= exposed
    # A page also sees why it was refused.
    status, fields, _ = ask(hub.port, "GET", "/api/aurora/now", origin | {"X-API-Key": "no key"})
    assert (status, fields["access-control-allow-origin"]) == (403, PAGE)


def documented_headers():
    """The names of the headers of all described answers, in lower case."""
    names = set()

    def collect(value):
        if isinstance(value, dict):
            for response in value.get("responses", {}).values():
                names.update(name.lower() for name in response.get("headers", {}))
            for each in value.values():
                collect(each)
        elif isinstance(value, list):
            for each in value:
                collect(each)

    for path in DIRECTORY.glob("*.json"):
        if path.stem not in OF_BACKENDS:
            collect(json.loads(path.read_text()))
    assert {"etag", "retry-after", "x-ratelimit-reset"} <= names
    return names


def test_page_of_another_machine_stays_out(hub):
    for origin in ("http://192.168.1.2:5173", "https://evil.example", "http://localhost.evil:5173"):
        asked = PREFLIGHT | {"Origin": origin, "Access-Control-Request-Headers": "x-api-key"}
        _, fields, _ = ask(hub.port, "OPTIONS", "/api/aurora/now", asked)
        assert not [name for name in fields if name.startswith("access-control")], origin


SCRIPT = """\
<!doctype html><meta charset="utf-8"><title>page</title><script>
async function ask(path) {
  const response = await fetch("http://127.0.0.1:HUB" + path, {headers: {"X-API-Key": "KEY"}});
  const headers = {};
  for (const [name, value] of response.headers) headers[name] = value;
  return {status: response.status, headers, body: await response.json()};
}
(async () => {
  const found = {};
  try {
    for (const name of ["now", "tonight", "hourly", "forecast?days=7", "oval"])
      found[name] = await ask("/api/aurora/" + name);
  } catch (error) { found.error = String(error); }
  await fetch("/found", {method: "POST", body: JSON.stringify(found)});
})();
</script>
"""


class PageServer(ThreadingHTTPServer):
    """The development server of an app: its page, and what the page has found."""

    def __init__(self, page):
        self.page = page.encode()
        self.found = None
        super().__init__(("127.0.0.1", 0), PageHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class PageHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(self.server.page)

    def do_POST(self):
        self.server.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(b"")

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_page_in_chromium_uses_the_aurora_routes_with_its_key(stage, hub):
    server = PageServer(SCRIPT.replace("HUB", str(hub.port)).replace("KEY", KEY))
    stage.ends_with(server.server_close)
    stage.ends_with(server.shutdown)
    browser = subprocess.Popen(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            f"--user-data-dir={stage.directory / 'chromium'}",
            "--remote-debugging-port=0",
            f"http://localhost:{server.server_port}/",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    stage.ends_with(browser.wait)
    stage.ends_with(browser.terminate)
    found = wait_until(lambda: server.found, within=60, what="the page has reported")
    assert "error" not in found, found
    assert len(found) == 5
    for name, answer in found.items():
        assert answer["status"] == 200 and answer["body"], name
        assert {"x-ratelimit-limit", "x-ratelimit-reset", "etag", "x-request-id"} <= set(
            answer["headers"]
        ), name
