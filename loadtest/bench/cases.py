"""What is measured, of whom, and how good the hub has to be."""

from servers import Floor, Nats, Nginx, NodeWS, PythonWebsockets, Varde

# Bytes of a publication's data. What the frame around it has is measured, and the others' frames are made
# as long.
PAYLOAD = 128
BURSTS = (1, 16, 64)
ECHO_BURSTS = (1, 16)
SUBSCRIBERS = 1000
ECHO_CONNECTIONS = 64
# Messages a second to all subscribers, few enough for every server here on one core.
LATENCY_RATE = 40

FLOOR = Floor("C, one send a message", "fanout")
COALESCING = Floor("C, one send a turn", "fanout-coalesced")
VARDE = Varde("Varde")
VARDE_TLS = Varde("Varde, TLS", tls=True)
VARDE_RAW = Varde("Varde, raw WebSocket", raw=True)
VARDE_LOOPS = [Varde(f"Varde, loops: {loops}", loops=loops) for loops in (1, 2)]
VARDE_SYNCHRONOUS = [
    Varde(f"Varde, synchronous: {level}", synchronous=level) for level in ("normal", "full")
]
PEERS = [Nginx(), Nats(), NodeWS(), PythonWebsockets()]

FANOUT = [FLOOR, COALESCING, VARDE, VARDE_TLS, *PEERS]
ECHO = [FLOOR, VARDE, VARDE_TLS, NodeWS(), PythonWebsockets()]
LATENCY = [FLOOR, VARDE, VARDE_TLS, *PEERS]
CONNECT = [VARDE, VARDE_TLS]
IDLE = [FLOOR, VARDE, VARDE_TLS, VARDE_RAW, *PEERS]


def floor_of(burst):
    """The least that a burst can cost: several messages in one send, where there are several."""
    return FLOOR if burst == 1 else COALESCING


# Publishing by the server API: connections, and publications of a request.
PUBLISH = {"singly": (64, 1), "in batches": (8, 100)}
PUBLISH_TOPICS = 50

# Ratios, and KiB of an idle connection; at most, and for the loops at least.
FANOUT_GOALS = {1: 1.10, 16: 1.25, 64: 1.25}
TLS_BURST = 64
TLS_GOAL = 1.5
ECHO_GOAL = 1.10
IDLE_GOALS = [(VARDE, 1.5), (VARDE_TLS, 18), (VARDE_RAW, 0.6)]
LOOPS_GOAL = 1.7
# Acknowledged publications a second, at least; with `synchronous: normal`.
PUBLISH_GOALS = {"singly": 3_000, "in batches": 20_000}
