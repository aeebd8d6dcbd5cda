"""The hub as a service manager runs it: notifications, watchdog, inherited sockets."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from harness.ports import free_port
from harness.waiting import wait_until

WATCHDOG_SECONDS = 0.4
PATIENCE_SECONDS = 20
# Opens a socket as descriptor 3 and becomes the hub, as systemd does it.
ACTIVATION = """
import os, socket, sys
if sys.argv[1].isdigit():
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
else:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execvp(sys.argv[2], sys.argv[2:])
"""


class Manager:
    """The datagram socket of a service manager."""

    def __init__(self, directory):
        self.path = directory / "notify"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.settimeout(PATIENCE_SECONDS)

    def wait_for(self, key):
        """The next datagram with that key."""
        while True:
            lines = self._socket.recv(4096).decode().splitlines()
            state = dict(line.split("=", 1) for line in lines)
            if key in state:
                return state

    def waiting(self):
        """Takes the datagrams that have come; how many they were."""
        count = 0
        self._socket.setblocking(False)
        try:
            while self._socket.recv(4096):
                count += 1
        except BlockingIOError:
            self._socket.settimeout(PATIENCE_SECONDS)
        return count


@pytest.fixture
def manager(tmp_path):
    return Manager(tmp_path)


def managed_hub(stage, manager):
    microseconds = int(WATCHDOG_SECONDS * 1e6)
    return stage.hub(
        environment={"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": str(microseconds)}
    )


def test_manager_hears_of_start_reload_life_and_stop(stage, manager):
    hub = managed_hub(stage, manager)
    hub.configure("log_level: info\n")
    hub.start()
    assert f"serving 127.0.0.1:{hub.port}" in manager.wait_for("READY")["STATUS"]
    for _ in range(3):
        manager.wait_for("WATCHDOG")
    hub.configure("log_level: debug\n")
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    hub.process.signal(signal.SIGHUP)
    assert int(manager.wait_for("RELOADING")["MONOTONIC_USEC"]) >= before
    assert manager.wait_for("READY")["STATUS"].endswith("; configuration reloaded")
    hub.configure("loops: 3\n")
    hub.process.signal(signal.SIGHUP)
    manager.wait_for("RELOADING")
    assert "a restart is needed" in manager.wait_for("READY")["STATUS"]
    hub.interrupt()
    manager.wait_for("STOPPING")


def test_one_loop_that_hangs_ends_the_reports(stage, manager):
    if not shutil.which("strace"):
        pytest.skip("needs strace")
    hub = managed_hub(stage, manager)
    hub.start()
    manager.wait_for("WATCHDOG")
    # Only this thread: the timers of the other threads go on.
    delay = "inject=epoll_wait:delay_exit=3000000"
    tracer = subprocess.Popen(
        ["strace", "-qq", "-o", "/dev/null", "-e", "trace=epoll_wait", "-e", delay]
        + ["-p", str(loop_thread(hub.process.pid))]
    )
    try:
        # The loop is held when two looks in a row find nothing.
        def is_silent():
            manager.waiting()
            time.sleep(3 * WATCHDOG_SECONDS)
            return manager.waiting() == 0

        wait_until(is_silent, within=PATIENCE_SECONDS, what="no report comes")
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait(PATIENCE_SECONDS)
    manager.wait_for("WATCHDOG")


def loop_thread(process):
    for thread in Path(f"/proc/{process}/task").iterdir():
        if (thread / "comm").read_text().startswith("varde-loop-0"):
            return thread.name
    raise AssertionError("no event loop")


def test_hub_serves_on_an_inherited_socket(stage):
    hub = stage.hub()
    activation = [sys.executable, "-c", ACTIVATION]
    hub.start(wrapper=[*activation, str(hub.port)])
    for _ in range(8):
        assert hub.get("/livez").status == 200
    hub.interrupt()


def test_hub_serves_on_an_inherited_unix_socket_and_leaves_its_file(stage):
    path = stage.directory / "inherited.socket"
    hub = stage.hub()
    activation = [sys.executable, "-c", ACTIVATION, str(path)]
    hub.start("--listen", f"unix:{path}", wrapper=activation)
    for _ in range(8):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE_SECONDS)
            client.connect(str(path))
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
    hub.interrupt()
    assert path.is_socket()


def test_inherited_socket_that_no_address_names_is_refused(stage):
    hub = stage.hub()
    wrapper = [sys.executable, "-c", ACTIVATION, str(free_port())]
    process = hub.start(until_ready=False, wrapper=wrapper)
    assert process.wait(within=PATIENCE_SECONDS) == 1
    assert "no `listen` names the inherited socket 127.0.0.1:" in process.log
