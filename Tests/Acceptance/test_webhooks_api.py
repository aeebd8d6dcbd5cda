"""Webhooks from beginning to end: made, verified, called, paused, rotated, replayed, refused."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks
import svix.webhooks

from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhook_fixtures import (  # noqa: F401
    CONFIGURED_SECRET,
    CREATED,
    api,
    contents,
    inbox,
    kari,
    limits,
    push,
    radar,
    radar_hub,
)
from harness.webhooks import VERIFICATION

INVALID = {"status": 400, "code": "INVALID_REQUEST"}
NOT_ALLOWED = {"status": 400, "code": "URL_NOT_ALLOWED"}
NOT_FOUND = {"status": 404, "code": "WEBHOOK_NOT_FOUND"}


# From the first to the last


def test_webhook_is_verified_and_then_gets_what_passes_its_filters(api, inbox, kari, radar):
    made = api.active(f"{inbox.url}/in?a=b", types=[CREATED])
    (verification,) = inbox.deliveries
    assert verification.type == VERIFICATION
    assert verification.event["data"] == {"webhook_id": made["id"]}
    push(kari, radar, "first", "second")
    first, second = inbox.wait(2)
    assert contents([first, second]) == ["first", "second"]
    for each in (verification, first, second):
        each.verify(made["secret"])
        assert each.is_signed_with(made["public_key"])
        assert len(each.signatures("v1")) == len(each.signatures("v1a")) == 1
        assert each.path == "/in?a=b"
        assert each.headers["content-type"] == "application/cloudevents+json"
        assert each.id == each.event["id"]
    assert (first.type, first.event["subject"]) == (CREATED, radar)
    shown = api.show(made["id"])
    expected = {"status": "active", "source": "api", "types": [CREATED], "topics": [], "rate": 0}
    assert expected.items() <= shown.items()
    assert "secret" not in shown, "it is shown once"
    listed = api.ask("GET", "/api/webhooks")["webhooks"]
    assert [each["id"] for each in listed] == ["pager", made["id"]]
    assert listed[0]["url"] == inbox.url, "the path of a configured one is not shown"
    log = api.log(made["id"])
    assert [each["type"] for each in log] == [CREATED, CREATED, VERIFICATION]
    assert {(each["status"], each["attempts"], each["last_status"]) for each in log} == {
        ("delivered", 1, 204)
    }


def test_warnings_name_the_entries_of_a_filter_that_nothing_passes(api, inbox):
    made = api.active(inbox.url, types=[CREATED, "aurora.alert.raised"], topics=["nowhere:*"])
    types, topics = made["warnings"]
    assert "aurora.alert.raised" in types and CREATED not in types
    assert "nowhere:*" in topics
    assert "warnings" not in api.active(f"{inbox.url}/other", types=[CREATED], topics=["radar:*"])


def test_libraries_refuse_what_was_tampered_with(api, inbox):
    made = api.active(inbox.url)
    other = api.active(f"{inbox.url}/other")
    api.command(made["id"], "test", status=202)
    (delivery,) = inbox.wait(1)
    delivery.verify(made["secret"])
    timestamp = int(delivery.headers["webhook-timestamp"])
    altered = {
        "body": replace(delivery, body=delivery.body.replace(b"webhook.test", b"webhook.tess")),
        "later": with_header(delivery, "webhook-timestamp", str(timestamp + 1)),
        "stale": with_header(delivery, "webhook-timestamp", str(timestamp - 3600)),
        "id": with_header(delivery, "webhook-id", delivery.id[:-1] + "x"),
        # The signature that is left is not one of the secret.
        "v1a alone": with_header(
            delivery, "webhook-signature", "v1a," + delivery.signatures("v1a")[0]
        ),
    }
    for name, each in altered.items():
        for library in (standardwebhooks.Webhook, svix.webhooks.Webhook):
            with pytest.raises(standardwebhooks.WebhookVerificationError):
                library(made["secret"]).verify(each.body, each.headers)
                pytest.fail(f"{library}: {name}")
        if name != "v1a alone":
            assert not each.is_signed_with(made["public_key"]), name
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        delivery.verify(other["secret"])
    assert not delivery.is_signed_with(other["public_key"])


def with_header(delivery, name, value):
    return replace(delivery, headers=delivery.headers | {name: value})


def test_lists_and_rate_are_changed_one_by_one(api, inbox, kari, radar):
    made = api.active(inbox.url, types=[CREATED], severities=["critical"])
    path = f"/api/webhooks/{made['id']}"
    push(kari, radar, "has no severity")
    changed = api.ask("PATCH", path, {"severities": [], "topics": ["radar:other"]})
    assert (changed["types"], changed["topics"], changed["severities"]) == (
        [CREATED],
        ["radar:other"],
        [],
    )
    push(kari, radar, "is of another topic")
    changed = api.ask("PATCH", path, {"topics": [f"radar:{radar}"], "rate": 5})
    assert (changed["types"], changed["rate"]) == ([CREATED], 5)
    push(kari, radar, "passes")
    assert contents(inbox.wait(1)) == ["passes"]


def test_paused_webhook_gets_what_waited_in_its_order_and_nothing_twice(
    radar_hub, api, inbox, kari, radar
):
    made = api.active(inbox.url, types=[CREATED])
    assert api.command(made["id"], "pause")["status"] == "paused"
    api.refused(
        "POST", f"/api/webhooks/{made['id']}/test", status=409, code="WRONG_STATUS"
    )
    texts = [f"opinion {number}" for number in range(10)]
    push(kari, radar, *texts[:5])
    # What waits, and the pause, outlive the process.
    radar_hub.kill()
    radar_hub.start()
    assert api.show(made["id"])["status"] == "paused"
    push(kari, radar, *texts[5:])
    assert inbox.events == []
    assert {each["status"] for each in api.log(made["id"], "?limit=10")} == {"pending"}
    assert api.command(made["id"], "resume")["status"] == "active"
    assert contents(inbox.wait(10)) == texts
    assert len({each.id for each in inbox.events}) == 10


def test_rotated_secret_signs_beside_the_former_one(api, inbox):
    made = api.active(inbox.url)
    former = (made["secret"], made["public_key"])
    rotated = api.command(made["id"], "rotate")
    latter = (rotated["secret"], rotated["public_key"])
    assert former[0] != latter[0] and former[1] != latter[1]
    end = datetime.fromisoformat(rotated["former_secret_until"]) - datetime.now(UTC)
    assert timedelta(hours=23) < end <= timedelta(hours=24)
    api.command(made["id"], "test", status=202)
    (delivery,) = inbox.wait(1)
    assert len(delivery.signatures("v1")) == len(delivery.signatures("v1a")) == 2
    for secret, public_key in (former, latter):
        delivery.verify(secret)
        assert delivery.is_signed_with(public_key)
    # Once more, and the first one is forgotten.
    last = api.command(made["id"], "rotate")
    api.command(made["id"], "test", status=202)
    delivery = inbox.wait(2)[-1]
    delivery.verify(latter[0])
    delivery.verify(last["secret"])
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        delivery.verify(former[0])


def test_deliveries_are_listed_in_pages_retried_and_replayed(api, inbox, kari, radar):
    made = api.active(inbox.url, types=[CREATED])
    push(kari, radar, "one", "two", "three")
    sent = [each.id for each in inbox.wait(3)]
    # The answer to the last is noted a moment after it came.
    wait_until(
        lambda: all(each["status"] == "delivered" for each in api.log(made["id"])),
        within=10,
        what="all is noted",
    )
    page = api.log(made["id"], "?limit=2")
    assert [each["message_id"] for each in page] == [sent[2], sent[1]]
    rest = api.log(made["id"], f"?before={page[-1]['id']}")
    assert [each["message_id"] for each in rest][0] == sent[0]
    answer = api.command(made["id"], f"deliveries/{page[-1]['id']}/retry", status=202)
    assert answer == {"messages": 1}
    assert inbox.wait(4)[-1].id == sent[1]
    wait_until(
        lambda: api.log(made["id"])[1]["status"] == "delivered", within=10, what="it is noted"
    )
    times = [datetime.fromisoformat(each["created_at"]) for each in api.log(made["id"])]
    replayed = {"from": times[2].isoformat(), "to": times[1].isoformat()}
    # Of one instant there may be more than one.
    count = sum(times[2] <= time <= times[1] for time in times)
    assert api.command(made["id"], "replay", replayed, status=202) == {"messages": count}
    for each in inbox.wait(4 + sum(each["type"] == CREATED for each in api.log(made["id"])[1:3])):
        each.verify(made["secret"])
    assert [each.id for each in inbox.events][4:6] == sent[:2]


def test_deleted_webhook_is_forgotten_and_called_no_more(api, inbox, kari, radar):
    made, other = api.active(inbox.url), api.active(f"{inbox.url}/other", types=[CREATED])
    path = f"/api/webhooks/{made['id']}"
    assert api.ask("DELETE", path) == {}
    for method, target in routes(path):
        api.refused(method, target, {}, **NOT_FOUND)
    push(kari, radar, "for the other one")
    inbox.wait(1, "/other")
    assert inbox.at("/") == []
    assert [each["id"] for each in api.ask("GET", "/api/webhooks")["webhooks"]] == [
        "pager",
        other["id"],
    ]


# Refusals


def routes(path):
    """Of one webhook. What needs a body is not among them."""
    commands = ("test", "rotate", "pause", "resume", "deliveries/1/retry")
    return [
        ("GET", path),
        ("PATCH", path),
        ("DELETE", path),
        ("GET", f"{path}/deliveries"),
        *(("POST", f"{path}/{each}") for each in commands),
    ]


def test_nobody_without_a_key_is_told_anything(api, inbox):
    made = api.active(inbox.url)
    path = f"/api/webhooks/{made['id']}"
    everything = [("GET", "/api/webhooks"), ("POST", "/api/webhooks"), *routes(path)]
    everything += [("POST", f"{path}/replay"), *routes("/api/webhooks/none")]
    token = connection_token("kari")
    for headers in ({}, {"X-API-Key": "wrong"}, {"Authorization": f"Bearer {token}"}):
        for method, target in everything:
            api.refused(
                method, target, {}, status=401, code="UNAUTHORIZED", headers=headers
            )
    assert api.show(made["id"])["status"] == "active"


URLS = {
    "no URL": ("", INVALID),
    "no scheme": ("example.org/in", INVALID),
    "another scheme": ("ftp://example.org/", INVALID),
    "a file": ("file:///etc/passwd", INVALID),
    "user info": ("https://kari:secret@example.org/", INVALID),
    "a user alone": ("https://kari@example.org/", INVALID),
    "a fragment": ("https://example.org/#in", INVALID),
    "a number for a host": ("http://2130706433/", INVALID),
    "a hexadecimal host": ("http://0x7f.1/", INVALID),
    "a short address": ("http://127.1/", INVALID),
    "a dot at the end": ("http://localhost./", INVALID),
    "other letters": ("https://ex\u00e4mple.org/", INVALID),
    "a space": ("https://example.org/a b", INVALID),
    "no port": ("https://example.org:/", INVALID),
    "port 0": ("https://example.org:0/", INVALID),
    "too long": ("https://example.org/" + "a" * 2048, INVALID),
    "another port": ("https://example.org:22/", NOT_ALLOWED),
    "loopback": ("http://127.0.0.2/", NOT_ALLOWED),
    "loopback, IPv6": ("http://[::1]/", NOT_ALLOWED),
    "private": ("http://10.0.0.1/", NOT_ALLOWED),
    "private, mapped": ("http://[::ffff:192.168.0.1]/", NOT_ALLOWED),
    "private, NAT64": ("http://[64:ff9b::a00:1]/", NOT_ALLOWED),
    "6to4": ("http://[2002:a00:1::]/", NOT_ALLOWED),
    "unique local": ("http://[fd00::1]/", NOT_ALLOWED),
    "shared": ("http://100.64.0.1/", NOT_ALLOWED),
    "metadata": ("http://169.254.169.254/latest/meta-data", NOT_ALLOWED),
    "multicast": ("http://224.0.0.1/", NOT_ALLOWED),
    "this network": ("http://0.0.0.0/", NOT_ALLOWED),
}


def test_url_that_is_not_called_is_refused_at_once(api, inbox):
    for name, (url, error) in URLS.items():
        refusal = api.refused("POST", "/api/webhooks", {"url": url}, **error)
        assert "secret" not in refusal["message"], name
    assert [each["id"] for each in api.ask("GET", "/api/webhooks")["webhooks"]] == ["pager"]
    assert inbox.deliveries == []


@pytest.mark.parametrize("limits", [{"allow_addresses": []}])
def test_name_of_an_inside_address_is_not_called(radar_hub, api, inbox):
    """It is looked up when it is called: what it means may have changed since it was given."""
    made = api.create(f"http://localhost:{inbox.port}/")
    failed = wait_until(
        lambda: [each for each in api.log(made["id"]) if each["attempts"] > 0],
        within=20,
        what="an attempt is over",
    )
    assert failed[0]["last_status"] is None
    assert api.show(made["id"])["status"] == "pending"
    assert 'result="not allowed: ' in radar_hub.log
    assert inbox.deliveries == []


BODIES = {
    "nothing": b"",
    "no JSON": b"{",
    "a list": [],
    "no URL": {},
    "a number": {"url": 1},
    "types that are none": {"url": "https://example.org/", "types": "a"},
    "a type that is none": {"url": "https://example.org/", "types": ["a*b"]},
    "too many types": {"url": "https://example.org/", "types": ["a"] * 101},
    "a topic that is none": {"url": "https://example.org/", "topics": ["*a"]},
    "a severity that is none": {"url": "https://example.org/", "severities": ["grave"]},
    "a rate below": {"url": "https://example.org/", "rate": -1},
    "a rate above": {"url": "https://example.org/", "rate": 10_001},
    "a rate that is none": {"url": "https://example.org/", "rate": "fast"},
}


def test_body_that_makes_no_webhook_is_refused(api, inbox):
    made = api.active(inbox.url)
    path = f"/api/webhooks/{made['id']}"
    for body in BODIES.values():
        api.refused("POST", "/api/webhooks", body, **INVALID)
    api.refused("PATCH", path, {"url": "https://example.org/"}, **INVALID)
    api.refused("PATCH", path, {"severities": ["grave"]}, **INVALID)
    api.refused("PATCH", path, {"rate": 1.5}, **INVALID)
    for body in ({}, {"from": "2026-01-01T00:00:00Z"}, {"from": "yesterday", "to": "today"}):
        api.refused("POST", f"{path}/replay", body, **INVALID)
    backwards = {"from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}
    api.refused("POST", f"{path}/replay", backwards, **INVALID)
    for query in ("limit=0", "limit=101", "limit=a", "before=0", "before=a"):
        api.refused("GET", f"{path}/deliveries?{query}", **INVALID)
    long = b'{"url":"https://example.org/' + b"a" * (128 << 10) + b'"}'
    api.refused("POST", "/api/webhooks", long, status=413, code="INVALID_REQUEST")
    for delivery in ("999999", "none"):
        api.refused(
            "POST",
            f"{path}/deliveries/{delivery}/retry",
            status=404,
            code="DELIVERY_NOT_FOUND",
        )
    before = {key: made[key] for key in ("url", "types", "topics", "severities", "rate")}
    assert before.items() <= api.show(made["id"]).items()


def test_configured_webhook_is_paused_and_not_changed(api, inbox):
    read_only = {"status": 409, "code": "READ_ONLY"}
    api.refused("PATCH", "/api/webhooks/pager", {"types": []}, **read_only)
    api.refused("POST", "/api/webhooks/pager/rotate", **read_only)
    api.refused("DELETE", "/api/webhooks/pager", **read_only)
    assert api.command("pager", "pause")["status"] == "paused"
    assert api.command("pager", "resume")["status"] == "active"
    api.command("pager", "test", status=202)
    (delivery,) = inbox.wait(1)
    delivery.verify(CONFIGURED_SECRET)
    assert delivery.signatures("v1a") == []


@pytest.mark.parametrize("limits", [{"subscriptions": 1}])
def test_number_of_webhooks_is_limited(api, inbox):
    made = api.active(inbox.url)
    another = {"url": f"{inbox.url}/another"}
    api.refused("POST", "/api/webhooks", another, status=409, code="TOO_MANY_WEBHOOKS")
    api.ask("DELETE", f"/api/webhooks/{made['id']}")
    api.active(another["url"])
