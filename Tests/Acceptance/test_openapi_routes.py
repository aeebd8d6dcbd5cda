"""protocol/openapi describes every route that the hub has, and no other.

What the hub has is read from its sources, and asked of a hub that has every domain.
"""

import http.client
import re

import pytest

from harness.hub import Response
from harness.openapi import PROTOCOL, methods_by_path, names, operations
from harness.processes import REPOSITORY
from harness.provider_answers import interpretation, stance
from harness.stage import Stage
from harness.whole_hub import whole_hub

SOURCES = REPOSITORY / "Sources"
# For measuring, where the configuration has it: no app is written against it.
NOT_DESCRIBED = {"/echo"}
METHODS = "GET POST PUT PATCH DELETE".split()


def source(path):
    return (SOURCES / path).read_text()


def unnamed(path):
    """`/a/:id` and `/a/{name}` are the same path."""
    return re.sub(r"/(:\w+|\{\w+\})", "/{}", path)


def routes_of_the_table():
    """Of `routes.get("/path")`, in whichever file; the path may be a constant of the file."""
    for path in SOURCES.rglob("*.swift"):
        text = path.read_text()
        if "inout Routes" not in text:
            continue
        for call, argument in re.findall(r"\broutes\.(\w+)(?:\(\s*([^,)\s]*))?", text):
            constant = re.search(rf'let {re.escape(argument)} = ("[^"]+")', text)
            literal = constant[1] if constant else argument
            readable = call.upper() in METHODS and re.fullmatch(r'"/[^"\\]*"', literal)
            assert readable, f"{path}: routes.{call}({argument}"
            yield call.upper(), literal.strip('"')


def cases(text, name):
    """The raw values of an enumeration of texts."""
    body = re.search(rf"^( *)[\w ]*enum {name}\b.*?^\1}}", text, re.DOTALL | re.MULTILINE)[0]
    for line in re.findall(r"^ +case (\w.*)$", body, re.MULTILINE):
        for each in line.split(", "):
            word, _, value = each.partition(" = ")
            yield value.strip('"') or word


def routes_beside_the_table():
    """Of the parts that answer without it."""
    aurora = source("HubServer/Routes/AuroraAPI.swift")
    prefix = re.search(r'pathPrefix = "(.+)"', aurora)[1]
    for endpoint in cases(aurora, "Endpoint"):
        yield "GET", prefix + endpoint
    for method in cases(source("ClientWire/ServerAPI/ServerAPIMethod.swift"), "ServerAPIMethod"):
        yield "POST", f"/api/{method}"
    yield "GET", re.search(r'whyPath = "(.+)"', source("HubServer/API/WhyRoute.swift"))[1]
    shard = source("HubServer/Shard/Shard+HTTP.swift")
    for path in set(re.findall(r'^ +case "(/.+?)"', shard, re.MULTILINE)):
        yield "GET", path
    yield "GET", re.search(r'radarSocketPrefix = "(.+)"', shard)[1] + ":id"


def test_routes_of_the_sources_are_described_and_no_others():
    table, beside = set(routes_of_the_table()), set(routes_beside_the_table())
    assert len(table) >= 50 and len(beside) >= 20
    has = {(method, unnamed(path)) for method, path in table | beside}
    described = {(each.method.upper(), unnamed(each.path)) for each in operations()}
    assert has - described == {("GET", path) for path in NOT_DESCRIBED}
    assert described - has == set()


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
    assert names() == sorted(
        ["activity", "alerts", "aurora", "hub", "radar", "server-api", "webhooks"]
    )
