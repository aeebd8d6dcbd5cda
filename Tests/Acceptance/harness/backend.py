"""A back end that calls the server API directly, and sees every answer as it came."""

import http.client
import json
from typing import Any

from .settings import API_KEY

ANSWER_SECONDS = 30.0


class Backend:
    """Calls over one connection that stays open; one that broke is made again for the next call."""

    def __init__(self, port: int, *, timeout: float = ANSWER_SECONDS) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)

    def call(self, method: str, **fields: Any) -> dict[str, Any]:
        """The whole answer: `{"result": …}`, `{"error": …}`, or `{"replies": …}` of a batch."""
        try:
            self._connection.request(
                "POST", f"/api/{method}", json.dumps(fields).encode(), {"X-API-Key": API_KEY}
            )
            response = self._connection.getresponse()
            text = response.read()
        except BaseException:
            self._connection.close()
            raise
        assert response.status == 200, f"{method}: {response.status} {text[:200]!r}"
        return dict(json.loads(text))

    def publish(self, topic: str, data: Any, **fields: Any) -> dict[str, Any]:
        """The position that it was given; fails if it was refused."""
        answer = self.call("publish", channel=topic, data=data, **fields)
        assert "result" in answer, answer
        return dict(answer["result"])

    def history(self, topic: str) -> dict[str, Any]:
        """Position and publications, as many as the hub gives at once."""
        answer = self.call("history", channel=topic, limit=-1)
        assert "result" in answer, answer
        return dict(answer["result"])

    def close(self) -> None:
        self._connection.close()
