"""TLS as an operator sets it up: certificates by name, renewal, client certificates, refusals."""

import http.client
import signal
import socket
import ssl

import pytest

from harness.certificate import Certificate

PATIENCE_SECONDS = 30.0
# Less than the handshake's deadline: who is closed by that one was not closed at once.
AT_ONCE_SECONDS = 5.0


def test_certificate_is_chosen_by_the_name_a_client_asks_for(stage, certificate):
    exact = Certificate(stage.directory, "exact", names="DNS:hub.example.org")
    wildcard = Certificate(stage.directory, "wildcard", names="DNS:*.example.org")
    hub = start(
        stage, f"{{{certificate.yaml}, certificates: [{{{exact.yaml}}}, {{{wildcard.yaml}}}]}}"
    )
    expected = {
        "hub.example.org": exact,
        "any.example.org": wildcard,
        "a.b.example.org": certificate,
        "localhost": certificate,
        None: certificate,
    }
    for name, shown in expected.items():
        with connect(hub.port, doubting_context(), name=name) as client:
            assert client.getpeercert(binary_form=True) == shown.bytes, name


def test_renewed_certificate_is_used_on_sighup_and_nobody_is_disconnected(stage):
    certificate = Certificate(stage.directory, "first")
    hub = start(stage, f"{{{certificate.yaml}}}")
    early = https(hub.port, certificate.trusting_context())
    assert answers(early)

    renewed = Certificate(stage.directory, "renewed")
    certificate.replace_by(renewed)
    hub.process.signal(signal.SIGHUP)
    hub.process.wait_for_log("certificates reloaded", within=PATIENCE_SECONDS)
    assert answers(early)
    assert answers(https(hub.port, renewed.trusting_context()))

    other = Certificate(stage.directory, "other")
    certificate.key.write_bytes(other.key.read_bytes())
    hub.process.signal(signal.SIGHUP)
    said = hub.process.wait_for_log("certificates not reloaded.*", within=PATIENCE_SECONDS)
    assert str(certificate.key) in said[0] and "does not belong" in said[0]
    assert answers(early)
    assert answers(https(hub.port, renewed.trusting_context()))


def test_client_certificate_is_required_where_configured(stage, certificate):
    known = Certificate(stage.directory, "known", names="DNS:client")
    unknown = Certificate(stage.directory, "unknown", names="DNS:client")
    hub = start(
        stage, f"{{{certificate.yaml}, client_certificates: required, client_ca: {known.path}}}"
    )
    context = certificate.trusting_context()
    context.load_cert_chain(known.path, known.key)
    assert answers(https(hub.port, context))
    for wrong in (None, unknown):
        context = certificate.trusting_context()
        if wrong:
            context.load_cert_chain(wrong.path, wrong.key)
        # In TLS 1.3 the client learns of it after its side of the handshake.
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            answers(https(hub.port, context))


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_session_is_resumed_on_whichever_loop(stage, certificate, version):
    hub = start(stage, f"{{{certificate.yaml}}}", "loops: 2\n")
    context = certificate.trusting_context()
    context.minimum_version = context.maximum_version = version
    session = None
    # The kernel deals out the connections; that all go to one loop is one in 32,768.
    for count in range(16):
        with connect(hub.port, context, session=session) as client:
            assert client.session_reused == (count > 0), count
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
            session = client.session


def test_client_of_another_protocol_is_refused(stage, certificate):
    hub = start(stage, f"{{{certificate.yaml}}}")
    context = certificate.trusting_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with connect(hub.port, context) as client:
        assert client.selected_alpn_protocol() == "http/1.1"
    context.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        connect(hub.port, context)


@pytest.mark.parametrize("text", [b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"SSH-2.0-a\r\n"])
def test_plain_text_is_closed_at_once(stage, certificate, text):
    hub = start(stage, f"{{{certificate.yaml}}}", "log_level: debug\n")
    with socket.create_connection(("127.0.0.1", hub.port), timeout=AT_ONCE_SECONDS) as client:
        client.sendall(text)
        answer = b"".join(iter(lambda: client.recv(4096), b""))
    # At most an alert; nothing that a plain client would take for an answer.
    assert len(answer) in (0, 7)
    hub.process.wait_for_log("tls failed", within=PATIENCE_SECONDS)


@pytest.mark.parametrize(
    "fault, reason",
    [("expired", "expired at"), ("text", "cannot read the certificate: no start line")],
)
def test_certificate_that_cannot_be_used_is_named_with_the_reason(
    stage, certificate, fault, reason
):
    bad = Certificate(stage.directory, "bad", names="DNS:a.example", days=-1)
    if fault == "text":
        bad.path.write_text("not a certificate\n")
    path = stage.directory / "varde.yaml"
    path.write_text(f"tls: {{{certificate.yaml}, certificates: [{{{bad.yaml}}}]}}\n")
    flags = ("--config", str(path), "--listen", "127.0.0.1:0")
    for command in ("check-config", "serve"):
        database = str(stage.directory / f"{command}.sqlite")
        process = stage.run(command, command, *flags, "--database", database)
        assert process.wait(within=PATIENCE_SECONDS) > 0
        assert str(bad.path) in process.log and reason in process.log, process.log
        assert len(process.log.splitlines()) < 10, process.log


def test_certificate_in_use_is_logged_with_its_names_and_end(stage):
    fresh = Certificate(stage.directory, "fresh", names="DNS:fresh.example", days=1)
    hub = start(stage, f"{{{fresh.yaml}}}")
    said = hub.process.wait_for_log(r"\bcertificate file=.*", within=PATIENCE_SECONDS)[0]
    assert f"file={fresh.path}" in said and "names=fresh.example" in said and "until=2" in said
    assert "needs renewal" not in hub.log


def start(stage, tls, more=""):
    hub = stage.hub()
    hub.configure(f"tls: {tls}\n{more}")
    hub.start()
    return hub


def connect(port, context, *, name="localhost", session=None):
    plain = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    try:
        return context.wrap_socket(plain, server_hostname=name, session=session)
    except BaseException:
        plain.close()
        raise


def https(port, context):
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=context)


def answers(connection):
    connection.request("GET", "/livez")
    response = connection.getresponse()
    response.read()
    return response.status == 200


def doubting_context():
    """Takes any certificate, to look at it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
