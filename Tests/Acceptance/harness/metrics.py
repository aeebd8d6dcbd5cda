"""What the hub says of itself, asked for on one connection that stays open.

A hub that turns new connections away can't be asked on a new one.
"""

import http.client
import re
import ssl

ANSWER_SECONDS = 30.0
SAMPLE = re.compile(r"^(?P<name>\w+)(?:\{(?P<labels>[^}]*)\})? (?P<value>\S+)$", re.MULTILINE)


class Metrics:
    """Asks for `/metrics` again and again. It counts as one of the hub's connections."""

    def __init__(self, port: int, context: ssl.SSLContext | None = None) -> None:
        if context:
            self._connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                "127.0.0.1", port, timeout=ANSWER_SECONDS, context=context
            )
        else:
            self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        self._connection.connect()
        # http.client would connect anew; then the hub has dropped a connection that it serves.
        self._connection.auto_open = 0
        # Who is silent at first is cut sooner than who pauses between two requests.
        self.sample()

    def close(self) -> None:
        self._connection.close()

    def sample(self) -> dict[str, float]:
        """The values of this moment by name, labels included as they are printed."""
        self._connection.request("GET", "/metrics")
        response = self._connection.getresponse()
        text = response.read().decode()
        assert response.status == 200, text
        values = {}
        for found in SAMPLE.finditer(text):
            labels = f"{{{found['labels']}}}" if found["labels"] else ""
            values[found["name"] + labels] = float(found["value"])
        return values

    def connections(self, transport: str) -> int:
        """Connections now, whatever they speak over it; of HTTP, this one among them."""
        prefix = f'hub_connections{{transport="{transport}",'
        samples = self.sample().items()
        return int(sum(value for name, value in samples if name.startswith(prefix)))

    def reached(self, limit: str) -> int:
        """How often a limit was reached since the start."""
        return int(self.sample()[f'hub_limits_reached_total{{limit="{limit}"}}'])
