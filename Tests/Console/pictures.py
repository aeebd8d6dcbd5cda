"""The pictures of the console in docs/pictures: the recorded night of the demo, at 360 times its speed, with clients.

    Tests/python.sh && .venv/bin/python Tests/Console/pictures.py docs/pictures

The night takes a minute and a half. The numbers of the machine, such as durations, differ from run to run. Debian's
optipng makes the files smaller, if it is installed.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "Acceptance"), str(HERE / "Acceptance")]

from harness.film_app import FilmApp  # noqa: E402
from harness.stage import Stage  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

KEY = "varde-demo-api-key"
SIZE = {"width": 1280, "height": 800}
RULES = """\
console: {enabled: true}
namespaces:
  - {name: chat, anonymous_subscribe: true, history_size: 100, history_age: 1h, presence: true}
alerts:
  - name: strong-aurora
    topics: "aurora:tromso"
    when: score > 60
    until: score < 40
    hold: 5m
    severity: info
    escalate: [{severity: warning, when: score > 90}]
"""
# Topics, and how many event streams read each.
READERS = {
    "aurora:tromso": 24, "aurora:tromso:alerts": 16,
    "news:global": 12, "news:ticker:NVDA": 6, "news:category:science": 4,
    "chat:team": 9, "chat:lobby": 14, "chat:help": 3, "radar:RADAR": 5,
}  # fmt: skip
# Each at so many seconds after the begin of the night, and opened so many seconds before it.
PICTURES = [
    (45, 3, "dark", "aurora", "aurora"),
    (60, 3, "light", "now", "now"),
    # The hub counts the rates of topics only while a page asks for them.
    (70, 8, "light", "topics", "topics"),
    (74, 3, "light", "alerts", "alerts?topic=aurora:tromso"),
]
TEXTS = ["Clear sky over Kvaløya", "The bus leaves at eight", "Bring a tripod", "It is green already"]


def publish(hub, topic, data):
    body = json.dumps({"channel": topic, "data": data}).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{hub.port}/api/publish", body, {"X-API-Key": KEY})
    urllib.request.urlopen(request, timeout=10).close()


class Night:
    """The demo's hub from the beginning of its night, with people and readers."""

    def __init__(self, stage):
        self.stage, self.begin = stage, time.monotonic()
        upstream = f"http://127.0.0.1:{stage.replay()}"
        receiver = stage.receiver([503, 204, 503])
        self.hub = stage.aurora_hub(
            upstream, start="2024-12-09T16:00:00Z", speed=360, receiver=receiver, news=upstream
        )
        self.hub.configure(self.hub.configuration.read_text() + RULES)
        self.hub.start()
        app = FilmApp(self.hub.port)
        kari = app.log_in("Kari")
        self.radar = app.ask("POST", "/api/radars", kari.token, {"topic": "four-day working week"})["id"]
        for topic, count in READERS.items():
            name = topic.replace("RADAR", self.radar)
            for _ in range(count):
                stream = urllib.request.urlopen(f"http://127.0.0.1:{self.hub.port}/events?topics={name}", timeout=600)
                stage.ends_with(stream.close)
        for _ in range(11):
            stage.sdk(self.hub.port, ["chat:team", "aurora:tromso"])

    def until(self, seconds, page):
        """Lets the night go on until so many seconds after its begin, with messages."""
        while time.monotonic() < self.begin + seconds:
            for topic in random.choices(["chat:team", "chat:lobby", "chat:help"], [5, 3, 1], k=random.randint(1, 6)):
                publish(self.hub, topic, {"text": random.choice(TEXTS)})
            page.wait_for_timeout(random.randint(100, 600))


def opened(browser, night, scheme, address):
    """A page in a tab of its own."""
    page = browser.new_context(color_scheme=scheme, viewport=SIZE, reduced_motion="reduce").new_page()
    page.goto(f"http://127.0.0.1:{night.hub.port}/console/")
    page.get_by_label("API key").fill(KEY)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("navigation", name="Views").wait_for()
    page.goto(f"http://127.0.0.1:{night.hub.port}/console/{address}")
    page.locator("main h1").wait_for()
    return page


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        stage = Stage(Path(directory))
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            night = Night(stage)
            # From the beginning, so that the statistics have a sample of each second.
            pages = {"now": opened(browser, night, "light", "now")}
            for seconds, before, scheme, view, address in PICTURES:
                night.until(seconds - before, pages["now"])
                page = pages.get(view) or opened(browser, night, scheme, address)
                night.until(seconds, page)
                page.screenshot(path=folder / f"console-{view}.png")
            if program := shutil.which("optipng"):
                subprocess.run([program, "-quiet", "-o3", *folder.glob("console-*.png")], check=True)
        finally:
            browser.close()
            stage.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
