"""The back ends of examples/hooks decide alike, for a hub with the configuration of the same folder."""

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from centrifuge import CentrifugeError
from standardwebhooks import Webhook

from harness.examples import Program
from harness.hub import Hub
from harness.ports import free_port
from harness.processes import REPOSITORY
from harness.waiting import wait_until

FOLDER = REPOSITORY / "examples/hooks"
HOW_TO = REPOSITORY / "docs/how-to/let-your-back-end-decide.md"
CONFIGURATION = (FOLDER / "hub.yaml").read_text()
SECRET = "whsec_" + "YSBrZXkgb2YgdHdlbnR5LWZvdXIgYnl0ZQ=="
OTHER_SECRET = "whsec_" + "YW5vdGhlciBrZXkgb2YgdGhlIHNhbWUgc2l6ZQ=="
PATIENCE_SECONDS = 30.0
# The Go toolchain compiles its standard library the first time.
BUILD_SECONDS = 300.0
# http.HandleFunc("POST /…") and cmp.Or.
GO_VERSION_MIN = (1, 22)
# The hub and the examples name this port.
PORT = 3000


def go_version() -> tuple[int, ...]:
    if not shutil.which("go"):
        return (0, 0)
    text = subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"go(\d+)\.(\d+)", text)
    return tuple(int(part) for part in found.groups()) if found else (0, 0)


def installed(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) for module in modules)


@pytest.fixture(
    params=[
        pytest.param(
            "fastapi_app.py",
            marks=pytest.mark.skipif(
                not installed("fastapi", "uvicorn"), reason="FastAPI is not installed"
            ),
        ),
        pytest.param(
            "django_app.py",
            marks=pytest.mark.skipif(not installed("django"), reason="Django is not installed"),
        ),
        pytest.param(
            "hooks.js",
            marks=pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
        ),
        pytest.param(
            "hooks.go",
            marks=pytest.mark.skipif(
                go_version() < GO_VERSION_MIN, reason="no Go of 1.22 or later"
            ),
        ),
    ]
)
def example(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def go_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """hooks.go, compiled: a program that `go run` has started does not end with it."""
    path = tmp_path_factory.mktemp("go") / "hooks"
    subprocess.run(["go", "build", "-o", path, FOLDER / "hooks.go"], timeout=BUILD_SECONDS, check=True)
    return path


@pytest.fixture
def command(example: str, request: pytest.FixtureRequest) -> list[str]:
    match Path(example).suffix:
        case ".go":
            return [str(request.getfixturevalue("go_program"))]
        case ".js":
            return ["node", example]
        case _:
            return [sys.executable, example]


@pytest.fixture
def port(command: list[str], stage: Any) -> int:
    """That of the started back end."""
    port = free_port()
    environment = {"HOOK_SECRET": SECRET, "PORT": str(port)}
    program = Program(command, FOLDER, environment, stage.directory / "example.out")
    stage.ends_with(program.stop)
    wait_until(
        lambda: accepts(port),
        within=PATIENCE_SECONDS,
        what=lambda: f"the example listens: {program.output}",
    )
    return port


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.fixture
def hub(port: int, stage: Any) -> Hub:
    hub = stage.hub(environment={"HOOK_SECRET": SECRET})
    assert CONFIGURATION.count(f":{PORT}/") == 1
    hub.configure(CONFIGURATION.replace(f":{PORT}/", f":{port}/"))
    hub.start()
    return hub


def client(stage: Any, hub: Hub, cookie: str, *topics: str, **options: Any) -> Any:
    return stage.sdk(hub.port, list(topics), headers={"Cookie": cookie} if cookie else {}, **options)


def code_of(call: Any, *arguments: Any) -> int:
    """The code with which the hub refuses a command."""
    with pytest.raises(CentrifugeError) as refused:
        call(*arguments)
    return refused.value.code


# Clients of a hub


def test_members_chat_and_others_are_refused(hub, stage):
    alice = client(stage, hub, "theme=dark; session=alice", "chat:board", "chat:team")
    bob = client(stage, hub, "session=bob", "chat:board", "chat:team")
    carol = client(stage, hub, "session=carol", "chat:team", "chat:nowhere")
    wait_until(
        lambda: all(alice.subscribed[room] for room in ("chat:board", "chat:team"))
        and bob.subscribed["chat:team"],
        within=PATIENCE_SECONDS,
        what="subscriptions",
    )
    wait_until(
        lambda: len(bob.unsubscribed) == 1 and len(carol.unsubscribed) == 2,
        within=PATIENCE_SECONDS,
        what="refusals",
    )
    assert bob.unsubscribed == {"chat:board": 1001}
    assert carol.unsubscribed == {"chat:team": 1001, "chat:nowhere": 1001}

    assert code_of(carol.publish, "chat:team", {"text": "let me in"}) == 1001
    unusable = [{"text": ""}, {"text": " \n"}, {"text": 7}, {"text": {"trim": "x"}}, {}, [], "text", 7]
    for data in unusable:
        assert code_of(alice.publish, "chat:team", data) == 1000, data
    alice.publish("chat:team", {"text": "Hei 🎉", "author": "bob", "to": ["bob"]})
    # Half of a pair of surrogates.
    bob.publish("chat:team", {"text": "\ud83c"})
    for reader in (alice, bob):
        wait_until(
            lambda reader=reader: len(reader.values("chat:team")) == 2,
            within=PATIENCE_SECONDS,
            what=lambda reader=reader: f"two publications: {reader.values('chat:team')}",
        )
        assert reader.values("chat:team")[0] == {"text": "Hei 🎉", "author": "alice", "to": ["bob"]}
        assert reader.values("chat:team")[1]["author"] == "bob"

    assert alice.rpc("chat.rooms", {}) == {"rooms": ["chat:board", "chat:team"]}
    assert carol.rpc("chat.rooms", None) == {"rooms": []}
    assert code_of(alice.rpc, "chat.topics", {}) == 1002
    assert code_of(alice.rpc, "orders.list", {}) == 104
    assert "hook not answered" not in hub.log


def test_client_without_a_session_does_not_come_in(hub, stage):
    for cookie in ("", "session=mallory", "session=", "my-session=alice", "session=__proto__"):
        stranger = client(stage, hub, cookie, until_connected=False)
        wait_until(
            lambda stranger=stranger: stranger.disconnected,
            within=PATIENCE_SECONDS,
            what=f"the end of a connection with the cookie {cookie!r}",
        )
        assert stranger.disconnected == [(4501, "sign in first")], cookie
        assert not stranger.connected


# Signatures


def status_of(port: int, body: bytes, headers: dict[str, str], event: str = "connect") -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}/hooks/{event}", data=body, headers=headers)
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def signed(body: bytes, secret: str = SECRET, seconds: int = 0) -> dict[str, str]:
    time_of_question = datetime.now(tz=timezone.utc) + timedelta(seconds=seconds)
    signature = Webhook(secret).sign("msg_1", time_of_question, body.decode())
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(time_of_question.timestamp())),
        "webhook-signature": signature,
    }


