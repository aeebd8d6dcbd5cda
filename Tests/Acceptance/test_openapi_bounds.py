"""The bounds of protocol/openapi are the hub's: what lies on one is taken, what lies beyond is not.

Those of the server API, which answers errors with 200, are in its vectors.
"""

import time

import pytest

from harness.described import DescribedHub, example_of, headers_for, target_of
from harness.domains import domains
from harness.openapi import operations
from harness.provider_answers import interpretation, stance
from harness.settings import API_KEY
from harness.stage import Stage
from harness.tokens import connection_token
from harness.whole_hub import AURORA_KEY, whole_hub

# A value of the right length alone is not good, or one of another kind is ignored.
OTHER_RULES = {
    "when",
    "until",
    "escalate",
    "provider",
    "token",
    "url",
    "avatar_url",
    "explain",
    "language",
    "cf_ws_frame_ping_pong",
}
# The name in the path has to be that of the rule.
OTHER_OPERATIONS = {"replaceRule"}


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("bounds"))
    try:
        provider = stage.provider(stance(), interpretation)
        yield whole_hub(stage, "http://127.0.0.1:9", provider).port
    finally:
        stage.close()


@pytest.fixture(scope="module")
def hub(port):
    return DescribedHub(port)


@pytest.fixture(scope="module")
def callers(hub):
    """By description: the headers, and an id of something that is the caller's."""
    key = {"X-API-Key": API_KEY}
    kari = {"Authorization": f"Bearer {connection_token('kari')}"}
    radar = hub.ask("POST", "/api/radars", {"topic": "trams"}, status=201, headers=kari)
    webhook = {"url": "https://hooks.example.org/in"}
    made = hub.ask("POST", "/api/webhooks", webhook, status=201, headers=key)
    # Nobody makes friends with oneself, and the examples are about the first two.
    for name in ("Ola", "Anne"):
        hub.ask("POST", "/auth/login", {"provider": "development", "token": name})
    login = hub.ask("POST", "/auth/login", {"provider": "development", "token": "Kari"})
    return {
        "hub": (key, ""),
        "aurora": ({"X-API-Key": AURORA_KEY}, ""),
        "radar": (kari | key, radar["id"]),
        "webhooks": (key, made["id"]),
        "alerts": (key, "none"),
        "activity": ({"Authorization": f"Bearer {login['access_token']}"}, "1"),
        **{domain.NAME: domain.caller(hub) for domain in domains()},
    }


def beside(operation):
    """What a query has beside the parameter that is tried."""
    found = {}
    for domain in domains():
        found |= domain.BESIDE.get(operation.id, {})
    return found


def cases_of(schema):
    """Values on the bounds and beyond, with whether they are taken."""
    if "minimum" in schema:
        yield schema["minimum"], True
        yield schema["minimum"] - 1, False
    if "maximum" in schema:
        yield schema["maximum"], True
        yield schema["maximum"] + 1, False
    if "maxLength" in schema:
        yield "a" * schema["maxLength"], True
        yield "a" * (schema["maxLength"] + 1), False
    if schema.get("minLength") == 1:
        yield "", False
    # Lists of objects are for the tests of their domain.
    if "maxItems" in schema and schema["items"].get("type") != "object":
        words = schema["items"].get("enum", [])
        for count, is_taken in ((schema["maxItems"], True), (schema["maxItems"] + 1, False)):
            yield [words[0] if words else f"a{n}" for n in range(count)], is_taken
    for word in schema.get("enum", []):
        yield word, True
    if "enum" in schema:
        yield "another", False


def bounds():
    """Operation, `query` or `body`, name, value, and whether it is taken."""
    for operation in operations():
        if operation.document == "server-api" or operation.id in OTHER_OPERATIONS:
            continue
        query = [each for each in operation.parameters if each.value["in"] == "query"]
        fields = operation.body.child("properties").children() if operation.body else ()
        places = [("query", each.value["name"], each.child("schema").value) for each in query]
        places += [("body", name, schema.value) for name, schema in fields]
        for place, name, schema in places:
            if name not in OTHER_RULES:
                for value, is_taken in cases_of(schema):
                    yield operation, place, name, value, is_taken


def name_of(case):
    operation, place, name, value, _ = case
    shown = value if len(str(value)) < 20 else f"{len(value)} long"
    return f"{operation.id} {place} {name} {shown}"


def test_there_are_bounds():
    assert len(list(bounds())) >= 100


@pytest.mark.parametrize("case", list(bounds()), ids=name_of)
def test_value_on_a_bound_is_taken_and_one_beyond_is_not(hub, callers, case):
    operation, place, name, value, is_taken = case
    headers, own_id = callers[operation.document]
    query = beside(operation)
    body = example_of(operation)
    if place == "query":
        query |= {name: ",".join(value) if isinstance(value, list) else value}
    else:
        body = body | {name: value}
    target = target_of(operation, own_id, **query)
    request = (operation.method.upper(), target, body)
    answered = hub.ask_any(*request, headers=headers_for(operation, headers))
    while answered == 429 and target.startswith("/auth/"):
        # All tests here share the rate of one address.
        time.sleep(0.5)
        answered = hub.ask_any(*request, headers=headers_for(operation, headers))
    assert (answered != 400) == is_taken, answered


WITH_BODIES = [each for each in operations() if each.body and each.document != "server-api"]


@pytest.mark.parametrize("operation", WITH_BODIES, ids=lambda each: each.id)
def test_required_field_has_to_be_there_and_a_further_one_only_where_it_is_allowed(
    hub, callers, operation
):
    headers, own_id = callers[operation.document]
    example = example_of(operation)

    def answered(body):
        return hub.ask_any(
            operation.method.upper(),
            target_of(operation, own_id),
            body,
            headers=headers_for(operation, headers),
        )

    schema = operation.body.value
    for name in schema.get("required", []):
        assert answered({key: example[key] for key in example if key != name}) == 400, name
    if operation.id not in OTHER_OPERATIONS:
        is_allowed = schema.get("additionalProperties", True)
        assert (answered(example | {"more": 1}) != 400) == is_allowed
