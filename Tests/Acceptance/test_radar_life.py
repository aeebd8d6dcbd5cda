"""The whole life of a radar over every way to see it, and what its app makes of each answer."""

import re
import threading
from datetime import UTC, datetime, timedelta

import pytest

from harness.processes import REPOSITORY
from harness.provider_answers import CONTENT, DATED_MODELS, REASONING, held, recorded, stance
from harness.schemas import assert_fits
from harness.tokens import connection_token
from harness.waiting import wait_until

PATIENCE_SECONDS = 20.0
TOPIC = "four-day working week"
REFERENCE_DATE = datetime(2001, 1, 1, tzinfo=UTC)
# Of as many authors that no one's share is capped to nothing.
AUTHORS = ["ada", "ben", "cleo", "dan", "eva"]


class Watch:
    """Everything that can be watched of one radar, watched."""

    def __init__(self, stage, hub, app_socket, radar_id):
        self.topic = f"radar:{radar_id}"
        token = connection_token("ann")
        self.socket = app_socket(radar_id, token=token)
        self.sdk = stage.sdk(hub.port, [self.topic], token=token)
        self.stream = stage.event_stream(hub.port, [self.topic], token=token)
        wait_until(
            lambda: self.sdk.subscribed[self.topic] and self.stream.begin is not None,
            within=PATIENCE_SECONDS,
            what="everybody watches",
        )

    def wait_for(self, event_type, count=1):
        """The events of a type, when both readers of the topic have so many; exactly so many."""

        def found():
            sdk = [each for each in self.sdk.values(self.topic) if each["type"] == event_type]
            stream = [each.json() for each in self.stream.of_type(event_type)]
            return sdk if len(sdk) >= count and sdk == stream else None

        events = wait_until(
            found,
            within=PATIENCE_SECONDS,
            what=lambda: f"{count} of {event_type}: {self.sdk.values(self.topic)}",
        )
        for event in events:
            assert_fits(event, "radar-event")
            assert event["subject"] == event["data"]["radarId"] == self.topic.partition(":")[2]
        assert len(events) == count
        return [event["data"] for event in events]

    def wait_for_messages(self, message_type, count=1):
        messages = wait_until(
            lambda: (
                len(self.socket.of_type(message_type)) >= count
                and self.socket.of_type(message_type)
            ),
            within=PATIENCE_SECONDS,
            what=lambda: f"{count} of {message_type}: {self.socket.messages}",
        )
        assert len(messages) == count
        return messages


def test_whole_life_of_a_radar_is_what_its_app_decodes(
    stage, radar_hub, user, app_socket, provider, transcript
):
    ann, gate = user("ann"), threading.Event()
    provider.stance = held(stance(), gate)
    radar = ann.create(TOPIC)
    radar_id = radar["id"]
    assert (radar["topic"], radar["userId"], radar["isPublic"]) == (TOPIC, "ann", False)
    assert (radar["position"], radar["opinions"], radar["refreshCount"]) == ("neutral", [], 0)
    assert radar["interpretation"]["source"] == "lexical", "nobody was asked yet"
    assert radar["lastPolledAt"] == radar["createdAt"]
    watched = Watch(stage, radar_hub, app_socket, radar_id)
    (opening,) = watched.socket.opening
    assert_same_in_the_app(opening, ann.radar(radar_id))

    # The first poll comes by itself: the opinion of the one source.
    gate.set()
    polled = ann.polled(radar_id)
    (opinion,) = polled["opinions"]
    assert (opinion["stance"], opinion["confidence"]) == ("for", 0.8)
    assert (opinion["content"], opinion["reasoning"]) == (CONTENT, REASONING)
    assert opinion["model"] == DATED_MODELS["anthropic"]
    assert polled["refreshCount"] == 1
    assert polled["interpretation"]["tags"] == ["work", "hours"]
    assert [each["opinion"] for each in watched.wait_for("radar.opinion.created")] == [opinion]
    (refreshed,) = watched.wait_for("radar.refreshed")
    assert (refreshed["refreshCount"], refreshed["opinionsAdded"]) == (1, 1)
    assert_same_in_the_app(watched.wait_for_messages("newOpinion")[0], opinion)
    assert_same_in_the_app(watched.wait_for_messages("refresh")[0], polled)

    # It makes a position, which is the last change until others disagree.
    (change,) = watched.wait_for("radar.position.changed")
    assert (change["previous"], change["position"]) == ("neutral", "for")
    assert change["reason"]["en"] == "One new opinion for, one new source or author."
    assert (polled["position"], polled["positionChange"]["reason"]) == ("for", change["reason"])
    (change,) = watched.wait_for_messages("positionChange")
    assert change["data"] == {"position": {"_0": "for"}}

    # The second one is asked for.
    refreshed = ann.refresh(radar_id)
    assert refreshed.pop("pending") is False
    assert (refreshed["refreshCount"], len(refreshed["opinions"])) == (2, 2)
    assert_same_in_the_app(watched.wait_for_messages("refresh", 2)[1], refreshed)

    # Others are for it, too.
    pushed = [push(ann, radar_id, author) for author in AUTHORS]
    said = [*reversed(refreshed["opinions"]), *pushed]
    created = watched.wait_for("radar.opinion.created", len(said))
    assert [each["opinion"] for each in created] == said
    assert len(watched.wait_for_messages("newOpinion", len(said))) == len(said)
    assert len(watched.wait_for("radar.position.changed")) == 1, "and it stays what it is"
    now = ann.radar(radar_id)
    assert (now["position"], now["opinions"]) == ("for", said[::-1])
    assert ann.opinions(radar_id) == said[::-1]

    # The trend: all of it today.
    today = ann.trend(radar_id)["data"][-1]
    assert today["forCount"] == today["totalOpinions"] == len(said)
    assert watched.wait_for("radar.trend.changed", len(said))[-1]["point"] == today

    # What else the app asks for.
    assert ann.list() == [now]
    assert ann.interpret("a colder winter")["source"] != "lexical"
    assert_explained(ann.explain(radar_id), len(said))

    end(ann, radar_id, watched)
    transcript.assert_app_decodes_everything()
    kinds = {"radar", "radars", "opinion", "opinions", "trend", "interpretation", "error", "empty"}
    assert transcript.kinds() == kinds | {"update"}
    assert len(provider.questions(about=TOPIC)) == 2


