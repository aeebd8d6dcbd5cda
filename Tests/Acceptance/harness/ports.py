"""Ports to listen on."""

import os
import random
import socket

# Below the ports that the kernel gives to outgoing connections: a client that tries to reach a hub
# which is down could otherwise be given the hub's own port, and connect to itself.
LOWEST, HIGHEST = 20_000, 31_999

# Each process of the tests has ports of its own: between the probe and the start of a hub, another process
# could choose the same port.
WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))

_given: set[int] = set()
_choice = random.SystemRandom()


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on, another one each time."""
    for _ in range(1000):
        port = _choice.randrange(LOWEST + WORKER, HIGHEST + 1, WORKERS)
        if port in _given:
            continue
        with socket.socket() as probe:
            # What is left of closed connections is in nobody's way.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        _given.add(port)
        return port
    raise AssertionError(f"no free port from {LOWEST} to {HIGHEST}")
