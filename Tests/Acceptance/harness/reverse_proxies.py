"""Debian's proxies in front of a hub, with the configurations that docs/PROXIES.md shows.

Only addresses, ports and certificates are replaced; each of them has to be there.
"""

import os
from typing import Any

from .certificate import Certificate
from .ports import free_port
from .processes import REPOSITORY
from .web_servers import WebServer, program

PAGE = REPOSITORY / "docs/PROXIES.md"
SAMPLES = REPOSITORY / "docs/proxies"


def sample(name: str, replaced: dict[str, str]) -> str:
    text = (SAMPLES / name).read_text()
    for old, new in replaced.items():
        assert old in text, f"{old} is not in docs/proxies/{name}"
        text = text.replace(old, new)
    return text


def nginx(stage: Any, hub_port: int, certificate: Certificate) -> WebServer:
    return _nginx(stage, "nginx.conf", {"127.0.0.1:8000": f"127.0.0.1:{hub_port}"}, certificate)


def nginx_cluster(stage: Any, ports: list[int], certificate: Certificate) -> WebServer:
    nodes = {f"10.0.0.{number}:8000": f"127.0.0.1:{port}" for number, port in enumerate(ports, 1)}
    return _nginx(stage, "nginx-cluster.conf", nodes, certificate)


def _nginx(
    stage: Any, name: str, hubs: dict[str, str], certificate: Certificate
) -> WebServer:
    binary = program("nginx", "nginx-light")
    port = free_port()
    own = stage.directory / "nginx"
    own.mkdir()
    replaced = {
        **hubs,
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/varde/chain.pem": str(certificate.path),
        "/etc/ssl/varde/key.pem": str(certificate.key),
    }
    (own / "varde.conf").write_text(sample(name, replaced))
    configuration = own / "nginx.conf"
    paths = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    configuration.write_text(
        f"daemon off; pid {own}/pid; {'user root;' if os.getuid() == 0 else ''} events {{}}\n"
        "http { access_log off;\n"
        + "".join(f"{path}_temp_path {own}/{path};\n" for path in paths)
        + f"include {own}/varde.conf; }}\n"
    )
    command = [binary, "-e", "stderr", "-p", str(own), "-c", str(configuration)]
    return WebServer(stage, "nginx", command, port=port)


def haproxy(stage: Any, hub_port: int, certificate: Certificate) -> WebServer:
    both = stage.directory / "both.pem"
    both.write_text(certificate.path.read_text() + certificate.key.read_text())
    return _haproxy(stage, "haproxy.cfg", hub_port, {"/etc/ssl/varde/both.pem": str(both)})


def haproxy_tcp(stage: Any, hub_port: int, certificate: Certificate) -> WebServer:
    return _haproxy(stage, "haproxy-tcp.cfg", hub_port, {})


def _haproxy(stage: Any, name: str, hub_port: int, replaced: dict[str, str]) -> WebServer:
    binary = program("haproxy", "haproxy")
    port = free_port()
    replaced |= {
        "127.0.0.1:8000": f"127.0.0.1:{hub_port}",
        "bind :443": f"bind 127.0.0.1:{port}",
    }
    configuration = stage.directory / "haproxy.cfg"
    configuration.write_text(sample(name, replaced))
    return WebServer(stage, "haproxy", [binary, "-db", "-f", str(configuration)], port=port)


def caddy(stage: Any, hub_port: int, certificate: Certificate) -> WebServer:
    binary = program("caddy", "caddy")
    port = free_port()
    own = stage.directory / "caddy"
    own.mkdir()
    site = f"https://localhost:{port} {{\n    tls {certificate.path} {certificate.key}"
    replaced = {"127.0.0.1:8000": f"127.0.0.1:{hub_port}", "hub.example.org {": site}
    configuration = own / "Caddyfile"
    configuration.write_text(
        f"{{\n    admin off\n    auto_https off\n    storage file_system {own}\n}}\n"
        + sample("Caddyfile", replaced)
    )
    command = [binary, "run", "--adapter", "caddyfile", "--config", str(configuration)]
    environment = {"HOME": str(own), "XDG_DATA_HOME": str(own), "XDG_CONFIG_HOME": str(own)}
    return WebServer(stage, "caddy", command, port=port, environment=environment)
