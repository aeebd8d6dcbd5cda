"""Alert rules from beginning to end: made by the API, refused with the place, and met by events."""

import json
import re
from datetime import datetime, timedelta, timezone

import pytest

from harness.radar import radar_section
from harness.settings import TOKENS, configuration, namespace, started_hub
from harness.tokens import connection_token
from harness.waiting import wait_until
from harness.webhook_fixtures import api, inbox, kari, radar  # noqa: F401

ALERTS = "/api/alerts"
RULES = "/api/alerts/rules"
# Of the opinion that came last: so every push is a crossing or none, as the test wants it.
LOUD = {
    "name": "loud",
    "topics": "radar:*",
    "when": "opinion.confidence >= 0.9",
    "until": "opinion.confidence < 0.5",
    "severity": "warning",
}
CONFIGURED = {"name": "fixed", "topics": "radar:*", "when": "refreshCount > 1000000"}
INVALID_RULE = {"status": 400, "code": "INVALID_RULE"}
RULES_PER_USER_MAX = 20
BYTES_MAX = 16 << 10


@pytest.fixture
def radar_hub(stage, inbox):
    limits = {"allow_addresses": ["127.0.0.1/32"], "ports": [inbox.port]}
    text = configuration(
        namespace("other"),
        tokens=TOKENS,
        radar=radar_section(),
        webhook_limits=json.dumps(limits),
        alerts=json.dumps([CONFIGURED]),
    )
    return started_hub(stage, text)


def push(kari, radar, *confidences):
    for confidence in confidences:
        opinion = {"author": "ada", "model": "none", "content": "So I say.", "stance": "for"}
        kari.push(radar, **opinion, confidence=confidence)


def bearer(user):
    return {"Authorization": f"Bearer {connection_token(user)}"}


def as_user(api, user, method, target, body=None, *, status=200):
    found, value = api.send(method, target, body, bearer(user))
    assert found == status, f"{method} {target}: {found} {value}"
    return value


def test_warning_names_the_topics_that_nothing_publishes(api, radar_hub):
    elsewhere = LOUD | {"topics": "nowhere:*"}
    (warning,) = api.ask("POST", RULES, elsewhere, status=201)["warnings"]
    assert "nowhere:*" in warning
    assert "warnings" not in api.ask("POST", RULES, LOUD | {"name": "heard"}, status=201)


def names(value):
    return {each["rule"]["name"] for each in value["rules"]}


# Rules


def test_rule_is_made_shown_replaced_and_deleted(api):
    made = api.ask("POST", RULES, LOUD, status=201)
    assert (made["owner"], made["source"]) == (None, "api")
    assert LOUD.items() <= made["rule"].items()
    assert api.ask("GET", f"{RULES}/loud") == made
    listed = api.ask("GET", RULES)
    assert names(listed) == {"fixed", "loud"}
    sources = {each["rule"]["name"]: each["source"] for each in listed["rules"]}
    assert sources == {"fixed": "configuration", "loud": "api"}
    changed = api.ask("PUT", f"{RULES}/loud", LOUD | {"severity": "critical", "hold": "5m"})
    assert changed["rule"]["severity"] == "critical"
    assert changed["rule"]["hold"] == "5m"
    assert api.ask("GET", f"{RULES}/loud") == changed
    assert api.ask("DELETE", f"{RULES}/loud") == {}
    api.refused("GET", f"{RULES}/loud", status=404, code="RULE_NOT_FOUND")
    assert names(api.ask("GET", RULES)) == {"fixed"}


def test_rules_of_users_are_their_own(api):
    rule = LOUD | {"topics": "radar:*"}
    as_user(api, "kari", "POST", RULES, rule, status=201)
    assert as_user(api, "kari", "GET", f"{RULES}/loud")["owner"] == "kari"
    assert names(as_user(api, "kari", "GET", RULES)) == {"loud"}
    assert names(as_user(api, "ola", "GET", RULES)) == set()
    for method in ("GET", "DELETE"):
        api.refused(
            method, f"{RULES}/loud", status=404, code="RULE_NOT_FOUND", headers=bearer("ola")
        )
    # The operator sees all of them, and has a name of the same kind for another rule.
    api.ask("POST", RULES, LOUD, status=201)
    owners = [each["owner"] for each in api.ask("GET", RULES)["rules"]]
    assert sorted(owners, key=str) == [None, None, "kari"]
    assert api.ask("GET", f"{RULES}/loud?owner=kari")["owner"] == "kari"
    assert api.ask("DELETE", f"{RULES}/loud?owner=kari") == {}
    assert names(as_user(api, "kari", "GET", RULES)) == set()
    assert api.ask("GET", f"{RULES}/loud")["owner"] is None


def test_rules_outlive_the_process(radar_hub, api):
    made = api.ask("POST", RULES, LOUD, status=201)
    radar_hub.kill()
    radar_hub.start()
    assert api.ask("GET", f"{RULES}/loud") == made


# Refusals


