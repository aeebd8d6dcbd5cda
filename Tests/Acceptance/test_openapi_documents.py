"""The descriptions of protocol/openapi by themselves: OpenAPI 3.1, and examples that fit."""

import json
import re
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from harness.openapi import (
    DIRECTORY,
    PROTOCOL,
    SHARED,
    Node,
    all_operations,
    examples_of,
    names,
    operation,
    uri,
)
from harness.provider_answers import interpretation, stance
from harness.stage import Stage
from harness.whole_hub import whole_hub


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


# Served by a hub


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A hub with every domain; nothing is asked of an upstream."""
    stage = Stage(tmp_path_factory.mktemp("documents"))
    try:
        yield whole_hub(stage, "http://127.0.0.1:9", stage.provider(stance(), interpretation))
    finally:
        stage.close()


def served_names(hub):
    return [name.removesuffix(".json") for name in hub.get("/openapi/index.json").json()["documents"]]


def test_served_descriptions_are_the_files(served):
    # A hub with users of its own has no accounts beside them.
    assert served_names(served) == sorted(set(names()) - {"accounts"})
    for folder, paths in (
        ("openapi", [DIRECTORY / f"{name}.json" for name in [SHARED, *served_names(served)]]),
        ("schemas", (PROTOCOL / "schemas").glob("*.json")),
    ):
        for path in paths:
            if path.stem.startswith("accounts"):
                continue
            answer = served.get(f"/{folder}/{path.name}")
            assert answer.status == 200, path
            assert answer.headers["content-type"] == "application/json; charset=utf-8"
            assert answer.body == path.read_bytes(), path


def test_every_reference_resolves_over_http(served):
    base = f"http://127.0.0.1:{served.port}/openapi/"
    contents, waiting = {}, [urljoin(base, f"{name}.json") for name in served_names(served)]
    while waiting:
        url = waiting.pop()
        if url in contents:
            continue
        answer = served.get(urlsplit(url).path)
        assert answer.status == 200, url
        contents[url] = answer.json()
        waiting += [target.partition("#")[0] for target in targets(contents[url], url)]
    assert len(contents) >= 40
    for url, content in contents.items():
        for target in targets(content, url):
            address, _, pointer = target.partition("#")
            found = contents[address]
            for part in unquote(pointer).split("/")[1:]:
                found = found[part.replace("~1", "/").replace("~0", "~")]
            assert found is not None, target


def targets(value, base):
    """Every absolute address that is referred to."""
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield urljoin(base, value["$ref"])
        for each in value.values():
            yield from targets(each, base)
    elif isinstance(value, list):
        for each in value:
            yield from targets(each, base)


def test_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(served):
    answer = served.get("/openapi/")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy)
    assert "unsafe" not in answer.headers["content-security-policy"]
    text = answer.body.decode()
    links = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert set(links) == {"data:,", "page.css", "page.js", "#routes", "index.json"}
    assert not re.search(r"<script(?![^>]*src)|\son\w+=|style=", text)
    script = served.get("/openapi/page.js").body.decode()
    assert not re.search(r"https?://|innerHTML|eval\(", script)


def test_refusal_without_a_key_names_the_page(served):
    answer = served.get("/api/aurora/now", {"X-API-Key": "unknown"})
    assert answer.status == 403
    url = urlsplit(answer.json()["documentation"])
    assert url.netloc == f"127.0.0.1:{served.port}"
    assert served.get(url.path).status == 200


def test_hub_without_descriptions_has_none_of_their_paths(stage):
    hub = stage.hub()
    hub.configure("http:\n  openapi: false\n")
    hub.start()
    for path in ("/openapi", "/openapi/", "/openapi/hub.json", "/schemas/accounts-error.json"):
        assert hub.get(path).status == 404, path


def test_hub_serves_only_the_descriptions_of_parts_that_are_on(stage):
    hub = stage.hub()
    hub.configure("development: true\naccounts: {}\n")
    hub.start()
    assert served_names(hub) == ["accounts", "alerts", "hub", "server-api", "webhooks"]
    for path in ("/openapi/radar.json", "/schemas/radar.json", "/openapi/page.html", "/openapi/..%2fschemas"):
        assert hub.get(path).status == 404, path
    assert hub.get("/schemas/accounts-error.json").status == 200
