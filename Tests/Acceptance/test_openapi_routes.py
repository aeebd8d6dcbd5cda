"""A hub that has every domain answers what protocol/openapi describes, and nothing beside it.

That it describes every route of the hub's own listing is a test of the hub: RouteListingTests.
"""

import http.client
import re

import pytest

from harness.domains import domains
from harness.hub import Response
from harness.openapi import PROTOCOL, methods_by_path, names, operations
from harness.provider_answers import interpretation, stance
from harness.stage import Stage
from harness.whole_hub import whole_hub

METHODS = "GET POST PUT PATCH DELETE".split()


def unnamed(path):
    """`/a/:id` and `/a/{name}` are the same path."""
    return re.sub(r"/(:\w+|\{\w+\})", "/{}", path)


def test_routes_of_the_pages_are_described():
    described = {(each.method.upper(), unnamed(each.path)) for each in operations()}
    met = set()
    for page in PROTOCOL.glob("*.md"):
        routes = re.findall(rf"`({'|'.join(METHODS)}) (/[\w/{{}}]+)(?=[`? ])", page.read_text())
        for method, path in routes:
            assert (method, unnamed(path)) in described, f"{page.name}: {method} {path}"
            met.add((method, unnamed(path)))
    assert len(met) >= 50


# A running hub


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    stage = Stage(tmp_path_factory.mktemp("routes"))
    try:
        # Nothing is asked of an upstream: that there are routes does not depend on data.
        provider = stage.provider(stance(), interpretation)
        yield whole_hub(stage, "http://127.0.0.1:9", provider).port
    finally:
        stage.close()


def ask(port, method, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, target)
        response = connection.getresponse()
        fields = {name.lower(): value for name, value in response.getheaders()}
        return Response(response.status, fields, response.read())
    finally:
        connection.close()


def example(path):
    """With a number for each parameter."""
    return re.sub(r"\{\w+\}", "1", path)


def is_nowhere(answer):
    """Whether it says that the hub has no such path, in the words of whatever app the path belongs to."""
    if answer.body == b"Not Found\n":
        return True
    return b"othing is at this path" in answer.body


def allowed(answer):
    return set(answer.headers["allow"].split(", "))


@pytest.mark.parametrize("path", sorted(methods_by_path()))
def test_path_has_the_described_methods_and_no_others(port, path):
    methods = methods_by_path()[path]
    options = ask(port, "OPTIONS", example(path))
    assert (options.status, allowed(options)) == (204, methods)
    for method in set(METHODS) - methods:
        refusal = ask(port, method, example(path))
        assert (refusal.status, allowed(refusal)) == (405, methods), method


def test_every_described_method_is_answered_by_its_route(port):
    """404 comes from a route alone where it is described, and 405 and 501 never."""
    for each in operations():
        answer = ask(port, each.method.upper(), example(each.path))
        assert answer.status not in (405, 501), each.name
        if answer.status == 404:
            assert "404" in each.statuses, each.name
            assert not is_nowhere(answer), each.name


def test_path_beside_the_described_ones_is_not_there(port):
    for path in sorted(methods_by_path()):
        beside = f"{example(path)}/none/at/all"
        answer = ask(port, "OPTIONS", beside)
        # Whatever stands where a radar's id belongs is taken for one.
        if path.startswith("/api/ws/radar/"):
            assert answer.status == 204
        else:
            assert answer.status == 404 and is_nowhere(answer), beside


def test_every_domain_has_a_description():
    of_hub = ["accounts", "alerts", "hub", "server-api", "webhooks"]
    found = ["activity", "aurora", "radar", *(domain.NAME for domain in domains())]
    assert names() == sorted([*of_hub, *found])
