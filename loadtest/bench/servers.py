"""The servers of the comparison: how each is started, and how the load speaks to it."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
START_TIMEOUT = 20.0
STOP_TIMEOUT = 10.0

RAW_FANOUT = ["--protocol", "raw", "--publisher-path", "/publish"]
NATS = [
    "--protocol", "raw", "--binary", "--channel", "bench",
    "--subscribe", r'CONNECT {"verbose":false,"protocol":1}\r\nSUB {channel} 1\r\nPING\r\n',
    "--greeting", r'CONNECT {"verbose":false,"protocol":1}\r\nPING\r\n',
    "--ready-text", "PONG",
    "--publish", r"PUB {channel} {length}\r\n{payload}\r\n",
    "--answer", r"PING=PONG\r\n",
]  # fmt: skip


@dataclass
class Launch:
    """One server, about to be started."""

    command: list
    directory: Path
    url: str
    # What varde-load has to be told.
    options: list = field(default_factory=list)
    # Processes, all of which have to be there before their use of the processor is read.
    processes: int = 1


class Bench:
    """Where things are."""

    def __init__(self):
        self.varde = Path(os.environ["VARDE"]).resolve()
        self.load = Path(os.environ["VARDE_LOAD"]).resolve()
        self.work = Path(os.environ["BENCH_WORK"]).resolve()
        self.floor = self.work / "floor"
        self.python = self.work / "venv/bin/python"
        # The hub and the load both take it from here: whoever sees the command lines does not see it.
        os.environ.setdefault("VARDE_API_KEY", secrets.token_urlsafe(24))

    def directory(self, name):
        """An empty directory for one start of one server."""
        path = self.work / "run" / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Varde:
    def __init__(self, name="Varde", tls=False, loops=1, raw=False, synchronous=None):
        self.name, self.tls, self.loops, self.raw = name, tls, loops, raw
        # None keeps publications in memory alone.
        self.synchronous = synchronous

    def missing(self, bench):
        return None

    def version(self, bench):
        return "this checkout"

    def launch(self, bench, mode):
        directory = bench.directory("varde")
        port = free_port()
        lines = [
            f'listen: ["127.0.0.1:{port}"]',
            f"loops: {self.loops}",
            "log_level: warning",
            # All of the load comes from one address.
            "rates: {address: {connects: 0, commands: 0, publishes: 0}}",
            "namespaces:",
            "  - name: bench",
            f"    durable: {'true' if self.synchronous else 'false'}",
            "    history_size: 1000",
            "    anonymous_subscribe: true",
            "    publish: anyone",
        ]
        if self.synchronous:
            lines.insert(0, f"synchronous: {self.synchronous}")
        if self.tls:
            certify(directory)
            lines += ["tls:", "  certificate: certificate.pem", "  key: key.pem"]
        (directory / "varde.yaml").write_text("\n".join(lines) + "\n")
        command = [bench.varde, "serve", "--config", "varde.yaml", "--echo"]
        scheme = "http" if mode == "publish" else "ws"
        scheme += "s" if self.tls else ""
        path = "/echo" if mode == "echo" or self.raw else ""
        options = ["--insecure"] if self.tls else []
        if self.raw:
            options += ["--protocol", "raw"]
        return Launch(command, directory, f"{scheme}://127.0.0.1:{port}{path}", options)


def certify(directory):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        cwd=directory, check=True, capture_output=True,
    )  # fmt: skip


class Floor:
    def __init__(self, name, fanout_mode):
        self.name, self.fanout_mode = name, fanout_mode

    def missing(self, bench):
        return None if bench.floor.exists() else "it does not compile"

    def version(self, bench):
        return first_line(["gcc", "--version"])

    def launch(self, bench, mode):
        port = free_port()
        command = [bench.floor, str(port), "echo" if mode == "echo" else self.fanout_mode]
        return Launch(command, bench.directory("floor"), f"ws://127.0.0.1:{port}/")


class Nginx:
    name = "nginx + nchan"
    module = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")

    def missing(self, bench):
        if not shutil.which("nginx", path=SYSTEM_PATH):
            return "no nginx"
        return None if self.module.exists() else "no nchan"

    def version(self, bench):
        return f"nginx {debian('nginx')}, nchan {debian('libnginx-mod-nchan')}"

    def launch(self, bench, mode):
        directory = bench.directory("nginx")
        # Its workers give up root, and still have to write here.
        directory.chmod(0o777)
        port = free_port()
        (directory / "nginx.conf").write_text(
            (HERE / "peers/nginx.conf").read_text().replace("@PORT@", str(port))
        )
        command = ["nginx", "-p", str(directory) + "/", "-c", "nginx.conf", "-e", "nginx.log"]
        url = f"ws://127.0.0.1:{port}/"
        # The master listens before its worker is there.
        return Launch(command, directory, url, RAW_FANOUT, processes=2)


class Nats:
    name = "nats-server"

    def missing(self, bench):
        return None if shutil.which("nats-server", path=SYSTEM_PATH) else "not installed"

    def version(self, bench):
        return debian("nats-server")

    def launch(self, bench, mode):
        directory = bench.directory("nats")
        port = free_port()
        text = (HERE / "peers/nats.conf").read_text()
        text = text.replace("@PORT@", str(port)).replace("@OTHER_PORT@", str(free_port()))
        (directory / "nats.conf").write_text(text)
        command = ["nats-server", "-c", "nats.conf"]
        return Launch(command, directory, f"ws://127.0.0.1:{port}/", NATS)


class NodeWS:
    name = "node ws"

    def missing(self, bench):
        if not shutil.which("node", path=SYSTEM_PATH):
            return "no node"
        return None if Path("/usr/share/nodejs/ws").exists() else "no node-ws"

    def version(self, bench):
        return f"ws {debian('node-ws')}, node {first_line(['node', '--version'])}"

    def launch(self, bench, mode):
        port = free_port()
        command = ["node", HERE.resolve() / "peers/ws_server.js", str(port), mode]
        options = [] if mode == "echo" else RAW_FANOUT
        return Launch(command, bench.directory("ws"), f"ws://127.0.0.1:{port}/", options)


class PythonWebsockets:
    name = "Python websockets"

    def missing(self, bench):
        try:
            command = [bench.python, "-c", "import websockets"]
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return "not installed"
        return None

    def version(self, bench):
        text = "import sys, websockets; print(websockets.__version__, 'on', sys.version.split()[0])"
        return first_line([bench.python, "-c", text])

    def launch(self, bench, mode):
        port = free_port()
        script = HERE.resolve() / "peers/websockets_server.py"
        options = [] if mode == "echo" else RAW_FANOUT
        directory = bench.directory("websockets")
        command = [bench.python, script, str(port), mode]
        return Launch(command, directory, f"ws://127.0.0.1:{port}/", options)


SYSTEM_PATH = os.environ["PATH"] + ":/usr/sbin"


def first_line(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).split("\n")[0].strip()


def debian(package):
    command = ["dpkg-query", "--show", "--showformat", "${Version}", package]
    return first_line(command) or "unknown"


class Running:
    """A server while it runs, pinned to `cores`; ended with the block."""

    def __init__(self, launch, cores):
        self.launch, self.cores = launch, cores

    def __enter__(self):
        log = open(self.launch.directory / "output.log", "wb")
        command = ["taskset", "-c", self.cores, *map(str, self.launch.command)]
        self.process = subprocess.Popen(
            command,
            cwd=self.launch.directory,
            stdout=log,
            stderr=log,
            env={**os.environ, "PATH": SYSTEM_PATH},
        )
        log.close()
        try:
            self.wait_until_listening()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_until_listening(self):
        address = self.launch.url.split("/")[2].rsplit(":", 1)
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection((address[0], int(address[1])), timeout=1).close()
                if len(self.pids) >= self.launch.processes:
                    return
            except OSError:
                pass
            time.sleep(0.02)
        log = (self.launch.directory / "output.log").read_text(errors="replace")
        raise RuntimeError(f"{self.launch.command[0]} does not start: {log[-500:]}")

    @property
    def pids(self):
        """The server's processes: the one started and all below it."""
        found = [self.process.pid]
        for pid in found:
            try:
                text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
            except OSError:
                continue
            found += map(int, text.split())
        return found

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
