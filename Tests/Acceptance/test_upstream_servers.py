"""The hub's own HTTP client against independent servers.

No request is lost, and each answer is the one to its request: `upstream-check` compares every
content, see Tests/UpstreamServers. ABUSE=full makes ten thousand requests in each test.
"""

import signal
import threading

import pytest

from harness.certificate import Certificate
from harness.sizes import size
from harness.upstream_check import CONCURRENCY, check, write_contents
from harness.web_servers import HOST, caddy, haproxy, nginx, node, python, squid

REQUESTS = size("REQUESTS", small=300, full=10_000)

SERVERS = [python, nginx, haproxy, caddy, node]
# Servers end connections that are idle for this time. The client pauses for the same time, give or
# take the spread, so that connections often end while a request is sent.
IDLE_MILLISECONDS = 20
SPREAD_MILLISECONDS = 2
# Node adds this to its timeout, to make exactly that rare.
NODE_EXTRA_MILLISECONDS = 1000
NODE_CONCURRENCY = 256
CLOSES_AFTER = 100
CROWD = 200
RECONFIGURATION_SECONDS = 0.1
# With characters that a URL has to escape.
CREDENTIALS = ("varde", "p@ss word")
PASSWORD_IN_URL = "p%40ss%20word"

every_server = pytest.mark.parametrize("make", SERVERS, ids=lambda make: make.__name__)


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Certificate(tmp_path_factory.mktemp("authority"), names=f"DNS:{HOST}")


@pytest.fixture(params=["http", "https"])
def scheme(request):
    return request.param


@pytest.fixture
def certificate(scheme, authority):
    """The server's; None for plain text."""
    return authority if scheme == "https" else None


@pytest.fixture
def checked(stage, scheme, authority, record_property):
    """Makes requests to a server. Fails if any is lost or has a wrong answer."""
    write_contents(stage.directory)

    def run(server, *options, **others):
        options = ["--authority", authority.path, *options]
        result = check(scheme, server.port, REQUESTS, *options, **others)
        for name in ("requests", "seconds", "connections", "reused", "errors", "loop_delay_p99_ms"):
            record_property(name, result[name])
        assert result.is_good, result.values
        return result

    return run


@every_server
def test_every_answer_is_the_one_to_its_request(stage, make, certificate, checked):
    result = checked(make(stage, certificate=certificate))
    # Both sides keep their connections.
    assert result["connections"] <= CONCURRENCY


@pytest.mark.parametrize("make", [nginx, node], ids=lambda make: make.__name__)
def test_two_hundred_requests_at_a_time(stage, make, certificate, checked):
    # A client for each, as the requests of one client wait for the connections that it may have.
    result = checked(make(stage, certificate=certificate), "--apart", concurrency=CROWD)
    assert result["connections"] <= CROWD


@every_server
def test_posted_content_comes_back(stage, make, certificate, checked):
    result = checked(make(stage, certificate=certificate), "--post")
    assert result["connections"] <= CONCURRENCY


@every_server
def test_content_is_sent_when_the_server_asks_for_it(stage, make, certificate, checked):
    checked(make(stage, certificate=certificate), "--post", "--expect")


@pytest.mark.parametrize("make", [nginx, haproxy, caddy], ids=lambda make: make.__name__)
def test_compressed_answers_are_decompressed(stage, make, certificate, checked):
    checked(make(stage, certificate=certificate, compresses=True), "--gzip")


def test_node_answers_in_chunks(stage, certificate, checked):
    # All but empty ones.
    assert checked(node(stage, certificate=certificate))["chunked"] >= REQUESTS * 9 // 10


@pytest.mark.parametrize("make", [python, nginx, node], ids=lambda make: make.__name__)
def test_connections_are_replaced_when_the_server_announces_their_end(
    stage, make, certificate, checked
):
    # Without `--repeatable`: no request is sent on a connection whose end was announced.
    server = make(stage, certificate=certificate, closes_after=CLOSES_AFTER)
    checked(server, "--close-every", CLOSES_AFTER)


def test_haproxy_closes_after_each_request(stage, certificate, checked):
    result = checked(haproxy(stage, certificate=certificate, closes_after=1), "--close-every", 1)
    assert result["reused"] == 0


def test_python_ends_each_answer_of_http_1_0_with_the_connection(stage, certificate, checked):
    server = python(stage, certificate=certificate, version="HTTP/1.0")
    assert checked(server, "--close-every", 1)["reused"] == 0


@pytest.mark.parametrize("make", [nginx, haproxy, caddy, node], ids=lambda make: make.__name__)
def test_requests_that_meet_the_end_of_an_idle_connection_are_repeated(
    stage, make, certificate, checked
):
    server = make(stage, certificate=certificate, idle_milliseconds=IDLE_MILLISECONDS)
    pause = IDLE_MILLISECONDS + (NODE_EXTRA_MILLISECONDS if make is node else 0)
    checked(
        server,
        *("--repeatable", "--apart"),
        *("--pause-min", pause - SPREAD_MILLISECONDS, "--pause-max", pause + SPREAD_MILLISECONDS),
        concurrency=NODE_CONCURRENCY if make is node else CONCURRENCY,
    )


def test_requests_that_meet_an_unannounced_end_are_repeated(stage, certificate, checked):
    server = python(stage, certificate=certificate, ends_after=CLOSES_AFTER)
    checked(server, "--repeatable", "--close-every", CLOSES_AFTER)


def test_requests_outlast_new_configurations_of_nginx(stage, certificate, checked):
    server = nginx(stage, certificate=certificate)
    is_over = threading.Event()

    def reconfigure():
        while not is_over.wait(RECONFIGURATION_SECONDS):
            server.signal(signal.SIGHUP)

    thread = threading.Thread(target=reconfigure)
    thread.start()
    try:
        # With pauses, connections are idle when nginx replaces the workers that serve them.
        checked(server, "--repeatable", "--pause-max", IDLE_MILLISECONDS)
    finally:
        is_over.set()
        thread.join()


@pytest.mark.parametrize("has_credentials", [False, True], ids=["open", "with_credentials"])
def test_requests_go_through_a_proxy(stage, has_credentials, certificate, checked):
    server = nginx(stage, certificate=certificate)
    proxy = squid(stage, credentials=CREDENTIALS if has_credentials else None)
    user = f"{CREDENTIALS[0]}:{PASSWORD_IN_URL}@" if has_credentials else ""
    checked(server, "--proxy", f"http://{user}proxy.test:{proxy.port}")


def test_wrong_credentials_reach_no_server(stage, authority):
    server = nginx(stage, certificate=authority)
    proxy = squid(stage, credentials=CREDENTIALS)
    url = f"http://{CREDENTIALS[0]}:wrong@proxy.test:{proxy.port}"
    result = check("https", server.port, 10, "--authority", authority.path, "--proxy", url)
    assert not result.is_good and result["errors"] == {"proxyFailed": 10}, result.values
    assert "407" in result["examples"][0]


def test_certificate_of_an_unknown_authority_is_refused(stage, authority):
    server = nginx(stage, certificate=authority)
    result = check("https", server.port, 10)
    assert not result.is_good and result["errors"] == {"tlsFailed": 10}, result.values
