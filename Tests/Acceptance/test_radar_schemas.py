"""The schemas of protocol/schemas: they take what the hub's own vectors have, and nothing else."""

import json

import pytest
from jsonschema import Draft202012Validator

from harness.processes import REPOSITORY
from harness.schemas import DIRECTORY, assert_fits, names, problems_of
from harness.spoilings import spoilings

VECTORS = json.loads((REPOSITORY / "protocol/vectors/radar.json").read_text())
FORMS = {
    "opinion": "radar-opinion",
    "opinions": "radar-opinion",
    "radar": "radar",
    "radars": "radar",
    "interpretation": "radar-interpretation",
    "trend": "radar-trend",
    "update": "radar-update",
}


def values():
    """What is in the vectors, one by one, with the schema for it."""
    for form in VECTORS["forms"]:
        value = json.loads(form["text"])
        for each in value if isinstance(value, list) else [value]:
            yield FORMS[form["kind"]], each
    for event in VECTORS["events"]:
        yield "radar-event", json.loads(event["text"])


@pytest.mark.parametrize("name", names())
def test_schema_is_one(name):
    schema = json.loads((DIRECTORY / f"{name}.json").read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"{name}.json"


def test_what_the_vectors_have_fits():
    assert {schema for schema, _ in values()} == {*FORMS.values(), "radar-event"}
    for schema, value in values():
        assert_fits(value, schema)


def test_value_with_one_key_less_or_more_or_of_another_type_does_not_fit():
    for schema, value in values():
        for description, spoiled in spoilings(value):
            if schema == "radar-event" and description in ("without datacontenttype", "with more"):
                # CloudEvents allows both.
                continue
            if description == "without pending":
                # Only answers to refreshes and to interpretations have it.
                continue
            assert problems_of(spoiled, schema), f"{schema} {description}: {spoiled}"


@pytest.mark.parametrize(
    "date",
    [
        "2026-01-02T10:00:00.000Z",
        "2026-01-02T10:00:00.5Z",
        "2026-01-02T10:00:00+00:00",
        "2026-01-02T10:00:00",
        "2026-01-02",
        789040800,
    ],
)
def test_date_that_is_not_in_whole_seconds_does_not_fit(date):
    opinion = next(value for schema, value in values() if schema == "radar-opinion")
    assert_fits(opinion, "radar-opinion")
    assert problems_of(opinion | {"createdAt": date}, "radar-opinion")
