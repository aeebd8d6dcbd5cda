"""An upstream that misbehaves: passes on what the replay says, or spoils it."""

import gzip
import http.client
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WEATHER = "/weatherapi/locationforecast/2.0/compact"
# The hub's names of its feeds, and where it asks for them.
PATHS = {
    "swpc.solar_wind": "/products/geospace/propagated-solar-wind-1-hour.json",
    "swpc.rtsw_mag": "/json/rtsw/rtsw_mag_1m.json",
    "swpc.rtsw_wind": "/json/rtsw/rtsw_wind_1m.json",
    "swpc.kp": "/products/noaa-planetary-k-index.json",
    "swpc.kp_minutes": "/json/planetary_k_index_1m.json",
    "swpc.kp_forecast": "/products/noaa-planetary-k-index-forecast.json",
    "swpc.outlook": "/text/27-day-outlook.txt",
    "swpc.ovation": "/json/ovation_aurora_latest.json",
    "swpc.scales": "/products/noaa-scales.json",
    "swpc.bulletins": "/products/alerts.json",
    "metno.weather:tromso": WEATHER,
}
FEEDS = {path: feed for feed, path in PATHS.items()}

ZEROS_BYTES = 50_000_000
RETRY_AFTER_SECONDS = 3600
# A whole value, in a list or behind a key.
NUMBER = re.compile(rb"(?<=[:,\[])(\s*)-?\d+(?:\.\d+)?(?=\s*[,\]}])")
# Longer than any test waits.
NEVER_SECONDS = 600.0


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]


Spoiler = Callable[[Answer], Answer]


def _html(_: Answer) -> Answer:
    page = b"<!DOCTYPE html>\n<title>Maintenance</title>\n<p>Back soon.\n"
    return Answer(200, page, {"Content-Type": "text/html"})


def _truncated(good: Answer) -> Answer:
    return Answer(200, good.body[: len(good.body) // 2], {"Content-Type": "application/json"})


def _nan(good: Answer) -> Answer:
    """A bare NaN for the first number behind the middle that is a value of its own."""
    middle = len(good.body) // 2
    tail = NUMBER.sub(rb"\1NaN", good.body[middle:], count=1)
    assert tail != good.body[middle:], "no number to replace"
    return Answer(200, good.body[:middle] + tail, {"Content-Type": "application/json"})


def _server_error(_: Answer) -> Answer:
    return Answer(500, b"Internal Server Error\n", {"Content-Type": "text/plain"})


def _too_many_requests(_: Answer) -> Answer:
    return Answer(429, b"Too Many Requests\n", {"Retry-After": str(RETRY_AFTER_SECONDS)})


def _overloaded(_: Answer) -> Answer:
    return Answer(529, b"Overloaded\n", {"Content-Type": "text/plain"})


def _gzip_bomb(_: Answer) -> Answer:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    return Answer(200, gzip.compress(bytes(ZEROS_BYTES), compresslevel=1), headers)


SPOILERS: dict[str, Spoiler] = {
    "html": _html,
    "truncated": _truncated,
    "nan": _nan,
    "500": _server_error,
    "429": _too_many_requests,
    "529": _overloaded,
    "gzip bomb": _gzip_bomb,
}


class Upstream:
    """Listens on a port of its own in the place of both upstreams.

    `faults` says, by feed, what goes wrong: a name in SPOILERS, or `zeros`, `cut` or `never`.
    """

    def __init__(self, replay_port: int) -> None:
        self.faults: dict[str, str] = {}
        # By feed and what it got: a status in digits, or the fault.
        self.answers: Counter[tuple[str, str]] = Counter()
        # By feed, when it was asked for, by the monotonic clock.
        self.asked: defaultdict[str, list[float]] = defaultdict(list)
        # By fault, headers that its answers have instead.
        self.fault_headers: dict[str, dict[str, str]] = {}
        self._replay_port = replay_port
        self._is_closed = threading.Event()
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                try:
                    upstream._answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    # The hub has had enough of it.
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                """Says nothing; `answers` has the counts."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._is_closed.set()
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        feed = FEEDS.get(request.path.partition("?")[0], request.path)
        self.asked[feed].append(time.monotonic())
        fault = self.faults.get(feed)
        if fault == "never":
            self.answers[feed, fault] += 1
            self._is_closed.wait(NEVER_SECONDS)
            request.close_connection = True
        elif fault == "zeros":
            self.answers[feed, fault] += 1
            self._send_zeros(request)
        elif fault == "cut":
            self.answers[feed, fault] += 1
            self._send_half(request, self._good(feed, request, conditional=False))
        elif fault:
            answer = SPOILERS[fault](self._good(feed, request, conditional=False))
            headers = answer.headers | self.fault_headers.get(fault, {})
            answer = Answer(answer.status, answer.body, headers)
            self.answers[feed, fault] += 1
            self._send(request, answer)
        else:
            answer = self._good(feed, request, conditional=True)
            self.answers[feed, str(answer.status)] += 1
            self._send(request, answer)

    def _good(self, feed: str, request: BaseHTTPRequestHandler, *, conditional: bool) -> Answer:
        """What is answered where nothing goes wrong: what the replay says."""
        names = ["User-Agent", "Replay-Clock"]
        if conditional:
            names += ["If-None-Match", "If-Modified-Since"]
        headers = {name: request.headers[name] for name in names if name in request.headers}
        replay = http.client.HTTPConnection("127.0.0.1", self._replay_port, timeout=20)
        try:
            replay.request("GET", request.path, headers=headers)
            response = replay.getresponse()
            kept = ["ETag", "Last-Modified", "Expires", "Date", "Cache-Control", "Content-Type"]
            found = {name: response.headers[name] for name in kept if name in response.headers}
            return Answer(response.status, response.read(), found)
        finally:
            replay.close()

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, answer: Answer) -> None:
        request.send_response_only(answer.status)
        for name, value in answer.headers.items():
            request.send_header(name, value)
        if answer.status != 304:
            request.send_header("Content-Length", str(len(answer.body)))
        request.end_headers()
        request.wfile.write(answer.body)

    @staticmethod
    def _send_zeros(request: BaseHTTPRequestHandler) -> None:
        """Does not say beforehand how many will come."""
        request.send_response_only(200)
        request.send_header("Content-Type", "application/json")
        request.end_headers()
        request.close_connection = True
        chunk = bytes(1 << 20)
        for _ in range(ZEROS_BYTES // len(chunk)):
            request.wfile.write(chunk)

    @staticmethod
    def _send_half(request: BaseHTTPRequestHandler, answer: Answer) -> None:
        """Promises the whole body and closes after the half of it."""
        request.send_response_only(200)
        request.send_header("Content-Length", str(len(answer.body)))
        request.end_headers()
        request.wfile.write(answer.body[: len(answer.body) // 2])
        request.close_connection = True
