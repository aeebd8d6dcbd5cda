"""Everything one test needs, made on demand and ended with it."""

import socket
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .audience import Audience
from .backend import Backend
from .companion import Companion
from .configuration import demo_configuration
from .crowd import Crowd
from .event_stream import EventStream
from .hub import Hub
from .idle import sleepless_loops
from .metrics import Metrics
from .nights import Night
from .ports import free_port
from .processes import Process
from .provider import Provider, Script
from .proxy import CuttingProxy
from .receiver import Receiver
from .sdk import SDKClient
from .server_api import ServerAPI
from .still import StillUpstream
from .upstream import Upstream
from .waiting import wait_until

CONDITIONS = "aurora:tromso"
ALERTS = "aurora:tromso:alerts"
TOPICS = [CONDITIONS, ALERTS]

LOG_LINES_SHOWN = 40
LOG_COLUMNS_SHOWN = 240


class Stage:
    """A directory of its own, and what runs in it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._endings: list[Callable[[], Any]] = []

    def close(self) -> None:
        """Ends everything, the last first. What fails in it is told when all have ended."""
        errors: list[Exception] = []
        while self._endings:
            try:
                self._endings.pop()()
            except Exception as error:
                errors.append(error)
        if errors:
            raise ExceptionGroup("not everything ended properly", errors)

    def logs(self) -> list[tuple[str, str]]:
        """What every process has said last, by its file's name."""
        logs = []
        for path in sorted([*self.directory.glob("*.log"), *self.directory.glob("*.out")]):
            lines = path.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:]
            if lines:
                logs.append((path.name, "\n".join(line[:LOG_COLUMNS_SHOWN] for line in lines)))
        return logs

    def ends_with(self, ending: Callable[[], Any]) -> None:
        """For what a test has made itself."""
        self._endings.append(ending)

    # Processes

    def run(
        self, name: str, *arguments: str, environment: dict[str, str] | None = None
    ) -> Process:
        process = Process(name, list(arguments), self.directory, environment=environment)
        self._endings.append(process.stop)
        return process

    def replay(self, *flags: str, night: Night | None = None) -> int:
        """Serves the demo's recording, or that of `night`; returns its port."""
        port = free_port()
        recording = str(night.write(self.directory / "night")) if night else "demo"
        process = self.run("replay", "replay", recording, "--listen", f"127.0.0.1:{port}", *flags)
        wait_until(
            lambda: _accepts(port) or not process.is_running, within=30, what="the replay listens"
        )
        assert process.is_running, f"the replay ended:\n{process.log}"
        return port

    def hub(self, *, name: str = "hub", environment: dict[str, str] | None = None) -> Hub:
        """A hub that is not started yet."""
        hub = Hub(self.directory, name=name, environment=environment)
        self._endings.append(lambda: _end(hub))
        return hub

    def aurora_hub(
        self,
        upstream: str,
        *,
        start: str,
        speed: float,
        receiver: Receiver | None = None,
        aurora: str = "",
        news: str = "",
        log_level: str = "info",
        name: str = "hub",
    ) -> Hub:
        """A hub with the demo's configuration, not started yet.

        `news` is where the demo's feeds are; without it the hub has no news.
        """
        hub = self.hub(name=name)
        # Without a receiver there is nobody at the port, which is as good.
        webhook = receiver.url if receiver else f"http://127.0.0.1:{free_port()}/"
        values = {
            "listen": f'["127.0.0.1:{hub.port}"]',
            "database": str(hub.database),
            "log_level": log_level,
            "start": start,
            "speed": f"{speed:g}",
            # Of the clock; after every start.
            "end": "2100-01-01T00:00:00Z",
            "swpc_url": upstream,
            "metno_url": upstream,
            "url": webhook,
        }
        hub.configure(demo_configuration(values, aurora, news))
        return hub

    def subscribe(self, name: str, url: str, *topics: str) -> Process:
        """`varde subscribe`, the project's own client."""
        return self.run(name, "subscribe", "--url", url, *topics)

    # Clients, upstreams, receivers

    def event_stream(
        self, port: int, topics: list[str], last_event_id: str = "", token: str = ""
    ) -> EventStream:
        stream = EventStream(port, topics, last_event_id, token)
        self._endings.append(stream.close)
        return stream

    def sdk(self, port: int, topics: list[str], **options: Any) -> SDKClient:
        client = SDKClient(port, topics, **options)
        self._endings.append(client.close)
        return client

    def backend(self, port: int, **options: Any) -> Backend:
        backend = Backend(port, **options)
        self._endings.append(backend.close)
        return backend

    def server_api(self, port: int, **options: Any) -> ServerAPI:
        api = ServerAPI(port, **options)
        self._endings.append(api.close)
        return api

    def audience(
        self, port: int, topic: str, readers: int, context: ssl.SSLContext | None = None
    ) -> Audience:
        audience = Audience(port, topic, readers, context)
        self._endings.append(audience.close)
        return audience

    def crowd(self, port: int, **options: Any) -> Crowd:
        crowd = Crowd(port, **options)
        self._endings.append(crowd.leave)
        return crowd

    def companion(self, module: str, **order: Any) -> Companion:
        companion = Companion(module, order)
        self._endings.append(companion.close)
        return companion

    def metrics(self, port: int, context: ssl.SSLContext | None = None) -> Metrics:
        metrics = Metrics(port, context)
        self._endings.append(metrics.close)
        return metrics

    def receiver(self, answers: list[int] | None = None) -> Receiver:
        receiver = Receiver(answers)
        self._endings.append(receiver.close)
        return receiver

    def upstream(self, replay_port: int) -> Upstream:
        upstream = Upstream(replay_port)
        self._endings.append(upstream.close)
        return upstream

    def still_upstream(self, bodies: dict[str, bytes]) -> StillUpstream:
        upstream = StillUpstream(bodies)
        self._endings.append(upstream.close)
        return upstream

    def provider(self, stance: Script, interpretation: Script) -> Provider:
        provider = Provider(stance, interpretation)
        self._endings.append(provider.close)
        return provider

    def proxy(self, target: int, port: int = 0) -> CuttingProxy:
        proxy = CuttingProxy(target, port)
        self._endings.append(proxy.close)
        return proxy


def _end(hub: Hub) -> None:
    """Ends the runs of a hub. One that still runs has lost its clients before, so its loops must sleep."""
    sleepless = {
        run.name: loops
        for run in hub.runs
        if run.is_running and (loops := sleepless_loops(run.pid))
    }
    for run in hub.runs:
        run.stop()
    assert not sleepless, f"loops that do not sleep: {sleepless}"


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
