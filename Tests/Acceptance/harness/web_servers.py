"""Independent web servers and a proxy, each with its own configuration, on its own port.

All of them serve what `upstream-check` asks for: the files in `contents/` of the test's directory
and, at `/echo`, the content of the request. See Tests/UpstreamServers. The tests of a server that
is not installed are skipped.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from .certificate import Certificate
from .ports import free_port
from .waiting import wait_until

# Both upstream-check and the proxy resolve it to 127.0.0.1 by themselves.
HOST = "server.test"

ACCEPTANCE = Path(__file__).resolve().parents[1]
NGINX_ECHO = Path("/usr/lib/nginx/modules/ngx_http_echo_module.so")
SQUID_PASSWORDS = Path("/usr/lib/squid/basic_ncsa_auth")
# The user that the proxy switches to when root starts it.
SQUID_USER = "proxy"

START_SECONDS = 20.0
END_SECONDS = 10.0
# Longer than a test.
NEVER_SECONDS = 3600
CONTENT_BYTES_MAX = 2 << 20


class WebServer:
    """A child process that listens on `port`."""

    def __init__(
        self,
        stage: Any,
        name: str,
        command: list[str],
        *,
        port: int,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.port = port
        log_path = stage.directory / f"{name}.log"
        with log_path.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ACCEPTANCE,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # The workers of a server that does not end are killed with it.
                start_new_session=True,
            )
        stage.ends_with(self.stop)
        wait_until(
            lambda: self._accepts() or self._process.poll() is not None,
            within=START_SECONDS,
            what=f"{name} listens",
        )
        assert self._process.poll() is None, f"{name} ended:\n{log_path.read_text()}"

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(END_SECONDS)

    def _accepts(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


def program(name: str, package: str) -> str:
    """The path of a server; skips the test if it is not installed."""
    # Debian installs servers outside the PATH of ordinary users.
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if not path:
        pytest.skip(f"{name} is not installed: apt-get install {package}")
    return path


def python(
    stage: Any,
    *,
    certificate: Certificate | None = None,
    version: str = "HTTP/1.1",
    closes_after: int = 0,
    ends_after: int = 0,
) -> WebServer:
    """Closes connections after some requests: `closes_after` with notice, `ends_after` without."""
    order = {
        "port": free_port(),
        "directory": str(stage.directory),
        "version": version,
        "certificate": str(certificate.path) if certificate else "",
        "key": str(certificate.key) if certificate else "",
        "closes_after": closes_after,
        "ends_after": ends_after,
    }
    command = [sys.executable, "-m", "harness.python_server", json.dumps(order)]
    return WebServer(stage, "python", command, port=order["port"])


def node(
    stage: Any,
    *,
    certificate: Certificate | None = None,
    closes_after: int = 0,
    idle_milliseconds: int = NEVER_SECONDS * 1000,
) -> WebServer:
    order = {
        "port": free_port(),
        "directory": str(stage.directory),
        "certificate": str(certificate.path) if certificate else "",
        "key": str(certificate.key) if certificate else "",
        "requestsPerConnection": closes_after,
        "keepAliveMilliseconds": idle_milliseconds,
    }
    command = [program("node", "nodejs"), "harness/node_server.js", json.dumps(order)]
    return WebServer(stage, "node", command, port=order["port"])


def nginx(
    stage: Any,
    *,
    certificate: Certificate | None = None,
    closes_after: int = 1_000_000,
    idle_milliseconds: int = NEVER_SECONDS * 1000,
    compresses: bool = False,
) -> WebServer:
    binary = program("nginx", "nginx-light")
    if not NGINX_ECHO.exists():
        pytest.skip(f"no {NGINX_ECHO}: apt-get install libnginx-mod-http-echo")
    port = free_port()
    own = stage.directory / "nginx"
    own.mkdir()
    tls = ""
    if certificate:
        tls = f"ssl_certificate {certificate.path}; ssl_certificate_key {certificate.key};"
    configuration = own / "nginx.conf"
    configuration.write_text(f"""
        load_module {NGINX_ECHO};
        daemon off;
        pid {own}/pid;
        {"user root;" if os.getuid() == 0 else ""}
        worker_processes 2;
        events {{ }}
        http {{
            access_log off;
            default_type text/plain;
            client_body_temp_path {own}/bodies;
            proxy_temp_path {own}/proxy;
            fastcgi_temp_path {own}/fastcgi;
            uwsgi_temp_path {own}/uwsgi;
            scgi_temp_path {own}/scgi;
            client_max_body_size {CONTENT_BYTES_MAX};
            client_body_buffer_size {CONTENT_BYTES_MAX};
            keepalive_requests {closes_after};
            keepalive_timeout {idle_milliseconds}ms;
            gzip {"on" if compresses else "off"};
            gzip_types text/plain;
            gzip_comp_level 1;
            server {{
                listen 127.0.0.1:{port}{" ssl" if certificate else ""};
                {tls}
                add_header Answer-To $arg_id always;
                location / {{ root {stage.directory}; }}
                location = /echo {{ echo_read_request_body; echo_request_body; }}
            }}
        }}
    """)
    command = [binary, "-e", "stderr", "-p", str(own), "-c", str(configuration)]
    return WebServer(stage, "nginx", command, port=port)


def haproxy(
    stage: Any,
    *,
    certificate: Certificate | None = None,
    closes_after: int = 0,
    idle_milliseconds: int = NEVER_SECONDS * 1000,
    compresses: bool = False,
) -> WebServer:
    """In front of node, or of Python if that is not installed. `closes_after` is at most 1."""
    assert closes_after in (0, 1)
    binary = program("haproxy", "haproxy")
    behind = node(stage) if shutil.which("node") else python(stage)
    port = free_port()
    tls = ""
    if certificate:
        both = stage.directory / "haproxy.pem"
        both.write_text(certificate.path.read_text() + certificate.key.read_text())
        tls = f"ssl crt {both}"
    compression = "compression algo gzip\n            compression type text/plain"
    configuration = stage.directory / "haproxy.cfg"
    configuration.write_text(f"""
        defaults
            mode http
            timeout connect 10s
            timeout client 60s
            timeout server 60s
            timeout http-keep-alive {idle_milliseconds}ms
            {"option httpclose" if closes_after else ""}
            {compression if compresses else ""}
        frontend front
            bind 127.0.0.1:{port} {tls}
            default_backend behind
        backend behind
            server only 127.0.0.1:{behind.port}
