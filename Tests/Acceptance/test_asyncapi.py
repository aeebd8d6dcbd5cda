"""/asyncapi.json: valid AsyncAPI, and publications fit the schemas that it names."""

import json
import re
import urllib.request

import pytest
from asyncapi3.models.asyncapi import AsyncAPI3

from harness.provider_answers import interpretation, stance
from harness.schemas import assert_fits
from harness.settings import API_KEY
from harness.stage import Stage
from harness.waiting import wait_until
from harness.whole_hub import whole_hub

PATIENCE_SECONDS = 30.0


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("asyncapi"))
    replay = stage.replay()
    provider = stage.provider(stance(), interpretation)
    yield whole_hub(stage, f"http://127.0.0.1:{replay}", provider)
    stage.close()


def get(hub, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{hub.port}{path}", timeout=10) as answer:
        return json.load(answer)


def post(hub, path, value):
    request = urllib.request.Request(
        f"http://127.0.0.1:{hub.port}{path}",
        json.dumps(value).encode(),
        {"X-API-Key": API_KEY, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def history(hub, topic):
    result = post(hub, "/api/history", {"channel": topic, "limit": 100})["result"]
    return [each["data"] for each in result["publications"]]


def schema_of(document, address):
    channel = next(each for each in document["channels"].values() if each["address"] == address)
    reference = channel["messages"]["publication"]["payload"]["schema"]["$ref"]
    return re.fullmatch(r"schemas/([a-z-]+)\.json", reference)[1]


def test_document_is_valid_and_names_schemas_that_are_served(running):
    document = get(running, "/asyncapi.json")
    AsyncAPI3.model_validate(document)
    addresses = {each["address"] for each in document["channels"].values()}
    assert {"aurora:{place}", "radar:{id}", "activity:{userId}", "hub:webhooks"} <= addresses
    references = re.findall(r'"(schemas/[^"]+)"', json.dumps(document))
    assert references
    for reference in references:
        assert get(running, f"/{reference}")["$id"] == reference.removeprefix("schemas/")


@pytest.mark.parametrize("spoil", [("asyncapi", None), ("info", {}), ("channels", {"a": {"address": 7}})])
def test_validator_refuses_what_is_not_asyncapi(running, spoil):
    document = get(running, "/asyncapi.json")
    document[spoil[0]] = spoil[1]
    with pytest.raises(ValueError):
        AsyncAPI3.model_validate(document)


def test_publications_of_a_domain_fit_their_schema(running):
    schema = schema_of(get(running, "/asyncapi.json"), "aurora:{place}")
    for event in wait_until(
        lambda: history(running, "aurora:tromso"), within=PATIENCE_SECONDS, what="no conditions"
    ):
        assert_fits(event, schema)


def test_alerts_fit_their_schema(running):
    schema = schema_of(get(running, "/asyncapi.json"), "alerts:{user}")
    rule = {"name": "many", "topics": "chat:numbers", "when": "n > 1"}
    post(running, "/api/alerts/rules", rule)
    post(running, "/api/publish", {"channel": "chat:numbers", "data": {"n": 2}})
    post(running, "/api/publish", {"channel": "chat:numbers", "data": {"n": 0}})
    topic = "chat:numbers:alerts"
    wait_until(
        lambda: len(history(running, topic)) == 2, within=PATIENCE_SECONDS, what="two events"
    )
    states = []
    for event in history(running, topic):
        assert_fits(event, schema)
        states.append(event["data"]["state"])
    assert states == ["raised", "cleared"]