def end(ann, radar_id, watched):
    """Deletes it: whoever watched is told so, and nobody finds it any more."""
    code, websocket_code = code_of_topic_removed()
    ann.delete(radar_id)
    wait_until(
        lambda: watched.sdk.unsubscribed.get(watched.topic) == code,
        within=PATIENCE_SECONDS,
        what=lambda: f"unsubscribed with {code}: {watched.sdk.unsubscribed}",
    )
    wait_until(
        lambda: watched.socket.closed and watched.socket.closed[0] == websocket_code,
        within=PATIENCE_SECONDS,
        what=lambda: f"the socket closed with {websocket_code}: {watched.socket.closed}",
    )
    wait_until(
        lambda: watched.stream.connections[0].end == "end of stream",
        within=PATIENCE_SECONDS,
        what="the end of the stream",
    )
    (told,) = watched.stream.unsubscribed
    assert told.json() == {"topic": watched.topic, "code": code, "reason": "topic removed"}
    base = f"/api/radars/{radar_id}"
    for method, path in [
        ("GET", base),
        ("DELETE", base),
        ("POST", f"{base}/refresh"),
        ("GET", f"{base}/opinions"),
        ("GET", f"{base}/trends"),
    ]:
        ann.refused(method, path, status=404, code="RADAR_NOT_FOUND")
    assert ann.list() == []


def test_trend_has_every_day_once_and_the_empty_ones_are_zero(user, transcript):
    ann = user("ann")
    radar_id = ann.create(TOPIC)["id"]
    ann.polled(radar_id)
    opinion = push(ann, radar_id, "ada", stance="against", confidence=0.4)
    midnight = datetime.fromisoformat(opinion["createdAt"]).replace(hour=0, minute=0, second=0)
    for query, days in {"": 7, "?days=1": 1, "?days=30": 30, "?days=365": 365}.items():
        trend = ann.trend(radar_id, query)
        assert trend["radarId"] == radar_id
        dates = [datetime.fromisoformat(point["date"]) for point in trend["data"]]
        assert dates == [midnight - timedelta(days=days - 1 - index) for index in range(days)]
        *empty, today = trend["data"]
        assert all(point["totalOpinions"] == point["averageConfidence"] == 0 for point in empty)
        assert (today["forCount"], today["againstCount"], today["neutralCount"]) == (1, 1, 0)
        assert today["averageConfidence"] == pytest.approx(0.6)
        assert trend["slope"] is None, "one day has no slope"
    for days in ["0", "366", "-1", "x", "1.5", ""]:
        target = f"/api/radars/{radar_id}/trends?days={days}"
        refused = ann.refused("GET", target, status=400, code="INVALID_REQUEST")
        assert "days" in refused.value["message"]
    transcript.assert_app_decodes_everything()


def test_radar_is_the_same_after_a_restart(radar_hub, user, transcript):
    ann = user("ann")
    first, second = (ann.create(topic)["id"] for topic in (TOPIC, "a second one"))
    ann.polled(first)
    ann.polled(second)
    push(ann, first, "ada")
    ann.change(second, isPublic=True)

    def everything():
        radars = [without_token(ann.radar(each)) for each in (first, second)]
        return [*radars, ann.trend(first), ann.opinions(first)]

    before = everything()
    radar_hub.interrupt()
    radar_hub.start()
    assert everything() == before
    assert [each["id"] for each in ann.list()] == [second, first]
    transcript.assert_app_decodes_everything()


