"""Python's `http.server` for `web_servers.py`: `python -m harness.python_server ORDER`.

The order is a JSON object.
"""

import json
import ssl
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Server(ThreadingHTTPServer):
    daemon_threads = True
    # The client opens many connections at once.
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that closes its connection is not an error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def handler(order: dict[str, Any]) -> type[SimpleHTTPRequestHandler]:
    class Handler(SimpleHTTPRequestHandler):
        protocol_version = order["version"]
        # Without it, a head and its content are two packets, and the second waits for the
        # client's acknowledgement of the first.
        wbufsize = -1
        disable_nagle_algorithm = True
        request_count = 0

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=order["directory"])

        def handle_one_request(self) -> None:
            super().handle_one_request()
            self.request_count += 1
            # Without a `Connection: close` in the answer.
            if order["ends_after"] and self.request_count >= order["ends_after"]:
                self.close_connection = True

        def end_headers(self) -> None:
            query = parse_qs(urlsplit(self.path).query)
            self.send_header("Answer-To", query["id"][0])
            is_last = order["closes_after"] and self.request_count + 1 >= order["closes_after"]
            if is_last:
                # The base class then closes the connection, too.
                self.send_header("Connection", "close")
            super().end_headers()

        def handle_expect_100(self) -> bool:
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.wfile.flush()
            return True

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    return Handler


def main() -> None:
    order = json.loads(sys.argv[1])
    server = Server(("127.0.0.1", order["port"]), handler(order))
    if order["certificate"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(order["certificate"], order["key"])
        # The handshake is for the connection's own thread.
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    server.serve_forever()


if __name__ == "__main__":
    main()
