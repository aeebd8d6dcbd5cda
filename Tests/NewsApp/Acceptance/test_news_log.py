"""What a feed contains never writes to standard error by itself."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from harness.settings import ENVIRONMENT
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
RSS = (
    b'<?xml version="1.0" encoding="%s"?><rss version="2.0"><channel><title>T</title><item>'
    b"<title>%s</title><link>https://news.example.com/%s</link></item></channel></rss>"
)
# The title in the encoding of the feed, with a byte that it does not have, or cut in a character; and a feed
# that is no XML at its end, and one that is none at all.
FEEDS = {
    "cyrillic": RSS % (b"windows-1251", b"\xcd\xee\xe2\x98\xee\xf1\xf2\xe8", b"1"),
    "japanese": RSS % (b"Shift_JIS", b"\x93\xfa\x96\x7b\x8c", b"2"),
    "unknown": RSS % (b"x-none", b"One title that is in no encoding", b"3"),
    "cut": (RSS % (b"utf-8", b"A title that is whole", b"4"))[:-20],
    "nonsense": b"\x00\xff<rss & <<",
}


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = FEEDS[self.path.rpartition("/")[2]]
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def test_every_line_of_the_log_is_an_entry_whatever_feeds_contain(stage, server):
    hub = stage.hub(name="news", environment=ENVIRONMENT)
    sources = [
        {"name": name, "url": f"http://127.0.0.1:{server.server_port}/{name}", "interval": "60s"}
        for name in FEEDS
    ]
    sections = {"log_format": "json", "news": {"sources": sources}}
    hub.configure("".join(f"{key}: {json.dumps(value)}\n" for key, value in sections.items()))
    hub.start()
    wait_until(
        lambda: len(feeds := hub.feeds()) == len(FEEDS)
        and all(feed["status"] != "starting" for feed in feeds.values()),
        within=PATIENCE_SECONDS,
        what=lambda: f"all feeds were polled: {hub.feeds()}",
    )
    good = [name for name, feed in hub.feeds().items() if feed["status"] == "healthy"]
    assert any("cyrillic" in name for name in good) and any("japanese" in name for name in good)
    lines = hub.log.splitlines()
    assert any("feed failed" in line for line in lines)
    for line in lines:
        assert json.loads(line)["msg"], line
