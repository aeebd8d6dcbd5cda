"""The hub as an operator sees it: a process on a port with a database, started again and again."""

import http.client
import json
import re
import signal
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from .ports import free_port
from .processes import BINARY, Process
from .waiting import wait_until

START_SECONDS = 90.0
REQUEST_SECONDS = 10.0
LOG_SECONDS = 10.0
FEEDS_SECONDS = 60.0
LISTENING = re.compile(r'listening(?: address=|","address":")https?://')


@dataclass(frozen=True)
class Response:
    status: int
    headers: dict[str, str]  # Names in lower case.
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


class Hub:
    """A hub with a port and a database, which stay the same however often it is started."""

    def __init__(
        self, directory: Path, *, name: str = "hub", environment: dict[str, str] | None = None
    ) -> None:
        self.directory = directory
        self.name = name
        self.environment = environment
        self.port = free_port()
        self.database = directory / f"{name}.sqlite"
        self.configuration = directory / f"{name}.yaml"
        self.runs: list[Process] = []
        self.binary = BINARY

    # Starting and ending

    def configure(self, text: str) -> None:
        self.configuration.write_text(text)

    def start(
        self,
        *flags: str,
        until_ready: bool = True,
        descriptors: int | None = None,
        wrapper: list[str] | None = None,
        error: int | None = None,
    ) -> Process:
        """Starts it with its configuration file, if there is one, on its port and database."""
        arguments = ["serve"]
        if self.configuration.exists():
            arguments += ["--config", str(self.configuration)]
        arguments += ["--listen", f"127.0.0.1:{self.port}", "--database", str(self.database)]
        run = Process(
            f"{self.name}-{len(self.runs) + 1}",
            [*arguments, *flags],
            self.directory,
            descriptors=descriptors,
            environment=self.environment,
            wrapper=wrapper,
            error=error,
            binary=self.binary,
        )
        self.runs.append(run)
        if until_ready:
            self.wait_until_ready()
        return run

    def wait_until_ready(self) -> None:
        """It listens when everything else is done; over TLS there is no simpler way to see that."""
        wait_until(
            lambda: LISTENING.search(self.process.log) or not self.process.is_running,
            within=START_SECONDS,
            what=f"{self.name} is ready",
        )
        assert self.process.is_running, f"{self.name} ended while it started:\n{self.process.log}"

    @property
    def process(self) -> Process:
        """The run that was started last."""
        return self.runs[-1]

    def kill(self) -> None:
        self.process.kill()

    def interrupt(self, *, within: float = 10.0) -> None:
        """Ctrl-C; it has to end properly."""
        self.process.signal(signal.SIGINT)
        status = self.process.wait(within=within)
        assert status == 0, f"{self.process.name} ended with status {status}"

    @property
    def log(self) -> str:
        """Of all runs."""
        return "".join(run.log for run in self.runs)

    def wait_for_log(self, text: str) -> None:
        """An answer does not wait for what the log says about its request."""
        wait_until(
            lambda: text in self.log,
            within=LOG_SECONDS,
            what=lambda: f"the log of {self.name} has {text!r}:\n{self.log}",
        )

    # Asking

    def get(self, target: str, headers: dict[str, str] | None = None) -> Response:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=REQUEST_SECONDS)
        try:
            connection.request("GET", target, headers=headers or {})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, names, response.read())
        finally:
            connection.close()

    def feeds(self) -> dict[str, dict[str, Any]]:
        """What `/api/health` says of each feed, by name."""
        return {feed["name"]: feed for feed in self.get("/api/health").json()["feeds"]}

    def wait_for_feeds(self) -> dict[str, dict[str, Any]]:
        """Waits until all have been polled with success; it lists them before it listens."""

        def healthy() -> dict[str, dict[str, Any]] | None:
            feeds = self.feeds()
            assert feeds, f"{self.name} lists no feed"
            is_healthy = all(feed["status"] == "healthy" for feed in feeds.values())
            return feeds if is_healthy else None

        return wait_until(
            healthy, within=FEEDS_SECONDS, what=lambda: f"all feeds are healthy: {self.feeds()}"
        )

    def wait_for_conditions(self) -> None:
        """The last feed makes the conditions known a moment after it has answered."""
        self.wait_for_feeds()
        wait_until(
            lambda: self.get("/api/aurora/now").status == 200,
            within=FEEDS_SECONDS,
            what=lambda: f"the conditions are known: {self.get('/api/aurora/now')}",
        )

    def clock(self) -> datetime:
        """What time it is for the data."""
        return datetime.fromisoformat(self.get("/api/health").json()["time"])