def lines(**values):
    """A rule with one key a line, the first on line 2."""
    rule = {"name": "loud", "topics": "radar:*", "when": "opinion.confidence > 1"} | values
    rows = [f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in rule.items()]
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode()


# By name: the content, the line of the problem, and a part of what is said of it.
REFUSED = {
    "a bad name": (lines(name="Loud!"), 2, "name"),
    "topics that are no pattern": (lines(topics="ra*dar"), 3, "topics"),
    "an unknown field": (lines(when="loudness > 1"), 4, "loudness"),
    "a field of another domain": (lines(when="score >= 70 and kp_index > 3"), 4, "kp_index"),
    "half a condition": (lines(when="opinion.confidence >"), 4, "column"),
    "no comparison": (lines(when="opinion.confidence"), 4, "column"),
    "a text compared by size": (lines(when='opinion.stance > "for"'), 4, "column"),
    "a condition without end": (lines(when="(" * 17 + "score > 1" + ")" * 17), 4, "column"),
    "a bad until": (lines(until="1 < 2"), 5, "until"),
    "a bad duration": (lines(hold="soon"), 5, "hold"),
    "a bad severity": (lines(severity="grave"), 5, "severity"),
    "an unknown key": (lines(holds="5m"), 5, "holds"),
    "an escalation downwards": (
        lines(severity="critical", escalate=[{"severity": "info", "when": "score > 1"}]),
        6,
        "escalate",
    ),
    "bad quiet hours": (lines(quiet={"from": "25:00", "to": "07:00"}), 5, "from"),
    "no name": (b'{"topics":"radar:*","when":"score > 1"}', 1, "name"),
    "no condition": (b'{"name":"loud","topics":"radar:*"}', 1, "when"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_rule_that_does_not_hold_up_is_refused_with_the_place(api, name):
    body, line, text = REFUSED[name]
    refusal = api.refused("POST", RULES, body, **INVALID_RULE)
    (problem, *_) = refusal["problems"]
    location = re.fullmatch(r"rule:(\d+):(\d+)", problem["location"])
    assert location, problem
    assert (int(location[1]), text in problem["message"]) == (line, True), problem
    assert problem["message"] in refusal["message"]
    api.refused("GET", f"{RULES}/loud", status=404, code="RULE_NOT_FOUND")


def test_every_problem_is_told_at_once(api):
    refusal = api.refused("POST", RULES, lines(when="loudness > 1", until="x > 1"), **INVALID_RULE)
    places = [each["location"].split(":")[1] for each in refusal["problems"]]
    assert places == ["4", "5"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff", b'"rule"'])
def test_content_that_is_no_rule_is_refused(api, body):
    api.refused("POST", RULES, body, **INVALID_RULE)


def test_length_of_a_rule_is_limited(api):
    longest = json.dumps(LOUD).encode().ljust(BYTES_MAX)
    assert api.send("POST", RULES, longest)[0] == 201
    api.refused("POST", RULES, longest + b" ", status=413, code="INVALID_REQUEST")


def test_names_are_taken_and_fixed(api):
    api.ask("POST", RULES, LOUD, status=201)
    api.refused("POST", RULES, LOUD, status=409, code="RULE_EXISTS")
    api.refused("POST", RULES, CONFIGURED, status=409, code="RULE_EXISTS")
    api.refused("PUT", f"{RULES}/other", LOUD, **INVALID_RULE)
    other = LOUD | {"name": "other"}
    api.refused("PUT", f"{RULES}/other", other, status=404, code="RULE_NOT_FOUND")
    api.refused("DELETE", f"{RULES}/other", status=404, code="RULE_NOT_FOUND")
    fixed = {"status": 409, "code": "RULE_CONFIGURED"}
    api.refused("PUT", f"{RULES}/fixed", CONFIGURED, **fixed)
    api.refused("DELETE", f"{RULES}/fixed", **fixed)


def test_nobody_without_credentials_sees_or_changes_rules(api):
    api.ask("POST", RULES, LOUD, status=201)
    requests = [("GET", RULES, None), ("POST", RULES, LOUD | {"name": "another"})]
    requests += [(method, f"{RULES}/loud", LOUD) for method in ("GET", "PUT", "DELETE")]
    stale = f"Bearer {connection_token('kari', ttl=-60)}"
    for headers in ({}, {"X-API-Key": "wrong"}, {"Authorization": stale}):
        for method, target, body in requests:
            api.refused(
                method, target, body, status=401, code="UNAUTHORIZED", headers=headers
            )
    assert names(api.ask("GET", RULES)) == {"fixed", "loud"}


def test_user_has_no_rule_for_what_the_user_may_not_read(api, radar):
    rule = LOUD | {"topics": f"radar:{radar}"}
    as_user(api, "kari", "POST", RULES, rule, status=201)
    for topics in (f"radar:{radar}", "radar:none"):
        api.refused(
            "POST",
            RULES,
            LOUD | {"topics": topics},
            status=403,
            code="FORBIDDEN",
            headers=bearer("ola"),
        )


def test_number_of_a_users_rules_is_limited(api):
    for number in range(RULES_PER_USER_MAX):
        as_user(api, "kari", "POST", RULES, LOUD | {"name": f"rule-{number}"}, status=201)
    api.refused("POST", RULES, LOUD, status=409, code="TOO_MANY_RULES", headers=bearer("kari"))
    as_user(api, "kari", "DELETE", f"{RULES}/rule-0")
    as_user(api, "kari", "POST", RULES, LOUD, status=201)


# Alerts


def test_crossing_is_told_once_on_the_topic_and_by_webhook_over_a_restart(
    stage, radar_hub, api, inbox, kari, radar
):
    webhook = api.active(inbox.url, types=["radar.alert.*"])
    topic = f"radar:{radar}:alerts"
    stream = stage.event_stream(radar_hub.port, [topic], token=connection_token("kari"))
    wait_until(lambda: stream.is_open, within=10, what="the stream is open")
    push(kari, radar, 0.95)
    api.ask("POST", RULES, LOUD, status=201)
    push(kari, radar, 0.6, 0.89, 0.95, 0.7, 0.97)
    radar_hub.kill()
    radar_hub.start()
    push(kari, radar, 0.99, 0.5, 0.95)
    push(kari, radar, 0.49, 0.3)
    raised, cleared = inbox.wait(2)
    assert (raised.type, cleared.type) == ("radar.alert.raised", "radar.alert.cleared")
    for each in (raised, cleared):
        each.verify(webhook["secret"])
        assert each.event["subject"] == radar
        assert each.event["data"]["rule"] == "loud"
        assert each.event["data"]["severity"] == "warning"
    assert raised.event["data"]["values"] == {"opinion.confidence": 0.95}
    assert cleared.event["data"]["alert_id"] == raised.event["data"]["alert_id"]
    assert cleared.event["data"]["reason"] == "over"
    wait_until(lambda: len(stream.events) >= 2, within=20, what="both are on the topic")
    assert [each.json() for each in stream.events] == [raised.event, cleared.event]


def test_rule_that_is_deleted_clears_its_alert(api, inbox, kari, radar):
    api.active(inbox.url, types=["radar.alert.*"])
    api.ask("POST", RULES, LOUD, status=201)
    push(kari, radar, 0.95)
    inbox.wait(1)
    api.ask("DELETE", f"{RULES}/loud")
    raised, cleared = inbox.wait(2)
    assert cleared.event["data"]["alert_id"] == raised.event["data"]["alert_id"]
    assert (cleared.type, cleared.event["data"]["reason"]) == ("radar.alert.cleared", "withdrawn")


def test_alert_of_a_users_rule_is_for_the_user_alone(stage, radar_hub, api, inbox, kari, radar):
    api.active(inbox.url, types=["radar.alert.*"])
    own = stage.event_stream(radar_hub.port, ["alerts:kari"], token=connection_token("kari"))
    other = stage.event_stream(radar_hub.port, ["alerts:kari"], token=connection_token("ola"))
    wait_until(lambda: own.is_open, within=10, what="the stream is open")
    as_user(api, "kari", "POST", RULES, LOUD, status=201)
    push(kari, radar, 0.95)
    wait_until(lambda: own.events, within=10, what="the alert")
    (event,) = [each.json() for each in own.events]
    assert (event["type"], event["data"]["rule"]) == ("radar.alert.raised", "loud")
    # The operator's rule is told by webhook, and comes after the user's.
    api.ask("POST", RULES, LOUD | {"name": "operators"}, status=201)
    push(kari, radar, 0.95)
    (delivery,) = inbox.wait(1)
    assert delivery.event["data"]["rule"] == "operators"
    assert other.events == []


def test_silence_keeps_webhooks_back_over_a_restart(radar_hub, api, inbox, kari, radar):
    api.active(inbox.url, types=["radar.alert.*"])
    push(kari, radar, 0.1)
    api.ask("POST", RULES, LOUD, status=201)
    until = (datetime.now(timezone.utc) + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    silence = api.ask("POST", f"{ALERTS}/silences", {"rule": "loud", "until": until}, status=201)
    radar_hub.kill()
    radar_hub.start()
    assert api.ask("GET", f"{ALERTS}/silences") == {"silences": [silence]}
    push(kari, radar, 0.95)
    (alert,) = api.ask("GET", f"{ALERTS}?state=active")["alerts"]
    assert (alert["subject"], alert["silenced"]) == (radar, True)
    api.ask("DELETE", f"{ALERTS}/silences/{silence['id']}")
    push(kari, radar, 0.1)
    (cleared,) = inbox.wait(1)
    assert cleared.type == "radar.alert.cleared", "the one that raised it was kept back"
    (past,) = api.ask("GET", f"{ALERTS}?state=past")["alerts"]
    assert (past["id"], past["reason"]) == (alert["id"], "over")
    kari.delete(radar)
    assert api.ask("GET", ALERTS) == {"alerts": []}