\n""")
    return WebServer(stage, "haproxy", [binary, "-db", "-f", str(configuration)], port=port)


def caddy(
    stage: Any,
    *,
    certificate: Certificate | None = None,
    idle_milliseconds: int = NEVER_SECONDS * 1000,
    compresses: bool = False,
) -> WebServer:
    binary = program("caddy", "caddy")
    port = free_port()
    own = stage.directory / "caddy"
    own.mkdir()
    configuration = own / "Caddyfile"
    configuration.write_text(f"""
        {{
            admin off
            auto_https off
            storage file_system {own}
            servers {{
                timeouts {{
                    idle {idle_milliseconds}ms
                }}
            }}
        }}
        {"https" if certificate else "http"}://{HOST}:{port} {{
            bind 127.0.0.1
            {f"tls {certificate.path} {certificate.key}" if certificate else ""}
            header Answer-To {{query.id}}
            {"encode gzip" if compresses else ""}
            root * {stage.directory}
            handle /contents/* {{
                file_server
            }}
            handle /echo {{
                header Content-Type text/plain
                respond "{{http.request.body}}"
            }}
        }}
    """)
    command = [binary, "run", "--config", str(configuration), "--adapter", "caddyfile"]
    homes = {"HOME": str(own), "XDG_CONFIG_HOME": str(own), "XDG_DATA_HOME": str(own)}
    return WebServer(stage, "caddy", command, port=port, environment=homes)


def squid(stage: Any, *, credentials: tuple[str, str] | None = None) -> WebServer:
    """A forward proxy to every port of HOST. It resolves no other name."""
    binary = program("squid", "squid")
    port = free_port()
    # The user that it switches to cannot read the test's directory.
    own = Path(tempfile.mkdtemp(prefix="varde-squid-"))
    stage.ends_with(lambda: shutil.rmtree(own))
    (own / "hosts").write_text(f"127.0.0.1 {HOST}\n")
    access = "http_access allow all"
    if credentials:
        passwords = own / "passwords"
        hashed = subprocess.run(
            ["openssl", "passwd", "-apr1", credentials[1]],
            capture_output=True,
            text=True,
            check=True,
            timeout=END_SECONDS,
        ).stdout
        passwords.write_text(f"{credentials[0]}:{hashed}")
        access = f"""
auth_param basic program {SQUID_PASSWORDS} {passwords}
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all"""
    configuration = own / "squid.conf"
    configuration.write_text(f"""
http_port 127.0.0.1:{port}
hosts_file {own}/hosts
dns_nameservers 127.0.0.1
pid_filename none
access_log none
cache_log {own}/cache.log
cache_store_log none
cache deny all
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
{access}
""")
    if os.getuid() == 0:
        shutil.chown(own, SQUID_USER)
    command = [binary, "--foreground", "-N", "-d1", "-f", str(configuration)]
    return WebServer(stage, "squid", command, port=port)
