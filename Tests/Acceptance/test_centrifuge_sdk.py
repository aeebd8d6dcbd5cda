"""The Centrifuge SDK for Python, unmodified, through everything a mobile network does to it."""

import signal
from functools import partial

import pytest
from centrifuge import CentrifugeError

from harness.stage import CONDITIONS, TOPICS
from harness.store import event_log
from harness.waiting import wait_until

PATIENCE_SECONDS = 30.0
# The hours before the storm: Kp, wind and sky move, and something is told every second or so.
START = "2024-12-09T18:20:00Z"
SPEED = 720

UNKNOWN_CHANNEL = 102
PERMISSION_DENIED = 103
METHOD_NOT_FOUND = 104
NOT_AVAILABLE = 108
SHUTDOWN = 3001


@pytest.fixture
def hub(stage):
    replay = stage.replay()
    hub = stage.aurora_hub(f"http://127.0.0.1:{replay}", start=START, speed=SPEED)
    hub.start()
    return hub


def test_sdk_recovers_without_gap_or_repetition_when_connections_are_cut(stage, hub):
    proxy = stage.proxy(hub.port)
    sdk = stage.sdk(proxy.port, TOPICS)
    wait_for_more(sdk, 1)

    def is_back(count):
        return proxy.cut_count >= count and len(sdk.connected) > count

    cuts = [proxy.cut, proxy.cut_in_next_message, proxy.cut, proxy.cut_in_next_message]
    for count, cut in enumerate(cuts, 1):
        cut()
        wait_until(partial(is_back, count), within=PATIENCE_SECONDS, what=f"back after cut {count}")
        wait_for_more(sdk, 2)
    assert_nothing_missing(hub, sdk)
    contexts = sdk.subscribed[CONDITIONS]
    assert len(contexts) >= 5
    assert not contexts[0].was_recovering
    assert all(context.was_recovering and context.recovered for context in contexts[1:])
    assert {context.stream_position.epoch for context in contexts} == {
        contexts[0].stream_position.epoch
    }
    assert not sdk.disconnected


def test_sdk_recovers_what_was_published_while_it_was_away(stage, hub):
    proxy = stage.proxy(hub.port)
    sdk = stage.sdk(proxy.port, TOPICS)
    wait_for_more(sdk, 1)
    proxy.close()
    last = sdk.offsets(CONDITIONS)[-1]
    wait_until(
        lambda: len([e for e in event_log(hub.database) if e.topic == CONDITIONS]) >= last + 5,
        within=PATIENCE_SECONDS,
        what="five publications that the SDK can't see",
    )
    stage.proxy(hub.port, port=proxy.port)
    wait_until(
        lambda: len(sdk.offsets(CONDITIONS)) > 6, within=PATIENCE_SECONDS, what="what was missed"
    )
    assert_nothing_missing(hub, sdk)


def test_sdk_comes_back_after_a_shutdown_and_recovers_from_the_next_run(stage, hub):
    sdk = stage.sdk(hub.port, TOPICS)
    wait_for_more(sdk, 1)
    hub.process.signal(signal.SIGTERM)
    assert hub.process.wait() == 0
    wait_until(
        lambda: (SHUTDOWN, "shutdown") in sdk.connecting,
        within=5,
        what=lambda: f"the SDK was told why: {sdk.connecting}",
    )
    hub.start()
    wait_until(lambda: len(sdk.connected) == 2, within=PATIENCE_SECONDS, what="reconnected")
    wait_for_more(sdk, 2)
    assert_nothing_missing(hub, sdk)
    assert all(sdk.subscribed[topic][1].recovered for topic in TOPICS)
    assert not sdk.disconnected


def test_sdk_is_told_what_there_is_not(stage, hub):
    sdk = stage.sdk(hub.port, [CONDITIONS, "aurora:oslo", "chat:lobby"])
    wait_until(lambda: len(sdk.unsubscribed) == 2, within=10, what="two refusals")
    assert sdk.unsubscribed == {"aurora:oslo": UNKNOWN_CHANNEL, "chat:lobby": UNKNOWN_CHANNEL}
    calls = {
        "presence": lambda: sdk.client.presence(CONDITIONS),
        "presence_stats": lambda: sdk.client.presence_stats(CONDITIONS),
        "rpc": lambda: sdk.client.rpc("score", {}),
    }
    refusals = {}
    for name, call in calls.items():
        with pytest.raises(CentrifugeError) as refusal:
            sdk.call(call())
        refusals[name] = refusal.value.code
    assert refusals == {
        "presence": NOT_AVAILABLE,
        "presence_stats": NOT_AVAILABLE,
        "rpc": METHOD_NOT_FOUND,
    }
    with pytest.raises(CentrifugeError) as refusal:
        sdk.call(sdk.client.publish(CONDITIONS, {"score": 100}))
    assert refusal.value.code == PERMISSION_DENIED
    # The connection has taken no harm.
    wait_for_more(sdk, 1)
    assert len(sdk.connected) == 1


def wait_for_more(sdk, count):
    """Until so many publications of conditions have come since now."""
    before = len(sdk.offsets(CONDITIONS))
    wait_until(
        lambda: len(sdk.offsets(CONDITIONS)) >= before + count,
        within=PATIENCE_SECONDS,
        what=f"{count} more publications after {before}",
    )


def assert_nothing_missing(hub, sdk):
    """What the SDK has reported is the log, from where it subscribed first."""
    for topic in TOPICS:
        offsets = sdk.offsets(topic)
        begin = sdk.subscribed[topic][0].stream_position.offset
        assert offsets == list(range(begin + 1, begin + 1 + len(offsets))), topic
