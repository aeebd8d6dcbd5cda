#!/usr/bin/env python3
"""The demo of several nodes: a private PostgreSQL server, and three hubs that share a store in it.

Ctrl-C ends everything. A process that is killed is started again after some seconds, as service
managers do. Files are in `.build/cluster` and made anew each time. HAProxy in front of the hubs is
started only if it is installed.

    PORTS=9000,9001,9002,9003 demo/cluster.py    the ports of HAProxy and of the hubs
"""

import http.client
import json
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
DIRECTORY = ROOT / ".build" / "cluster"
VARDE = (ROOT / os.environ.get("VARDE", ".build/release/varde")).resolve()
HOST = "127.0.0.1"
PORTS = [int(port) for port in os.environ.get("PORTS", "8000,8001,8002,8003").split(",")]
BALANCER_PORT = PORTS[0]
NODES = dict(zip("abc", PORTS[1:], strict=True))
TOPIC = "demo:ticks"

START_SECONDS = 30.0
RESTART_SECONDS = 5.0
END_SECONDS = 20.0
TICK_SECONDS = 1.0
LOOK_SECONDS = 0.1
# The longest path of a Unix socket (unix(7)), with the name of PostgreSQL's.
SOCKET_PATH_MAX = 107
SOCKET_NAME = ".s.PGSQL.5432"

CONFIGURATION = """\
listen: ["{host}:{port}"]
database: "{database}"
cluster:
  node: {name}
namespaces:
  - {{name: demo, anonymous_subscribe: true, history_size: 10000, history_age: 1h}}
  - {{name: chat, anonymous_subscribe: true, publish: anyone, history_size: 10000, history_age: 1h}}
"""

BALANCER = """\
defaults
    mode http
    timeout connect 2s
    timeout client 1h
    timeout server 1h
frontend hubs
    bind {host}:{port}
    default_backend nodes
backend nodes
    balance leastconn
    option httpchk GET /readyz
    option redispatch
    retries 3
    default-server check inter 500ms fall 2 rise 1
{servers}
"""


class Failure(Exception):
    """The reason why the demo cannot run."""


