"""Alert rules and webhooks look at what friends do as at everything else."""

import json

import pytest

from harness.film_app import FilmApp, film_hub
from harness.settings import API_KEY
from harness.waiting import wait_until

PATIENCE_SECONDS = 10
RULE = {"name": "must-see", "when": 'type == "review" and rating >= 5', "severity": "warning"}


@pytest.fixture
def receiver(stage):
    return stage.receiver()


@pytest.fixture
def hub(stage, receiver):
    endpoint = {
        "name": "friends",
        "url": receiver.url,
        "secret": "whsec_dmFyZGUtZGVtby1zZWNyZXQtMDAwMDAwMDA=",
        "types": ["activity.created", "activity.deleted", "activity.alert.*"],
    }
    return film_hub(stage, f"webhooks: [{json.dumps(endpoint)}]")


def rate(app, person, film, stars, **more):
    app.ask("POST", f"/movies/{film}/rate", person.token, {"rating": stars, **more})


def test_rule_over_friends_acts_tells_once_and_goes_on_over_a_crash(stage, hub, receiver):
    app = FilmApp(hub.port)
    kari, ola = app.log_in("Kari"), app.log_in("Ola")
    app.befriend(kari, ola)
    made = app.call(
        "POST", "/api/alerts/rules", ola.token, RULE | {"topics": ola.topic}
    )
    assert made.status == 201, made
    stranger = app.call(
        "POST", "/api/alerts/rules", kari.token, RULE | {"topics": ola.topic}
    )
    assert stranger.status == 403, stranger
    operators = app.call(
        "POST", "/api/alerts/rules", "", RULE | {"topics": "activity:*"}, X_API_Key=API_KEY
    )
    assert operators.status == 201, operators
    topics = [f"alerts:{ola.id}", f"{ola.topic}:alerts"]
    client = stage.sdk(hub.port, topics, token=ola.token)
    wait_until(
        lambda: all(client.subscribed[topic] for topic in topics),
        within=PATIENCE_SECONDS,
        what="Ola is subscribed",
    )

    def told(topic):
        return [data["type"] for _, data in client.publications[topic]]

    rate(app, kari, 1, 3)
    rate(app, kari, 2, 5, comment="Go.", is_review=True)
    rate(app, kari, 3, 5, comment="Go there, too.", is_review=True)
    for topic in topics:
        wait_until(
            lambda topic=topic: told(topic) == ["activity.alert.raised"],
            within=PATIENCE_SECONDS,
            what=f"{topic} is told once",
        )
    hub.kill()
    hub.start()
    rate(app, kari, 4, 1)
    for topic in topics:
        wait_until(
            lambda topic=topic: told(topic)
            == ["activity.alert.raised", "activity.alert.cleared"],
            within=PATIENCE_SECONDS,
            what=f"{topic} is told that it is over",
        )

    def delivered():
        # At least once: over the crash some come again, under the same id.
        return list({each.id: each.event["type"] for each in receiver.genuine}.values())

    expected = ["activity.created"] * 4 + ["activity.alert.raised", "activity.alert.cleared"]
    wait_until(
        lambda: sorted(delivered()) == sorted(expected),
        within=PATIENCE_SECONDS,
        what=lambda: f"the webhook has everything once: {delivered()}",
    )
