"""Clients without a WebSocket: by raw HTTP, and centrifuge-js with its fallbacks."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import cent
import pytest

from harness.client_stream import ClientStream
from harness.processes import REPOSITORY
from harness.settings import configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 60.0
# What examples/sdks/run.sh makes.
SDK = Path(os.environ.get("CENTRIFUGE_CJS") or REPOSITORY / ".build/sdks/js/centrifuge.cjs")
CHECK = REPOSITORY / "examples/sdks/js/check.js"
FALLBACKS = ["http_stream", "sse"]


@pytest.fixture
def hub(stage):
    chat = namespace(
        "chat", publish="anyone", presence=True
    )
    return started_hub(stage, configuration(chat))


@pytest.fixture
def connect(stage, hub):
    def connect(transport, **fields):
        client = ClientStream(hub.port, transport, fields)
        stage.ends_with(client.close)
        return client

    return connect


@pytest.mark.parametrize("transport", FALLBACKS)
def test_client_subscribes_publishes_and_recovers_after_a_kill(stage, hub, connect, transport):
    client = connect(transport, name="raw")
    other = connect(transport)
    assert client.connected["session"] != other.connected["session"]
    for each in (client, other):
        assert each.command(subscribe={"channel": "chat:a"})["subscribe"]["offset"] == 0
    assert client.command(publish={"channel": "chat:a", "data": {"n": 1}})["publish"] == {}
    api = stage.server_api(hub.port)
    api.publish("chat:a", {"n": 2})
    for each in (client, other):
        pushes = [each.push() for _ in range(2)]
        assert [push["pub"]["data"] for push in pushes] == [{"n": 1}, {"n": 2}]
    epoch = client.command(history={"channel": "chat:a"})["history"]["epoch"]

    hub.kill()
    assert client.message() is None
    hub.start()
    stage.server_api(hub.port).publish("chat:a", {"n": 3})
    returned = connect(transport)
    position = {"channel": "chat:a", "recover": True, "epoch": epoch, "offset": 2}
    reply = returned.command(subscribe=position)["subscribe"]
    assert reply["recovered"] is True
    assert [each["data"] for each in reply["publications"]] == [{"n": 3}]


@pytest.mark.parametrize("transport", FALLBACKS)
def test_stream_ends_with_a_code(stage, hub, connect, transport):
    client = connect(transport, token=connection_token("kari"))
    api = stage.server_api(hub.port)
    api.call(cent.DisconnectRequest(user="kari", disconnect=cent.Disconnect(code=4501, reason="x")))
    assert client.push() == {"disconnect": {"code": 4501, "reason": "x"}}
    assert client.message() is None
    assert client.emulate({"id": 9, "subscribe": {"channel": "chat:a"}}) == 404
    # And a hub that stops asks its clients to return.
    client = connect(transport)
    hub.process.signal(signal.SIGTERM)
    assert client.push()["disconnect"]["code"] == 3001


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.skipif(not SDK.exists(), reason=f"no centrifuge-js at {SDK}: examples/sdks/run.sh")
@pytest.mark.parametrize("transport", ["websocket", *FALLBACKS])
def test_centrifuge_js_recovers_after_a_kill(stage, hub, transport):
    log = stage.directory / "check.out"
    command = ["node", str(CHECK), str(SDK), transport, f"http://127.0.0.1:{hub.port}", "chat:js"]
    paths = os.environ | {"NODE_PATH": "/usr/share/nodejs"}
    with log.open("wb") as output:
        check = subprocess.Popen(command, env=paths, stdout=output, stderr=subprocess.STDOUT)
    stage.ends_with(check.kill)
    wait_until(
        lambda: "ready" in log.read_text(), within=PATIENCE_SECONDS, what=lambda: log.read_text()
    )
    hub.kill()
    hub.start()
    stage.server_api(hub.port).publish("chat:js", {"n": 3})
    assert check.wait(PATIENCE_SECONDS) == 0, log.read_text()
    text = log.read_text()
    assert f"connected by {transport}" in text
    assert "resubscribed, recovered true" in text
    assert text.endswith("passed\n")
