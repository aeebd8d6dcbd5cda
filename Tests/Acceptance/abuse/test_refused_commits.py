"""A commit that the disk refuses: what the answer says of it holds after a crash, too."""

import pytest

from harness.settings import configuration, namespace, started_hub
from harness.strace import injected

TOPIC = "kept:a"
# Without it, an error says that nothing was done.
UNKNOWN_FATE = "may be stored"


@pytest.mark.parametrize("attempt", range(3))
def test_refused_publication_is_not_in_the_store_and_its_retry_makes_no_duplicate(stage, attempt):
    hub = started_hub(stage, configuration(namespace("kept"), synchronous="full"))
    backend = stage.backend(hub.port)
    backend.publish(TOPIC, {"number": 1})
    with injected(hub.process.pid, "fdatasync:error=EIO"):
        value = {"channel": TOPIC, "data": {"number": 2}, "idempotency_key": "second"}
        answer = backend.call("publish", **value)
        hub.kill()
    hub.start()
    backend = stage.backend(hub.port)
    assert answer["error"]["code"] == 100, answer
    if UNKNOWN_FATE not in answer["error"]["message"]:
        assert numbers(backend) == [1], "refused with nothing done, and in the store"
    backend.publish(TOPIC, {"number": 2}, idempotency_key="second")
    assert numbers(backend) == [1, 2]


def numbers(backend):
    return [each["data"]["number"] for each in backend.history(TOPIC).get("publications", [])]
