"""Receives webhooks of Varde and verifies their signatures. Standard library only.

It makes a webhook for itself with the server API, and deletes it at the end. With WEBHOOK_SECRET
it makes none: the hub's configuration then has the webhook.
"""

import argparse
import base64
import binascii
import collections
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HUB = os.environ.get("VARDE_URL", "http://127.0.0.1:8000")
BODY_BYTES_MAX = 1 << 20
AGE_SECONDS_MAX = 300
# Messages may come twice; so many ids are remembered.
REMEMBERED_MAX = 10_000


def problem_of(secret, headers, body, now):
    """Returns why a request is not genuine, or None if it is. See standardwebhooks.com."""
    identity = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(now - int(timestamp)) > AGE_SECONDS_MAX:
        return "webhook-timestamp is missing, or too far from this clock"
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        return "the receiver's own secret is invalid"
    signed = f"{identity}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    # While a secret is being replaced there are two signatures; one that is equal is enough.
    for signature in headers.get("webhook-signature", "").encode().split(b" "):
        if hmac.compare_digest(signature, expected):
            return None
    return "no signature is genuine"


class Receiver(ThreadingHTTPServer):
    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.secret = os.environ.get("WEBHOOK_SECRET", "")
        self.is_ready = threading.Event()
        self.seen = collections.OrderedDict()
        self.lock = threading.Lock()

    def is_new(self, identity):
        with self.lock:
            if identity in self.seen:
                return False
            self.seen[identity] = True
            if len(self.seen) > REMEMBERED_MAX:
                self.seen.popitem(last=False)
            return True


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(int(length))
        # The first message may arrive before the answer that has the secret.
        if not self.server.is_ready.wait(10):
            return self.answer(503)
        problem = problem_of(self.server.secret, self.headers, body, time.time())
        if problem:
            print(f"refused: {problem}", flush=True)
            return self.answer(401)
        # Answer first: the hub waits at most 20 seconds.
        self.answer(204)
        if self.server.is_new(self.headers["webhook-id"]):
            event = json.loads(body)
            print(f"{event['type']} {event.get('subject', '')} {json.dumps(event['data'])}", flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        """Logs nothing: the events are the output."""


def ask_hub(method, path, body=None):
    request = urllib.request.Request(
        HUB + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "X-API-Key": os.environ["VARDE_API_KEY"],
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def main():
    parser = argparse.ArgumentParser(description="Receives webhooks of Varde.")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--topics", default="chat:*,demo:*", help="separated by commas")
    arguments = parser.parse_args()
    receiver = Receiver(arguments.port)
    url = f"http://127.0.0.1:{arguments.port}/"
    webhook = None
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    if not receiver.secret:
        webhook = ask_hub(
            "POST", "/api/webhooks", {"url": url, "topics": arguments.topics.split(",")}
        )
        # Shown this once. A real receiver stores it.
        receiver.secret = webhook["secret"]
        for warning in webhook.get("warnings", []):
            print(f"warning: {warning}", flush=True)
    receiver.is_ready.set()
    print(f"receiving at {url}", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        pass
    finally:
        if webhook:
            ask_hub("DELETE", f"/api/webhooks/{webhook['id']}")


if __name__ == "__main__":
    main()