class Service:
    """A process in a session of its own, so that Ctrl-C reaches only this script."""

    def __init__(
        self, name: str, command: list[str], end: signal.Signals, environment: dict[str, str]
    ) -> None:
        self.name, self.end = name, end
        self.log = DIRECTORY / f"{name}.log"
        self.ended_at: float | None = None
        self._command, self._environment = command, environment
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        self.ended_at = None
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command,
                cwd=DIRECTORY,
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def look(self) -> None:
        """Starts it again some seconds after its end."""
        if self.is_running:
            return
        if self.ended_at is None:
            self.ended_at = time.monotonic()
            print(f"{self.name} has ended. It starts again in {RESTART_SECONDS:g} s.", flush=True)
        elif time.monotonic() >= self.ended_at + RESTART_SECONDS:
            self.start()
            print(f"{self.name} runs again:  kill -9 {self.process.pid}", flush=True)

    def stop(self) -> None:
        if self.is_running:
            self.process.send_signal(self.end)
            try:
                self.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Demo:
    def __init__(self) -> None:
        self.services: list[Service] = []
        self.key = secrets.token_hex(16)
        self.environment = {"VARDE_API_KEY": self.key}
        # Where PostgreSQL's files and its socket are.
        self.storage: Path | None = None
        self.is_over = threading.Event()

    # Starting

    def start(self) -> None:
        if not VARDE.is_file():
            raise Failure(f"no binary at {VARDE}: run 'make build' first")
        for port in [*NODES.values(), BALANCER_PORT]:
            if is_open(port):
                raise Failure(f"{HOST}:{port} is in use: another demo or hub runs on this machine")
        shutil.rmtree(DIRECTORY, ignore_errors=True)
        DIRECTORY.mkdir(parents=True)
        self.start_server()
        for name, port in NODES.items():
            self.start_node(name, port)
        for name, port in NODES.items():
            self.wait(f"node {name}", lambda port=port: readiness(port) == 200)
        if shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin"):
            self.start_balancer()

    def start_server(self) -> None:
        """Without passwords: only the server's account and root can open its socket."""
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        if not programs:
            raise Failure("PostgreSQL is not installed: run 'apt-get install postgresql' as root")
        self.storage, prefix = storage()
        data = self.storage / "data"
        initdb = [
            *prefix, str(programs[-1] / "initdb"), f"--pgdata={data}", "--username=varde",
            "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync",
        ]
        made = subprocess.run(initdb, cwd=self.storage, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Failure(f"initdb failed:\n{made.stdout}{made.stderr}")
        server = [
            *prefix, str(programs[-1] / "postgres"), "-D", str(data), "-c", "listen_addresses=",
            "-c", f"unix_socket_directories={self.storage}", "-c", "unix_socket_permissions=0700",
        ]
        self.add("postgresql", server, signal.SIGINT)
        self.wait("PostgreSQL", lambda: accepts(self.storage / SOCKET_NAME))

    def start_node(self, name: str, port: int) -> None:
        database = f"postgresql://varde@/postgres?host={quote(str(self.storage), safe='')}"
        configuration = DIRECTORY / f"{name}.yaml"
        configuration.write_text(
            CONFIGURATION.format(host=HOST, port=port, database=database, name=name)
        )
        command = [str(VARDE), "serve", "--config", str(configuration)]
        self.add(f"node {name}", command, signal.SIGTERM)

    def start_balancer(self) -> None:
        servers = "\n".join(f"    server {name} {HOST}:{port}" for name, port in NODES.items())
        configuration = DIRECTORY / "haproxy.cfg"
        configuration.write_text(BALANCER.format(host=HOST, port=BALANCER_PORT, servers=servers))
        program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
        self.add("haproxy", [program, "-db", "-f", str(configuration)], signal.SIGTERM)
        self.wait("HAProxy", lambda: readiness(BALANCER_PORT) == 200)

    def add(self, name: str, command: list[str], end: signal.Signals) -> None:
        self.services.append(Service(name, command, end, self.environment))

    def wait(self, what: str, condition) -> None:
        deadline = time.monotonic() + START_SECONDS
        newest = self.services[-1]
        while not condition():
            ended = [service for service in self.services if not service.is_running]
            if ended:
                raise Failure(f"{ended[0].name} ended:\n{tail(ended[0].log)}")
            if time.monotonic() > deadline:
                late = f"{what} is not ready after {START_SECONDS:g} s"
                raise Failure(f"{late}:\n{tail(newest.log)}")
            time.sleep(LOOK_SECONDS)

    # Running

    def run(self) -> None:
        print(self.text(), flush=True)
        threading.Thread(target=self.tick, daemon=True).start()
        while not self.is_over.wait(LOOK_SECONDS):
            for service in self.services:
                service.look()

    def text(self) -> str:
        has_balancer = self.services[-1].name == "haproxy"
        front = f"HAProxy passes requests to ready nodes: http://{HOST}:{BALANCER_PORT}"
        if not has_balancer:
            front = "HAProxy is not installed, so clients need the addresses of all nodes."
        first = BALANCER_PORT if has_balancer else NODES["a"]
        addresses = [f"node {name}: http://{HOST}:{port}" for name, port in NODES.items()]
        kills = [f"kill -9 {each.process.pid:<8} # {each.name}" for each in self.services]
        events = {name: f"http://{HOST}:{port}/events?topics=" for name, port in NODES.items()}
        return f"""
Three hubs share a store in PostgreSQL:

  {", ".join(addresses)}

{front}

Every second a number is published in {TOPIC}, each time through another node. Watch it:

  curl -N '{events["a"]}{TOPIC}'
  curl -N '{events["b"]}{TOPIC}'
  {VARDE} subscribe --url ws://{HOST}:{first} {TOPIC}

Publish through one node, and read it on another one:

  curl -N '{events["c"]}chat:room&since=beginning'
  curl http://{HOST}:{NODES["a"]}/api/publish -H 'X-API-Key: {self.key}' \\
      -d '{{"channel":"chat:room","data":{{"text":"hello"}}}}'

Kill one of these, or two nodes. After {RESTART_SECONDS:g} s they start again:

  {(chr(10) + "  ").join(kills)}

Every reader receives each number once and in order. With HAProxy, clients of a killed node
continue on another one. curl does not reconnect; continue with the `id` of its latest event:

  curl -N -H 'Last-Event-ID: ID' '{events["b"]}{TOPIC}'

Without PostgreSQL nothing is published, clients stay connected, and after 5 s `/readyz` returns
503. The logs are in {DIRECTORY.relative_to(ROOT)}. Ctrl-C ends everything.
"""

    def tick(self) -> None:
        """The key makes one publication of attempts on several nodes."""
        number, ports = 0, list(NODES.values())
        while not self.is_over.wait(TICK_SECONDS):
            number += 1
            turn = number
            while not self.is_over.is_set() and not self.publish(ports[turn % len(ports)], number):
                turn += 1
                self.is_over.wait(LOOK_SECONDS)

    def publish(self, port: int, number: int) -> bool:
        request = {"channel": TOPIC, "data": {"number": number}, "idempotency_key": f"{number}"}
        connection = http.client.HTTPConnection(HOST, port, timeout=5)
        try:
            headers = {"X-API-Key": self.key}
            connection.request("POST", "/api/publish", json.dumps(request), headers)
            response = connection.getresponse()
            return response.status == 200 and "result" in json.load(response)
        except (OSError, ValueError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        """The nodes at once, then what they need."""
        self.is_over.set()
        hubs = [service for service in self.services if service.name.startswith("node ")]
        stopping = [threading.Thread(target=hub.stop) for hub in hubs]
        for each in stopping:
            each.start()
        for each in stopping:
            each.join()
        for service in reversed(self.services):
            service.stop()
        if self.storage and not self.storage.is_relative_to(DIRECTORY):
            shutil.rmtree(self.storage, ignore_errors=True)


def storage() -> tuple[Path, list[str]]:
    """A directory for PostgreSQL's files and socket, and what its programs are started with.

    PostgreSQL does not run as root; then it is in a directory of the account `postgres`, outside of
    the checkout if this account cannot reach it.
    """
    directory = DIRECTORY / "postgres"
    is_short = len(f"{directory}/{SOCKET_NAME}") <= SOCKET_PATH_MAX
    if os.geteuid() != 0:
        if not is_short:
            return Path(tempfile.mkdtemp(prefix="varde-cluster-")), []
        directory.mkdir(mode=0o700)
        return directory, []
    prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    directory.mkdir(mode=0o700)
    account = pwd.getpwnam("postgres")
    os.chown(directory, account.pw_uid, account.pw_gid)
    reaches = subprocess.run([*prefix, "test", "-w", str(directory)], check=False)
    if not is_short or reaches.returncode != 0:
        directory = Path(tempfile.mkdtemp(prefix="varde-cluster-"))
        os.chown(directory, account.pw_uid, account.pw_gid)
    return directory, prefix


def is_open(port: int) -> bool:
    try:
        socket.create_connection((HOST, port), 1).close()
    except OSError:
        return False
    return True


def accepts(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def readiness(port: int) -> int | None:
    connection = http.client.HTTPConnection(HOST, port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def tail(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-10:])


def main() -> int:
    demo = Demo()

    def end(*_) -> None:
        demo.is_over.set()
        raise KeyboardInterrupt

    # Also where this script was started in the background, which ignores Ctrl-C.
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    try:
        demo.start()
        demo.run()
    except KeyboardInterrupt:
        print()
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        # A second Ctrl-C would leave processes behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        demo.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