def test_watcher_that_was_away_is_told_what_it_missed(stage, radar_hub, user):
    ann = user("ann")
    radar_id = ann.create(TOPIC, isPublic=True)["id"]
    ann.polled(radar_id)
    topic = f"radar:{radar_id}"
    sdk = stage.sdk(radar_hub.port, [topic])
    wait_until(lambda: sdk.subscribed[topic], within=PATIENCE_SECONDS, what="subscribed")
    push(ann, radar_id, "ada")
    created = "radar.opinion.created"
    wait_until(
        lambda: [each for each in sdk.values(topic) if each["type"] == created],
        within=PATIENCE_SECONDS,
        what="the opinion that was pushed",
    )
    radar_hub.kill()
    radar_hub.start()
    missed = push(ann, radar_id, "ben")
    wait_until(
        lambda: missed in [each["data"].get("opinion") for each in sdk.values(topic)],
        within=PATIENCE_SECONDS,
        what="the opinion of the time without a connection",
    )
    offsets = sdk.offsets(topic)
    assert offsets == list(range(offsets[0], offsets[0] + len(offsets)))


@pytest.mark.parametrize("hub_sources", [[]])
def test_hub_without_sources_works_with_what_is_pushed(user, provider, transcript):
    ann = user("ann")
    radar = ann.create(TOPIC)
    assert radar["interpretation"]["source"] == "lexical"
    assert ann.interpret("a colder winter")["source"] == "lexical"
    refreshed = ann.refresh(radar["id"])
    assert (refreshed["opinions"], refreshed["position"]) == ([], "neutral")
    for author in AUTHORS:
        push(ann, radar["id"], author, stance="against")
    assert ann.radar(radar["id"])["position"] == "against"
    assert provider.question_count == 0
    transcript.assert_app_decodes_everything()


@pytest.mark.parametrize("hub_sources", [[{"name": "sample", "kind": "sample"}]])
def test_sample_source_says_what_it_is(radar_hub, user, provider, transcript):
    ann = user("ann")
    radar_id = ann.create(TOPIC)["id"]
    opinions = ann.polled(radar_id)["opinions"]
    assert opinions
    assert {(each["author"], each["model"]) for each in opinions} == {("sample", "sample")}
    assert provider.question_count == 0
    assert "sample" in radar_hub.log, "a notice at the start"
    transcript.assert_app_decodes_everything()


def test_interpretation_of_a_provider_that_only_talks_is_the_lexical_one(user, provider):
    provider.interpretation = recorded("anthropic-text-only")
    found = user("ann").interpret("Should Tromsø build a tramway?")
    assert found["source"] == "lexical"
    assert "tramway" in found["tags"]


# What is said


def push(api, radar_id, author, **values):
    opinion = {"model": "none", "content": "So I say.", "stance": "for", "confidence": 0.8}
    return api.push(radar_id, author=author, **(opinion | values))


def assert_same_in_the_app(message, value):
    """The data of a message are those of an answer, but for the form of dates."""
    (inner,) = message["data"].values()
    assert plain(inner["_0"]) == without_token(value)


def without_token(value):
    """As others than the owner see a radar, and the app at its socket."""
    return value | {"socketToken": None} if "socketToken" in value else value


def plain(value):
    """With dates as answers have them."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if not isinstance(value, dict):
        return value
    dates = {"createdAt", "updatedAt", "lastPolledAt", "startedAt", "time"}
    return {key: date(each) if key in dates else plain(each) for key, each in value.items()}


def date(seconds):
    return (REFERENCE_DATE + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def assert_explained(explanation, opinion_count):
    """The numbers behind a position: all opinions are for it, and as sure as each other."""
    assert explanation["position"] == "for"
    assert explanation["score"] == pytest.approx(1.0)
    assert explanation["counts"]["total"] == opinion_count
    # Those of one source on one day, and those that were pushed with one key, are not independent.
    assert 2 < explanation["effectiveSampleSize"] < 3
    assert explanation["effectiveProviders"] == pytest.approx(2)
    assert explanation["certainty"] != "insufficient"


def code_of_topic_removed():
    """The code of the unsubscribe, and that of the socket's close, as they are documented."""
    text = (REPOSITORY / "protocol/close-codes.md").read_text()
    codes = [int(each) for each in re.findall(r"^\| (\d+) \| topic removed \|", text, re.MULTILINE)]
    found = re.search(r"^\| 3\d+ \| topic removed \| no \| (\d+) \|", text, re.MULTILINE)
    (unsubscribe,) = [code for code in codes if code < 2500]
    return unsubscribe, int(found[1])
