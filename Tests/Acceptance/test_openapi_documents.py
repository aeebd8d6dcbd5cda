"""The descriptions of protocol/openapi by themselves: OpenAPI 3.1, and examples that fit."""

import json

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from harness.openapi import (
    DIRECTORY,
    SHARED,
    Node,
    all_operations,
    examples_of,
    names,
    operation,
    uri,
)


def document(name):
    return json.loads((DIRECTORY / f"{name}.json").read_text())


def problems_of(document, name):
    validator = OpenAPIV31SpecValidator(document, base_uri=(DIRECTORY / f"{name}.json").as_uri())
    return [str(each) for each in validator.iter_errors()]


@pytest.mark.parametrize("name", [SHARED, *names()])
def test_description_is_valid_openapi(name):
    assert document(name)["openapi"] == "3.1.0"
    assert problems_of(document(name), name) == []


def without_description(operation):
    del operation["responses"]["200"]["description"]


def with_path_parameter_that_no_path_has(operation):
    operation["parameters"] = [
        {"name": "none", "in": "path", "required": False, "schema": {"type": "string"}}
    ]


def with_default_that_does_not_fit(operation):
    operation["parameters"] = [
        {"name": "n", "in": "query", "schema": {"type": "integer", "default": "one"}}
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        without_description,
        with_path_parameter_that_no_path_has,
        with_default_that_does_not_fit,
    ],
)
def test_spoiled_description_is_found_out(spoil):
    spoiled = document("hub")
    spoil(spoiled["paths"]["/livez"]["get"])
    assert problems_of(spoiled, "hub")


def references(value, base):
    """Every place that is referred to, as URI and pointer."""
    if isinstance(value, dict):
        if "$ref" in value:
            yield Node(base, "").target(value["$ref"])
        for each in value.values():
            yield from references(each, base)
    elif isinstance(value, list):
        for each in value:
            yield from references(each, base)


def test_every_reference_leads_somewhere_and_every_component_is_referred_to():
    met = set()
    for name in [SHARED, *names()]:
        for target in references(document(name), uri(name)):
            assert target.value is not None
            met.add((target.uri, target.pointer))
    components = {
        (uri(name), f"/components/{kind}/{component}")
        for name in [SHARED, *names()]
        for kind, part in document(name)["components"].items()
        for component in part
        # Those are named, not referred to.
        if kind != "securitySchemes"
    }
    assert components - met == set()


def test_operations_have_names_of_their_own():
    ids = [each.id for each in all_operations()]
    assert len(ids) == len(set(ids)) >= 80


def test_operations_say_what_happens_without_credentials_and_what_may_happen_to_any_request():
    for each in all_operations():
        assert "default" in each.statuses, each.name
        needs = each.security and {} not in each.security
        assert not needs or "401" in each.statuses, each.name
        assert "parameters" in each.node, f"{each.name}: not even X-Request-ID"


def contents(operation):
    """Every body that an operation takes or gives, with its place."""
    if "requestBody" in operation.node:
        for _, media in operation.node.child("requestBody", "content").children():
            yield "request", media
    for status, response in operation.node.child("responses").children():
        if "content" in response:
            for _, media in response.child("content").children():
                yield status, media


def test_every_json_has_an_example_and_every_example_fits_its_schema():
    for each in all_operations():
        for place, media in contents(each):
            found = list(examples_of(media))
            where = f"{each.name} {place}"
            assert found or media.pointer.endswith("text~1plain"), where
            for example in found:
                assert media.child("schema").problems(example) == [], where


@pytest.mark.parametrize(
    "target, status, changes",
    [
        ("/api/aurora/now", "200", {"score": "high"}),
        ("/api/aurora/now", "200", {"more": 1}),
        ("/api/radars", "401", {"code": "NOBODY"}),
        ("/movies/1", "401", {"error": "nobody"}),
        ("/api/health", "200", {"time": "today"}),
    ],
)
def test_example_with_another_value_does_not_fit(target, status, changes):
    media = operation("GET", target).node.child("responses", status, "content", "application/json")
    example = next(examples_of(media))
    assert media.child("schema").problems(example) == []
    assert media.child("schema").problems(example | changes)
