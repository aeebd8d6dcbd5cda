"""Unix sockets, and listeners for operators only."""

import http.client
import os
import socket
import stat

from harness.ports import free_port
from harness.processes import Process

PATIENCE_SECONDS = 10.0


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("hub", timeout=PATIENCE_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(PATIENCE_SECONDS)
        self.sock.connect(self.path)


def get(connection, target, headers=None):
    connection.request("GET", target, headers=headers or {})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_unix_socket_is_served_replaced_when_stale_and_removed_at_the_end(stage):
    path = str(stage.directory / "hub.sock")
    hub = stage.hub()
    hub.configure('loops: 2\nsocket_mode: "0600"\nhttp: {trusted_proxies: [unix]}\n')
    hub.start("--listen", f"unix:{path}")
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    for _ in range(8):
        assert get(UnixConnection(path), "/livez")[0] == 200
    headers = {"X-Forwarded-For": "198.51.100.7", "Origin": "https://evil.example"}
    assert get(UnixConnection(path), "/events?topics=none:a", headers)[0] == 403
    hub.wait_for_log("remote=198.51.100.7")

    second = Process(
        "second",
        ["serve", "--listen", f"unix:{path}", "--database", str(stage.directory / "b.sqlite")],
        stage.directory,
    )
    assert second.wait(within=PATIENCE_SECONDS) == 1
    assert "a process listens there" in second.log
    assert get(UnixConnection(path), "/livez")[0] == 200, "the socket of the first is left"

    hub.kill()
    assert os.path.exists(path)
    hub.start("--listen", f"unix:{path}")
    assert get(UnixConnection(path), "/livez")[0] == 200
    hub.interrupt()
    assert not os.path.exists(path)


def test_only_admin_listeners_serve_metrics_health_and_debug_routes(stage):
    port = free_port()
    hub = stage.hub()
    hub.configure(f'admin: {{listen: ["127.0.0.1:{port}"]}}\n')
    hub.start()
    closed = ["/metrics", "/api/health", "/debug/why", "/%6detrics", "/metrics/", "/debug"]
    for target in closed:
        response = hub.get(target)
        assert response.status == 404, target
    assert b"admin.listen" in hub.get("/metrics").body
    assert hub.get("/livez").status == 200
    assert hub.get("/readyz").json() == {"status": "ready"}

    def admin(target):
        return get(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS), target)

    assert admin("/metrics")[0] == 200
    assert admin("/api/health")[0] == 200
    assert admin("/debug/why")[0] == 401
    assert admin("/livez")[0] == 200
    hub.wait_for_log(f"http://127.0.0.1:{port}")


def test_without_admin_listeners_everything_is_on_the_public_one(stage):
    hub = stage.hub()
    hub.start()
    assert hub.get("/metrics").status == 200
    assert hub.get("/api/health").status == 200
