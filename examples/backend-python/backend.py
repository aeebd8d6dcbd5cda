"""A back end for Varde that publishes messages and issues connection tokens.

It needs only the standard library. It also serves the pages of ../browser-chat.
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
import re
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

HUB = os.environ.get("VARDE_URL", "http://127.0.0.1:8000")
API_KEY = os.environ["VARDE_API_KEY"]
TOKEN_SECRET = os.environ["VARDE_TOKEN_SECRET"]

PAGES = Path(__file__).resolve().parent.parent / "browser-chat"
CENTRIFUGE_JS = "https://unpkg.com/centrifuge@5/dist/centrifuge.js"
TOKEN_SECONDS = 600
BODY_BYTES_MAX = 16 * 1024


def publish(channel, data):
    """Publishes JSON in a topic, and returns its position."""
    request = urllib.request.Request(
        f"{HUB}/api/publish",
        data=json.dumps({"channel": channel, "data": data}).encode(),
        headers={"X-API-Key": API_KEY, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=5) as response:
        answer = json.load(response)
    # A request that the hub understood has status 200, even if the hub refused it.
    if "error" in answer:
        raise RuntimeError(f"publish: {answer['error']['code']} {answer['error']['message']}")
    return answer["result"]


def connection_token(user):
    """A JSON Web Token (HS256), with which a client connects as this user."""
    claims = {"sub": user, "exp": int(time.time()) + TOKEN_SECONDS}
    signed = f"{base64url_json({'alg': 'HS256', 'typ': 'JWT'})}.{base64url_json(claims)}"
    signature = hmac.digest(TOKEN_SECRET.encode(), signed.encode(), hashlib.sha256)
    return f"{signed}.{base64url(signature)}"


def base64url_json(value):
    return base64url(json.dumps(value, separators=(",", ":")).encode())


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/config":
            self.answer_json({"hub": HUB})
        elif url.path == "/token":
            # A real back end takes the user from its session, never from the request.
            user = parse_qs(url.query).get("user", [""])[0]
            self.answer(200, "text/plain", connection_token(user).encode())
        elif url.path == "/centrifuge.js" and not (PAGES / "centrifuge.js").exists():
            self.answer(302, "text/plain", b"", {"Location": CENTRIFUGE_JS})
        else:
            self.answer_file(url.path)

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/messages" or length > BODY_BYTES_MAX:
            self.close_connection = True
            return self.answer_json({"error": "not found, or too long"}, 404)
        try:
            message = json.loads(self.rfile.read(length))
            room, user, text = (str(message[key]) for key in ("room", "user", "text"))
        except (ValueError, KeyError, TypeError):
            return self.answer_json({"error": "expected room, user and text"}, 400)
        if not re.fullmatch(r"[a-z0-9-]{1,32}", room) or not text.strip():
            return self.answer_json({"error": "expected a room of a-z 0-9 - and a text"}, 400)
        try:
            self.answer_json(publish(f"chat:{room}", {"user": user, "text": text}))
        except (OSError, RuntimeError) as error:
            self.log_error("%s", error)
            self.answer_json({"error": "the message was not published"}, 502)

    def answer_file(self, path):
        types = {".html": "text/html; charset=utf-8", ".js": "text/javascript"}
        file = PAGES / ("index.html" if path == "/" else path[1:])
        if file.parent != PAGES or file.suffix not in types or not file.is_file():
            return self.answer_json({"error": "not found"}, 404)
        self.answer(200, types[file.suffix], file.read_bytes())

    def answer_json(self, value, status=200):
        self.answer(status, "application/json", json.dumps(value).encode())

    def answer(self, status, content_type, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description="A back end for Varde.")
    parser.add_argument("--port", type=int, default=3000)
    port = parser.parse_args().port
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(f"http://localhost:{port}/", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
