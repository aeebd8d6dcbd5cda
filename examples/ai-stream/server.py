"""Streams the answer of a model to browsers through Varde. Standard library only.

Each piece of the answer is a publication in a topic of its own. The answer goes on while the page
is away, and a page that was reloaded gets what it missed from the topic's history.
"""

import argparse
import http.client
import json
import os
import re
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

HUB = os.environ.get("VARDE_URL", "http://127.0.0.1:8000")
API_KEY = os.environ["VARDE_API_KEY"]
PAGE = Path(__file__).resolve().parent / "index.html"
QUESTION_BYTES_MAX = 4096
ATTEMPTS_MAX = 5


def model(question, pause):
    """Stands in for a model that answers in pieces. Replace it with the stream of your provider."""
    words = f"You asked: {question} The answer is long, so it arrives in pieces."
    words += "".join(f" Sentence {number} has its place." for number in range(1, 31))
    for word in re.findall(r"\S+\s*", words):
        time.sleep(pause)
        yield word


class Publisher:
    """Publishes in one topic over one connection."""

    def __init__(self, channel):
        self.channel = channel
        self.count = 0
        self.connection = http.client.HTTPConnection(urlsplit(HUB).netloc, timeout=10)

    def publish(self, data):
        """Publishes once, also if an attempt fails after the hub has stored it."""
        body = json.dumps(
            {"channel": self.channel, "data": data, "idempotency_key": f"piece-{self.count}"}
        )
        self.count += 1
        for attempt in range(ATTEMPTS_MAX):
            try:
                self.connection.request("POST", "/api/publish", body, {"X-API-Key": API_KEY})
                answer = json.load(self.connection.getresponse())
            except (OSError, http.client.HTTPException):
                self.connection.close()
                if attempt == ATTEMPTS_MAX - 1:
                    raise
                time.sleep(2**attempt / 10)
                continue
            if "error" in answer:
                raise RuntimeError(f"{answer['error']['code']} {answer['error']['message']}")
            return


def answer_question(identity, question, pause):
    publisher = Publisher(f"demo:answer-{identity}")
    for piece in model(question, pause):
        publisher.publish({"text": piece})
    publisher.publish({"done": True})


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/config":
            self.answer("application/json", json.dumps({"hub": HUB}).encode())
        elif self.path == "/":
            self.answer("text/html; charset=utf-8", PAGE.read_bytes())
        else:
            self.send_error(404)

    def do_POST(self):
        """Begins an answer, and returns its id at once."""
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/questions" or not 0 < length <= QUESTION_BYTES_MAX:
            return self.send_error(404)
        question = self.rfile.read(length).decode(errors="replace")
        # In the topic's name: only those who know it find the answer.
        identity = secrets.token_hex(16)
        threading.Thread(
            target=answer_question, args=(identity, question, self.server.pause), daemon=True
        ).start()
        self.answer("application/json", json.dumps({"id": identity}).encode())

    def answer(self, content_type, body):
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description="Streams answers through Varde.")
    parser.add_argument("--port", type=int, default=3001)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two pieces")
    arguments = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    server.pause = arguments.pause
    print(f"http://localhost:{arguments.port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
