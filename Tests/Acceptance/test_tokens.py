"""Tokens that are not good open nothing: each is refused with its code, and the log says why
without showing it."""

import http.client
import json
import subprocess

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from harness import tokens
from harness.processes import BINARY
from harness.settings import (
    API_KEY,
    ENVIRONMENT,
    SECRET,
    TOKENS,
    configuration,
    namespace,
    started_hub,
    token_refusals,
)
from harness.tokens import connection_token, subscription_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 10.0

CLOSED = {"anonymous_subscribe": False}
NAMESPACES = [
    namespace("news"),
    namespace("members", subscribe="users", **CLOSED),
    namespace("secret", subscribe="token", **CLOSED),
    namespace("activity", subscribe="owner", **CLOSED),
]
PLANS = "secret:plans"

PERMISSION_DENIED, TOKEN_EXPIRED = ("error", 103), ("error", 109)
INVALID_TOKEN = ("closed", 3500)
ADMITTED, SUBSCRIBED = ("reply", "connect"), ("reply", "subscribe")

# By what is wrong: the token, its answer, and the reason in the log.
BAD_CONNECTION_TOKENS = {
    "expired": (lambda: connection_token("ann", ttl=-5), TOKEN_EXPIRED, "expired"),
    "not yet valid": (
        lambda: connection_token("ann", nbf=4_000_000_000, ttl=4_000_000_000),
        INVALID_TOKEN,
        "not_yet_valid",
    ),
    "other secret": (
        lambda: tokens.signed(tokens.connection_claims("ann"), f"{SECRET}x"),
        INVALID_TOKEN,
        "signature",
    ),
    "other claims": (
        lambda: tokens.with_other_claims(connection_token("eve"), tokens.connection_claims("ann")),
        INVALID_TOKEN,
        "signature",
    ),
    "algorithm none": (
        lambda: tokens.unsigned(connection_token("ann")),
        INVALID_TOKEN,
        "algorithm",
    ),
    "algorithm NoNe": (
        lambda: tokens.unsigned(connection_token("ann"), algorithm="NoNe"),
        INVALID_TOKEN,
        "algorithm",
    ),
    "no signature": (
        lambda: connection_token("ann").rpartition(".")[0] + ".",
        INVALID_TOKEN,
        "signature",
    ),
    "other audience": (lambda: connection_token("ann", aud="another"), INVALID_TOKEN, "audience"),
    "other issuer": (
        lambda: connection_token("ann", iss="https://another.example"),
        INVALID_TOKEN,
        "issuer",
    ),
    "no token": (lambda: "certainly-no-token", INVALID_TOKEN, "malformed"),
}

BAD_SUBSCRIPTION_TOKENS = {
    "expired": (lambda: subscription_token("ann", PLANS, ttl=-5), TOKEN_EXPIRED, "expired"),
    "other secret": (
        lambda: tokens.signed(tokens.connection_claims("ann", channel=PLANS), f"{SECRET}x"),
        PERMISSION_DENIED,
        "signature",
    ),
    "algorithm none": (
        lambda: tokens.unsigned(subscription_token("ann", PLANS)),
        PERMISSION_DENIED,
        "algorithm",
    ),
    "other audience": (
        lambda: subscription_token("ann", PLANS, aud="another"),
        PERMISSION_DENIED,
        "audience",
    ),
    "other topic": (lambda: subscription_token("ann", "secret:menu"), PERMISSION_DENIED, "topic_mismatch"),
    "other user": (lambda: subscription_token("bob", PLANS), PERMISSION_DENIED, "user_mismatch"),
    "of a connection": (lambda: connection_token("ann"), PERMISSION_DENIED, "claim"),
}


@pytest.fixture
def hub(stage):
    return started_hub(stage, configuration(*NAMESPACES, tokens=TOKENS, log_format="json"))


@pytest.mark.parametrize("wrong", BAD_CONNECTION_TOKENS)
def test_bad_connection_token_opens_nothing(hub, wrong):
    make, answer, reason = BAD_CONNECTION_TOKENS[wrong]
    token = make()
    # Even what is open to everybody: who shows a token wants to be known.
    assert answers(hub, connecting(token), subscribing("news:local")) == [answer]
    assert stream_status(hub, "members:all", token) == 401
    assert_log_says(hub, [reason, reason], token)
    assert answers(hub, connecting(connection_token("ann"))) == [ADMITTED]


@pytest.mark.parametrize("wrong", BAD_SUBSCRIPTION_TOKENS)
def test_bad_subscription_token_opens_nothing(hub, wrong):
    make, answer, reason = BAD_SUBSCRIPTION_TOKENS[wrong]
    token = make()
    commands = [connecting(connection_token("ann")), subscribing(PLANS, token)]
    # The connection goes on.
    commands.append(subscribing("members:all"))
    assert answers(hub, *commands) == [ADMITTED, answer, SUBSCRIBED]
    assert_log_says(hub, [reason], token)