def test_question_without_a_genuine_signature_gets_401(port):
    body = json.dumps({"client": "c-1", "transport": "websocket", "protocol": "json"}).encode()
    genuine = signed(body)
    signature = genuine["webhook-signature"]
    other = signed(body, OTHER_SECRET)["webhook-signature"]
    refused = {
        "of another secret": signed(body, OTHER_SECRET),
        "old": signed(body, seconds=-310),
        "of the future": signed(body, seconds=310),
        "without headers": {},
        "with another time": genuine | {"webhook-timestamp": str(int(time.time()) - 7)},
        "with a time that is no number": genuine | {"webhook-timestamp": "now"},
        "without a time": genuine | {"webhook-timestamp": ""},
        "with another id": genuine | {"webhook-id": "msg_2"},
        "of another version": genuine | {"webhook-signature": signature.replace("v1,", "v2,")},
    }
    for text in ("", "v1", "v1,", "v1,AAAA", "\u00ff", other):
        refused[f"with the signature {text}"] = genuine | {"webhook-signature": text}
    for name, headers in refused.items():
        assert status_of(port, body, headers) == HTTPStatus.UNAUTHORIZED, name
    assert status_of(port, body + b" ", genuine) == HTTPStatus.UNAUTHORIZED, "of another body"
    assert status_of(port, b"\xff", genuine) == HTTPStatus.UNAUTHORIZED, "not UTF-8"

    assert status_of(port, body, genuine) == HTTPStatus.OK
    assert status_of(port, body, signed(body, seconds=-290)) == HTTPStatus.OK
    assert status_of(port, body, signed(body, seconds=290)) == HTTPStatus.OK
    # While a secret is being replaced there are two signatures.
    both = genuine | {"webhook-signature": f"{other} {signature}"}
    assert status_of(port, body, both) == HTTPStatus.OK


@pytest.mark.parametrize("secret", [{}, {"HOOK_SECRET": ""}], ids=["none", "empty"])
def test_back_end_without_a_secret_does_not_start(command, secret):
    others = {name: value for name, value in os.environ.items() if name != "HOOK_SECRET"}
    result = subprocess.run(
        command,
        cwd=FOLDER,
        env=others | secret | {"PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert result.returncode != 0
    assert re.search("HOOK_SECRET|secret may not be empty", result.stderr)


# Pages


@pytest.mark.parametrize("file", ["hub.yaml", "fastapi_app.py"])
def test_how_to_page_shows_the_file_of_the_example(file):
    text = (FOLDER / file).read_text()
    language = {".yaml": "yaml", ".py": "python"}[Path(file).suffix]
    assert f"```{language}\n{text}```\n" in HOW_TO.read_text()
