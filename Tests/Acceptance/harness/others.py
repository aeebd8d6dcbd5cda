"""What an attack does to others: their latencies, their refusals, the hub's memory."""

import os
from typing import Any

from .hub import Hub
from .processes import IS_RELEASE
from .settings import API_KEY, namespace
from .sizes import IS_FULL
from .tokens import connection_token
from .waiting import wait_until

USER = "bystander"
TOPIC = "others:room"
# Calls of each actor before its 99th percentile is taken.
CALLS = 400 if IS_FULL else 40
PATIENCE_SECONDS = 60.0
# How much longer the slowest hundredth of others' calls may take. Attackers and others share the
# machine's processors with the hub: in small runs, beside other tests, the latencies hold what
# those take, too. A debug build is about ten times as slow.
GROWTH_MILLISECONDS_MAX = int(
    os.environ.get("P99_GROWTH") or (100 if IS_FULL else 1000) * (1 if IS_RELEASE else 5)
)
# Beyond `limits.memory`: code, idle connections, what the allocator keeps.
MEMORY_MIB_BESIDE = 64


def namespace_of_others(**values: Any) -> dict[str, Any]:
    """One for users, who may publish in it."""
    rights = {"anonymous_subscribe": False, "subscribe": "users", "publish": "users"}
    return namespace(TOPIC.partition(":")[0], **rights, **values)


class Others:
    """Users, a newcomer and a back end, who go on during an attack.

    The hub needs the namespace above, and the key and the secret of `settings.py`. `requests` are
    targets of GET that are asked with a user's token.
    """

    def __init__(self, stage: Any, hub: Hub, *requests: str, token: str = "") -> None:
        self._hub = hub
        self._companion = stage.companion(
            "bystanders",
            port=hub.port,
            key=API_KEY,
            token=token or connection_token(USER),
            topic=TOPIC,
            requests=list(requests),
        )
        self._idle_mib = hub.process.memory_mib
        self.calm = self._report()

    def measure(self) -> dict[str, Any]:
        """Latencies and refusals from here until each actor has made enough calls."""
        self._companion.ask("report")
        return self._report()

    def begin(self) -> None:
        """What comes until `end` is during the attack."""
        self._companion.ask("report")

    def end(self, record_property: Any, *, within: int = GROWTH_MILLISECONDS_MAX) -> None:
        """Asserts that no other client was refused or delayed since `begin`."""
        found = self._report()
        record_property("p99 ms", self._summary(found))
        assert_unharmed(self.calm, found, within)

    @property
    def memory_mib(self) -> float:
        """The most that the hub held so far. In a debug build, less what it held before."""
        return self._hub.process.peak_memory_mib - (0 if IS_RELEASE else self._idle_mib)

    def assert_memory(self, limit_mib: int, record_property: Any) -> None:
        record_property("MiB", f"{self.memory_mib:.0f}")
        assert self.memory_mib <= limit_mib + MEMORY_MIB_BESIDE

    def _report(self) -> dict[str, Any]:
        wait_until(
            lambda: min(self._companion.ask("counts").values()) >= CALLS,
            within=PATIENCE_SECONDS,
            what=lambda: f"others make {CALLS} calls: {self._companion.ask('counts')}",
        )
        return self._companion.ask("report")

    def _summary(self, found: dict[str, Any]) -> str:
        pairs = [(name, self.calm[name]["p99"], found[name]["p99"]) for name in found]
        return "; ".join(f"{name} {before:.0f} to {after:.0f}" for name, before, after in pairs)


def assert_unharmed(calm: dict[str, Any], found: dict[str, Any], within: int) -> None:
    for name, each in found.items():
        assert not each["refused"], f"{name}: {each}"
        assert each["p99"] <= calm[name]["p99"] + within, f"{name}: {each}, before {calm[name]}"