def test_good_tokens_open_what_they_name_and_no_more(hub):
    ann = connecting(connection_token("ann"))
    plans = subscribing(PLANS, subscription_token("ann", PLANS))
    assert answers(hub, ann, plans) == [ADMITTED, SUBSCRIBED]
    for topic, answer in {
        PLANS: PERMISSION_DENIED,
        "activity:bob": PERMISSION_DENIED,
        "activity:ann": SUBSCRIBED,
        "members:all": SUBSCRIBED,
        "news:local": SUBSCRIBED,
    }.items():
        assert answers(hub, ann, subscribing(topic)) == [ADMITTED, answer], topic
        expected = 200 if answer == SUBSCRIBED else 403
        assert stream_status(hub, topic, connection_token("ann")) == expected, topic
    for topic in (PLANS, "activity:ann", "members:all"):
        assert answers(hub, connecting(), subscribing(topic)) == [ADMITTED, PERMISSION_DENIED]
        assert stream_status(hub, topic) in (401, 403), topic
    assert stream_status(hub, "news:local") == 200
    assert token_refusals(hub.log) == []


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
def test_public_key_admits_its_own_algorithm_alone(stage, tmp_path, algorithm):
    key, other = tokens.KeyPair(algorithm, tmp_path), tokens.KeyPair(algorithm, tmp_path / "..")
    section = {**json.loads(TOKENS), "public_keys": [str(key.path)]}
    text = configuration(*NAMESPACES, tokens=json.dumps(section), log_format="json")
    hub = stage.hub()
    hub.configure(text)
    hub.start()
    claims = tokens.connection_claims("ann")
    assert answers(hub, connecting(key.signed(claims))) == [ADMITTED]
    assert answers(hub, connecting(other.signed(claims))) == [INVALID_TOKEN]
    confused = tokens.signed_by_public_key(claims, key.path.read_bytes())
    assert answers(hub, connecting(confused)) == [INVALID_TOKEN]
    assert_log_says(hub, ["signature", "algorithm"], confused)


def test_hub_that_requires_tokens_admits_nobody_without(stage):
    section = json.dumps({**json.loads(TOKENS), "required": True})
    hub = started_hub(stage, configuration(*NAMESPACES, tokens=section))
    assert answers(hub, connecting(connection_token("ann"))) == [ADMITTED]
    assert answers(hub, connecting()) in ([("error", 101)], [("closed", 3507)])
    assert stream_status(hub, "news:local") == 401


@pytest.mark.parametrize("required", [False, True])
def test_token_without_an_end_opens_nothing_where_one_is_required(stage, required):
    section = json.dumps({**json.loads(TOKENS), "require_exp": required})
    hub = started_hub(stage, configuration(*NAMESPACES, tokens=section, log_format="json"))
    claims = tokens.connection_claims("ann")
    del claims["exp"]
    endless = tokens.signed(claims)
    assert answers(hub, connecting(endless)) == [INVALID_TOKEN if required else ADMITTED]
    assert stream_status(hub, "members:all", endless) == (401 if required else 200)
    assert_log_says(hub, ["claim", "claim"] if required else [], endless)
    assert answers(hub, connecting(connection_token("ann"))) == [ADMITTED]


def test_configuration_that_is_shown_shows_no_secret(hub):
    shown = subprocess.run(
        [str(BINARY), "check-config", "--config", str(hub.configuration)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert "VARDE_TOKEN_SECRET" in shown.stdout
    for text in (shown.stdout, shown.stderr, hub.log, hub.get("/metrics").body.decode()):
        assert SECRET not in text and API_KEY not in text


def connecting(token=""):
    return {"connect": {"token": token} if token else {}}


def subscribing(topic, token=""):
    return {"subscribe": {"channel": topic, **({"token": token} if token else {})}}


def answers(hub, *commands):
    """What each command is answered with, up to the one that ends the connection."""
    found = []
    url = f"ws://127.0.0.1:{hub.port}/connection/websocket"
    with connect(url, proxy=None) as client:
        try:
            # In one frame: after a refusal the connection may be closed before a second one is sent.
            numbered = [{"id": number, **each} for number, each in enumerate(commands, 1)]
            client.send("\n".join(json.dumps(each) for each in numbered))
            while len(found) < len(commands):
                for line in client.recv(timeout=PATIENCE_SECONDS).splitlines():
                    reply = json.loads(line)
                    if "id" not in reply:
                        continue
                    assert reply.pop("id") == len(found) + 1
                    (kind,) = reply
                    error = reply.get("error")
                    found.append(("error", error["code"]) if error else ("reply", kind))
                if found[0] not in (ADMITTED,):
                    break
        except ConnectionClosed as closed:
            found.append(("closed", closed.rcvd.code))
    return found


def stream_status(hub, topic, token=""):
    """Of an event stream, which a fetch may give an `Authorization`."""
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=PATIENCE_SECONDS)
    fields = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("GET", f"/events?topics={topic}", headers=fields)
        return connection.getresponse().status
    finally:
        connection.close()


def assert_log_says(hub, reasons, token):
    wait_until(
        lambda: token_refusals(hub.log) == reasons,
        within=PATIENCE_SECONDS,
        what=lambda: f"{reasons} in the log: {token_refusals(hub.log)}",
    )
    # Nor a part of it that says anything.
    for part in token.split("."):
        assert len(part) < 8 or part not in hub.log
